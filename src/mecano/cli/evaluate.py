"""`mecano evaluate`: an experiment many times, and evidence that can be checked again."""

import json
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.cards import show_runs, show_summary
from mecano.cli.catalog import AsJson
from mecano.cli.remarks import mention
from mecano.cli.run import Name, Noise, OnRobot, Options, Seed, parse_options

if TYPE_CHECKING:
    from mecano.tasks.experiment import RunResult


def evaluate(
    name: Name,
    robot: OnRobot = None,
    runs: Annotated[int, typer.Option(help="How many runs.", min=1)] = 20,
    seed: Seed = 0,
    noise: Noise = None,
    jobs: Annotated[
        int, typer.Option(help="Processes side by side; 0 takes one per core.", min=0)
    ] = 0,
    save: Annotated[Path | None, typer.Option(help="Write the evidence to this JSON file.")] = None,
    recheck: Annotated[
        Path | None, typer.Option(help="Repeat a tenth of the runs of this file and compare.")
    ] = None,
    robustness: Annotated[
        bool,
        typer.Option(
            "--robustness",
            help="Change size, mass, friction and where the robot stands, one at a time; "
            "--runs of each, with noise.",
        ),
    ] = False,
    option: Options = None,
    as_json: AsJson = False,
) -> None:
    """Run an experiment many times: success rate with its interval, seeds and state hashes.

    Example: mecano evaluate open_manipulator_x/move-cube --runs 100 --save evidence.json
    Example: mecano evaluate crumb/pick-and-place --robustness --runs 30
    """
    from mecano import tasks
    from mecano.cli.progress import progress
    from mecano.runs.spec import RunSpec
    from mecano.tasks.evaluation import evidence, run_many

    name = RunSpec(name, robot=robot).name
    experiment = tasks.get(name)
    options, noise = parse_options(option), experiment.with_noise(noise)
    experiment.chosen(options)
    workers = jobs or os.cpu_count() or 1
    seeds = list(range(seed, seed + runs))
    if robustness:
        _robustness(name, seeds, workers, save, as_json)
        return
    before: dict[str, Any] = {}
    if recheck is not None:
        before = _read_evidence(recheck, name)
        noise, options = bool(before.get("noise", False)), dict(before.get("options", {}))
        seeds = _tenth(sorted(run["seed"] for run in before["runs"]), seed)
    done: list[RunResult] = []

    def keep(result: "RunResult") -> None:
        done.append(result)
        advance(len(done), len(seeds))

    try:
        with progress(f"{name}: {experiment.title}") as advance:
            results = run_many(name, seeds, noise=noise, options=options, jobs=workers, on_run=keep)
    except KeyboardInterrupt:
        _tell_so_far(done, len(seeds))
        raise
    report = evidence(name, results, noise=noise, options=options)
    if save is not None:
        _save(report, save)
    if as_json:
        print(json.dumps(report))
    else:
        show_runs(results)
        show_summary(report["summary"])
    if recheck is not None:
        _compare(before, report)
    if not all(result.success for result in results):
        raise typer.Exit(1)


def _robustness(
    name: str, seeds: list[int], workers: int, save: Path | None, as_json: bool
) -> None:
    """Make the table of an experiment under changes."""
    from mecano.cli.progress import progress
    from mecano.tasks.robustness import robustness

    with progress(f"{name}: one change at a time") as advance:
        report = robustness(name, seeds, jobs=workers, on_run=advance)
    if save is not None:
        _save(report, save)
    if as_json:
        print(json.dumps(report))
    else:
        _show_robustness(report)
    if any(row["failures"] for row in report["cells"]):
        raise typer.Exit(1)


def _show_robustness(report: dict[str, Any]) -> None:
    print(f"{'change':<22}{'successes':>10}{'refused':>9}{'failed':>8}")
    for row in report["cells"]:
        good = f"{row['successes']}/{row['runs']}"
        print(f"{row['change']:<22}{good:>10}{row['refused']:>9}{row['failures']:>8}")
        for said, count in row["said"].items():
            print(f"    {count} x {said}")


def _tell_so_far(done: "list[RunResult]", total: int) -> None:
    """Say how the runs went that were done before the user stopped, as a remark."""
    from mecano.tasks.evaluation import summary

    with redirect_stdout(sys.stderr):
        print(f"{len(done)} of {total} runs were done")
        if done:
            show_summary(summary(done))


def _save(report: dict[str, Any], file: Path) -> None:
    from mecano.core.errors import InvalidInput

    try:
        file.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}") from None
    mention(f"wrote {file}")


def _read_evidence(file: Path, name: str) -> dict[str, Any]:
    from mecano.core.errors import InvalidInput

    try:
        report = json.loads(file.read_text(encoding="utf-8"))
        known = all({"seed", "success", "state_hash"} <= run.keys() for run in report["runs"])
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{file} is not evidence of `mecano evaluate`: {error}") from None
    if not known or not report["runs"]:
        raise InvalidInput(f"{file} is not evidence of `mecano evaluate`: it holds no whole runs")
    if report.get("experiment") != name:
        raise InvalidInput(f"{file} is evidence of '{report.get('experiment')}', not of '{name}'")
    return report


def _tenth(seeds: list[int], draw: int) -> list[int]:
    """Return a random tenth of the seeds, at least one; the draw repeats with the same seed."""
    import numpy as np

    count = max(1, len(seeds) // 10)
    return sorted(np.random.default_rng(draw).choice(seeds, count, replace=False).tolist())


def _compare(before: dict[str, Any], now: dict[str, Any]) -> None:
    """Say how many runs repeated, and fail if one did not.

    Bit for bit is asked for where machine and libraries are the same, the same outcome elsewhere.
    """
    kept = {run["seed"]: run for run in before["runs"]}
    runs = now["runs"]
    same = sum(kept[run["seed"]]["state_hash"] == run["state_hash"] for run in runs)
    alike = sum(kept[run["seed"]]["success"] == run["success"] for run in runs)
    print(f"{same} of {len(runs)} repeated bit for bit, {alike} with the same outcome")
    strange = _differences(before, now)
    if alike < len(runs) or (not strange and same < len(runs)):
        raise typer.Exit(1)
    if strange:
        mention(
            f"state hashes count only on the same machine with the same libraries, so "
            f"{len(runs) - same} that differ were not judged; other than then: {strange}"
        )


def _differences(before: dict[str, Any], now: dict[str, Any]) -> str:
    """Return what differs between the machines of two reports, empty if nothing does."""
    then = {"machine": before.get("machine"), **before.get("versions", {})}
    here = {"machine": now["machine"], **now["versions"]}
    if "blas" in before:  # what is older than that does not say
        then["blas"], here["blas"] = before["blas"], now["blas"]
    return ", ".join(
        f"{name} {here.get(name)} (then {then.get(name)})"
        for name in here | then
        if here.get(name) != then.get(name)
    )
