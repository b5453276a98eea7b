"""Where time comes from: the wall clock, or a virtual clock on which nothing waits.

A clock is handed to whoever needs the time; there is none to be had globally. On a `VirtualClock`
a program that sleeps and times out gives the same result on every machine, however busy it is.
"""

import heapq
import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Protocol, runtime_checkable

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput

SAME_TIME = 1e-9
"""An event this little after the end of a wait belongs to it [s]: room for rounding only."""


@runtime_checkable
class Clock(Protocol):
    """Something that knows the time, and how to let it pass."""

    def now(self) -> float:
        """Return the seconds since the clock was made; never less than the time before."""
        ...

    def sleep(self, seconds: float) -> None:
        """Return when this much time has passed; zero or less returns at once."""
        ...

    def wait(self, changed: threading.Condition, timeout: float) -> None:
        """Return when a condition, whose lock is held, is notified or after the timeout [s]."""
        ...


class WallClock:
    """Real time since the clock was made. Setting the computer's date does not disturb it."""

    def __init__(
        self,
        *,
        source: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Start at zero now.

        Args:
            source: Gives the seconds since some fixed moment; must never go back.
            sleep: Waits some seconds. Replaced together with `source` in tests.
        """
        self._source, self._sleep = source, sleep
        self._start = source()

    def now(self) -> float:
        """Return the real seconds since the clock was made."""
        return self._source() - self._start

    def sleep(self, seconds: float) -> None:
        """Wait for some seconds; a system that wakes up too early is asked again."""
        until = self.now() + finite_number(seconds, name="time to sleep")
        while (remaining := until - self.now()) > 0.0:
            self._sleep(remaining)

    def wait(self, changed: threading.Condition, timeout: float) -> None:
        """Return when the condition is notified or after the timeout [s]."""
        changed.wait(timeout)


class VirtualClock:
    """Time that stands still until somebody sleeps, and then jumps from event to event.

    Whatever shall happen at a time is registered with `at` or `every`, and happens in the thread
    that sleeps, in the order of the times. So a driver and the emulator it talks to can share one
    thread and one time. Only one thread may let time pass at a time.
    """

    def __init__(self) -> None:
        """Start at zero."""
        self._now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._advancing = False

    def now(self) -> float:
        """Return the virtual seconds since the clock was made."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Let some seconds pass, with all that happens in them."""
        self.wait_for(lambda: False, seconds)

    def wait(self, changed: threading.Condition, timeout: float) -> None:
        """Let the timeout pass [s] with the condition's lock released."""
        changed.release()
        try:
            self.sleep(timeout)
        finally:
            changed.acquire()

    def wait_for(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Let time pass until a condition holds; return False if the timeout came first [s].

        The condition is asked now and after every event: time stands where it first held.
        """
        if self._advancing:
            raise InvalidInput(
                "an event of a virtual clock cannot wait for time to pass; register another event "
                "with `at` instead"
            )
        end = self._now + finite_number(timeout, name="time to wait")
        while not condition():
            if not self._events or self._events[0][0] > end + SAME_TIME:
                self._now = max(self._now, end)
                return False
            self._run_next()
        return True

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Let something happen at a time [s]; a time that has passed means as soon as possible."""
        moment = finite_number(moment, name="time of an event")
        heapq.heappush(self._events, (moment, next(self._order), action))

    def every(self, period: float, action: Callable[[], None]) -> Callable[[], None]:
        """Let something happen once per period [s], first in one period; return what ends it."""
        if finite_number(period, name="period") <= 0.0:
            raise InvalidInput(f"period is {period} s, expected a positive number")
        start, rounds, ended = self._now, count(2), False

        def happen() -> None:
            if not ended:
                self.at(start + next(rounds) * period, happen)
                action()

        def end() -> None:
            nonlocal ended
            ended = True

        self.at(start + period, happen)
        return end

    def _run_next(self) -> None:
        """Go to the next event and let it happen."""
        moment, _, action = heapq.heappop(self._events)
        self._now = max(self._now, moment)
        self._advancing = True
        try:
            action()
        finally:
            self._advancing = False
