"""Maps of the floor and paths across it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages.stamped import Stamped, fix_array, fix_number
from mecano.core.poses import Pose, Pose2

UNKNOWN, FREE, OCCUPIED = -1, 0, 100


@dataclass(frozen=True, eq=False, kw_only=True)
class OccupancyGrid(Stamped):
    """A map of square cells. Cell (row, column) lies `column` along x and `row` along y."""

    resolution: float
    """Side of a cell [m]."""
    origin: Pose2 = field(default_factory=Pose2)
    """Outer corner of cell (0, 0) in `frame`; its yaw turns the whole map."""
    data: NDArray[np.int8]
    """-1 unknown, 0 free to 100 occupied. Shape (height, width)."""

    def __post_init__(self) -> None:
        """Check the cells."""
        super().__post_init__()
        fix_number(self, "resolution")
        if self.resolution <= 0.0:
            raise InvalidInput(f"OccupancyGrid.resolution is {self.resolution} m, must be positive")
        given = np.asarray(self.data)
        if given.dtype.kind not in "iu" or given.size == 0:
            raise InvalidInput(
                f"OccupancyGrid.data has dtype {given.dtype} and {given.size} cells, "
                "expected whole numbers and at least one cell"
            )
        if given.min() < UNKNOWN or given.max() > OCCUPIED:
            raise InvalidInput(
                f"OccupancyGrid.data ranges from {given.min()} to {given.max()}, allowed -1..100"
            )
        fix_array(self, "data", shape=(None, None), dtype=np.int8)

    @property
    def height(self) -> int:
        """Number of rows [cells]."""
        return self.data.shape[0]

    @property
    def width(self) -> int:
        """Number of columns [cells]."""
        return self.data.shape[1]

    def world_to_cell(self, points: ArrayLike) -> NDArray[np.int64]:
        """Return the (row, column) of points (..., 2) [m]; it may lie outside, see `contains`."""
        points = np.asarray(points, dtype=np.float64)
        if not np.isfinite(points).all():
            raise InvalidInput("points to look up in the map are not all finite")
        local = self.origin.inverse().transform_points(points)
        return np.floor(local[..., ::-1] / self.resolution).astype(np.int64)

    def cell_to_world(self, cells: ArrayLike) -> Array:
        """Return the centres (..., 2) [m] of cells given as (row, column)."""
        local = (np.asarray(cells, dtype=np.float64)[..., ::-1] + 0.5) * self.resolution
        return self.origin.transform_points(local)

    def contains(self, cells: ArrayLike) -> NDArray[np.bool_]:
        """Say which cells (row, column) are in the map."""
        cells = np.asarray(cells)
        return np.all((cells >= 0) & (cells < self.data.shape), axis=-1)

    def values_at(self, points: ArrayLike, *, outside: int = UNKNOWN) -> NDArray[np.int8]:
        """Return the map's value at points (..., 2) [m], and `outside` beyond its edge."""
        cells = self.world_to_cell(points)
        inside = np.clip(cells, 0, np.array(self.data.shape) - 1)
        values = self.data[inside[..., 0], inside[..., 1]]
        return np.where(self.contains(cells), values, np.int8(outside))


@dataclass(frozen=True, eq=False, kw_only=True)
class Path(Stamped):
    """Poses to go through, in order. One frame and stamp hold for all of them."""

    poses: tuple[Pose, ...]
    """May be empty: there is no way, or nowhere to go."""

    def __post_init__(self) -> None:
        """Keep the poses as a tuple."""
        super().__post_init__()
        object.__setattr__(self, "poses", tuple(self.poses))

    @classmethod
    def from_planar(cls, poses: Iterable[Pose2], *, stamp: float = 0.0, frame: str = "") -> "Path":
        """Return the path through poses on the floor."""
        return cls(stamp=stamp, frame=frame, poses=tuple(pose.to_pose() for pose in poses))

    def planar(self) -> tuple[Pose2, ...]:
        """Return the poses as seen from above."""
        return tuple(Pose2.from_pose(pose) for pose in self.poses)

    @property
    def positions(self) -> Array:
        """Positions of the poses [m]. Shape (n, 3)."""
        return np.array([pose.position for pose in self.poses]).reshape(-1, 3)

    @property
    def length(self) -> float:
        """Sum of the straight lines from pose to pose [m]."""
        return float(np.linalg.norm(np.diff(self.positions, axis=0), axis=-1).sum())
