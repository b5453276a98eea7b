"""Records of a robot that is not of the catalogue find its description again."""

import json
import shutil
from dataclasses import asdict, replace

import pytest

from mecano import robots
from mecano.core.errors import InvalidInput, UnknownName
from mecano.lab.robot import Place, connect_all
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.record.robot_facts import described_robot, robot_facts
from mecano.record.signals import joint_signals
from mecano.robots.kobuki.description import BASE as KOBUKI

DESCRIPTION = """
from dataclasses import replace
from pathlib import Path
from mecano.robots.open_manipulator_x.description import DESCRIPTION as OTHER

DESCRIPTION = replace(OTHER, name="our_arm", folder=Path(__file__).parent)
"""


@pytest.fixture
def robot_folder(tmp_path):
    """The folder of somebody's own robot."""
    folder = tmp_path / "our_arm"
    ignored = shutil.ignore_patterns("*.py", "__pycache__")
    shutil.copytree(robots.get("open_manipulator_x").folder, folder, ignore=ignored)
    (folder / "description.py").write_text(DESCRIPTION)
    return folder


@pytest.fixture
def recording(robot_folder, tmp_path):
    robot = connect_all({"arm": Place(str(robot_folder))})["arm"]
    with robot, Recorder(robot, tmp_path / "run"):
        robot.wait(0.1)
    return Recording.open(tmp_path / "run")


def test_the_header_says_where_the_robot_came_from(recording, robot_folder):
    assert recording.header["robots"] == {"arm": "our_arm"}
    assert recording.header["robot_folders"] == {"arm": str(robot_folder)}
    found = recording.description()
    assert found.name == "our_arm" and found.folder == robot_folder
    assert joint_signals(recording, "arm", 0.01).arm is not None


def test_a_folder_that_is_gone_is_named_with_what_is_needed(recording, robot_folder, tmp_path):
    moved = robot_folder.rename(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match=r"'our_arm' of the folder .*our_arm.* put the robot's"):
        recording.description("arm")
    assert len(Recording.open(recording.folder).times) == 11  # it can be read all the same
    header = json.loads((recording.folder / "run.json").read_text())
    header["robot_folders"]["arm"] = str(moved)
    (recording.folder / "run.json").write_text(json.dumps(header))
    assert Recording.open(recording.folder).description().folder == moved


def test_a_folder_that_holds_another_robot_now_is_refused(recording, robot_folder):
    (robot_folder / "description.py").write_text(DESCRIPTION.replace("our_arm", "another"))
    with pytest.raises(InvalidInput, match="now holds 'another'"):
        recording.description()
    (robot_folder / "description.py").unlink()
    with pytest.raises(InvalidInput, match=r"no description\.py"):
        recording.description()


def test_a_robot_that_nobody_knows_is_refused(recording):
    recording.header["robot_folders"].clear()
    with pytest.raises(InvalidInput, match="neither in the catalogue nor installed"):
        recording.description()
    with pytest.raises(UnknownName, match="arm"):
        recording.description("leg")


@pytest.mark.parametrize("damage", [{"robots": {"arm": 3}}, {"robot_folders": {"arm": ["x"]}}])
def test_a_damaged_header_is_refused(recording, damage):
    with pytest.raises(InvalidInput, match="the header is damaged: robot arm"):
        described_robot(recording.header | damage, "arm")


def test_robots_of_the_catalogue_need_no_folder():
    named = {name: robots.get(name) for name in ("crumb", "youbot", "open_manipulator_x", "kobuki")}
    facts = robot_facts(named)
    trust = asdict(KOBUKI.odometry_trust) if KOBUKI.odometry_trust else {}
    assert facts["robot_folders"] == {}
    assert facts["odometry_trust"] == {"crumb": trust, "youbot": None, "kobuki": trust}


def test_a_base_of_somebody_with_a_gyro_is_not_trusted_as_a_kobuki(tmp_path):
    base = replace(KOBUKI, odometry_trust=None)
    robot = replace(robots.get("kobuki"), name="ours", folder=tmp_path, base=base)
    assert robot_facts({"ours": robot})["odometry_trust"] == {"ours": None}
