"""Going on with a map of an earlier drive: what is seen now is laid onto it and added to it.

A mapper maps the new drive for itself. Its walls are fitted to the walls of the old map, beginning
with the pose that the user gave, again and again as more of them are seen. So old and new share one
frame, and a start pose that is some centimetres off does no harm.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all
from mecano.estimation.maps.log_odds import LogOddsGrid
from mecano.estimation.maps.scoring import WALL

if TYPE_CHECKING:
    from mecano.estimation.slam.mapper import Closure, Doubt, Mapper
    from mecano.estimation.slam.pose_graph import PoseGraph

REACH = 0.5
"""Walls further from each other than this are not the same [m]."""
SOFT = 0.05
"""Points further from a wall than this count less and less [m]."""
SURE = 0.10, 0.10
"""How sure the user's start pose is, one sigma [m], [rad]."""
SPREAD = 0.05
"""How far points of a wall lie from its cells [m]."""
COUNTED = 100
"""So many points count as one each; more share that weight."""
FEWEST = 10
"""Points that a fit needs."""
ROUNDS = 40
"""Steps of a fit at most."""
PRIOR = np.diag([SURE[0] ** -2, SURE[0] ** -2, SURE[1] ** -2])
MOST_POINTS = 3000
"""Points that are fitted; taken evenly from all."""
EVERY = 25
"""Scans between two fits."""


class ResumedMapper:
    """A mapper whose map begins with that of an earlier drive."""

    def __init__(self, old: OccupancyGrid, mapper: "Mapper", mount: Pose2) -> None:
        """Take the old map.

        Args:
            old: With walls; its frame becomes that of all poses.
            mapper: For the new drive; nothing was added to it yet. Odometry begins at the pose in
                the old map at which the robot stands.
            mount: Where the scanner is on the base.
        """
        if not np.any(old.data >= WALL):
            raise InvalidInput("the map to go on with has no wall, so nobody finds his place in it")
        self._old, self._mapper, self._mount = old, mapper, mount
        self._walls = WallField(old)
        self._scans: list[LaserScan] = []
        self.moved = Pose2()
        """The frame of the new drive's own map, seen from the old map's."""

    def add(self, scan: LaserScan, odometry: Pose2) -> Pose2:
        """Take a scan and what odometry said at its time; return the base's pose in the map."""
        pose = self._mapper.add(scan, odometry)
        self._scans.append(scan)
        if len(self._scans) % EVERY == 1:
            self._fit()
        return self.moved @ pose

    def finish(self) -> None:
        """Finish the new drive's map and fit it to the old one for the last time."""
        self._mapper.finish()
        self._fit()

    def _fit(self) -> None:
        """Lay what was seen on this drive onto the old walls."""
        poses = compose_all(self._mapper.trajectory[:, 1:], _row(self._mount))
        every = max(1, len(self._scans) // 60)
        seen = [
            Pose2(*pose).transform_points(scan.points())
            for scan, pose in zip(self._scans[::every], poses[::every].tolist(), strict=True)
        ]
        points = np.concatenate(seen) if seen else np.empty((0, 2))
        chosen = points[:: max(1, len(points) // MOST_POINTS)]
        self.moved = self._walls.fit(chosen, self.moved, about=poses[0, :2])

    @property
    def trajectory(self) -> Array:
        """Stamp [s], x, y [m], yaw [rad] of the base at every scan of this drive."""
        rows = self._mapper.trajectory
        return np.column_stack([rows[:, 0], compose_all(_row(self.moved), rows[:, 1:])])

    def grid(self, resolution: float | None = None) -> OccupancyGrid:
        """Return the old map with what the keyframes of this drive saw; its cells keep their size.

        A new map is drawn from keyframes too. All scans together would count ten times as much as
        what was known, and smear it: walls become thicker and legs of tables go.

        Raises:
            InvalidInput: Cells of another size are asked for.
        """
        if resolution is not None and abs(resolution - self._old.resolution) > 1e-9:
            raise InvalidInput(
                f"the map that is gone on with has cells of {self._old.resolution:g} m, "
                f"so it cannot be given with cells of {resolution:g} m"
            )
        whole = LogOddsGrid.from_grid(self._old, mount=self._mount)
        rows = self.trajectory
        kept = np.flatnonzero(np.isin(rows[:, 0], self._mapper.graph.stamps))
        whole.insert_many([self._scans[number] for number in kept], rows[kept, 1:])
        return whole.grid()

    @property
    def graph(self) -> "PoseGraph":
        """Keyframes of this drive and what was measured between them."""
        graph = self._mapper.graph
        return replace(graph, poses=compose_all(_row(self.moved), graph.poses))

    @property
    def loops(self) -> "Sequence[Closure]":
        """Places of this drive that were recognized."""
        return self._mapper.loops

    @property
    def doubts(self) -> "Sequence[Doubt]":
        """Stretches of this drive whose place in the map is doubtful."""
        return self._mapper.doubts

    @property
    def seconds(self) -> dict[str, float]:
        """Time that each stage took [s]."""
        return self._mapper.seconds


def check_start(old: OccupancyGrid, start: Pose2) -> None:
    """Raise if a robot that goes on with a map does not stand in it."""
    if old.contains(old.world_to_cell([start.x, start.y])):
        return
    corners = np.array([(row, column) for row in (0, old.height) for column in (0, old.width)])
    x, y = old.cell_to_world(corners - 0.5).T
    raise InvalidInput(
        f"the start ({start.x:.2f}, {start.y:.2f}) m lies outside the map to go on with, which "
        f"reaches over x {x.min():.2f} to {x.max():.2f} m, y {y.min():.2f} to {y.max():.2f} m; "
        "say where the robot stands in it"
    )


class WallField:
    """How far every place is from the walls of a map, to lay points onto them."""

    def __init__(self, grid: OccupancyGrid) -> None:
        """Measure the distances once."""
        from scipy.ndimage import distance_transform_edt

        self._grid, self._around = grid, 1 + round(REACH / grid.resolution)
        free = np.pad(grid.data < WALL, self._around, constant_values=True)
        far = np.asarray(distance_transform_edt(free)) * grid.resolution
        self._far = np.minimum(far, REACH)
        along_y, along_x = np.gradient(self._far, grid.resolution)
        self._slopes = (along_x, along_y)

    def distances(self, points: Array) -> Array:
        """Return how far points are from the nearest wall, at most `REACH` [m]. Shape (n,)."""
        return self._look_up(self._far, points, REACH)

    def fit(self, points: Array, guess: Pose2, *, about: Array) -> Pose2:
        """Return the pose that lays points onto the walls, near a guess.

        Args:
            points: In the frame that is to be placed [m]. Shape (n, 2).
            guess: That frame in the map, roughly.
            about: The point of that frame that the guess is about: turns are made around it [m].
        """
        chosen = points[self.distances(guess.transform_points(points)) < REACH]
        if len(chosen) < FEWEST:  # nothing old in sight: the guess is all there is
            return guess
        middle = Pose2(float(about[0]), float(about[1]), 0.0)
        first = pose = guess @ middle
        chosen, damping = chosen - about, 1e-3
        cost = self._cost(chosen, pose, first)
        for _ in range(ROUNDS):
            H, pull = self._slope(chosen, pose, first)
            step = np.linalg.solve(H + damping * np.diag(np.diag(H)), pull)
            tried = pose @ Pose2.exp(step)
            new = self._cost(chosen, tried, first)
            if new < cost:
                pose, cost, damping = tried, new, 0.3 * damping
                if np.abs(step).max() < 1e-5:
                    break
            else:
                damping *= 5.0
        return pose @ middle.inverse()

    def _cost(self, points: Array, pose: Pose2, first: Pose2) -> float:
        """Return how badly points lie, and how far the pose is from the first one."""
        off = self.distances(pose.transform_points(points))
        badly = np.sum(SOFT**2 * (np.sqrt(1.0 + (off / SOFT) ** 2) - 1.0)) * _weight(points)
        back = (pose.inverse() @ first).log()
        return float(badly + 0.5 * back @ PRIOR @ back)

    def _slope(self, points: Array, pose: Pose2, first: Pose2) -> tuple[Array, Array]:
        """Return the information of a step, in the frame of the pose, and where it pulls to."""
        placed = pose.transform_points(points)
        off = self.distances(placed)
        weight = _weight(points) / np.sqrt(1.0 + (off / SOFT) ** 2)
        turn = Pose2(0.0, 0.0, pose.yaw - self._grid.origin.yaw)
        slopes = np.stack([self._look_up(s, placed, 0.0) for s in self._slopes], axis=-1)
        slopes = turn.inverse().transform_points(slopes)
        around = slopes[:, 1] * points[:, 0] - slopes[:, 0] * points[:, 1]
        J = np.column_stack([slopes, around])
        back = (pose.inverse() @ first).log()
        return (J * weight[:, None]).T @ J + PRIOR, PRIOR @ back - J.T @ (weight * off)

    def _look_up(self, values: Array, points: Array, outside: float) -> Array:
        from scipy.ndimage import map_coordinates

        local = self._grid.origin.inverse().transform_points(points)
        cells = local[:, ::-1] / self._grid.resolution - 0.5 + self._around
        found = map_coordinates(values, cells.T, order=1, mode="constant", cval=outside)
        return np.asarray(found, np.float64)


def _weight(points: Array) -> float:
    """Return what one of so many points counts [1/m2]: neighbours err together."""
    return min(1.0, COUNTED / len(points)) / SPREAD**2


def _row(pose: Pose2) -> Array:
    return np.array([pose.x, pose.y, pose.yaw])
