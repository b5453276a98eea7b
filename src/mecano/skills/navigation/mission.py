"""The goals of a navigator: how one is taken up, planned anew, passed and ended."""

from collections.abc import Sequence

from mecano.core.errors import InvalidInput
from mecano.skills.navigation.driving import Driving
from mecano.skills.navigation.inputs import Goal
from mecano.skills.navigation.outcomes import Ending, Journal
from mecano.skills.navigation.plan_keeping import PlanKeeper
from mecano.skills.navigation.reasons import giving_up
from mecano.skills.navigation.recoveries import Recoveries


class Mission:
    """Goals to reach one after the other, and what belongs to them: route, recoveries, reports."""

    def __init__(self, keeper: PlanKeeper, driving: Driving, recoveries: Recoveries) -> None:
        """Begin without a goal."""
        self.keeper, self.driving, self.recoveries = keeper, driving, recoveries
        self.journal = Journal()
        self.goals: list[Goal] = []
        """Those that are left; the first is driven to now."""
        self.ending: Ending | None = None
        """How the last goal ended; None while there is one."""

    @property
    def goal(self) -> Goal | None:
        """The goal that is driven to now."""
        return self.goals[0] if self.goals else None

    def begin(self, goals: Sequence[Goal], now: float) -> None:
        """Take up goals; those before are cancelled."""
        if not goals:
            raise InvalidInput("go_to() got no goal; give a pose, a station or some of them")
        self.cancel(now, "another goal came")
        self.goals, self.ending = list(goals), None
        self.keeper.restart()
        self.driving.restart()
        self.recoveries.restart()
        self._begin_goal(now)

    def _begin_goal(self, now: float) -> None:
        self.driving.begin_goal()
        self.keeper.drop(now)
        self.journal.enter(now, "planning", f"planning a path to {self.goal}")

    def replan(self, now: float, text: str) -> None:
        """Go back to planning; patience begins anew."""
        self.driving.begin_route()
        self.keeper.drop(now)
        self.journal.enter(now, "planning", f"{text}; planning a path to {self.goal}")

    def arrive(self, now: float) -> None:
        """Reach the last goal, or pass one and go on to the next."""
        if len(self.goals) == 1:
            self._end(now, Ending(state="reached", tried=tuple(self.recoveries.tried)))
            return
        self.journal.note(now, f"passed {self.goal}")
        self.goals.pop(0)
        self._begin_goal(now)

    def cancel(self, now: float, reason: str) -> None:
        """Give up the goal because somebody wants so; nothing without a goal."""
        if self.goals:
            tried = tuple(self.recoveries.tried)
            self._end(now, Ending(state="cancelled", reason=reason, tried=tried))

    def abort(self, now: float, cause: str, *, lost: bool = False) -> None:
        """Give up the goal because it cannot be reached."""
        assert self.goal is not None
        plan, tried = self.keeper.failed, tuple(self.recoveries.tried)
        reason = giving_up(self.goal, cause, tried, None if plan is None else plan.nearest)
        self._end(now, Ending(state="aborted", reason=reason, plan=plan, tried=tried, lost=lost))

    def _end(self, now: float, ending: Ending) -> None:
        text = ending.reason or f"reached {self.goal}"
        self.goals, self.ending, self.keeper.route = [], ending, None
        self.journal.enter(now, ending.state, text)
