"""Does the base get on? Nav2's progress checker and move_base's oscillation check."""

from math import copysign, hypot

from mecano.core.poses import Pose2
from mecano.skills.navigation.inputs import Twist

NOTICED = 0.02
"""A slower motion has no direction [m/s or rad/s]."""
REVERSALS = 6
"""So many changes of direction in a row are an oscillation."""


class ProgressCheck:
    """Tells when a base has not moved far enough for too long."""

    def __init__(self, radius: float, allowance: float) -> None:
        """Take how far it must get [m] in which time [s]."""
        self._radius, self._allowance = radius, allowance
        self._from: Pose2 | None = None
        self._since = 0.0

    def restart(self) -> None:
        """Begin anew at the next pose."""
        self._from = None

    def pause(self, seconds: float) -> None:
        """Leave out a time in which it was made to stand [s]."""
        self._since += seconds

    def stuck(self, now: float, pose: Pose2) -> bool:
        """Take note of a pose; tell whether time is over."""
        if self._from is None or self._from.distance_to(pose) >= self._radius:
            self._from, self._since = pose, now
        return now - self._since > self._allowance


class OscillationCheck:
    """Tells when a base goes to and fro, or turns to and fro, without getting away."""

    def __init__(self, distance: float, timeout: float) -> None:
        """Take how far it must get [m] in which time [s]; a timeout of 0 switches it off."""
        self._distance, self._timeout = distance, timeout
        self.restart()

    def restart(self) -> None:
        """Forget what was."""
        self._signs = [0.0, 0.0, 0.0]
        self._reversals: list[float] = []
        self._from: Pose2 | None = None

    def oscillates(self, now: float, pose: Pose2, twist: Twist) -> bool:
        """Take note of a command; tell whether it was reversed too often."""
        if self._timeout == 0.0:
            return False
        moved = (
            self._from is None
            or hypot(pose.x - self._from.x, pose.y - self._from.y) >= self._distance
        )
        if moved:
            self._from, self._reversals = pose, []
        for axis, speed in enumerate(twist):
            if abs(speed) < NOTICED:
                continue
            sign = copysign(1.0, speed)
            if self._signs[axis] == -sign:
                self._reversals.append(now)
            self._signs[axis] = sign
        self._reversals = [at for at in self._reversals if now - at <= self._timeout]
        return len(self._reversals) >= REVERSALS
