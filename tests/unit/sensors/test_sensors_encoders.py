"""Joint encoders: whole ticks, stamps, and noise that belongs to a seed."""

import mujoco
import numpy as np
import pytest

from mecano import robots
from mecano.core.devices import Sensor
from mecano.sensors import JointEncoders
from mecano.world import Placement, World, assemble

ARM = robots.get("open_manipulator_x")
NAMES = ARM.chain().joint_names
TICK = 2 * np.pi / 4096


@pytest.fixture
def world() -> World:
    return World(assemble([Placement(robot=ARM, prefix="a/")]))


def encoders(world: World, seed: int | None = None) -> JointEncoders:
    noise = None if seed is None else np.random.default_rng(seed)
    return JointEncoders(
        world, NAMES, prefix="a/", rate=100.0, resolution=np.full(4, TICK), noise=noise
    )


def put(world: World, q) -> None:
    for name, value in zip(NAMES, q, strict=True):
        world.data.joint(f"a/{name}").qpos[0] = value
    mujoco.mj_forward(world.model, world.data)


def test_they_are_a_sensor(world):
    assert isinstance(encoders(world), Sensor)


def test_a_position_is_a_whole_number_of_ticks_nearest_to_the_truth(world):
    q = np.array([0.1234, -0.5678, 0.4321, 1.0001])
    put(world, q)
    reading = encoders(world).read()
    ticks = reading.position / TICK
    np.testing.assert_allclose(ticks, np.rint(ticks), atol=1e-9)
    assert np.abs(reading.position - q).max() <= TICK / 2 + 1e-12


def test_velocities_and_efforts_are_those_of_the_joints(world):
    put(world, np.zeros(4))
    world.data.joint("a/joint2").qvel[0] = 0.7
    mujoco.mj_forward(world.model, world.data)
    reading = encoders(world).read()
    np.testing.assert_allclose(reading.velocity, [0.0, 0.7, 0.0, 0.0])
    assert reading.effort is not None
    forces = [world.data.actuator(f"a/{name}").force[0] for name in NAMES]
    np.testing.assert_allclose(reading.effort, forces)


def test_a_reading_names_the_joints_without_the_prefix(world):
    assert encoders(world).read().name == NAMES


def test_a_reading_stands_until_the_next_sample(world):
    sensor = encoders(world)
    first = sensor.read()
    world.step(10)
    again = sensor.read()
    assert again.stamp == first.stamp == 0.0
    np.testing.assert_array_equal(again.position, first.position)
    sensor.sample()
    assert sensor.read().stamp == pytest.approx(0.02)


def test_an_older_reading_does_not_change_with_the_world(world):
    sensor = encoders(world)
    first = sensor.read()
    before = first.position.copy()
    world.data.ctrl[:] = 0.5
    world.step(100)
    sensor.sample()
    np.testing.assert_array_equal(first.position, before)


@pytest.mark.parametrize("seed", [None, 3])
def test_a_reading_that_is_looked_at_late_is_of_its_sample(world, seed):
    early, late = encoders(world, seed), encoders(world, seed)
    expected = early.read(), early.read(clean=True)
    world.data.ctrl[:] = 0.5
    world.step(100)
    late.zeros = np.full(4, 0.1)
    for clean, before in zip((False, True), expected, strict=True):
        after = late.read(clean=clean)
        assert after.stamp == before.stamp
        np.testing.assert_array_equal(after.position, before.position)
        np.testing.assert_array_equal(after.velocity, before.velocity)
        np.testing.assert_array_equal(after.effort, before.effort)


def test_looking_draws_no_noise(world):
    seen, unseen = encoders(world, seed=3), encoders(world, seed=3)
    for _ in range(3):
        seen.sample()
        unseen.sample()
        seen.read()
    np.testing.assert_array_equal(seen.position, unseen.position)


def test_a_memory_brings_back_its_reading(world):
    sensor = encoders(world, seed=3)
    before, memory = sensor.read(), sensor.memory()
    world.data.ctrl[:] = 0.5
    world.step(100)
    sensor.sample()
    assert sensor.read().stamp != before.stamp
    sensor.recall(memory)
    np.testing.assert_array_equal(sensor.read().position, before.position)


def test_noise_repeats_with_its_seed(world):
    one, same, other = (encoders(world, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.position, same.position)
    np.testing.assert_array_equal(one.velocity, same.velocity)
    assert (one.velocity != other.velocity).all()


def test_noise_has_no_bias_and_a_spread_of_a_tick(world):
    put(world, np.array([0.3, -0.2, 0.1, 0.4]))
    sensor = encoders(world, seed=0)
    rows = []
    for _ in range(2000):
        sensor.sample()
        rows.append(sensor.position - [0.3, -0.2, 0.1, 0.4])
    errors = np.array(rows) / TICK
    assert np.abs(errors.mean(axis=0)).max() < 0.1
    assert errors.std(axis=0) == pytest.approx(np.full(4, 1.04), abs=0.1)


def test_an_unknown_joint_is_refused(world):
    with pytest.raises(Exception, match="joint9"):
        JointEncoders(world, ["joint9"], prefix="a/", rate=100.0, resolution=np.ones(1))
