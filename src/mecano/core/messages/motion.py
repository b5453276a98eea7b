"""Motion: velocities, forces, poses in frames, odometry and inertial measurements."""

from dataclasses import dataclass, field

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages.stamped import Stamped, fix_array, zeros3, zeros33, zeros66
from mecano.core.poses import Pose


@dataclass(frozen=True, eq=False, kw_only=True)
class Twist:
    """A velocity; for a base, in its own frame: x forward, y left, z up."""

    linear: Array = field(default_factory=zeros3)
    """[m/s]. Shape (3,)."""
    angular: Array = field(default_factory=zeros3)
    """[rad/s]. Shape (3,)."""

    def __post_init__(self) -> None:
        """Refuse numbers that are not finite: a NaN here would reach the motors."""
        fix_array(self, "linear", shape=(3,))
        fix_array(self, "angular", shape=(3,))

    @classmethod
    def planar(cls, vx: float = 0.0, vy: float = 0.0, wz: float = 0.0) -> "Twist":
        """Return the twist of a base: forward and left [m/s], counter-clockwise [rad/s]."""
        return cls(linear=np.array([vx, vy, 0.0]), angular=np.array([0.0, 0.0, wz]))

    def vector(self) -> Array:
        """Return (vx, vy, vz, wx, wy, wz), as `Pose.exp` takes it."""
        return np.concatenate([self.linear, self.angular])


@dataclass(frozen=True, eq=False, kw_only=True)
class TwistStamped(Stamped):
    """A velocity with its time and frame."""

    twist: Twist


@dataclass(frozen=True, eq=False, kw_only=True)
class Wrench:
    """A force and a torque on a body."""

    force: Array = field(default_factory=zeros3)
    """[N]. Shape (3,)."""
    torque: Array = field(default_factory=zeros3)
    """About the origin of the frame [N m]. Shape (3,)."""

    def __post_init__(self) -> None:
        """Refuse numbers that are not finite."""
        fix_array(self, "force", shape=(3,))
        fix_array(self, "torque", shape=(3,))

    def vector(self) -> Array:
        """Return (fx, fy, fz, tx, ty, tz)."""
        return np.concatenate([self.force, self.torque])


@dataclass(frozen=True, eq=False, kw_only=True)
class WrenchStamped(Stamped):
    """What a force sensor feels, in the sensor's frame."""

    wrench: Wrench


@dataclass(frozen=True, eq=False, kw_only=True)
class PoseStamped(Stamped):
    """A pose with its time and frame."""

    pose: Pose


@dataclass(frozen=True, eq=False, kw_only=True)
class PoseWithCovarianceStamped(Stamped):
    """An estimated pose, as localization gives it."""

    pose: Pose
    covariance: Array = field(default_factory=zeros66)
    """Of (x, y, z, roll, pitch, yaw) [m^2, m rad, rad^2]. Shape (6, 6). Zeros mean unknown."""

    def __post_init__(self) -> None:
        """Check the covariance."""
        super().__post_init__()
        _fix_covariance(self, "covariance", 6)


@dataclass(frozen=True, eq=False, kw_only=True)
class TransformStamped(Stamped):
    """Where one frame lies in another: the pose of `child_frame` seen from `frame`."""

    child_frame: str
    transform: Pose


@dataclass(frozen=True, eq=False, kw_only=True)
class Odometry(Stamped):
    """Where a base believes to be and how fast it moves.

    The pose is that of `child_frame` in `frame`; the twist is in `child_frame` (REP 105).
    """

    child_frame: str = ""
    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    pose_covariance: Array = field(default_factory=zeros66)
    """Of (x, y, z, roll, pitch, yaw) [m^2, m rad, rad^2]. Shape (6, 6). Zeros mean unknown."""
    twist_covariance: Array = field(default_factory=zeros66)
    """Of (vx, vy, vz, wx, wy, wz), per second squared. Shape (6, 6). Zeros mean unknown."""

    def __post_init__(self) -> None:
        """Check the covariances."""
        super().__post_init__()
        _fix_covariance(self, "pose_covariance", 6)
        _fix_covariance(self, "twist_covariance", 6)


@dataclass(frozen=True, eq=False, kw_only=True)
class Imu(Stamped):
    """One inertial measurement, in the frame of the sensor. None is what it does not measure."""

    angular_velocity: Array
    """[rad/s]. Shape (3,)."""
    linear_acceleration: Array | None = None
    """Gravity included: at rest and level it reads +9.8 along z [m/s^2]. Shape (3,)."""
    orientation: Array | None = None
    """Unit quaternion `wxyz` of the sensor in the world. Shape (4,)."""
    angular_velocity_covariance: Array = field(default_factory=zeros33)
    """[rad^2/s^2]. Shape (3, 3). Zeros mean unknown."""
    linear_acceleration_covariance: Array = field(default_factory=zeros33)
    """[m^2/s^4]. Shape (3, 3). Zeros mean unknown."""
    orientation_covariance: Array = field(default_factory=zeros33)
    """[rad^2]. Shape (3, 3). Zeros mean unknown."""

    def __post_init__(self) -> None:
        """Check the numbers and bring the quaternion to length 1."""
        super().__post_init__()
        fix_array(self, "angular_velocity", shape=(3,))
        if self.linear_acceleration is not None:
            fix_array(self, "linear_acceleration", shape=(3,))
        if self.orientation is not None:
            object.__setattr__(self, "orientation", Pose(quaternion=self.orientation).quaternion)
        for measured in ("angular_velocity", "linear_acceleration", "orientation"):
            _fix_covariance(self, f"{measured}_covariance", 3)


def _fix_covariance(message: object, name: str, size: int) -> None:
    """Check shape and symmetry, and that no variance is negative."""
    fix_array(message, name, shape=(size, size))
    covariance: Array = getattr(message, name)
    label = f"{type(message).__name__}.{name}"
    if covariance.diagonal().min() < 0.0:
        lowest = covariance.diagonal().min()
        raise InvalidInput(f"{label} has the variance {lowest:g}; variances are never negative")
    difference = np.abs(covariance - covariance.T).max()
    if difference > 1e-9 * max(1.0, np.abs(covariance).max()):
        raise InvalidInput(f"{label} is not symmetric: it differs by {difference:g}")
