"""Grippers with closed linkages and hands of three or more fingers, from URDF and MJCF."""

import json

import numpy as np
import pytest
from robot_files import arm_with_linkage_urdf, hand_urdf, linkage_mjcf, write_urdf

import mecano
from mecano.checkup import check_robot
from mecano.cli.app import main
from mecano.importing import import_robot


def imported(folder, text: str, name: str = "robot.urdf"):
    return import_robot(write_urdf(folder, text, name), folder / "out")


def open_and_close(folder, robot):
    """Close and open a gripper, and compare its width with that of the world."""
    (facts,) = robot.description.grippers.values()
    with mecano.connect(folder / "out", on_failure="raise") as connected:
        connected.gripper.close()
        shut = connected.gripper.width
        connected.gripper.open()
        wide = connected.gripper.width
    assert wide == pytest.approx(facts.width(facts.open), abs=0.003)
    assert shut == pytest.approx(facts.width(facts.closed), abs=0.003)
    assert wide > shut + 0.02


def test_six_joints_that_follow_one_are_a_gripper(tmp_path):
    """As Robotiq's URDF: two cranks per finger and a pad, all mimic joints of one."""
    robot = imported(tmp_path, arm_with_linkage_urdf())
    (gripper,) = robot.structure.grippers.values()
    assert gripper.joint == "finger_joint" and len(gripper.followers) == 5
    assert [len(chain.joints) for chain in robot.structure.chains] == [6]
    assert not robot.structure.hands and not robot.structure.passive
    open_and_close(tmp_path, robot)


@pytest.mark.parametrize("on_arm", [True, False])
def test_loops_closed_by_constraints_are_a_gripper(tmp_path, on_arm):
    """As Menagerie's 2F-85: pads hang on loose links that constraints tie to the driven ones."""
    robot = imported(tmp_path, linkage_mjcf(on_arm=on_arm), "gripper.xml")
    (gripper,) = robot.structure.grippers.values()
    assert gripper.joint == "right_driver_joint" and gripper.followers == ("left_driver_joint",)
    assert "closed linkages" in gripper.reason and "right_follower" in gripper.bodies
    assert len(robot.structure.chains) == on_arm and not robot.structure.passive
    open_and_close(tmp_path, robot)


def test_turning_fingers_press_with_the_force_asked_for(tmp_path):
    """A block of 16 mm between the pads: the force is of each finger, not the motor's torque."""
    robot = imported(tmp_path, linkage_mjcf(on_arm=False), "gripper.xml")
    (facts,) = robot.description.grippers.values()

    def put_block(spec):
        body = spec.worldbody.add_body(name="block", pos=(0, 0, 0.115))
        body.add_geom(size=(0.01, 0.008, 0.02), type=6)

    force = 0.5 * facts.max_force
    with mecano.connect(robot.folder, changes=[put_block]) as connected:
        grip = connected.gripper.close(force=force)
    assert grip.holding and grip.force == pytest.approx(force, rel=0.1)
    assert 0.008 < grip.width < 0.03


@pytest.mark.parametrize(("fingers", "on_arm"), [(4, True), (3, True), (3, False), (5, False)])
def test_three_or_more_fingers_are_a_hand(tmp_path, fingers, on_arm):
    robot = imported(tmp_path, hand_urdf(fingers, on_arm=on_arm))
    ((name, hand),) = robot.description.hands.items()
    assert len(hand.fingers) == fingers and len(hand.joints) == 3 * fingers
    assert list(robot.description.chains) == (["arm"] if on_arm else [])
    assert name == ("arm" if on_arm else "palm")
    assert not robot.description.grippers
    report = check_robot(robot.folder, seconds=1.0)
    assert not [f for f in report.findings if f.severity == "error"], report.findings


def test_a_hand_closes_and_opens(tmp_path):
    robot = imported(tmp_path, hand_urdf(4))
    with mecano.connect(robot.folder) as connected:
        hand = connected.hands["arm"]
        start = hand.position
        hand.close(0.25)
        bent = hand.position
        hand.open()
        np.testing.assert_allclose(hand.position, start, atol=0.05)
    assert (bent - start > 0.1).all()


def test_the_hand_is_shown_and_can_be_corrected(tmp_path):
    robot = imported(tmp_path, hand_urdf(4))
    file = robot.folder / "description.py"
    text = file.read_text()
    assert "# guessed: a hand, 4 short rows of joints at the end of w3" in text
    file.write_text(text.replace('name="finger_2"', 'name="thumb"'))
    with mecano.connect(robot.folder) as connected:
        assert connected.hands["arm"].facts.finger("thumb").joints[0] == "f1_0_joint"


def test_info_lists_grippers_and_hands(tmp_path, capsys):
    robot = imported(tmp_path, hand_urdf(3))
    with pytest.raises(SystemExit):
        main(["info", str(robot.folder), "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert [len(joints) for joints in facts["hands"]["arm"]["fingers"].values()] == [3, 3, 3]
    other = import_robot(write_urdf(tmp_path, linkage_mjcf(), "g.xml"), tmp_path / "gripper")
    with pytest.raises(SystemExit):
        main(["info", str(other.folder)])
    said = " ".join(capsys.readouterr().out.split())
    assert "gripper of 'arm': joint right_driver_joint, left_driver_joint follow" in said
