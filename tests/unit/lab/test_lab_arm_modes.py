"""The other modes: velocity, torque, impedance, and the way back."""

import mujoco
import numpy as np
import pytest
from lab_helpers import arm_on_table, moved, started, true_joints, true_speeds

import mecano
from mecano.core.devices import Mode
from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName
from mecano.lab.robot import Robot
from mecano.parts.results import Outcome
from mecano.session.session import SessionClosed

NAN = float("nan")
FRICTION = 0.05
"""Of the gears, in the arm's model [N m]."""


@pytest.fixture
def robot() -> Robot:
    """The arm, well above the table, settled."""
    robot = arm_on_table()
    assert moved(robot.arm.move_joints([0.0, -0.4, 0.3, 0.4])).reached
    robot.wait(1.0)
    return robot


def push(robot: Robot, force: np.ndarray) -> np.ndarray:
    """Push at the wrist's centre of mass [N]; return the joint torques that makes [N m]."""
    world = robot.world
    body = world.index("body", f"{robot.name}/link5")
    world.data.xfrc_applied[body, :3] = force
    jacobian = np.zeros((3, world.model.nv))
    mujoco.mj_jacBodyCom(world.model, world.data, jacobian, None, body)
    return jacobian[:, robot.arm.dynamics.velocities].T @ force


# --- velocity


@pytest.mark.parametrize("velocity", [[0.5, 0, 0, 0], [-0.3, 0.2, -0.2, 0.3], [0, 0, 0, 0]])
def test_the_joints_turn_at_the_commanded_speed(robot, velocity):
    before = true_joints(robot)
    robot.arm.command_velocity(velocity)
    robot.wait(1.0)
    way = true_joints(robot) - before
    np.testing.assert_allclose(way, np.array(velocity), atol=0.05)


def test_a_velocity_ends_at_the_joint_limit(robot):
    robot.arm.command_velocity([2.0, 0, 0, 0])
    robot.wait(3.0)
    assert true_joints(robot)[0] <= 0.9 * np.pi + 0.05
    assert abs(true_speeds(robot)[0]) < 0.1


@pytest.mark.parametrize(
    "velocity", [[NAN, 0, 0, 0], [0, 0, 0], [99.0, 0, 0, 0], [0, 0, 0, -2.5], "fast"]
)
def test_a_bad_velocity_is_refused_and_changes_no_mode(robot, velocity):
    with pytest.raises(InvalidInput):
        robot.arm.command_velocity(velocity)
    assert robot.arm.mode is Mode.POSITION


def test_a_velocity_over_the_bound_names_the_joint(robot):
    with pytest.raises(InvalidInput, match=r"velocity of joint4 is -2\.5 rad/s, allowed"):
        robot.arm.command_velocity([0, 0, 0, -2.5])


@pytest.mark.parametrize("who", ["arm", "robot"])
def test_stop_ends_a_velocity(robot, who):
    robot.arm.command_velocity([0.5, 0, 0, 0])
    robot.wait(0.3)
    (robot.arm if who == "arm" else robot).stop()
    robot.wait(0.5)
    there = true_joints(robot)
    robot.wait(1.0)
    np.testing.assert_allclose(true_joints(robot), there, atol=0.015)


def test_leaving_the_with_block_stops_a_velocity():
    arms = mecano.connect_all({name: mecano.Place("open_manipulator_x") for name in "ab"})
    with arms["b"] as witness:  # keeps the session open
        with arms["a"] as robot:
            robot.arm.command_velocity([0.5, 0, 0, 0])
            robot.wait(0.3)
        witness.wait(0.5)
        assert np.abs(true_speeds(robot)).max() < 0.05


def test_a_closed_robot_says_so():
    with arm_on_table() as robot:
        pass
    with pytest.raises(SessionClosed, match="connect to it again"):
        robot.arm.move_joints([0.5, 0, 0, 0])


# --- torque


def test_gravity_compensation_holds_the_arm(robot):
    before = true_joints(robot)
    robot.arm.command_torque([0, 0, 0, 0])
    robot.wait(2.0)
    np.testing.assert_allclose(true_joints(robot), before, atol=0.05)


def test_without_gravity_compensation_the_arm_sinks(robot):
    before = true_joints(robot)
    robot.arm.command_torque([0, 0, 0, 0], gravity=False)
    robot.wait(1.0)
    assert np.abs(true_joints(robot) - before).max() > 0.2


def test_a_torque_over_the_friction_turns_the_joint(robot):
    robot.arm.command_torque([0.3, 0, 0, 0])
    robot.wait(0.5)
    assert true_speeds(robot)[0] > 0.05


def test_a_torque_below_the_friction_turns_nothing(robot):
    before = true_joints(robot)
    robot.arm.command_torque([0.5 * FRICTION, 0, 0, 0])
    robot.wait(1.0)
    assert abs(true_joints(robot)[0] - before[0]) < 0.005


def test_the_effort_is_the_commanded_torque_at_rest(robot):
    robot.arm.command_torque([0.03, 0, 0, 0])
    robot.wait(1.0)
    assert robot.arm.effort[0] == pytest.approx(0.03, abs=0.005)


def test_a_hand_guided_arm_stays_where_it_is_led(robot):
    robot.arm.command_torque([0, 0, 0, 0])
    push(robot, np.array([0.0, 3.0, 0.0]))
    robot.wait(0.5)
    push(robot, np.zeros(3))
    robot.wait(0.5)
    led = true_joints(robot)
    assert led[0] > 0.1
    robot.wait(1.0)
    np.testing.assert_allclose(true_joints(robot), led, atol=0.02)


@pytest.mark.parametrize("torque", [[NAN, 0, 0, 0], [0, 0, 0], [5.0, 0, 0, 0]])
def test_a_bad_torque_is_refused_and_changes_no_mode(robot, torque):
    with pytest.raises(InvalidInput):
        robot.arm.command_torque(torque)
    assert robot.arm.mode is Mode.POSITION


def test_stop_makes_a_limp_arm_hold(robot):
    robot.arm.command_torque([0, 0, 0, 0], gravity=False)
    robot.wait(0.05)
    robot.stop()
    robot.wait(0.5)
    there = true_joints(robot)
    robot.wait(1.0)
    np.testing.assert_allclose(true_joints(robot), there, atol=0.015)


# --- impedance


@pytest.mark.parametrize("stiffness", [5.0, 10.0])
def test_a_pushed_arm_gives_way_like_a_spring(robot, stiffness):
    goal = robot.arm.position.copy()
    robot.arm.command_impedance(goal, stiffness=stiffness, damping=0.5)
    robot.wait(1.0)
    rest = true_joints(robot)
    torque = push(robot, np.array([0.0, 4.0, 0.0]))
    robot.wait(2.0)
    way = true_joints(robot)[0] - rest[0]
    assert way == pytest.approx(torque[0] / stiffness, abs=1.1 * FRICTION / stiffness)


def test_a_pushed_arm_comes_back(robot):
    goal = robot.arm.position.copy()
    robot.arm.command_impedance(goal, stiffness=5.0, damping=0.5)
    robot.wait(1.0)
    push(robot, np.array([0.0, 4.0, 0.0]))
    robot.wait(1.5)
    push(robot, np.zeros(3))
    robot.wait(1.5)
    np.testing.assert_allclose(true_joints(robot), goal, atol=1.1 * FRICTION / 5.0 + 0.002)


def test_the_weight_is_taken_off_in_the_impedance_mode(robot):
    before = true_joints(robot)
    robot.arm.command_impedance(robot.arm.position.copy(), stiffness=2.0, damping=0.3)
    robot.wait(2.0)
    np.testing.assert_allclose(true_joints(robot), before, atol=1.1 * FRICTION / 2.0)


def test_a_new_goal_pulls_the_arm_there(robot):
    goal = robot.arm.position + np.array([0.3, 0.0, 0.0, 0.0])
    robot.arm.command_impedance(goal, stiffness=5.0, damping=0.5)
    robot.wait(2.0)
    np.testing.assert_allclose(true_joints(robot), goal, atol=1.1 * FRICTION / 5.0 + 0.002)


@pytest.mark.parametrize(
    "options",
    [
        {"stiffness": -1.0},
        {"stiffness": NAN},
        {"damping": float("inf")},
        {"stiffness": [1.0, 2.0]},
        {"damping": "soft"},
    ],
)
def test_a_bad_spring_is_refused_and_changes_no_mode(robot, options):
    with pytest.raises(InvalidInput, match=r"stiffness|damping"):
        robot.arm.command_impedance("home", **options)
    assert robot.arm.mode is Mode.POSITION


def test_a_bad_goal_of_a_spring_is_refused(robot):
    with pytest.raises(JointLimitViolated):
        robot.arm.command_impedance([0, 0, 3.0, 0])
    with pytest.raises(UnknownName):
        robot.arm.command_impedance("nowhere")


# --- between modes


@pytest.mark.parametrize("mode", ["velocity", "torque", "impedance"])
def test_a_move_brings_back_the_position_mode(robot, mode):
    {
        "velocity": lambda: robot.arm.command_velocity([0.2, 0, 0, 0]),
        "torque": lambda: robot.arm.command_torque([0, 0, 0, 0]),
        "impedance": lambda: robot.arm.command_impedance("home_gui"),
    }[mode]()
    assert robot.arm.mode == mode
    robot.wait(0.5)
    assert moved(robot.arm.move_joints([0.5, -0.8, 0.6, 0.2])).reached
    assert robot.arm.mode is Mode.POSITION
    robot.wait(1.0)
    np.testing.assert_allclose(true_joints(robot), [0.5, -0.8, 0.6, 0.2], atol=0.005)


@pytest.mark.parametrize("mode", ["velocity", "torque", "impedance"])
def test_a_mode_takes_the_place_of_a_motion(robot, mode):
    handle = started(robot.arm.move_joints([1.0, -0.8, 0.6, 0.2], wait=False))
    robot.wait(0.2)
    {
        "velocity": lambda: robot.arm.command_velocity([0, 0, 0, 0]),
        "torque": lambda: robot.arm.command_torque([0, 0, 0, 0]),
        "impedance": lambda: robot.arm.command_impedance("home_gui"),
    }[mode]()
    assert handle.result is not None and handle.result.outcome is Outcome.REPLACED


def test_a_servo_has_its_own_gains_again_after_the_other_modes(robot):
    before = robot.world.model.actuator_gainprm.copy()
    robot.arm.command_velocity([0, 0, 0, 0])
    robot.arm.command_torque([0, 0, 0, 0])
    robot.arm.command_impedance("home")
    robot.arm.move_joints([0.0, -0.4, 0.3, 0.4])
    np.testing.assert_array_equal(robot.world.model.actuator_gainprm, before)
