"""Moving obstacles near the base, and how fast it may drive beside them.

A point of a scan belongs to a moving obstacle if it is not at a wall of the map and the floor
around it has not been occupied for a while. Such an obstacle does not yield: the base may only
drive as fast as it can brake before the obstacle reaches it at walking speed.
"""

from collections.abc import Iterator
from math import inf

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Costmap
from mecano.skills.navigation.parameters import NavigatorParameters
from mecano.skills.navigation.tracking import Tracks

CELL = 0.10
"""Side of the cells whose age is kept [m]."""
SETTLED = 0.8
"""A cell that was seen occupied for this long belongs to something that stands [s]."""
FORGOTTEN = 1.0
"""A cell that was not seen for this long is new again [s]."""
AT_WALL = 0.15
"""Points this near to a wall of the map belong to it [m]."""
REACH = 6.0
"""Points further away than this are not followed [m]."""
ALONE = 3
"""So many points make an obstacle: fewer are noise."""
REACTION = 0.15
"""From a scan to the first braking, at most [s]."""
STANDING = 0.05
"""Below this limit the base stands [m/s]."""

Cell = tuple[int, int]


class MovingObstacles:
    """Follows which cells around the base became occupied lately."""

    def __init__(self, parameters: NavigatorParameters, *, radius: float, braking: float) -> None:
        """Begin without any.

        Args:
            parameters: Speed of obstacles and margin.
            radius: Circumscribed, of the base [m].
            braking: Deceleration of the base [m/s2].
        """
        self._speed, self._margin = (
            parameters.moving_obstacle_speed, parameters.moving_obstacle_margin,
        )  # fmt: skip
        self.radius, self._braking = radius, braking
        self._seen: dict[Cell, tuple[float, float]] = {}
        """When a cell was first and last seen occupied [s]."""
        self._begun: float | None = None
        self._stamp = -inf
        self.tracks = Tracks()
        self.points: Array = np.empty((0, 2))
        """Of moving obstacles in the newest scan, in the map [m]. Shape (n, 2)."""

    def observe(self, points: Array, base: Pose2, stamp: float, walls: Costmap | None) -> None:
        """Take in the points of a scan.

        Args:
            points: Where its beams end, in the map [m]. Shape (n, 2).
            base: Where the base was.
            stamp: Of the scan [s].
            walls: The static map; None if there is none.
        """
        near = np.hypot(points[:, 0] - base.x, points[:, 1] - base.y) < REACH
        points = points[near]
        if walls is not None:
            points = points[_from_walls(walls, points) > AT_WALL]
        self.tracks.observe(points, np.array([base.x, base.y]), stamp)
        cells = np.floor(points / CELL).astype(np.int64)
        if self._begun is None:  # what is there at the beginning stands
            self._begun = stamp
            self._seen = {(int(c), int(r)): (stamp - SETTLED, stamp) for c, r in cells}
        for c, r in {(int(c), int(r)) for c, r in cells}:
            first, last = self._seen.get((c, r), (stamp, stamp))
            self._seen[c, r] = (stamp if stamp - last > FORGOTTEN else first, stamp)
        fresh = np.array([not self._stands(c, r) for c, r in cells.tolist()], bool)
        self.points, self._stamp = points[fresh], stamp
        self._seen = {c: times for c, times in self._seen.items() if stamp - times[1] < FORGOTTEN}

    def _stands(self, column: int, row: int) -> bool:
        """Tell whether a cell or one beside it has been occupied for long."""
        return any(last - first >= SETTLED for first, last in self._around(column, row))

    def _around(self, column: int, row: int) -> Iterator[tuple[float, float]]:
        for c in (column - 1, column, column + 1):
            for r in (row - 1, row, row + 1):
                times = self._seen.get((c, r))
                if times is not None:
                    yield times

    def gap(self, base: Pose2) -> float:
        """Return the distance from the base's outline to the nearest moving obstacle [m]."""
        if len(self.points) < ALONE:
            return inf
        far = np.hypot(self.points[:, 0] - base.x, self.points[:, 1] - base.y)
        return float(np.partition(far, ALONE - 1)[ALONE - 1]) - self.radius

    def speed_limit(self, base: Pose2, now: float) -> float:
        """Return how fast the base may drive [m/s]; infinite without moving obstacles."""
        gap = self.gap(base)
        if gap == inf or now - self._stamp > FORGOTTEN:
            return inf
        reached_in = (gap - self._margin) / self._speed - REACTION - max(0.0, now - self._stamp)
        limit = self._braking * reached_in
        return limit if limit > STANDING else 0.0


def _from_walls(walls: Costmap, points: Array) -> Array:
    """Return how far points are from walls [m]; infinite beyond the map."""
    height, width = walls.distance.shape
    columns = np.floor((points[:, 0] - walls.origin[0]) / walls.resolution).astype(np.int64)
    rows = np.floor((points[:, 1] - walls.origin[1]) / walls.resolution).astype(np.int64)
    inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    far = np.full(len(points), inf)
    far[inside] = walls.distance[rows[inside], columns[inside]]
    return far
