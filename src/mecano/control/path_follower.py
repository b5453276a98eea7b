"""The one path follower: keeps a base of any kind to a path in time, by a law that can be replaced.

A reference says where to be when. It comes from a path with its times, from a turn on the spot or
from a user's own function; bases that can strafe and those that cannot differ in the law only.
"""

from collections.abc import Callable
from math import hypot

from mecano.control.laws import TrackingLaw
from mecano.core.arrays import Array
from mecano.core.poses import Pose2

Twist = tuple[float, float, float]
"""(vx, vy, wz): forward, to the left [m/s] and turning counter-clockwise [rad/s]."""
Reference = Callable[[float], tuple[Pose2, Twist | None]]
"""Where a base shall be after a time [s], and how that moves: (vx, vy, wz) where poses are."""


class PathFollower:
    """Follows a reference. Pure: it is given time and pose, and gives speeds."""

    def __init__(
        self,
        reference: Reference,
        duration: float,
        law: TrackingLaw,
        *,
        heading: float | None = None,
    ) -> None:
        """Begin.

        Args:
            reference: Where to be when.
            duration: When it comes to rest [s]; infinite if never.
            law: By which the base follows.
            heading: Keep this one, whatever the reference says [rad]; None follows its heading.
        """
        self.reference, self.duration, self.law = reference, duration, law
        self.max_error = 0.0
        """The furthest that the base was from where it should be, before the end [m]."""
        self._heading = heading
        self._shift = Pose2()
        self.aim = Pose2()
        """Where the base should be at the time of its last pose."""

    def command(self, passed: float, actual: Pose2, *, age: float = 0.0) -> Array:
        """Return the twist (vx, vy, wz) for the base, in its own frame [m/s, rad/s].

        Args:
            passed: Since it began [s].
            actual: Where the base is.
            age: Of that pose [s]: the error is against where it should have been then, while the
                reference's own motion is that of now.
        """
        pose, twist = self.reference(min(passed, self.duration))
        moving = twist if passed <= self.duration else None
        if age > 0.0:
            pose = self.reference(min(max(passed - age, 0.0), self.duration))[0]
        pose = self._shift @ pose
        self.aim = pose if self._heading is None else Pose2(pose.x, pose.y, self._heading)
        if passed <= self.duration:
            self.max_error = max(self.max_error, self.errors(actual)[0])
        return self.law.command(self.aim, moving, actual)

    def errors(self, actual: Pose2) -> tuple[float, float]:
        """Return how far a pose is from where it should be [m], and how much it is turned [rad]."""
        error = self.aim.inverse() @ actual
        return hypot(error.x, error.y), abs(error.yaw)

    def ended(self, passed: float) -> bool:
        """Tell whether the reference has come to rest."""
        return passed > self.duration

    def moved(self, before: Pose2, after: Pose2) -> None:
        """Go on although the same place is called another pose now."""
        self._shift = after @ before.inverse() @ self._shift
        self.aim = after @ before.inverse() @ self.aim
        if self._heading is not None:
            self._heading += after.yaw - before.yaw
