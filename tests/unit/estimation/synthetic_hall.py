"""A hall of straight walls: scans by exact geometry, the map by sampling, a drive with errors."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from slam_world import distances

from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2

CORNERS = [
    [(0, 0), (8, 0)], [(8, 0), (8, 6)], [(8, 6), (0, 6)], [(0, 6), (0, 0)],
    [(3, 0), (3, 2.2)], [(3, 2.2), (4.1, 2.2)], [(5.5, 6), (5.5, 4.1)], [(5.5, 4.1), (6.7, 4.1)],
    [(1.2, 4.6), (2.0, 4.6)], [(2.0, 4.6), (2.0, 5.0)],
]  # fmt: skip
WALLS = np.array(CORNERS, dtype=float)
RESOLUTION = 0.05


def hall_map(*, origin: Pose2 | None = None) -> OccupancyGrid:
    """The hall with a margin of unknown cells; `origin` is the corner, turned maps included."""
    corner = origin or Pose2(-0.525, -0.525, 0.0)  # so that walls are in the middle of cells
    data = np.full((140, 180), -1, dtype=np.int8)
    grid = OccupancyGrid(frame="map", resolution=RESOLUTION, origin=corner, data=data)
    rows, columns = np.indices(data.shape)
    x, y = np.moveaxis(grid.cell_to_world(np.stack([rows, columns], axis=-1)), -1, 0)
    data[(x > 0) & (x < 8) & (y > 0) & (y < 6)] = 0
    for (ax, ay), (bx, by) in WALLS:
        part = np.linspace(0.0, 1.0, 2000)[:, None]
        cells = grid.world_to_cell((1 - part) * (ax, ay) + part * (bx, by))
        inside = cells[grid.contains(cells)]
        data[inside[:, 0], inside[:, 1]] = 100
    return OccupancyGrid(frame="map", resolution=RESOLUTION, origin=corner, data=data)


def hall_distances(pose: Pose2, angles) -> np.ndarray:
    """Return where beams from a pose meet the first wall of the hall [m]."""
    return distances(WALLS.reshape(-1, 4), (pose.x, pose.y, pose.yaw), angles)


@dataclass(frozen=True)
class Scanner:
    """What a scanner sees and how it errs."""

    first: float
    last: float
    beams: int
    longest: float
    noise: float
    mount: Pose2 = Pose2()  # noqa: RUF009

    def scan(self, base: Pose2, stamp: float, rng) -> LaserScan:
        angles = np.linspace(self.first, self.last, self.beams)
        ranges = hall_distances(base @ self.mount, angles) + rng.normal(0, self.noise, self.beams)
        ranges[ranges > self.longest] = np.inf
        return LaserScan(
            stamp=stamp, angle_min=self.first, angle_max=self.last,
            angle_increment=(self.last - self.first) / (self.beams - 1),
            range_min=0.05, range_max=self.longest, ranges=ranges,
        )  # fmt: skip


MADAR = Scanner(-np.pi, np.pi * (1 - 2 / 360), 360, 10.0, 0.02)
"""Fused scan around the base, noise of a TiM551 (madar.md, section 5)."""
KINECT = Scanner(-np.deg2rad(28.5), np.deg2rad(28.5), 160, 6.0, 0.02, Pose2(-0.08, 0.0, 0.0))
"""57 degrees, cut from a depth camera."""


def tour(steps: int) -> list[Pose2]:
    """A way through the hall: from the left lower corner over the middle to the right, and back."""
    corners = [(1.2, 1.2), (2.2, 3.2), (4.6, 3.2), (6.6, 1.5), (7.2, 3.2), (4.8, 3.4), (3.8, 5.2)]
    points = np.array([*corners, (1.2, 3.4), (1.2, 1.2)])
    length = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = np.linspace(0, length[-1], steps)
    x, y = np.interp(at, length, points[:, 0]), np.interp(at, length, points[:, 1])
    yaw = np.unwrap(np.arctan2(np.gradient(y), np.gradient(x)))
    smooth = np.convolve(np.pad(yaw, 4, mode="edge"), np.ones(9) / 9, mode="valid")
    return [Pose2(*p) for p in zip(x.tolist(), y.tolist(), smooth.tolist(), strict=True)]


def wheel_odometry(truth: list[Pose2], rng, *, noise=0.05, turn_bias=0.05) -> list[Pose2]:
    """What wheels make of a way: noisy steps, and a heading that drifts [rad/m]."""
    poses = [Pose2()]
    for before, after in pairwise(truth):
        step = before.inverse() @ after
        way = np.hypot(step.x, step.y)
        off = rng.normal(0, noise, 3)
        turn = step.yaw * (1 + off[2]) + turn_bias * way
        poses.append(poses[-1] @ Pose2(step.x * (1 + off[0]), step.y * (1 + off[1]), turn))
    return poses
