"""A robot that explores: it drives to the frontiers of the map it builds until there are none.

with robot.start_mapping() as mapping:
    result = robot.explore(mapping)
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import Literal

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2, wrap_angle
from mecano.lab.arm_outline import footprint_of
from mecano.lab.mapping import LiveMapping
from mecano.lab.navigating import LiveNavigation
from mecano.lab.navigation_setup import PADDING
from mecano.lab.robot import Robot
from mecano.planning.navigation.frontiers import View
from mecano.skills.navigation.exploration import ExplorationSettings, Explorer
from mecano.skills.navigation.parameters import NavigatorParameters

LOOKED = 2.0
"""The map is looked at again this often while the base drives [s]."""
TURN = 0.6
"""How fast a base turns to look around [rad/s]."""
AGAIN = 1.0
"""A base that does not see all around turns at a view this far from the last turn [m]."""
TOO_LONG = 3.0, 20.0
"""A view is given up after this many times the time its route should take, and so much more [s]."""
SLOW = 0.15
"""The speed that this time is by [m/s]."""
FAILURES = 8
"""After so many views in a row that were not reached the base is stuck."""

PARAMETERS = NavigatorParameters(
    recovery_behavior_enabled=False, planner_patience=2.0, controller_patience=5.0
)
"""A view that cannot be reached at once is given up for another one."""

Progress = Callable[[float, int], None]
"""Given the known area [m2] and how many frontiers are left."""


@dataclass(frozen=True, kw_only=True)
class ExplorationResult:
    """How an exploration ended."""

    outcome: Literal["closed", "time is up", "stuck"]
    reason: str
    """In a sentence."""
    duration: float
    """[s]."""
    distance: float
    """Driven, by the poses in the map [m]."""
    area: float
    """Of the floor that is known [m2]."""
    views: int
    """How many frontiers it drove to."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        return (
            f"{self.reason}; {self.area:.1f} m2 of floor known after {self.duration:.0f} s, "
            f"{self.distance:.1f} m and {self.views} views"
        )


def explore(
    robot: Robot,
    mapping: LiveMapping,
    *,
    max_time: float = 1800.0,
    shortest: float = 0.4,
    on_progress: Progress | None = None,
) -> ExplorationResult:
    """Drive a robot to the frontiers of its map until it is closed.

    Args:
        robot: With wheels and a scanner.
        mapping: What `start_mapping` returned, inside of its `with` block.
        max_time: It ends after this time [s].
        shortest: Frontiers shorter than this are left alone [m].
        on_progress: Told every few seconds of the known area [m2] and of frontiers left.

    Returns:
        How it ended and why; the map is in `mapping`.
    """
    if not isinstance(mapping, LiveMapping) or mapping.robot is not robot:
        raise InvalidInput(
            f"explore() takes what start_mapping() of this robot returned, got {mapping!r}"
        )
    if on_progress is not None and not callable(on_progress):
        raise InvalidInput(f"on_progress is {on_progress!r}, expected a function, or None")
    max_time = finite_number(max_time, name="max_time [s]", lower=1.0, upper=1e6)
    shortest = finite_number(shortest, name="shortest frontier [m]", lower=0.05, upper=10.0)
    return _Exploration(robot, mapping, max_time, shortest, on_progress).run()


class _Exploration:
    """One exploration in progress."""

    def __init__(
        self, robot: Robot, mapping: LiveMapping, max_time: float, shortest: float,
        on_progress: Progress | None,
    ) -> None:  # fmt: skip
        self.robot, self.mapping, self._tell = robot, mapping, on_progress
        footprint = footprint_of(robot).padded(PADDING)
        around = mapping.scanner.around
        seen_from = mapping.scanner.scanner_class.nearest
        self.explorer = Explorer(
            footprint,
            ExplorationSettings(
                standoff=0.3 if around else seen_from + 0.3,
                reach=4.0 if around else 3.0,
                driven=max(footprint.circumscribed_radius, 0.0 if around else seen_from + 0.1),
                shortest=shortest,
            ),
        )
        self._until, self._begun = robot.time + max_time, robot.time
        self._first = len(mapping.stamps)
        self._turned_at: Pose2 | None = None
        self._views = self._failures = 0

    def run(self) -> ExplorationResult:
        """Drive from view to view."""
        self.robot.session.wait_until(lambda: bool(self.mapping.stamps), timeout=5.0)
        if not self.mapping.stamps:
            return self._ended("stuck", "no scan came, so there is nothing to explore")
        if not self.mapping.scanner.around:
            self._look_around()
        while self.robot.time < self._until:
            view = self.explorer.choose(self._grid(), self.mapping.pose)
            if view is None:
                return self._ended("closed", self._why_closed())
            if self._failures >= FAILURES:
                why = f"{FAILURES} views in a row were not reached"
                return self._ended("stuck", f"the base gets no further: {why}")
            self._go_and_see(view)
        return self._ended("time is up", f"the time of {self._until - self._begun:g} s is up")

    def _grid(self) -> OccupancyGrid:
        """Return the map as it is, and report how far it is."""
        with self.robot.session.lock:
            grid, poses = self.mapping.grid(), self._poses()
        grid = self.explorer.take(grid, poses)
        if self._tell is not None:
            self._tell(self.explorer.area, len(self.explorer.frontiers))
        return grid

    def _poses(self) -> Array:
        return np.array(self.mapping.mapper.trajectory)[:, 1:]

    def _go_and_see(self, view: View) -> None:
        """Drive towards a view until its frontier is seen; give it up if it stays one."""
        factor, more = TOO_LONG
        until = min(self.robot.time + factor * view.distance / SLOW + more, self._until)
        grid = self._grid()
        self._views += 1
        navigation = LiveNavigation(
            self.robot, grid, pose=self.mapping, parameters=PARAMETERS, talk=False
        )
        with navigation:
            handle = navigation.go_to(view.pose, wait=False)
            seen = False
            while not handle.done and not seen and self.robot.time < until:
                self.robot.wait(handle, timeout=LOOKED)
                self._grid()
                seen = self.explorer.is_seen(view)
            reached = handle.result is not None and handle.result.reached
        self.robot.session.wait_until(self.robot.base.at_rest, timeout=3.0)
        self._failures = 0 if seen or reached else self._failures + 1
        if reached and not self.mapping.scanner.around and self._is_new_place():
            self._look_around()
        self._grid()
        if not self.explorer.is_seen(view):
            self.explorer.give_up(view)

    def _is_new_place(self) -> bool:
        return self._turned_at is None or self._turned_at.distance_to(self.mapping.pose) > AGAIN

    def _look_around(self) -> None:
        """Turn on the spot, once around, by the pose in the map."""
        self._turned_at = self.mapping.pose
        turn = min(TURN, self.robot.base.facts.limits.turn)
        before, turned = self._turned_at.yaw, 0.0
        until = self.robot.time + 3.0 * 2.0 * pi / turn
        while turned < 2.0 * pi and self.robot.time < until:
            self.robot.base.drive(0.0, turn)
            self.robot.wait(0.1)
            heading = self.mapping.pose.yaw
            turned += float(wrap_angle(heading - before))
            before = heading
        self.robot.base.stop()
        self.robot.session.wait_until(self.robot.base.at_rest, timeout=3.0)

    def _why_closed(self) -> str:
        own = self.explorer
        why = "the map is closed: no frontier is left that can be seen"
        left = [f"{own.unreachable} cannot be reached"] * bool(own.unreachable)
        left += [f"{len(own.hidden)} stayed unknown although looked at"] * bool(own.hidden)
        return f"{why} ({', '.join(left)})" if left else why

    def _ended(
        self, outcome: Literal["closed", "time is up", "stuck"], reason: str
    ) -> ExplorationResult:
        believed = np.array([[p.x, p.y] for p in self.mapping.believed[self._first :]])
        steps = np.diff(believed, axis=0) if len(believed) > 1 else np.zeros((0, 2))
        return ExplorationResult(
            outcome=outcome, reason=reason, duration=self.robot.time - self._begun,
            distance=float(np.hypot(*steps.T).sum()), area=self.explorer.area, views=self._views,
        )  # fmt: skip
