"""Where a base is and how fast it moves, by wheels and gyro together: an extended Kalman filter.

The alternative to plain odometry that MADAR's paper names. The state is pose (x, y, yaw), twist in
the frame of the base (vx, vy, wz) and the gyro's bias. Between readings the twist wanders; each
reading of a sensor says something about part of the state, as sure as the sensor is. What no
honest reading can say (beyond the gate) is left out: a wheel that spins, a gyro that was hit.
"""

from dataclasses import dataclass, fields
from math import cos, exp, hypot, sin

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.core.messages import BaseReport, Imu, Odometry, Twist
from mecano.core.poses import Pose2
from mecano.core.poses.rotations import wrap_angle
from mecano.estimation.odometry import Odometer
from mecano.kinematics.drift import Drift

X, Y, YAW, VX, VY, WZ, BIAS = range(7)
GATES = {1: 10.83, 2: 13.82, 3: 16.27}
"""Normalized innovations squared that one honest reading in a thousand exceeds, by its size:
chi-squared at 99.9 %."""


@dataclass(frozen=True, kw_only=True)
class EkfSettings:
    """How a base moves and how its sensors err. Variances of wandering are per second."""

    acceleration: float = 1.0
    """How the speed wanders, along x and y [m/s per root of a second]."""
    turn_acceleration: float = 2.0
    """How the rate of turn wanders [rad/s per root of a second]."""
    sideways: bool = True
    """Whether the base can drive sideways. If not, vy decays to zero within a few readings."""
    wheel_speed: float = 0.02
    """Deviation of vx and vy by the wheels, where a message does not say [m/s]."""
    wheel_turn: float = 0.05
    """Deviation of wz by the wheels, where a message does not say [rad/s]."""
    wheel_slip: float = 0.02
    """And this part of the speed on top: wheels slip more, the faster they go."""
    gyro: float = 0.005
    """Deviation of the gyro, where a message does not say [rad/s]."""
    gyro_bias: float = 0.01
    """Deviation of its bias at the start [rad/s]."""
    gyro_bias_wander: float = 1e-4
    """[rad/s per root of a second]."""
    patience: int = 10
    """After so many readings of one sensor beyond the gate in a row, it is believed again: the
    filter is wrong, not the sensor."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name != "sideways":
                name = f"EkfSettings.{field.name}"
                finite_number(getattr(self, field.name), name=name, lower=0.0)


@dataclass(frozen=True)
class Innovation:
    """What a reading did to the filter."""

    accepted: bool
    nis: float
    """Normalized innovation squared: how surprising it was. About `size` on average."""
    size: int
    """How many numbers the reading has."""
    reason: str = ""
    """Why it was not accepted."""


class PlanarEkf:
    """An extended Kalman filter of a base on the floor."""

    def __init__(
        self,
        settings: EkfSettings | None = None,
        *,
        stamp: float = 0.0,
        pose: Pose2 | None = None,
        covariance: ArrayLike | None = None,
    ) -> None:
        """Begin at rest.

        Args:
            settings: Those of a base that can drive sideways, if not given.
            stamp: Now [s].
            pose: The origin, if not given.
            covariance: Of it: x, y [m2], yaw [rad2]. Shape (3, 3). Zero, if not given.
        """
        self.settings = s = settings or EkfSettings()
        start = pose or Pose2()
        self._stamp = finite_number(stamp, name="stamp [s]")
        self._state = np.array([start.x, start.y, start.yaw, 0.0, 0.0, 0.0, 0.0])
        self._P = np.diag([0.0, 0.0, 0.0, 0.05**2, 0.05**2 * s.sideways, 0.05**2, s.gyro_bias**2])
        if covariance is not None:
            given = read_only(covariance, name="covariance of the pose", shape=(3, 3))
            self._P[:3, :3] = given
        self._refused: dict[str, int] = {}
        self._last: tuple[float, Pose2] | None = None
        self.ignored = 0
        """So many readings were left out."""

    @property
    def stamp(self) -> float:
        """Of the newest reading [s]."""
        return self._stamp

    @property
    def pose(self) -> Pose2:
        """Of the base."""
        return Pose2(*self._state[:3].tolist())

    @property
    def twist(self) -> Array:
        """vx, vy [m/s], wz [rad/s], in the frame of the base. Shape (3,)."""
        return self._state[VX : WZ + 1].copy()

    @property
    def gyro_bias(self) -> float:
        """What the gyro reads too much [rad/s]."""
        return float(self._state[BIAS])

    @property
    def covariance(self) -> Array:
        """Of x, y, yaw, vx, vy, wz and bias. Shape (7, 7)."""
        return self._P.copy()

    def odometry(self, *, frame: str = "odom", child_frame: str = "base_link") -> Odometry:
        """Return what the filter believes as a message."""
        planar = [0, 1, 5]
        pose_covariance, twist_covariance = np.zeros((6, 6)), np.zeros((6, 6))
        pose_covariance[np.ix_(planar, planar)] = self._P[:3, :3]
        twist_covariance[np.ix_(planar, planar)] = self._P[3:6, 3:6]
        return Odometry(
            stamp=self._stamp, frame=frame, child_frame=child_frame, pose=self.pose.to_pose(),
            twist=Twist.planar(*self.twist.tolist()),
            pose_covariance=pose_covariance, twist_covariance=twist_covariance,
        )  # fmt: skip

    # Messages

    def add_odometry(self, message: Odometry, *, increments: bool = False) -> Innovation:
        """Take in what the wheels say.

        Args:
            message: Its twist counts, as sure as its covariance says.
            increments: Use how the pose has changed since the last message instead of the twist;
                for sources that leave the twist at zero. The first message only begins.
        """
        planar = [0, 1, 5]
        covariance = message.twist_covariance[np.ix_(planar, planar)]
        if not increments:
            twist = message.twist.vector()[planar]
            return self.add_twist(message.stamp, twist, covariance if covariance.any() else None)
        now, last = Pose2.from_pose(message.pose), self._last
        if last is not None and message.stamp <= last[0]:
            return self._late(message.stamp, 3)
        self._last = (message.stamp, now)
        if last is None:
            return Innovation(False, 0.0, 3, "the first pose only begins")
        passed = message.stamp - last[0]
        twist = (last[1].inverse() @ now).log() / passed
        return self.add_twist(message.stamp, twist, covariance if covariance.any() else None)

    def add_imu(self, message: Imu) -> Innovation:
        """Take in what a gyro says about z; the IMU must lie level on the base."""
        variance = float(message.angular_velocity_covariance[2, 2])
        rate = float(message.angular_velocity[2])
        return self.add_turn_rate(message.stamp, rate, variance or None)

    def add_report(self, report: BaseReport, odometer: Odometer) -> Odometer:
        """Take in what a base reports: counters of its wheels and, if it has one, its gyro.

        Args:
            report: Of the base.
            odometer: After the last report. Its gyro must not be in it: it counts here.

        Returns:
            The odometer after this report.
        """
        after = odometer.after(report.ticks, report.stamp)
        if after.stamp > odometer.stamp:
            self.add_odometer(after, after.stamp - odometer.stamp)
        if report.turn_rate is not None:
            self.add_turn_rate(report.stamp, report.turn_rate)
        return after

    def add_odometer(self, odometer: Odometer, passed: float) -> Innovation:
        """Take in the last step of an odometer that took a time [s]; its drift says how sure."""
        passed = finite_number(passed, name="time of the step [s]", lower=1e-6)
        if odometer.heading is not None:
            raise InvalidInput(
                "the odometer turns by a gyro already; make it without a heading, so that "
                "the gyro does not count twice"
            )
        if odometer.drift is None:
            return self.add_twist(odometer.stamp, odometer.twist)
        covariance = self._wheel_covariance(np.array(odometer.twist))
        covariance += _step_covariance(odometer.drift, odometer.twist, passed)
        return self.add_twist(odometer.stamp, odometer.twist, covariance)

    # Numbers

    def add_twist(
        self, stamp: float, twist: ArrayLike, covariance: ArrayLike | None = None
    ) -> Innovation:
        """Take in vx, vy [m/s] and wz [rad/s] by the wheels. None is as sure as the settings."""
        z = read_only(twist, name="twist by the wheels", shape=(3,))
        if covariance is None:
            covariance = self._wheel_covariance(z)
        R = read_only(covariance, name="covariance of the twist", shape=(3, 3))
        return self._take("wheels", stamp, z, np.eye(7)[[VX, VY, WZ]], R)

    def add_turn_rate(self, stamp: float, rate: float, variance: float | None = None) -> Innovation:
        """Take in what a gyro reads [rad/s], bias and all; None is as sure as the settings say."""
        z = np.array([finite_number(rate, name="rate of turn by the gyro [rad/s]")])
        if variance is None:
            variance = self.settings.gyro**2
        H = np.zeros((1, 7))
        H[0, [WZ, BIAS]] = 1.0
        R = np.array([[finite_number(variance, name="variance of the gyro", lower=0.0)]])
        return self._take("gyro", stamp, z, H, R)

    def add_pose(self, stamp: float, pose: Pose2, covariance: ArrayLike) -> Innovation:
        """Take in a pose from elsewhere, as localization gives it, with its covariance (3, 3)."""
        R = read_only(covariance, name="covariance of the pose", shape=(3, 3))
        z = np.array([pose.x, pose.y, pose.yaw])
        return self._take("pose", stamp, z, np.eye(7)[[X, Y, YAW]], R)

    def predict(self, stamp: float) -> None:
        """Go on to a time [s] without any reading; at or before the present nothing happens."""
        passed = finite_number(stamp, name="stamp [s]") - self._stamp
        if passed <= 0.0:
            return
        s = self.settings
        F, state = _moved(self._state, passed)
        self._P = F @ self._P @ F.T + self._wandered(passed)
        if not s.sideways:
            keep = exp(-passed / 0.1)
            state[VY] *= keep
            self._P[VY, :] *= keep
            self._P[:, VY] *= keep
        self._state, self._stamp = state, stamp

    # Inside

    def _take(self, sensor: str, stamp: float, z: Array, H: Array, R: Array) -> Innovation:
        """Correct the state by a reading, unless it is late or beyond the gate."""
        if finite_number(stamp, name="stamp [s]") < self._stamp:
            return self._late(stamp, len(z))
        self.predict(stamp)
        off = z - H @ self._state
        if sensor == "pose":
            off[2] = wrap_angle(float(off[2]))
        S = H @ self._P @ H.T + R
        try:
            nis = float(off @ np.linalg.solve(S, off))
        except np.linalg.LinAlgError:
            raise InvalidInput(
                f"a reading of {sensor} has no variance and nor has the state; give it one"
            ) from None
        refused = self._refused.get(sensor, 0)
        if nis > GATES[len(z)] and refused < self.settings.patience:
            self._refused[sensor] = refused + 1
            self.ignored += 1
            reason = f"{sensor}: {nis:.1f} is beyond the gate of {GATES[len(z)]}"
            return Innovation(False, nis, len(z), reason)
        self._refused[sensor] = 0
        K = np.linalg.solve(S, H @ self._P).T
        self._state = self._state + K @ off
        self._state[YAW] = wrap_angle(float(self._state[YAW]))
        left = np.eye(7) - K @ H
        P = left @ self._P @ left.T + K @ R @ K.T  # Joseph's form stays positive
        self._P = 0.5 * (P + P.T)
        return Innovation(True, nis, len(z))

    def _late(self, stamp: float, size: int) -> Innovation:
        self.ignored += 1
        reason = f"a reading of {stamp:.3f} s came after one of {self._stamp:.3f} s"
        return Innovation(False, 0.0, size, reason)

    def _wheel_covariance(self, twist: Array) -> Array:
        s = self.settings
        speed, turn = hypot(twist[0], twist[1]), abs(float(twist[2]))
        place = s.wheel_speed**2 + (s.wheel_slip * speed) ** 2
        heading = s.wheel_turn**2 + (s.wheel_slip * turn) ** 2
        return np.diag([place, place, heading])

    def _wandered(self, passed: float) -> Array:
        """Return what a time [s] adds to the covariance: white noise on the acceleration."""
        s, Q = self.settings, np.zeros((7, 7))
        rates = np.diag([s.acceleration**2, s.acceleration**2 * s.sideways, s.turn_acceleration**2])
        c, si = cos(self._state[YAW]), sin(self._state[YAW])
        R = np.array([[c, -si, 0.0], [si, c, 0.0], [0.0, 0.0, 1.0]])
        Q[:3, :3] = R @ rates @ R.T * passed**3 / 3.0
        Q[:3, 3:6] = R @ rates * passed**2 / 2.0
        Q[3:6, :3] = Q[:3, 3:6].T
        Q[3:6, 3:6] = rates * passed
        Q[BIAS, BIAS] = s.gyro_bias_wander**2 * passed
        return Q


def _moved(state: Array, passed: float) -> tuple[Array, Array]:
    """Return the Jacobian of going on for a time [s] with the same twist, and the state after."""
    x, y, yaw, vx, vy, wz, _ = state.tolist()
    angle = wz * passed
    along, across, d_along, d_across = _arc(angle)
    c, s = cos(yaw) * passed, sin(yaw) * passed
    forward, left = along * vx - across * vy, across * vx + along * vy
    dx, dy = c * forward - s * left, s * forward + c * left
    F = np.eye(7)
    F[X, YAW], F[Y, YAW] = -dy, dx
    F[X, VX], F[X, VY] = c * along - s * across, -c * across - s * along
    F[Y, VX], F[Y, VY] = s * along + c * across, -s * across + c * along
    d_forward, d_left = d_along * vx - d_across * vy, d_across * vx + d_along * vy
    F[X, WZ] = (c * d_forward - s * d_left) * passed
    F[Y, WZ] = (s * d_forward + c * d_left) * passed
    F[YAW, WZ] = passed
    after = state.copy()
    after[:3] = x + dx, y + dy, wrap_angle(yaw + angle)
    return F, after


def _arc(a: float) -> tuple[float, float, float, float]:
    """Return sin(a) / a, (1 - cos(a)) / a and their slopes."""
    if abs(a) < 1e-3:
        return 1.0 - a * a / 6.0, 0.5 * a, -a / 3.0, 0.5 - a * a / 8.0
    along, across = sin(a) / a, (1.0 - cos(a)) / a
    return along, across, (cos(a) - along) / a, (sin(a) - across) / a


def _step_covariance(drift: Drift, twist: tuple[float, float, float], passed: float) -> Array:
    """Return the variances of a twist that was averaged over a step with a drift."""
    place, heading = drift.added(*(part * passed for part in twist))
    return np.diag([place, place, heading]) / passed**2
