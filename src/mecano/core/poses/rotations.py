"""Angles, quaternions, rotation matrices and roll-pitch-yaw, each turned into the others.

Quaternions are `wxyz`. The functions take any number of leading axes: a matrix is (..., 3, 3),
a quaternion (..., 4), roll-pitch-yaw (..., 3).
"""

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import floats


@overload
def wrap_angle(angle: float) -> float: ...
@overload
def wrap_angle(angle: Array) -> Array: ...
def wrap_angle(angle: float | Array) -> float | Array:
    """Bring angles [rad] to (-pi, pi], exactly: an angle already there comes back unchanged."""
    if isinstance(angle, np.ndarray):
        return _wrap_angles(angle)
    if not math.isfinite(angle):
        raise InvalidInput(f"cannot wrap the angle {angle}: it is not finite")
    wrapped = math.remainder(angle, math.tau)
    return math.pi if wrapped == -math.pi else wrapped


def _wrap_angles(angles: Array) -> Array:
    if not np.isfinite(angles).all():
        raise InvalidInput("cannot wrap angles: some are not finite")
    turned = np.fmod(angles.astype(np.float64), math.tau)  # exact, in (-2 pi, 2 pi)
    turned = np.where(turned > math.pi, turned - math.tau, turned)
    return np.where(turned <= -math.pi, turned + math.tau, turned)


def quaternion_multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the quaternion that turns by `b` first and then by `a`, as `R_a @ R_b` does."""
    aw, ax, ay, az = _components(a, 4, "quaternion")
    bw, bx, by, bz = _components(b, 4, "quaternion")
    return np.stack(
        np.broadcast_arrays(
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ),
        axis=-1,
    )


def quaternion_conjugate(quaternion: ArrayLike) -> Array:
    """Return the opposite rotation of a unit quaternion."""
    w, x, y, z = _components(quaternion, 4, "quaternion")
    return np.stack([w, -x, -y, -z], axis=-1)


def matrix_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return the rotation matrix of a quaternion of any length but zero."""
    w, x, y, z = _components(quaternion, 4, "quaternion")
    squared_length = w * w + x * x + y * y + z * z
    if not np.all(np.isfinite(squared_length) & (squared_length > 0.0)):
        raise InvalidInput(
            f"quaternion {np.asarray(quaternion).tolist()} has no direction: "
            "it is zero or not finite"
        )
    s = 2.0 / squared_length
    matrix = np.empty((*w.shape, 3, 3))
    matrix[..., 0, 0] = 1.0 - s * (y * y + z * z)
    matrix[..., 0, 1] = s * (x * y - w * z)
    matrix[..., 0, 2] = s * (x * z + w * y)
    matrix[..., 1, 0] = s * (x * y + w * z)
    matrix[..., 1, 1] = 1.0 - s * (x * x + z * z)
    matrix[..., 1, 2] = s * (y * z - w * x)
    matrix[..., 2, 0] = s * (x * z - w * y)
    matrix[..., 2, 1] = s * (y * z + w * x)
    matrix[..., 2, 2] = 1.0 - s * (x * x + y * y)
    return matrix


def quaternion_from_matrix(matrix: ArrayLike) -> Array:
    """Return the unit quaternion with `w >= 0` of a rotation matrix.

    Every row of the symmetric matrix `4 q q^T` is the quaternion times one of its components.
    We take the row of the largest component, so no rotation, half turns included, loses digits.

    Raises:
        InvalidInput: The matrix is no rotation (skewed, scaled, mirrored or not finite).
    """
    m = _require_matrix(matrix)
    if m.ndim == 2:
        return np.array(floats.quaternion_from_rows(m.tolist()))
    return _quaternions_from_matrices(_require_rotations(m))


def _quaternions_from_matrices(m: Array) -> Array:
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = (
        m[..., 2, 1] - m[..., 1, 2],
        m[..., 0, 2] - m[..., 2, 0],
        m[..., 1, 0] - m[..., 0, 1],
    )
    xy, xz, yz = (
        m[..., 0, 1] + m[..., 1, 0],
        m[..., 0, 2] + m[..., 2, 0],
        m[..., 1, 2] + m[..., 2, 1],
    )
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], -1)
    rows = np.stack(
        [
            np.stack([squares[..., 0], wx, wy, wz], axis=-1),
            np.stack([wx, squares[..., 1], xy, xz], axis=-1),
            np.stack([wy, xy, squares[..., 2], yz], axis=-1),
            np.stack([wz, xz, yz, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    largest = np.argmax(squares, axis=-1)[..., None, None]
    quaternion = np.take_along_axis(rows, largest, axis=-2)[..., 0, :]
    quaternion = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return np.where(quaternion[..., :1] < 0.0, -quaternion, quaternion)


def matrix_from_rpy(rpy: ArrayLike) -> Array:
    """Return the rotation of roll, pitch, yaw [rad]: about the fixed x, then y, then z axis."""
    roll, pitch, yaw = _components(rpy, 3, "roll-pitch-yaw")
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    cy, sy = np.cos(yaw), np.sin(yaw)
    matrix = np.empty((*roll.shape, 3, 3))
    matrix[..., 0, :] = np.stack([cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], -1)
    matrix[..., 1, :] = np.stack([sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], -1)
    matrix[..., 2, :] = np.stack([-sp, cp * sr, cp * cr], -1)
    return matrix


def rpy_from_matrix(matrix: ArrayLike) -> Array:
    """Return roll, pitch and yaw [rad] of a rotation matrix, pitch in [-pi/2, pi/2].

    With the pitch straight up or down, roll and yaw turn about the same axis: the yaw is then
    zero and the roll holds all of it. Roll is read after undoing yaw, so the three always give
    the same matrix back.
    """
    m = _require_matrix(matrix)
    if m.ndim == 2:
        rows = m.tolist()
        floats.require_rotation(rows)
        return np.array(floats.rpy_from_rows(rows))
    return _rpys_from_matrices(_require_rotations(m))


def _rpys_from_matrices(m: Array) -> Array:
    cos_pitch = np.hypot(m[..., 0, 0], m[..., 1, 0])
    yaw = np.where(cos_pitch < floats.GIMBAL_LOCK, 0.0, np.arctan2(m[..., 1, 0], m[..., 0, 0]))
    cy, sy = np.cos(yaw), np.sin(yaw)
    pitch = np.arctan2(-m[..., 2, 0], cos_pitch)
    roll = np.arctan2(sy * m[..., 0, 2] - cy * m[..., 1, 2], cy * m[..., 1, 1] - sy * m[..., 0, 1])
    return np.stack([roll, pitch, yaw], axis=-1)


def _components(values: ArrayLike, count: int, name: str) -> Array:
    """Return the last axis first, so that it unpacks into `count` arrays."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != count:
        raise InvalidInput(f"{name} has shape {array.shape}, expected (..., {count})")
    return np.moveaxis(array, -1, 0)


def _require_matrix(matrix: ArrayLike) -> Array:
    m = np.asarray(matrix, dtype=np.float64)
    if m.shape[-2:] != (3, 3):
        raise InvalidInput(f"rotation matrix has shape {m.shape}, expected (..., 3, 3)")
    return m


def _require_rotations(m: Array) -> Array:
    """Return `m`, or raise with the numbers of the first matrix that is no rotation."""
    distance = np.abs(np.swapaxes(m, -1, -2) @ m - np.eye(3)).sum(axis=(-1, -2))
    with np.errstate(invalid="ignore"):  # NaN is told by the distance
        broken = ~(distance <= floats.ROTATION_TOLERANCE) | (np.linalg.det(m) < 0.0)
    for rows in m[broken].tolist():
        floats.require_rotation(rows)
    return m
