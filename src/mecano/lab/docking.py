"""Docking: a base comes to a set distance from what its range sensors see."""

from collections.abc import Generator
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.devices import RangeSensor
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot

Routine = Generator[Any, None, "DockResult"]
"""Yields what it waits for, and returns how it ended."""
READINGS = 150
"""Averaged at rest before it judges a distance: noise of 5 mm becomes 0.4 mm."""
ENOUGH = 0.5
"""Part of the readings that must see something."""
CORRECTIONS = 6
"""How often it corrects itself before it gives up."""
SPEED = 0.15
"""Max [m/s]."""
ASIDE = 0.01
"""A ray further aside than this needs a base that can strafe; as a sine."""


@dataclass(frozen=True)
class DockResult:
    """How docking ended."""

    docked: bool
    side: str
    """The sensor it went by; empty if none saw anything."""
    before: float
    """What that sensor read at the start, averaged [m]."""
    after: float
    """And at the end [m]."""
    corrections: int
    """How often it moved."""
    duration: float
    """[s]."""
    cause: str = ""
    """Why it is not docked."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        if not self.side:
            return f"not docked: {self.cause}"
        end = f"to {self.after:.4f} m" if isfinite(self.after) else "until it saw nothing"
        moved = f"{self.side} sensor from {self.before:.4f} m {end}"
        why = f": {self.cause}" if self.cause else ""
        return f"{'docked' if self.docked else 'not docked'} by the {moved}{why}"


def dock(
    robot: Robot,
    distance: float,
    *,
    side: str | None = None,
    tolerance: float = 0.001,
    readings: int = READINGS,
    speed: float = SPEED,
) -> DockResult:
    """Bring the base to a distance from what a range sensor sees, along that sensor's ray.

    It stands, averages some readings, moves by the difference, and looks again until it is within
    the tolerance. It works at any heading: all it knows is where the ray points on the robot.

    Args:
        robot: With range sensors, and a base that can drive along their rays.
        distance: What the sensor shall read in the end [m].
        side: Which sensor; None takes the one that sees something, of several the nearest.
        tolerance: How near the average must come [m].
        readings: How many are averaged each time.
        speed: Max [m/s].
    """
    routine = docking(
        robot, distance, side=side, tolerance=tolerance, readings=readings, speed=speed
    )
    while True:
        try:
            robot.wait(next(routine))
        except StopIteration as end:
            return end.value


def docking(
    robot: Robot,
    distance: float,
    *,
    side: str | None = None,
    tolerance: float = 0.001,
    readings: int = READINGS,
    speed: float = SPEED,
) -> Routine:
    """Dock as a routine of a script or behaviour: `result = yield docking(robot, 0.1)`.

    See `dock`.
    """
    if not isinstance(robot, Robot):
        raise InvalidInput(f"dock takes a robot from mecano.connect, got {robot!r}")
    finders = robot.ranges
    if not finders:
        raise InvalidInput(f"{robot.name} has no range sensors to dock by")
    if side is not None and side not in finders:
        raise UnknownName("range sensor", side, finders)
    furthest = min(finder.facts.furthest for finder in finders.values())
    goal = finite_number(distance, name="distance to dock at [m]", lower=0.0, upper=furthest)
    finite_number(tolerance, name="tolerance [m]", lower=1e-5)
    finite_number(speed, name="speed [m/s]", lower=0.001)
    if isinstance(readings, bool) or not isinstance(readings, int) or readings < 1:
        raise InvalidInput(f"readings is {readings!r}, expected a whole number of 1 or more")
    chosen = finders if side is None else {side: finders[side]}
    if any(abs(_ray(finder)[1]) > ASIDE for finder in chosen.values()):
        robot.base.facts.layout.require("strafe")
    return _docking(robot, goal, chosen, tolerance, readings, speed)


def _docking(
    robot: Robot, goal: float, finders: dict[str, RangeSensor], tolerance: float, readings: int,
    speed: float,
) -> Routine:  # fmt: skip
    started = robot.time
    seen = yield from _averages(robot, finders, readings)
    chosen = min(seen, key=lambda name: seen[name])
    before = now = seen[chosen]
    if not isfinite(now):
        furthest = finders[chosen].facts.furthest
        cause = f"no sensor sees anything within {furthest:g} m ({', '.join(finders)})"
        return DockResult(False, "", inf, inf, 0, robot.time - started, cause)
    moves, cause = 0, ""
    while abs(now - goal) > tolerance and not cause:
        if moves == CORRECTIONS:
            cause = f"still {1000 * (now - goal):+.1f} mm off after {moves} corrections"
            break
        x, y = _ray(finders[chosen])
        target = robot.base.pose @ Pose2((now - goal) * x, (now - goal) * y, 0.0)
        near = (0.2 * tolerance, 0.002)
        moving = robot.base.go_to(target, speed=speed, within=near, direction="either", wait=False)
        yield moving
        moves += 1
        if moving.result is not None and not moving.result.reached:
            cause = f"something may be in the way ({moving.result.message})"
        now = (yield from _averages(robot, {chosen: finders[chosen]}, readings))[chosen]
        if not isfinite(now):
            cause = cause or f"the {chosen} sensor lost sight of it"
    return DockResult(not cause, chosen, before, now, moves, robot.time - started, cause)


def _averages(
    robot: Robot, finders: dict[str, RangeSensor], count: int
) -> Generator[Any, None, dict[str, float]]:
    """Stand and average; a sensor that mostly sees nothing reads infinity [m]."""
    yield 3.0 * robot.session.backend.tick
    read: dict[str, list[float]] = {name: [] for name in finders}
    stamps = dict.fromkeys(finders, -inf)
    while any(len(values) < count for values in read.values()):
        yield robot.session.backend.tick
        for name, finder in finders.items():
            reading = finder.read()
            if reading.stamp > stamps[name] and len(read[name]) < count:
                stamps[name] = reading.stamp
                read[name].append(reading.range)
    return {name: _average(values) for name, values in read.items()}


def _average(values: list[float]) -> float:
    near = [value for value in values if isfinite(value)]
    return float(np.mean(near)) if len(near) >= ENOUGH * len(values) else inf


def _ray(finder: RangeSensor) -> tuple[float, float]:
    """Return where a sensor's ray points, in the frame of the base, on the floor."""
    x, y = finder.direction[:2]
    length = float(np.hypot(x, y))
    return float(x / length), float(y / length)
