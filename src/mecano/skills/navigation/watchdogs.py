"""Watchdogs of a navigator: a scanner that falls silent, localization that is lost."""

from dataclasses import dataclass
from enum import StrEnum
from math import inf

from mecano.skills.navigation.inputs import PoseEstimate
from mecano.skills.navigation.parameters import NavigatorParameters

DOUBTED = 0.5
"""Localization counts as lost when it has been doubtful for this long [s]."""
STOOD = 1.0
"""A lost base stands for this long before it turns to look around [s]."""


class Alarm(StrEnum):
    """What a watchdog finds."""

    NONE = "none"
    RAISED = "raised"
    """Just now: the base must stand."""
    LASTS = "lasts"
    ENDED = "ended"
    """Just now: it may drive again."""
    HOPELESS = "hopeless"
    """It has lasted for longer than patience allows."""


@dataclass(frozen=True)
class Finding:
    """An alarm, and what to report."""

    alarm: Alarm
    text: str = ""

    @property
    def stands(self) -> bool:
        """Whether the base must stand."""
        return self.alarm not in (Alarm.NONE, Alarm.ENDED)


class ScannerWatchdog:
    """Finds that the scanner is silent: then obstacles are not seen."""

    def __init__(self, parameters: NavigatorParameters) -> None:
        """Take when silence counts, and how long it may last."""
        self._own = parameters
        self._scanned_at = -inf
        self.restart(-inf)

    def restart(self, now: float) -> None:
        """Begin a goal."""
        self._begun_at, self._silent_since = now, inf

    def scanned(self, stamp: float) -> None:
        """Take note of a scan [s]."""
        self._scanned_at = stamp

    def check(self, now: float) -> Finding:
        """Tell whether the scanner is silent."""
        silent = now - max(self._scanned_at, self._begun_at)
        if silent <= self._own.sensor_timeout:
            was_silent, self._silent_since = self._silent_since < inf, inf
            return Finding(Alarm.ENDED if was_silent else Alarm.NONE)
        since = "since the start" if self._scanned_at == -inf else f"for {silent:.1f} s"
        text = f"the scanner has been silent {since}"
        if self._silent_since == inf:
            self._silent_since = now
            return Finding(Alarm.RAISED, text)
        hopeless = now - self._silent_since > self._own.sensor_patience
        return Finding(Alarm.HOPELESS if hopeless else Alarm.LASTS, text)


class LocalizationWatchdog:
    """Finds that the estimated pose cannot be trusted."""

    def __init__(self, parameters: NavigatorParameters) -> None:
        """Take which stated error is too large, and how long a search may last."""
        self._own = parameters
        self.restart()

    def restart(self) -> None:
        """Begin a goal."""
        self._doubted_since = self._lost_since = inf

    def report_anew(self) -> None:
        """Raise the alarm again if the base is still lost: its state was another meanwhile."""
        self._lost_since = inf

    def may_turn(self, now: float) -> bool:
        """Tell whether a lost base has stood for long enough to look around."""
        return now - self._lost_since >= STOOD

    def check(self, now: float, estimate: PoseEstimate) -> Finding:
        """Tell whether the base is lost."""
        doubt, was_lost = self._doubt(estimate), self._lost_since < inf
        if not doubt:
            self.restart()
            return Finding(Alarm.ENDED if was_lost else Alarm.NONE)
        self._doubted_since = min(self._doubted_since, now)
        if not was_lost:
            if now - self._doubted_since < DOUBTED:
                return Finding(Alarm.NONE)
            self._lost_since = now
            return Finding(Alarm.RAISED, doubt)
        hopeless = now - self._lost_since > self._own.lost_patience
        return Finding(Alarm.HOPELESS if hopeless else Alarm.LASTS, doubt)

    def _doubt(self, estimate: PoseEstimate) -> str:
        allowed = self._own.max_position_error
        if estimate.lost or estimate.position_error <= allowed:
            return estimate.lost
        return (
            f"the stated error of the pose is {estimate.position_error:.2f} m, allowed "
            f"{allowed:g} m"
        )
