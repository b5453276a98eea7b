"""The costmaps of a navigator: one of the whole map, and a window around the base cut out of it."""

from math import floor

from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Costmap
from mecano.planning.navigation.costmap import CostmapSettings, LayeredCostmap, costmap_of_grid
from mecano.planning.navigation.footprint import Footprint

WINDOW = 3.0
"""How far the window reaches to all sides [m]."""


class NavigationCostmaps:
    """Keeps the costmap of a map and of what scans add to it, see `Surroundings`.

    Without a map it is a rolling window, in which all that was not seen is free.
    """

    def __init__(
        self,
        footprint: Footprint,
        settings: CostmapSettings,
        *,
        static: OccupancyGrid | None = None,
        height: float = 0.0,
    ) -> None:
        """Begin with the map alone.

        Args:
            footprint: Of the base, without padding.
            settings: Of the costmap; the first of its sources is the scanner.
            static: The map; None begins with nothing.
            height: Of the scanner above the floor [m].
        """
        self.layers = LayeredCostmap(settings, footprint, static=static)
        self._source, self._height = settings.sources[0].name, height
        self._grid, self._static = static, None if static is None else self.layers.read()

    @property
    def footprint(self) -> Footprint:
        """Of the base, padding included."""
        return self.layers.footprint.padded(self.layers.settings.footprint_padding)

    def take_footprint(self, footprint: Footprint) -> None:
        """Go on with another footprint, without padding: the arms have moved."""
        self.layers.footprint = footprint
        if self._grid is not None:
            self._static = costmap_of_grid(
                self._grid, self.footprint, inflation=self.layers.settings.inflation,
                lethal_threshold=self.layers.settings.lethal_threshold,
            )  # fmt: skip

    def observe(self, scan: LaserScan, scanner: Pose2) -> None:
        """Mark what a scan sees and clear what it sees through."""
        self.layers.add_scan(self._source, scan, scanner.to_pose(self._height))

    def whole(self, *, obstacles: bool = True) -> Costmap:
        """Return the costmap of the whole map; without obstacles it is the static map alone."""
        if not obstacles and self._static is not None:
            return self._static
        return self.layers.read()

    def around(self, pose: Pose2) -> Costmap:
        """Return the costmap of a window around the base."""
        self.layers.move_to(pose)
        return cut_out(self.layers.read(), pose, WINDOW)

    def clear(self, pose: Pose2, side: float) -> int:
        """Forget obstacles outside of a square around the base [m]; return how many cells."""
        before = int(self.layers.obstacles.lethal.sum())
        self.layers.clear_outside(pose, side)
        return before - int(self.layers.obstacles.lethal.sum())


def cut_out(costmap: Costmap, pose: Pose2, reach: float) -> Costmap:
    """Return the part of a costmap around a pose, `reach` to all sides [m]."""
    step, (x, y) = costmap.resolution, costmap.origin
    height, width = costmap.cost.shape
    left = min(max(floor((pose.x - reach - x) / step), 0), width - 1)
    low = min(max(floor((pose.y - reach - y) / step), 0), height - 1)
    right = max(left + 1, min(width, floor((pose.x + reach - x) / step) + 1))
    high = max(low + 1, min(height, floor((pose.y + reach - y) / step) + 1))
    rows, columns = slice(low, high), slice(left, right)
    return Costmap(
        resolution=step, origin=(x + left * step, y + low * step),
        cost=costmap.cost[rows, columns].copy(), distance=costmap.distance[rows, columns].copy(),
        footprint=costmap.footprint, frame=costmap.frame, stamp=costmap.stamp,
    )  # fmt: skip
