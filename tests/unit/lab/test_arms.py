"""Arms that move together: in time, around each other, and with one thing between them."""

from math import pi

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose, Pose2
from mecano.lab.robot import Robot
from mecano.parts.results import Outcome


@pytest.fixture
def robot() -> Robot:
    return mecano.connect("madar", start="carry")


def apart(robot: Robot) -> np.ndarray:
    """Where the left tool is in truth, seen from the right one."""
    right, left = (robot.truth.tool_pose(name) for name in ("right", "left"))
    return (right.inverse() @ left).position


# --- two arms, one time


def test_both_arms_arrive_together(robot):
    result = robot.arms.move_joints("ready")
    assert result.reached
    right, left = (result.each[name].duration for name in ("right", "left"))
    assert right == pytest.approx(left, abs=0.05)


def test_a_move_of_one_arm_leaves_the_other(robot):
    before = robot.arms["left"].commanded.copy()
    assert robot.arms.move_joints({"right": "ready"}).reached
    np.testing.assert_array_equal(robot.arms["left"].commanded, before)


def test_arms_that_would_meet_are_refused_with_the_pair_and_the_overlap(robot):
    """Both hands to the same place in the middle."""
    goals = {}
    for name, arm in robot.arms.items():
        answer = arm.chain.inverse([0.55, 0.0, 1.0], quaternion=(1, 0, 0, 0), start=arm.commanded)
        goals[name] = answer.solutions[0]
    before = robot.arms.postures({})
    result = robot.arms.move_joints(goals)
    assert result.outcome is Outcome.BLOCKED
    assert "madar/left_" in result.message and "madar/right_" in result.message
    assert "mm inside" in result.message
    np.testing.assert_array_equal(robot.arms.postures({}), before)


def test_one_arm_into_the_body_is_refused(robot):
    arm = robot.arms["right"]
    answer = arm.chain.inverse([0.2, 0.0, 0.6], quaternion=(1, 0, 0, 0), start=arm.commanded)
    if answer.reached:
        result = arm.move_joints(answer.solutions[0])
        assert result.outcome is Outcome.BLOCKED
        assert "mm inside" in result.message


def test_one_arm_that_is_stopped_stops_the_other(robot):
    motion = robot.arms.move_joints("ready", speed=0.2, wait=False)
    robot.wait(0.3)
    robot.arms["left"].stop()
    robot.wait(0.1)
    assert motion.done and motion.result.outcome is Outcome.STOPPED


# --- around what is in the way


@pytest.mark.slow
def test_out_of_the_folded_posture_around_the_body():
    robot = mecano.connect("madar")
    result = robot.arms.move_free("ready")
    assert result.reached, result.message
    assert robot.arms.move_free("home").reached


@pytest.mark.slow
def test_the_same_seed_finds_the_same_way():
    hashes = set()
    for _ in range(2):
        robot = mecano.connect("madar", seed=3)
        robot.arms.move_free("ready")
        hashes.add(robot.state_hash())
    assert len(hashes) == 1


def test_a_goal_inside_something_is_explained(robot):
    result = robot.arms.move_free({"right": Pose([0.3, 0.0, 0.9])})
    assert result.outcome is Outcome.BLOCKED
    assert "the goal is not free" in result.message and "inside" in result.message


def test_a_pose_out_of_reach_of_both_arms_says_so_for_both(robot):
    result = robot.arms.reach(Pose([3.0, 0.0, 1.0]))
    assert result.outcome is Outcome.UNREACHABLE
    assert "right arm:" in result.message and "left arm:" in result.message
    assert "too far" in result.message


def test_the_nearer_arm_reaches(robot):
    before = robot.arms["right"].commanded.copy()
    assert robot.arms.reach(Pose([0.6, 0.35, 1.0])).reached
    np.testing.assert_array_equal(robot.arms["right"].commanded, before)
    place = robot.truth.tool_pose("left").position
    np.testing.assert_allclose(place, [0.6, 0.35, 1.0], atol=2e-3)


def test_one_arm_of_another_robot_plans_too():
    robot = mecano.connect("open_manipulator_x")
    assert robot.arms.move_free("home").reached
    assert robot.arms["arm"] is robot.arm


# --- one thing between them


def test_hands_keep_their_places_on_what_they_move(robot):
    hold = robot.arms.hold()
    before = apart(robot)
    worst = 0.0

    def watch(robot):
        nonlocal worst
        worst = max(worst, float(np.linalg.norm(apart(robot) - before)))

    robot.run(watch)
    for way in ({"z": 0.15}, {"x": 0.08}, {"y": 0.06, "z": -0.05}):
        assert hold.move_by(**way).reached
    tilted = Pose.from_xyz_rpy([0, 0, 0], [0.0, 0.1, 0.15]).quaternion
    assert hold.move_to(quaternion=tilted).reached
    assert worst < 0.001
    hold.end()


def test_hands_stay_in_the_world_while_the_base_moves(robot):
    hold = robot.arms.hold()
    hold.move_by(z=0.1)
    hold.stay_in_world()
    start = {name: robot.truth.tool_pose(name).position for name in robot.arms}
    worst = 0.0

    def watch(robot):
        nonlocal worst
        off = [np.linalg.norm(robot.truth.tool_pose(n).position - p) for n, p in start.items()]
        worst = max(worst, float(max(off)))

    robot.run(watch)
    for goal in (Pose2(0.1, 0.0, 0.0), Pose2(-0.1, 0.1, 0.2)):
        assert robot.base.go_to(goal, speed=0.25).reached
    assert worst < 0.002
    assert not hold.done


def test_the_base_comes_along_with_hands_that_go_far(robot):
    hold = robot.arms.hold()
    hold.move_by(z=0.1)
    along = hold.lead_base()
    start = {name: robot.truth.tool_pose(name).position for name in robot.arms}
    assert hold.move_by(x=0.6, y=-0.3).reached
    along.stop()
    robot.wait(0.5)
    for name, place in start.items():
        moved = robot.truth.tool_pose(name).position - place
        np.testing.assert_allclose(moved, [0.6, -0.3, 0.0], atol=0.005)
    base = robot.truth.base_pose()
    assert (base.x, base.y) == pytest.approx((0.6, -0.3), abs=0.05)


def test_a_base_that_leaves_the_hands_behind_is_stopped(robot):
    hold = robot.arms.hold()
    hold.stay_in_world()
    result = robot.base.go_to(Pose2(-1.5, 0.0, 0.0), speed=0.25)
    assert not result.reached
    assert hold.done and "arm" in hold.cause
    with pytest.raises(InvalidInput, match="this hold has ended"):
        hold.move_by(z=0.1)


def test_hands_that_find_nothing_between_them_say_so(robot):
    robot.arms.move_joints("ready")
    for hand in robot.hands.values():
        hand.move("flat")
    hold = robot.arms.hold()
    result = hold.squeeze(20.0)
    assert not result.reached
    assert "nothing is between the hands" in result.message


def test_an_arm_that_is_told_something_else_ends_the_hold(robot):
    hold = robot.arms.hold()
    robot.arms["left"].move_joints("ready", wait=False)
    robot.wait(0.1)
    assert hold.done


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda arms: arms.hold(arms=["middle"]), UnknownName, "right, left"),
        (lambda arms: arms.move_joints({}), InvalidInput, "no arm is named"),
        (lambda arms: arms.move_joints("nowhere"), UnknownName, "posture"),
        (lambda arms: arms.move_free("carry", margin=-1.0), InvalidInput, "margin"),
        (lambda arms: arms.hold().squeeze(-3.0), InvalidInput, "force"),
        (lambda arms: arms.hold().move_by(z=np.nan), InvalidInput, "way"),
        (lambda arms: arms.hold(arms=["left"]).squeeze(5.0), InvalidInput, "two arms"),
    ],
)
def test_what_arms_cannot_do_is_said(robot, call, error, text):
    with pytest.raises(error, match=text):
        call(robot.arms)


def test_the_force_at_rest_is_what_pushes(robot):
    """A known push on a hand is what the motors tell."""
    robot.wait(0.5)
    palm = robot.world.index("body", "madar/right_base_hand_link")
    robot.world.data.xfrc_applied[palm, :3] = [0.0, 20.0, -10.0]
    robot.wait(1.0)
    np.testing.assert_allclose(robot.arms["right"].force()[:3], [0.0, -20.0, 10.0], atol=1.0)
    np.testing.assert_allclose(robot.arms["left"].force()[:3], 0.0, atol=1.0)


def test_turning_a_held_thing_about_the_vertical_and_back(robot):
    hold = robot.arms.hold()
    hold.move_by(z=0.1)
    before = hold.frame
    hold.move_to(quaternion=[np.cos(pi / 24), 0, 0, np.sin(pi / 24)])
    assert hold.move_to(quaternion=[1.0, 0, 0, 0]).reached
    assert hold.frame.is_close(before, position_tolerance=1e-9, angle_tolerance=1e-9)


@pytest.mark.parametrize("goal", [Pose2(-0.5, 0.0, 0.0), Pose2(-0.4, 0.2, 0.0)])
def test_stretched_arms_end_the_hold_and_are_not_whipped(robot, goal):
    hold = robot.arms.hold()
    hold.stay_in_world()
    fastest = 0.0

    def watch(robot):
        nonlocal fastest
        fastest = max([fastest, *(float(abs(a.velocity).max()) for a in robot.arms.values())])

    robot.run(watch)
    result = robot.base.go_to(goal, speed=0.25)
    robot.wait(1.0)
    assert hold.done and hold.cause
    assert not result.reached and "hold" in result.message
    assert fastest < 2.0
    for arm in robot.arms.values():
        arm.chain.dh.check(arm.commanded, limits=True)
    assert robot.arms.move_free("carry").reached


def test_a_hold_at_full_stretch_says_so(robot):
    result = robot.arms.hold().move_by(x=0.5)
    assert result.outcome is Outcome.UNREACHABLE
    assert "stretched out" in result.cause and " 0.0 " not in result.cause


@pytest.mark.slow
def test_a_way_out_of_reach_ends_where_the_arms_are(robot):
    hold = robot.arms.hold()
    result = hold.move_by(x=2.0)
    assert result.outcome is Outcome.UNREACHABLE
    robot.wait(1.0)
    assert robot.arms.move_free("carry").reached


def test_a_hold_that_has_ended_says_so(robot):
    first = robot.arms.hold()
    second = robot.arms.hold()
    assert first.done and first.cause == "another hold began"
    second.end()
    for call in (second.stay_in_world, second.lead_base, second.move_by):
        with pytest.raises(InvalidInput, match="this hold has ended"):
            call()


def test_what_is_no_pose_is_said(robot):
    for call in (robot.arms.reach, robot.arms.hold):
        with pytest.raises(InvalidInput, match="takes a Pose"):
            call([0.5, 0.3, 1.0])
    with pytest.raises(InvalidInput, match="by arm"):
        robot.arms.move_free(None)
    with pytest.raises(InvalidInput, match="no arms"):
        mecano.connect("madar", variant="base").arms.reach(Pose([0.5, 0.0, 1.0]))
