"""Homogeneous matrices, built from one elementary motion each.

The 2-D builders give 3x3 matrices, the 3-D ones 4x4. `T_a_b` is the pose of b seen from a, so
products read off: `T_world_base @ T_base_tool`. Angles are in radians, lengths in metres.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def rotation2(angle: float) -> Array:
    """Return the 3x3 matrix that turns the plane by `angle`, counter-clockwise."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def translation2(x: float, y: float) -> Array:
    """Return the 3x3 matrix that moves the plane by (x, y)."""
    return np.array([[1.0, 0.0, x], [0.0, 1.0, y], [0.0, 0.0, 1.0]])


def rotation_x(angle: float) -> Array:
    """Return the 4x4 matrix that turns space by `angle` about x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def rotation_y(angle: float) -> Array:
    """Return the 4x4 matrix that turns space by `angle` about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s, 0], [0, 1.0, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]])


def rotation_z(angle: float) -> Array:
    """Return the 4x4 matrix that turns space by `angle` about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1]])


def translation(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """Return the 4x4 matrix that moves space by (x, y, z)."""
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def dh_matrix(theta: float, d: float, a: float, alpha: float) -> Array:
    """Return the standard Denavit-Hartenberg step: turn and lift along z, then move and twist x.

    This is the motion from frame i-1 to frame i, so it turns coordinates of i into those of i-1.
    """
    return rotation_z(theta) @ translation(a, 0.0, d) @ rotation_x(alpha)


def modified_dh_matrix(theta: float, d: float, a: float, alpha: float) -> Array:
    """Return the modified (Craig) step: twist and move along x, then turn and lift along z."""
    return rotation_x(alpha) @ translation(x=a) @ rotation_z(theta) @ translation(z=d)


def invert(T: ArrayLike) -> Array:
    """Return the inverse of rigid motions, without a general matrix inverse. Shape (..., 4, 4)."""
    T = np.asarray(T, float)
    R_transposed = np.swapaxes(T[..., :3, :3], -1, -2)
    inverse = np.zeros_like(T)
    inverse[..., :3, :3] = R_transposed
    inverse[..., :3, 3] = -np.einsum("...ij,...j->...i", R_transposed, T[..., :3, 3])
    inverse[..., 3, 3] = 1.0
    return inverse
