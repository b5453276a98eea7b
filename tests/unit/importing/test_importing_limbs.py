"""What is an arm, what a leg, and what drives a gripper: by geometry first, then by names."""

import numpy as np
import pytest
from robot_files import dog_urdf, humanoid_urdf, propeller_arm_urdf, write_urdf

import mecano
from mecano import robots
from mecano.checkup import check_robot
from mecano.importing import import_robot
from mecano.importing.convert import convert
from mecano.importing.structure import find_structure
from mecano.importing.tree import Tree
from mecano.importing.urdf import read_urdf


def structure_of(folder, text: str, **wishes):
    draft = convert(read_urdf(write_urdf(folder, text)), folder)
    return find_structure(draft, Tree(draft.compile()), {}, **wishes)


def kinds(structure) -> dict[str, str]:
    return {chain.name: chain.kind for chain in structure.chains}


def test_a_propeller_is_no_crank_of_sliding_fingers(tmp_path):
    found = structure_of(tmp_path, propeller_arm_urdf())
    gripper = found.grippers["arm"]
    assert (gripper.joint, gripper.followers, gripper.coupled) == ("grip", ("grip_2",), ())
    assert (gripper.closed, gripper.open) == (0.015, 0.037)
    assert gripper.width_open - gripper.width_closed == pytest.approx(2 * (0.037 - 0.015))


def test_a_propeller_is_no_joint_of_the_arm(tmp_path):
    found = structure_of(tmp_path, propeller_arm_urdf())
    arm = next(chain for chain in found.chains if chain.kind == "arm")
    assert arm.joints == ("pan", "lift", "elbow", "w1", "w2", "w3")
    assert kinds(found) == {"arm": "arm", "joints": "joints"}


def test_doctor_has_nothing_against_the_gripper_beside_a_propeller(tmp_path):
    report = check_robot(write_urdf(tmp_path, propeller_arm_urdf()), seconds=1.0)
    codes = {each.code for each in report.findings}
    assert not codes & {"limits-differ", "posture-not-held", "gripper-opening", "self-collision"}


def test_fingers_beside_a_propeller_open_as_wide_as_they_say(tmp_path):
    import_robot(write_urdf(tmp_path, propeller_arm_urdf()), tmp_path / "out")
    with mecano.connect(tmp_path / "out") as robot:
        robot.gripper.open()
        left, right = (
            robot.world.data.body(f"{robot.name}/{side}_finger").xpos.copy()
            for side in ("left", "right")
        )
        apart = float(
            np.linalg.norm(left - right)
        )  # boxes face inwards: their frames are on the pads
        assert robot.gripper.width == pytest.approx(apart, abs=1e-3)


def test_an_opening_that_no_finger_travel_gives_is_named(tmp_path):
    out = tmp_path / "out"
    import_robot(write_urdf(tmp_path, propeller_arm_urdf()), out)
    text = (out / robots.FILE).read_text()
    assert "width_per_value=2.0" in text
    (out / robots.FILE).write_text(text.replace("width_per_value=2.0", "width_per_value=45.0"))
    report = check_robot(out, seconds=0.0)
    (found,) = [each for each in report.findings if each.code == "gripper-opening"]
    assert "990 mm" in found.message and "22 mm" in found.message


def test_a_quadruped_has_no_arm(tmp_path):
    import_robot(write_urdf(tmp_path, dog_urdf()), tmp_path / "out")
    with mecano.connect(tmp_path / "out") as robot:
        with pytest.raises(mecano.MissingPart, match=r"no arm.*left_front_leg"):
            _ = robot.arm
        assert {arm.chain.role for arm in robot.arms.values()} == {"leg"}


@pytest.mark.parametrize("low", [False, True])
def test_arms_of_a_humanoid_are_arms_however_far_they_reach(tmp_path, low):
    found = kinds(structure_of(tmp_path, humanoid_urdf(low=low)))
    limbs = {f"{side}_{kind}": kind for kind in ("arm", "leg") for side in ("left", "right")}
    assert found == limbs | {"head": "head"}


def test_geometry_tells_arms_from_legs_without_names(tmp_path):
    text = humanoid_urdf(named=False).replace("_leg_", "_a_").replace("_arm_", "_b_")
    found = structure_of(tmp_path, text)
    legs = {chain.joints[0] for chain in found.chains if chain.kind == "leg"}
    lowest = {"joint_2", "joint_14"}  # the order of the file: leg, arm, leg, arm
    assert legs == lowest


@pytest.mark.parametrize("wish", [{"free": False}, {"free": False, "hung": True}])
def test_legs_of_a_robot_that_is_hung_up_are_legs(tmp_path, wish):
    found = kinds(structure_of(tmp_path, humanoid_urdf(), **wish))
    assert sorted(kind for kind in found.values()) == ["arm", "arm", "head", "leg", "leg"]


def test_corners_that_joints_name_are_taken(tmp_path):
    names = {"front_left": "FL", "front_right": "FR", "hind_left": "RL", "hind_right": "RR"}
    text = dog_urdf()
    for old, new in names.items():
        text = text.replace(f"{old}_", f"{new}_")
    turned = text.replace('xyz="0.2 ', 'xyz="-0.2 ', 2)  # a body that looks the other way
    found = structure_of(tmp_path, turned)
    first = {chain.name: chain.joints[0][:2] for chain in found.chains}
    assert first["left_front_leg"] == "FL" and first["right_hind_leg"] == "RR"
