"""Costmaps: layers joined, distances and inflation, as costmap_2d and Nav2 have them.

    static map, obstacle layer -> lethal cells -> exact distance -> cost

`LayeredCostmap` is kept up to date by its sensors and gives a `Costmap` whenever it is asked. A
global one has the size of its map; a rolling one is a window that moves along with the base.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import LaserScan, OccupancyGrid, PointCloud
from mecano.core.poses import Pose, Pose2
from mecano.planning.navigation.contract import INSCRIBED, LETHAL, NO_INFORMATION, Costmap
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.layers import ObstacleLayer, ObstacleSource, static_cells


@dataclass(frozen=True, kw_only=True)
class Inflation:
    """How costs fall off with the distance from an obstacle."""

    inflation_radius: float = 0.55
    """Beyond it cells are free [m]."""
    cost_scaling_factor: float = 10.0
    """How fast they fall off [1/m]."""

    def __post_init__(self) -> None:
        """Check the numbers."""
        finite_number(self.inflation_radius, name="inflation_radius [m]", lower=0.0, upper=100.0)
        finite_number(self.cost_scaling_factor, name="cost_scaling_factor [1/m]", lower=0.0)

    def table(self, resolution: float, inscribed_radius: float) -> NDArray[np.uint8]:
        """Return the cost by squared distance [cells^2], as costmap_2d's inflation layer has it.

        Cells within the inscribed radius are `INSCRIBED` even if the inflation radius is smaller.
        """
        reach = max(self.inflation_radius, inscribed_radius) / resolution
        distance = resolution * np.sqrt(np.arange(int(reach * reach + 1e-9) + 1))
        decay = np.exp(-self.cost_scaling_factor * np.maximum(distance - inscribed_radius, 0.0))
        cost = ((INSCRIBED - 1) * decay).astype(np.uint8)
        cost[distance <= inscribed_radius + 1e-9] = INSCRIBED
        cost[0] = LETHAL
        return cost


def make_costmap(
    lethal: NDArray[np.bool_],
    footprint: Footprint,
    *,
    resolution: float,
    origin: tuple[float, float] = (0.0, 0.0),
    unknown: NDArray[np.bool_] | None = None,
    inflation: Inflation | None = None,
    frame: str = "map",
    stamp: float = 0.0,
) -> Costmap:
    """Return the costmap of lethal and unknown cells.

    Unknown cells are kept, except where an obstacle is within the inscribed radius. Without any
    lethal cell, the distance is height + width of the map everywhere.

    Args:
        lethal: Which cells are obstacles. Shape (height, width).
        footprint: Of the base, padding included.
        resolution: Side of a cell [m].
        origin: Outer corner of cell (0, 0) [m].
        unknown: Which cells nothing is known about; None is none.
        inflation: How costs fall off; None is costmap_2d's default.
        frame: Of origin and poses.
        stamp: [s].
    """
    squared = _squared_distances(lethal)
    return _costmap(
        squared, np.zeros_like(lethal) if unknown is None else unknown, footprint,
        inflation or Inflation(), resolution=resolution, origin=origin, frame=frame, stamp=stamp,
    )  # fmt: skip


def costmap_of_grid(
    grid: OccupancyGrid,
    footprint: Footprint,
    *,
    inflation: Inflation | None = None,
    lethal_threshold: int = 65,
) -> Costmap:
    """Return the costmap of a map alone. A map that is turned is sampled on straight cells."""
    shape, origin = _straight_bounds(grid)
    lethal, unknown = static_cells(grid, shape, grid.resolution, origin, threshold=lethal_threshold)
    return make_costmap(
        lethal, footprint, resolution=grid.resolution, origin=origin, unknown=unknown,
        inflation=inflation, frame=grid.frame or "map", stamp=grid.stamp,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CostmapSettings:
    """Parameters of a costmap; names and defaults as costmap_2d has them."""

    resolution: float = 0.05
    """Side of a cell [m]. A map brings its own."""
    width: float = 10.0
    """Of a rolling window along x [m]."""
    height: float = 10.0
    """Of a rolling window along y [m]."""
    inflation: Inflation = Inflation()
    footprint_padding: float = 0.01
    """Added to all sides of the footprint [m]."""
    track_unknown_space: bool = False
    """Keep cells that no sensor has seen as unknown; cells of a map always are."""
    footprint_clearing: bool = True
    """Forget marks under the base itself when the window is moved to its pose."""
    lethal_threshold: int = 65
    """From this value on a cell of a map is an obstacle [%]."""
    wall_tolerance: float = 0.0
    """What sensors mark this near to a wall of the map is that wall, seen with the errors of sensor
    and localization [m]; else every wall would grow by a cell or two, and narrow gaps close."""
    sources: tuple[ObstacleSource, ...] = (ObstacleSource(name="scan"),)

    def __post_init__(self) -> None:
        """Check sizes and names."""
        finite_number(self.resolution, name="resolution of the costmap [m]", lower=1e-3)
        for side in ("width", "height"):
            finite_number(getattr(self, side), name=f"{side} of the costmap [m]", lower=0.1)
        finite_number(self.footprint_padding, name="footprint_padding [m]", lower=0.0)
        finite_number(self.wall_tolerance, name="wall_tolerance [m]", lower=0.0)
        names = [source.name for source in self.sources]
        if len(set(names)) < len(names):
            raise InvalidInput(f"two obstacle sources have one name: {', '.join(names)}")


class LayeredCostmap:
    """The floor around a base, kept up to date by its sensors."""

    def __init__(
        self,
        settings: CostmapSettings,
        footprint: Footprint,
        *,
        static: OccupancyGrid | None = None,
        frame: str = "map",
    ) -> None:
        """Create a costmap of a map's size, or a rolling window around the origin.

        Args:
            settings: Its parameters.
            footprint: Of the base, without padding.
            static: The map; None makes a rolling window, which starts empty.
            frame: Of poses and readings.
        """
        self.settings = settings
        self.frame = frame
        self.footprint = footprint
        self.rolling = static is None
        self._static: OccupancyGrid | None = None
        self._lethal_of_map: NDArray[np.bool_] | None = None
        self._unknown_of_map: NDArray[np.bool_] | None = None
        self._apart_from_walls: NDArray[np.bool_] | bool = True
        self._last: tuple[NDArray[np.bool_], NDArray[np.int32]] | None = None
        if static is not None:
            self.set_map(static)
            return
        step = settings.resolution
        shape = (ceil(settings.height / step - 1e-9), ceil(settings.width / step - 1e-9))
        origin = (-(shape[1] // 2) * step, -(shape[0] // 2) * step)
        self.obstacles = ObstacleLayer(shape, step, origin)

    @property
    def footprint(self) -> Footprint:
        """Of the base, without padding. May be set: it follows the arms."""
        return self._footprint

    @footprint.setter
    def footprint(self, footprint: Footprint) -> None:
        self._footprint = footprint
        self._padded = footprint.padded(self.settings.footprint_padding)

    def set_map(self, static: OccupancyGrid) -> None:
        """Take another map, such as a newer one; marks of sensors are kept where it has cells."""
        shape, origin = _straight_bounds(static)
        step = static.resolution
        old = None if self._static is None else self.obstacles
        self._static, self.rolling = static, False
        self._lethal_of_map, self._unknown_of_map = static_cells(
            static, shape, step, origin, threshold=self.settings.lethal_threshold
        )
        reach = self.settings.wall_tolerance / step + 1e-6
        self._apart_from_walls = _squared_distances(self._lethal_of_map) > reach**2
        if old is not None and (old.columns.shape, old.resolution, old.origin) == (
            shape, step, origin,
        ):  # fmt: skip
            return
        self.obstacles = ObstacleLayer(shape, step, origin)
        if old is not None and old.resolution == step:
            _carry_over(old, self.obstacles)

    def source(self, name: str) -> ObstacleSource:
        """Return the settings of a sensor, or say which there are."""
        for source in self.settings.sources:
            if source.name == name:
                return source
        raise UnknownName("obstacle source", name, [each.name for each in self.settings.sources])

    def add_scan(self, name: str, scan: LaserScan, sensor: Pose) -> None:
        """Clear and mark by a scan of a source, taken where the scanner was (`T_map_sensor`)."""
        self.obstacles.add_scan(self.source(name), scan, sensor)

    def add_cloud(self, name: str, cloud: PointCloud, sensor: Pose) -> None:
        """Clear and mark by a cloud of a source, in the sensor's frame (`T_map_sensor`)."""
        self.obstacles.add_cloud(self.source(name), cloud, sensor)

    def move_to(self, pose: Pose2) -> None:
        """Tell where the base is: a rolling window moves there, by whole cells."""
        layer = self.obstacles
        if self.rolling:
            height, width = layer.columns.shape
            columns = round((pose.x - layer.origin[0]) / layer.resolution - 0.5 * width)
            rows = round((pose.y - layer.origin[1]) / layer.resolution - 0.5 * height)
            if columns or rows:
                layer.move(columns, rows)
        if self.settings.footprint_clearing:
            layer.clear_footprint(self._padded, pose)

    def clear_outside(self, pose: Pose2, side: float) -> None:
        """Forget what sensors marked outside of a square around the base, `side` wide [m].

        move_base's conservative reset keeps 3.0 m, its aggressive one 4 circumscribed radii.
        """
        self.obstacles.clear_outside(pose.x, pose.y, side)

    def clear(self) -> None:
        """Forget all that sensors marked."""
        self.obstacles.columns[:] = 0

    def read(self, stamp: float = 0.0) -> Costmap:
        """Return the costs as they are now. The distances are made anew only if cells changed."""
        layer = self.obstacles
        lethal = layer.lethal
        unknown = np.zeros_like(lethal)
        if self._lethal_of_map is not None and self._unknown_of_map is not None:
            unknown = self._unknown_of_map & ~layer.seen
            lethal &= self._apart_from_walls
            lethal |= self._lethal_of_map
        elif self.settings.track_unknown_space:
            unknown = ~layer.seen
        if self._last is None or not np.array_equal(self._last[0], lethal):
            self._last = lethal, _squared_distances(lethal)
        return _costmap(
            self._last[1], unknown, self._padded, self.settings.inflation,
            resolution=layer.resolution, origin=layer.origin, frame=self.frame, stamp=stamp,
        )  # fmt: skip


def _squared_distances(lethal: NDArray[np.bool_]) -> NDArray[np.int32]:
    from mecano.core.compiled import first_call_notice
    from mecano.planning.navigation.distance_kernel import squared_distances

    with first_call_notice(squared_distances):
        return squared_distances(np.ascontiguousarray(lethal))


def _costmap(
    squared: NDArray[np.int32], unknown: NDArray[np.bool_], footprint: Footprint,
    inflation: Inflation, *, resolution: float, origin: tuple[float, float], frame: str,
    stamp: float,
) -> Costmap:  # fmt: skip
    from mecano.planning.navigation.distance_kernel import distances_and_costs

    table = inflation.table(resolution, footprint.inscribed_radius)
    distance, cost = distances_and_costs(
        squared, np.ascontiguousarray(unknown), resolution, table, INSCRIBED, NO_INFORMATION
    )
    return Costmap(
        resolution=resolution, origin=origin, cost=cost, distance=distance, footprint=footprint,
        frame=frame, stamp=stamp,
    )  # fmt: skip


def _straight_bounds(grid: OccupancyGrid) -> tuple[tuple[int, int], tuple[float, float]]:
    """Return shape and origin of the straight grid that holds a map, which may be turned."""
    if grid.origin.yaw == 0.0:
        return grid.data.shape, (grid.origin.x, grid.origin.y)
    width, height = grid.width * grid.resolution, grid.height * grid.resolution
    corners = grid.origin.transform_points([[0, 0], [width, 0], [width, height], [0, height]])
    low, high = corners.min(axis=0), corners.max(axis=0)
    columns, rows = np.ceil((high - low) / grid.resolution - 1e-9).astype(int)
    return (int(rows), int(columns)), (float(low[0]), float(low[1]))


def _carry_over(old: ObstacleLayer, new: ObstacleLayer) -> None:
    """Copy marks from a layer of another size with cells of the same size."""
    columns = round((old.origin[0] - new.origin[0]) / new.resolution)
    rows = round((old.origin[1] - new.origin[1]) / new.resolution)
    source = np.argwhere(old.seen)
    target = source + np.array([rows, columns])
    inside = ((target >= 0) & (target < new.columns.shape)).all(axis=1)
    (i, j), (k, m) = target[inside].T, source[inside].T
    new.columns[i, j] = old.columns[k, m]
    new.seen[i, j] = True
