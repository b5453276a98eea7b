"""`find_robot`: names, folders, files and descriptions; files are imported once."""

import json

import pytest
from robot_files import arm_urdf, write_menagerie, write_urdf
from typer.testing import CliRunner

import mecano
from mecano.checkup import check_robot
from mecano.core.errors import InvalidInput, UnknownName
from mecano.importing import import_robot
from mecano.importing.sources import cache_folder, find_robot, robot_label, source_of


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MECANO_CACHE", str(tmp_path / "cache"))


def test_names_and_descriptions_are_found_as_before():
    crumb = find_robot("crumb")
    assert crumb is mecano.robots.get("crumb") and find_robot(crumb) is crumb
    assert robot_label("crumb", crumb) == "crumb" and source_of(crumb) == "crumb"


def test_file_is_imported_once_and_again_when_it_changes(tmp_path, capsys):
    file = write_urdf(tmp_path, arm_urdf())
    first = find_robot(file)
    assert "importing robot.urdf" in capsys.readouterr().err
    assert find_robot(str(file)) is first
    assert capsys.readouterr().err == ""
    assert first.folder.is_relative_to(cache_folder())
    write_urdf(tmp_path, arm_urdf().replace('effort="100"', 'effort="90"'))
    assert find_robot(file).servos["pan"].torque == 90.0


def test_folder_of_mjcf_files_is_imported(tmp_path):
    assert find_robot(write_menagerie(tmp_path / "mixed_arm")).name == "mixed_arm"


def test_imported_robot_with_a_name_of_the_catalogue_is_not_taken_for_it(tmp_path):
    file = write_urdf(tmp_path, arm_urdf().replace("six_arm", "ur5"))
    imported = import_robot(file, tmp_path / "ur5").description
    assert imported.name == "ur5" and source_of(imported) == str(imported.folder)
    assert find_robot(source_of(imported)) is imported


def test_missing_file_and_unknown_name_are_told_apart():
    with pytest.raises(InvalidInput, match="there is no file"):
        find_robot("nowhere.urdf")
    with pytest.raises(UnknownName):
        find_robot("r2d2")
    with pytest.raises(InvalidInput):
        find_robot(None)  # type: ignore[arg-type]


def test_connect_and_commands_take_a_file(tmp_path):
    from mecano.cli.app import app

    file = write_urdf(tmp_path, arm_urdf())
    with mecano.connect(file) as robot:
        assert robot.name == "six_arm"
    answer = CliRunner().invoke(app, ["fk", str(file), "0", "0", "0", "0", "0", "0", "--json"])
    assert answer.exit_code == 0
    pose = json.loads(answer.stdout)
    answer = CliRunner().invoke(
        app, ["ik", str(file), *(str(x) for x in pose["position"]), "--json"]
    )
    assert answer.exit_code == 0 and json.loads(answer.stdout)["reached"]


SCENE = '<mujoco><worldbody><geom name="table" type="box" size="1 1 1"/></worldbody></mujoco>'


@pytest.mark.parametrize("call", [find_robot, check_robot, lambda p: import_robot(p, p / "out")])
def test_folder_around_a_robot_names_the_robot_inside(tmp_path, call):
    (tmp_path / "table.xml").write_text(SCENE)
    robot = tmp_path / "my_robot"
    robot.mkdir()
    (robot / "description.py").write_text("DESCRIPTION = None")
    with pytest.raises(InvalidInput, match=r"no robot's folder.*my_robot"):
        call(tmp_path)


@pytest.mark.parametrize("call", [find_robot, check_robot, lambda p: import_robot(p, p / "out")])
def test_folder_with_a_scene_only_says_so(tmp_path, call):
    (tmp_path / "table.xml").write_text(SCENE)
    with pytest.raises(InvalidInput, match=r"table.xml has no joints. A scene is no robot"):
        call(tmp_path)


def test_folder_with_a_urdf_beside_a_scene_names_the_urdf(tmp_path):
    (tmp_path / "table.xml").write_text(SCENE)
    (tmp_path / "arm.urdf").write_text("<robot/>")
    with pytest.raises(InvalidInput, match=r"arm\.urdf"):
        find_robot(tmp_path)
