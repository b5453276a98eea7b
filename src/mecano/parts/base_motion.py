"""What a base asks of a motion that drives it."""

from typing import Protocol

from mecano.core.poses import Pose2
from mecano.parts.results import Outcome


class BaseMotion(Protocol):
    """A motion in progress: a move, a path, a goal of the navigator."""

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        ...

    @property
    def heeds_obstacles(self) -> bool:
        """Whether a pressed bumper or a missing floor ends it."""
        ...

    @property
    def recovers(self) -> bool:
        """Whether it finds its own way out when something holds the base."""
        ...

    def held(self, seconds: float) -> None:
        """Leave out a time in which the base was held back [s]."""
        ...

    def wanted(self, now: float) -> tuple[float, float, float]:
        """Return the speeds for this tick: forward, left [m/s], turn [rad/s]."""
        ...

    def odometry_moved(self, before: Pose2, after: Pose2) -> None:
        """Go on although odometry calls the same place another pose now."""
        ...

    def end(self, outcome: Outcome, cause: str = "") -> None:
        """Give it its result."""
        ...
