"""Holding a session back: to real time or a multiple of it, to a pause, to single ticks."""

import threading
from math import inf

from mecano.core.arrays import finite_number
from mecano.core.clocks import Clock, WallClock
from mecano.core.errors import InvalidInput

LATE = 0.25
"""A session this far behind does not hurry to catch up; its clock starts anew [s]."""


class Pace:
    """How fast the ticks of a session follow each other. Any thread may change it."""

    def __init__(self, speed: float = 1.0, *, clock: Clock | None = None) -> None:
        """Begin with a multiple of real time; infinity for as fast as it goes.

        Args:
            speed: How many times faster than the clock.
            clock: Where time comes from; None for the wall clock.
        """
        self._clock = WallClock() if clock is None else clock
        self._changed = threading.Condition()
        self._speed = _checked(speed)
        self._paused = False
        self._steps = 0
        self._due: float | None = None
        self._ended = False

    @property
    def speed(self) -> float:
        """How many times faster than real time."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        checked = _checked(speed)
        with self._changed:
            self._speed, self._due = checked, None
            self._changed.notify_all()

    @property
    def paused(self) -> bool:
        """True while no tick may begin but by `step`."""
        return self._paused

    @property
    def ended(self) -> bool:
        """True after the session was closed."""
        return self._ended

    def pause(self) -> None:
        """Let no further tick begin."""
        with self._changed:
            self._paused, self._steps = True, 0

    def resume(self) -> None:
        """Go on."""
        with self._changed:
            self._paused, self._due = False, None
            self._changed.notify_all()

    def step(self, ticks: int = 1) -> None:
        """Let some ticks through while paused."""
        if ticks < 0:
            raise InvalidInput(f"cannot step by {ticks} ticks; give 0 or more")
        with self._changed:
            self._steps += ticks
            self._changed.notify_all()

    def end(self) -> None:
        """Hold nobody back any more; the session closes."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def hold(self, tick: float) -> None:
        """Return when a tick of this length [s] may begin."""
        with self._changed:
            while not self._ended:
                delay = self._delay(tick)
                if delay <= 0.0:
                    return
                self._clock.wait(self._changed, min(delay, 1.0))

    def _delay(self, tick: float) -> float:
        """Return how long the next tick must still wait [s]; zero takes it from the account."""
        if self._paused:
            if not self._steps:
                return inf
            self._steps -= 1
            return 0.0
        if self._speed == inf:
            return 0.0
        now = self._clock.now()
        if self._due is None or now - self._due > LATE:
            self._due = now
        if self._due > now:
            return self._due - now
        self._due += tick / self._speed
        return 0.0


def _checked(speed: float) -> float:
    if speed == inf:
        return inf
    return finite_number(speed, name="speed [times real time]", lower=0.01)
