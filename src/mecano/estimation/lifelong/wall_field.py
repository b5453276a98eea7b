"""Points fitted to the walls of a map in which some objects have moved since."""

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import OccupancyGrid
from mecano.core.messages.maps import UNKNOWN
from mecano.core.poses import Pose2
from mecano.estimation.maps.scoring import WALL

REACH = 0.5
"""Walls further from a point than this have no influence on it [m]."""
SCALES = (0.3, 0.1)
"""Scale of the robust kernel, one fit after the other [m]. Points several times as far from a wall
have next to no weight: they belong to what was moved."""
AT_WALL = 0.1
"""Points this near to a wall lie on it [m]."""
SIGMA = 0.05
"""Standard deviation of the distance of points from the cells of their wall [m]."""
MAX_WEIGHT = 100.0
"""Points of one fit count for no more than so many independent ones: neighbours err together."""
MIN_POINTS = 10
"""Points of known space that a fit needs."""
MIN_SHARE, MIN_KNOWN = 0.4, 0.7
"""A fit of few scans is accepted if so much of what it saw of known space lies on walls, and so
much of it was known: a room that is new slides onto the other side of a known wall."""
MAX_ITERATIONS = 20
"""Of each fit."""
BLUR = 1.0
"""Directions of walls are taken from so far around [cells]."""
SMALL_STEP = 5e-4
"""A fit ends with a step smaller than this [m], [rad]."""


@dataclass(frozen=True, eq=False)
class WallFit:
    """Where points lie best."""

    pose: Pose2
    """The frame of the points, in the map."""
    information: Array
    """What the walls say about it, in its own axes, without the prior. Shape (3, 3)."""
    share: float
    """Of the points in known space, those that lie on walls, 0 to 1."""
    known: float
    """Part of the points that lie in known space, 0 to 1; with few the guess is the answer."""

    @property
    def is_reliable(self) -> bool:
        """Whether a fit of few scans says where they were taken."""
        return self.share >= MIN_SHARE and self.known >= MIN_KNOWN


class WallField:
    """How far every place is from the walls of a map."""

    def __init__(self, grid: OccupancyGrid) -> None:
        """Measure the distances once."""
        from scipy.ndimage import distance_transform_edt, gaussian_filter

        self._to_grid, self._resolution = grid.origin.inverse(), grid.resolution
        self._yaw, self._around = grid.origin.yaw, 2 + round(REACH / grid.resolution)
        free = np.pad(grid.data < WALL, self._around, constant_values=True)
        unknown = np.pad(grid.data == UNKNOWN, self._around, constant_values=True)
        far = np.minimum(np.asarray(distance_transform_edt(free)) * grid.resolution, REACH)
        outside = np.asarray(distance_transform_edt(unknown)) * grid.resolution
        along_y, along_x = np.gradient(far, grid.resolution)
        across = [along_x * along_x, along_x * along_y, along_y * along_y]
        across = [gaussian_filter(product, BLUR) for product in across]
        whole = np.maximum(across[0] + across[2], 1e-9)
        self._fields = np.stack(
            [far, np.minimum(outside, REACH), along_x, along_y, *(a / whole for a in across)],
            axis=-1,
        )

    def distances(self, points: Array) -> Array:
        """Return how far points are from the nearest wall, at most `REACH` [m]. Shape (n,)."""
        return self._look_up(points)[:, 0]

    def fit(self, points: Array, guess: Pose2, prior: Array) -> WallFit:
        """Fit points to the walls, near a guess.

        Args:
            points: In the frame that is to be placed [m]. Shape (n, 2).
            guess: That frame in the map.
            prior: Information of the guess, in the axes of its frame. Shape (3, 3).
        """
        pose, H = guess, np.zeros((3, 3))
        for scale in SCALES:
            known = points[self._look_up(pose.transform_points(points))[:, 1] <= scale]
            if len(known) < MIN_POINTS:
                return WallFit(guess, np.zeros((3, 3)), 0.0, 0.0)
            pose, H = _Fit(self, known, guess, prior, scale).run(pose)
        at = self._look_up(pose.transform_points(points))
        at = at[at[:, 1] <= AT_WALL]
        share = float(np.mean(at[:, 0] < AT_WALL)) if len(at) else 0.0
        return WallFit(pose, H, share, len(at) / len(points))

    def _look_up(self, points: Array) -> Array:
        """Return what is known of the places of points. Shape (n, 7).

        Distance from the nearest wall, from known space [m]; the slopes of the first along x and y;
        which way it changes: the matrix xx, xy, yy of its direction.
        """
        local = self._to_grid.transform_points(points) / self._resolution - 0.5 + self._around
        height, width = self._fields.shape[:2]
        x, y = np.clip(local[:, 0], 0.0, width - 1.001), np.clip(local[:, 1], 0.0, height - 1.001)
        column, row = x.astype(np.int64), y.astype(np.int64)
        a, b = (x - column)[:, None], (y - row)[:, None]
        f = self._fields
        low = (1.0 - a) * f[row, column] + a * f[row, column + 1]
        high = (1.0 - a) * f[row + 1, column] + a * f[row + 1, column + 1]
        return (1.0 - b) * low + b * high

    def slopes(self, points: Array, pose: Pose2) -> tuple[Array, Array, Array]:
        """Return distances of points in a frame, their slopes, and the directions of these.

        A slope vanishes in the middle of a wall, its direction does not: it has been taken from
        around. Both are in the axes of the frame. Shapes (n,), (n, 2), (n, 2, 2).
        """
        found = self._look_up(pose.transform_points(points))
        turn = Pose2(0.0, 0.0, self._yaw - pose.yaw)
        R = np.array([[cos(turn.yaw), -sin(turn.yaw)], [sin(turn.yaw), cos(turn.yaw)]])
        directions = R @ found[:, [4, 5, 5, 6]].reshape(-1, 2, 2) @ R.T
        return found[:, 0], turn.transform_points(found[:, 2:4]), directions


class _Fit:
    """One fit: Levenberg-Marquardt with Geman and McClure's kernel and a prior."""

    def __init__(
        self, walls: WallField, points: Array, guess: Pose2, prior: Array, scale: float
    ) -> None:
        self._walls, self._points = walls, points
        self._guess, self._prior, self._scale = guess, prior, scale
        self._weight = min(1.0, MAX_WEIGHT / len(points)) / SIGMA**2  # [1/m2]

    def run(self, pose: Pose2) -> tuple[Pose2, Array]:
        """Return the pose of the lowest cost, and what the walls say about it."""
        damping = 1e-3
        cost, H, pull = self._at(pose)
        for _ in range(MAX_ITERATIONS):
            whole = H + self._prior
            step = np.linalg.solve(whole + damping * np.diag(np.diag(whole)), pull)
            tried = pose @ Pose2.exp(step)
            new, new_H, new_pull = self._at(tried)
            if new < cost:
                pose, cost, H, pull, damping = tried, new, new_H, new_pull, 0.3 * damping
            else:
                damping *= 5.0
            if np.abs(step).max() < SMALL_STEP:
                break
        return pose, H

    def _at(self, pose: Pose2) -> tuple[float, Array, Array]:
        """Return cost, information of the walls and the pull of all, in the axes of a pose."""
        off, slopes, directions = self._walls.slopes(self._points, pose)
        squared = (off / self._scale) ** 2
        weight = self._weight / (1.0 + squared) ** 2
        moved = np.zeros((len(off), 2, 3))  # how a point moves with the pose
        moved[:, 0, 0] = moved[:, 1, 1] = 1.0
        moved[:, 0, 2], moved[:, 1, 2] = -self._points[:, 1], self._points[:, 0]
        H = np.einsum("n,nji,njk,nkl->il", weight, moved, directions, moved, optimize=True)
        pull = np.einsum("n,nj,nji->i", weight * off, slopes, moved)
        back = (pose.inverse() @ self._guess).log()
        badly = self._weight * self._scale**2 * np.sum(squared / (1.0 + squared))
        cost = float(badly + back @ self._prior @ back)
        return cost, H, self._prior @ back - pull
