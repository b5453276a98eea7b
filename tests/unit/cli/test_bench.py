import json
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from mecano.cli import bench as command
from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.core.results import BenchRow

CHECKOUT = Path(__file__).parents[3]
KEYS = ["name", "value", "unit", "peer", "peer_value", "ratio", "bar", "held"]
FAST = BenchRow(
    name="fast", value=2.0, unit="us", peer="Peer 1.0", peer_value=30.0, bar="ratio >= 10"
)

FAKE = """
from mecano.core.results import BenchRow

def fast():
    "One row."
    return BenchRow(name="fast", value=2.0, unit="us", peer="Peer 1.0", peer_value=30.0,
                    bar="ratio >= 10")

def slow():
    "Another row."
    return BenchRow(name="slow", value=9.0, unit="us", peer="Peer 1.0", peer_value=3.0,
                    bar="ratio <= 1")

ROWS = ({rows})
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs `bench` on a folder with two small benchmark files."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "quick.py").write_text(FAKE.format(rows="fast,"))
    (tmp_path / "lazy.py").write_text(FAKE.format(rows="slow,"))
    (tmp_path / "helper.py").write_text("")
    monkeypatch.setattr(command, "find_folder", lambda: tmp_path)
    app = typer.Typer()
    app.command()(command.bench)
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_json_has_the_promised_keys_in_order(run):
    rows = json.loads(run("fast", "--json").stdout)
    assert [list(row) for row in rows] == [KEYS]


def test_json_stands_alone_on_stdout(run):
    result = run("fast", "--json")
    assert json.loads(result.stdout)[0]["name"] == "fast"
    assert "One row." in result.stderr


def test_table_names_every_row(run):
    assert {"fast", "slow"} <= set(run().stdout.split())


def test_exit_is_0_when_every_bar_is_cleared(run):
    assert run("quick").exit_code == 0


def test_exit_is_1_when_a_bar_is_missed(run):
    assert run().exit_code == 1


def test_name_may_be_a_file(run):
    assert [row["name"] for row in json.loads(run("lazy", "--json").stdout)] == ["slow"]


def test_unknown_name_lists_files_with_their_rows(run):
    error = run("fsat").exception
    assert isinstance(error, UnknownName)
    assert error.known == ("lazy", "quick", "slow", "fast")
    assert "did you mean 'fast'?" in str(error)


def test_installed_package_says_where_the_benchmarks_are(tmp_path, monkeypatch):
    monkeypatch.setattr("mecano.__file__", str(tmp_path / "site" / "mecano" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MecanoError, match="clone the repository"):
        command.find_folder()


def test_checkout_has_its_benchmarks():
    assert command.find_folder() == CHECKOUT / "benchmarks"


def test_upper_bar_speaks_of_ours_over_the_peer():
    assert replace(FAST, bar="ratio <= 3").ratio == pytest.approx(2.0 / 30.0)


def test_lower_bar_speaks_of_the_peer_over_ours():
    assert FAST.ratio == pytest.approx(15.0)


@pytest.mark.parametrize(
    ("value", "bar", "held"),
    [
        (2.0, "ratio >= 10", True),
        (4.0, "ratio >= 10", False),
        (2.0, "value < 200 us", True),
        (200.0, "value < 200 us", False),
        (2.0, None, None),
    ],
)
def test_bar_judges_the_number_it_names(value, bar, held):
    assert replace(FAST, value=value, bar=bar).held is held


def test_row_without_its_peer_has_nulls():
    row = replace(FAST, peer_value=None).to_json()
    assert (row["peer_value"], row["ratio"], row["held"]) == (None, None, None)


def test_bar_on_our_own_time_needs_no_peer():
    assert replace(FAST, peer_value=None, bar="value < 200 us").held is True


@pytest.fixture
def kinematics(monkeypatch):
    """Return the rows of benchmarks/kinematics.py on a machine without the peers, timed once."""
    monkeypatch.syspath_prepend(CHECKOUT / "benchmarks")
    rows = command.load(CHECKOUT / "benchmarks")["kinematics"]
    monkeypatch.setattr("peers.eaik", lambda: None)
    monkeypatch.setattr("peers.toolbox", lambda: None)
    monkeypatch.setattr("timing.ROUND", 0.0)
    return rows


@pytest.mark.parametrize("name", ["ik_single", "fk_single"])
def test_missing_peer_leaves_ours_measured(kinematics, name):
    row = kinematics[name]()
    assert row.value > 0.0
    assert (row.peer_value, row.held) == (None, None)


def test_missing_peer_gives_the_install_line(run, monkeypatch):
    alone = replace(FAST, peer_value=None)
    monkeypatch.setattr(command, "select", lambda files, name: {"fast": lambda: alone})
    result = run()
    assert "Peer 1.0" in result.stderr
    assert "pip install 'mecano[bench]'" in result.stderr
    assert result.exit_code == 0


def test_rows_are_named_like_their_functions(kinematics):
    assert kinematics["fk_single"]().name == "fk_single"


def test_options_of_the_corpus_are_refused_elsewhere(run):
    error = run("fast", "--only", "real").exception
    assert isinstance(error, InvalidInput)
    assert "bench slam" in str(error)


@pytest.fixture
def corpus(monkeypatch):
    """Return a function that runs the real `bench slam` without the public logs."""
    monkeypatch.setattr("slam_corpus.corpus.SHARED", Path("nowhere"))
    app = typer.Typer()
    app.command()(command.bench)
    return lambda *arguments: CliRunner().invoke(app, ["slam", *arguments])


def test_corpus_without_logs_says_where_to_get_some(corpus, tmp_path):
    error = corpus("--only", "real", "--logs", str(tmp_path)).exception
    assert isinstance(error, InvalidInput)
    assert "--logs" in str(error)


def test_corpus_does_not_overwrite_a_page_without_marks(corpus, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Something else")
    error = corpus("--only", "buildings", "--count", "1", "--markdown", str(page)).exception
    assert isinstance(error, InvalidInput)
    assert page.read_text() == "# Something else"


@pytest.mark.slow
def test_corpus_maps_random_buildings(corpus, tmp_path):
    page = tmp_path / "table.md"
    words = ("--only", "buildings", "--count", "1", "--seed", "1", "--workers", "1")
    result = corpus(*words, "--json", "--markdown", str(page))
    (row,) = json.loads(result.stdout)
    assert (row["group"], row["variant"], row["broken"]) == ("buildings", "none", False)
    assert row["error"] < 0.1
    assert "| offices | 1 | 0 |" in page.read_text()
