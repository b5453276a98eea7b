"""Paths and relations as text."""

import gzip

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.poses.planar_arrays import compose_all
from mecano.record.relation_files import read_relations
from mecano.record.trajectories import (
    Trajectory,
    path_errors,
    read_trajectory,
    write_trajectory,
)

ROWS = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.5, 1.5], [2.0, 3.0, -1.0, 3.1]])


def test_a_path_is_read_as_it_was_written(tmp_path):
    write_trajectory(tmp_path / "a.txt", ROWS)
    read = read_trajectory(tmp_path / "a.txt")
    np.testing.assert_allclose(np.column_stack([read.stamps, read.poses]), ROWS, atol=1e-6)
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_lines_in_any_order_and_packed(tmp_path):
    text = "2 3 4 0.5 # remark\n# comment\n1 0 0 0\n2,5,4,0.5\n"
    (tmp_path / "a.gz").write_bytes(gzip.compress(text.encode()))
    read = read_trajectory(tmp_path / "a.gz")
    assert read.stamps.tolist() == [1.0, 2.0]
    assert read.poses[1].tolist() == [5.0, 4.0, 0.5]


@pytest.mark.parametrize("text", ["1 2 3\n", "1 2 x 4\n", "1 2 nan 4\n", "", "# nothing\n"])
def test_a_broken_path_is_refused(tmp_path, text):
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(InvalidInput, match=r"a\.txt"):
        read_trajectory(tmp_path / "a.txt")


@pytest.mark.parametrize("line", ["1 2 0.1 0.2 0 0 0 0.3", "1 2 3 4 5", "1 2 3"])
def test_a_table_of_something_else_is_no_path(tmp_path, line):
    (tmp_path / "a.txt").write_text(f"# a table\n{line}\n")
    words = len(line.split())
    with pytest.raises(InvalidInput, match=rf"no path: line 2 has {words} words, expected 4: time"):
        read_trajectory(tmp_path / "a.txt")


def test_a_path_moved_as_a_whole_has_no_error():
    rng = np.random.default_rng(3)
    truth = Trajectory(np.arange(50.0), rng.normal(0, 3, (50, 3)))
    moved = Trajectory(truth.stamps, compose_all([4.0, -2.0, 1.0], truth.poses))
    errors = path_errors(moved, truth)
    assert errors.poses == 50
    assert errors.translation_max < 1e-9 and errors.rotation_max < 1e-9


def test_a_path_and_a_truth_of_other_times_are_refused():
    path = Trajectory.from_rows(ROWS)
    with pytest.raises(InvalidInput, match="share no time"):
        path_errors(path, Trajectory(path.stamps + 100.0, path.poses))


def test_relations_leave_out_what_is_not_on_the_floor(tmp_path):
    (tmp_path / "r").write_text("1 2 0.1 0.2 9 9 9 0.3\n")
    read = read_relations(tmp_path / "r")
    assert len(read) == 1 and read.motions.tolist() == [[0.1, 0.2, 0.3]]


def test_a_path_is_no_list_of_relations(tmp_path):
    (tmp_path / "r").write_text("1 2 0.1 0.2\n")
    with pytest.raises(InvalidInput, match="no list of relations: line 1 has 4 words, expected 8"):
        read_relations(tmp_path / "r")


def test_broken_relations_are_refused(tmp_path):
    (tmp_path / "r").write_text("1 2 0.1 inf 0 0 0 0\n")
    with pytest.raises(InvalidInput, match="expected 8 finite numbers"):
        read_relations(tmp_path / "r")
