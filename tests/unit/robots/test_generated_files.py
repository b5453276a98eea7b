"""Meshes and models that scripts of `tools/` write: the committed files are what they write."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))  # the tools are no part of the package

from tools import generate  # noqa: E402

WRITTEN = {name: generate.generated(name) for name in generate.NAMES}


@pytest.mark.parametrize("robot", generate.NAMES)
def test_files_are_what_the_scripts_write(robot):
    for file, text in WRITTEN[robot].items():
        assert generate.is_current(file, text), file


@pytest.mark.parametrize("robot", generate.NAMES)
def test_every_mesh_of_a_robot_has_its_drawing(robot):
    drawn = {file for file in WRITTEN[robot] if file.suffix == ".obj"}
    assert drawn == set((generate.ROBOTS / robot / "assets").glob("*.obj"))


def test_a_changed_file_is_found_and_written_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(generate, "ROBOTS", tmp_path)
    monkeypatch.setattr(generate, "TOOLS", tmp_path / "tools")
    (tmp_path / "kobuki" / "assets").mkdir(parents=True)
    assert generate.main(["kobuki", "--check"]) == 1 and not list(tmp_path.rglob("*.obj"))
    assert generate.main(["kobuki"]) == 0 and generate.main(["kobuki", "--check"]) == 0
    file = tmp_path / "kobuki" / "assets" / "rim.obj"
    file.write_text(file.read_text().replace("0.024", "0.025", 1))
    capsys.readouterr()
    assert generate.main(["kobuki", "--check"]) == 1
    assert capsys.readouterr().out == "differs: kobuki/assets/rim.obj\n"


def test_an_unknown_robot_lists_the_known(capsys):
    with pytest.raises(SystemExit):
        generate.main(["r2d2"])
    assert "no scripts for r2d2; known: allegro, crumb" in capsys.readouterr().err


def test_nothing_of_the_tools_is_left_in_the_package():
    assert not list((ROOT / "src").rglob("make_m*.py"))
