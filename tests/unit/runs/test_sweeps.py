"""Sweeps: every run once, the same table on every engine, nothing lost when something dies."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import mecano
from mecano.core.errors import InvalidInput, MecanoError
from mecano.runs.engines import LocalProcesses, engine_for
from mecano.runs.journal import RUNS, Journal
from mecano.runs.spec import RunSpec
from mecano.runs.study import Study
from mecano.runs.sweep import sweep

PROGRAM = """
import os
from mecano.tasks import Experiment, Score

def run(robot, rng, *, weight, deadly):
    if deadly == str(robot.session.random.seed):
        os._exit(7)
    robot.wait(0.02)
    return Score(success=float(weight) < 2.5, metrics={"weight_kg": float(weight)})

EXPERIMENT = Experiment(name="own/weigh", title="weigh", robot="open_manipulator_x", scene="empty",
                        run=run, options={"weight": "1", "deadly": "none"})
"""


@pytest.fixture
def study(tmp_path) -> Study:
    file = tmp_path / "weigh.py"
    file.write_text(PROGRAM)
    return Study(run=RunSpec(str(file)), vary={"options.weight": (1.0, 2.0, 3.0)}, seeds=2)


def test_every_run_is_in_the_table_once(study, tmp_path):
    result = sweep(study, tmp_path / "out", on="here")
    rows = pq.read_table(result.table).to_pylist()
    assert [row["run"] for row in rows] == list(range(6))
    assert [row["options.weight"] for row in rows] == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]
    assert [row["success"] for row in rows] == [True] * 4 + [False] * 2
    assert [row["metric.weight_kg"] for row in rows] == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]
    said = result.to_json()
    assert (said["runs"], said["done"], said["failed"]) == (6, 6, 2)
    assert said["success"] == pytest.approx(4 / 6) and Path(said["plot"]).stat().st_size > 5000


def test_the_command_of_a_row_repeats_its_run(study, tmp_path):
    result = sweep(study, tmp_path / "out", on="here")
    assert mecano.run(result.specs[3]).hash == result.outcomes[3].state_hash
    assert "--option weight=2.0" in pq.read_table(result.table).to_pylist()[3]["command"]


def test_a_finished_sweep_runs_nothing_again(study, tmp_path):
    first = sweep(study, tmp_path / "out", on="here")
    before = first.table.read_bytes(), (first.folder / RUNS).read_bytes()
    again = sweep(study, tmp_path / "out", on="here")
    assert again.resumed == 6
    assert (first.table.read_bytes(), (first.folder / RUNS).read_bytes()) == before


def test_a_line_that_was_cut_off_is_run_again(study, tmp_path):
    whole = sweep(study, tmp_path / "out", on="here")
    journal = whole.folder / RUNS
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:3]) + lines[3][:25])
    before = whole.table.read_bytes()
    assert sweep(study, tmp_path / "out", on="here").resumed == 3
    assert whole.table.read_bytes() == before
    assert len(journal.read_text().splitlines()) == 6


def test_another_study_is_kept_out_of_a_folder(study, tmp_path):
    sweep(study, tmp_path / "out", on="here")
    with pytest.raises(InvalidInput, match="another study"):
        sweep(Study(run=study.run, vary=study.vary, seeds=1), tmp_path / "out", on="here")
    with pytest.raises(InvalidInput, match="other files"):
        sweep(study, tmp_path, on="here")


def test_a_second_sweep_is_kept_out_of_a_folder(study, tmp_path):
    with (
        Journal.held(tmp_path / "out", study),
        pytest.raises(InvalidInput, match="another sweep"),
        Journal.held(tmp_path / "out", study),
    ):
        pass


def test_a_million_runs_must_be_meant(study, tmp_path):
    many = Study(run=study.run, vary=study.vary, seeds=400_000)
    with pytest.raises(InvalidInput, match="1,200,000 runs"):
        sweep(many, tmp_path / "out")


def test_an_unknown_option_is_refused_before_the_first_run(study, tmp_path):
    wrong = Study(run=study.run, vary={"options.wieght": (1.0,)})
    with pytest.raises(MecanoError, match="weight"):
        sweep(wrong, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_engine_that_nobody_knows_is_refused():
    with pytest.raises(InvalidInput, match="local, here, auto"):
        engine_for("cloud")


def test_a_full_disk_is_told_and_what_was_run_is_kept(study, tmp_path, monkeypatch):
    real, calls = os.fsync, []

    def full(handle):
        calls.append(handle)
        if len(calls) == 4:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidInput, match=r"No space left.*2 runs are kept"):
        sweep(study, tmp_path / "out", on="here")
    monkeypatch.undo()
    assert sweep(study, tmp_path / "out", on="here").resumed >= 2


@pytest.mark.slow
def test_processes_give_the_same_bytes_as_one(study, tmp_path):
    one = sweep(study, tmp_path / "one", on="here")
    two = sweep(study, tmp_path / "two", workers=2)
    assert one.table.read_bytes() == two.table.read_bytes()


@pytest.mark.slow
def test_a_run_that_kills_its_worker_takes_no_other_along(study, tmp_path):
    deadly = study.run.replace(options={"deadly": "1"})
    result = sweep(Study(run=deadly, vary=study.vary, seeds=2), tmp_path / "out", workers=2)
    died = [number for number, outcome in enumerate(result.outcomes) if outcome.error]
    assert died == [1, 3, 5] and result.to_json()["errors"] == 3
    assert "died 3 times" in result.outcomes[1].error


@pytest.mark.slow
def test_a_sweep_that_is_killed_goes_on_and_loses_nothing(study, tmp_path):
    long = Study(run=study.run, vary=study.vary, seeds=6)
    whole = sweep(long, tmp_path / "whole", on="here")
    file, out = tmp_path / "program.py", tmp_path / "killed"
    file.write_text(
        "import mecano\n"  # no guard: processes must not start the program again
        f"study = mecano.Study.from_json({long.to_json()!r})\n"
        f"mecano.sweep(study, {str(out)!r}, workers=2)\n"
    )
    process = subprocess.Popen([sys.executable, str(file)])
    while not (out / RUNS).is_file() or len((out / RUNS).read_text().splitlines()) < 4:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    again = sweep(long, out, on="here")
    numbers = [line.split(",")[0] for line in (out / RUNS).read_text().splitlines()]
    assert again.resumed >= 4 and len(numbers) == len(set(numbers)) == 18
    assert again.table.read_bytes() == whole.table.read_bytes()


ONCE_DEADLY = PROGRAM.replace(
    "os._exit(7)", "open(__file__ + '.died', 'x').close() or os._exit(7)"
).replace("== str(robot.session.random.seed):", "and not os.path.exists(__file__ + '.died'):")


@pytest.mark.slow
def test_a_cluster_of_two_nodes_gives_the_same_bytes_though_a_worker_dies(study, tmp_path):
    pytest.importorskip("ray", reason="the extra `cluster` is not installed")
    from ray.cluster_utils import Cluster

    here = sweep(study, tmp_path / "here", on="here")
    Path(study.run.experiment).write_text(ONCE_DEADLY)
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        nodes.add_node(num_cpus=1)
        result = sweep(study, tmp_path / "ray", on=str(nodes.address))
    finally:
        nodes.shutdown()
    assert Path(study.run.experiment + ".died").is_file()
    assert result.outcomes[0].state_hash == here.outcomes[0].state_hash
    assert result.table.read_bytes() == here.table.read_bytes()
    assert len((result.folder / RUNS).read_text().splitlines()) == 6


@pytest.mark.slow
def test_processes_are_one_per_core_by_default():
    assert LocalProcesses().workers == os.cpu_count()
