"""Going back in time, and what stops with what."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, WorldBroken
from mecano.session.behaviours import BehaviourFailed

ARM = "open_manipulator_x"
HERE, THERE = [0.8, -1.0, 1.0, 0.0], [-0.8, -1.0, 1.0, 0.0]


@pytest.fixture
def robot():
    with mecano.connect(ARM, noise=True, seed=5) as robot:
        yield robot


def test_what_follows_a_restore_is_what_followed_the_snapshot(robot):
    robot.arm.move_joints(HERE)
    kept = robot.snapshot()
    robot.arm.move_joints(THERE)
    first = robot.state_hash()
    robot.restore(kept)
    robot.arm.move_joints(THERE)
    assert robot.state_hash() == first


def test_taking_a_snapshot_changes_nothing(robot):
    robot.arm.move_joints(HERE)
    with mecano.connect(ARM, noise=True, seed=5) as twin:
        handle = twin.arm.move_joints(HERE, wait=False)
        while not handle.done:
            twin.snapshot()
            twin.session.tick()
        assert twin.state_hash() == robot.state_hash()


def test_a_restore_brings_back_mode_and_command(robot):
    robot.arm.command_torque([0.0, 0.0, 0.0, 0.0])
    kept = robot.snapshot()
    robot.arm.move_joints(HERE)
    robot.restore(kept)
    assert robot.arm.mode == "torque"
    robot.arm.move_joints(THERE)
    assert np.abs(robot.arm.velocity).max() < 0.3


def test_a_motion_after_a_restore_keeps_to_the_speed_limit(robot):
    robot.arm.move_joints(HERE)
    kept = robot.snapshot()
    robot.arm.move_joints(THERE)
    robot.restore(kept)
    fastest = []
    robot.session.observers.append(lambda session: fastest.append(abs(robot.arm.velocity[0])))
    robot.arm.move_joints(THERE)
    assert max(fastest) < 1.15 * robot.arm.bounds.velocity


def test_a_broken_world_ends_what_was_going_on(robot):
    robot.wait(0.5)
    handle = robot.arm.move_joints(HERE, wait=False)
    robot.wait(0.1)
    robot.world.data.xfrc_applied[:] = 1e12
    with pytest.raises(WorldBroken):
        robot.wait(handle)
    assert handle.done and robot.time == 0.0
    assert robot.arm.move_joints(THERE).reached


def test_a_condition_that_raises_is_an_error_of_the_behaviour(robot):
    def waits_for_nonsense(robot):
        yield lambda: 1 / 0

    handle = robot.arm.move_joints(HERE, wait=False)
    robot.run(waits_for_nonsense)
    with pytest.raises(BehaviourFailed, match="ZeroDivisionError"):
        robot.wait(0.1)
    assert handle.done
    robot.wait(0.1)


def test_a_function_that_returns_a_generator_is_one(robot):
    seen = []

    def counts(robot):
        for number in range(3):
            seen.append(number)
            yield 0.05

    robot.run(lambda robot: counts(robot))
    robot.wait(0.5)
    assert seen == [0, 1, 2]


def test_a_handle_of_the_gripper_waits_and_stops(robot):
    closing = robot.gripper.close(wait=False)
    robot.wait(0.1)
    closing.stop()
    assert closing.done
    assert robot.gripper.open(wait=False).wait().width == pytest.approx(0.08, abs=0.001)


def test_stopping_one_robot_leaves_the_other_alone():
    arms = mecano.connect_all({"a": mecano.Place(ARM), "b": mecano.Place(ARM)})
    handle = arms["b"].arm.move_joints([0.4, -1.0, 1.0, 0.0], wait=False)
    with arms["a"] as first:
        first.stop()
    assert handle.wait().reached


def test_a_collision_names_a_body_that_has_no_name(tmp_path):
    scene = tmp_path / "post.xml"
    scene.write_text(
        '<mujoco><worldbody><body pos="0.2 0 0.1"><geom type="box" size="0.02 0.2 0.1"/></body>'
        "</worldbody></mujoco>"
    )
    with mecano.connect(ARM, scene=scene) as robot:
        result = robot.arm.move_joints([0.0, 0.8, 0.0, 0.0])
    assert result.pair is not None and all(result.pair)


@pytest.mark.parametrize("name", ["", "a/b"])
def test_a_name_that_is_no_prefix_is_refused(name):
    with pytest.raises(InvalidInput, match="may not be called"):
        mecano.connect_all({name: mecano.Place(ARM)})


def test_a_motion_faster_than_the_servos_is_refused():
    from mecano.lab.settings import Settings

    with pytest.raises(InvalidInput, match="servos reach"):
        mecano.connect(ARM, settings=Settings.load(None, {"motion.velocity": 100.0}))


def test_waiting_for_what_is_no_handle_is_refused(robot):
    with pytest.raises(InvalidInput, match="handles"):
        robot.wait("x")
