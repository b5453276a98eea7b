"""Paths over cells made into poses: any-angle shortcuts, even spacing, headings."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.poses import Pose2, wrap_angle
from mecano.planning.navigation.contract import Costmap


def any_angle(
    costmap: Costmap, free: NDArray[np.bool_], weight: NDArray[np.float32], points: Array
) -> Array:
    """Return a path cut short by straight lines over free cells that cost no more [m].

    Args:
        costmap: Has the cells.
        free: Which of them may be entered.
        weight: Cost of cells per length.
        points: x, y of the path [m]. Shape (n, 2).
    """
    from mecano.planning.navigation.smoothing_kernel import shortcut

    cells = (points - costmap.origin) / costmap.resolution
    for _ in range(2):  # forth and back: a shortcut that begins early may end early
        kept = shortcut(free, weight, cells)
        points, cells = points[kept][::-1], np.ascontiguousarray(cells[kept][::-1])
    return points


def spaced(points: Array, spacing: float) -> Array:
    """Return points at most `spacing` apart [m], the given ones among them. Shape (m, 2)."""
    if len(points) < 2:
        return points
    parts = [points[:1]]
    for a, b in pairwise(points):
        count = max(1, int(np.ceil(np.hypot(*(b - a)) / spacing - 1e-9)))
        parts.append(a + (b - a) * (np.arange(1, count + 1) / count)[:, None])
    return np.concatenate(parts)


def with_headings(points: Array, goal: Pose2) -> Array:
    """Return poses along points: each heads to the next, the last as the goal. Shape (n, 3)."""
    if len(points) < 2:
        return np.array([[goal.x, goal.y, goal.yaw]])
    step = np.diff(points, axis=0)
    yaw = np.arctan2(step[:, 1], step[:, 0])
    return np.column_stack([points, np.append(yaw, goal.yaw)])


def with_turns(poses: Array, start: Pose2, *, largest: float) -> Array:
    """Return the poses a base passes if it turns on the spot wherever the heading changes.

    Args:
        poses: Along a path. Shape (n, 3).
        start: Where the base stands first.
        largest: Turn from one pose to the next [rad].
    """
    rows, yaw = [], start.yaw
    for x, y, heading in poses:
        turn = wrap_angle(heading - yaw)
        count = max(1, int(np.ceil(abs(turn) / largest)))
        rows += [(x, y, yaw + turn * k / count) for k in range(1, count + 1)]
        yaw = heading
    return np.array(rows).reshape(-1, 3)


def length_of(poses: Array) -> float:
    """Return the length of a path [m]."""
    return float(np.hypot(*np.diff(poses[:, :2], axis=0).T).sum()) if len(poses) > 1 else 0.0
