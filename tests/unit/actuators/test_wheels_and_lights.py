"""Motors of wheels that keep a rate, and lights that change their colour."""

import mujoco
import numpy as np
import pytest

from mecano.actuators.lights import COLOURS, Lights
from mecano.actuators.wheels import Wheels
from mecano.core.errors import InvalidInput, UnknownName
from mecano.world.physics import PhysicsSettings
from mecano.world.world import World

CART = """
<mujoco>
  <default><geom contype="0" conaffinity="0"/><joint armature="0.05"/></default>
  <worldbody>
    <body name="cart" pos="0 0 1">
      <geom type="box" size="0.1 0.1 0.05"/>
      <geom name="r/lamp" type="sphere" size="0.01"/>
      <body pos="0 0.1 0">
        <joint name="r/left" axis="0 1 0"/>
        <geom type="cylinder" size="0.03 0.01"/>
      </body>
      <body pos="0 -0.1 0">
        <joint name="r/right" axis="0 1 0"/>
        <geom type="cylinder" size="0.03 0.01"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <velocity name="r/left" joint="r/left" kv="10" ctrlrange="-20 20" forcerange="-1.6 1.6"/>
    <velocity name="r/right" joint="r/right" kv="10" ctrlrange="-20 20" forcerange="-1.6 1.6"/>
  </actuator>
</mujoco>"""


@pytest.fixture
def world() -> World:
    spec = mujoco.MjSpec.from_string(CART)
    PhysicsSettings().apply(spec.option)
    return World(spec)


@pytest.fixture
def wheels(world) -> Wheels:
    return Wheels(world, ["left", "right"], prefix="r/")


def true_rates(world: World) -> np.ndarray:
    return np.array([world.data.joint(f"r/{side}").qvel[0] for side in ("left", "right")])


@pytest.mark.parametrize("rates", [(1.0, 2.0), (-20.0, 20.0), (0.0, 0.0)])
def test_wheels_turn_at_the_rates_they_are_given(world, wheels, rates):
    wheels.command(np.array(rates))
    world.step(500)
    np.testing.assert_allclose(true_rates(world), rates, atol=1e-3)


def test_stopped_wheels_stand(world, wheels):
    wheels.command(np.array([10.0, 10.0]))
    world.step(200)
    wheels.stop()
    world.step(500)
    np.testing.assert_allclose(true_rates(world), 0.0, atol=1e-6)


def test_a_motor_gives_no_more_than_its_torque(world, wheels):
    wheels.command(np.array([20.0, -20.0]))
    world.step(1)
    np.testing.assert_allclose(world.data.actuator_force, [1.6, -1.6])


@pytest.mark.parametrize("rates", [[1.0], [1.0, 2.0, 3.0], [1.0, np.nan], [np.inf, 0.0]])
def test_rates_that_are_not_two_finite_numbers_are_refused(world, wheels, rates):
    wheels.command(np.array([3.0, 3.0]))
    with pytest.raises(InvalidInput, match="2 finite wheel rates"):
        wheels.command(np.array(rates))
    assert world.data.ctrl.tolist() == [3.0, 3.0], "the last good command holds"


def test_a_wheel_that_is_not_there_lists_the_others(world):
    with pytest.raises(UnknownName, match="r/right"):
        Wheels(world, ["left", "middle"], prefix="r/")


@pytest.mark.parametrize("colour", COLOURS)
def test_a_light_takes_each_colour(world, colour):
    Lights(world, ["lamp"], prefix="r/").set(1, colour)
    np.testing.assert_allclose(world.model.geom("r/lamp").rgba, COLOURS[colour], atol=1e-6)


def test_a_colour_of_a_light_changes_no_physics(world):
    before = world.state_hash()
    Lights(world, ["lamp"], prefix="r/").set(1, "red")
    assert world.state_hash() == before


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_light_that_is_not_there_is_refused(world, number):
    with pytest.raises(InvalidInput, match="light"):
        Lights(world, ["lamp"], prefix="r/").set(number, "red")


def test_a_colour_that_is_not_there_is_refused(world):
    with pytest.raises(UnknownName, match="orange"):
        Lights(world, ["lamp"], prefix="r/").set(1, "blue")
