"""`connect(on_failure="raise")`: calls that wait for a motion raise if it fails."""

from math import pi
from typing import Any, cast

import mujoco
import pytest

import mecano
from mecano.core.errors import InvalidInput, MotionFailed
from mecano.parts.hand import HandResult
from mecano.parts.results import GripResult, Outcome

FAR = [5.0, 0.0, 0.2]


def arm(**options: Any) -> mecano.Robot:
    return mecano.connect("open_manipulator_x", **options)


def wall(spec: mujoco.MjSpec) -> None:
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 1.0, 0.5], pos=[0.4, 0.0, 0.5],
        solref=[0.004, 1.0],
    )  # fmt: skip


# --- the switch


def test_failures_are_reported_as_values_unless_asked_otherwise():
    robot = arm()
    assert robot.session.on_failure == "report"
    result = cast(Any, robot.arm.move_to(FAR))
    assert result.outcome is Outcome.UNREACHABLE
    assert result.failed


def test_a_word_that_is_no_choice_is_refused():
    with pytest.raises(InvalidInput, match=r"allowed: 'report'.*'raise'"):
        arm(on_failure="explode")


def test_the_switch_may_be_set_later():
    robot = arm()
    robot.session.on_failure = "raise"
    with pytest.raises(MotionFailed):
        robot.arm.move_to(FAR)
    robot.session.on_failure = "report"
    assert not cast(Any, robot.arm.move_to(FAR)).reached


def test_the_session_raises_for_results_that_failed_only():
    robot = arm(on_failure="raise")
    reached = cast(Any, robot.arm.home())
    assert reached.reached
    robot.session.raise_if_failed(reached)


# --- calls that wait


def test_an_unreachable_point_raises_with_the_result():
    with pytest.raises(MotionFailed) as caught:
        arm(on_failure="raise").arm.move_to(FAR)
    assert caught.value.result.outcome is Outcome.UNREACHABLE
    assert str(caught.value) == caught.value.result.message
    assert caught.value.exit_code == 1


def test_a_line_that_breaks_raises():
    with pytest.raises(MotionFailed, match="unreachable"):
        arm(on_failure="raise").arm.move_line(FAR)


def test_several_arms_raise_as_one():
    with pytest.raises(MotionFailed, match="unreachable"):
        arm(on_failure="raise").arms.reach(mecano.Pose(FAR))


def test_a_base_that_hits_something_raises():
    robot = mecano.connect("crumb", scene="empty", changes=[wall], on_failure="raise")
    with pytest.raises(MotionFailed, match="bumper was hit") as caught:
        robot.base.move(1.0)
    assert caught.value.result.outcome is Outcome.COLLIDED
    assert 0.0 < caught.value.result.gone < 0.5


def test_a_base_that_cannot_follow_raises():
    robot = mecano.connect("youbot", scene="empty", changes=[wall], on_failure="raise")
    robot.run(lambda robot: robot.base.stop() if robot.time > 0.5 else None)
    with pytest.raises(MotionFailed, match="it was stopped"):
        robot.base.go_to(mecano.Pose2(0.0, 1.0, 0.0))


def test_a_leg_that_does_not_reach_raises():
    robot = mecano.connect("romerin", on_failure="raise")
    assert robot.cups.release(1).done
    with pytest.raises(MotionFailed, match="unreachable"):
        robot.legs[1].move_to([3.0, 0.0, 0.0])


def test_motions_that_reach_return_their_results():
    robot = mecano.connect("crumb", scene="empty", on_failure="raise")
    assert cast(Any, robot.base.turn(pi / 8)).reached
    assert cast(Any, robot.arm.home()).reached


def test_a_grip_is_no_failure():
    robot = arm(on_failure="raise")
    grip = robot.gripper.close()
    assert isinstance(grip, GripResult)
    assert not grip.holding


def test_fingers_that_grasp_are_no_failure():
    numbers: dict[str, Any] = {"duration": 1.0, "joint_error": 0.2, "torque": 0.3}
    held = HandResult(outcome=Outcome.STOPPED, stopped=("index", "thumb"), **numbers)
    assert not held.reached
    assert not held.failed
    late = HandResult(outcome=Outcome.TIMED_OUT, stopped=(), **numbers)
    assert late.failed


# --- handles


def test_a_handle_raises_when_it_is_waited_for():
    robot = arm(on_failure="raise")
    handle = cast(Any, robot.arm.move_to(FAR, wait=False))
    assert handle.done
    assert not handle.result.reached
    with pytest.raises(MotionFailed):
        handle.wait()
    with pytest.raises(MotionFailed):
        robot.wait(handle)


def test_a_timeout_is_no_failure():
    robot = arm(on_failure="raise")
    handle = cast(Any, robot.arm.move_joints([0.5, -1.0, 1.0, 0.0], wait=False))
    assert handle.wait(timeout=0.05) is None
    assert handle.wait().reached


def test_who_stops_a_motion_by_its_handle_knows_that_it_ended():
    robot = arm(on_failure="raise")
    handle = cast(Any, robot.arm.move_joints([0.5, -1.0, 1.0, 0.0], wait=False))
    robot.wait(0.1)
    handle.stop()
    assert handle.wait().outcome is Outcome.STOPPED


def test_who_waits_for_a_motion_that_somebody_else_stops_is_told():
    robot = arm(on_failure="raise")
    robot.run(lambda robot: robot.arm.stop() if robot.time > 0.1 else None)
    with pytest.raises(MotionFailed, match="stopped"):
        robot.arm.move_joints([0.5, -1.0, 1.0, 0.0])
