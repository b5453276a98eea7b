"""The likelihood field: how likely readings end at a place, by its distance to the next wall."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import relative_all

OCCUPIED_FROM = 65
"""A cell of at least this value is a wall, as in map_server [%]."""
FREE_BELOW = 20
"""A cell below it is free [%]."""
COARSEST = 1.0
"""In a map of larger cells no base can be located [m]."""

AT_WALL = 0.2
"""A reading that ends within this distance of a wall is one of that wall [m]."""


@dataclass(frozen=True, eq=False)
class DistanceField:
    """A map, and how far each of its cells is from the next wall."""

    grid: OccupancyGrid
    furthest: float
    """Larger distances are not told apart, and hold beyond the edge of the map [m]."""

    def __post_init__(self) -> None:
        if self.grid.resolution > COARSEST:
            raise InvalidInput(
                f"a cell of the map has a side of {self.grid.resolution:g} m; a base can be "
                f"located by cells of at most {COARSEST:g} m, better 0.05 m: check 'resolution'"
            )
        if not self.walls.any():
            raise InvalidInput(
                f"the map of {self.grid.width} x {self.grid.height} cells has no occupied cell; "
                "there is nothing a scan could be matched to"
            )
        if not self.free.any():
            raise InvalidInput(
                f"the map of {self.grid.width} x {self.grid.height} cells has no free cell; "
                "there is no place where the base could be"
            )

    @cached_property
    def walls(self) -> NDArray[np.bool_]:
        """Which cells are occupied. Shape (height, width)."""
        return self.grid.data >= OCCUPIED_FROM

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """Which cells are free. Shape (height, width)."""
        return (self.grid.data >= 0) & (self.grid.data < FREE_BELOW)

    @cached_property
    def state(self) -> NDArray[np.int8]:
        """Of each cell: -1 unknown, 0 free or undecided, 1 wall. Shape (height, width)."""
        return np.where(self.walls, 1, np.where(self.grid.data < 0, -1, 0)).astype(np.int8)

    @cached_property
    def free_cells(self) -> NDArray[np.int64]:
        """The free cells, (row, column). Shape (n, 2)."""
        return np.argwhere(self.free)

    @cached_property
    def distances(self) -> NDArray[np.float32]:
        """To the middle of the nearest wall cell [m]. Shape (height, width)."""
        from scipy.ndimage import distance_transform_edt

        cells = distance_transform_edt(~self.walls)
        far = np.minimum(np.asarray(cells) * self.grid.resolution, self.furthest)
        return far.astype(np.float32)

    @cached_property
    def at_walls(self) -> Array:
        """1 where a reading that ends there is one of a wall, else 0. Shape (height, width)."""
        return np.where(self.distances < AT_WALL, 1.0, 0.0)

    def distances_at(self, points: Array) -> Array:
        """Return how far points of the map's frame are from the next wall [m]. Shape (n,)."""
        cells = self.grid.world_to_cell(points)
        inside = self.grid.contains(cells)
        result = np.full(len(points), self.furthest)
        result[inside] = self.distances[cells[inside, 0], cells[inside, 1]]
        return result

    def in_grid(self, poses: Array) -> Array:
        """Return poses seen from the corner of the map. Shape (n, 3)."""
        origin = self.grid.origin
        return relative_all(np.array([origin.x, origin.y, origin.yaw]), poses)

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        """Return poses anywhere in free space, heading anywhere. Shape (count, 3)."""
        cells = self.free_cells[rng.integers(len(self.free_cells), size=count)]
        places = self.grid.cell_to_world(cells + rng.uniform(-0.5, 0.5, size=(count, 2)))
        return np.column_stack([places, rng.uniform(-np.pi, np.pi, size=count)])

    @property
    def volume(self) -> float:
        """Of all poses in free space [m2 rad]."""
        return 2.0 * np.pi * len(self.free_cells) * self.grid.resolution**2

    def doubt_about(self, start: Pose2) -> str | None:
        """Say what is odd about a start in the map; None if it lies in free space."""
        value = int(self.grid.values_at(np.array([[start.x, start.y]]))[0])
        if 0 <= value < FREE_BELOW:
            return None
        where = "in unknown space" if value < 0 else "in a wall"
        if 0 <= value < OCCUPIED_FROM:
            where = f"in a cell that is neither free nor a wall ({value} %)"
        return f"the start ({start.x:.2f}, {start.y:.2f}) m lies {where} of the map"

    def extent(self) -> str:
        """Say in words where the map lies."""
        corners = np.array([(r, c) for r in (0, self.grid.height) for c in (0, self.grid.width)])
        x, y = self.grid.cell_to_world(corners - 0.5).T
        return f"x {x.min():.2f} to {x.max():.2f} m, y {y.min():.2f} to {y.max():.2f} m"


def hit_likelihoods(
    distances: NDArray[np.float32], *, sigma: float, hit: float, rand: float, longest: float
) -> Array:
    """Return the likelihood of a reading that ends so far from the next wall.

    AMCL's: a bell of height 1 around the wall, and what is left spread over all ranges.

    Args:
        distances: [m].
        sigma: How far readings are off [m].
        hit: Share of readings of walls.
        rand: Share of readings of anything.
        longest: Of the scanner [m].
    """
    bell = np.exp(-0.5 * (distances.astype(np.float64) / sigma) ** 2)
    return hit * bell + rand / longest


def sums_plainly(table: Array, beyond: float, cell: float, poses: Array, points: Array) -> Array:
    """Return for each pose the sum of a table at the points seen from it: numpy's version.

    Args:
        table: A value for every cell. Shape (height, width).
        beyond: The value outside.
        cell: Side of a cell [m].
        poses: Seen from the corner of the table. Shape (n, 3).
        points: Where readings end, seen from the pose [m]. Shape (m, 2).
    """
    c, s = np.cos(poses[:, 2:]), np.sin(poses[:, 2:])
    x = poses[:, :1] + c * points[:, 0] - s * points[:, 1]
    y = poses[:, 1:2] + s * points[:, 0] + c * points[:, 1]
    row, column = np.floor(y / cell).astype(np.int64), np.floor(x / cell).astype(np.int64)
    height, width = table.shape
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    values = table[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]
    return np.where(inside, values, beyond).sum(axis=1)
