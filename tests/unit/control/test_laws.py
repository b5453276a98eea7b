"""The law of a base that cannot strafe, and the follower that hosts any law. No simulator."""

from math import cos, hypot, inf, pi, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.control.laws import DifferentialTracker
from mecano.control.path_follower import PathFollower
from mecano.control.tracking import Tracker
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2, wrap_angle

PERIOD = 0.01
angles = st.floats(-pi, pi)
speeds = st.one_of(st.floats(0.1, 0.6), st.floats(-0.6, -0.1))


def after(pose: Pose2, twist, period: float = PERIOD) -> Pose2:
    """Return where a base is after a twist in its own frame, exactly."""
    vx, vy, wz = map(float, twist)
    half = 0.5 * period * wz
    chord = period * (sin(half) / half if abs(half) > 1e-9 else 1.0)
    step = Pose2(
        chord * (vx * cos(half) - vy * sin(half)), chord * (vx * sin(half) + vy * cos(half)),
        period * wz,
    )  # fmt: skip
    return pose @ step


def circle(speed: float, bend: float, start: Pose2):
    """Return a reference at an even speed [m/s] on a bend [1/m] from a pose on."""

    def reference(passed: float):
        pose = start @ after(Pose2(), (speed, 0.0, speed * bend), passed)
        return pose, (speed * cos(pose.yaw), speed * sin(pose.yaw), speed * bend)

    return reference


def drive(reference, law, start: Pose2, metres: float, speed: float):
    """Return the error across the path [m] and of the heading [rad] after a distance."""
    follower, pose, passed = PathFollower(reference, inf, law), start, 0.0
    while passed * abs(speed) < metres:
        pose = after(pose, follower.command(passed, pose))
        passed += PERIOD
    error = reference(passed)[0].inverse() @ pose
    return hypot(error.x, error.y), abs(error.yaw)


@given(speed=speeds, bend=st.floats(-3.0, 3.0), x=st.floats(-2, 2), yaw=angles)
def test_on_its_target_a_base_moves_exactly_as_the_target_does(speed, bend, x, yaw):
    pose, twist = circle(speed, bend, Pose2(x, -x, yaw))(0.0)
    command = DifferentialTracker().command(pose, twist, pose)
    np.testing.assert_allclose(command, [speed, 0.0, speed * bend], atol=1e-9)


@given(
    speed=speeds, bend=st.floats(-2.0, 2.0), aside=st.floats(-0.05, 0.05),
    turned=st.floats(-0.6, 0.6), yaw=angles,
)  # fmt: skip
def test_an_error_across_the_path_is_gone_after_a_metre_in_both_directions(
    speed, bend, aside, turned, yaw
):
    origin = Pose2(0.3, -0.2, yaw)
    start = origin @ Pose2(0.0, aside, turned)
    away, skewed = drive(circle(speed, bend, origin), DifferentialTracker(), start, 1.6, speed)
    assert away < 0.002 and skewed < 0.01


@given(x=st.floats(-1, 1), y=st.floats(-1, 1), yaw=angles, speed=speeds)
def test_it_never_asks_to_strafe(x, y, yaw, speed):
    command = DifferentialTracker().command(Pose2(x, y, yaw), (speed, 0.1, 0.2), Pose2())
    assert command[1] == 0.0


@given(heading=angles, goal=angles)
def test_a_turn_on_the_spot_goes_the_short_direction(heading, goal):
    command = DifferentialTracker().command(Pose2(1, 2, goal), None, Pose2(1, 2, heading))
    error = wrap_angle(goal - heading)
    assert command[0] == pytest.approx(0.0, abs=1e-9)
    assert command[2] * error >= 0.0


def test_at_rest_an_error_aside_is_left_alone():
    command = DifferentialTracker().command(Pose2(0.0, 0.01, 0.0), None, Pose2())
    np.testing.assert_allclose(command, 0.0, atol=1e-12)


def test_the_age_of_a_pose_is_not_taken_for_an_error():
    reference = circle(0.3, 1.0, Pose2())
    follower = PathFollower(reference, inf, DifferentialTracker())
    then, now = reference(0.98)[0], reference(1.0)[1]
    command = follower.command(1.0, then, age=0.02)
    assert command[0] == pytest.approx(hypot(now[0], now[1]), abs=2e-4)
    assert follower.errors(then)[0] == pytest.approx(0.0, abs=1e-12)
    naive = PathFollower(reference, inf, DifferentialTracker())
    naive.command(1.0, then)
    assert naive.errors(then)[0] == pytest.approx(0.006, abs=1e-4)


def test_the_same_follower_hosts_the_law_of_a_base_that_strafes():
    reference = circle(0.3, 1.0, Pose2())
    away, skewed = drive(reference, Tracker(), Pose2(0.05, -0.1, 0.5), 1.5, 0.3)
    assert away < 0.002 and skewed < 0.002


def test_a_follower_goes_on_when_poses_get_other_names():
    follower = PathFollower(circle(0.3, 0.5, Pose2()), inf, DifferentialTracker())
    here, there = Pose2(0.1, 0.0, 0.0), Pose2(5.0, -2.0, 1.5)
    before = follower.command(0.5, here)
    follower.moved(here, there)
    np.testing.assert_allclose(follower.command(0.5, there), before, atol=1e-9)


def test_after_the_end_the_reference_is_at_rest():
    follower = PathFollower(lambda t: (Pose2(t, 0, 0), (1.0, 0, 0)), 1.0, DifferentialTracker())
    assert follower.command(1.0, Pose2(1.0, 0, 0))[0] == pytest.approx(1.0)
    assert not follower.ended(1.0)
    assert follower.command(1.5, Pose2(1.0, 0, 0))[0] == pytest.approx(0.0)
    assert follower.ended(1.5)


@pytest.mark.parametrize("options", [{"gain": 0.0}, {"distance": -1.0}, {"damping": float("nan")}])
def test_gains_that_make_no_sense_are_refused(options):
    with pytest.raises(InvalidInput, match="tracker"):
        DifferentialTracker(**options)
