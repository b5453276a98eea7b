"""`mecano run`: an experiment, once or a few times, recorded and watched."""

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.cards import show_card, show_runs
from mecano.cli.catalog import AsJson
from mecano.cli.ik import Use
from mecano.cli.remarks import mention
from mecano.cli.view import Browser, Port, Wait

if TYPE_CHECKING:
    from mecano.cli.viewing import ViewedRun
    from mecano.runs.run import Run
    from mecano.runs.spec import RunSpec

Name = Annotated[
    str,
    typer.Argument(
        help="Experiment, see `mecano list`; ROBOT/EXPERIMENT, where ROBOT may be a folder or a "
        "file; a file my_experiment.py; or the spec of a run, spec.toml."
    ),
]
OnRobot = Annotated[
    str | None,
    typer.Option("--robot", help="Robot for an experiment of any robot: name, folder or file."),
]
Seed = Annotated[int, typer.Option(help="Seed; the same seed gives the same run.", min=0)]
Noise = Annotated[
    bool | None,
    typer.Option("--noise/--no-noise", help="Noise on the sensors; default: the experiment's."),
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        help="Option of the experiment, e.g. gait=wave; `mecano info NAME` lists them.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a setting: physics.timestep=0.001, joints.joint2.kp=25."),
]
Model = Annotated[
    list[str] | None,
    typer.Option("--model", help="Change a body: cube.mass_factor=1.5, table.friction=0.6."),
]


def run(
    name: Name,
    robot: OnRobot = None,
    scene: Annotated[
        str | None, typer.Option(help="Scene in the place of the experiment's: name or MJCF file.")
    ] = None,
    seed: Seed = 0,
    noise: Noise = None,
    runs: Annotated[
        int, typer.Option(help="Run it with this many seeds, one after the other.", min=1)
    ] = 1,
    moves: Annotated[
        str | None,
        typer.Option(
            help='Moves between places, e.g. "A>C B>A" (pick-and-place experiments only).'
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(help="Iterations of the moves (experiments that repeat them only).", min=1),
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
        typer.Option(
            "--keep", help="With --view: keep serving after the end, even without an open page."
        ),
    ] = False,
    port: Port = None,
    browser: Browser = True,
    wait: Wait = True,
    record: Annotated[
        Path | None, typer.Option(help="Run folder to make; else a new one in runs/.")
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Keep no record.")] = False,
    video: Annotated[
        Path | None, typer.Option(help="Write a video of the run, .mp4 or .gif.")
    ] = None,
    option: Options = None,
    change: Set = None,
    model: Model = None,
    use: Use = None,
    as_json: AsJson = False,
) -> None:
    """Run an experiment, record it and print its score. Exit code 0 if it succeeded, 1 if not.

    Example: mecano run open_manipulator_x/move-cube --seed 3
    """
    from mecano.cli.viewing import ViewedRun
    from mecano.core.errors import InvalidInput

    if runs > 1 and (view or video is not None):
        raise InvalidInput("--view and --video show one run; leave --runs out")
    if not view and (keep or speed is not None or port is not None):
        raise InvalidInput("--speed, --keep and --port are for the page; give --view too")
    if limp and real is None:
        raise InvalidInput("--limp is for a real robot; give --real PORT too")
    spec = _spec(
        name, robot=robot, scene=scene, seed=seed, noise=noise, real=real, limp=limp,
        options=parse_options(option, moves=moves, rounds=rounds),
        settings=parse_changes(change or []), model=parse_changes(model or []), use=use or [],
    )  # fmt: skip
    experiment = spec.find()  # complain before the work
    specs = [spec.replace(seed=spec.seed + number) for number in range(runs)]
    specs = [_recorded(each, record, off=no_record, several=runs > 1) for each in specs]
    with ExitStack() as stack:
        if video is not None:
            specs = [stack.enter_context(_filmed(video, specs[0]))]
        viewed = None
        if view:
            viewed = stack.enter_context(ViewedRun(
                experiment.title, port=port, browser=browser, speed=speed or 1.0, keep=keep,
                wait=wait, err=as_json,
            ))  # fmt: skip
        made = _make_runs(specs, experiment.title, viewed, as_json=as_json)
        _show_made(made, as_json=as_json)
        if video is not None:
            _make_video(made[0].folder, video)
        if viewed is not None:
            viewed.finish(made[0].result, record_words(made[0]))
    if not all(each.success for each in made):
        raise typer.Exit(1)


def _spec(name: str, *, use: list[str], **chosen: Any) -> "RunSpec":
    """Return the spec of a run: from a file, with what else was chosen; or all from here."""
    from mecano.runs.spec import TABLES, RunSpec
    from mecano.stages.user_stage import parse_use

    chosen["stages"] = parse_use(use)
    if not name.endswith((".toml", ".json")):
        return RunSpec(name, **chosen)
    spec = RunSpec.load(name)
    tables = {key: {**getattr(spec, key), **chosen.pop(key)} for key in TABLES}
    unsaid = {"seed": 0, "limp": False}
    given = {key: value for key, value in chosen.items() if value != unsaid.get(key)}
    return spec.replace(**tables, **given)


def _recorded(spec: "RunSpec", named: Path | None, *, off: bool, several: bool) -> "RunSpec":
    """Return a spec that says where its record goes."""
    from mecano.core.errors import InvalidInput
    from mecano.runs.spec import NEW_FOLDER

    if off:
        if named is not None:
            raise InvalidInput("--record and --no-record were both given; give one of them")
        return spec.replace(record=None)
    if named is None:
        return spec.replace(record=spec.record or NEW_FOLDER)
    return spec.replace(record=str(named / f"seed{spec.seed}" if several else named))


def parse_options(pairs: list[str] | None, **given: Any) -> dict[str, str]:
    """Return the options of the experiment that were given, as pairs and by their own names."""
    options = {name: str(value) for name, value in given.items() if value is not None}
    form = "--option takes NAME=VALUE, for example gait=wave"
    return options | dict(_split(pair, form) for pair in pairs or [])


def parse_changes(changes: list[str]) -> dict[str, Any]:
    """Turn `["physics.timestep=0.001"]` into `{"physics.timestep": 0.001}`."""
    parsed: dict[str, Any] = {}
    for change in changes:
        key, text = _split(change, "--set takes KEY=VALUE, for example physics.timestep=0.001")
        try:
            parsed[key] = json.loads(text)
        except json.JSONDecodeError:
            parsed[key] = text
    return parsed


def _split(pair: str, form: str) -> tuple[str, str]:
    """Return both sides of the first equals sign; `form` says how a pair looks."""
    from mecano.core.errors import InvalidInput

    name, equals, text = pair.partition("=")
    if not equals or not name:
        raise InvalidInput(f"{form}, got '{pair}'")
    return name, text


def _make_runs(
    specs: "Sequence[RunSpec]", title: str, viewed: "ViewedRun | None", *, as_json: bool
) -> "list[Run]":
    """Make runs, one after the other."""
    from mecano.cli.progress import progress, time_teller
    from mecano.runs.run import run as make_run

    made: list[Run] = []
    # What a program prints must not get between the lines of JSON.
    out = redirect_stdout(sys.stderr) if as_json else nullcontext()
    with out, progress(f"{specs[0].name}: {title}") as advance:
        for spec in specs:
            made.append(make_run(spec, watch=time_teller(spec.name), viewed=viewed))
            advance(len(made), len(specs))
    return made


@contextmanager
def _filmed(video: Path, spec: "RunSpec") -> "Iterator[RunSpec]":
    """Give a spec with a record to draw a video from; where none is kept, until it is drawn.

    SIGTERM ends the block as Ctrl-C does, so that no half of a video is left.
    """
    from mecano.record.folder import PASSING, base_folder
    from mecano.record.video import check_video_path
    from mecano.runs.spec import NEW_FOLDER

    check_video_path(video)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    nowhere = spec.record is None or (spec.record == NEW_FOLDER and base_folder() is None)
    try:
        if not nowhere:
            yield spec
            return
        with TemporaryDirectory(prefix=PASSING) as folder:
            yield spec.replace(record=folder)
    finally:
        signal.signal(signal.SIGTERM, before)


def record_words(run: "Run") -> str | None:
    """Return where the record of a run is, in words."""
    from mecano.record.folder import PASSING

    if run.folder is None or run.folder.name.startswith(PASSING):
        return None
    if run.broke_off_at is None:
        return str(run.folder)
    return f"{run.folder} (not whole: it breaks off at {run.broke_off_at:.2f} s)"


def _make_video(folder: Path | None, video: Path) -> None:
    from mecano.cli.progress import progress
    from mecano.record.recording import Recording
    from mecano.record.video import record_video

    assert folder is not None
    with progress(f"drawing {video.name}") as advance:
        drawn = record_video(Recording.read(folder), video, progress=advance)
    remark = f"; {drawn.remark}" if drawn.remark else ""
    mention(f"wrote {video}: {drawn.frames} frames, {drawn.kind}{remark}")


def _show_made(made: "list[Run]", *, as_json: bool) -> None:
    """Print runs and where they were recorded."""
    from mecano.tasks.evaluation import summary

    results = [each.result for each in made]
    if as_json:
        plain = [_plain(each) for each in made]
        answer: Any = {"runs": plain, "summary": summary(results)} if len(made) > 1 else plain[0]
        print(json.dumps(answer))
        return
    if len(made) == 1:
        show_card(results[0], record_words(made[0]))
        return
    show_runs(results)
    for each in made:
        if (record := record_words(each)) is not None:
            print(f"record {record}")


def _plain(run: "Run") -> dict[str, Any]:
    """Return a run as plain values."""
    return run.to_json() | ({} if record_words(run) else {"record": None})
