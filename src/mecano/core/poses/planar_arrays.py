"""Many planar poses at once: rows of x, y [m] and yaw [rad], as pose graphs and logs hold them."""

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array
from mecano.core.poses.rotations import wrap_angle


def compose_all(a: ArrayLike, b: ArrayLike) -> Array:
    """Return `T_a_c` from `T_a_b` and `T_b_c`, row by row. Shapes (..., 3); they broadcast."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    c, s = np.cos(a[..., 2]), np.sin(a[..., 2])
    x = a[..., 0] + c * b[..., 0] - s * b[..., 1]
    y = a[..., 1] + s * b[..., 0] + c * b[..., 1]
    return np.stack([x, y, wrap_angle(a[..., 2] + b[..., 2])], axis=-1)


def relative_all(a: ArrayLike, b: ArrayLike) -> Array:
    """Return b seen from a, row by row: `compose_all(a, relative_all(a, b))` is b."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    c, s = np.cos(a[..., 2]), np.sin(a[..., 2])
    dx, dy = b[..., 0] - a[..., 0], b[..., 1] - a[..., 1]
    turn = wrap_angle(np.asarray(b[..., 2] - a[..., 2]))
    return np.stack([c * dx + s * dy, c * dy - s * dx, turn], axis=-1)


def poses_at(stamps: ArrayLike, known: ArrayLike, poses: ArrayLike) -> Array:
    """Return poses at some times, straight between the known ones and held beyond their ends.

    Args:
        stamps: Asked for [s]. Shape (m,).
        known: Times of the poses, rising [s]. Shape (n,).
        poses: Shape (n, 3).
    """
    asked, known = np.asarray(stamps, dtype=np.float64), np.asarray(known, dtype=np.float64)
    poses = np.asarray(poses, dtype=np.float64)
    headings = np.unwrap(poses[:, 2])
    x, y, yaw = (np.interp(asked, known, v) for v in (poses[:, 0], poses[:, 1], headings))
    return np.stack([x, y, wrap_angle(np.asarray(yaw))], axis=-1)
