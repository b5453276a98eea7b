"""A robot's folder with a datasheet or topics that its model does not agree with: each is named."""

import shutil

import pytest

from mecano import robots
from mecano.checkup import check_robot

NAME = "open_manipulator_x"
SHEET = """
from mecano.robots.datasheet import Datasheet, FrameFacts, Link, Shape
def sheet(robot):
    return Datasheet({})
"""
TOPICS = """
from mecano.robots.topic_facts import *
def table(robot):
    return TopicTable(topics=({},))
"""


@pytest.fixture
def folder(tmp_path):
    source = robots.get(NAME).folder
    return shutil.copytree(
        source, tmp_path / "arm", ignore=shutil.ignore_patterns("__pycache__", "datasheet.py")
    )


def found(folder) -> dict[str, str]:
    report = check_robot(folder, seconds=0.0)
    return {each.code: f"{each.where}: {each.message}" for each in report.findings}


@pytest.mark.parametrize(
    ("fact", "code", "says"),
    [
        ("mass=0.7", "mass-differs", "whole robot: weighs 0.65"),
        ("assemblies={'link1': 0.7}", "mass-differs", "body link1"),
        ("links={'link2': Link(9.0)}", "mass-differs", "9 kg by the datasheet"),
        ("links={'link2': Link(0.14, (0, 0, 9))}", "center-differs", "9000 mm"),
        ("links={'link2': Link(0.14, None, (1, 1, 1))}", "inertia-differs", "1, 1, 1"),
        ("shapes=(Shape('link1_servo', 'link1', (0, 9, 0, 9, 0, 9)),)", "extents-differ", "9 mm"),
        ("shapes=(Shape('link1_servo', 'link2', (0,) * 6),)", "part-missing", "in: link1"),
        ("frames={'tool': FrameFacts((0, 0, 9))}", "frame-differs", "site tool: is at"),
        ("frames={'tool': FrameFacts(x=(0, 1, 0))}", "frame-differs", "x axis"),
        ("frames={'tail': FrameFacts()}", "part-missing", "tail"),
        ("pads={'arm': ('tool', 'finger_left_pad')}", "gripper-gap", "mm apart"),
        ("wings=2", "sheet-broken", "wings"),
    ],
)
def test_fact_that_the_model_contradicts_is_named(folder, fact, code, says):
    (folder / "datasheet.py").write_text(SHEET.format(fact))
    findings = found(folder)
    assert says in findings[code]


def test_what_a_sheet_leaves_out_is_not_compared(folder):
    (folder / "datasheet.py").write_text(SHEET.format(""))
    assert found(folder) == {}


@pytest.mark.parametrize(
    ("topic", "code", "says"),
    [
        ("command('/go', 'my_msgs/msg/Go', 'gripper')", "topic-invalid", "'my_msgs/msg/Go'"),
        ("command('/go', FLOAT, 'tail')", "topic-invalid", "'tail' is none of"),
        ("command('go', FLOAT, 'gripper')", "topic-invalid", "slash"),
        ("reading('/joints', JOINTS, 'joints', 0.0)", "topic-invalid", "0 Hz"),
        ("command('/tail', FLOAT, 'joint', of='tail')", "topic-invalid", "no 'tail'"),
        ("reading('/odom', ODOMETRY, 'odometry', 10.0)", "topic-unreadable", "no base"),
        ("reading('/joints', ROBOT_STATE, 'joints', 9.0)", "topic-unreadable", "JointState"),
        ("reading('/time', FLOAT, 'simulated time', 9.0)", "joint-unpublished", "joint1, joint2"),
        ("1 / 0", "topics-broken", "division by zero"),
    ],
)
def test_topic_that_cannot_work_is_named(folder, topic, code, says):
    (folder / "topics.py").write_text(TOPICS.format(topic))
    findings = found(folder)
    assert says in findings[code]


def test_joint_without_a_drive_is_named(folder):
    model = folder / "model.xml"
    text = model.read_text()
    model.write_text(text.replace('class="xm430" joint="joint1"', 'class="xm430" joint="joint2"'))
    assert "joint joint1" in found(folder)["drive-missing"]
