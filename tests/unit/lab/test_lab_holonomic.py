"""A base that drives in any direction: strafing, paths, moving targets, and what it says."""

from math import degrees, hypot, pi, radians

import numpy as np
import pytest

import mecano
from mecano.control.tracking import Tracker
from mecano.core.errors import InvalidInput, UnknownName, UserCodeFailed
from mecano.core.poses import Pose2
from mecano.parts.results import Outcome
from mecano.planning.paths import PathCurve
from mecano.robots.youbot import paper


@pytest.fixture
def robot():
    with mecano.connect("youbot", scene="empty") as robot:
        robot.wait(0.2)
        yield robot


def true_pose(robot):
    return robot.truth.base_pose()


def apart(a: Pose2, b: Pose2) -> float:
    """Return how far two poses are from each other [m]."""
    return hypot(a.x - b.x, a.y - b.y)


# --- laws: what was asked for is what happens


@pytest.mark.parametrize(
    ("speed", "left", "turn"),
    [(0.3, 0, 0), (-0.3, 0, 0), (0, 0.3, 0), (0, -0.3, 0), (0.2, 0.2, 0), (0, 0, 0.8)],
)
def test_it_goes_where_the_twist_says(robot, speed, left, turn):
    robot.base.drive_for(2.0, speed, turn, left=left)
    robot.wait(0.2)
    pose = true_pose(robot)
    assert pose.x == pytest.approx(2.0 * speed, abs=0.002)
    assert pose.y == pytest.approx(2.0 * left, abs=0.002)
    assert pose.yaw == pytest.approx(2.0 * turn, abs=0.002)


@pytest.mark.parametrize("direction", [0.0, pi / 2, pi, -pi / 2, 0.7])
def test_a_move_goes_straight_in_any_direction(robot, direction):
    result = robot.base.move(0.4, direction=direction)
    robot.wait(0.2)
    pose = true_pose(robot)
    assert result.reached
    np.testing.assert_allclose(
        [pose.x, pose.y], 0.4 * np.array([np.cos(direction), np.sin(direction)]), atol=0.004
    )
    assert abs(pose.yaw) < 0.003


def test_odometry_is_the_truth_as_far_as_wheels_do_not_slip(robot):
    rng = np.random.default_rng(3)
    for _ in range(6):
        robot.base.drive_for(
            1.0,
            *rng.uniform(-0.3, 0.3, 1),
            turn=rng.uniform(-0.8, 0.8),
            left=rng.uniform(-0.3, 0.3),
        )
    robot.wait(0.2)
    assert apart(robot.base.pose, true_pose(robot)) < 0.006
    assert robot.base.pose.yaw == pytest.approx(true_pose(robot).yaw, abs=0.005)


def test_wheels_are_never_asked_for_more_than_they_can(robot):
    fastest = []
    names = [f"youbot/{n}" for n in robot.base.facts.layout.names]
    numbers = [robot.world.index("actuator", n) for n in names]
    robot.session.observers.append(
        lambda session: fastest.append(np.abs(robot.world.data.ctrl[:99])[numbers].max())
    )
    for _ in range(10):
        robot.base.drive(0.7, 1.8, left=0.7)
        robot.wait(0.2)
    assert max(fastest) <= 14.81 + 1e-9
    vx, vy, wz = robot.base.speed
    assert vx == pytest.approx(vy) and wz / vx == pytest.approx(1.8 / 0.7)


def test_turned_wheels_are_drawn_turned(robot):
    robot.base.drive_for(1.0, 0.3)
    drawn = robot.world.data.joint("youbot/wheel_joint_fl_turn").qpos[0]
    assert drawn == pytest.approx(0.3 / 0.05, abs=0.05)


# --- going somewhere


def test_go_to_reaches_a_pose(robot):
    goal = Pose2(0.5, -0.3, radians(70))
    result = robot.base.go_to(goal)
    robot.wait(0.2)
    assert result.reached and apart(true_pose(robot), goal) < 0.004
    assert true_pose(robot).yaw == pytest.approx(goal.yaw, abs=0.005)


def test_go_to_where_it_stands_only_turns(robot):
    result = robot.base.go_to(Pose2(robot.base.pose.x, robot.base.pose.y, 1.0))
    assert result.reached and true_pose(robot).yaw == pytest.approx(1.0, abs=0.005)


@pytest.mark.parametrize("heading", [pi, -pi / 2, 0.01])
def test_turn_to_ends_at_the_heading(robot, heading):
    result = robot.base.turn_to(heading)
    assert result.reached
    assert degrees(abs((true_pose(robot).yaw - heading + pi) % (2 * pi) - pi)) < 0.3


def test_a_spline_is_followed_and_the_end_is_met(robot):
    path = PathCurve.through(
        [Pose2(0, 0, 0), Pose2(0.6, 0.1, 0.3), Pose2(0.9, 0.6, 0.6), Pose2(0.9, 1.1, 0.6)]
    )
    result = robot.base.follow_path(path, velocity=0.3, acceleration=0.8)
    robot.wait(0.2)
    assert result.reached and result.position_error < 0.001
    assert apart(true_pose(robot), Pose2(0.9, 1.1)) < 0.004
    assert result.lag < 0.012


def test_position_only_keeps_the_heading(robot):
    path = PathCurve.through([(0, 0), (0.4, 0), (0.4, 0.4)])
    result = robot.base.follow_path(path, velocity=0.3, mode="position")
    assert result.reached and abs(true_pose(robot).yaw) < 0.004


def test_a_corner_slows_it_down_and_it_says_so(robot):
    path = PathCurve.through(
        [Pose2(0, 0, 0), Pose2(0.4, 0, 0), Pose2(0.4, 0.4, 0)], kind="polyline"
    )
    result = robot.base.follow_path(path, velocity=0.4)
    assert result.reached and "corner of 90 degrees" in result.remarks[0]


def test_what_the_wheels_cannot_do_slows_it_down_and_it_says_so(robot):
    path = PathCurve.through([Pose2(0, 0, 0), Pose2(1.0, 1.0, 0)], kind="polyline")
    result = robot.base.follow_path(path, velocity=0.8, acceleration=1.0)
    assert result.reached and any("the wheels" in remark for remark in result.remarks)


def test_the_papers_law_lags_behind_and_feed_forward_does_not(robot):
    def target(passed):
        return Pose2(0.3 * passed, 0.0, 0.0), (0.3, 0.0, 0.0)

    lags = {}
    for tracker in (Tracker(**paper.TRACKER), Tracker()):
        robot.reset()
        following = robot.base.follow_target(target, tracker=tracker, duration=6.0)
        robot.wait(5.5)
        lags[tracker], _ = following.errors()
        following.stop()
    assert lags[Tracker(**paper.TRACKER)] == pytest.approx(0.3, abs=0.02)
    assert lags[Tracker()] < 0.015


def test_a_path_goes_on_when_odometry_begins_anew(robot):
    path = PathCurve.through([Pose2(0, 0, 0), Pose2(0.8, 0, 0)], kind="polyline")
    following = robot.base.follow_path(path, velocity=0.3, wait=False)
    robot.wait(1.0)
    robot.base.reset_odometry(Pose2(5.0, 5.0, 1.0))
    result = following.wait()
    robot.wait(0.2)
    assert result.reached and apart(true_pose(robot), Pose2(0.8, 0.0)) < 0.004


def test_a_path_that_begins_elsewhere_is_gone_to_at_the_asked_speed(robot):
    fastest = []
    robot.session.observers.append(lambda session: fastest.append(hypot(*robot.base.speed[:2])))
    path = PathCurve.through([Pose2(0.5, 0, 0), Pose2(0.8, 0, 0)], kind="polyline")
    result = robot.base.follow_path(path, velocity=0.2)
    assert result.reached and max(fastest) < 0.23
    assert result.remarks[0] == "goes 0.50 m straight to the beginning of the path first"
    assert apart(true_pose(robot), Pose2(0.8, 0)) < 0.004


def test_a_path_that_looks_elsewhere_is_turned_to_first(robot):
    path = PathCurve.through([Pose2(0, 0, 2.0), Pose2(0.3, 0, 2.0)], kind="polyline")
    result = robot.base.follow_path(path, velocity=0.2)
    assert result.reached and result.remarks[0] == "turns by 115 degrees first"
    assert result.lag < 0.02


@pytest.mark.parametrize(
    ("target", "error", "says"),
    [
        (lambda t: 1 / 0, UserCodeFailed, "ZeroDivisionError"),
        (lambda t: None, InvalidInput, "returned None"),
        (lambda t: Pose2(), InvalidInput, "Pose2 and"),
        (lambda t: (Pose2(0.4 * t, 0, 0), (0.4 / (t < 0.5), 0, 0)), UserCodeFailed, "division"),
    ],
)
def test_a_target_that_is_wrong_ends_the_motion_and_nothing_else(robot, target, error, says):
    with pytest.raises(error, match=says):
        robot.base.follow_target(target, duration=2.0, wait=True)
    robot.stop()
    robot.wait(1.0)
    assert robot.base.at_rest()
    assert robot.base.go_to(Pose2(0.3, 0.0, 0.0)).reached


def test_encoders_of_wheels_are_noisy_when_asked():
    def ticks(noise, seed):
        with mecano.connect("youbot", scene="empty", noise=noise, seed=seed) as robot:
            robot.wait(0.5)
            return robot.base.report().ticks, robot.base.report(clean=True).ticks

    assert ticks(False, 1) == ticks(False, 2)
    noisy, clean = ticks(True, 1)
    assert noisy != clean
    off = [(a - b + 2**31) % 2**32 - 2**31 for a, b in zip(clean, ticks(False, 1)[0], strict=True)]
    assert max(map(abs, off)) <= 1  # the wheels settle by a few ticks, and slip at that
    assert noisy != ticks(True, 2)[0]


# --- ends


def test_another_command_takes_the_place_of_a_path(robot):
    path = PathCurve.through([Pose2(0, 0, 0), Pose2(0.8, 0, 0)], kind="polyline")
    following = robot.base.follow_path(path, velocity=0.3, wait=False)
    robot.wait(0.5)
    robot.base.drive(0.1)
    assert following.result.outcome is Outcome.REPLACED


def test_wheels_that_slip_at_a_wall_deceive_odometry_and_nothing_hangs():
    import mujoco

    def wall(spec):
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 1.0, 0.3], pos=[0.6, 0, 0.3]
        )

    with mecano.connect("youbot", scene="empty", changes=[wall]) as robot:
        path = PathCurve.through([Pose2(0, 0, 0), Pose2(1.0, 0, 0)], kind="polyline")
        result = robot.base.follow_path(path, velocity=0.3)
        assert result.reached and robot.base.pose.x == pytest.approx(1.0, abs=0.002)
        assert true_pose(robot).x < 0.4


def test_snapshots_go_on_bit_for_bit(robot):
    robot.base.drive_for(0.5, 0.2, 0.3, left=0.1)
    kept = robot.snapshot()
    robot.base.drive_for(0.5, 0.1, left=-0.2)
    first = robot.state_hash()
    robot.restore(kept)
    robot.base.drive_for(0.5, 0.1, left=-0.2)
    assert robot.state_hash() == first


def test_rollers_are_chosen_by_a_word():
    with mecano.connect("youbot", scene="empty", variant="rollers") as robot:
        robot.base.drive_for(0.5, 0.2)
        assert robot.description.name == "youbot_rollers"
        assert robot.base.pose.x == pytest.approx(0.1, abs=0.01)
    with pytest.raises(UnknownName, match="balls, rollers"):
        mecano.connect("youbot", variant="square")


# --- edges


def test_a_base_with_plain_wheels_cannot_strafe_and_says_so():
    with mecano.connect("crumb", scene="empty") as crumb:
        for attempt in (
            lambda: crumb.base.drive(left=0.1),
            lambda: crumb.base.move(0.2, direction=0.5),
        ):
            with pytest.raises(InvalidInput, match="cannot strafe"):
                attempt()
        assert crumb.base.move(-0.1, direction=pi).reached  # forwards


@pytest.mark.parametrize(
    ("attempt", "says"),
    [
        (lambda base: base.drive(left=9.0), r"left \[m/s\]"),
        (lambda base: base.drive(left=float("nan")), "left"),
        (lambda base: base.move(0.1, direction=float("inf")), "direction"),
        (lambda base: base.go_to((1, 2)), "Pose2"),
        (lambda base: base.turn_to("north"), "heading"),
        (lambda base: base.follow_path(PathCurve.circle((1, 0), 1.0), velocity=9.0), "velocity"),
        (lambda base: base.follow_path(PathCurve.circle((1, 0), 1.0), velocity=-1.0), "velocity"),
        (lambda base: PathCurve.through([(0, 0)]), "2"),
        (lambda base: base.follow_path("round", velocity=0.1), "PathCurve"),
        (lambda base: base.follow_target(Pose2()), "function of the time"),
        (lambda base: base.follow_target(lambda t: None, duration=-1.0), "duration"),
        (lambda base: base.go_to(Pose2(1, 0, 0), within=0.1), "within"),
        (lambda base: base.go_to(Pose2(1, 0, 0), within=(0.0, 0.0)), "within"),
    ],
)
def test_what_makes_no_sense_is_refused(robot, attempt, says):
    before = robot.state_hash()
    with pytest.raises(InvalidInput, match=says):
        attempt(robot.base)
    assert robot.state_hash() == before and robot.base.motion is None


def test_names_that_are_not_there_are_answered_with_those_that_are():
    with mecano.connect("youbot", scene="transport") as robot:
        with pytest.raises(UnknownName, match="route_1, route_2, route_3"):
            robot.paths["route_9"]
        with pytest.raises(UnknownName, match="left, right"):
            robot.ranges["front"]
