"""What the navigator is given at every tick, and what it needs of its costmaps."""

from dataclasses import dataclass
from typing import Protocol

from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Costmap
from mecano.planning.navigation.footprint import Footprint

Twist = tuple[float, float, float]
"""vx, vy [m/s], wz [rad/s], in the frame of the base."""
STILL: Twist = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class PoseEstimate:
    """Where the base is in the map, and how certain that is."""

    pose: Pose2
    position_error: float = 0.0
    """Stated error, one sigma [m]."""
    lost: str = ""
    """Why the pose is not to be trusted, for people; empty if it is."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PlacedScan:
    """A scan, and where the scanner was in the map when it was taken."""

    scan: LaserScan
    scanner: Pose2


@dataclass(frozen=True, eq=False, kw_only=True)
class Sensed:
    """What is known at a tick."""

    estimate: PoseEstimate
    speed: Twist
    """Of the base."""
    scans: tuple[PlacedScan, ...] = ()
    """Those that are new."""


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A pose to reach, in the map."""

    pose: Pose2
    name: str = ""
    """Of the station, if it has one."""

    def __str__(self) -> str:
        """Return how reports call it."""
        at = f"({self.pose.x:.2f}, {self.pose.y:.2f}) m"
        return f"'{self.name}' at {at}" if self.name else at


class Surroundings(Protocol):
    """Keeps the costmaps: a static map, obstacles seen by scanners, inflation."""

    @property
    def footprint(self) -> Footprint:
        """Of the base, padding included."""
        ...

    def take_footprint(self, footprint: Footprint) -> None:
        """Go on with another footprint, without padding: the arms have moved."""
        ...

    def observe(self, scan: LaserScan, scanner: Pose2) -> None:
        """Mark what a scan sees and clear what it sees through; the scanner's pose is in the map"""
        ...

    def whole(self, *, obstacles: bool = True) -> Costmap:
        """Return the costmap of the whole map; without obstacles it is the static map alone."""
        ...

    def around(self, pose: Pose2) -> Costmap:
        """Return the costmap of a window around the base."""
        ...

    def clear(self, pose: Pose2, side: float) -> int:
        """Forget obstacles outside of a square around the base [m]; return how many cells."""
        ...
