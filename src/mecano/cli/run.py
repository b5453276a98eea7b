"""`mecano run` and `mecano evaluate`: experiments, once or many times."""

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.catalog import AsJson
from mecano.cli.ik import Use
from mecano.cli.view import Browser, Port

if TYPE_CHECKING:
    from mecano.cli.recording import MakeFolder
    from mecano.tasks.experiment import RunResult

Made = list[tuple["RunResult", Path | None]]
"""Runs and their folders."""
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
    view: Annotated[bool, typer.Option("--view", help="Watch it in the browser.")] = False,
    speed: Annotated[
        float | None, typer.Option(help="With --view: times real time.", min=0.01)
    ] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="With --view: stay up after the end, even without a page."),
    ] = False,
    port: Port = None,
    browser: Browser = True,
    record: Annotated[
        Path | None, typer.Option(help="Run folder to make; else a new one in runs/.")
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Keep no record.")] = False,
    video: Annotated[
        Path | None, typer.Option(help="Write a video of the run, .mp4 or .gif.")
    ] = None,
    change: Set = None,
    use: Use = None,
    as_json: AsJson = False,
) -> None:
    """Run an experiment, record it and print its score. Exit code 0 if it succeeded, 1 if not.

    Example: mecano run open_manipulator_x/move-cube --seed 3
    """
    from mecano import tasks
    from mecano.cli.recording import RunPlan, folder_maker, make_one_run
    from mecano.cli.viewing import ViewedRun
    from mecano.core.errors import InvalidInput
    from mecano.lab.stages import parse_use

    if runs > 1 and (view or video is not None):
        raise InvalidInput("--view and --video show one run; leave --runs out")
    experiment = tasks.get(name)
    make_folder = folder_maker(experiment.name, record, off=no_record, several=runs > 1)
    plan = RunPlan(
        name=name,
        experiment=experiment,
        noise=noise,
        changes=parse_changes(change or []),
        stages=parse_use(use or []),
    )
    made: Made = []
    with ExitStack() as stack:
        if video is not None:
            make_folder = _folder_for_video(video, make_folder, stack)
        viewed = None
        if view:
            viewed = ViewedRun(
                experiment.title, port=port, browser=browser, speed=speed or 1.0, keep=keep
            )
            stack.enter_context(viewed)
        with _counter(f"{experiment.name}: {experiment.title}", runs) as count:
            for each in range(seed, seed + runs):
                made.append(make_one_run(plan, each, make_folder=make_folder, viewed=viewed))
                count(made[-1][0])
        _show_made(made, as_json=as_json)
        if video is not None:
            _make_video(made[0][1], video)
        if viewed is not None:
            viewed.finish(made[0][0])
    if not all(result.success for result, _ in made):
        raise typer.Exit(1)


def _folder_for_video(video: Path, make_folder: "MakeFolder | None", stack: ExitStack):
    """Return what makes the run folder; a video needs one, if only until it is drawn."""
    import tempfile

    from mecano.record.video import check_video_path

    check_video_path(video)
    if make_folder is not None:
        return make_folder
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    return lambda seed: folder


def _make_video(folder: Path | None, video: Path) -> None:
    from mecano.cli.progress import progress
    from mecano.record.recording import Recording
    from mecano.record.video import record_video

    assert folder is not None
    with progress(f"drawing {video.name}") as advance:
        drawn = record_video(Recording.read(folder), video, progress=advance)
    remark = f"; {drawn.remark}" if drawn.remark else ""
    typer.secho(f"wrote {video}: {drawn.frames} frames, {drawn.kind}{remark}", err=True)


def _show_made(made: "Made", *, as_json: bool) -> None:
    """Print runs and where they were recorded."""
    from mecano.tasks.evaluation import summary

    results = [result for result, _ in made]
    folders = [None if folder is None else str(folder) for _, folder in made]
    if as_json:
        plain = [r.to_json() | {"record": f} for r, f in zip(results, folders, strict=True)]
        answer: Any = {"runs": plain, "summary": summary(results)} if len(made) > 1 else plain[0]
        print(json.dumps(answer))
        return
    if len(made) == 1:
        show_card(results[0], folders[0])
        return
    show_runs(results)
    for folder in folders:
        if folder is not None:
            print(f"record {folder}")


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


def show_card(result: "RunResult", folder: str | None = None) -> None:
    """Print the result card of one run, and where it was recorded."""
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
    if folder is not None:
        table.add_row("record", folder)
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
