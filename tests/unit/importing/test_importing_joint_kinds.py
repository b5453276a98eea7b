"""The four kinds of joints, imported and simulated: revolute, prismatic, screw, spherical."""

import numpy as np
import pytest
from robot_files import _joint, _link, _shape, write_urdf

import mecano

PITCH = 0.01
"""Of the screw [m per radian]."""


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MECANO_CACHE", str(tmp_path / "cache"))


def test_revolute_and_prismatic_joints_of_one_chain_arrive(tmp_path):
    box = _shape('<box size="0.05 0.05 0.1"/>', "0 0 0.05")
    text = "".join([
        '<robot name="post">', _link("base", 5, (0, 0, 0), _shape('<box size="0.3 0.3 0.05"/>')),
        _link("turn", 1, (0, 0, 0.05), box), _link("slide", 0.5, (0, 0, 0.05), box),
        _joint("hinge", "revolute", "base", "turn", "0 0 0.1", "0 0 1"),
        _joint("rail", "prismatic", "turn", "slide", "0 0 0.2", "0 0 1",
               limit='lower="0" upper="0.4" effort="100" velocity="0.5"'),
        "</robot>",
    ])  # fmt: skip
    with mecano.connect(write_urdf(tmp_path, text)) as robot:
        assert robot.arm.units == ("rad", "m")
        assert robot.arm.move_joints([0.7, 0.25]).reached
        np.testing.assert_allclose(robot.arm.position, [0.7, 0.25], atol=2e-3)


def test_screw_is_a_slide_that_follows_its_spindle(tmp_path):
    box = _shape('<box size="0.05 0.05 0.1"/>', "0 0 0.05")
    text = "".join([
        '<robot name="press">', _link("base", 5, (0, 0, 0), _shape('<box size="0.3 0.3 0.05"/>')),
        _link("spindle", 1, (0, 0, 0.05), box), _link("nut", 0.5, (0.2, 0, 0.05)),
        _joint("spindle_turn", "revolute", "base", "spindle", "0 0 0.1", "0 0 1",
               limit='lower="-6" upper="6" effort="50" velocity="3"'),
        _joint("nut_slide", "prismatic", "base", "nut", "0.2 0 0.3", "0 0 1",
               limit='lower="-0.06" upper="0.06" effort="50" velocity="1"',
               more=f'<mimic joint="spindle_turn" multiplier="{PITCH}"/>'),
        "</robot>",
    ])  # fmt: skip
    with mecano.connect(write_urdf(tmp_path, text)) as robot:
        assert robot.arm.move_joints([4.0]).reached
        nut = float(robot.world.data.joint(f"{robot.name}/nut_slide").qpos[0])
        assert nut == pytest.approx(4.0 * PITCH, abs=5e-4)


def test_spherical_joint_swings_and_keeps_its_length(tmp_path):
    file = tmp_path / "lamp.xml"
    file.write_text(
        '<mujoco model="lamp"><worldbody><body name="base"><geom type="box" size=".1 .1 .02" '
        'mass="3"/><body name="arm" pos="0 0 .05"><joint name="lift" axis="0 1 0" range="-60 60" '
        'limited="true"/><geom type="capsule" fromto="0 0 .05 .5 0 .05" size=".02" mass="1"/>'
        '<body name="shade" pos=".5 0 .05"><joint name="knob" type="ball" damping=".01"/>'
        '<geom type="capsule" fromto="0 0 -.04 0 0 -.2" size=".02" mass=".2"/></body></body></body>'
        '</worldbody><actuator><position joint="lift" kp="200" kv="20"/></actuator></mujoco>'
    )
    with mecano.connect(file) as robot:
        assert robot.arm.move_joints([-0.5]).reached
        robot.session.run_for(3.0)
        data = robot.world.data
        shade, arm = data.body(f"{robot.name}/shade"), data.body(f"{robot.name}/arm")
        assert np.linalg.norm(shade.xpos - arm.xpos) == pytest.approx(np.hypot(0.5, 0.05), abs=1e-3)
        assert shade.xmat.reshape(3, 3)[2, 2] > 0.95  # it hangs down, whatever the arm does
