"""URDF to a model of MuJoCo: frames, masses, limits and followers are the file's own."""

import mujoco
import numpy as np
import pytest
from robot_files import arm_urdf, write_urdf

from mecano.importing.convert import convert
from mecano.importing.urdf import read_urdf


@pytest.fixture
def draft(tmp_path):
    robot = read_urdf(write_urdf(tmp_path, arm_urdf()))
    work = tmp_path / "work"
    work.mkdir()
    return convert(robot, work)


def test_every_link_is_a_body_with_its_mass(draft):
    model = draft.compile()
    names = [model.body(i).name for i in range(1, model.nbody)]
    assert names[:3] == ["base_link", "shoulder", "upper"] and "tool0" in names
    assert model.body("upper").mass[0] == pytest.approx(4.0)
    assert model.body("tool0").mass[0] == 0.0
    np.testing.assert_allclose(model.body("upper").ipos, [0, 0.12, 0.2])


def test_what_is_drawn_does_not_collide_and_what_collides_is_hidden(draft):
    model = draft.compile()
    drawn, solid = model.geom_group == 2, model.geom_group == 3
    assert drawn.sum() == solid.sum() > 0
    assert not model.geom_contype[drawn].any() and model.geom_contype[solid].all()


def test_limits_and_followers_are_those_of_the_file(draft):
    model = draft.compile()
    np.testing.assert_allclose(model.joint("elbow").range, [-2.5, 2.5])
    (follower,) = draft.followers
    assert (follower.joint, follower.leader, follower.multiplier) == ("grip_2", "grip", 1.0)
    assert model.neq == 1 and "grip_2" not in draft.motors


def test_numbers_are_written_with_all_digits(draft):
    text = arm_urdf()
    assert "1.5707963267948966" in text
    draft.compile()
    model = mujoco.MjModel.from_xml_path(str(draft.model_file))
    quaternion = model.body("tool0").quat
    np.testing.assert_allclose(quaternion, [np.sqrt(0.5), -np.sqrt(0.5), 0, 0], atol=1e-15)


def test_moving_link_without_mass_gets_a_little_and_says_so(tmp_path):
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        '<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint></robot>'
    )
    draft = convert(read_urdf(write_urdf(tmp_path, text)), tmp_path)
    model = draft.compile()
    assert 0.0 < model.body("b").subtreemass[0] < 0.2
    assert any("mass" in finding.code or "inertial" in finding.code for finding in draft.findings)


def test_robot_without_collision_shapes_gets_those_that_are_drawn(tmp_path):
    text = arm_urdf()
    while "<collision>" in text:
        start, end = text.index("<collision>"), text.index("</collision>") + len("</collision>")
        text = text[:start] + text[end:]
    draft = convert(read_urdf(write_urdf(tmp_path, text)), tmp_path)
    assert (draft.compile().geom_group == 3).any()
    assert "collision-missing" in {finding.code for finding in draft.findings}
