"""A map against the truth: which cells agree, and how far its walls are off."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.messages.maps import FREE, UNKNOWN
from mecano.core.poses import Pose2

WALL = 50
"""Cells from this value on are walls."""


@dataclass(frozen=True, kw_only=True)
class MapScore:
    """How well a map agrees with the truth. Shares are in [0, 1]."""

    overlap: float
    """Of the cells that both know, those that are the same (wall or free)."""
    free_overlap: float
    """Free in both, of what is free in either."""
    wall_cells: int
    """Of the map."""
    walls_near: float
    """Share of the map's wall cells within `tolerance` of a true wall's surface."""
    walls_found: float
    """Share of the true surface cells in sight of mapped floor with a mapped wall within
    `tolerance`."""
    tolerance: float
    """[m]."""
    wall_distance: float
    """Mean distance of the map's wall cells from the nearest true surface [m]."""
    wall_distance_95: float
    """Ninety-five in a hundred are nearer [m]."""
    wall_distance_max: float
    """[m]."""

    def to_json(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return asdict(self)


def score_map(
    grid: OccupancyGrid,
    truth: OccupancyGrid,
    *,
    T_truth_map: Pose2 | None = None,
    tolerance: float = 0.10,
) -> MapScore:
    """Compare a map with the truth.

    Distances go from middle to middle of cells, to the surface of a true wall: a wall cell that
    lies deep inside a solid thing is as wrong as one before it.

    Args:
        grid: The map.
        truth: Of the same place; it may have other cells.
        T_truth_map: The map's frame seen from the truth's; the same if left out.
        tolerance: Walls within are right [m].

    Raises:
        InvalidInput: One of the two has no wall, or they share no known cell.
    """
    from scipy.spatial import KDTree

    T = T_truth_map or Pose2()
    walls = T.transform_points(grid.cell_to_world(np.argwhere(grid.data >= WALL)))
    surface = truth.cell_to_world(np.argwhere(_surface(truth)))
    for name, points in (("map", walls), ("truth", surface)):
        if not len(points):
            raise InvalidInput(f"the {name} has no wall, so there is nothing to compare")
    apart = KDTree(surface).query(walls)[0]
    overlap, free_overlap = _overlaps(grid, truth, T)
    return MapScore(
        overlap=overlap,
        free_overlap=free_overlap,
        wall_cells=len(walls),
        walls_near=float(np.mean(apart <= tolerance + 1e-9)),
        walls_found=_found(grid, walls, surface, T, tolerance),
        tolerance=tolerance,
        wall_distance=float(apart.mean()),
        wall_distance_95=float(np.quantile(apart, 0.95)),
        wall_distance_max=float(apart.max()),
    )


def _surface(grid: OccupancyGrid) -> Mask:
    """Return which wall cells have a neighbour that is none."""
    wall = np.pad(grid.data >= WALL, 1, mode="edge")
    inner = wall[:-2, 1:-1] & wall[2:, 1:-1] & wall[1:-1, :-2] & wall[1:-1, 2:]
    return wall[1:-1, 1:-1] & ~inner


def _overlaps(grid: OccupancyGrid, truth: OccupancyGrid, T: Pose2) -> tuple[float, float]:
    cells = np.argwhere(grid.data != UNKNOWN)
    mapped = grid.data[cells[:, 0], cells[:, 1]]
    true = truth.values_at(T.transform_points(grid.cell_to_world(cells)))
    both = true != UNKNOWN
    if not both.any():
        raise InvalidInput("map and truth share no known cell; do they have the same frame?")
    overlap = float(np.mean((mapped >= WALL)[both] == (true >= WALL)[both]))
    free = mapped < WALL
    common = int(np.sum(free & both & (true < WALL)))
    area = (truth.resolution / grid.resolution) ** 2
    truly_free = int(np.sum((truth.data >= FREE) & (truth.data < WALL))) * area
    either = truly_free + int(np.sum(free)) - common
    return overlap, common / either if either else 1.0


def _found(grid: OccupancyGrid, walls: Array, surface: Array, T: Pose2, tolerance: float) -> float:
    """Return how many true surface cells beside mapped floor have a mapped wall."""
    from scipy.spatial import KDTree

    floor = (grid.data >= FREE) & (grid.data < WALL)
    points = T.transform_points(grid.cell_to_world(np.argwhere(floor)))
    if not len(points):
        return 0.0
    reach = tolerance + grid.resolution
    seen = surface[KDTree(points).query(surface, distance_upper_bound=reach)[0] <= reach]
    if not len(seen):
        return 0.0
    return float(np.mean(KDTree(walls).query(seen)[0] <= tolerance + 1e-9))
