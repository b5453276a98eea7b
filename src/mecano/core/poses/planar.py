"""`Pose2`: where things are on the floor."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses.floats import require_rotation, sinc
from mecano.core.poses.rotations import wrap_angle
from mecano.core.poses.spatial import Pose, homogeneous


@dataclass(frozen=True)
class Pose2:
    """A position and a heading on the floor. Immutable: build another one to change it."""

    x: float = 0.0
    """Forward or east [m]."""
    y: float = 0.0
    """Left or north [m]."""
    yaw: float = 0.0
    """Heading, counter-clockwise from x [rad], kept in (-pi, pi]."""

    def __post_init__(self) -> None:
        """Check the numbers and wrap the heading."""
        object.__setattr__(self, "x", finite_number(self.x, name="Pose2.x"))
        object.__setattr__(self, "y", finite_number(self.y, name="Pose2.y"))
        object.__setattr__(self, "yaw", wrap_angle(finite_number(self.yaw, name="Pose2.yaw")))

    @classmethod
    def identity(cls) -> "Pose2":
        """Return the pose of a frame seen from itself."""
        return cls()

    @classmethod
    def from_matrix(cls, T: ArrayLike) -> "Pose2":
        """Return the pose of a homogeneous matrix, shape (3, 3); a non-rigid one raises."""
        T = homogeneous(T, 3)
        (xx, xy, _), (yx, yy, _), _ = T.tolist()
        require_rotation([[xx, xy, 0.0], [yx, yy, 0.0], [0.0, 0.0, 1.0]])
        return cls(T[0, 2], T[1, 2], math.atan2(T[1, 0], T[0, 0]))

    @classmethod
    def from_pose(cls, pose: Pose) -> "Pose2":
        """Return the shadow of a pose on the floor: height, roll and pitch are dropped."""
        return cls(pose.position[0], pose.position[1], pose.rpy()[2])

    @classmethod
    def exp(cls, twist: ArrayLike) -> "Pose2":
        """Return where a base gets by driving (vx, vy, wz) [m, rad] for one second: an arc."""
        vx, vy, angle = read_only(twist, name="twist", shape=(3,)).tolist()
        along, across = sinc(angle), math.sin(0.5 * angle) * sinc(0.5 * angle)
        return cls(along * vx - across * vy, across * vx + along * vy, angle)

    def log(self) -> Array:
        """Return the twist (3,) whose `exp` is this pose, turning by at most half a turn."""
        half = 0.5 * self.yaw
        along = math.cos(half) / sinc(half)
        return np.array([along * self.x + half * self.y, along * self.y - half * self.x, self.yaw])

    def __matmul__(self, other: "Pose2") -> "Pose2":
        """Return `T_a_c` from `T_a_b @ T_b_c`."""
        if not isinstance(other, Pose2):
            return NotImplemented
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        x = self.x + c * other.x - s * other.y
        return Pose2(x, self.y + s * other.x + c * other.y, self.yaw + other.yaw)

    def inverse(self) -> "Pose2":
        """Return `T_b_a` from `T_a_b`."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return Pose2(-c * self.x - s * self.y, s * self.x - c * self.y, -self.yaw)

    def rotation_matrix(self) -> Array:
        """Return the heading as a matrix, shape (2, 2)."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([[c, -s], [s, c]])

    def matrix(self) -> Array:
        """Return the homogeneous matrix, shape (3, 3)."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([[c, -s, self.x], [s, c, self.y], [0.0, 0.0, 1.0]])

    def transform_points(self, points: ArrayLike) -> Array:
        """Return points (..., 2) given in b as seen from a [m]."""
        return np.asarray(points, dtype=np.float64) @ self.rotation_matrix().T + (self.x, self.y)

    def distance_to(self, other: "Pose2") -> float:
        """Return the distance between the two origins [m]."""
        return math.hypot(other.x - self.x, other.y - self.y)

    def angle_to(self, other: "Pose2") -> float:
        """Return the angle between the two headings, in [0, pi]."""
        return abs(wrap_angle(other.yaw - self.yaw))

    def is_close(
        self, other: "Pose2", *, position_tolerance: float = 1e-9, angle_tolerance: float = 1e-9
    ) -> bool:
        """Say whether the poses agree within a distance [m] and an angle [rad]."""
        near = self.distance_to(other) <= position_tolerance
        return near and self.angle_to(other) <= angle_tolerance

    def interpolate(self, other: "Pose2", fraction: float) -> "Pose2":
        """Return the pose a fraction in [0, 1] of the way: straight line, the short way round."""
        if not 0.0 <= fraction <= 1.0:
            raise InvalidInput(f"fraction is {fraction}, expected a number in [0, 1]")
        keep = 1.0 - fraction
        yaw = self.yaw + fraction * wrap_angle(other.yaw - self.yaw)
        return Pose2(keep * self.x + fraction * other.x, keep * self.y + fraction * other.y, yaw)

    def to_pose(self, z: float = 0.0) -> Pose:
        """Return the same pose in space, upright at height `z` [m]."""
        half = 0.5 * self.yaw
        return Pose((self.x, self.y, z), (math.cos(half), 0.0, 0.0, math.sin(half)))
