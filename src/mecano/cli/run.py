"""`mecano run`: an experiment, once or a few times, recorded and watched."""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.cards import show_card, show_runs
from mecano.cli.catalog import AsJson
from mecano.cli.ik import Use
from mecano.cli.view import Browser, Port

if TYPE_CHECKING:
    from mecano.cli.recording import MadeRun, MakeFolder
    from mecano.tasks.experiment import RunResult

Name = Annotated[
    str, typer.Argument(help="Experiment, see `mecano list`, or a file my_experiment.py.")
]
Seed = Annotated[int, typer.Option(help="Seed; the same seed gives the same run.", min=0)]
Noise = Annotated[
    bool | None,
    typer.Option("--noise/--no-noise", help="Noise on the sensors; default: the experiment's."),
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", help="Of the experiment: gait=wave; see `mecano info NAME`."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a setting: physics.timestep=0.001, joints.joint2.kp=25."),
]


def run(
    name: Name,
    seed: Seed = 0,
    noise: Noise = None,
    runs: Annotated[
        int, typer.Option(help="Run it with this many seeds, one after the other.", min=1)
    ] = 1,
    moves: Annotated[
        str | None, typer.Option(help='Of an experiment with places: "A>C B>A".')
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="Of an experiment that repeats its moves.", min=1)
    ] = None,
    real: Annotated[
        str | None, typer.Option(metavar="PORT", help="On the real robot, on this serial port.")
    ] = None,
    limp: Annotated[
        bool, typer.Option("--limp", help="With --real: let the motors go at the end.")
    ] = False,
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
    option: Options = None,
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
    if not view and (keep or speed is not None or port is not None):
        raise InvalidInput("--speed, --keep and --port are for the page; give --view too")
    if limp and real is None:
        raise InvalidInput("--limp is for a real robot; give --real PORT too")
    experiment = tasks.get(name)
    make_folder = folder_maker(experiment.name, record, off=no_record, several=runs > 1)
    plan = RunPlan(
        name=name,
        experiment=experiment,
        noise=experiment.with_noise(noise),
        changes=parse_changes(change or []),
        stages=parse_use(use or []),
        real=real,
        limp=limp,
        options=parse_options(option, moves=moves, rounds=rounds),
    )
    experiment.chosen(plan.options)
    made: list[MadeRun] = []
    temporary = make_folder is None
    with ExitStack() as stack:
        if video is not None:
            stack.enter_context(_terminated_like_stopped())
            make_folder = _folder_for_video(video, make_folder, stack)
        viewed = None
        if view:
            viewed = ViewedRun(
                experiment.title,
                port=port,
                browser=browser,
                speed=speed or 1.0,
                keep=keep,
                err=as_json,
            )
            stack.enter_context(viewed)
        # What a program prints must not get between the lines of JSON.
        out = redirect_stdout(sys.stderr) if as_json else nullcontext()
        with out, counter(f"{experiment.name}: {experiment.title}", runs) as count:
            for each in range(seed, seed + runs):
                made.append(
                    make_one_run(
                        plan, each, make_folder=make_folder, temporary=temporary, viewed=viewed
                    )
                )
                count(made[-1].result)
        _show_made(made, as_json=as_json)
        if video is not None:
            _make_video(made[0].folder, video)
        if viewed is not None:
            viewed.finish(made[0].result, made[0].record)
    if not all(each.result.success for each in made):
        raise typer.Exit(1)


def parse_options(pairs: list[str] | None, **given: Any) -> dict[str, str]:
    """Return the options of the experiment that were given, as pairs and by their own names."""
    from mecano.core.errors import InvalidInput

    options = {name: str(value) for name, value in given.items() if value is not None}
    for pair in pairs or []:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise InvalidInput(f"--option takes NAME=VALUE, for example gait=wave, got '{pair}'")
        options[name] = text
    return options


@contextmanager
def _terminated_like_stopped() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does, so that no half of a video is left."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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


def _show_made(made: "list[MadeRun]", *, as_json: bool) -> None:
    """Print runs and where they were recorded."""
    from mecano.tasks.evaluation import summary

    results = [each.result for each in made]
    if as_json:
        plain = [each.to_json() for each in made]
        answer: Any = {"runs": plain, "summary": summary(results)} if len(made) > 1 else plain[0]
        print(json.dumps(answer))
        return
    if len(made) == 1:
        show_card(results[0], made[0].record)
        return
    show_runs(results)
    for each in made:
        if each.record is not None:
            print(f"record {each.record}")


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


def counter(title: str, total: int):
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
