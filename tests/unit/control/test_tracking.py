"""Keeping up with a moving target: lag without feed-forward, none with it, one way round."""

import math
from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.control.tracking import Tracker
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.planning.paths import PathCurve
from mecano.planning.speed_profiles import PathLimits, pace_path
from mecano.robots.youbot import paper

PAPER_TRACKER = Tracker(**paper.TRACKER)

PERIOD = 0.05
"""Of the simulation in the paper [s]."""

numbers = st.floats(-3.0, 3.0)
poses = st.builds(Pose2, numbers, numbers, st.floats(-pi, pi))


def drive(tracker: Tracker, velocity, *, start=Pose2(), period=PERIOD, seconds=15.0):  # noqa: B008
    """Follow a target of constant velocity with an ideal base; return both at the end."""
    base, steps = start, round(seconds / period)
    target = Pose2()
    for step in range(steps):
        time = step * period
        target = Pose2(*(np.asarray(velocity) * time))
        base = base @ Pose2.exp(tracker.command(target, velocity, base) * period)
    return target, base


# --- laws


@given(target=poses, actual=poses)
def test_the_command_points_at_the_target(target, actual):
    command = Tracker(gain=2.0).command(target, None, actual)
    error = np.array([target.x - actual.x, target.y - actual.y])
    np.testing.assert_allclose(actual.rotation_matrix() @ command[:2], 2.0 * error, atol=1e-9)


@given(pose=poses, twist=st.tuples(numbers, numbers, numbers))
def test_on_the_target_the_command_is_the_motion_of_the_target(pose, twist):
    command = Tracker().command(pose, twist, pose)
    np.testing.assert_allclose(pose.rotation_matrix() @ command[:2], twist[:2], atol=1e-9)
    assert command[2] == twist[2]


@given(target=poses, actual=poses, frame=poses, twist=st.tuples(numbers, numbers, numbers))
def test_the_command_does_not_depend_on_the_frame_of_the_world(target, actual, frame, twist):
    tracker = Tracker()
    if abs(abs(tracker.heading_error(target.yaw, actual.yaw)) - pi) < 0.1:
        return
    moved = [*(frame.rotation_matrix() @ twist[:2]), twist[2]]
    np.testing.assert_allclose(
        tracker.command(frame @ target, moved, frame @ actual),
        tracker.command(target, twist, actual),
        atol=1e-8,
    )


@given(target=st.floats(-10, 10), actual=st.floats(-10, 10), side=st.sampled_from([1, -1]))
def test_turning_by_the_error_gives_the_target(target, actual, side):
    tracker = Tracker(half_turn=side)
    error = tracker.heading_error(target, actual)
    assert abs(error) <= pi + tracker.half_turn_band
    assert math.cos(actual + error - target) == pytest.approx(1.0)


# --- lag


@pytest.mark.parametrize(("speed", "sheet"), [(0.3, 0.285), (0.4, 0.38), (0.5, 0.475)])
def test_the_law_of_the_paper_lags_as_the_sheet_says(speed, sheet):
    # youbot.md 9: with gain 1 1/s and a step of 0.05 s, seen just after the step of the base
    target, base = drive(PAPER_TRACKER, (0.0, speed, 0.0))
    assert target.distance_to(base) == pytest.approx(sheet, abs=1e-4)
    assert target.distance_to(base) == pytest.approx(PAPER_TRACKER.lag(speed) * (1 - PERIOD))


@pytest.mark.parametrize("gain", [0.5, 1.0, 3.0])
def test_with_short_steps_the_lag_is_speed_over_gain(gain):
    tracker = Tracker(gain=gain, feed_forward=False)
    target, base = drive(tracker, (0.3, 0.0, 0.0), period=5e-3)
    assert target.distance_to(base) == pytest.approx(0.3 / gain, rel=0.02)
    assert tracker.lag(0.3) == pytest.approx(0.3 / gain)


def test_with_feed_forward_it_stays_on_the_target_but_for_one_step():
    target, base = drive(Tracker(gain=1.0), (0.3, 0.0, 0.0))
    ahead = Pose2(target.x + 0.3 * PERIOD, target.y, target.yaw)  # where the target is by then
    assert ahead.distance_to(base) < 1e-6
    assert Tracker().lag(0.3) == 0.0


def test_with_feed_forward_an_error_at_the_start_dies_out():
    target, base = drive(Tracker(gain=1.0), (0.3, 0.1, 0.0), start=Pose2(-0.5, 0.3, 2.0))
    ahead = Pose2(target.x + 0.3 * PERIOD, target.y + 0.1 * PERIOD, target.yaw)
    assert ahead.is_close(base, position_tolerance=1e-6, angle_tolerance=1e-6)


@pytest.mark.parametrize(("tracker", "most"), [(Tracker(gain=3.0), 0.006), (PAPER_TRACKER, 0.31)])
def test_on_route_1_feed_forward_is_fifty_times_closer(tracker, most):
    points = [(1.5, 4), (1.5, 3), (0.8, 2.2), (-0.1246, 1.9), (-0.1246, 1.362)]
    path = PathCurve.through(points, heading=-pi / 2)
    timed = pace_path(path, PathLimits(velocity=0.3, acceleration=1.0))
    base, worst, period = path.pose(0.0), 0.0, 0.05
    assert isinstance(base, Pose2)
    for time in np.arange(0.0, timed.duration, period):
        now, then = timed.at(time), timed.at(time + period)
        base = base @ Pose2.exp(tracker.command(now.pose, now.twist, base) * period)  # type: ignore[arg-type]
        worst = max(worst, then.pose.distance_to(base))  # type: ignore[arg-type]
    assert 0.25 * most < worst < most


def test_after_waiting_3_s_the_law_of_the_paper_has_5_percent_left():
    base, target = Pose2(-0.285, 0.0), Pose2()
    for _ in range(round(3.0 / PERIOD)):
        base = base @ Pose2.exp(PAPER_TRACKER.command(target, None, base) * PERIOD)
    assert base.distance_to(target) / 0.285 == pytest.approx(0.046, abs=0.001)  # youbot.md 9


# --- half turns


@pytest.mark.parametrize("noise", [-0.02, -1e-12, 0.0, 1e-12, 0.02])
@pytest.mark.parametrize("side", [1, -1])
def test_a_half_turn_goes_the_chosen_way_whatever_the_noise(noise, side):
    tracker = Tracker(half_turn=side)
    command = tracker.command(Pose2(0, 0, -pi / 2), None, Pose2(0, 0, pi / 2 + noise))
    assert command[2] * side > 0.0


def test_outside_the_band_it_takes_the_short_way():
    assert Tracker().heading_error(-3.0, 0.0) == -3.0
    assert Tracker(half_turn=-1).heading_error(3.0, 0.0) == 3.0


def test_the_half_turn_of_the_paper_comes_to_1_degree_after_52_s():
    # youbot.md 9, unsaturated: ln(180) = 5.19 s in continuous time, 102 steps of 0.05 s
    base, time = Pose2(0, 0, pi / 2), 0.0
    while base.angle_to(Pose2(0, 0, -pi / 2)) > math.radians(1.0):
        base = base @ Pose2.exp(PAPER_TRACKER.command(Pose2(0, 0, -pi / 2), None, base) * PERIOD)
        time += PERIOD
    assert time == pytest.approx(5.2, abs=0.11)


# --- edges


def test_following_the_position_only_leaves_the_heading_alone():
    command = Tracker().command(Pose2(1, 0, 1), (0, 0, 2), Pose2(), turn=False)
    np.testing.assert_allclose(command, (3.0, 0.0, 0.0))


def test_without_feed_forward_the_motion_of_the_target_changes_nothing():
    with_it = PAPER_TRACKER.command(Pose2(1, 2, 1), (1, 2, 3), Pose2())
    np.testing.assert_array_equal(with_it, PAPER_TRACKER.command(Pose2(1, 2, 1), None, Pose2()))


def test_the_heading_may_have_a_gain_of_its_own():
    command = Tracker(gain=1.0, turn_gain=4.0).command(Pose2(1, 0, 0.5), None, Pose2())
    np.testing.assert_allclose(command, (1.0, 0.0, 2.0))


@pytest.mark.parametrize("options", [{"gain": 0.0}, {"gain": -1.0}, {"gain": math.nan}])
def test_a_bad_gain_is_refused(options):
    with pytest.raises(InvalidInput, match="gain of the tracker"):
        Tracker(**options)


def test_a_bad_turn_gain_is_refused_by_name():
    with pytest.raises(InvalidInput, match="turn_gain of the tracker is 0 1/s"):
        Tracker(turn_gain=0.0)


def test_a_bad_side_for_half_turns_is_refused():
    with pytest.raises(InvalidInput, match="half_turn is 0, allowed: 1"):
        Tracker(half_turn=0)


@pytest.mark.parametrize("twist", [(1.0, 2.0), (1.0, math.nan, 0.0)])
def test_a_bad_twist_of_the_target_is_refused(twist):
    with pytest.raises(InvalidInput, match="twist of the target"):
        Tracker().command(Pose2(), twist, Pose2())
