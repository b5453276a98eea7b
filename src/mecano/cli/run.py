"""`mecano run` and `mecano evaluate`: experiments, once or many times."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.catalog import AsJson
from mecano.cli.ik import Use

if TYPE_CHECKING:
    from mecano.tasks.experiment import RunResult

Name = Annotated[
    str, typer.Argument(help="Experiment, see `mecano list`, or a file my_experiment.py.")
]
Seed = Annotated[int, typer.Option(help="Seed; the same seed gives the same run.", min=0)]
Noise = Annotated[bool, typer.Option("--noise/--no-noise", help="Noise on the sensors.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a setting: physics.timestep=0.001, joints.joint2.kp=25."),
]


def run(
    name: Name,
    seed: Seed = 0,
    noise: Noise = False,
    runs: Annotated[
        int, typer.Option(help="Run it with this many seeds, one after the other.", min=1)
    ] = 1,
    view: Annotated[
        bool, typer.Option("--view", help="Watch it in the browser (not built yet).")
    ] = False,
    record: Annotated[Path | None, typer.Option(help="Keep a record (not built yet).")] = None,
    change: Set = None,
    use: Use = None,
    as_json: AsJson = False,
) -> None:
    """Run an experiment and print its score. Exit code 0 if it succeeded, 1 if not.

    Example: mecano run open_manipulator_x/move-cube --seed 3
    """
    from mecano import tasks
    from mecano.core.errors import InvalidInput
    from mecano.lab.stages import parse_use
    from mecano.tasks.evaluation import run_many, summary

    if view or record is not None:
        raise InvalidInput("--view and --record come with the web view, which is not built yet")
    experiment = tasks.get(name)
    changes = parse_changes(change or [])
    with _counter(f"{experiment.name}: {experiment.title}", runs) as count:
        seeds = range(seed, seed + runs)
        results = run_many(
            name, seeds, noise=noise, changes=changes, stages=parse_use(use or []), on_run=count
        )
    if as_json:
        plain = [result.to_json() for result in results]
        answer: Any = {"runs": plain, "summary": summary(results)} if runs > 1 else plain[0]
        print(json.dumps(answer))
    else:
        show_runs(results)
    if not all(result.success for result in results):
        raise typer.Exit(1)


def evaluate(
    name: Name,
    runs: Annotated[int, typer.Option(help="How many runs.", min=1)] = 20,
    seed: Seed = 0,
    noise: Noise = False,
    jobs: Annotated[
        int, typer.Option(help="Processes side by side; 0 takes one per core.", min=0)
    ] = 0,
    save: Annotated[Path | None, typer.Option(help="Write the evidence to this JSON file.")] = None,
    recheck: Annotated[
        Path | None, typer.Option(help="Repeat a tenth of the runs of this file and compare.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run an experiment many times: success rate with its interval, seeds and state hashes.

    Example: mecano evaluate open_manipulator_x/move-cube --runs 100 --save evidence.json
    """
    from mecano import tasks
    from mecano.core.errors import InvalidInput
    from mecano.tasks.evaluation import evidence, run_many

    title = tasks.get(name).title
    workers = jobs or os.cpu_count() or 1
    seeds = list(range(seed, seed + runs))
    before: dict[str, Any] = {}
    if recheck is not None:
        before = _read_evidence(recheck, name)
        noise = bool(before.get("noise", False))
        seeds = _tenth(sorted(run["seed"] for run in before["runs"]), seed)
    with _counter(f"{name}: {title}", len(seeds)) as count:
        results = run_many(name, seeds, noise=noise, jobs=workers, on_run=count)
    report = evidence(name, results, noise=noise)
    if save is not None:
        try:
            save.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"cannot write {save}: {error.strerror}") from None
        typer.secho(f"wrote {save}", err=True)
    if as_json:
        print(json.dumps(report))
    else:
        show_runs(results)
        show_summary(report["summary"])
    if recheck is not None:
        _compare(before, report)
    if not all(result.success for result in results):
        raise typer.Exit(1)


def parse_changes(changes: list[str]) -> dict[str, Any]:
    """Turn `["physics.timestep=0.001"]` into `{"physics.timestep": 0.001}`."""
    from mecano.core.errors import InvalidInput

    parsed: dict[str, Any] = {}
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals or not key:
            raise InvalidInput(
                f"--set takes KEY=VALUE, for example physics.timestep=0.001, got '{change}'"
            )
        try:
            parsed[key] = json.loads(text)
        except json.JSONDecodeError:
            parsed[key] = text
    return parsed


def _counter(title: str, total: int):
    """Return a progress bar that counts runs, as a context."""
    from contextlib import contextmanager

    from mecano.cli.progress import progress

    @contextmanager
    def counting():
        done = 0

        def count(result: "RunResult") -> None:
            nonlocal done
            done += 1
            advance(done, total)

        with progress(title) as advance:
            yield count

    return counting()


def show_runs(results: "list[RunResult]") -> None:
    """Print a card for one run, or a table for several."""
    from rich.console import Console
    from rich.table import Table

    if len(results) == 1:
        show_card(results[0])
        return
    names = list(dict.fromkeys(name for result in results for name in result.metrics))
    console = Console(width=max(Console().width, sum(len(name) + 4 for name in names) + 40))
    table = Table("seed", "success", *names, "state hash", box=None, pad_edge=False)
    for result in results:
        values = [str(result.metrics.get(name, "-")) for name in names]
        table.add_row(str(result.seed), _mark(result.success), *values, result.state_hash)
    console.print(table)


def show_card(result: "RunResult") -> None:
    """Print the result card of one run."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in result.metrics.items():
        table.add_row(name.replace("_", " "), str(value))
    table.add_row("simulated", f"{result.sim_time_s:.2f} s in {result.wall_time_s:.2f} s")
    table.add_row("seed, state hash", f"{result.seed}, {result.state_hash}")
    if result.remark:
        table.add_row("remark", result.remark)
    colour = "green" if result.success else "red"
    title = f"{result.experiment}: {_mark(result.success)}"
    Console().print(Panel(table, title=title, border_style=colour, expand=False))


def _mark(success: bool) -> str:
    return "[green]success[/]" if success else "[red]failed[/]"


def show_summary(counts: dict[str, Any]) -> None:
    """Print the success rate and its interval."""
    low, high = counts["interval_95"]
    print(
        f"{counts['successes']} of {counts['runs']} succeeded: "
        f"{100 * counts['success_rate']:.1f} %, "
        f"95 % interval {100 * low:.1f} to {100 * high:.1f} %"
    )


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
    twins = all(before.get(key) == now[key] for key in ("machine", "versions"))
    if alike < len(runs) or (twins and same < len(runs)):
        raise typer.Exit(1)
    if not twins:
        print("the evidence was made with other libraries or on another machine")
