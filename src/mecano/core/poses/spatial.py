"""`Pose`: where things are in space."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses import floats
from mecano.core.poses.rotations import matrix_from_rpy

SANE_QUATERNION_LENGTH = (0.1, 10.0)
"""Lengths outside are broken data rather than rounding or a lazily written (1, 1, 0, 0)."""


@dataclass(frozen=True, eq=False, init=False)
class Pose:
    """A position and an orientation in space. Immutable: build another one to change it.

    Compare with `is_close`: `==` asks for the same object, and a quaternion and its negative are
    the same orientation.
    """

    position: Array
    """Where the origin of b lies in a [m]. Shape (3,)."""
    quaternion: Array
    """Orientation of b in a, unit, `wxyz`. Shape (4,). Its sign is kept as given."""

    def __init__(
        self, position: ArrayLike = (0.0, 0.0, 0.0), quaternion: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    ) -> None:
        """Copy and check both; the quaternion is brought to length 1."""
        position = read_only(position, name="Pose.position", shape=(3,))
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "quaternion", _unit_quaternion(quaternion))

    @classmethod
    def identity(cls) -> "Pose":
        """Return the pose of a frame seen from itself."""
        return cls()

    @classmethod
    def from_matrix(cls, T: ArrayLike) -> "Pose":
        """Return the pose of a homogeneous matrix, shape (4, 4); a non-rigid one raises."""
        T = homogeneous(T, 4)
        return cls(T[:3, 3], floats.quaternion_from_rows(T[:3, :3].tolist()))

    @classmethod
    def from_xyz_rpy(cls, xyz: ArrayLike, rpy: ArrayLike = (0.0, 0.0, 0.0)) -> "Pose":
        """Return the pose at `xyz` [m] turned by roll, pitch, yaw [rad] (REP 103, fixed axes)."""
        R = matrix_from_rpy(read_only(rpy, name="rpy", shape=(3,)))
        return cls(xyz, floats.quaternion_from_rows(R.tolist()))

    @classmethod
    def exp(cls, twist: ArrayLike) -> "Pose":
        """Return where a body gets by moving at a constant body twist for one second.

        Args:
            twist: (vx, vy, vz, wx, wy, wz) [m, rad]. Shape (6,).
        """
        vx, vy, vz, wx, wy, wz = read_only(twist, name="twist", shape=(6,)).tolist()
        linear, angular = (vx, vy, vz), (wx, wy, wz)
        angle = math.hypot(*angular)
        second, third = 0.5 * floats.sinc(0.5 * angle) ** 2, floats.exp_third_term(angle)
        position = _add_turned(linear, angular, second, third)
        return _trusted(position, floats.quaternion_from_rotation_vector(angular))

    def log(self) -> Array:
        """Return the twist (6,) whose `exp` is this pose, turning by at most half a turn."""
        angular = floats.rotation_vector_from_quaternion(_quaternion(self))
        third = floats.log_third_term(math.hypot(*angular))
        linear = _add_turned(_position(self), angular, -0.5, third)
        return np.array([*linear, *angular])

    def __matmul__(self, other: "Pose") -> "Pose":
        """Return `T_a_c` from `T_a_b @ T_b_c`."""
        if not isinstance(other, Pose):
            return NotImplemented
        q, p = _quaternion(self), _position(self)
        x, y, z = floats.rotate(q, _position(other))
        return _trusted((p[0] + x, p[1] + y, p[2] + z), floats.multiply(q, _quaternion(other)))

    def inverse(self) -> "Pose":
        """Return `T_b_a` from `T_a_b`."""
        q = floats.conjugate(_quaternion(self))
        x, y, z = floats.rotate(q, _position(self))
        return _trusted((-x, -y, -z), q)

    def rotation_matrix(self) -> Array:
        """Return the orientation as a matrix, shape (3, 3)."""
        return np.array(floats.rows_from_quaternion(_quaternion(self)))

    def matrix(self) -> Array:
        """Return the homogeneous matrix, shape (4, 4)."""
        rows = floats.rows_from_quaternion(_quaternion(self))
        top = [[*row, value] for row, value in zip(rows, _position(self), strict=True)]
        return np.array([*top, [0.0, 0.0, 0.0, 1.0]])

    def rpy(self) -> Array:
        """Return roll, pitch, yaw [rad] about the fixed x, y, z axes; see `rpy_from_matrix`."""
        return np.array(floats.rpy_from_rows(floats.rows_from_quaternion(_quaternion(self))))

    def transform_points(self, points: ArrayLike) -> Array:
        """Return points (..., 3) given in b as seen from a [m]."""
        return self.rotate_vectors(points) + self.position

    def rotate_vectors(self, vectors: ArrayLike) -> Array:
        """Return directions (..., 3) given in b as seen from a: turned, not moved."""
        return np.asarray(vectors, dtype=np.float64) @ self.rotation_matrix().T

    def distance_to(self, other: "Pose") -> float:
        """Return the distance between the two origins [m]."""
        return math.dist(_position(self), _position(other))

    def angle_to(self, other: "Pose") -> float:
        """Return the smallest angle that turns one orientation into the other, in [0, pi]."""
        return math.hypot(*_turn_between(self, other))

    def is_close(
        self, other: "Pose", *, position_tolerance: float = 1e-9, angle_tolerance: float = 1e-9
    ) -> bool:
        """Say whether the poses agree within a distance [m] and an angle [rad]."""
        near = self.distance_to(other) <= position_tolerance
        return near and self.angle_to(other) <= angle_tolerance

    def interpolate(self, other: "Pose", fraction: float) -> "Pose":
        """Return the pose a fraction in [0, 1] of the way to `other`.

        The origin moves on a straight line, the orientation turns the short way at constant
        rate. For the screw motion that joins both, take `exp` of a part of the `log`.
        """
        if not 0.0 <= fraction <= 1.0:
            raise InvalidInput(f"fraction is {fraction}, expected a number in [0, 1]")
        x, y, z = _turn_between(self, other)
        part = floats.quaternion_from_rotation_vector((fraction * x, fraction * y, fraction * z))
        position = (1.0 - fraction) * self.position + fraction * other.position
        return Pose(position, floats.multiply(_quaternion(self), part))


def homogeneous(T: ArrayLike, size: int) -> Array:
    """Return a homogeneous matrix after checking its shape, numbers and last row."""
    T = read_only(T, name="homogeneous matrix", shape=(size, size))
    last_row = [0.0] * (size - 1) + [1.0]
    if math.dist(T[-1].tolist(), last_row) > 1e-9:
        raise InvalidInput(f"last row of the matrix is {T[-1].tolist()}, expected {last_row}")
    return T


def _trusted(position: floats.Vector, quaternion: floats.Quaternion) -> Pose:
    """Build a pose from our own arithmetic, without the checks that outside numbers need."""
    pose = object.__new__(Pose)
    for name, values in (("position", position), ("quaternion", floats.normalized(quaternion))):
        array = np.array(values)
        array.setflags(write=False)
        object.__setattr__(pose, name, array)
    return pose


def _position(pose: Pose) -> floats.Vector:
    x, y, z = pose.position.tolist()
    return (x, y, z)


def _quaternion(pose: Pose) -> floats.Quaternion:
    w, x, y, z = pose.quaternion.tolist()
    return (w, x, y, z)


def _turn_between(a: Pose, b: Pose) -> floats.Vector:
    relative = floats.multiply(floats.conjugate(_quaternion(a)), _quaternion(b))
    return floats.rotation_vector_from_quaternion(relative)


def _add_turned(
    v: floats.Vector, angular: floats.Vector, second: float, third: float
) -> floats.Vector:
    """Return v + second * (w x v) + third * (w x (w x v))."""
    t = floats.cross(angular, v)
    u = floats.cross(angular, t)
    x, y, z = (v[i] + second * t[i] + third * u[i] for i in range(3))
    return (x, y, z)


def _unit_quaternion(values: ArrayLike) -> Array:
    given = read_only(values, name="Pose.quaternion", shape=(4,))
    w, x, y, z = given.tolist()
    length = math.hypot(w, x, y, z)
    lower, upper = SANE_QUATERNION_LENGTH
    if not lower <= length <= upper:
        raise InvalidInput(
            f"quaternion {given.tolist()} has length {length:.3g}, expected 1; "
            "give it as (w, x, y, z) of unit length"
        )
    unit = np.array(floats.normalized((w, x, y, z)))
    unit.setflags(write=False)
    return unit
