"""Scans that are kept, where they were taken, and what was measured between them."""

from math import dist

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.estimation.slam.clouds import Cloud, CloudStore, grown
from mecano.estimation.slam.edges import Edges, EdgeTable
from mecano.estimation.slam.field import Field
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.estimation.slam.settings import SlamSettings

FEWEST = 3
"""Keyframes in a local map, however far apart they are."""


class Keyframes:
    """Nodes of the graph with their clouds, and its edges."""

    def __init__(self, settings: SlamSettings) -> None:
        self.settings = settings
        self.store = CloudStore()
        self.stamps: list[float] = []
        self.edges = EdgeTable()
        self._poses = np.empty((256, 3))
        self._ways = np.zeros(256)

    def __len__(self) -> int:
        return len(self.stamps)

    @property
    def poses(self) -> Array:
        """x, y [m], yaw [rad] as believed now; a view. Shape (n, 3)."""
        return self._poses[: len(self.stamps)]

    @property
    def ways(self) -> Array:
        """How far the robot had driven at each [m]. Shape (n,)."""
        return self._ways[: len(self.stamps)]

    def first_near(self, number: int, share: float = 1.0) -> int:
        """Return the first keyframe of the local map that ends with one.

        Args:
            number: The last one.
            share: Of what a local map has by the settings.
        """
        settings, ways = self.settings, self.ways
        first = max(0, number + 1 - round(share * settings.local_keyframes))
        long = int(np.searchsorted(ways, ways[number] - share * settings.local_way))
        return max(first, min(long, number - FEWEST + 1), 0)

    def append(self, stamp: float, cloud: Cloud, pose: Array) -> int:
        """Add a keyframe and return its number."""
        number = self.store.append(cloud)
        if number == len(self._poses):
            self._poses = grown(self._poses, 2 * number)
            self._ways = grown(self._ways, 2 * number)
        self._poses[number] = pose
        if number:
            step = dist(pose[:2], self._poses[number - 1, :2])
            self._ways[number] = self._ways[number - 1] + step
        self.stamps.append(stamp)
        return number

    def move(self, poses: Array) -> None:
        """Set all poses."""
        self._poses[: len(self.stamps)] = poses

    def field(self, members: NDArray[np.int64], *, room: float = 0.0) -> Field:
        """Return a local map of some keyframes as believed now, the most trusted first."""
        return Field(self.store, members, self.poses[members], self.settings, room=room)

    def graph(self, edges: Edges) -> PoseGraph:
        """Return a graph of all keyframes as believed now, with some edges."""
        return PoseGraph(
            stamps=np.array(self.stamps),
            poses=self.poses,
            edges=edges.ends,
            measured=edges.measured,
            information=edges.information,
            loop=edges.loop,
        )
