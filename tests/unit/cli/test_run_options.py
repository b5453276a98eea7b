"""`mecano run` with options of an experiment, and the files an experiment writes of its own."""

import json

import pytest

CLIMB = "romerin/climb"
SHORT = ("-o", "distance=0.02", "-o", "gait=tripod", "--option", "errors=no")

OWN = """
from mecano.tasks import Score

def run(robot):
    def draw(path):
        path.write_text("drawn")
    def fail(path):
        raise PermissionError(13, "no pen")
    return Score(success=True, report="as in the paper",
                 products={"plot.txt": draw, "sketch.txt": fail})
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_options_are_taken_and_bonds_are_in_the_run_folder(mecano, tmp_path):
    answer = mecano("run", CLIMB, *SHORT, "--record", "it", "--json")
    assert answer.code == 0, answer
    assert answer.json["success"] and answer.json["metrics"]["distance_mm"] < 60.0
    table = (tmp_path / "it" / "bonds.csv").read_text().splitlines()
    assert table[0].startswith("time [s],leg,what,on")
    bonds = sum(",bond," in line for line in table)
    assert bonds == 6 + answer.json["metrics"]["steps"]
    headers = [path.read_text() for path in (tmp_path / "it").glob("*.json")]
    assert any(json.loads(text).get("options", {}).get("gait") == "tripod" for text in headers)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-o", "gait"), ("--option takes NAME=VALUE", "gait=wave", "got 'gait'")),
        (("-o", "=wave"), ("--option takes NAME=VALUE",)),
        (("-o", "gate=wave"), ("romerin/climb: no option named 'gate'", "did you mean 'gait'")),
        (("-o", "gait=trot"), ("no gait named 'trot'", "wave, ripple, tripod")),
        (("-o", "surface=roof"), ("no surface named 'roof'", "floor, wall, ceiling")),
        (("-o", "direction=north"), ("no direction named 'north'", "forward")),
        (("-o", "distance=far"), ("distance [m] is 'far'", "0.01 to 3")),
        (("-o", "distance=-1"), ("distance [m] is -1",)),
    ],
)
def test_mistakes_in_options_are_one_clear_line(fails_cleanly, words, says):
    fails_cleanly("run", CLIMB, *words, says=says)


def test_run_that_cannot_start_leaves_no_folder(mecano, tmp_path):
    mecano("run", CLIMB, "-o", "gate=wave", "--record", "it")
    assert not (tmp_path / "it").exists()


def test_value_may_hold_an_equals_sign():
    from mecano.cli.run import parse_options

    assert parse_options(["a=b=c", "d="], moves="A>C", rounds=None) == {
        "a": "b=c", "d": "", "moves": "A>C",
    }  # fmt: skip


def test_files_and_report_of_an_own_experiment_are_written(mecano, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    answer = mecano("run", "own.py", "--record", "it")
    assert answer.code == 0, answer
    assert (tmp_path / "it" / "plot.txt").read_text() == "drawn"
    assert (tmp_path / "it" / "report.txt").read_text() == "as in the paper\n"
    assert "as in the paper" in answer.out
    assert "sketch.txt is not written: no pen" in answer.err  # and the run counts


def test_without_a_record_nothing_is_written(mecano, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    assert mecano("run", "own.py", "--no-record").code == 0
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix == ".txt") == []


def test_info_lists_the_options(mecano):
    answer = mecano("info", CLIMB)
    assert answer.code == 0 and "gait" in answer.out and "wave" in answer.out
