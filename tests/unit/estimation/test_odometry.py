"""Odometry against the arcs that were driven."""

from dataclasses import fields
from math import exp, inf, isfinite, nan, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.estimation.odometry import Odometer, tick_change
from mecano.kinematics.drift import Drift, carried, grown
from mecano.kinematics.wheels import differential

KOBUKI = differential(radius=0.035, separation=0.230)
PER_TICK = 0.002436917
MODULO = 65536


def new(**changes) -> Odometer:
    return Odometer(KOBUKI, PER_TICK, MODULO, ticks=(0, 0), stamp=0.0, **changes)


def driven(
    odometer: Odometer, twist, seconds: float, *, rate: float = 50.0, gyro=False
) -> Odometer:
    """Return the odometer after driving exactly; counters are whole ticks and wrap."""
    start, first = odometer.stamp, np.array(odometer.ticks)
    for k in range(1, round(seconds * rate) + 1):
        passed = k / rate
        ticks = np.rint(KOBUKI.rates(twist) * passed / PER_TICK).astype(int) + first
        heading = twist[2] * passed if gyro else None
        odometer = odometer.after(tuple((ticks % MODULO).tolist()), start + passed, heading)
    return odometer


@given(st.integers(-30_000, 30_000), st.integers(0, MODULO - 1))
def test_the_change_of_a_counter_goes_over_its_wrap(change, before):
    assert tick_change(((before + change) % MODULO,), (before,), MODULO)[0] == change


@pytest.mark.parametrize("twist", [(0.5, 0, 0), (-0.3, 0, 0), (0.3, 0, 0.8), (0, 0, 1.5)])
def test_an_arc_ends_where_it_should(twist):
    end = driven(new(), np.array(twist), 20.0).pose
    truth = Pose2.exp(np.array(twist) * 20.0)
    assert np.hypot(end.x - truth.x, end.y - truth.y) < 2e-3
    assert abs((truth.inverse() @ end).yaw) < 2e-3


def test_a_straight_line_of_ticks_has_no_sideways_part():
    end = driven(new(), np.array([0.7, 0.0, 0.0]), 60.0)  # the counters wrap several times
    assert abs(end.pose.y) < 1e-9 and abs(end.pose.yaw) < 1e-9
    assert end.pose.x == pytest.approx(42.0, abs=1e-4)
    assert end.twist[0] == pytest.approx(0.7, abs=0.01)


def test_with_a_gyro_the_heading_is_the_gyros():
    slipping = Odometer(KOBUKI, 1.1 * PER_TICK, MODULO, (0, 0), 0.0, heading=0.0)
    end = driven(slipping, np.array([0.0, 0.0, 1.0]), pi, gyro=True)
    assert abs(end.pose.yaw) == pytest.approx(157 / 50, abs=1e-9)


def test_reading_twice_moves_nothing():
    once = new().after((100, 120), 0.02)
    assert once.after((100, 120), 0.02) is once


def test_a_reset_begins_at_the_origin_and_keeps_the_counters():
    later = driven(new(), np.array([0.5, 0.0, 0.3]), 2.0).reset()
    assert later.pose == Pose2() and later.ticks != (0, 0)
    assert later.reset(Pose2(1.0, 2.0, 0.5)).pose == Pose2(1.0, 2.0, 0.5)


def test_a_missing_counter_is_refused():
    with pytest.raises(InvalidInput, match="1 counters were read, 2 are needed"):
        new().after((1,), 0.02)


# --- speeds behind a filter


def test_filtered_speed_rises_like_a_first_order_lag():
    odometer = new(filter=0.010)
    ticks, rate = 10, 250.0
    for k in range(1, 6):
        odometer = odometer.after((ticks * k, ticks * k), k / rate)
        assert odometer.filtered[0] / odometer.twist[0] == pytest.approx(1 - exp(-k * 0.4))


def test_without_a_filter_speeds_are_those_of_the_last_interval():
    odometer = new(filter=0.0).after((7, 9), 0.02)
    assert odometer.filtered == odometer.twist


# --- how sure it is


def test_without_a_model_of_drift_the_covariance_stays():
    assert not driven(new(), np.array([0.5, 0.0, 0.4]), 2.0).covariance.any()


def test_straight_on_the_place_spreads_sideways_with_the_heading():
    drift = Drift()
    end = driven(new(drift=drift), np.array([0.5, 0.0, 0.0]), 4.0)
    way = end.pose.x
    xx, yy, turn = np.diag(end.covariance)
    assert xx == pytest.approx(drift.place_per_metre * way, rel=1e-6)
    assert turn == pytest.approx(drift.heading_per_metre * way, rel=1e-6)
    # A heading that walks at random throws the place off by its integral: a third of the cube.
    assert yy == pytest.approx(xx + drift.heading_per_metre * way**3 / 3, rel=0.02)


def test_turning_in_place_makes_the_heading_unsure():
    drift = Drift()
    covariance = driven(new(drift=drift), np.array([0.0, 0.0, 1.0]), 3.0).covariance
    assert covariance[2, 2] == pytest.approx(3.0 * drift.heading_per_radian, rel=1e-3)
    assert covariance[0, 0] == pytest.approx(3.0 * drift.place_per_radian, rel=1e-3)


@given(st.floats(-0.5, 0.5), st.floats(-1.0, 1.0), st.floats(-pi, pi))
def test_a_covariance_is_that_of_a_cloud_of_poses(speed, turn, heading):
    """The Jacobian against what it stands for: poses moved one by one."""
    rng = np.random.default_rng(3)
    spread, motion = np.diag([0.02, 0.01, 0.01]), Pose2.exp([speed, 0.1, turn])
    start = Pose2(0.3, -0.2, heading)
    cloud = rng.standard_normal((4000, 3)) @ spread
    c, s = np.cos(cloud[:, 2] + start.yaw), np.sin(cloud[:, 2] + start.yaw)
    moved = np.column_stack([
        cloud[:, 0] + c * motion.x - s * motion.y, cloud[:, 1] + s * motion.x + c * motion.y,
        cloud[:, 2],
    ])  # fmt: skip
    expected = carried(spread @ spread, start, motion)
    np.testing.assert_allclose(np.cov(moved.T), expected, atol=4e-5)


def test_how_a_way_is_cut_does_not_matter():
    twist, whole = np.array([0.4, 0.1, 0.8]), []
    for cuts in (50, 500):
        pose, covariance = Pose2(), np.zeros((3, 3))
        for _ in range(cuts):
            covariance = grown(covariance, pose, twist / cuts, Drift())
            pose = pose @ Pose2.exp(twist / cuts)
        whole.append(covariance)
    np.testing.assert_allclose(*whole, rtol=0.02, atol=1e-6)


def test_a_covariance_is_symmetric_and_grows():
    odometer, sizes = new(drift=Drift()), []
    for twist in ((0.5, 0, 0.4), (0, 0, -1.0), (-0.3, 0, 0.2)):
        odometer = driven(odometer, np.array(twist), 1.0)
        np.testing.assert_allclose(odometer.covariance, odometer.covariance.T, atol=1e-15)
        sizes.append(np.linalg.eigvalsh(odometer.covariance))
    assert (np.array(sizes) > 0.0).all() and (np.diff(sizes, axis=0)[:, -1] > 0.0).all()


def test_after_a_reset_it_is_sure():
    end = driven(new(drift=Drift()), np.array([0.5, 0.0, 0.4]), 1.0)
    assert end.covariance.any() and not end.reset().covariance.any()


def test_a_negative_variance_is_refused():
    with pytest.raises(InvalidInput, match=r"Drift.place_per_metre is -1"):
        Drift(place_per_metre=-1.0)


# --- encoders that jump

FASTEST = 20.0
"""Of Kobuki's wheels [rad/s]."""


def walk(odometer: Odometer, readings: list[tuple[int, int]]) -> Odometer:
    start = odometer.stamp
    for k, ticks in enumerate(readings, start=1):
        odometer = odometer.after(ticks, start + 0.02 * k)
        assert all(map(isfinite, (*odometer.pose.log(), *odometer.twist, *odometer.filtered)))
    return odometer


def straight(count: int, *, first: int = 0, left: int = 0) -> list[tuple[int, int]]:
    """Return readings of a straight way of 40 ticks each, the left counter shifted."""
    steps = range(first + 1, first + count + 1)
    return [((40 * k + left) % MODULO, 40 * k % MODULO) for k in steps]


def test_a_glitch_of_one_reading_costs_nothing():
    good = straight(20)
    spoilt = [*good[:9], (good[9][0] + 20_000, good[9][1]), *good[10:]]
    end, should = walk(new(fastest=FASTEST), spoilt), walk(new(), good)
    assert end.pose.is_close(should.pose) and end.turned == should.turned
    assert end.jumps == 1 and end.jump is not None and end.jump.wheels == ("left",)
    assert end.jump.change[0] == pytest.approx(20_080 * PER_TICK - 40 * PER_TICK, rel=0.01)
    assert "encoders jumped at 0.200 s: left by" in str(end.jump)


@pytest.mark.parametrize("left", [5_000, -30_000])
def test_a_counter_that_is_set_anew_goes_on_from_there(left):
    end = walk(new(fastest=FASTEST), [*straight(10), *straight(10, first=10, left=left)])
    should = walk(new(), straight(20))
    assert end.pose.is_close(should.pose, position_tolerance=1e-9) and end.jumps == 1


def test_without_limits_a_jump_would_throw_it_off():
    readings = [*straight(10), *straight(10, first=10, left=5_000)]
    assert walk(new(), readings).pose.distance_to(walk(new(), straight(20)).pose) > 0.15


def test_a_counter_that_jumps_all_the_time_never_breaks_it():
    rng = np.random.default_rng(0)
    wild = [tuple(rng.integers(0, MODULO, 2).tolist()) for _ in range(500)]
    end = walk(new(fastest=FASTEST), wild)
    assert end.jumps > 400


@pytest.mark.parametrize("bad", [nan, inf, -inf])
def test_what_is_no_number_is_ignored(bad):
    readings = straight(10)
    spoilt = [*readings[:4], (bad, 200), *readings[5:]]
    end = walk(new(fastest=FASTEST), spoilt)
    assert end.pose.is_close(walk(new(), readings).pose) and end.jumps == 1
    assert new().after((1, 2), nan).stamp == 0.0 and new().after((1, 2), 0.02, nan).jumps == 1


def test_the_fastest_wheel_is_no_jump():
    assert driven(new(fastest=FASTEST), np.array([0.7, 0.0, 0.0]), 2.0).jumps == 0
    assert driven(new(fastest=FASTEST), np.array([0.0, 0.0, pi]), 2.0).jumps == 0


def test_absolute_encoders_may_begin_anywhere():
    shifted = Odometer(KOBUKI, PER_TICK, MODULO, ticks=(40_000, 65_000), stamp=0.0, fastest=FASTEST)
    end = walk(shifted, [(a + 40_000, (b + 65_000) % MODULO) for a, b in straight(30)])
    assert end.pose.is_close(walk(new(), straight(30)).pose) and end.jumps == 0


def test_a_base_that_stands_is_one_that_moves_by_nothing():
    odometer = driven(new(drift=Drift(), filter=0.05), np.array([0.5, 0.0, 0.4]), 0.5)
    stood = odometer.after(odometer.ticks, odometer.stamp + 0.02, odometer.heading)
    moved = odometer._moved([0, 0], odometer.ticks, odometer.stamp + 0.02, odometer.heading)
    for field in fields(odometer):
        ours, full = getattr(stood, field.name), getattr(moved, field.name)
        if isinstance(ours, np.ndarray):
            np.testing.assert_array_equal(ours, full)
        else:
            assert ours == full
