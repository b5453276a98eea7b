"""Layers of a costmap: what a map knows, and what sensors see.

The obstacle layer keeps 32 height bins for each cell. A reading marks the bin in which it ends and
its ray clears the bins on the way, so that sensors at different heights do not clear what only the
other one sees: a scan plane at 0.152 m says nothing about a table top at 0.765 m.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid, PointCloud
from mecano.core.messages.maps import UNKNOWN
from mecano.core.poses import Pose, Pose2
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.footprint_sides import half_planes

HEIGHT_BIN = 0.0625
"""Thickness of a height bin [m]: 32 of them make 2.0 m, costmap_2d's max_obstacle_height."""
DEPTH_FLOOR = 0.06
"""Points of a depth camera below this height are floor [m]."""


@dataclass(frozen=True, kw_only=True)
class ObstacleSource:
    """How the readings of one sensor are used; names as Nav2's obstacle layer has them."""

    name: str
    obstacle_max_range: float = 2.5
    """Further readings mark nothing [m], measured on the floor."""
    obstacle_min_range: float = 0.0
    """Nearer readings mark nothing [m]."""
    raytrace_max_range: float = 3.0
    """A ray clears up to here [m]."""
    min_obstacle_height: float = 0.0
    """Lower points mark nothing [m]."""
    max_obstacle_height: float = 2.0
    """Higher points mark nothing [m]."""
    marking: bool = True
    clearing: bool = True
    inf_is_valid: bool = True
    """A beam without return (+inf, or max range) clears up to `raytrace_max_range`."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for field in ("obstacle_max_range", "obstacle_min_range", "raytrace_max_range"):
            finite_number(getattr(self, field), name=f"{field} of '{self.name}' [m]", lower=0.0)
        if not self.min_obstacle_height < self.max_obstacle_height:
            raise InvalidInput(
                f"heights of '{self.name}' go from {self.min_obstacle_height:g} to "
                f"{self.max_obstacle_height:g} m, the second must be higher"
            )

    @classmethod
    def depth_camera(cls, name: str, *, obstacle_max_range: float = 2.5) -> "ObstacleSource":
        """Return the settings of a camera that also sees the floor."""
        return cls(
            name=name,
            obstacle_max_range=obstacle_max_range,
            raytrace_max_range=obstacle_max_range + 0.5,
            min_obstacle_height=DEPTH_FLOOR,
        )


class ObstacleLayer:
    """What sensors have seen, on a grid that may move along with the base."""

    def __init__(self, shape: tuple[int, int], resolution: float, origin: tuple[float, float]):
        """Create an empty layer; `origin` is the outer corner of cell (0, 0) [m]."""
        self.resolution = resolution
        self.origin = origin
        self.columns: NDArray[np.uint32] = np.zeros(shape, np.uint32)
        """Bits of the marked height bins. Shape (height, width)."""
        self.seen: NDArray[np.bool_] = np.zeros(shape, np.bool_)
        """Which cells a reading has passed or marked."""

    @property
    def lethal(self) -> NDArray[np.bool_]:
        """Which cells have a mark."""
        return self.columns != 0

    def add_scan(self, source: ObstacleSource, scan: LaserScan, sensor: Pose) -> None:
        """Clear and mark by a scan.

        NaN and readings below the scanner's range are ignored; +inf and readings from its max
        range on clear only.

        Args:
            source: How to use it.
            scan: The readings.
            sensor: Where the scanner was, in the frame of the costmap; z from the floor.
        """
        ranges = scan.ranges
        usable = np.isfinite(ranges) & (ranges >= scan.range_min) & (ranges < scan.range_max)
        open_ended = ranges >= scan.range_max  # +inf too; false for NaN
        if not source.inf_is_valid:
            open_ended &= np.isfinite(ranges)
        angles = scan.angles
        flat = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])
        directions = flat @ sensor.rotation_matrix().T
        keep = usable | open_ended
        longest = min(source.raytrace_max_range, scan.range_max)
        reach = np.where(open_ended, longest, np.where(usable, ranges, 0.0))
        points = sensor.position + directions[keep] * reach[keep, None]
        self._add(source, sensor.position, points, usable[keep], thin=False)

    def add_cloud(self, source: ObstacleSource, cloud: PointCloud, sensor: Pose) -> None:
        """Clear and mark by a cloud, given in the frame of its sensor, which was at a pose."""
        points = cloud.points @ sensor.rotation_matrix().T + sensor.position
        self._add(source, sensor.position, points, np.ones(len(points), np.bool_), thin=True)

    def _add(
        self, source: ObstacleSource, origin: Array, points: Array, hits: NDArray[np.bool_],
        *, thin: bool,
    ) -> None:  # fmt: skip
        """Clear by all rays first, then mark: no ray removes what another one of them hit."""
        if not len(points):
            return
        from mecano.planning.navigation.layers_kernel import clear_rays, mark_points

        corner = np.array([*self.origin, 0.0])
        far = np.hypot(points[:, 0] - origin[0], points[:, 1] - origin[1])
        if source.clearing:
            share = np.minimum(1.0, source.raytrace_max_range / np.maximum(far, 1e-9))
            ends = origin + (points - origin) * share[:, None] - corner
            clear_rays(
                self.columns, self.seen, self.resolution, HEIGHT_BIN,
                np.ascontiguousarray(origin - corner), ends, hits & (share == 1.0), thin,
            )  # fmt: skip
        if source.marking:
            heights = points[:, 2]
            marks = hits & (far >= source.obstacle_min_range) & (far <= source.obstacle_max_range)
            # A sensor on the floor itself reads -0.0 as often as 0.0.
            marks &= heights >= source.min_obstacle_height - 1e-9
            marks &= heights <= source.max_obstacle_height
            mark_points(
                self.columns, self.seen, self.resolution, HEIGHT_BIN, points[marks] - corner
            )

    def move(self, columns: int, rows: int) -> None:
        """Move the window by whole cells; what stays inside is kept, new cells are unseen."""
        self.columns = _shifted(self.columns, columns, rows)
        self.seen = _shifted(self.seen, columns, rows)
        x, y = (round(edge / self.resolution) for edge in self.origin)  # no sum of rounding errors
        self.origin = ((x + columns) * self.resolution, (y + rows) * self.resolution)

    def clear_outside(self, x: float, y: float, side: float) -> None:
        """Forget all marks outside of a square around a point [m]."""
        side = finite_number(side, name="side of the square to keep [m]", lower=0.0)
        height, width = self.columns.shape
        kept = np.zeros_like(self.columns)
        columns = self._span(x - 0.5 * side, x + 0.5 * side, self.origin[0], width)
        rows = self._span(y - 0.5 * side, y + 0.5 * side, self.origin[1], height)
        kept[rows, columns] = self.columns[rows, columns]
        self.columns = kept

    def clear_footprint(self, footprint: Footprint, pose: Pose2) -> None:
        """Forget marks under the base itself."""
        from mecano.planning.navigation.layers_kernel import clear_polygon

        corners = footprint.at(pose) - self.origin
        height, width = self.columns.shape
        rows = self._span(corners[:, 1].min(), corners[:, 1].max(), 0.0, height)
        columns = self._span(corners[:, 0].min(), corners[:, 0].max(), 0.0, width)
        clear_polygon(
            self.columns, self.resolution, *half_planes(corners),
            (rows.start, rows.stop), (columns.start, columns.stop),
        )  # fmt: skip

    def _span(self, low: float, high: float, origin: float, size: int) -> slice:
        """Return the cells of an axis whose centres lie between two coordinates [m]."""
        first = int(np.ceil((low - origin) / self.resolution - 0.5))
        last = int(np.floor((high - origin) / self.resolution - 0.5))
        first = min(max(first, 0), size)
        return slice(first, max(first, min(last + 1, size)))


def _shifted(cells: NDArray[Any], columns: int, rows: int) -> NDArray[Any]:
    height, width = cells.shape
    result = np.zeros_like(cells)
    if abs(columns) < width and abs(rows) < height:
        kept = cells[
            max(rows, 0) : height + min(rows, 0), max(columns, 0) : width + min(columns, 0)
        ]
        top, left = max(-rows, 0), max(-columns, 0)
        result[top : top + kept.shape[0], left : left + kept.shape[1]] = kept
    return result


def static_cells(
    grid: OccupancyGrid, shape: tuple[int, int], resolution: float, origin: tuple[float, float],
    *, threshold: int,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:  # fmt: skip
    """Return which cells of a costmap are occupied and which are unknown in a map.

    A map of the same cells is taken as it is; another resolution, place or yaw is looked up at the
    centres of the costmap's cells. Beyond the map is unknown.
    """
    same = grid.origin == Pose2(*origin) and grid.resolution == resolution
    if same and grid.data.shape == shape:
        values = grid.data
    else:
        height, width = shape
        x = origin[0] + (np.arange(width) + 0.5) * resolution
        y = origin[1] + (np.arange(height) + 0.5) * resolution
        values = grid.values_at(np.stack(np.meshgrid(x, y), axis=-1))
    return values >= threshold, values == UNKNOWN
