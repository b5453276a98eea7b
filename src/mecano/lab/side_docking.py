"""Docking at the side of a table by one range sensor: find it, feel along it, stand before it.

One ray sees one point. So the base comes near until the ray sees something, drives along it to both
of its ends, and knows from all points where the side is, how it is turned and where its middle is;
no map, and no odometry but that of these two metres, is needed. What wheels slip on the way to an
end they slip on both sides of the middle.
"""

from collections.abc import Generator
from dataclasses import dataclass
from math import atan2, copysign, hypot, inf, isfinite, pi, sin
from typing import Any

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.lab.docking import DockResult, docking
from mecano.lab.robot import Robot
from mecano.skills.docking import Side, fit_side

Routine = Generator[Any, None, "SideDock"]
"""Yields what it waits for, and returns how it ended."""
SEARCH = 0.6
"""It comes nearer by this much at most, until it sees something [m]."""
SPEED = 0.15
"""Of the base [m/s]."""
CLEAR = 0.2
"""The ray's distance while the base drives along the side [m]: room to turn."""
FIRST = 0.12
"""It first drives so far both ways, to see how it stands [m]."""
FURTHEST = 1.5
"""A side's end is no further away than this [m]."""
LOST = 3
"""So many readings in a row that see nothing are the end of a side."""
JUMP = 0.10
"""What is further away than the readings before by this is something else [m]."""
NEAR = 0.002, 0.003
"""How near the base comes to its places on the way [m], [rad]."""


@dataclass(frozen=True)
class SideDock:
    """How docking at a side ended."""

    docked: bool
    side: Side | None
    """Of what it stands before, in odometry."""
    distance: DockResult | None
    """The last part: coming to the distance."""
    duration: float
    """[s]."""
    cause: str = ""
    """Why it is not docked."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        if self.side is None or self.distance is None:
            return f"not docked: {self.cause}"
        seen = f"a side of {1000 * self.side.length:.0f} mm"
        return f"{self.distance.message}, before {seen}" + (f"; {self.cause}" if self.cause else "")


class SideLost(Exception):
    """The sensor sees nothing where the side should be; the text says what was done."""


def dock_at_side(
    robot: Robot, distance: float, *, beside: float = 0.0, side: str, search: float = SEARCH,
    tolerance: float = 0.001,
) -> SideDock:  # fmt: skip
    """Bring the base before the side of a table, parallel to it, by one range sensor.

    Args:
        robot: With range sensors that look aside, and a base that strafes.
        distance: What the sensor shall read in the end [m].
        beside: How far the sensor's ray meets the side from its middle, forwards [m].
        side: Which sensor.
        search: How far it may come nearer until it sees something [m].
        tolerance: How near the average reading must come to the distance [m].
    """
    routine = side_docking(
        robot, distance, beside=beside, side=side, search=search, tolerance=tolerance
    )
    while True:
        try:
            robot.wait(next(routine))
        except StopIteration as end:
            return end.value


def side_docking(
    robot: Robot, distance: float, *, beside: float = 0.0, side: str, search: float = SEARCH,
    tolerance: float = 0.001,
) -> Routine:  # fmt: skip
    """Dock as a routine of a script or behaviour. See `dock_at_side`."""
    if not isinstance(robot, Robot):
        raise InvalidInput(f"dock_at_side takes a robot from mecano.connect, got {robot!r}")
    if not isinstance(side, str) or side not in robot.ranges:
        raise UnknownName("range sensor", str(side), robot.ranges)
    robot.base.facts.layout.require("strafe")
    furthest = robot.ranges[side].facts.furthest
    goal = finite_number(distance, name="distance to dock at [m]", lower=0.0, upper=furthest)
    beside = finite_number(beside, name="beside the middle [m]", lower=-2.0, upper=2.0)
    search = finite_number(search, name="search [m]", lower=0.0, upper=5.0)
    finite_number(tolerance, name="tolerance [m]", lower=1e-5)
    return _Feeler(robot, side).dock(goal, beside, search, tolerance)


class _Feeler:
    """Drives the base and keeps what the ray saw."""

    def __init__(self, robot: Robot, side: str) -> None:
        self.robot, self.side, self.finder = robot, side, robot.ranges[side]
        length = hypot(*self.finder.direction[:2])
        self.ray = self.finder.direction[:2] / length
        self.origin = self.finder.origin[:2]
        self.along = np.array([-self.ray[1], self.ray[0]])
        if self.along[0] < 0.0:
            self.along = -self.along
        self.points: list[Array] = []

    def dock(self, goal: float, beside: float, search: float, tolerance: float) -> Routine:
        """See `dock_at_side`."""
        started, side = self.robot.time, None
        try:
            yield from self._find(search)
            for step in (FIRST, FIRST, 0.0):
                side = yield from (self._sweep(step) if step else self._ends())
                yield from self._stand_before(side, CLEAR, beside if not step else None)
            assert side is not None
        except SideLost as lost:
            return SideDock(False, side, None, self.robot.time - started, str(lost))
        result = yield from docking(self.robot, goal, side=self.side, tolerance=tolerance)
        return SideDock(result.docked, side, result, self.robot.time - started, result.cause)

    # --- parts

    def _find(self, search: float) -> Generator[Any, None, None]:
        """Come nearer until the ray sees something, and then to the clear distance."""
        way = yield from self._drive(search * self.ray, lambda seen: seen < CLEAR)
        if not isfinite(way):
            furthest = self.finder.facts.furthest
            raise SideLost(
                f"the {self.side} sensor saw nothing within {furthest:g} m, nor after "
                f"{search:g} m nearer"
            )
        if way < CLEAR - 0.01:
            yield from self._drive((way - CLEAR) * self.ray, lambda seen: False)

    def _sweep(self, far: float) -> Generator[Any, None, Side]:
        """Drive both ways along what it sees."""
        self.points.clear()
        for way in (far, -2.0 * far, far):
            yield from self._drive(way * self.along, lambda seen: False, keep=True)
        return self._fitted()

    def _ends(self) -> Generator[Any, None, Side]:
        """Drive to both ends of the side."""
        self.points.clear()
        for sign in (1.0, -1.0):
            last = yield from self._drive(sign * FURTHEST * self.along, self._lost(), keep=True)
            if isfinite(last):
                raise SideLost(f"the side does not end within {FURTHEST:g} m")
        return self._fitted()

    def _fitted(self) -> Side:
        if len(self.points) < 10:
            raise SideLost(f"the {self.side} sensor lost sight of the side")
        pose = self.robot.base.pose
        return fit_side(np.array(self.points), np.array([pose.x, pose.y]))

    def _stand_before(
        self, side: Side, distance: float, beside: float | None
    ) -> Generator[Any, None, None]:
        """Go to where the ray meets the side squarely, by odometry.

        Args:
            side: The side.
            distance: What the sensor shall read there [m].
            beside: See `dock_at_side`; None stays where it is along the side.
        """
        facing = pi - atan2(self.ray[1], self.ray[0])  # of the base, seen from the side's x
        if beside is None:
            seen = _placed(side.middle.inverse() @ self.robot.base.pose, self.origin)
            meets = float(seen[1])
        else:
            meets = copysign(beside, beside * sin(facing))
        sensor = _placed(Pose2(0.0, 0.0, facing), self.origin)
        goal = side.standing(distance - float(sensor[0]), meets - float(sensor[1]), facing)
        moving = self.robot.base.go_to(goal, speed=SPEED, within=NEAR, wait=False)
        yield moving
        if moving.result is not None and not moving.result.reached:
            raise SideLost(f"something may be in the way ({moving.result.message})")

    def _lost(self):
        """Return what tells by readings in a row that the side, once seen, has ended."""
        missing = [-inf]

        def ended(seen: float) -> bool:
            missing[0] = 0 if isfinite(seen) else missing[0] + 1
            return missing[0] >= LOST

        return ended

    def _drive(self, way: Array, enough: Any, *, keep: bool = False) -> Generator[Any, None, float]:
        """Drive by a vector of the base's frame, until a reading is enough; return the last one.

        A reading that jumps away by more than `JUMP` counts as nothing seen.
        """
        robot, base = self.robot, self.robot.base
        goal = base.pose @ Pose2(float(way[0]), float(way[1]), 0.0)
        moving = base.go_to(goal, speed=SPEED, within=NEAR, wait=False)
        stamp, last, usual = -inf, inf, inf
        while not moving.done:
            yield robot.session.backend.tick
            reading = self.finder.read()
            if reading.stamp <= stamp:
                continue
            stamp, seen = reading.stamp, reading.range
            if isfinite(usual) and seen > usual + JUMP:
                seen = inf
            if isfinite(seen):
                usual = seen if not isfinite(usual) else 0.8 * usual + 0.2 * seen
                if keep:
                    pose = base.track.at(stamp)
                    self.points.append(_placed(pose, self.origin + seen * self.ray))
            last = seen
            if enough(seen):
                moving.stop()
                break
        yield from _rest(robot)
        return last


def _placed(pose: Pose2, point: Array) -> Array:
    """Return a point of the base's frame in that of its pose."""
    there = pose @ Pose2(float(point[0]), float(point[1]), 0.0)
    return np.array([there.x, there.y])


def _rest(robot: Robot) -> Generator[Any, None, None]:
    """Let the base stop."""
    for _ in range(200):
        if max(map(abs, robot.base.speed)) < 1e-3:
            break
        yield robot.session.backend.tick
    yield 0.1
