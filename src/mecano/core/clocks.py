"""Where time comes from: simulated, the wall's, or a recording's.

A clock is handed to whoever needs the time; there is none to be had globally.
"""

import time
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput

WHOLE_TICKS = 1e-6
"""How far, in ticks, an advance may be from a whole number of ticks: room for rounding only."""


@runtime_checkable
class Clock(Protocol):
    """Something that knows the time of a session."""

    def now(self) -> float:
        """Return the seconds since the session began; never less than the time before."""
        ...


class SimulatedClock:
    """Time that stands still until it is advanced.

    It counts whole ticks, so a million ticks of 0.01 s are 10000 s and not 10000.0000002 s.
    """

    def __init__(self, period: float = 0.01) -> None:
        """Start at zero.

        Args:
            period: Length of a tick [s].
        """
        self._period = finite_number(period, name="SimulatedClock.period")
        if self._period <= 0.0:
            raise InvalidInput(f"SimulatedClock.period is {period} s, expected a positive number")
        self._ticks = 0

    @property
    def period(self) -> float:
        """Length of a tick [s]."""
        return self._period

    @property
    def ticks(self) -> int:
        """Ticks since the start."""
        return self._ticks

    def now(self) -> float:
        """Return the simulated seconds since the start."""
        return self._ticks * self._period

    def tick(self) -> None:
        """Advance by one tick."""
        self._ticks += 1

    def advance(self, dt: float) -> None:
        """Advance by a time [s] that is zero or more whole ticks; another raises."""
        wanted = finite_number(dt, name="time to advance", lower=0.0) / self._period
        ticks = round(wanted)
        if abs(wanted - ticks) > WHOLE_TICKS:
            raise InvalidInput(
                f"cannot advance by {dt} s: that is {wanted:.6g} ticks of {self._period} s; "
                "advance by whole ticks or choose a shorter period"
            )
        self._ticks += ticks

    def reset(self, ticks: int = 0) -> None:
        """Go to a number of ticks since the start, for a new run or a restored snapshot."""
        if ticks < 0:
            raise InvalidInput(f"cannot reset the clock to {ticks} ticks, expected zero or more")
        self._ticks = ticks


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

    def wait_until(self, t: float) -> float:
        """Wait until the clock shows `t` [s].

        Returns:
            How late it is on return [s]: about zero after a wait, the overrun if `t` was past.
        """
        t = finite_number(t, name="time to wait for")
        while (remaining := t - self.now()) > 0.0:
            self._sleep(remaining)
        return -remaining


class ReplayClock:
    """The time of a recording: that of the last message played."""

    def __init__(self, start: float = 0.0) -> None:
        """Start at the stamp `start` [s]."""
        self._now = finite_number(start, name="ReplayClock.start")

    def now(self) -> float:
        """Return the stamp reached [s]."""
        return self._now

    def advance_to(self, stamp: float) -> None:
        """Move on to the stamp of a message [s]; an earlier one than `now()` raises."""
        stamp = finite_number(stamp, name="stamp")
        if stamp < self._now:
            raise InvalidInput(
                f"cannot go back from {self._now} s to {stamp} s; "
                "play messages in the order of their stamps, or seek with a new clock"
            )
        self._now = stamp
