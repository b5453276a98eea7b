"""`mecano map`: build a map while a robot drives, and save it."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.view import Browser, Port

if TYPE_CHECKING:
    from mecano.core.messages import OccupancyGrid
    from mecano.core.poses import Pose2
    from mecano.lab.mapping import LiveMapping
    from mecano.lab.robot import Robot


def map_place(
    robot: Annotated[str, typer.Argument(help="A robot with wheels that can scan: madar, crumb.")],
    scene: Annotated[
        str | None,
        typer.Option(help="A scene or MJCF file; default: the laboratory, or CRUMB's hall."),
    ] = None,
    teleop: Annotated[
        bool, typer.Option("--teleop/--tour", help="Drive by keys, or along the scene's tour.")
    ] = False,
    explore: Annotated[
        bool,
        typer.Option("--explore", help="Drive to the frontiers of the map until it is closed."),
    ] = False,
    max_time: Annotated[
        float, typer.Option(help="End of an exploration, in seconds of the robot's time.")
    ] = 1800.0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the map; default: map-ROBOT.", show_default=False),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with this map: the YAML file of an earlier one.")
    ] = None,
    start: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            help="Where it stands in the map: x, y (metres), heading (radians); default: where it "
            "stands in the scene."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of noise and slip.", min=0)] = 0,
    slip: Annotated[
        float,
        typer.Option(
            help="How much wheels slip: 0 not at all, 1 about 1.5 % of the way and 2 deg per turn."
        ),
    ] = 1.0,
    noise: Annotated[bool, typer.Option("--noise/--no-noise", help="Noise on the sensors.")] = True,
    view: Annotated[bool, typer.Option("--view/--no-view", help="Show it in the browser.")] = False,
    port: Port = None,
    browser: Browser = True,
    record: Annotated[
        Path | None, typer.Option(help="Record into this new folder; `mecano slam` maps it again.")
    ] = None,
) -> None:
    """Drive a robot through a place and build its map; save map.yaml, its image and the path.

    The map is saved every few seconds and at the end, also after Ctrl-C. Without --start the map's
    frame is that of the scene. A tour is driven where it is in the scene, whatever the map's frame.

    Example: mecano map madar --out lab, or mecano map madar --explore
    """
    from mecano.cli.recording import recorded
    from mecano.cli.remarks import warn
    from mecano.cli.view import show
    from mecano.core.arrays import finite_number
    from mecano.core.poses import Pose2
    from mecano.importing.sources import find_robot, robot_label
    from mecano.lab.mapping import MapKeeper
    from mecano.lab.robot import connect
    from mecano.lab.scanners import scan_settings

    finite_number(slip, name="--slip", lower=0.0, upper=20.0)
    finite_number(max_time, name="--max-time", lower=1.0, upper=1e6)
    if teleop and explore:
        raise typer.BadParameter("take one of --teleop and --explore: who drives?")
    for value in start or ():
        finite_number(value, name="--start", lower=-1e4, upper=1e4)
    folder = out or Path(f"map-{robot_label(robot, find_robot(robot))}")
    _check_folder(folder)
    pose = None if start is None else Pose2(*start)
    old = None if resume is None else _old_map(resume, pose)
    with ExitStack() as stack:
        connected = stack.enter_context(
            connect(
                robot, scene=scene or _scene_of(robot), seed=seed, noise=noise,
                settings=scan_settings(robot),
            )
        )  # fmt: skip
        _check_robot(connected, tour=not teleop and not explore)
        stack.enter_context(recorded(connected, record))
        mapping = _begin(connected, slip, pose, old)
        _make_folder(folder)
        keeper = MapKeeper(folder, warn)
        mapping.on_scan = lambda scan: keeper.look(mapping)
        if view:
            show(connected, stack, port=port, browser=browser)
            connected.session.start_background()
        failure = None
        try:
            with mapping:
                if teleop:
                    _drive_by_keys(connected, view)
                elif explore:
                    failure = _explore(connected, mapping, max_time)
                else:
                    failure = _drive_along(connected, mapping, own_frame=pose is not None)
        finally:  # also after Ctrl-C: what was seen is worth keeping
            connected.stop()
            mapping.on_scan = None
            if mapping.stamps:
                mapping.finish()
                mapping.save(folder)
        connected.session.come_to_rest()
        if mapping.stamps:
            _tell(connected, mapping, folder, own_frame=pose is not None)
        else:
            failure = failure or "no scan came, so there is no map"
        connected.session.close()
    if failure is not None:
        warn(failure)
        raise typer.Exit(1)


def _scene_of(robot: str) -> str:
    """Return the scene that a robot maps unless asked otherwise."""
    from mecano.importing.sources import find_robot

    known = find_robot(robot)
    if known.base is None:
        return known.scene
    return "laboratory" if known.base.lidars else "hall"


def _old_map(file: Path, start: "Pose2 | None") -> "OccupancyGrid":
    """Return the map to go on with; raise if the start is not in it."""
    from mecano.estimation.lifelong.resumed_mapper import check_start
    from mecano.estimation.maps.files import load_map

    old = load_map(file)
    if start is not None:
        check_start(old, start)
    return old


def _check_folder(folder: Path) -> None:
    """Raise if a folder has a map already."""
    from mecano.core.errors import InvalidInput

    if (folder / "map.yaml").exists():
        raise InvalidInput(
            f"{folder} has a map already; choose another folder with --out, "
            f"or go on with it: --resume {folder / 'map.yaml'} --out ANOTHER"
        )


def _make_folder(folder: Path) -> None:
    from mecano.core.errors import InvalidInput

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"{folder} cannot be made: {error.strerror}; choose another folder with --out"
        ) from None


def _check_robot(connected: "Robot", *, tour: bool) -> None:
    """Raise if a robot cannot scan, or has no tour to drive, before anything moves."""
    from mecano.lab.scanners import scanner_of
    from mecano.tasks.tours import tour_of

    scanner_of(connected)
    if tour:
        tour_of(connected)


def _begin(
    connected: "Robot", slip: float, start: "Pose2 | None", old: "OccupancyGrid | None"
) -> "LiveMapping":
    """Return what listens to the robot and builds the map, a new one or an old one."""
    from mecano.estimation.lifelong.resumed_mapper import ResumedMapper, check_start
    from mecano.lab.mapping import mapper_for
    from mecano.tasks.map_lab import begin_mapping

    if old is None:
        return begin_mapping(connected, strength=slip, start=start)
    check_start(old, start or connected.truth.base_pose())
    return begin_mapping(
        connected, strength=slip, start=start,
        engine=lambda robot, mount: ResumedMapper(old, mapper_for(robot, mount), mount),
    )  # fmt: skip


def _drive_along(connected: "Robot", mapping: "LiveMapping", *, own_frame: bool) -> str | None:
    """Drive the tour of the scene; return why it ended early, if it did.

    Args:
        connected: The robot.
        mapping: What listens to it.
        own_frame: Whether the map's frame is another than that of the scene.
    """
    from mecano.cli.progress import progress
    from mecano.core.errors import MecanoError
    from mecano.tasks.map_lab import drive_tour, looks_of, pace_of, pose_in_scene
    from mecano.tasks.tours import tour_of

    with progress("mapping, points of the tour") as tell:
        try:
            looks = looks_of(mapping, len(tour_of(connected)))
            where = (lambda: pose_in_scene(mapping)) if own_frame else None
            drive_tour(
                connected, mapping, pace_of(connected), looks=looks, where=where, on_point=tell
            )
        except MecanoError as error:
            return str(error)
    return None


def _explore(connected: "Robot", mapping: "LiveMapping", max_time: float) -> str | None:
    """Let the robot explore; return why the map is not closed, if so."""
    from mecano.cli.progress import now_and_then

    say = now_and_then()

    def tell(area: float, frontiers: int) -> None:
        say(f"exploring: {area:.1f} m2 known, {frontiers} frontiers, {connected.time:.0f} s so far")

    result = connected.explore(mapping, max_time=max_time, on_progress=tell)
    typer.echo(f"explored: {result.message}")
    return None if result.outcome == "closed" else result.reason


def _drive_by_keys(connected: "Robot", running: bool) -> None:
    """Drive as `mecano teleop` does, until Ctrl-C or the end of the input."""
    from mecano.cli.teleop import drive, pressed_keys
    from mecano.operate.teleop import Teleop

    keys = Teleop(connected, safety_zone=True)
    typer.echo(keys.help())
    if not running:
        connected.session.start_background()
    with pressed_keys() as said:
        drive(connected, keys, keys, said)


def _tell(connected: "Robot", mapping: "LiveMapping", folder: Path, *, own_frame: bool) -> None:
    """Say what was built, and in simulation how good it is."""
    from mecano.cli.remarks import warn
    from mecano.core.errors import InvalidInput
    from mecano.core.poses import Pose2
    from mecano.tasks.mapping_score import evaluate, tell
    from mecano.world.floor_plan import floor_plan

    try:
        plan = floor_plan(connected.world.model, mapping.scanner.height)
        mapped = evaluate(mapping, plan, T_world_map=None if own_frame else Pose2())
        typer.echo(tell(mapped, f"map of {connected.name}"))
    except InvalidInput as error:
        warn(f"the map is not scored: {error}")
    typer.echo(f"map: {folder / 'map.yaml'}")
