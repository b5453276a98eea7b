"""Servos by themselves: commands, modes, and forces they may not exceed."""

import numpy as np
import pytest

from mecano import robots
from mecano.actuators import GripperServo, Servos
from mecano.core.devices import Mode
from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.world import Placement, World, assemble

ARM = robots.get("open_manipulator_x")
NAMES = ARM.chain().joint_names


@pytest.fixture
def world() -> World:
    return World(assemble([Placement(robot=ARM, prefix="a/")]))


def joints(world: World) -> np.ndarray:
    return np.array([world.data.joint(f"a/{name}").qpos[0] for name in NAMES])


def test_servos_hold_the_posture_they_find(world):
    world.data.joint("a/joint1").qpos[0] = 0.4
    Servos(world, NAMES, prefix="a/")
    world.step(1000)
    np.testing.assert_allclose(joints(world), [0.4, 0.0, 0.0, 0.0], atol=0.005)


def test_a_position_is_reached_under_the_weight(world):
    servos = Servos(world, NAMES, prefix="a/")
    servos.command(position=np.array([0.3, -0.4, 0.3, 0.2]))
    world.step(1500)
    np.testing.assert_allclose(joints(world), [0.3, -0.4, 0.3, 0.2], atol=0.003)


def test_the_torque_never_exceeds_what_the_motor_gives(world):
    servos = Servos(world, NAMES, prefix="a/")
    servos.command(position=np.array([2.5, -1.5, 1.0, 1.0]))
    strongest = 0.0
    for _ in range(100):
        world.step()
        strongest = max(strongest, float(np.abs(world.data.actuator_force[:4]).max()))
    assert 1.0 < strongest <= 4.1 + 1e-9


def test_what_is_not_commanded_is_zero(world):
    servos = Servos(world, NAMES, prefix="a/")
    servos.command(velocity=np.ones(4), torque=np.ones(4))
    servos.command(position=np.zeros(4))
    address = world.model.actuator_ctrladr[:4]
    np.testing.assert_array_equal(world.data.ctrl[address + 1], np.zeros(4))
    np.testing.assert_array_equal(world.data.ctrl[address + 2], np.zeros(4))


@pytest.mark.parametrize("mode", [Mode.VELOCITY, Mode.TORQUE, Mode.POSITION])
def test_the_physics_runs_in_every_mode(world, mode):
    servos = Servos(world, NAMES, prefix="a/")
    servos.set_mode(mode)
    world.step(50)
    assert servos.mode is mode and np.isfinite(joints(world)).all()


def test_the_impedance_mode_needs_its_springs(world):
    servos = Servos(world, NAMES, prefix="a/")
    with pytest.raises(InvalidInput, match="stiffness"):
        servos.set_mode(Mode.IMPEDANCE)
    assert servos.mode is Mode.POSITION
    servos.set_mode(Mode.IMPEDANCE, stiffness=np.full(4, 5.0), damping=np.full(4, 0.5))
    world.step(50)
    assert servos.mode is Mode.IMPEDANCE


def test_modes_of_one_robot_do_not_reach_another():
    world = World(assemble([Placement(robot=ARM, prefix=p) for p in ("a/", "b/")]))
    before = world.model.actuator("b/joint1").gainprm.copy()
    Servos(world, NAMES, prefix="a/").set_mode(Mode.TORQUE)
    np.testing.assert_array_equal(world.model.actuator("b/joint1").gainprm, before)


def test_an_unknown_servo_lists_the_known_ones(world):
    with pytest.raises(UnknownName, match="a/joint1"):
        Servos(world, ["joint9"], prefix="a/")


@pytest.mark.parametrize("what", ["position", "velocity", "torque"])
def test_a_command_that_is_not_a_number_never_stays(world, what):
    servos = Servos(world, NAMES, prefix="a/")

    def send() -> None:
        servos.command(**{what: np.array([0.0, np.nan, 0.0, 0.0])})
        world.step()

    with pytest.raises(MecanoError):
        send()
    assert np.isfinite(world.data.ctrl).all()


def test_the_gripper_never_presses_harder_than_it_may(world):
    servo = GripperServo(world, "gripper", prefix="a/", max_force=30.0)
    servo.command(-0.010, 12.0)
    assert world.model.actuator("a/gripper").forcerange.tolist() == [-24.0, 24.0]
    servo.command(-0.010, 99.0)
    assert world.model.actuator("a/gripper").forcerange.tolist() == [-60.0, 60.0]


@pytest.mark.parametrize(("position", "force"), [(np.nan, 5.0), (0.0, np.nan), (0.0, -5.0)])
def test_a_bad_command_to_the_gripper_is_refused(world, position, force):
    servo = GripperServo(world, "gripper", prefix="a/", max_force=30.0)

    def send() -> None:
        servo.command(position, force)
        world.step()

    with pytest.raises(MecanoError):
        send()
    assert np.isfinite(world.data.ctrl).all()
