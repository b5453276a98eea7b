"""Attitude from gyro and accelerometer: exact turns, tilt that comes back, bias that is learned."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.poses import wrap_angle
from mecano.estimation.attitude import GRAVITY, SETTLING, Attitude, rotation_of
from mecano.robots.romerin.description import DESCRIPTION

TICK = 0.004
FLOOR, WALL, CEILING = np.array([[0, 0, GRAVITY], [GRAVITY, 0, 0], [0, 0, -GRAVITY]])
"""What the accelerometer reads at rest: on the wall the robot looks up."""
NONE = np.zeros(3)
rates = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)


def run(filter: Attitude, rate, up, seconds: float, *, still: bool = False) -> Attitude:
    """Feed constant readings."""
    for _ in range(round(seconds / TICK)):
        filter.update(np.asarray(rate, float), np.asarray(up, float), TICK, still=still)
    return filter


def settled(up=FLOOR) -> Attitude:
    return run(Attitude(), NONE, up, SETTLING + 2 * TICK)


def yaw(filter: Attitude) -> float:
    """About the body's first z axis."""
    return math.atan2(filter.rotation[1, 0], filter.rotation[0, 0])


# Turning


@given(rate=rates, seconds=st.floats(0.1, 2.0))
@settings(max_examples=12)
def test_constant_rate_adds_up_to_its_rotation(rate, seconds):
    """Without gravity in sight, as in free fall, only the gyro counts."""
    found = run(Attitude(), rate, NONE, seconds)
    expected = rotation_of(rate * round(seconds / TICK) * TICK)
    np.testing.assert_allclose(found.rotation, expected, atol=1e-9)


@given(rate=rates)
@settings(max_examples=10)
def test_turn_there_and_back_is_nothing(rate):
    found = run(run(Attitude(), rate, NONE, 1.0), -rate, NONE, 1.0)
    np.testing.assert_allclose(found.rotation, np.eye(3), atol=1e-9)


def test_rotation_stays_a_rotation():
    found = run(Attitude(), [0.7, -0.4, 0.9], FLOOR, 30.0)
    np.testing.assert_allclose(found.rotation @ found.rotation.T, np.eye(3), atol=1e-9)


@given(vector=rates, factor=st.floats(-1.0, 1.0))
def test_rotations_about_one_axis_add_up(vector, factor):
    both = rotation_of(vector) @ rotation_of(factor * vector)
    np.testing.assert_allclose(both, rotation_of((1.0 + factor) * vector), atol=1e-9)


@given(vector=rates.filter(lambda v: np.linalg.norm(v) > 1e-3))
def test_small_and_large_rotations_agree(vector):
    small = 1e-6 * vector / np.linalg.norm(vector)
    np.testing.assert_allclose(rotation_of(0.999 * small), rotation_of(1.001 * small), atol=1e-8)


# Tilt


@pytest.mark.parametrize("up", [FLOOR, WALL, CEILING])
def test_first_reading_says_which_way_is_down(up):
    found = run(Attitude(), NONE, up, TICK)
    assert found.gravity is not None
    np.testing.assert_allclose(found.gravity, -up / GRAVITY, atol=1e-9)


def test_nothing_is_said_before_the_first_reading():
    assert Attitude().gravity is None


def test_gravity_turns_with_the_body():
    """The floor tilts under it by 90 degrees, nose up."""
    found = settled()
    for part in np.linspace(0.0, math.pi / 2, 500):
        up = GRAVITY * np.array([math.sin(part), 0.0, math.cos(part)])
        found.update(np.array([0.0, -math.pi / 2 / 500 / TICK, 0.0]), up, TICK)
    assert found.gravity is not None
    np.testing.assert_allclose(found.gravity, [-1.0, 0.0, 0.0], atol=0.01)


def test_wrong_tilt_is_taken_out_by_gravity():
    found = settled()
    found.rotation = rotation_of(np.array([0.2, -0.1, 0.0]))
    run(found, NONE, FLOOR, 60.0)
    assert found.gravity is not None
    np.testing.assert_allclose(found.gravity, [0.0, 0.0, -1.0], atol=1e-3)


def test_gravity_does_not_touch_the_heading():
    found = settled()
    found.rotation = rotation_of(np.array([0.0, 0.0, 0.4]))
    run(found, NONE, FLOOR, 30.0)
    assert yaw(found) == pytest.approx(0.4, abs=1e-9)


@pytest.mark.parametrize("size", [0.0, 0.7, 1.3, 3.0])
def test_a_shaken_accelerometer_is_not_looked_at(size):
    found = settled()
    before = found.rotation.copy()
    run(found, NONE, size * WALL, 5.0)
    np.testing.assert_allclose(found.rotation, before, atol=1e-9)


# Bias


@pytest.mark.parametrize("still", [True, False])
def test_bias_is_learned_at_rest_only(still):
    bias = np.array([0.01, -0.02, 0.03])
    found = run(settled(), bias, FLOOR, 10.0, still=still)
    np.testing.assert_allclose(found.bias, bias if still else NONE, atol=1e-9)


def test_heading_stands_still_once_the_bias_is_known():
    found = run(settled(), [0.0, 0.0, 0.03], FLOOR, 4.0, still=True)
    before = yaw(found)
    run(found, [0.0, 0.0, 0.03], FLOOR, 20.0)
    assert yaw(found) == pytest.approx(before, abs=1e-6)


def test_learned_bias_is_the_mean_of_noisy_readings():
    assert DESCRIPTION.legged is not None
    rng, found, facts = np.random.default_rng(1), settled(), DESCRIPTION.legged.imu
    assert facts is not None
    bias = facts.turn_bias * np.array([1.0, -1.0, 1.0])
    for _ in range(1000):
        noisy = bias + facts.turn_noise * rng.standard_normal(3)
        found.update(noisy, FLOOR, TICK, still=True)
    spread = facts.turn_noise / math.sqrt(1000)
    assert np.abs(found.bias - bias).max() < 4.0 * spread


# Heading


def drift(up: np.ndarray, seconds: float = 60.0) -> float:
    """How far the heading is off after a constant error of the gyro about the surface's normal."""
    found = run(settled(up), [0.0, 0.0, math.radians(1.0) / 60.0], up, seconds)
    return abs(float(wrap_angle(yaw(found))))


def test_heading_on_the_floor_drifts_with_the_bias():
    assert drift(FLOOR) == pytest.approx(math.radians(1.0), rel=0.01)


def test_heading_on_a_wall_does_not_drift():
    """There the vertical lies in the surface: the error is bounded by bias over correction."""
    assert drift(WALL, 120.0) < math.radians(0.2)
    assert drift(WALL, 240.0) == pytest.approx(drift(WALL, 120.0), rel=0.01)


def test_memory_goes_back():
    found = run(settled(), [0.01, 0.0, 0.02], FLOOR, 1.0, still=True)
    memory = found.memory()
    twin = Attitude()
    twin.recall(memory)
    for each in (found, twin):
        run(each, [0.1, 0.2, -0.1], WALL, 0.5, still=True)
    np.testing.assert_array_equal(found.rotation, twin.rotation)
    np.testing.assert_array_equal(found.bias, twin.bias)
    np.testing.assert_array_equal(memory[0][0], settled_rotation(memory))


def settled_rotation(memory: tuple) -> np.ndarray:
    """What a fresh filter recalls: the memory itself was not changed by going on."""
    fresh = Attitude()
    fresh.recall(memory)
    return fresh.rotation
