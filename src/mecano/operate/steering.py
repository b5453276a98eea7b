"""Steering a robot on legs by hand, from keys or from a page: which way, which gait, how fast.

A walk ends with all feet on the ground, so a new way begins when the walk before it has ended.
"""

from dataclasses import replace
from math import atan2, hypot

from mecano.core.arrays import finite_number
from mecano.core.devices import CupState
from mecano.core.errors import InvalidInput, UnknownName
from mecano.lab.robot import Robot
from mecano.parts.cups import CupResult
from mecano.parts.legs import Legs
from mecano.parts.results import Outcome
from mecano.parts.walks import Walk
from mecano.planning.gaits import find_gait

WAYS = {
    "forward": (1, 0, 0), "back": (-1, 0, 0), "left": (0, 1, 0), "right": (0, -1, 0),
    "turn left": (0, 0, 1), "turn right": (0, 0, -1),
}  # fmt: skip
"""Forward, to the left, turning; as parts of the speeds."""
ARM = 0.28
"""Feet stand this far from the middle at most [m]: steps of turns are as long as straight ones."""


class Steering:
    """Keeps a wish for legs; call `keep` often."""

    def __init__(self, legs: Legs) -> None:
        """Begin with the first gait at its own speed, and no wish."""
        self.legs = legs
        self.gaits = tuple(reversed(tuple(legs.gaits)))
        """The fastest first."""
        self.gait = self.gaits[0]
        self.part = 1.0
        """Of the gait's own speed."""
        self.height: float | None = None
        """Of the body above the surface from the next walk on [m]; None is the robot's own."""
        self._wish: str | None = None
        self._walk: Walk | None = None
        self._news = ""

    @property
    def speed(self) -> float:
        """Straight on [m/s]."""
        return self.part * self.legs.gaits[self.gait].speed

    @property
    def turn(self) -> float:
        """On the spot [rad/s]."""
        return self.speed / ARM

    @property
    def walking(self) -> bool:
        """Whether feet move, or a wish waits."""
        legs = self.legs
        return self._wish is not None or (legs.walking is not None and not legs.walking.done)

    def go(self, way: str) -> str:
        """Walk a way of `WAYS` until another wish comes; say what will happen."""
        if way not in WAYS:
            raise UnknownName("way", way, WAYS)
        self._wish = way
        pace = f"{self.turn:.3f} rad/s" if WAYS[way][2] else f"{1000 * self.speed:.0f} mm/s"
        told = f"{way}, {self.gait}, {pace}"
        if self.legs.walking is not None and not self.legs.walking.done:
            self.legs.walking.stop()
            return f"{told}, as soon as all feet are down"
        self._begin()
        return self._news or told

    def stop(self) -> str:
        """Let feet in the air land, and stand."""
        self._wish = None
        self.legs.stop()
        return "stops as soon as all feet are down"

    def leave(self) -> None:
        """Give the wish up, and end a walk that was begun here; those of others go on."""
        self._wish = None
        if self._walk is not None and self._walk is self.legs.walking:
            self._walk.stop()

    def set_gait(self, gait: str) -> None:
        """Take another gait, from the next walk on."""
        self.gait = find_gait(gait, self.legs.gaits).name

    def set_height(self, height: float) -> None:
        """Take another height of the body above the surface, from the next walk on [m]."""
        low, high = self.heights
        self.height = finite_number(height, name="height of the body [m]", lower=low, upper=high)

    @property
    def heights(self) -> tuple[float, float]:
        """Lowest and highest that the body can walk [m]."""
        return min(self.legs.facts.footholds), max(self.legs.facts.footholds)

    def keep(self) -> None:
        """Begin the wish that waits, if the walk before it has ended."""
        walk = self.legs.walking
        if walk is not None and not walk.done:
            return
        if walk is not None and walk is self._walk and walk.result is not None:
            self._walk = None
            if walk.result.outcome is Outcome.BLOCKED:
                self._news, self._wish = f"the walk ended: {walk.result.cause}", None
        if self._wish is not None:
            self._begin()

    def news(self) -> str:
        """Return why a walk ended or did not begin, once; empty if there is nothing to tell."""
        news, self._news = self._news, ""
        return news

    def _begin(self) -> None:
        assert self._wish is not None
        (ahead, left, around), self._wish = WAYS[self._wish], None
        try:
            walk = self.legs.walk(
                direction=atan2(left, ahead), speed=self.speed * hypot(ahead, left),
                turn=self.turn * around, gait=self.gait, height=self.height, wait=False,
            )  # fmt: skip
        except InvalidInput as error:
            self._news = str(error)
            return
        self._walk = walk


def switch_cup(robot: Robot, number: int, on: bool, *, force: bool = False) -> CupResult:
    """Switch a cup on or off without waiting; say what came of it, or why it is left as it is.

    Args:
        robot: Whose cup.
        number: From 1 on.
        on: Whether it shall hold.
        force: Switch it off even in a walk, and even if the robot is foreseen to fall.
    """
    cups = robot.cups
    cup = cups[number]
    if robot.legs.walking is not None and not robot.legs.walking.done and not force:
        why = f"cup {number} is left as it is: in a walk the gait switches the cups; stop first"
        return CupResult(leg=number, done=False, reason=why)
    if not on:
        result = cups.release(number, force=force)
        return result if result.reason else replace(result, reason=f"cup {number} is off")
    with cups.session.lock:
        if cup.state is CupState.BROKEN:
            cups.drive.switch(number - 1, False)
        cups.drive.switch(number - 1, True)
    return CupResult(leg=number, done=True, reason=f"cup {number} is on")
