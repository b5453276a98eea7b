"""Walls, scans of them and drives between them; all distances can be computed."""

from itertools import pairwise
from math import cos, hypot, inf, pi, radians, sin

import numpy as np

from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2

ROOM = [
    (0, 0, 8, 0), (8, 0, 8, 3), (8, 3, 6, 3), (6, 3, 6, 6), (6, 6, 0, 6), (0, 6, 0, 0),
    (2, 2, 3, 2), (3, 2, 3, 2.6), (3, 2.6, 2, 2.6), (2, 2.6, 2, 2),
]  # fmt: skip
"""A room with a step in its wall and a box in it: it looks different from everywhere [m]."""
CORRIDOR = [(-40, -1, 40, -1), (-40, 1, 40, 1)]
"""Two walls that go on for ever, as far as a scanner sees [m]."""
RING = [
    (0, 0, 16, 0), (16, 0, 16, 12), (16, 12, 0, 12), (0, 12, 0, 0),
    (2.2, 2, 13.8, 2), (13.8, 2, 13.8, 10), (13.8, 10, 2.2, 10), (2.2, 10, 2.2, 2),
    (5, 0, 5, 0.4), (5, 0.4, 5.6, 0.4), (5.6, 0.4, 5.6, 0), (9, 2, 9, 1.6), (9, 1.6, 10, 1.6),
    (10, 1.6, 10, 2), (16, 6, 15.5, 6), (15.5, 6, 15.5, 6.8), (15.5, 6.8, 16, 6.8),
    (7, 12, 7, 11.5), (7, 11.5, 8.2, 11.5), (8.2, 11.5, 8.2, 12), (0, 7, 0.4, 7),
    (0.4, 7, 0.4, 7.5), (0.4, 7.5, 0, 7.5),
]  # fmt: skip
"""A corridor round a block, with niches [m]."""


def distances(walls, pose, angles) -> np.ndarray:
    """Return where beams from a pose meet the first wall [m]; infinite if they meet none."""
    x, y, yaw = pose
    dx, dy = np.cos(angles + yaw), np.sin(angles + yaw)
    ranges = np.full(len(angles), inf)
    for x0, y0, x1, y1 in walls:
        ex, ey = x1 - x0, y1 - y0
        across = dx * ey - dy * ex
        with np.errstate(divide="ignore", invalid="ignore"):
            along = ((x0 - x) * ey - (y0 - y) * ex) / across
            share = ((x0 - x) * dy - (y0 - y) * dx) / across
        hit = (np.abs(across) > 1e-12) & (along > 1e-9) & (share >= -1e-9) & (share <= 1.0 + 1e-9)
        ranges = np.where(hit & (along < ranges), along, ranges)
    return ranges


def look(
    walls, pose, *, beams: int = 180, view: float = pi, reach: float = 30.0, noise=0.0, rng=None,
    stamp: float = 0.0,
) -> LaserScan:  # fmt: skip
    """Return what a scanner at a pose sees; beams that meet nothing are infinite."""
    angles = -0.5 * view + view * np.arange(beams) / (beams - 1)
    ranges = distances(walls, pose, angles)
    if rng is not None:
        ranges = ranges + rng.normal(0.0, noise, beams)
    ranges = np.where(ranges < reach, ranges, inf)
    return LaserScan(
        stamp=stamp, angle_min=float(angles[0]), angle_max=float(angles[-1]),
        angle_increment=view / (beams - 1), range_min=0.05, range_max=reach, ranges=ranges,
    )  # fmt: skip


def way(corners, *, step: float = 0.25, turn: float = radians(12)) -> np.ndarray:
    """Return poses along straight lines between corners, turning at each. Shape (n, 3)."""
    poses = [(*corners[0], 0.0)]
    for x, y in corners[1:]:
        x0, y0, yaw = poses[-1]
        heading = np.arctan2(y - y0, x - x0)
        left = (heading - yaw + pi) % (2 * pi) - pi
        for k in range(1, max(1, round(abs(left) / turn)) + 1):
            poses.append((x0, y0, yaw + left * k / max(1, round(abs(left) / turn))))
        count = max(1, round(hypot(x - x0, y - y0) / step))
        for k in range(1, count + 1):
            poses.append((x0 + (x - x0) * k / count, y0 + (y - y0) * k / count, heading))
    return np.array(poses)


def drifting(poses, *, slip: float, skid: float, rng) -> list[Pose2]:
    """Return what odometry says on the way: lengths off by a share, turns by rad per metre."""
    said = [Pose2(*poses[0])]
    for before, after in pairwise(poses):
        moved = Pose2(*before).inverse() @ Pose2(*after)
        length = hypot(moved.x, moved.y)
        scale = 1.0 + slip * rng.normal()
        off = skid * (length + 0.1 * abs(moved.yaw)) * rng.normal()
        said.append(said[-1] @ Pose2(moved.x * scale, moved.y * scale, moved.yaw + off))
    return said


def errors(trajectory, poses) -> tuple[np.ndarray, np.ndarray]:
    """Return distances [m] and angles [rad] from the truth, seen from the first pose."""
    first, start = Pose2(*trajectory[0, 1:]), Pose2(*poses[0])
    off, turned = [], []
    for row, pose in zip(trajectory[:, 1:], poses, strict=True):
        a, b = first.inverse() @ Pose2(*row), start.inverse() @ Pose2(*pose)
        off.append(a.distance_to(b))
        turned.append(a.angle_to(b))
    return np.array(off), np.array(turned)


def turned(points, pose) -> np.ndarray:
    """Return points moved by a pose. Shape (n, 2)."""
    x, y, yaw = pose
    c, s = cos(yaw), sin(yaw)
    return points @ np.array([[c, s], [-s, c]]) + (x, y)
