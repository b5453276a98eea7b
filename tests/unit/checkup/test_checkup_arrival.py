"""Plain MJCF actuators bring joints where they are sent; the check says where they do not."""

import mujoco
import numpy as np
import pytest

import mecano
from mecano.actuators.plain_servos import servos_for
from mecano.checkup import check_robot
from mecano.core.errors import InvalidInput
from mecano.importing.sources import find_robot
from mecano.world.world import World

ARM = """<mujoco model="swing"><compiler angle="radian" autolimits="true"/><worldbody>
<body name="base"><geom type="cylinder" size="0.06 0.05" mass="2" pos="0 0 0.05"/>
<body name="upper" pos="0 0 0.15"><joint name="shoulder" axis="0 1 0" range="-2 2" {joint}/>
<geom type="capsule" fromto="0 0 0.05 0 0 0.25" size="0.03" mass="1.5"/>
<body name="fore" pos="0 0 0.3"><joint name="elbow" axis="0 1 0" range="-2.5 2.5" {joint}/>
<geom type="capsule" fromto="0 0 0.05 0 0 0.2" size="0.025" mass="1"/>
<body name="hand" pos="0 0 0.25"><joint name="wrist" axis="0 1 0" range="-2 2" {joint}/>
<geom type="capsule" fromto="0 0 0.05 0 0 0.1" size="0.02" mass="0.3"/>
</body></body></body></body></worldbody><actuator>{actuators}</actuator></mujoco>"""
JOINTS = ("shoulder", "elbow", "wrist")
ACTUATORS = (
    'velocity kv="0.1"', 'velocity kv="1"', 'velocity kv="20" ctrlrange="-1 1"',
    'velocity kv="100" forcerange="-60 60"', 'motor gear="50" ctrlrange="-1 1"', "motor",
    'position kp="500" kv="20"', 'general gainprm="100" biastype="affine" biasprm="0 -100 -10"',
    'general gainprm="10" biastype="affine" biasprm="0 0 -10"', 'intvelocity kp="100"',
)  # fmt: skip
FRICTION = ("", 'damping="1" frictionloss="0.5"', 'damping="5" armature="0.1"', 'stiffness="3"')


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MECANO_CACHE", str(tmp_path / "cache"))


def arm_file(tmp_path, actuator: str, joint: str = ""):
    kind, *rest = actuator.split(" ", 1)
    lines = "".join(f'<{kind} joint="{j}" {"".join(rest)}/>' for j in JOINTS)
    file = tmp_path / "swing.xml"
    file.write_text(ARM.format(joint=joint, actuators=lines))
    return file


def warned(report) -> dict[str, str]:
    return {each.code: each.message for each in report.findings if each.severity != "note"}


@pytest.mark.parametrize("joint", FRICTION)
@pytest.mark.parametrize("actuator", ACTUATORS)
def test_every_joint_arrives_where_it_is_sent(tmp_path, actuator, joint):
    goal = [0.8, -0.9, 0.5]
    with mecano.connect(arm_file(tmp_path, actuator, joint)) as robot:
        result = robot.arm.move_joints(goal)
        assert result.reached, result
        robot.session.run_for(0.5)
        assert np.abs(robot.arm.position - goal).max() < 0.005


@pytest.mark.parametrize("actuator", ['velocity kv="1"', "motor", 'position kp="500" kv="20"'])
def test_check_passes_what_arrives(tmp_path, actuator):
    assert "joint-does-not-arrive" not in warned(check_robot(arm_file(tmp_path, actuator)))


def test_check_names_a_gain_too_small_for_the_weight(tmp_path):
    """The shoulder's weight asks for 8 N m per radian, its actuator gives 5."""
    message = warned(check_robot(arm_file(tmp_path, 'position kp="5"')))["joint-does-not-arrive"]
    assert "weight" in message and "kp" in message


def test_check_names_friction_that_holds_a_joint(tmp_path):
    file = arm_file(tmp_path, 'position kp="20" kv="2"', 'frictionloss="6"')
    message = warned(check_robot(file))["joint-does-not-arrive"]
    assert "friction for 6 N m" in message


def test_speed_of_a_velocity_actuator_is_that_of_its_input(tmp_path):
    robot = find_robot(arm_file(tmp_path, 'velocity kv="20" ctrlrange="-1.5 1.5"'))
    assert robot.servos["elbow"].speed == pytest.approx(1.5)


@pytest.mark.parametrize("kind", ["muscle", 'damper kv="5" ctrlrange="0 1"'])
def test_actuator_that_cannot_hold_a_position_becomes_a_motor(tmp_path, kind):
    messages = warned(check_robot(arm_file(tmp_path, kind)))
    assert set(messages) == {"actuator-replaced"}, messages


def test_servos_refuse_a_muscle_by_name(tmp_path):
    text = arm_file(tmp_path, "muscle").read_text()
    for joint in JOINTS:
        text = text.replace(f'<muscle joint="{joint}"', f'<muscle name="{joint}" joint="{joint}"')
    world = World(mujoco.MjModel.from_xml_string(text))
    with pytest.raises(InvalidInput, match="shoulder, elbow, wrist cannot hold a position"):
        servos_for(world, JOINTS)


@pytest.mark.parametrize("actuator", ['velocity kv="8"', 'motor gear="60" ctrlrange="-1 1"'])
def test_gains_do_not_depend_on_the_posture_it_begins_in(tmp_path, actuator):
    """About the vertical an upright arm has a hundredth of the inertia of a stretched one."""
    text = arm_file(tmp_path, actuator).read_text()
    file = tmp_path / "turret.xml"
    file.write_text(text.replace('name="shoulder" axis="0 1 0"', 'name="shoulder" axis="0 0 1"'))
    with mecano.connect(file) as robot:
        assert robot.arm.move_joints([0.0, 1.5, 0.0]).reached
        for turn in (1.5, -1.0):
            result = robot.arm.move_joints([turn, 1.5, 0.0])
            assert result.reached, result
