"""Tools whose frame is rolled: what pitch means, and what is said of the roll."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from mecano.core.poses import quaternion_from_matrix
from mecano.kinematics import Chain, fit_dh, solver_for
from mecano.kinematics.dh_fit import Kind
from mecano.kinematics.transforms import rotation_x, rotation_y, rotation_z, translation
from mecano.kinematics.upright import upright_chain, upright_roll
from mecano.robots.open_manipulator_x.description import ARM as OMX
from mecano.robots.widowx.description import ARM as WIDOWX


def rolled(dh, angle: float):
    return replace(dh, tool=dh.tool @ rotation_x(angle))


@pytest.mark.parametrize("quarter", [pi / 2, -pi / 2])
def test_pitch_of_a_tool_rolled_by_a_quarter_turn_is_that_of_the_upright_one(quarter):
    chain = Chain(name="arm", dh=rolled(OMX.dh, quarter))
    assert chain.solver == "numerical"
    rng = np.random.default_rng(5)
    beyond = 0
    for q in rng.uniform(OMX.dh.lower, OMX.dh.upper, (200, 4)):
        assert np.cos(chain.pitch(q) - OMX.pitch(q)) == pytest.approx(1.0, abs=1e-12)
        beyond += abs(OMX.pitch(q)) > pi / 2
    assert beyond > 20


@pytest.mark.parametrize("pitch", [pi / 2, 1.5708, 1.6, 1.8])
def test_numerical_solver_reaches_a_nose_past_the_vertical(pitch):
    chain = Chain(name="arm", dh=rolled(OMX.dh, pi / 2))
    point = (0.15, 0.05, 0.1)
    exact = OMX.inverse(point, pitch=pitch, start=np.zeros(4))
    found = chain.inverse(point, pitch=pitch, start=np.zeros(4))
    assert exact.reached and found.reached, found.message
    assert found.nearest.pitch == pytest.approx(pitch, abs=2e-6)
    for q in found.solutions:
        assert np.abs(exact.solutions - q).max(axis=1).min() < 1e-4


def test_orientation_is_asked_of_the_tool_as_it_is():
    chain = Chain(name="arm", dh=rolled(OMX.dh, pi / 2))
    q = np.array([0.3, -0.4, 0.5, 0.6])
    T = chain.forward(q)
    wxyz = quaternion_from_matrix(T[:3, :3]).tolist()
    found = chain.inverse(T[:3, 3], quaternion=wxyz, start=q + 0.05)
    assert found.reached
    np.testing.assert_allclose(found.solutions[0], q, atol=1e-4)


@pytest.mark.parametrize("dh", [OMX.dh, WIDOWX.dh], ids=["turret", "rolling_turret"])
@pytest.mark.parametrize("angle", [pi / 2, -pi / 2, 0.7, -0.02])
def test_reason_names_the_roll_and_the_turn_that_mends_it(dh, angle):
    solver = solver_for(rolled(dh, angle))
    assert solver.kind == "numerical"
    assert "the tool's frame is rolled" in solver.reason
    said = float(solver.reason.split("turn the tool by ")[1].split(" rad")[0])
    mended = rolled(dh, angle + said)
    assert solver_for(mended).kind == solver_for(dh).kind
    q = np.full(len(dh.joints), 0.2)
    np.testing.assert_allclose(mended.forward(q), dh.forward(q), atol=1e-5)


def test_nose_along_the_axes_is_not_called_a_roll():
    assert "the tool's x axis must be at a right angle to axes 2-4" in (
        solver_for(replace(OMX.dh, tool=OMX.dh.tool @ rotation_z(0.3))).reason
    )


def test_axes_that_are_not_parallel_are_not_called_a_roll():
    turning: list[Kind] = ["revolute"] * 4
    dh = fit_dh(
        [(0, 0, 1), (0, 1, 0), (np.sin(0.3), np.cos(0.3), 0), (0, 1, 0)],
        [(0, 0, 0.1), (0, 0, 0.2), (0, 0, 0.4), (0, 0, 0.6)],
        turning, ["a", "b", "c", "d"], [(-2.0, 2.0)] * 4,
        translation(z=0.7) @ rotation_y(-pi / 2),
    )  # fmt: skip
    assert "axes 2-4 must be parallel, they are off by 0.3 rad" in solver_for(dh).reason


def test_tool_whose_z_tells_the_side_is_left_alone():
    for dh in (OMX.dh, rolled(OMX.dh, 0.7), WIDOWX.dh):
        assert upright_chain(dh) is dh


def test_with_a_vertical_nose_the_arm_faces_forward_whichever_way_the_axis_points():
    up = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])  # nose up, y to the left
    for turn in (0.0, pi / 2, pi, -pi / 2):
        R = up @ rotation_x(turn)[:3, :3]
        for axis in ([0.0, 1, 0], [0.0, -1, 0]):
            upright = R @ rotation_x(upright_roll(np.array(axis), R))[:3, :3]
            np.testing.assert_allclose(upright, up, atol=1e-12)
