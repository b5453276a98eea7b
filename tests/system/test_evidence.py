"""The committed evidence repeats: a few of its runs are made again and compared."""

import json
import platform
from pathlib import Path

import pytest

from mecano.tasks.evaluation import run_many

FOLDER = Path(__file__).parents[2] / "docs" / "evidence"
FILES = sorted(FOLDER.glob("*.json"))
LONG = 30.0
"""Of an experiment that lasts longer only one run is repeated [s]."""
LONG_ONES = ("youbot_transport", "crumb_find-and-place", "crumb_map", "madar")
REPEATED = [file for file in FILES if not file.stem.startswith(("romerin_climb", *LONG_ONES))]
"""All are repeated by `make evaluate`: here only what is short."""
pytestmark = pytest.mark.slow


def same_libraries(report: dict) -> bool:
    from importlib.metadata import version

    return platform.machine() in report["machine"] and all(
        version(name) == number for name, number in report["versions"].items()
    )


@pytest.mark.parametrize("file", REPEATED, ids=lambda file: file.stem)
def test_runs_of_the_evidence_repeat(file):
    report = json.loads(file.read_text())
    kept = {run["seed"]: run for run in report["runs"]}
    options = report.get("options", {})
    few = 1 if options or max(run["sim_time_s"] for run in kept.values()) > LONG else 2
    seeds = sorted(kept)[:: max(1, len(kept) // 2)][:few]
    runs = run_many(report["experiment"], seeds, noise=report["noise"], options=options)
    for run in runs:
        before = kept[run.seed]
        assert run.success == before["success"]
        for name, value in before["metrics"].items():
            if isinstance(value, float) and same_libraries(report):
                assert run.metrics[name] == pytest.approx(value, rel=0.05, abs=0.02)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_evidence_is_of_an_experiment_that_exists(file):
    from mecano import tasks

    report = json.loads(file.read_text())
    assert report["experiment"] in tasks.EXPERIMENTS
    assert report["summary"]["runs"] == len(report["runs"])
    assert report["summary"]["successes"] == sum(run["success"] for run in report["runs"])


def test_there_is_evidence():
    assert FILES
