"""A repeated run held against its recording, tick by tick and bit by bit."""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.lab.robot import Robot
from mecano.record.recording import Recording
from mecano.session.session import Session


class EndOfRecording(MecanoError):
    """A repeated run has come to the end of a recording that was cut off; there it is stopped."""


@dataclass(frozen=True)
class Difference:
    """The first tick in which a repeated run differs from its recording."""

    time: float
    """Session time of the recording [s]."""
    largest: float
    """Largest difference of a joint value or position [rad or m]; 0 if only other parts differ."""
    how: str
    """The same in words."""


class Twin:
    """An observer that compares every tick with a recording and remembers the first difference."""

    def __init__(self, robot: Robot, recording: Recording) -> None:
        """Compare the present state with the first row, then observe."""
        self._world, self._recording = robot.world, recording
        self.ticks = 0
        """How many rows were the same."""
        self.beyond = 0
        """How many ticks came after the last row."""
        self.difference: Difference | None = None
        self._compare()
        robot.session.observers.append(self)

    def __call__(self, session: Session) -> None:
        """Compare one tick; the session calls this."""
        if self.complete:
            self.beyond += 1
        elif self.difference is None:
            self._compare()
        if self._recording.cut_off and (self.complete or self.difference is not None):
            raise EndOfRecording("the recording ends here")

    @property
    def complete(self) -> bool:
        """Whether every row of the recording was met."""
        return self.ticks >= len(self._recording.times)

    def _compare(self) -> None:
        now, then = self._world.state(), self._recording.states[self.ticks]
        if now.shape == then.shape and now.tobytes() == then.tobytes():
            self.ticks += 1
        else:
            time = float(self._recording.times[self.ticks])
            self.difference = _difference(time, now, then, positions=self._world.model.nq)


def _difference(time: float, now: Array, then: Array, *, positions: int) -> Difference:
    if now.shape != then.shape:
        how = f"the world has {now.size} numbers, the recorded one {then.size}"
        return Difference(time, float("inf"), how)
    places = slice(1, 1 + positions)  # behind the time
    largest = float(np.abs(now[places] - then[places]).max(initial=0.0))
    if largest > 0.0:
        return Difference(time, largest, f"positions by up to {largest:.3g} (rad or m)")
    return Difference(time, 0.0, "positions are the same, but speeds, commands or forces are not")
