"""The safety zone of a base as a user meets it: a switch, and what stopped the base."""

from dataclasses import dataclass, replace
from typing import Protocol

from mecano.core.errors import InvalidInput
from mecano.core.notices import say
from mecano.core.poses import Pose2
from mecano.parts.base_motion import BaseMotion
from mecano.parts.base_sensing import STANDING
from mecano.parts.drives import Twist as Speeds
from mecano.parts.results import Outcome
from mecano.session.session import Session

HELD = 5.0
"""A motion that the zone holds for this long ends as blocked [s]."""
FREED = 1.0
"""A stop is over when the base has been let drive for this long [s]: readings are noisy."""


@dataclass(frozen=True, kw_only=True)
class SafetyStop:
    """What a base stopped for."""

    stamp: float
    """When it came to stand [s]."""
    sensor: str
    """That saw it."""
    x: float
    """Where, in the frame of the base at that time: forward [m]."""
    y: float
    """To the left [m]."""
    distance: float
    """From the outline of the base [m]."""
    silent: float = 0.0
    """So long the sensor has read nothing at all [s]; 0 if it reads."""

    @property
    def message(self) -> str:
        """It in one sentence."""
        if self.silent:
            return (
                f"the safety zone stopped the base: {self.sensor} has been silent for "
                f"{self.silent:.1f} s; switch it on, or the zone off (base.safety_zone = False)"
            )
        return (
            f"the safety zone stopped the base: {self.sensor} sees something {self.distance:.2f} m "
            f"from its outline, at ({self.x:.2f}, {self.y:.2f}) m from its middle; drive away from "
            "it, or switch the zone off (base.safety_zone = False)"
        )


class SpeedGuard(Protocol):
    """Watches what a base is commanded."""

    def limit(self, now: float, wanted: Speeds) -> tuple[float, SafetyStop | None]:
        """Return the share of the speeds that is let through, and what is in the way."""
        ...

    def odometry_moved(self, before: Pose2, after: Pose2) -> None:
        """Go on although odometry calls the same place another pose now."""
        ...


class BaseSafety:
    """The zone of a base. Users have a `Base`, which also drives."""

    session: Session
    motion: BaseMotion | None
    guard: SpeedGuard | None = None
    """Made by whoever knows the robot's sensors; None if it has none that sees obstacles."""
    _watched = False
    _stop: SafetyStop | None = None
    _held = _freed = 0.0

    @property
    def safety_zone(self) -> bool:
        """Whether the base slows down and stops before what its sensors see, whoever drives it.

        Off by default in programs, on in `mecano teleop` and in the page. Directions that no sensor
        sees are not watched.
        """
        return self._watched

    @safety_zone.setter
    def safety_zone(self, on: bool) -> None:
        if not isinstance(on, bool):
            raise InvalidInput(f"safety_zone is {on!r}, allowed: True, False")
        if on and self.guard is None:
            raise InvalidInput(
                "this base has no LIDAR, depth camera or range sensor, so it cannot watch a safety "
                "zone; leave safety_zone False"
            )
        with self.session.commanding():
            self._watched, self._stop, self._held, self._freed = on, None, 0.0, 0.0

    @property
    def safety_stop(self) -> SafetyStop | None:
        """What the zone stopped the base for; None once it drives again."""
        return self._stop

    def _guarded(self, now: float, wanted: Speeds, tick: float) -> Speeds:
        """Return what the zone lets through of the wanted speeds."""
        assert self.guard is not None
        share, stop = self.guard.limit(now, wanted)
        if self.motion is not None and share < 1.0:
            self.motion.held((1.0 - share) * tick)
        if stop is not None and share == 0.0:
            self._hold(stop, tick)
            return STANDING
        self._freed, self._held = self._freed + tick, 0.0
        if self._freed > FREED:
            self._stop = None
        return share * wanted[0], share * wanted[1], share * wanted[2]

    def _hold(self, stop: SafetyStop, tick: float) -> None:
        """Stand; say why when it begins, and end a motion that waits for too long."""
        if self._stop is None and self.motion is None:
            say(stop.message)
        since = stop.stamp if self._stop is None else self._stop.stamp
        self._stop = replace(stop, stamp=since)
        self._freed, self._held = 0.0, self._held + tick
        motion = self.motion
        if motion is not None and not motion.recovers and self._held > HELD:
            motion.end(Outcome.BLOCKED, stop.message)
            self.motion, self._held = None, 0.0
