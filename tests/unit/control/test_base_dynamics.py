"""Torques of wheels for a motion of their base."""

from dataclasses import replace
from math import pi

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mecano
from mecano.control.base_dynamics import BaseDynamics
from mecano.core.errors import InvalidInput
from mecano.kinematics.wheels import omni

LAYOUT = omni(
    radius=0.1, distance=0.29, angles=[pi, -pi / 3, pi / 3], names=["one", "two", "three"]
)
BASE = BaseDynamics(
    layout=LAYOUT, mass=150.0, centre=(0.02, -0.01), moment=9.0, rolling=(0.045,) * 3, free=True
)
numbers = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)


@given(twist=numbers, change=numbers)
def test_power_of_the_motors_is_the_change_of_energy(twist, change):
    M = BASE.mass_matrix
    power = BASE.torques(twist, change) @ LAYOUT.rates(twist)
    assert power == pytest.approx(twist @ M @ change, abs=1e-9)


def test_straight_ahead_the_wheels_share_mass_times_acceleration():
    still = replace(BASE, centre=(0.0, 0.0), rolling=(0.0,) * 3)
    torques = still.torques([0.0, 0.0, 0.0], [0.5, 0.0, 0.0])
    assert torques @ LAYOUT.to_rates[:, 0] == pytest.approx(150.0 * 0.5)
    np.testing.assert_allclose(torques, [0.0, -150 * 0.5 * 0.1 / 3**0.5, 150 * 0.5 * 0.1 / 3**0.5])


def test_friction_is_overcome_on_top():
    rough = replace(BASE, damping=(0.3,) * 3, friction=(0.5,) * 3)
    twist = np.array([0.2, 0.1, -0.2])
    more = rough.torques(twist, np.zeros(3)) - BASE.torques(twist, np.zeros(3))
    rates = LAYOUT.rates(twist)
    np.testing.assert_allclose(more, 0.3 * rates + 0.5 * np.sign(rates))
    assert not rough.torques(np.zeros(3), np.zeros(3)).any(), "and not at rest"


@pytest.mark.parametrize("twist", [(0.0, 0.0, 0.0), (0.2, -0.1, 0.5)])
def test_physics_accelerates_as_computed(twist):
    # Second witness: push the wheels with the torques, see what the engine does.
    with mecano.connect("madar", scene="empty", variant="base") as robot:
        base, change = robot.base, np.array([0.3, -0.2, 0.4])
        robot.wait(0.3)
        for _ in range(4):
            base.drive(twist[0], twist[2], left=twist[1])
            robot.wait(0.3)
        torques = base._dynamics().torques(twist, change)  # pyright: ignore[reportOptionalCall]
        before = _twist(robot)
        base._wheels.push(torques)
        robot.world.step(5)
        change_seen = (_twist(robot) - before) / (5 * robot.world.timestep)
        np.testing.assert_allclose(change_seen, change, atol=0.02)
        base._wheels.command(np.zeros(3))


def _twist(robot) -> np.ndarray:
    velocity = np.empty(6)
    body = robot.world.index("body", f"{robot.name}/base_footprint")
    model, data = robot.world.model, robot.world.data
    mujoco.mj_forward(model, data)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, velocity, 1)
    return velocity[[3, 4, 2]]


def test_the_whole_robot_is_weighed_with_its_arms():
    with mecano.connect("madar", scene="empty") as robot:
        whole = robot.base._dynamics()  # pyright: ignore[reportOptionalCall]
        assert whole.mass == pytest.approx(171.2, abs=0.1)
        robot.arms.move_joints("carry")
        carrying = robot.base._dynamics()  # pyright: ignore[reportOptionalCall]
        assert carrying.centre[0] > whole.centre[0] + 0.01 and carrying.moment > whole.moment


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"mass": 0.0}, "mass"),
        ({"rolling": (0.1,)}, "1 values for 3"),
        ({"moment": -1.0}, "moment"),
    ],
)
def test_what_no_base_is_is_refused(fields, says):
    with pytest.raises(InvalidInput, match=says):
        replace(BASE, **fields)
