"""A base that cannot strafe goes to poses and follows paths, as near as one that can."""

from math import degrees, hypot, pi, sin

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, StageFailed
from mecano.core.poses import Pose2, wrap_angle
from mecano.parts.results import Outcome
from mecano.planning.paths import PathCurve
from mecano.stages.controller_stage import judge_controller
from mecano.stages.user_stage import UserStage

STUDENT = """
from math import atan2, copysign, cos, hypot, sin

def follow(pose, target, target_twist, speed, limits):
    x, y, yaw = pose
    vx, vy, turn = target_twist
    v = copysign(hypot(vx, vy), vx * cos(target[2]) + vy * sin(target[2]))
    dx, dy = target[0] - x, target[1] - y
    ahead, aside = cos(yaw) * dx + sin(yaw) * dy, cos(yaw) * dy - sin(yaw) * dx
    error = atan2(sin(target[2] - yaw), cos(target[2] - yaw))
    return v * cos(error) + 2 * ahead, 0.0, turn + 30 * v * aside + 4 * error

def behind(pose, target, target_twist, speed, limits):
    return 0.2, 0.0, 0.0

def sideways(pose, target, target_twist, speed, limits):
    return 0.1, 0.1, 0.0

def raises(pose, target, target_twist, speed, limits):
    return 1 / 0
"""


@pytest.fixture
def crumb():
    with mecano.connect("crumb", scene="empty") as robot:
        robot.wait(0.3)
        robot.base.reset_odometry(robot.truth.base_pose())
        yield robot


def errors(robot, goal: Pose2) -> tuple[float, float]:
    """Return how far the ground truth is from a goal [m], [deg]."""
    robot.wait(0.5)
    pose = robot.truth.base_pose()
    return hypot(pose.x - goal.x, pose.y - goal.y), degrees(abs(wrap_angle(pose.yaw - goal.yaw)))


def eight(x: float = 0.8, y: float = 0.4) -> PathCurve:
    """Return a figure of eight [m]."""
    angles = np.linspace(0.0, 2.0 * pi, 41)[:-1]
    return PathCurve.through([(x * sin(a), y * sin(2.0 * a)) for a in angles], closed=True)


def cross_track(robot, path: PathCurve, **how) -> float:
    """Follow a path; return the RMS of the ground truth's distance from it [m]."""
    places: list[tuple[float, float]] = []

    def look(session) -> None:
        pose = robot.truth.base_pose()
        places.append((pose.x, pose.y))

    robot.session.observers.append(look)
    assert robot.base.follow_path(path, **how).reached
    robot.session.observers.remove(look)
    line = path.at(np.linspace(0.0, path.length, 5001)).position
    near = [np.hypot(*(line - place).T).min() for place in places]
    return float(np.sqrt(np.mean(np.square(near))))


@pytest.mark.parametrize(
    "seen", [(0.5, 0.3, 1.0), (-0.3, 0.02, 0.1), (0.0, 0.1, 0.0), (0.004, 0.009, 0.1), (0, 0, 2.0)]
)
def test_it_stops_within_a_millimetre_and_a_fifth_of_a_degree(crumb, seen):
    goal = crumb.base.pose @ Pose2(*seen)
    assert crumb.base.go_to(goal).reached
    away, turned = errors(crumb, goal)
    assert away < 0.001 and turned < 0.2


def test_an_error_aside_at_the_end_is_corrected(crumb):
    path = PathCurve.through([(0.0, 0.02), (0.15, 0.02)], kind="polyline")  # too short to steer in
    following = crumb.base.follow_path(path.moved(crumb.base.pose), velocity=0.1, wait=False)
    goal = crumb.base.pose @ Pose2(0.15, 0.02, 0.0)
    assert following.wait().reached
    assert errors(crumb, goal)[0] < 0.001


@pytest.mark.parametrize("heading", [pi, -1.0])
def test_it_turns_to_a_heading(crumb, heading):
    assert crumb.base.turn_to(heading).reached
    assert errors(crumb, Pose2(0, 0, heading))[1] < 0.2


def test_a_goal_close_behind_is_reversed_to_and_a_far_one_is_not(crumb):
    slowest = []
    crumb.session.observers.append(lambda session: slowest.append(crumb.base.speed[0]))
    assert crumb.base.go_to(crumb.base.pose @ Pose2(-0.3, 0.0, 0.0)).reached
    assert min(slowest) < -0.1
    slowest.clear()
    assert crumb.base.go_to(crumb.base.pose @ Pose2(-0.6, 0.0, 0.0)).reached
    assert min(slowest) > -0.02


def test_a_path_is_driven_backwards_if_asked(crumb):
    path = PathCurve.through([(0, 0), (-0.3, 0.05), (-0.6, 0.0)]).moved(crumb.base.pose)
    assert crumb.base.follow_path(path, velocity=0.25, direction="reverse").reached
    pose = crumb.truth.base_pose()
    assert abs(pose.yaw) < 1.0 and hypot(pose.x + 0.6, pose.y) < 0.001


def test_it_turns_on_the_spot_at_a_corner_and_says_so(crumb):
    path = PathCurve.through([(0, 0), (0.3, 0), (0.3, 0.3)], kind="polyline")
    result = crumb.base.follow_path(path.moved(crumb.base.pose), velocity=0.2)
    assert result.reached and result.lag < 0.003
    assert "corner of 90 degrees" in result.remarks[0]


def test_a_pose_of_another_source_takes_the_place_of_odometry(crumb):
    crumb.base.reset_odometry(Pose2(3.0, -2.0, 1.0))
    goal = crumb.truth.base_pose() @ Pose2(0.3, 0.1, 0.5)
    assert crumb.base.go_to(goal, where=crumb.truth.base_pose).reached
    away, turned = errors(crumb, goal)
    assert away < 0.001 and turned < 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bar"), [("crumb", 0.003), ("youbot", 0.001), ("madar_base", 0.001)]
)
def test_a_figure_of_eight_is_kept_to(name, bar):
    with mecano.connect(name, scene="empty") as robot:
        robot.wait(0.3)
        robot.base.reset_odometry(robot.truth.base_pose())
        path = eight().moved(robot.truth.base_pose())
        assert cross_track(robot, path, velocity=0.25) < bar


# --- a user's own law


@pytest.fixture
def student(tmp_path):
    file = tmp_path / "student.py"
    file.write_text(STUDENT)
    return file


def test_a_users_law_keeps_the_base_to_its_path(crumb, student):
    with UserStage("controller", f"{student}:follow") as stage:
        crumb.base.use_controller(stage)
        path = PathCurve.through([(0, 0), (0.3, 0.05), (0.5, 0.2)]).moved(crumb.base.pose)
        assert cross_track(crumb, path, velocity=0.25) < 0.003
        crumb.base.use_controller(None)
    assert crumb.base.turn_to(0.0).reached


@pytest.mark.parametrize(
    ("name", "says"), [("raises", "ZeroDivisionError"), ("sideways", "cannot strafe")]
)
def test_a_users_law_that_fails_stops_the_base(crumb, student, name, says):
    with UserStage("controller", f"{student}:{name}") as stage:
        crumb.base.use_controller(stage)
        following = crumb.base.go_to(Pose2(0.5, 0.0, 0.0), wait=False)
        with pytest.raises(StageFailed, match=says):
            crumb.wait(1.0)
    assert following.result is not None and following.result.outcome is Outcome.STOPPED
    crumb.base.use_controller(None)
    assert crumb.base.turn_to(0.3).reached


def test_the_judge_tells_a_good_law_from_a_bad_one(student):
    with UserStage("controller", f"{student}:follow") as stage:
        assert judge_controller(stage, samples=20).passed
    with UserStage("controller", f"{student}:behind") as stage:
        verdict = judge_controller(stage, samples=20)
    assert not verdict.passed and "600.0 mm" in verdict.checks[1].detail


@pytest.mark.parametrize(
    ("attempt", "says"),
    [
        (lambda base: base.go_to(Pose2(1, 0, 0), direction="sideways"), "direction"),
        (lambda base: base.go_to(Pose2(1, 0, 0), turn_speed=99.0), "turn_speed"),
        (lambda base: base.go_to(Pose2(1, 0, 0), where=lambda: 3), "where"),
        (lambda base: base.turn_to(1.0, within=(0.1,)), "within"),
    ],
)
def test_what_makes_no_sense_is_refused(crumb, attempt, says):
    with pytest.raises(InvalidInput, match=says):
        attempt(crumb.base)
    assert crumb.base.motion is None
