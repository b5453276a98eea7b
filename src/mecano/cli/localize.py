"""`mecano localize`: where a base was in a known map, from a log of its drive."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mecano.cli.catalog import AsJson
from mecano.cli.map_view import opened_page
from mecano.cli.remarks import warn

if TYPE_CHECKING:
    from mecano.core.arrays import Array, Mask
    from mecano.core.drive_log import DriveLog
    from mecano.core.messages import LaserScan, OccupancyGrid
    from mecano.core.poses import Pose2
    from mecano.estimation.localization.along_log import AlongLog
    from mecano.estimation.localization.monte_carlo import Estimate
    from mecano.estimation.localization.settings import AmclSettings
    from mecano.record.map_folder import MapFolder
    from mecano.record.trajectories import Trajectory
    from mecano.viewer.map_page import MapPage

    Show = Callable[[LaserScan, Estimate], None]

FEW = 0.7
"""In the right map a larger part of the readings ends at walls: 0.96 in that of the Intel log, 0.53
in that of another building, 0.60 in one of twice the size (measured)."""
Which = Literal["all", "odd", "even"]
View = Annotated[
    bool,
    typer.Option(
        "--view", help="Watch the particles in the browser. Keeps running while a page is open."
    ),
]
PAPER = "_paper"
"""How names of settings end that the paper of a robot prints."""


def localize(
    log: Annotated[
        Path, typer.Argument(help="A log of CARMEN (plain or gzip), a run folder, or an MCAP file.")
    ],
    grid: Annotated[Path, typer.Option("--map", help="The map's YAML file, as ROS has it.")],
    out: Annotated[Path, typer.Option(help="Folder for path and result.")],
    start: Annotated[
        tuple[float, float, float] | None,
        typer.Option(metavar="X Y THETA", help="Where it starts in the map: m, m, rad."),
    ] = None,
    anywhere: Annotated[
        bool, typer.Option("--global", help="It may start anywhere in the map.")
    ] = False,
    scans: Annotated[
        Which, typer.Option(help="Which scans it is shown, counted from 0 as in the log.")
    ] = "all",
    begin: Annotated[
        float | None, typer.Option("--from", help="Leave out what is before this time, in s.")
    ] = None,
    end: Annotated[float | None, typer.Option("--to", help="Leave out what is after it.")] = None,
    settings: Annotated[
        str, typer.Option(help="File of AMCL's parameters, or: default, amcl, madar_paper.")
    ] = "default",
    seed: Annotated[int, typer.Option(help="Random seed of the particle filter.", min=0)] = 0,
    truth: Annotated[
        Path | None, typer.Option(help="True path in the map; else NAME.reference.traj[.gz].")
    ] = None,
    scan_topic: Annotated[
        str | None, typer.Option(help="Topic of the scans, in a log of messages.")
    ] = None,
    mount: Annotated[
        tuple[float, float, float] | None,
        typer.Option(metavar="X Y YAW", help="Where the scanner sits on the base: m, rad."),
    ] = None,
    view: View = False,
    as_json: AsJson = False,
) -> None:
    """Localize a base in a map: estimated path, one line per scan, and times in a folder.

    Scans that it is not shown have a line too, by the odometry between those it is shown.
    Without --start and --global the settings say where it starts, and if they do not, it may be
    anywhere. If the true path is at hand, the error is printed.

    Example: mecano localize intel.log.gz --map intel.map.yaml --global --scans odd --out where
    """
    from mecano.core.errors import InvalidInput
    from mecano.estimation.localization.along_log import AlongLog
    from mecano.estimation.localization.likelihood_field import DistanceField
    from mecano.estimation.localization.monte_carlo import MonteCarlo
    from mecano.estimation.maps.files import load_map
    from mecano.record.drive_logs import read_drive
    from mecano.record.map_folder import MapFolder

    if start is not None and anywhere:
        raise InvalidInput("give either --start X Y THETA or --global")
    wanted = _settings(settings, anywhere)
    seconds = {"read log": 0.0, "load map": 0.0}
    with _timed(seconds, "load map"):
        place = load_map(grid)
        DistanceField(place, wanted.laser_likelihood_max_dist)  # complain before a long log
    with _timed(seconds, "read log"):
        drive = read_drive(log, scan_topic=scan_topic, mount=_pose(mount))
        part = _part(drive, begin, end)
        shown = _shown(drive, scans, part)
        true_path = _truth(log, truth)
    with _timed(seconds, "load map"):
        filter = MonteCarlo(place, wanted, _pose(start), mount=drive.mount, seed=seed)
    known = [*drive.notes, *wanted.notes, *filter.notes]
    _tell(known)
    result: dict[str, Any] = {
        "source": str(log), "map": str(grid), "seed": seed, "settings": settings,
        "start": "global" if filter.started_globally else "pose", "scans": int(shown[part].sum()),
        "notes": known,
    }  # fmt: skip
    folder = MapFolder.make(out)
    along = AlongLog(filter, drive, part, shown)
    with opened_page(f"mecano localize {log.name}", view) as page:
        result |= _follow(along, folder, result, _shower(page, place, drive.mount))
    seconds["localize"] = sum(along.seconds)
    result["seconds"] = {stage: round(value, 3) for stage, value in seconds.items()}
    result["added_to_ranges_m"] = round(filter.longer, 4)
    result["truth"] = _judged(along.path, drive, true_path)
    late = [note for note in filter.notes if note not in known] + _misfit(result)
    _tell(late)
    result["notes"] = known + late
    folder.write_result(result)
    if as_json:
        print(json.dumps(result))
    else:
        _show(result, out)
    if not result["updates"]:
        raise typer.Exit(1)


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    """Add what the block takes to the time of a stage [s]."""
    begun = perf_counter()
    yield
    seconds[stage] += perf_counter() - begun


def _pose(numbers: tuple[float, float, float] | None) -> "Pose2 | None":
    from mecano.core.poses import Pose2

    return None if numbers is None else Pose2(*numbers)


def _tell(notes: Iterable[str]) -> None:
    for note in notes:
        warn(f"note: {note}")


def _misfit(result: dict[str, Any]) -> list[str]:
    """Say so if no scan could be used (the first that has a reading counts), or none fits."""
    if result["updates"]:
        share = result["at_walls"]
        if share >= FEW:
            return []
        return [
            f"only {100 * share:.0f} % of the readings end at walls of the map; the robot is lost, "
            "or this is not its map: check the YAML's image, resolution and origin"
        ]
    where = "a guess" if result["start"] == "global" else "the start moved by odometry alone"
    return [f"none of {result['scans']} scans has a usable reading; the path is {where}"]


def _settings(name: str, anywhere: bool) -> "AmclSettings":
    """Return settings by name or from a file; a global start forgets the pose in them."""
    from dataclasses import replace

    from mecano.core.errors import InvalidInput
    from mecano.estimation.localization.settings import AmclSettings

    if name in AmclSettings.PRESETS:
        settings = AmclSettings.preset(name)
    elif name.endswith(PAPER) and (table := _tables_of_papers().get(name)) is not None:
        settings = AmclSettings.from_table(table)
    elif not Path(name).exists():
        raise InvalidInput(
            f"--settings {name} is neither a file nor a preset; presets are "
            f"{', '.join((*AmclSettings.PRESETS, *_tables_of_papers()))}"
        )
    else:
        settings = AmclSettings.from_table(Path(name))
    if anywhere:
        return replace(settings, initial_pose_x=None, initial_pose_y=None, initial_pose_a=None)
    return settings


def _tables_of_papers() -> "dict[str, dict[str, Any]]":
    """Return the tables of AMCL's parameters that papers of robots print, by `ROBOT_paper`."""
    from mecano import robots
    from mecano.robots.own_files import own_module

    tables = {}
    for name in robots.ROBOTS:
        robot = robots.get(name)
        paper = own_module(robot, "paper") if robot.folder.name == name else None
        if paper is not None and hasattr(paper, "AMCL"):
            tables[f"{name}{PAPER}"] = paper.AMCL
    return tables


def _part(drive: "DriveLog", begin: float | None, end: float | None) -> slice:
    """Return which part of the scans lies in the time asked for."""
    import numpy as np

    first = 0 if begin is None else int(np.searchsorted(drive.scan_stamps, begin, side="left"))
    last = None if end is None else int(np.searchsorted(drive.scan_stamps, end, side="right"))
    return slice(first, last)


def _shown(drive: "DriveLog", which: Which, part: slice) -> "Mask":
    """Return which scans the filter may see; some of them must lie in the part."""
    import numpy as np

    from mecano.core.errors import InvalidInput

    wanted = {"all": (0, 1), "odd": (1,), "even": (0,)}[which]
    shown = np.isin(drive.scan_numbers % 2, wanted)
    if not shown[part].any():
        stamps = drive.scan_stamps
        raise InvalidInput(
            f"no {'' if which == 'all' else which + ' '}scan of {drive.source} lies in the time "
            f"asked for; its {len(stamps)} scans reach from {stamps[0]:.2f} to {stamps[-1]:.2f} s"
        )
    return shown


def _truth(log: Path, truth: Path | None) -> "Trajectory | None":
    """Return the true path that was given, lies beside the log or is in it."""
    from mecano.record.drive_logs import file_beside, read_truth
    from mecano.record.trajectories import read_trajectory

    path = truth or file_beside(log, "reference.traj")
    return read_truth(log) if path is None else read_trajectory(path)


def _follow(
    along: "AlongLog", folder: "MapFolder", about: dict[str, Any], show: "Show"
) -> dict[str, Any]:
    """Show the scans to the filter; what a stopped run leaves is the path so far."""
    import numpy as np

    from mecano.cli.progress import progress

    spread, finished = 0.0, False
    try:
        with progress("localizing") as tell:
            for done, (scan, estimate) in enumerate(along, 1):
                spread = estimate.spread
                show(scan, estimate)
                tell(done, len(along))
        finished = True
    finally:
        folder.write_path(along.path)
        if not finished:
            folder.write_result(about | {"finished": False, "scans_done": len(along.seconds)})
    return {
        "finished": True,
        "lines": len(along.path),
        "updates": along.updates,
        "at_walls": round(_late_mean(along.at_walls), 4),
        "particles_mean": round(float(np.mean(along.counts)), 1),
        "spread_m": round(spread, 4),
        "stated_95_m": {
            "median": round(float(np.median(along.bounds)), 4),
            "largest": round(float(np.max(along.bounds)), 4),
            "last": round(along.bounds[-1], 4),
        },
        "update_ms": {
            "mean": round(1e3 * float(np.mean(along.seconds)), 3),
            "95 %": round(1e3 * float(np.percentile(along.seconds, 95)), 3),
        },
    }


def _late_mean(values: list[float]) -> float:
    """Return the mean of the later half: a global start has found itself by then."""
    late = values[len(values) // 2 :]
    return sum(late) / len(late) if late else 0.0


def _shower(page: "MapPage | None", grid: "OccupancyGrid", mount: "Pose2") -> "Show":
    """Return what shows an estimate in the page, now and then, with the path so far."""
    import numpy as np

    if page is None:
        return lambda scan, estimate: None
    path: list[tuple[float, float]] = []

    def show(scan: "LaserScan", estimate: "Estimate") -> None:
        path.append((estimate.pose.x, estimate.pose.y))
        if page.is_due():
            page.show(estimate.belief(scan, mount, grid, path=np.array(path)))

    return show


def _judged(path: "Array", drive: "DriveLog", truth: "Trajectory | None") -> dict[str, Any] | None:
    """Compare a path with the truth, as far as there is one."""
    from mecano.core.errors import InvalidInput
    from mecano.estimation.localization.accuracy import compare_with_truth

    if truth is None:
        return None
    try:
        accuracy = compare_with_truth(path[:, 0], path[:, 1:], truth.stamps, truth.poses, log=drive)
    except InvalidInput as problem:
        _tell([f"not compared with the truth: {problem}"])
        return None
    return accuracy.to_json() | {"words": str(accuracy)}


def _show(result: dict[str, Any], out: Path) -> None:
    """Print what came out for people."""
    stages = ", ".join(f"{stage} {value:.2f} s" for stage, value in result["seconds"].items())
    took = result["update_ms"]
    print(
        f"{result['scans']} scans, {result['updates']} of them weighed the particles; "
        f"start: {result['start']}"
    )
    print(f"times: {stages}; {took['mean']:.2f} ms per scan, {took['95 %']:.2f} ms 95 %")
    print(
        f"{result['particles_mean']:.0f} particles on average, spread {result['spread_m']:.3f} m "
        f"at the end, {1e3 * result['added_to_ranges_m']:+.0f} mm added to ranges, "
        f"{100 * result['at_walls']:.0f} % of readings end at walls of the map"
    )
    stated = result["stated_95_m"]
    print(
        f"stated error (95 %): {stated['median']:.3f} m median, {stated['largest']:.3f} m largest, "
        f"{stated['last']:.3f} m at the end"
    )
    truth = result["truth"]
    if truth is not None:
        print(f"truth: {truth['words']}")
        if truth["ambiguous"]:
            print(
                f"{truth['ambiguous']} poses share their stamp with other scans, or nearly so; "
                "nobody knows whose truth it is"
            )
    print(out / "trajectory.txt")
