"""The committed evidence repeats: a few of its runs are made again and compared."""

import json
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

from mecano.tasks.evaluation import run_many

FOLDER = Path(__file__).parents[2] / "docs" / "evidence"
FILES = sorted(FOLDER.glob("*.json"))
LONG = 30.0
"""Of an experiment that lasts longer only one run is repeated [s]."""
LONG_ONES = (
    "youbot_transport", "youbot_navigate", "crumb_find-and-place", "crumb_map", "madar",
)  # fmt: skip
REPEATED = [file for file in FILES if not file.stem.startswith(("romerin_climb", *LONG_ONES))]
"""All are repeated by `make evaluate`: here only what is short."""


def differences(report: dict) -> list[str]:
    """Say what this machine has otherwise than the one the evidence was made on.

    Our own version does not count: it is what is tested.
    """
    others = {name: number for name, number in report["versions"].items() if name != "mecano"}
    found = [
        f"{name} {version(name)}, not {number}"
        for name, number in others.items()
        if version(name) != number
    ]
    if platform.machine() not in report["machine"]:
        found.append(f"{platform.machine()}, not {report['machine']}")
    return found


@cache
def repeated(file: Path):
    """Return runs that are made again, each with the one of the evidence."""
    report = json.loads(file.read_text())
    kept = {run["seed"]: run for run in report["runs"]}
    options = report.get("options", {})
    few = 1 if options or max(run["sim_time_s"] for run in kept.values()) > LONG else 2
    seeds = sorted(kept)[:: max(1, len(kept) // 2)][:few]
    runs = run_many(report["experiment"], seeds, noise=report["noise"], options=options)
    return [(run, kept[run.seed]) for run in runs]


@pytest.mark.parametrize("file", REPEATED, ids=lambda file: file.stem)
def test_runs_of_the_evidence_succeed_again(file):
    for run, before in repeated(file):
        assert run.success == before["success"]


@pytest.mark.parametrize("file", REPEATED, ids=lambda file: file.stem)
def test_numbers_of_the_evidence_come_out_again(file):
    pairs = [
        (name, run.metrics[name], value)
        for run, before in repeated(file)
        for name, value in before["metrics"].items()
        if isinstance(value, float)
    ]
    assert pairs
    if changed := differences(json.loads(file.read_text())):
        pytest.skip(
            f"{len(pairs)} numbers of {file.name} were not compared, only successes: here is "
            f"{'; '.join(changed)}. Make the evidence anew with: mecano evaluate"
        )
    for name, now, before in pairs:
        assert now == pytest.approx(before, rel=0.05, abs=0.02), name


def test_another_library_is_named_and_our_own_version_is_not():
    report = {"versions": {"mecano": "0.0.1", "numpy": "1.0"}, "machine": platform.machine()}
    assert differences(report) == [f"numpy {version('numpy')}, not 1.0"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_evidence_is_of_an_experiment_that_exists(file):
    from mecano import tasks

    report = json.loads(file.read_text())
    assert report["experiment"] in tasks.EXPERIMENTS
    assert report["summary"]["runs"] == len(report["runs"])
    assert report["summary"]["successes"] == sum(run["success"] for run in report["runs"])


def test_there_is_evidence():
    assert FILES
