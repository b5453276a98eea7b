"""What a hold does: press, go straight, open; each is a handle with a result."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.poses import Pose
from mecano.parts.handle import Handle
from mecano.parts.results import Ended, Outcome
from mecano.planning.trajectories import Bounds, JointMove

if TYPE_CHECKING:
    from mecano.parts.holds import Hold

PRESSED = 0.1, 0.2
"""The force is there when it is this near, as a part of it, for this long [s]."""
DEEPEST = 0.10
"""Hands that came this far nearer to each other and press nothing have missed [m]."""
TURNING = 0.5
"""How fast the frame turns on its way [rad/s]."""
OPENING = 0.03
"""How fast hands go apart [m/s]."""
PATIENCE = 2.0
"""How long they may take to get there [s]."""


@dataclass(frozen=True, kw_only=True)
class HoldResult(Ended):
    """How something that hands did together ended."""

    outcome: Outcome
    duration: float = 0.0
    """[s]."""
    force: float = 0.0
    """What each hand presses with at the end, by its motors [N]."""
    off_place: float = 0.0
    """Largest distance of a tool from its place on the thing on the way, by the encoders [m]."""
    cause: str = ""
    """What ended it, if it was not the goal."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        why = f": {self.cause}" if self.cause else ""
        return (
            f"{self.outcome} after {self.duration:.2f} s, tools within {1e3 * self.off_place:.1f} "
            f"mm of their places, {self.force:.1f} N{why}"
        )


class HoldTask(Handle[HoldResult]):
    """Something that a hold does."""

    def __init__(self, hold: "Hold") -> None:
        """Begin now."""
        super().__init__(hold.session)
        self.hold, self.started = hold, hold.time
        self.off_place = 0.0

    def halt(self) -> None:
        """End it here: the hands keep their places."""
        if not self.done:
            self.hold.stop()

    def end(self, outcome: Outcome, cause: str = "") -> None:
        """Give it its result."""
        self.finish(
            HoldResult(
                outcome=outcome,
                duration=self.hold.time - self.started,
                force=self.hold.pressing,
                off_place=self.off_place,
                cause=cause,
            )
        )

    @abstractmethod
    def step(self, now: float) -> None:
        """Look whether it is done."""


class Squeeze(HoldTask):
    """The hands press until the force is there."""

    def __init__(self, hold: "Hold") -> None:
        """Begin with the hands where they are."""
        super().__init__(hold)
        self._since: float | None = None

    def step(self, now: float) -> None:
        """Look whether the force is there, or nothing is between the hands."""
        near, long = PRESSED
        wanted = self.hold.wanted
        if abs(self.hold.pressing - wanted) > max(near * wanted, 1.0):
            self._since = None
        elif self._since is None:
            self._since = now
        if self._since is not None and now - self._since >= long:
            self.end(Outcome.REACHED)
        elif self.hold.nearer > DEEPEST:
            self.hold.press(0.0)
            nothing = f"nothing is between the hands after {1e3 * DEEPEST:.0f} mm"
            self.end(Outcome.TIMED_OUT, nothing)


class Way(HoldTask):
    """The frame moves straight to a pose."""

    def __init__(self, hold: "Hold", goal: Pose, speed: float) -> None:
        """Begin at the frame's pose now."""
        super().__init__(hold)
        self._from, self._goal = hold.frame, goal
        length = float(np.linalg.norm(goal.position - self._from.position))
        turn = self._from.angle_to(goal)
        limits = next(iter(hold.arms.values())).limits
        seconds = max(length / (speed * limits.tool_velocity), turn / (speed * TURNING), 1e-2)
        acceleration = speed**2 * limits.tool_acceleration / max(length, 0.05)
        bounds = Bounds(velocity=1.0 / seconds, acceleration=acceleration, jerk=8.0 * acceleration)
        self._part = JointMove(np.zeros(1), np.ones(1), bounds)
        self._passed = 0.0
        self._before = 0.0, hold.frame

    def undo(self) -> None:
        """Take the last step of the frame back: a joint cannot keep up."""
        self._passed, self.hold.frame = self._before

    def step(self, now: float) -> None:
        """Move the frame on, as fast as the joints can keep up."""
        hold = self.hold
        self._before = self._passed, hold.frame
        self._passed += hold.tick * hold.ease
        part = min(1.0, max(0.0, float(self._part.at(self._passed)[0][0])))
        hold.frame = self._from.interpolate(self._goal, part)
        over = self._passed - self._part.duration
        if over > 0.0 and hold.at_rest():
            self.end(Outcome.REACHED)
        elif over > PATIENCE:
            self.end(Outcome.TIMED_OUT, f"a joint is {hold.lag:.4f} rad from its command")


class Opening(HoldTask):
    """The hands go apart evenly."""

    def __init__(self, hold: "Hold", apart: float) -> None:
        """Begin where they are; each one goes this far [m]."""
        super().__init__(hold)
        self._until = hold.nearer - apart

    def step(self, now: float) -> None:
        """Bring the hands further apart."""
        hold = self.hold
        hold.nearer = max(self._until, hold.nearer - OPENING * hold.tick)
        if hold.nearer == self._until and hold.at_rest():
            self.end(Outcome.REACHED)
