"""`mecano bench planner`: files of MovingAI from any place, lengths, bad files."""

import gzip
import json

import numpy as np
import pytest
import typer

from mecano.cli.bench_planner import bench_planner, fault_of
from mecano.core.errors import InvalidInput
from mecano.record.movingai import GridProblem, read_map, read_problems

MAP = "type octile\nheight 3\nwidth 5\nmap\n..@.G\nT.W.S\n.O...\n"
SCEN = (
    "version 1\n"
    "0\tsmall.map\t5\t3\t0\t0\t1\t1\t2.0\n"
    "0\tsmall.map\t5\t3\t3\t0\t4\t1\t1.41421356\n"
    "0\tsmall.map\t5\t3\t3\t0\t3\t0\t0\n"
)


@pytest.fixture
def files(tmp_path):
    """Write a map and its problems, plain; return their paths."""
    (tmp_path / "small.map").write_text(MAP)
    (tmp_path / "small.scen").write_text(SCEN)
    return tmp_path / "small.map", tmp_path / "small.scen"


def test_dots_g_and_s_are_free_and_all_others_blocked(files):
    wanted = [[1, 1, 0, 1, 1], [0, 1, 0, 1, 1], [1, 0, 1, 1, 1]]
    assert read_map(files[0]).astype(int).tolist() == wanted


def test_gzipped_files_read_the_same(files, tmp_path):
    packed = tmp_path / "other.map.gz"
    packed.write_bytes(gzip.compress(MAP.encode()))
    np.testing.assert_array_equal(read_map(packed), read_map(files[0]))


def test_x_is_the_column_and_y_the_row(files):
    assert read_problems(files[1], (3, 5))[1] == GridProblem(
        bucket=0, start=(0, 3), goal=(1, 4), optimal=1.41421356
    )


def test_results_and_summary_are_printed_as_json(files, capsys):
    bench_planner(*files, as_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert (answer["summary"]["problems"], answer["summary"]["wrong"]) == (3, 0)
    assert "time_ratio" in answer["summary"]
    lengths = [row["length"] for row in answer["results"]]
    assert lengths == pytest.approx([2.0, 2.0**0.5, 0.0])
    assert answer["results"][1]["start"] == [3, 0] and answer["results"][1]["goal"] == [4, 1]


def test_wrong_length_counts_and_exits_with_1(files, capsys):
    files[1].write_text(SCEN.replace("1.41421356", "1.2"))
    with pytest.raises(typer.Exit) as end:
        bench_planner(*files, as_json=True)
    assert end.value.exit_code == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["summary"]["wrong"] == 1 and "1.4142" in answer["results"][1]["fault"]


def test_goal_that_cannot_be_reached_is_wrong(files, capsys):
    files[1].write_text("version 1\n0 small.map 5 3 0 0 3 0 3.0\n")
    with pytest.raises(typer.Exit):
        bench_planner(*files, as_json=True)
    row = json.loads(capsys.readouterr().out)["results"][0]
    assert row["length"] is None and row["fault"] == "no path found"


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([[0, 0], [1, 1]], "cuts a corner"),
        ([[0, 0], [0, 2], [1, 1]], "jumps"),
        ([[0, 1], [1, 1]], "from start to goal"),
    ],
)
def test_path_that_breaks_the_rules_is_wrong(files, cells, words):
    problem = GridProblem(bucket=0, start=(0, 0), goal=(1, 1), optimal=2.0)
    assert words in fault_of(read_map(files[0]), problem, np.array(cells), 2.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("hello\n", "no map of MovingAI"),
        (MAP.replace("height 3", "height many"), "height of"),
        (MAP.replace("height 3", "height 9"), "has 3 rows"),
        (MAP.replace("T.W.S", "T.W"), "row 1 of"),
    ],
)
def test_bad_map_is_said_in_one_line(tmp_path, text, words):
    path = tmp_path / "bad.map"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=words) as error:
        read_map(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rubbish\n", "no scenario of MovingAI"),
        ("version 1\n", "has no problems"),
        ("version 1\n0 small.map 5\n", "has 3 columns"),
        ("version 1\n0 small.map 5 3 0 0 x 1 2.0\n", "no number"),
        ("version 1\n0 small.map 9 9 0 0 1 1 2.0\n", "for a map of 9 x 9"),
        ("version 1\n0 small.map 5 3 0 0 7 1 2.0\n", r"goal \(7, 1\) outside"),
    ],
)
def test_bad_scenario_is_said(tmp_path, text, words):
    path = tmp_path / "bad.scen"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=words):
        read_problems(path, (3, 5))


@pytest.mark.parametrize("data", [b"\x1f\x8brubbish", b"\xff\xfe\x00", None])
def test_damaged_or_missing_file_is_said(tmp_path, data):
    path = tmp_path / "bad.map.gz"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InvalidInput, match=r"bad\.map\.gz"):
        read_map(path)


def test_map_without_scenario_is_a_usage_error(files):
    with pytest.raises(InvalidInput, match="--map and --scen together"):
        bench_planner(files[0], None, as_json=True)
