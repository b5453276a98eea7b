"""Frontiers of a map: where known free floor meets the unknown, and from where to look at them.

After Yamauchi, "A frontier-based approach for autonomous exploration", CIRA 1997.
"""

from dataclasses import dataclass, replace
from math import atan2

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, label

from mecano.core.arrays import Array, Mask
from mecano.core.messages import OccupancyGrid
from mecano.core.messages.maps import FREE, UNKNOWN
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Costmap
from mecano.planning.navigation.footprint_check import cell_of, centre_of
from mecano.planning.navigation.free_space import FreeSpace
from mecano.planning.navigation.grid_search import shortest_path

WALL = 50
"""Cells from this value on are walls."""
NEIGHBOURS = np.ones((3, 3), bool)
BESIDE = 0.10
"""Free cells this near to a wall are no frontier [m]: walls have holes where beams graze them."""
SPECK = 0.10
"""Unknown places smaller than this are left alone [m2]: beams passed between."""
ROOM = 0.10
"""A view has so much more room than the base needs [m]: walls are not yet known exactly."""
START = 0.3
"""A base in an obstacle's inflation counts as standing on free floor this near [m]."""
TRIED = 300
"""About so many places are tried for a view of a frontier, the best first."""


@dataclass(frozen=True, eq=False)
class Frontier:
    """Cells of free floor that touch the unknown, side by side."""

    middle: tuple[float, float]
    """The cell nearest to their mean [m]."""
    length: float
    """How many they are, times the side of a cell [m]."""


@dataclass(frozen=True, eq=False)
class View:
    """A pose from which a frontier is seen."""

    frontier: Frontier
    pose: Pose2
    distance: float
    """Of the route to it [m]."""


def find_frontiers(grid: OccupancyGrid, *, shortest: float = 0.3) -> list[Frontier]:
    """Return the frontiers of a map, longest first; shorter ones are left out [m]."""
    free = (grid.data >= FREE) & (grid.data < WALL)
    beside = max(1, round(BESIDE / grid.resolution))
    walls = _widened(grid.data >= WALL, beside)
    unknown = _large(grid.data == UNKNOWN, round(SPECK / grid.resolution**2))
    numbers = _connected(free & ~walls & _widened(unknown, 1), NEIGHBOURS)
    found = []
    for number in range(1, int(numbers.max(initial=0)) + 1):
        cells = np.argwhere(numbers == number)
        if len(cells) * grid.resolution >= shortest:
            points = grid.cell_to_world(cells)
            away = np.hypot(*(points - points.mean(axis=0)).T)
            x, y = points[int(away.argmin())].tolist()
            found.append(Frontier((x, y), len(cells) * grid.resolution))
    return sorted(found, key=lambda each: (-each.length, each.middle))


def _widened(cells: Mask, by: int) -> Mask:
    """Return cells and those beside them, so many times."""
    return np.asarray(binary_dilation(cells, NEIGHBOURS, iterations=by), bool)


def _connected(cells: Mask, neighbours: Mask | None = None) -> NDArray[np.int32]:
    """Return the number of the group that each cell belongs to, from 1 on; 0 is none."""
    numbers = np.zeros(cells.shape, np.int32)
    label(cells, neighbours, output=numbers)
    return numbers


def _large(cells: Mask, fewest: int) -> Mask:
    """Return the cells that hang together with at least so many."""
    numbers = _connected(cells)
    enough = np.bincount(numbers.ravel()) >= fewest
    enough[0] = False
    return enough[numbers]


def with_driven(grid: OccupancyGrid, poses: Array, radius: float) -> OccupancyGrid:
    """Return a map whose unknown cells are free where a base has been [m]; walls stay."""
    data = grid.data.copy()
    reach = np.arange(-radius, radius + 1e-9, 0.5 * grid.resolution)
    disc = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
    disc = disc[np.hypot(*disc.T) <= radius]
    cells = grid.world_to_cell((poses[:, None, :2] + disc).reshape(-1, 2))
    inside = (cells >= 0).all(axis=1) & (cells < data.shape).all(axis=1)
    rows, columns = np.unique(cells[inside], axis=0).T
    unknown = data[rows, columns] == UNKNOWN
    data[rows[unknown], columns[unknown]] = FREE
    return replace(grid, data=data)


def known_area(grid: OccupancyGrid) -> float:
    """Return how much free floor a map knows [m2]."""
    free = (grid.data >= FREE) & (grid.data < WALL)
    return float(free.sum()) * grid.resolution**2


class Lookout:
    """Finds poses in reach of a base from which frontiers are seen."""

    def __init__(self, grid: OccupancyGrid, costmap: Costmap, here: Pose2) -> None:
        """Take a map, its costmap, and where the base is."""
        self._grid, self._costmap = grid, costmap
        self._space = FreeSpace.of(costmap)
        start = cell_of(costmap, here.x, here.y)
        if start is not None and not self._space.free[start]:
            start = self._space.nearest_free(start, START)
        self._start = start
        self._points, self._cells = self._reachable()

    def _reachable(self) -> tuple[Array, NDArray[np.intp]]:
        """Return the cells where the base can get to and has room, and where they are [m]."""
        if self._start is None:
            return np.empty((0, 2)), np.empty((0, 2), np.intp)
        numbers = _connected(self._space.free)
        room = self._costmap.footprint.circumscribed_radius + ROOM
        roomy = self._costmap.distance >= room
        cells = np.argwhere((numbers == numbers[self._start]) & roomy)
        step, corner = self._costmap.resolution, np.array(self._costmap.origin)
        return np.asarray(corner + step * (cells[:, ::-1] + 0.5), float), cells

    def view(self, frontier: Frontier, *, standoff: float, reach: float) -> View | None:
        """Return a pose from which a frontier is seen, about `standoff` away; None if none is.

        Args:
            frontier: To look at.
            standoff: The best distance [m].
            reach: The largest one [m].
        """
        middle = np.array(frontier.middle)
        away = np.hypot(*(self._points - middle).T)
        order = np.argsort(np.abs(away - standoff), kind="stable")
        order = order[away[order] <= reach]
        for index in order[:: max(1, len(order) // TRIED)]:
            x, y = self._points[index].tolist()
            if not self._sees((x, y), frontier.middle):
                continue
            assert self._start is not None
            row, column = self._cells[index].tolist()
            route = shortest_path(self._space.free, self._start, (row, column), self._space.weight)
            if not route.found:
                continue
            points = np.array([centre_of(self._costmap, *cell) for cell in route.cells.tolist()])
            far = float(np.hypot(*np.diff(points, axis=0).T).sum()) if len(points) > 1 else 0.0
            yaw = atan2(frontier.middle[1] - y, frontier.middle[0] - x)
            pose = Pose2(x, y, yaw)
            if self._space.fits(pose):
                return View(frontier, pose, far)
        return None

    def _sees(self, here: tuple[float, float], there: tuple[float, float]) -> bool:
        """Tell whether no wall is on the straight line between two points [m]."""
        a, b = np.array(here), np.array(there)
        count = int(np.hypot(*(b - a)) / (0.5 * self._grid.resolution)) + 2
        values = self._grid.values_at(a + np.linspace(0.0, 1.0, count)[:, None] * (b - a))
        blocked: Mask = values >= WALL
        return not bool(blocked.any())
