"""What every mapping engine does, so that one can take the place of another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mecano.core.arrays import Array
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.estimation.slam.pose_graph import PoseGraph


@dataclass(frozen=True, eq=False)
class Closure:
    """A place that was recognized."""

    old: int
    """Node of the graph that was seen before."""
    new: int
    """Node that saw it again."""
    measured: Array
    """Pose of `new` seen from `old`: x, y [m], yaw [rad]. Shape (3,)."""
    information: Array
    """In the axes of `new`. Shape (3, 3)."""
    score: float
    """How well the maps fit, 0 to 1."""
    window: float
    """How far around was searched [m]."""
    surprising: bool = False
    """Whether it lies further away than the uncertainty allowed for."""


@dataclass(frozen=True, kw_only=True)
class Doubt:
    """A stretch of a drive whose place in the map is doubtful."""

    start: float
    """Stamp [s]."""
    end: float
    """Stamp [s]."""
    error: float
    """How far it may be off, one standard deviation or more [m]."""
    reason: str


class Mapper(Protocol):
    """Takes scans as they come and knows where the robot is and what the place looks like."""

    def add(self, scan: LaserScan, odometry: Pose2) -> Pose2:
        """Take a scan and what odometry said at its time; return the base's pose in the map."""
        ...

    def finish(self) -> None:
        """Use all the time it takes to make the map as good as it gets."""
        ...

    @property
    def trajectory(self) -> Array:
        """Stamp [s], x, y [m], yaw [rad] of the base at every scan, as believed now."""
        ...

    def grid(self, resolution: float | None = None) -> OccupancyGrid:
        """Return the map as believed now, with cells of that side [m]; None is the mapper's own."""
        ...

    @property
    def graph(self) -> PoseGraph:
        """Keyframes and what was measured between them."""
        ...

    @property
    def loops(self) -> Sequence[Closure]:
        """Places that were recognized."""
        ...

    @property
    def doubts(self) -> Sequence[Doubt]:
        """Stretches of the drive whose place in the map is doubtful; empty if none is known."""
        ...

    @property
    def seconds(self) -> dict[str, float]:
        """Time that each stage took [s]."""
        ...
