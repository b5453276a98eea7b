"""`mecano slam`: a path and a map from a log, or from a pose graph."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mecano.cli.catalog import AsJson
from mecano.cli.map_view import View

if TYPE_CHECKING:
    from mecano.core.arrays import Array
    from mecano.core.drive_log import DriveLog
    from mecano.estimation.relations import Relations
    from mecano.estimation.slam.mapper import Mapper
    from mecano.record.trajectories import Trajectory

Engine = Literal["graph", "particles"]
Kernel = Literal["dcs", "cauchy", "huber", "geman-mcclure", "none"]
GRAPH_GAP = 1.5
"""Nodes of a graph are this far apart in time; relations further from any are not used [s]."""
MOST_DOUBTS = 5
"""Doubtful stretches that are printed."""
FURTHEST_MOUNT = 10.0
"""No scanner sits further from the middle of its base [m]."""

Mount = Annotated[
    tuple[float, float, float] | None,
    typer.Option("--mount", metavar="X Y YAW", help="Where the scanner sits on the base: m, rad."),
]


def slam(
    log: Annotated[
        Path | None,
        typer.Argument(help="A log of CARMEN (plain or gzip), a run folder, or an MCAP file."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for path, map and result.")] = None,
    graph: Annotated[
        Path | None, typer.Option(help="Optimize this pose graph instead of mapping a log.")
    ] = None,
    scans: Annotated[
        Path | None, typer.Option(help="Scans of the graph's nodes; else NAME.scans[.gz].")
    ] = None,
    own_loops: Annotated[
        bool,
        typer.Option("--own-loops", help="With --graph: find loops by the scans, not by edges."),
    ] = False,
    kernel: Annotated[
        Kernel, typer.Option(help="With --graph: how loops that contradict others lose weight.")
    ] = "dcs",
    engine: Annotated[
        Engine,
        typer.Option(help="Pose graph (default), or a particle filter over paths, as gmapping."),
    ] = "graph",
    particles: Annotated[
        int | None,
        typer.Option(help="With --engine particles: how many (default 30).", min=1, max=1000),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the particle filter.", min=0)] = 0,
    resolution: Annotated[
        float, typer.Option(help="Side of the map's cells, in metres.", min=0.005, max=1.0)
    ] = 0.05,
    relations: Annotated[
        Path | None, typer.Option(help="Verified relations; else NAME.relations[.gz].")
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="True path (time x y theta) to compare with.")
    ] = None,
    scan_topic: Annotated[
        str | None, typer.Option(help="Topic of the scans, in a log of messages.")
    ] = None,
    mount: Mount = None,
    view: View = False,
    as_json: AsJson = False,
) -> None:
    """Build a map from a log: path, map (ROS format), image and times in a folder.

    If verified motions or the true path are at hand, the error of the path is printed. Exit 1 if
    there is a path but no map, for example because every beam failed.

    Examples: mecano slam intel.log.gz --out intel; mecano slam --graph killian.graph.gz --out k;
    mecano slam intel.log.gz --out particles --engine particles --seed 1
    """
    from mecano.core.errors import InvalidInput
    from mecano.core.poses import Pose2
    from mecano.record.drive_logs import file_beside
    from mecano.record.map_folder import MapFolder

    if (log is None) == (graph is None):
        raise InvalidInput("give either a log or --graph FILE")
    if log is not None and (scans is not None or own_loops):
        raise InvalidInput("--scans and --own-loops are for a pose graph; give --graph FILE")
    if engine != "particles" and particles is not None:
        raise InvalidInput("--particles is for the particle filter; add --engine particles")
    if engine == "particles" and log is None:
        raise InvalidInput("--engine particles maps a log; a pose graph is only optimized")
    if view and log is None:
        raise InvalidInput("--view shows how a log is mapped; a pose graph has nothing to watch")
    if out is None:
        raise InvalidInput("say where path and map go: --out DIR")
    source = log or graph
    assert source is not None
    if not source.name:
        raise InvalidInput(f"'{source}' is no log; give the name of a file or of a run folder")
    placed = None if mount is None else Pose2(*mount)
    if placed is not None and placed.distance_to(Pose2()) > FURTHEST_MOUNT:
        raise InvalidInput(
            f"--mount puts the scanner {placed.distance_to(Pose2()):g} m from the middle of the "
            f"base; at most {FURTHEST_MOUNT:g} m are allowed"
        )
    start = perf_counter()
    judge = Judge.of(source, relations, truth)
    about: dict[str, Any] = {
        "source": str(source), "engine": engine, "seed": seed, "read_s": perf_counter() - start
    }  # fmt: skip
    with MapFolder.held(out) as folder:
        if log is not None:
            result = _map(
                log, folder, judge, about, resolution, scan_topic, placed, view, particles
            )
        else:
            scans = scans or file_beside(source, "scans")
            result = _optimize(
                source, scans, folder, judge, about, resolution, kernel, own_loops,
                placed or Pose2(),
            )  # fmt: skip
    if as_json:
        print(json.dumps(result))
    else:
        _show(result, out)
    if log is not None and result["map"] is None:
        raise typer.Exit(1)


class Judge:
    """What a path is compared with."""

    def __init__(self, relations: "Relations | None", truth: "Trajectory | None") -> None:
        self._relations, self._truth = relations, truth

    @classmethod
    def of(cls, source: Path, relations: Path | None, truth: Path | None) -> "Judge":
        """Read what was given, or lies beside the log."""
        from mecano.record.drive_logs import file_beside, read_truth
        from mecano.record.relation_files import read_relations
        from mecano.record.trajectories import read_trajectory

        found = relations or file_beside(source, "relations")
        return cls(
            None if found is None else read_relations(found),
            read_truth(source) if truth is None else read_trajectory(truth),
        )

    def errors(self, rows: "Array", log: "DriveLog | None") -> dict[str, Any]:
        """Return how far a path is off, as far as there is something to compare it with."""
        from dataclasses import asdict

        from mecano.core.errors import InvalidInput
        from mecano.estimation.gaps import fill_with_odometry
        from mecano.estimation.relations import relation_errors
        from mecano.record.trajectories import Trajectory, path_errors

        errors: dict[str, Any] = {}
        path = Trajectory.from_rows(rows)
        try:
            if self._relations is not None and log is None:
                found = relation_errors(path.stamps, path.poses, self._relations, max_gap=GRAPH_GAP)
                errors["relations"] = found.to_json()
            elif self._relations is not None and log is not None:
                filled = fill_with_odometry(
                    path.stamps, path.poses, log.odometry_stamps, log.odometry
                )
                errors["relations"] = relation_errors(*filled, self._relations).to_json()
            if self._truth is not None:
                errors["truth"] = asdict(path_errors(path, self._truth))
        except InvalidInput as problem:
            errors["not_compared"] = str(problem)
        return errors


def _map(
    source: Path,
    folder: Any,
    judge: Judge,
    about: dict[str, Any],
    resolution: float,
    scan_topic: str | None,
    mount: Any,
    view: bool,
    particles: int | None,
) -> dict[str, Any]:
    from mecano.cli.map_view import opened_page
    from mecano.cli.slam_log import run
    from mecano.record.drive_logs import read_drive
    from mecano.record.log_mapping import LogMapping

    start = perf_counter()
    log = read_drive(source, scan_topic=scan_topic, mount=mount)
    about |= {
        "scans": len(log.scans),
        "duration_s": round(log.duration, 3),
        "notes": list(log.notes),
        "read_s": round(about["read_s"] + perf_counter() - start, 3),
    }
    if about["engine"] == "particles":
        mapper = _particle_mapper(log.mount, resolution, particles, about["seed"])
    else:
        mapper = _graph_mapper(source, scan_topic, log.mount)
    mapping = LogMapping(log, mapper, folder, about, resolution=resolution)
    with opened_page(f"mecano slam {source.name}", view) as page:
        result, rows = run(mapping, page), mapper.trajectory
    result |= judge.errors(rows, log) | {"memory_mb": _memory()}
    grid = mapping.grid()
    if grid is None:
        result["notes"].append(f"there is no map: {mapping.no_map}")
    else:
        folder.draw(grid, rows, source.name)
    folder.write_result(result)
    return result


def _graph_mapper(source: Path, scan_topic: str | None, mount: Any) -> "Mapper":
    from mecano.estimation.slam.graph_mapper import GraphMapper
    from mecano.record.drive_logs import odometry_trust

    settings, trust = None, odometry_trust(source, scan_topic=scan_topic)
    if trust is not None:
        from mecano.lab.mapping import slam_settings  # here, because the robots come with it

        settings = slam_settings(trust)
    return GraphMapper(settings, mount=mount)


def _particle_mapper(mount: Any, resolution: float, count: int | None, seed: int) -> "Mapper":
    from mecano.estimation.slam.particle_mapper import ParticleMapper
    from mecano.estimation.slam.particle_settings import ParticleSettings

    settings = ParticleSettings(delta=resolution)
    if count is not None:
        settings = replace(settings, particles=count)
    return ParticleMapper(settings, mount=mount, seed=seed)


def _optimize(
    source: Path,
    scans: Path | None,
    folder: Any,
    judge: Judge,
    about: dict[str, Any],
    resolution: float,
    kernel: Kernel,
    own_loops: bool,
    mount: Any,
) -> dict[str, Any]:
    from mecano.cli.slam_graph import GraphRun
    from mecano.record.graph_files import read_graph, read_scans

    start = perf_counter()
    graph = read_graph(source)
    run = GraphRun(
        graph=graph,
        scans=None if scans is None else read_scans(scans),
        kernel=kernel,
        own_loops=own_loops,
        mount=mount,
        resolution=resolution,
    )
    about |= {
        "nodes": len(graph.poses),
        "edges": len(graph.edges),
        "read_s": round(about["read_s"] + perf_counter() - start, 3),
    }
    result, rows = run.go(about, folder)
    result |= judge.errors(rows, None) | {"memory_mb": _memory()}
    folder.write_result(result)
    return result


def _memory() -> int:
    """Return the most memory that this process has had [MB]."""
    import resource
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1 << 20 if sys.platform == "darwin" else 1 << 10))


def _show(result: dict[str, Any], out: Path) -> None:
    """Print what came out."""
    seconds = result["seconds"]
    if "scans" in result:
        print(
            f"mapped {result['scans_done']} scans of {result['duration_s']:.0f} s in "
            f"{seconds['all']:.1f} s, {result['times_real_time']:g} times real time: "
            f"{result['keyframes']} keyframes, {result['loop_closures']} loop closures"
        )
    else:
        print(
            f"optimized {result['nodes']} nodes in {seconds['all']:.2f} s: "
            f"{result['edges']} edges, {result['loop_closures']} loop closures, "
            f"{result.get('doubted_edges', 0)} doubted"
        )
    stages = ", ".join(f"{name} {value:.2f}" for name, value in seconds.items() if name != "all")
    print(f"seconds by stage: read {result['read_s']:.2f}, {stages}")
    for note in result.get("notes", ()):
        typer.secho(f"note: {note}", err=True)
    _show_doubts(result.get("doubts", ()))
    if "relations" in result:
        moved, turned = (result["relations"][key] for key in ("translation_m", "rotation_deg"))
        print(
            f"relations: {moved['mean']:.4f} +- {moved['std']:.4f} m, {turned['mean']:.2f} +- "
            f"{turned['std']:.2f} deg ({result['relations']['used']} of "
            f"{result['relations']['relations']} used)"
        )
    if "truth" in result:
        off = result["truth"]
        print(
            f"truth: {off['translation_rmse']:.4f} m rms, {off['translation_max']:.4f} m at most "
            f"({off['poses']} poses)"
        )
    if "not_compared" in result:
        typer.secho(f"note: not compared: {result['not_compared']}", err=True)
    print(f"wrote {out}")


def _show_doubts(doubts: Sequence[dict[str, Any]]) -> None:
    """Say where the map may be wrong, the worst first."""
    if not doubts:
        return
    typer.secho(
        f"doubtful: {len(doubts)} {'stretch' if len(doubts) == 1 else 'stretches'} of the drive; "
        "all are in result.json",
        err=True,
    )
    for doubt in sorted(doubts, key=lambda doubt: -doubt["error"])[:MOST_DOUBTS]:
        typer.secho(
            f"  {doubt['start']:.1f} to {doubt['end']:.1f} s, off by {doubt['error']:.2f} m or "
            f"more: {doubt['reason']}",
            err=True,
        )
