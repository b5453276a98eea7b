"""Run folders: names, places and refusals."""

import os
from datetime import datetime

import pytest

from mecano.core.errors import InvalidInput
from mecano.record.folder import base_folder, make_named_folder, make_new_folder

NOON = datetime(2026, 1, 31, 12, 0, 0)


def test_a_new_folder_is_named_after_time_experiment_and_seed(tmp_path):
    made = make_new_folder(tmp_path / "runs", "arm/move-cube", 3, now=NOON)
    assert made.is_dir() and made.name == "2026-01-31_120000_arm_move-cube_seed3"


def test_a_name_that_is_taken_gets_a_number(tmp_path):
    names = [make_new_folder(tmp_path, "x", 0, now=NOON).name for _ in range(3)]
    assert [name.removeprefix("2026-01-31_120000_x_seed0") for name in names] == ["", "_2", "_3"]


@pytest.mark.parametrize(("value", "expected"), [("", "runs"), ("/data", "/data"), ("off", None)])
def test_the_environment_says_where_runs_go(monkeypatch, value, expected):
    monkeypatch.setenv("MECANO_RUNS", value)
    base = base_folder()
    assert (base and base.as_posix()) == expected


def test_a_named_folder_may_exist_if_it_is_empty(tmp_path):
    assert make_named_folder(tmp_path / "a" / "b").is_dir()
    assert make_named_folder(tmp_path / "a" / "b").is_dir()


def test_a_folder_that_is_not_empty_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="not empty; give another name, or delete it"):
        make_named_folder(tmp_path)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="is a file"):
        make_named_folder(tmp_path / "file")
    with pytest.raises(InvalidInput, match="cannot be made: Not a directory"):
        make_named_folder(tmp_path / "file" / "run")
    with pytest.raises(InvalidInput, match="cannot be made"):
        make_new_folder(tmp_path / "file" / "runs", "x", 0, now=NOON)
    with pytest.raises(InvalidInput, match="cannot be made"):
        make_new_folder(tmp_path / "file", "x", 0, now=NOON)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InvalidInput, match="Permission denied"):
        make_new_folder(tmp_path / "runs", "x", 0, now=NOON)
