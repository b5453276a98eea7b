"""Legs one by one: where they go, what they refuse, and how their servos hold."""

from typing import Any

import numpy as np
import pytest

import mecano
from mecano.actuators.servos import KI
from mecano.core.errors import InvalidInput, UnknownName
from mecano.lab.robot import Robot
from mecano.parts.leg import LegMotion
from mecano.parts.results import MotionResult, Outcome
from mecano.sensors.imu import ImuSensor

LEG = 2


@pytest.fixture(scope="module")
def shared():
    with mecano.connect("romerin", scene="empty") as robot:
        yield robot


@pytest.fixture
def robot(shared) -> Robot:
    shared.reset()
    shared.legs.set_zero_errors(np.zeros((6, 3)))
    return shared


@pytest.fixture
def free(robot) -> Robot:
    """The cup of leg 2 is off."""
    robot.cups.release(LEG)
    return robot


def moved(answer: Any) -> MotionResult:
    assert isinstance(answer, MotionResult)
    return answer


def started(answer: Any) -> LegMotion:
    assert isinstance(answer, LegMotion)
    return answer


def true_tip(robot: Robot, leg: int = LEG) -> np.ndarray:
    """Where the tip truly is in the true frame of the body [m]."""
    body = robot.truth.body_pose("romerin/body_link")
    return body.inverse().transform_points(robot.truth.place(f"romerin/tip_{leg}"))


def integrals(robot: Robot) -> np.ndarray:
    """Gains of the integrals, leg by leg."""
    drives = robot.legs.drives
    return robot.world.model.actuator_gainprm[drives._ids, KI].reshape(6, 3)  # pyright: ignore[reportAttributeAccessIssue]


# Reach


@pytest.mark.parametrize("point", [(-0.06, 0.22, -0.06), (-0.1, 0.2, -0.03), (-0.02, 0.24, 0.0)])
def test_tip_comes_to_the_point(free, point):
    result = moved(free.legs[LEG].move_to(point))
    assert result.reached and result.position_error < 0.002
    np.testing.assert_allclose(true_tip(free), point, atol=0.0015)  # counts of 0.32 deg
    np.testing.assert_allclose(free.legs[LEG].tip, point, atol=0.002)


def test_other_legs_stay(free):
    before = np.delete(free.legs.commanded, LEG - 1, axis=0)
    moved(free.legs[LEG].move_to([-0.06, 0.22, -0.06]))
    np.testing.assert_array_equal(np.delete(free.legs.commanded, LEG - 1, axis=0), before)
    assert free.cups.holding.sum() == 5


def branches_of(robot: Robot, point) -> set[str]:
    leg = robot.legs[LEG].chain
    return {leg.leg.branch(q) for q in leg.inverse(point).solutions}


@pytest.mark.parametrize("branch", ["up", "down"])
def test_branch_is_the_way_the_knee_bends(free, branch):
    point = [-0.06, 0.24, 0.06]
    assert {"up", "down"} <= branches_of(free, point)
    result = moved(free.legs[LEG].move_to(point, branch=branch))
    assert result.reached and free.legs[LEG].chain.leg.branch(free.legs[LEG].position) == branch
    np.testing.assert_allclose(true_tip(free), point, atol=0.002)


def test_without_a_branch_the_nearest_way_is_taken(free):
    moved(free.legs[LEG].move_to([-0.06, 0.22, -0.06]))
    assert free.legs[LEG].chain.leg.branch(free.legs[LEG].position) == "up"


def test_branch_that_does_not_reach_is_explained(free):
    point = [-0.06, 0.205, -0.08]
    ways = branches_of(free, point)
    missing = next(b for b in ("folded_up", "folded_down", "down") if b not in ways)
    with pytest.raises(InvalidInput, match=f"not with branch '{missing}'; it can with: .*up"):
        free.legs[LEG].move_to(point, branch=missing)


def test_unknown_branch_lists_the_known_ones(free):
    with pytest.raises(UnknownName, match="up, down, folded_up, folded_down"):
        free.legs[LEG].move_to([-0.06, 0.2, -0.06], branch="left")


@pytest.mark.parametrize("wait", [True, False])
def test_point_out_of_reach_is_explained_and_moves_nothing(free, wait):
    before, now = free.legs.commanded.copy(), free.time
    answer: Any = free.legs[LEG].move_to([0.1, 0.1, 0.3], wait=wait)
    result = moved(answer if wait else started(answer).result)
    assert result.outcome is Outcome.UNREACHABLE
    assert "unreachable" in result.message and "mm" in result.message
    np.testing.assert_array_equal(free.legs.commanded, before)
    assert free.time == now


# Refusals


def test_leg_whose_cup_holds_is_refused(robot):
    with pytest.raises(InvalidInput, match=r"cup of leg 1 holds.*robot.cups.release\(1\)"):
        robot.legs[1].move_joints("rest")


def test_leg_is_refused_while_the_robot_walks(free):
    free.wait(0.05)  # until what the other cups carry is known
    free.legs.walk(time=5.0, wait=False)
    with pytest.raises(InvalidInput, match="the robot is walking; stop the walk"):
        free.legs[LEG].move_joints("rest")


def test_joints_beyond_their_limits_are_refused(free):
    with pytest.raises(InvalidInput, match="leg_2_joint_2"):
        free.legs[LEG].move_joints([0.0, 2.5, 0.0])


def test_unknown_posture_lists_the_known_ones(free):
    with pytest.raises(UnknownName, match="home, stand, rest, zero"):
        free.legs[LEG].move_joints("sit")


@pytest.mark.parametrize("number", [0, 7, -1, "2"])
def test_leg_that_there_is_not_is_refused(robot, number):
    with pytest.raises(InvalidInput, match="legs are numbered from 1 to 6"):
        robot.legs[number]


@pytest.mark.parametrize("speed", [0.0, -1.0, 1.5, float("nan")])
def test_speed_that_is_none_is_refused(free, speed):
    with pytest.raises(InvalidInput, match="speed"):
        free.legs[LEG].move_joints("rest", speed=speed)


# Postures, handles


@pytest.mark.parametrize("posture", ["rest", "zero", "stand"])
def test_posture_is_taken(free, posture):
    leg = free.legs[LEG]
    assert moved(leg.move_joints(posture)).reached
    np.testing.assert_allclose(leg.position, leg.chain.postures[posture], atol=0.007)


def test_stand_moves_only_legs_that_are_free(free):
    moved(free.legs[LEG].move_to([-0.06, 0.22, -0.05]))
    holding = np.delete(free.legs.commanded, LEG - 1, axis=0)
    free.legs.stand()
    np.testing.assert_allclose(
        free.legs[LEG].commanded, free.legs[LEG].chain.postures["stand"], atol=1e-9
    )
    np.testing.assert_array_equal(np.delete(free.legs.commanded, LEG - 1, axis=0), holding)


def test_handle_can_be_asked_and_stopped(free):
    motion = started(free.legs[LEG].move_joints("zero", wait=False))
    free.wait(0.1)
    assert not motion.done and motion.wait(timeout=0.01) is None
    motion.stop()
    assert motion.result is not None and motion.result.outcome is Outcome.STOPPED
    here = free.legs[LEG].commanded.copy()
    free.wait(0.2)
    np.testing.assert_array_equal(free.legs[LEG].commanded, here)


def test_motion_that_is_replaced_says_so(free):
    first = started(free.legs[LEG].move_joints("zero", wait=False))
    free.wait(0.1)
    moved(free.legs[LEG].move_joints("stand"))
    assert first.result is not None and first.result.outcome is Outcome.REPLACED


def test_stand_is_refused_in_a_walk(robot):
    walk: Any = robot.legs.walk(wait=False)
    robot.wait(0.6)
    with pytest.raises(InvalidInput, match="walking already"):
        robot.legs.stand()
    assert not walk.done


def test_slower_moves_take_longer(free):
    fast = moved(free.legs[LEG].move_joints("zero"))
    slow = moved(free.legs[LEG].move_joints("stand", speed=0.3))
    assert slow.duration > 1.5 * fast.duration


def test_leg_that_is_held_fast_times_out(free):
    free.legs.break_servo(LEG, 2)
    result = moved(free.legs[LEG].move_joints("zero"))
    assert result.outcome is Outcome.TIMED_OUT and result.joint_error > 0.1


@pytest.mark.parametrize(("leg", "joint"), [(7, 1), (1, 0), (1, 4)])
def test_servo_that_there_is_not_cannot_break(robot, leg, joint):
    with pytest.raises(InvalidInput, match="there is no"):
        robot.legs.break_servo(leg, joint)


# How servos hold


def test_free_legs_have_an_integral_and_holding_legs_none(free):
    free.wait(0.02)
    gains = integrals(free)
    assert (gains[LEG - 1] == free.legs.facts.integral).all()
    assert (np.delete(gains, LEG - 1, axis=0) < 1e-6).all()


def test_free_leg_comes_to_its_command_under_its_weight(free):
    leg = free.legs[LEG]
    moved(leg.move_to([-0.06, 0.28, -0.02]))
    free.wait(1.0)
    true = [free.world.data.joint(f"romerin/{n}").qpos[0] for n in leg.chain.joint_names]
    np.testing.assert_allclose(true, leg.commanded, atol=2e-3)


def test_integral_is_given_and_taken_without_a_jerk(free):
    """The torque a leg gives does not jump when its cup takes hold."""
    leg = free.legs[LEG]
    moved(leg.move_to(leg.tip - [0.0, 0.0, -0.02]))
    moved(leg.move_to(leg.tip - [0.0, 0.0, 0.017]))
    free.wait(0.5)
    before, where = leg.legs.effort[LEG - 1].copy(), true_tip(free)
    free.cups.attach(LEG)
    free.wait(0.02)
    assert free.cups[LEG].holding and (integrals(free) < 1e-6).all()
    np.testing.assert_allclose(free.legs.effort[LEG - 1], before, atol=0.03)
    free.wait(0.5)
    np.testing.assert_allclose(true_tip(free), where, atol=3e-4)
    np.testing.assert_allclose(free.legs.effort[LEG - 1], before, atol=0.06)


def test_walks_have_no_integral(robot):
    walk: Any = robot.legs.walk(time=3.0, wait=False)
    robot.wait(0.5)
    assert not robot.cups.holding.all() and (integrals(robot) < 1e-6).all()
    walk.stop()
    walk.wait()


# Servos by themselves


def test_torque_limit_holds(robot):
    most = robot.legs.facts.torque
    ids = robot.legs.drives._ids
    np.testing.assert_allclose(robot.world.model.actuator_forcerange[ids], [[-most, most]] * 18)


def test_gains_that_are_set_stay_through_a_change_of_mode(robot):
    from mecano.core.devices import Mode

    drives = robot.legs.drives
    before = drives.stiffness.copy()
    drives.set_gains(before * 1.1)
    drives.set_mode(Mode.POSITION)
    np.testing.assert_allclose(drives.stiffness, before * 1.1)
    drives.set_gains(before)


def test_zero_errors_are_read_and_done(free):
    """A servo whose zero is off by an angle reads too much by it and turns too little."""
    zeros = np.zeros((6, 3))
    zeros[LEG - 1] = 0.05, -0.03, 0.02
    leg = free.legs[LEG]
    free.legs.set_zero_errors(zeros)
    moved(leg.move_to([-0.06, 0.22, -0.05]))
    free.wait(0.5)
    true = np.array([free.world.data.joint(f"romerin/{n}").qpos[0] for n in leg.chain.joint_names])
    np.testing.assert_allclose(true, leg.commanded - zeros[LEG - 1], atol=0.004)
    np.testing.assert_allclose(leg.position, leg.commanded, atol=0.007)


@pytest.mark.parametrize("zeros", [np.zeros(18), np.full((6, 3), np.nan)])
def test_zero_errors_that_are_none_are_refused(robot, zeros):
    with pytest.raises(InvalidInput, match="zero errors"):
        robot.legs.set_zero_errors(zeros)


def test_zero_errors_are_how_the_robot_is_built_also_after_a_reset(robot):
    robot.legs.set_zero_errors(np.full((6, 3), 0.01))
    robot.reset()
    robot.wait(0.1)
    assert robot.legs.drives.zeros.all()
    robot.legs.set_zero_errors(np.zeros((6, 3)))


# Stance


def test_own_stance_is_that_of_the_posture(robot):
    expected = [leg.chain.tip(leg.chain.postures["stand"]) for leg in robot.legs]
    np.testing.assert_allclose(robot.legs.footholds(), expected, atol=1e-9)


@pytest.mark.parametrize("height", [0.095, 0.1, 0.125, 0.15, 0.16])
def test_stance_of_a_height_is_below_the_body_by_it(robot, height):
    points = robot.legs.footholds(height)
    np.testing.assert_allclose(points[:, 2], 0.03 - height)
    assert np.isfinite(robot.legs.kinematics.inverse(points)).all()
    np.testing.assert_allclose(points, points[::-1] * [1, -1, 1], atol=1e-12)  # mirrored


@pytest.mark.parametrize("height", [0.09, 0.17, float("nan")])
def test_height_outside_the_table_is_refused(robot, height):
    with pytest.raises(InvalidInput, match=r"height of the body \[m\]"):
        robot.legs.footholds(height)


# IMU


@pytest.mark.parametrize(
    ("scene", "down"), [("empty", (0, 0, -1)), ("wall", (-1, 0, 0)), ("ceiling", (0, 0, 1))]
)
def test_gravity_is_known_on_every_surface(scene, down):
    robot = mecano.connect("romerin", scene=scene)
    robot.wait(0.2)
    np.testing.assert_allclose(robot.legs.gravity(), down, atol=0.03)
    message = robot.imu.read()
    assert message.linear_acceleration is not None
    np.testing.assert_allclose(message.linear_acceleration, -9.81 * np.array(down), atol=0.4)
    assert np.abs(message.angular_velocity).max() < 0.05


def test_bias_of_a_noisy_gyro_is_learned_at_rest():
    robot = mecano.connect("romerin", scene="wall", noise=True, seed=5)
    robot.wait(4.0)
    imu = robot.imu
    assert isinstance(imu, ImuSensor)
    assert np.abs(imu.bias).max() > 1e-5
    spread = imu.facts.turn_noise / np.sqrt(3.0 * 250.0)
    assert np.abs(robot.legs.attitude.bias - imu.bias).max() < 4.0 * spread


def test_clean_reading_of_the_imu_has_no_noise():
    robot = mecano.connect("romerin", scene="empty", noise=True, seed=5)
    robot.wait(0.2)
    noisy, clean = robot.imu.read(), robot.imu.read(clean=True)
    assert noisy.stamp == clean.stamp
    assert noisy.linear_acceleration is not None and clean.linear_acceleration is not None
    assert np.abs(noisy.linear_acceleration - clean.linear_acceleration).max() > 1e-4  # pyright: ignore[reportOptionalOperand]


def test_a_residual_is_added_to_what_the_servos_are_given(free):
    leg, residual = free.legs[LEG], np.zeros((6, 3))
    residual[LEG - 1] = 0.05, 0.06, 0.02  # up: the foot stood on the floor
    free.wait(0.5)
    before, commanded = leg.position, leg.commanded.copy()
    free.legs.set_residual(residual)
    free.wait(1.0)
    np.testing.assert_allclose(leg.position - before, residual[LEG - 1], atol=0.008)
    assert (leg.commanded == commanded).all()
    free.legs.set_residual(None)
    free.wait(1.0)
    np.testing.assert_allclose(leg.position, before, atol=0.008)


def test_a_reset_ends_a_residual(robot):
    before = robot.state_hash()
    robot.legs.set_residual(np.full((6, 3), 0.01))
    robot.wait(0.1)
    robot.reset()
    assert robot.legs.residual is None and robot.state_hash() == before


@pytest.mark.parametrize("angles", [np.zeros(18), np.full((6, 3), np.nan), np.full((6, 3), 0.3)])
def test_residuals_that_are_none_or_too_large_are_refused(robot, angles):
    with pytest.raises(InvalidInput, match="residual"):
        robot.legs.set_residual(angles)
