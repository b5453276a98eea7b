"""A navigator's footprint that follows the arms, and arms that are tucked where a passage needs it.

What the base covers of the floor changes with the posture of its arms. The outline is made anew
while they move. If no route is wide enough for it, but one is for the outline with all arms tucked,
they are tucked first, and the reason is said.
"""

from collections.abc import Callable

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.planning.navigation.contract import (
    LETHAL,
    NO_INFORMATION,
    Costmap,
    GlobalPlanner,
    Plan,
    PlanOutcome,
)
from mecano.planning.navigation.costmap import make_costmap
from mecano.planning.navigation.footprint import Footprint

NEARLY_ROUND = 1.3
"""A footprint whose circumscribed radius is at most so many inscribed ones is taken as a circle."""
NOTICED = 0.02
"""Joints that moved by less leave the outline as it is [rad]: encoders tremble."""
EVERY = 0.1
"""Time between two looks at the arms [s]."""
SMALLER = 0.02
"""Tucking is worth it if the outline gets narrower by this much [m]."""


def footprint_of(robot: Robot, posture: dict[str, Array] | None = None) -> Footprint:
    """Return what a robot covers of the floor as it stands now, arms included.

    Args:
        robot: With wheels.
        posture: Joint values of some arms by their names, in the place of those they have [rad].
    """
    outline = Footprint(robot.footprint(arms=posture))
    if outline.circumscribed_radius <= NEARLY_ROUND * outline.inscribed_radius:
        return Footprint.circle(outline.circumscribed_radius)
    return outline


class ArmOutline:
    """Tells when the outline of a robot has changed, because its arms have moved."""

    def __init__(self, robot: Robot) -> None:
        """Begin with the posture of now."""
        self._robot, self._looked_at = robot, -np.inf
        self._posture = self._now()

    def changed(self, now: float) -> Footprint | None:
        """Return the outline if it is another one; None if not, or if it is too early to look."""
        if not self._robot.arms or 0.0 <= now - self._looked_at < EVERY:
            return None
        self._looked_at, posture = now, self._now()
        if np.abs(posture - self._posture).max() <= NOTICED:
            return None
        self._posture = posture
        return footprint_of(self._robot)

    def _now(self) -> Array:
        parts = [arm.position for arm in self._robot.arms.values()]
        return np.concatenate([np.empty(0), *parts])


class TuckingPlanner:
    """A planner that lets the arms be tucked where only that opens a route."""

    def __init__(self, robot: Robot, inner: GlobalPlanner, say: Callable[[str], None]) -> None:
        """Wrap a planner.

        Args:
            robot: With arms.
            inner: Finds the paths.
            say: Told why arms are tucked.
        """
        self.inner = inner
        self._robot, self._say, self._tucking = robot, say, False

    def plan(self, costmap: Costmap, start: Pose2, goal: Pose2) -> Plan:
        """Return a path; without one that only tucked arms can take, begin to tuck them."""
        plan = self.inner.plan(costmap, start, goal)
        if plan.found or not self._robot.arms:
            self._tucking = False
            return plan
        if not self._tucking and not self._opens(plan, costmap, start, goal):
            return plan
        return Plan(
            outcome=PlanOutcome.START_BLOCKED, reason=f"the arms are being tucked: {plan.reason}"
        )

    def _opens(self, plan: Plan, costmap: Costmap, start: Pose2, goal: Pose2) -> bool:
        """Begin to tuck the arms if that opens a route; tell whether it does."""
        posture = tucked_posture(self._robot)
        padding = costmap.footprint.inscribed_radius - footprint_of(self._robot).inscribed_radius
        tucked = footprint_of(self._robot, posture).padded(max(padding, 0.0))
        now, then = costmap.footprint.circumscribed_radius, tucked.circumscribed_radius
        if then > now - SMALLER or not self.inner.plan(_with(costmap, tucked), start, goal).found:
            return False
        try:
            self._robot.arms.move_joints(posture, wait=False)
        except MecanoError as error:
            self._say(f"the arms should be tucked, but: {error}")
            return False
        self._tucking = True
        self._say(
            f"tucking the arms: {plan.reason}; the outline gets {2 * then:.2f} m across instead of "
            f"{2 * now:.2f} m"
        )
        return True


def tucked_posture(robot: Robot) -> dict[str, Array]:
    """Return the named posture of each arm in which the robot covers least, one arm at a time."""
    best = {name: arm.position.copy() for name, arm in robot.arms.items()}
    for name, arm in robot.arms.items():
        named = [np.array(values) for values in arm.chain.postures.values()]
        outlines = [footprint_of(robot, best | {name: joints}) for joints in named]
        if outlines:
            areas = [each.circumscribed_radius for each in outlines]
            best[name] = named[int(np.argmin(areas))]
    return best


def _with(costmap: Costmap, footprint: Footprint) -> Costmap:
    """Return a costmap for another footprint, padding included."""
    return make_costmap(
        costmap.cost == LETHAL, footprint, resolution=costmap.resolution, origin=costmap.origin,
        unknown=costmap.cost == NO_INFORMATION, frame=costmap.frame, stamp=costmap.stamp,
    )  # fmt: skip
