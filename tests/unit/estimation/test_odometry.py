"""Odometry against the arcs that were driven."""

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.estimation.odometry import Odometer, tick_change
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
