"""Collisions: foreseen before a motion starts, and noticed when one happens."""

import numpy as np
import pytest
from lab_helpers import arm_on_table, moved, started, true_joints, true_speeds

from mecano.lab.robot import Robot
from mecano.parts.results import MotionResult, Outcome

ABOVE = [0.2, 0.0, 0.10]
INSIDE = [0.2, 0.0, 0.0]


@pytest.fixture
def robot() -> Robot:
    """The arm with its hand above a free part of the table."""
    robot = arm_on_table()
    assert moved(robot.arm.move_to(ABOVE, pitch=1.2)).reached
    robot.wait(0.5)
    return robot


def assert_names_hand_and_table(result: MotionResult) -> None:
    assert result.pair is not None and "table" in result.pair
    assert any("gripper" in body for body in result.pair)
    assert all(body in result.message for body in result.pair)


def add_wall(spec) -> None:
    """A wall to the left of the arm, in the way of the hand."""
    body = spec.worldbody.add_body(name="wall", pos=[0.2, 0.12, 0.15])
    body.add_geom(type=6, size=[0.1, 0.005, 0.15], solref=[0.004, 1.0])


# --- foreseen


@pytest.mark.parametrize("way", ["to", "line"])
def test_a_target_inside_the_table_is_blocked_with_the_pair(robot, way):
    before = true_joints(robot)
    result = moved(
        robot.arm.move_to(INSIDE, pitch=1.2) if way == "to" else robot.arm.move_line(INSIDE)
    )
    assert result.outcome is Outcome.BLOCKED
    assert_names_hand_and_table(result)
    assert "would touch" in result.message
    np.testing.assert_array_equal(true_joints(robot), before)


def test_a_blocked_motion_takes_no_time(robot):
    before = robot.state_hash()
    robot.arm.move_to(INSIDE, pitch=1.2)
    assert robot.state_hash() == before


def test_a_handle_of_a_blocked_motion_is_done_at_once(robot):
    handle = started(robot.arm.move_line(INSIDE, wait=False))
    assert handle.done and handle.result is not None
    assert handle.result.outcome is Outcome.BLOCKED


def test_something_on_the_way_blocks_though_both_ends_are_free():
    robot = arm_on_table(changes=[add_wall])
    assert moved(robot.arm.move_to([0.18, 0.0, 0.12], pitch=0.8)).reached
    before = true_joints(robot)
    result = moved(robot.arm.move_joints([1.3, *robot.arm.commanded[1:]]))
    assert result.outcome is Outcome.BLOCKED
    assert result.pair is not None and "wall" in result.pair
    np.testing.assert_array_equal(true_joints(robot), before)


def test_the_arm_in_its_own_way_is_blocked():
    robot = arm_on_table()
    result = moved(robot.arm.move_joints([1.2, -1.18, 1.1, 1.32]))
    assert result.outcome is Outcome.BLOCKED
    assert result.pair is not None
    assert all(body.startswith("open_manipulator_x/") for body in result.pair)


def test_a_cube_in_the_way_of_a_link_is_blocked():
    def cube_under_the_elbow(spec):
        spec.body("cube").pos = [0.10, 0.0, 0.10]

    robot = arm_on_table(changes=[cube_under_the_elbow])
    result = moved(robot.arm.move_joints([0.0, 0.4, 0.9, -0.6]))
    assert result.outcome is Outcome.BLOCKED
    assert result.pair is not None and "cube" in result.pair


# --- noticed


@pytest.mark.parametrize("speed", [1.0, 0.5])
def test_touching_the_table_ends_the_motion_with_the_pair(robot, speed):
    result = moved(robot.arm.move_line(INSIDE, check=False, speed=speed))
    assert result.outcome is Outcome.COLLIDED
    assert_names_hand_and_table(result)
    assert "touched" in result.message


@pytest.mark.parametrize("speed", [0.2, 0.05])
def test_touching_the_table_slowly_is_noticed_too(robot, speed):
    result = moved(robot.arm.move_line(INSIDE, check=False, speed=speed))
    assert result.outcome is Outcome.COLLIDED


def test_the_arm_stops_where_it_touched(robot):
    robot.arm.move_line(INSIDE, check=False)
    robot.wait(1.0)
    assert np.abs(true_speeds(robot)).max() < 0.02


def test_the_arm_does_not_press_on_after_it_touched(robot):
    robot.arm.move_line(INSIDE, check=False)
    robot.wait(2.0)
    pressed = sum(
        c.force for c in robot.world.contacts() if "table" in (c.body_1, c.body_2)
        and "gripper" in c.body_1 + c.body_2
    )  # fmt: skip
    assert pressed < 10.0


def test_the_arm_can_leave_where_it_touched(robot):
    robot.arm.move_line(INSIDE, check=False)
    assert moved(robot.arm.move_line(ABOVE)).reached


def test_the_arm_can_leave_at_once_where_it_touched(robot):
    handle = started(robot.arm.move_line(INSIDE, check=False, wait=False))
    robot.wait(handle)
    assert moved(robot.arm.move_joints("home")).reached


def test_what_the_arm_touches_already_does_not_let_it_go_deeper(robot):
    robot.arm.move_line(INSIDE, check=False)
    robot.wait(1.0)
    result = moved(robot.arm.move_line([0.2, 0.0, -0.02]))
    assert result.outcome is Outcome.BLOCKED


def test_following_into_the_table_ends_with_the_pair(robot):
    start = robot.time
    handle = robot.arm.follow(
        lambda t: (np.array([0.2, 0.0, max(0.0, 0.10 - 0.1 * (t - start))]), 1.2)
    )
    assert robot.wait(handle, timeout=4.0)
    assert handle.result is not None and handle.result.outcome is Outcome.COLLIDED
    assert_names_hand_and_table(handle.result)
