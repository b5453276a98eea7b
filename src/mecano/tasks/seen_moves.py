"""Moves of objects between taught places, by what is seen and felt: the acting half of experiments.

It is given the hand (`mecano.lab.manipulating.Manipulator`) and nothing else of the robot, so it
cannot know what is true. Scoring is another file's business.
"""

from collections.abc import Mapping

import numpy as np

from mecano.core.poses import Pose2
from mecano.lab.manipulating import Manipulator
from mecano.parts.base import Base
from mecano.perception.tabletop import TableView
from mecano.skills.manipulation.layout import TaughtPlace, find_layout
from mecano.skills.manipulation.outcomes import Reason
from mecano.skills.manipulation.redock import correction

TRIES = 3
"""A move that went wrong in the hand, or was seen to end elsewhere, is tried again so often."""
PUSHED = 0.010, np.radians(3.0)
"""Places that seem to have moved by more than this [m, rad] since the last look did so."""
MOST_DRIVES = 2
"""It drives nearer at most so often."""
AGAIN = (Reason.LOST, Reason.MISPLACED, Reason.MISSED)


class Mover:
    """Takes objects to taught places, wherever the robot really stands."""

    def __init__(
        self, hand: Manipulator, taught: Mapping[str, TaughtPlace], base: Base | None = None
    ) -> None:
        """Take the hand, the places as they were taught, and what may drive if they are too far."""
        self.hand, self.taught, self.base = hand, dict(taught), base
        self.drives = 0
        """How often it drove nearer."""
        self._layouts: list[Pose2] = []

    @property
    def layout(self) -> Pose2 | None:
        """How the places moved since they were taught: the mean of all looks from here.

        None if no mark was ever seen whole: then the places are taken as they were taught.
        """
        if not self._layouts:
            return None
        x, y, yaw = np.mean([[each.x, each.y, each.yaw] for each in self._layouts], axis=0)
        return Pose2(float(x), float(y), float(yaw))

    def move(self, what: str, target: str) -> tuple[str | None, int]:
        """Take an object to a place; return what went wrong, and how often it tried again."""
        problem, again = None, 0
        for _ in range(TRIES):
            before = problem
            problem, reason, more = self._once(what, target)
            if reason is Reason.NOT_FOUND and before is not None:
                problem = f"{problem}; before that, {before}"
            again += more
            if reason is Reason.OUT_OF_REACH and self._drive_nearer():
                problem, reason, more = self._once(what, target)
                again += more
            if reason not in AGAIN:
                return problem, again
            again += 1
        return f"{problem}; {TRIES} tries", again - 1

    def _once(self, what: str, target: str) -> tuple[str | None, Reason, int]:
        """Try a move; return what went wrong, its reason, and how often it grasped again."""
        view = self.look()
        goal = self.taught[target].moved(self.layout or Pose2())
        at = np.array([goal.x, goal.y])
        held = self.hand.pick(what, to=at, line=goal.yaw, view=view)
        if not held.reached:
            return held.message, held.reason, held.tries - 1
        placed = self.hand.place(at, line=goal.yaw)
        if placed.reached and self._was_pushed():
            text = "misplaced: the robot was pushed while it carried, so the places are elsewhere"
            return text, Reason.MISPLACED, held.tries - 1
        problem = None if placed.reached else placed.message
        return problem, placed.reason, held.tries - 1

    def _was_pushed(self) -> bool:
        """Tell whether the last look shows the places elsewhere than those before."""
        view, before = self.hand.view, self.layout
        found = None if view is None else find_layout(self.taught, view.marks)
        return before is not None and found is not None and _apart(before, found)

    def look(self) -> TableView | None:
        """Look, and see where the places are; what is hidden now was seen before."""
        view = self.hand.look()
        found = None if view is None else find_layout(self.taught, view.marks)
        if found is not None:
            self._remember(found)
        return view

    def _remember(self, found: Pose2) -> None:
        """Add a look to the mean; one that does not agree begins anew: the robot was pushed."""
        before = self.layout
        if before is not None and _apart(before, found):
            self._layouts = []
        self._layouts.append(found)

    def _drive_nearer(self) -> bool:
        """Drive to where the places are as they were taught; False if that is here already."""
        layout = self.layout
        if self.base is None or layout is None or self.drives >= MOST_DRIVES:
            return False
        way = correction(layout, self.hand.T_arm_base)
        if abs(way.distance) + abs(way.first) + abs(way.last) < 0.02:
            return False
        for move, goal in (
            (self.base.turn, way.first), (self.base.move, way.distance), (self.base.turn, way.last)
        ):  # fmt: skip
            if abs(goal) > 1e-3:
                move(goal)
        self.drives += 1
        self._layouts = []
        return True


def _apart(before: Pose2, found: Pose2) -> bool:
    """Tell whether two looks see the places apart by more than looks differ."""
    off = before.inverse() @ found
    return bool(np.hypot(off.x, off.y) > PUSHED[0] or abs(off.yaw) > PUSHED[1])
