"""Motion messages: no NaN passes, covariances are covariances."""

import math

import numpy as np
import pytest

from mecano.core import (
    BatteryState,
    Imu,
    InvalidInput,
    Odometry,
    Pose,
    Pose2,
    PoseStamped,
    PoseWithCovarianceStamped,
    TransformStamped,
    Twist,
    TwistStamped,
    UnknownName,
    Wrench,
    WrenchStamped,
)


def test_planar_twist_fills_only_the_plane():
    np.testing.assert_array_equal(Twist.planar(1.0, 2.0, 3.0).vector(), [1, 2, 0, 0, 0, 3])


def test_twist_vector_drives_the_exponential():
    driven = Pose.exp(Twist.planar(0.4, 0.1, 0.7).vector())
    assert driven.is_close(Pose2.exp([0.4, 0.1, 0.7]).to_pose())


@pytest.mark.parametrize(
    ("kind", "field"),
    [(Twist, "linear"), (Twist, "angular"), (Wrench, "force"), (Wrench, "torque")],
)
@pytest.mark.parametrize("value", [[0.0, math.nan, 0.0], [0.0, 0.0], 1.0])
def test_broken_vector_is_refused_by_name(kind, field, value):
    with pytest.raises(InvalidInput, match=rf"{kind.__name__}\.{field}"):
        kind(**{field: value})


@pytest.mark.parametrize("field", ["pose_covariance", "twist_covariance"])
@pytest.mark.parametrize(
    ("covariance", "problem"),
    [
        (np.eye(3), "shape"),
        (-np.eye(6), "never negative"),
        (np.eye(6) + np.eye(6, k=1), "not symmetric"),
        (np.full((6, 6), math.nan), "not finite"),
    ],
)
def test_broken_covariance_is_refused(field, covariance, problem):
    with pytest.raises(InvalidInput, match=problem):
        Odometry(**{field: covariance})


def test_fresh_odometry_rests_at_the_origin():
    odometry = Odometry(frame="odom", child_frame="base_footprint")
    assert odometry.pose.is_close(Pose.identity())
    assert not odometry.twist.vector().any()


def test_imu_quaternion_is_normalised():
    imu = Imu(angular_velocity=np.zeros(3), orientation=np.array([2.0, 0.0, 0.0, 0.0]))
    np.testing.assert_array_equal(imu.orientation, [1.0, 0.0, 0.0, 0.0])


def test_imu_without_accelerometer_says_none():
    assert Imu(angular_velocity=np.zeros(3)).linear_acceleration is None


@pytest.mark.parametrize(
    "broken",
    [
        {"angular_velocity": np.full(3, math.nan)},
        {"linear_acceleration": np.zeros(2)},
        {"orientation": np.zeros(4)},
        {"orientation_covariance": np.eye(6)},
    ],
)
def test_broken_imu_is_refused(broken):
    with pytest.raises(InvalidInput):
        Imu(**{"angular_velocity": np.zeros(3), **broken})


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (PoseStamped, {"pose": Pose()}),
        (PoseWithCovarianceStamped, {"pose": Pose()}),
        (TransformStamped, {"transform": Pose(), "child_frame": "tool"}),
        (TwistStamped, {"twist": Twist()}),
        (WrenchStamped, {"wrench": Wrench()}),
        (BatteryState, {"voltage": 12.0}),
    ],
)
def test_stamped_message_refuses_a_broken_stamp(kind, content):
    assert kind(stamp=2, frame="base", **content).stamp == 2.0
    with pytest.raises(InvalidInput, match="stamp"):
        kind(stamp=math.nan, **content)


@pytest.mark.parametrize(
    "broken", [{"percentage": 80.0}, {"voltage": math.nan}, {"current": math.inf}]
)
def test_broken_battery_state_is_refused(broken):
    with pytest.raises(InvalidInput):
        BatteryState(**{"voltage": 12.0, **broken})


def test_unknown_battery_status_lists_the_known_ones():
    with pytest.raises(UnknownName, match="did you mean 'charging'"):
        BatteryState(voltage=12.0, status="chargin")  # pyright: ignore[reportArgumentType]
