"""What a mapper believes, for whoever looks on."""

import numpy as np

from mecano.core.belief import Belief
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.estimation.slam.mapper import Mapper

GROWN = 1.05
"""The map is drawn anew when it has so many times as many keyframes as the last time."""


class MapperBelief:
    """Looks at a mapper. Drawing a map takes longer than a scan, so one map serves many looks."""

    def __init__(self, mapper: Mapper, mount: Pose2, *, origin: Pose2 | None = None) -> None:
        """Look at a mapper.

        Args:
            mapper: May still be empty.
            mount: Where the scanner sits on the base.
            origin: Where the frame of the map lies in what it is drawn into.
        """
        self._mapper, self._mount, self._origin = mapper, mount, origin or Pose2()
        self._grid: OccupancyGrid | None = None
        self._keyframes = 0

    def now(self, stamp: float, pose: Pose2, scan: LaserScan, *, done: bool = False) -> Belief:
        """Return the belief after a scan.

        Args:
            stamp: Of this look [s].
            pose: Of the base in the map.
            scan: The newest one, taken there.
            done: Draw the map in any case: it is finished.
        """
        graph, rows, loops = self._mapper.graph, self._mapper.trajectory, self._mapper.loops
        if done or len(graph.poses) >= GROWN * self._keyframes:
            self._draw(len(graph.poses))
        ends = np.array([(loop.old, loop.new) for loop in loops], np.int64).reshape(-1, 2)
        return Belief(
            stamp=stamp, pose=pose, origin=self._origin, grid=self._grid,
            scan=(pose @ self._mount).transform_points(scan.points()),
            path=rows[:, 1:3], loops=graph.poses[ends, :2],
            text=f"{len(rows)} scans, {len(graph.poses)} keyframes, {len(loops)} loops closed",
        )  # fmt: skip

    def _draw(self, keyframes: int) -> None:
        self._keyframes = keyframes
        try:
            self._grid = self._mapper.grid()
        except InvalidInput:  # no beam has met or crossed anything yet
            self._grid = None
