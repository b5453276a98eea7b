from dataclasses import replace

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.messages import BaseReport, Imu, Odometry, Twist
from mecano.core.poses import Pose2
from mecano.core.poses.rotations import wrap_angle
from mecano.estimation.odometry import Odometer
from mecano.estimation.planar_ekf import EkfSettings, PlanarEkf, _moved
from mecano.kinematics.drift import Drift
from mecano.kinematics.wheels import differential

SETTINGS = EkfSettings(acceleration=0.3, turn_acceleration=0.6, wheel_slip=0.0)
STEP, FINE = 0.05, 4
"""Time between readings [s], and steps of the true motion in it."""


def drive(seed, *, steps=200, settings=SETTINGS, bias=0.02):
    """True states and readings of a base that moves as the filter thinks it does."""
    rng = np.random.default_rng(seed)
    pose, twist = Pose2(), np.zeros(3)
    for k in range(1, steps + 1):
        wander = np.array([settings.acceleration] * 2 + [settings.turn_acceleration])
        for _ in range(FINE):
            before, twist = twist, twist + rng.normal(0, wander) * np.sqrt(STEP / FINE)
            pose = pose @ Pose2.exp(0.5 * (before + twist) * STEP / FINE)
        noise = rng.normal(0, [settings.wheel_speed] * 2 + [settings.wheel_turn])
        yield k * STEP, pose, twist, twist + noise, twist[2] + bias + rng.normal(0, settings.gyro)


def error(ekf, pose, twist, bias):
    off = np.zeros(7)
    off[:2] = pose.x - ekf.pose.x, pose.y - ekf.pose.y
    off[2] = wrap_angle(pose.yaw - ekf.pose.yaw)
    off[3:6], off[6] = twist - ekf.twist, bias - ekf.gyro_bias
    return off


def run(seed, *, gyro=True, bias=0.02, settings=SETTINGS, **kwargs):
    ekf, pose = PlanarEkf(settings), Pose2()
    nees, nis = [], []
    for stamp, pose, twist, wheels, rate in drive(seed, bias=bias, **kwargs):
        nis.append(ekf.add_twist(stamp, wheels).nis)
        if gyro:
            ekf.add_turn_rate(stamp, rate)
        off = error(ekf, pose, twist, bias)
        nees.append(off[:3] @ np.linalg.solve(ekf.covariance[:3, :3] + 1e-12 * np.eye(3), off[:3]))
    return ekf, pose, np.array(nees), np.array(nis)


def test_errors_are_as_large_as_the_filter_says():
    # Mean NEES of the pose over 30 drives at one instant: chi-squared with 90 degrees of freedom
    # over 30, whose 99.8 % interval is 1.8 to 4.6.
    biases = np.random.default_rng(9).normal(0, SETTINGS.gyro_bias, 30)
    ends = [run(seed, steps=80, bias=bias)[2][-1] for seed, bias in enumerate(biases)]
    assert 1.8 < np.mean(ends) < 4.6


def test_innovations_are_as_surprising_as_they_should_be():
    nis = np.concatenate([run(seed, steps=150)[3][20:] for seed in range(5)])
    assert np.mean(nis) == pytest.approx(3.0, rel=0.12)


def test_the_gyro_makes_the_heading_surer():
    known = replace(SETTINGS, gyro_bias=1e-4, gyro_bias_wander=0.0)
    ends = {
        gyro: [run(s, gyro=gyro, bias=0.0, settings=known)[:2] for s in range(6)]
        for gyro in (True, False)
    }
    off = {
        gyro: np.mean([abs(wrap_angle(ekf.pose.yaw - pose.yaw)) for ekf, pose in all_of])
        for gyro, all_of in ends.items()
    }
    assert off[True] < off[False]
    assert ends[True][0][0].covariance[2, 2] < 0.5 * ends[False][0][0].covariance[2, 2]


def test_the_bias_of_the_gyro_is_found():
    ekf, *_ = run(3, bias=0.02, steps=600)
    assert ekf.gyro_bias == pytest.approx(0.02, abs=4 * np.sqrt(ekf.covariance[6, 6]))
    assert np.sqrt(ekf.covariance[6, 6]) < 0.005


def test_the_jacobian_is_the_slope_of_the_motion():
    rng = np.random.default_rng(0)
    for turn in (0.0, 1e-4, 0.7, -2.0):
        state = rng.normal(0, 1, 7)
        state[5] = turn
        F, _ = _moved(state, 0.3)
        for i in range(7):
            small = np.zeros(7)
            small[i] = 1e-6
            slope = (_moved(state + small, 0.3)[1] - _moved(state - small, 0.3)[1]) / 2e-6
            np.testing.assert_allclose(F[:, i], slope, atol=1e-5)


def test_prediction_drives_the_same_arc_as_a_pose():
    state = np.array([1.0, 2.0, 0.5, 0.4, -0.2, 0.8, 0.0])
    _, after = _moved(state, 0.7)
    exact = Pose2(1.0, 2.0, 0.5) @ Pose2.exp(state[3:6] * 0.7)
    np.testing.assert_allclose(after[:3], [exact.x, exact.y, exact.yaw], atol=1e-12)


def test_a_wheel_that_spins_is_left_out():
    ekf = PlanarEkf()
    for k in range(1, 50):
        ekf.add_twist(0.02 * k, (0.2, 0.0, 0.0))
    spun = ekf.add_twist(1.0, (3.0, 0.0, 0.0))
    assert not spun.accepted and "gate" in spun.reason
    assert ekf.twist[0] == pytest.approx(0.2, abs=0.02)
    assert ekf.ignored == 1


def test_a_sensor_that_insists_is_believed_again():
    ekf = PlanarEkf()
    for k in range(1, 50):
        ekf.add_twist(0.02 * k, (0.0, 0.0, 0.0))
    for k in range(50, 90):
        ekf.add_twist(0.02 * k, (3.0, 0.0, 0.0))
    assert ekf.twist[0] == pytest.approx(3.0, abs=0.05)


def test_a_differential_base_does_not_slide():
    ekf = PlanarEkf(EkfSettings(sideways=False))
    for k in range(1, 100):
        ekf.add_twist(0.02 * k, (0.3, 0.0, 0.5))
    assert abs(ekf.twist[1]) < 1e-3
    exact = Pose2.exp(np.array([0.3, 0.0, 0.5]) * 0.02 * 99)
    assert ekf.pose.distance_to(exact) < 0.02


def test_messages_and_numbers_do_the_same():
    a, b, c = PlanarEkf(), PlanarEkf(), PlanarEkf()
    covariance = np.diag([1e-4, 1e-4, 0, 0, 0, 4e-4])
    truth = Pose2()
    for k in range(0, 60):
        stamp = 0.05 * k
        planar = Twist.planar(0.3, 0.1, 0.2)
        message = Odometry(
            stamp=stamp, pose=truth.to_pose(), twist=planar, twist_covariance=covariance
        )
        a.add_odometry(message)
        b.add_twist(stamp, (0.3, 0.1, 0.2), np.diag([1e-4, 1e-4, 4e-4]))
        c.add_odometry(message, increments=True)
        for ekf in (a, c):
            ekf.add_imu(Imu(stamp=stamp, angular_velocity=np.array([0.0, 0.0, 0.2])))
        b.add_turn_rate(stamp, 0.2)
        truth = truth @ Pose2.exp(np.array([0.3, 0.1, 0.2]) * 0.05)
    assert a.pose.is_close(b.pose)
    assert c.pose.is_close(a.pose, position_tolerance=0.03, angle_tolerance=0.01)
    assert a.odometry().pose_covariance[5, 5] == pytest.approx(a.covariance[2, 2])


def test_reports_of_a_base_count_with_wheels_and_gyro():
    layout = differential(radius=0.035, separation=0.23)
    odometer = Odometer(layout, 0.01, 65536, (0, 0), 0.0, drift=Drift())
    ekf = PlanarEkf(EkfSettings(sideways=False, gyro_bias=1e-4, gyro_bias_wander=0.0))
    for k in range(1, 101):
        report = BaseReport(stamp=0.02 * k, ticks=(10 * k % 65536, 12 * k % 65536), turn_rate=0.0)
        odometer = ekf.add_report(report, odometer)
    turned = odometer.pose.yaw
    assert abs(turned) > 0.2
    assert abs(ekf.pose.yaw) < 0.5 * abs(turned)  # the gyro, without bias, is surer
    assert ekf.pose.x == pytest.approx(0.035 * 0.01 * 11 * 100, rel=0.1)


def test_a_pose_from_elsewhere_pulls():
    ekf = PlanarEkf(covariance=np.diag([1.0, 1.0, 0.1]))
    ekf.add_pose(0.1, Pose2(1.0, -1.0, 0.2), np.diag([1e-4, 1e-4, 1e-4]))
    assert ekf.pose.is_close(Pose2(1, -1, 0.2), position_tolerance=0.01, angle_tolerance=0.01)
    assert ekf.covariance[0, 0] < 2e-4


def test_headings_are_compared_the_short_way_round():
    ekf = PlanarEkf(pose=Pose2(0, 0, 3.1), covariance=np.diag([0.1, 0.1, 0.1]))
    ekf.add_pose(0.1, Pose2(0, 0, -3.1), np.diag([0.1, 0.1, 0.1]))
    assert abs(abs(ekf.pose.yaw) - np.pi) < 0.05


def test_uncertainty_grows_without_readings_and_stays_symmetric():
    ekf = PlanarEkf()
    ekf.add_twist(0.1, (0.5, 0.0, 0.3))
    before = ekf.covariance
    ekf.predict(2.0)
    assert np.all(np.diag(ekf.covariance)[:3] > np.diag(before)[:3])
    np.testing.assert_allclose(ekf.covariance, ekf.covariance.T, atol=1e-12)
    assert np.linalg.eigvalsh(ekf.covariance).min() > -1e-12


def test_time_that_goes_backwards_changes_nothing():
    ekf = PlanarEkf()
    ekf.add_twist(1.0, (0.5, 0.0, 0.3))
    before = ekf.pose, ekf.covariance.tolist()
    late = ekf.add_turn_rate(0.5, 3.0)
    assert not late.accepted and "came after" in late.reason
    assert (ekf.pose, ekf.covariance.tolist()) == before


@pytest.mark.parametrize(
    "call",
    [
        lambda ekf: ekf.add_twist(1.0, (np.nan, 0.0, 0.0)),
        lambda ekf: ekf.add_twist(1.0, (0.0, 0.0)),
        lambda ekf: ekf.add_twist(np.nan, (0.0, 0.0, 0.0)),
        lambda ekf: ekf.add_twist(1.0, (0.0, 0.0, 0.0), np.eye(2)),
        lambda ekf: ekf.add_turn_rate(1.0, np.inf),
        lambda ekf: ekf.add_turn_rate(1.0, 0.0, -1.0),
        lambda ekf: ekf.add_pose(1.0, Pose2(), np.eye(4)),
        lambda ekf: PlanarEkf(covariance=np.eye(2)),
        lambda ekf: EkfSettings(gyro=-1.0),
    ],
)
def test_bad_numbers_are_refused(call):
    with pytest.raises(InvalidInput):
        call(PlanarEkf())


def test_an_odometer_with_a_gyro_does_not_count_twice():
    layout = differential(radius=0.035, separation=0.23)
    odometer = Odometer(layout, 0.01, 65536, (0, 0), 0.0, heading=0.3)
    with pytest.raises(InvalidInput, match="twice"):
        PlanarEkf().add_odometer(odometer, 0.1)
