"""Places and folders that are no good: a clear line each, and nothing half written."""

import pytest

import mecano
from mecano import robots
from mecano.checkup import check_robot
from mecano.core.errors import InvalidInput, UserCodeFailed
from mecano.importing import import_robot

URDF = '<robot name="box"><link name="a"/></robot>'


@pytest.fixture
def urdf(tmp_path):
    file = tmp_path / "box.urdf"
    file.write_text(URDF)
    return file


def test_a_folder_that_cannot_be_made_is_told(urdf):
    with pytest.raises(InvalidInput, match="cannot be made"):
        import_robot(urdf, urdf / "inside" / "robot")


@pytest.mark.parametrize("call", [robots.get, check_robot, mecano.connect])
def test_a_name_too_long_for_any_file_is_refused(call):
    with pytest.raises(InvalidInput, match="300 bytes, at most 255"):
        call("a" * 300)


def test_a_description_that_ends_the_program_ends_nothing(tmp_path):
    (tmp_path / "description.py").write_text("raise SystemExit(0)\n")
    with pytest.raises(UserCodeFailed, match="SystemExit"):
        robots.get(tmp_path)
