"""The plan of a navigator: asked for while the base stands, checked and renewed while it drives."""

from dataclasses import dataclass
from math import hypot, inf

from mecano.core.errors import MecanoError
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Costmap, GlobalPlanner, Plan, PlanOutcome
from mecano.skills.navigation.inputs import Surroundings
from mecano.skills.navigation.parameters import NavigatorParameters
from mecano.skills.navigation.reasons import why_no_plan
from mecano.skills.navigation.route import Route

RETRY = 0.5
"""Time between two attempts to plan while the base stands [s]."""
NEAR = 1.5
"""A blocked path is driven until the obstacle is this near [m]; then the base waits for a plan."""


@dataclass(frozen=True)
class Attempt:
    """What came of asking for a path while the base stands."""

    why: str = ""
    """Why there is none; empty if there is one."""
    first: bool = False
    """Whether this is the first failure in a row."""
    hopeless: bool = False
    """The static map alone rules the goal out: no recovery helps."""
    exhausted: bool = False
    """Patience has ended."""


class PlanKeeper:
    """Keeps the route to a goal."""

    def __init__(
        self, planner: GlobalPlanner, surroundings: Surroundings, parameters: NavigatorParameters
    ) -> None:
        """Begin without a route."""
        self.planner, self._surroundings, self._own = planner, surroundings, parameters
        self.restart()

    def restart(self) -> None:
        """Begin a goal."""
        self.route: Route | None = None
        """The path that is driven."""
        self.failed: Plan | None = None
        """What the planner said last, if it failed."""
        self.taken_at = -inf
        """When a plan was last taken up [s]."""
        self._planned_at = self._next_try = self._replan_at = -inf

    def drop(self, now: float) -> None:
        """Forget the route; patience begins anew."""
        self._planned_at, self._next_try, self.route = now, -inf, None

    def hurry(self, now: float) -> None:
        """Plan anew soon: the controller finds no motion."""
        self._replan_at = min(self._replan_at, now + RETRY)

    def attempt(self, now: float, pose: Pose2, goal: Pose2) -> Attempt | None:
        """Plan while standing; None if it is not yet time for another attempt."""
        if now < self._next_try:
            return None
        self._next_try = now + RETRY
        plan = self._ask(pose, goal, self._surroundings.whole())
        if plan.found:
            self.failed = None
            self._take_up(now, plan)
            return Attempt()
        first, self.failed = self.failed is None, plan
        return Attempt(
            why=why_no_plan(plan, self._surroundings.footprint),
            first=first,
            hopeless=first and self._is_hopeless(pose, goal, plan),
            exhausted=now - self._planned_at > self._own.planner_patience,
        )

    def keep(self, now: float, pose: Pose2, goal: Pose2, route: Route) -> str:
        """Plan anew where the path is blocked or it is time; return why there is none to drive."""
        due = now >= self._replan_at
        if not due and now < self._next_try:
            return ""
        costmap = self._surroundings.whole()
        self._next_try = now + RETRY
        blocked = route.blocked_at(costmap)
        if blocked is None and not due:
            return ""
        plan = self._ask(pose, goal, costmap)
        self._plan_again_after(now)
        if plan.found:
            if blocked is not None or route.is_worse_than(plan, pose):
                self._take_up(now, plan)
            self._planned_at = now
            return ""
        if blocked is None or hypot(blocked[0] - pose.x, blocked[1] - pose.y) > NEAR:
            return ""
        self.failed, self._planned_at, self.route = plan, now, None
        return why_no_plan(plan, self._surroundings.footprint)

    def _ask(self, pose: Pose2, goal: Pose2, costmap: Costmap) -> Plan:
        """Ask the planner; an answer that leads through obstacles is none."""
        try:
            plan = self.planner.plan(costmap, pose, goal)
        except MecanoError as error:
            return Plan(outcome=PlanOutcome.NO_ROUTE, reason=f"the planner failed: {error}")
        if plan.found and not len(plan.poses):
            return Plan(outcome=PlanOutcome.NO_ROUTE, reason="the planner returned an empty path")
        wall = Route(plan).through_wall(costmap) if plan.found else None
        if wall is not None:
            x, y = wall
            why = f"the planner's path leads through an obstacle at ({x:.2f}, {y:.2f}) m"
            return Plan(outcome=PlanOutcome.NO_ROUTE, reason=why)
        return plan

    def _is_hopeless(self, pose: Pose2, goal: Pose2, plan: Plan) -> bool:
        if plan.outcome is PlanOutcome.OUTSIDE:
            return True
        if plan.outcome is PlanOutcome.START_BLOCKED:
            return False
        static = self._ask(pose, goal, self._surroundings.whole(obstacles=False))
        return not static.found and static.outcome is plan.outcome

    def _take_up(self, now: float, plan: Plan) -> None:
        self.route, self._planned_at, self.taken_at = Route(plan), now, now
        self._plan_again_after(now)

    def _plan_again_after(self, now: float) -> None:
        frequency = self._own.planner_frequency
        self._replan_at = now + (1.0 / frequency if frequency > 0.0 else inf)
