"""Tools of imported arms that cannot roll them freely: upright, so that a closed form fits."""

from math import pi

import numpy as np
import pytest
from robot_files import turret_urdf, write_urdf
from test_importing_import import largest_difference

import mecano
from mecano.checkup.contract import solver_note
from mecano.importing import import_robot
from mecano.importing.findings import Findings

POINT = (0.5, 0.0, 0.2)
"""That these arms reach with the nose level, down and past the vertical [m]."""


def imported(folder, **wishes):
    import_robot(write_urdf(folder, turret_urdf(**wishes)), folder / "robot")
    return mecano.robots.get(folder / "robot")


@pytest.mark.parametrize("axis", ["0 1 0", "0 -1 0"])
@pytest.mark.parametrize(("rolls", "kind"), [(False, "turret"), (True, "rolling_turret")])
def test_turret_arm_gets_its_closed_form(tmp_path, axis, rolls, kind):
    robot = imported(tmp_path, axis=axis, rolls=rolls)
    chain = robot.chain()
    assert chain.solver == kind, chain.solver_reason
    assert largest_difference(robot) < 1e-9
    for pitch in (0.0, pi / 2, 1.5708, 1.6, 2.0):
        found = chain.inverse(POINT, pitch=pitch, start=np.zeros(len(chain.joint_names)))
        assert found.reached, (pitch, found.message)
        T = chain.forward(found.solutions[0])
        np.testing.assert_allclose(T[:3, 3], POINT, atol=1e-9)
        np.testing.assert_allclose(T[:3, 0], [np.cos(pitch), 0, -np.sin(pitch)], atol=1e-9)
        np.testing.assert_allclose(T[:3, 1], [0, 1, 0], atol=1e-9)


@pytest.mark.parametrize(
    "tcp", ["0 0 0", "0 0 1.5708", "0 0 3.14159", "0 -1.5707963267948966 0"]
)  # fmt: skip
def test_frame_of_the_file_is_turned_by_quarters_until_it_is_upright(tmp_path, tcp):
    chain = imported(tmp_path, tcp=tcp).chain()
    assert chain.solver == "turret", chain.solver_reason
    found = chain.inverse(POINT, pitch=1.6, start=np.zeros(4))
    assert found.reached, found.message
    nose = chain.forward(found.solutions[0])[:3, 0]
    np.testing.assert_allclose(nose, [np.cos(1.6), 0, -np.sin(1.6)], atol=1e-5)


def test_frame_of_the_file_that_is_rolled_otherwise_stays_and_the_reason_says_so(tmp_path):
    robot = imported(tmp_path, tcp="0 0 0.5")
    chain = robot.chain()
    assert chain.solver == "numerical"
    findings = Findings()
    solver_note(robot, findings)
    (note,) = findings
    assert "the tool's frame is rolled" in note.message and note.code == "solver-numerical"
    assert chain.inverse(POINT, pitch=1.6, start=np.zeros(4)).reached
