"""`mecano bench planner`: shortest paths on MovingAI's maps, beside pyastar2d in the same run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mecano.cli.progress import progress
from mecano.cli.remarks import mention

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mecano.record.movingai import GridProblem

    Peer = Callable[[tuple[int, int], tuple[int, int]], object]

TOLERANCE = 0.01
"""A length is right within this [cells]; the files give eight digits, their search had fewer."""
SHARED = Path(__file__).parents[4] / "shared" / "datasets" / "movingai"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One problem solved."""

    map: str
    problem: "GridProblem"
    length: float | None
    """[cells]; None without a path."""
    fault: str
    """What is wrong with the path; empty if it is right."""
    seconds: float
    peer_seconds: float | None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values; start and goal as x, y like in the files."""
        return {
            "map": self.map,
            "bucket": self.problem.bucket,
            "start": self.problem.start[::-1],
            "goal": self.problem.goal[::-1],
            "optimal": self.problem.optimal,
            "length": self.length,
            "wrong": bool(self.fault),
            "fault": self.fault,
            "time_ms": round(1e3 * self.seconds, 4),
            "peer_time_ms": (
                None if self.peer_seconds is None else round(1e3 * self.peer_seconds, 4)
            ),
        }


def bench_planner(map_file: Path | None, scen_file: Path | None, *, as_json: bool) -> None:
    """Solve all problems, print how many are wrong and the times; exit 1 if any is wrong."""
    pairs = _files(map_file, scen_file)
    trials = [trial for each in pairs for trial in _solve(*each)]
    names = dict.fromkeys(trial.map for trial in trials)
    rows = [summary([trial for trial in trials if trial.map == name]) for name in names]
    total = summary(trials)
    if as_json:
        from json import dumps

        maps = [{"map": name, **row} for name, row in zip(names, rows, strict=True)]
        results = [trial.to_json() for trial in trials]
        typer.echo(dumps({"summary": total, "maps": maps, "results": results}, indent=2))
    else:
        _print([*zip(names, rows, strict=True), *([("all", total)] if len(rows) > 1 else [])])
        for trial in [trial for trial in trials if trial.fault][:10]:
            typer.echo(f"{trial.map}: {trial.problem.start} -> {trial.problem.goal}: {trial.fault}")
    if total["time_ratio"] is None:
        mention("not installed: pyastar2d; to compare: pip install 'mecano[bench]'")
    if total["wrong"]:
        raise typer.Exit(1)


def summary(trials: list[Trial]) -> dict[str, Any]:
    """Return the figures of some problems."""
    ours = sum(trial.seconds for trial in trials)
    theirs = [trial.peer_seconds for trial in trials if trial.peer_seconds is not None]
    errors = [abs(t.length - t.problem.optimal) for t in trials if t.length is not None]
    return {
        "problems": len(trials),
        "wrong": sum(bool(trial.fault) for trial in trials),
        "largest_error": round(max(errors, default=0.0), 6),
        "time_s": round(ours, 4),
        "peer": "pyastar2d",
        "peer_time_s": round(sum(theirs), 4) if theirs else None,
        "time_ratio": round(ours / sum(theirs), 4) if theirs else None,
    }


def _files(map_file: Path | None, scen_file: Path | None) -> list[tuple[Path, Path]]:
    from mecano.core.errors import InvalidInput

    if map_file is not None and scen_file is not None:
        return [(map_file, scen_file)]
    if map_file is not None or scen_file is not None:
        raise InvalidInput("bench planner takes --map and --scen together")
    maps = sorted(SHARED.glob("*.map.gz"))
    pairs = [(path, path.with_name(path.name.replace(".map", ".map.scen"))) for path in maps]
    if not pairs:
        raise InvalidInput("no maps of MovingAI are here; give --map FILE.map and --scen FILE.scen")
    return pairs


def _solve(map_file: Path, scen_file: Path) -> list[Trial]:
    from mecano.planning.navigation.grid_search import shortest_path
    from mecano.record.movingai import read_map, read_problems

    free = read_map(map_file)
    problems = read_problems(scen_file, free.shape)
    peer = _peer(free)
    name = map_file.name.partition(".map")[0]
    shortest_path(free, problems[0].start, problems[0].goal)  # compiles, if it must
    trials = []
    with progress(f"planning on {name}") as tell:
        for done, problem in enumerate(problems):
            seconds, route = _timed(lambda p=problem: shortest_path(free, p.start, p.goal))
            theirs = None
            if peer is not None:
                theirs, _ = _timed(lambda p=problem: peer(p.start, p.goal))
            trials.append(
                Trial(
                    map=name, problem=problem, length=route.length if route.found else None,
                    fault=fault_of(free, problem, route.cells, route.length),
                    seconds=seconds, peer_seconds=theirs,
                )
            )  # fmt: skip
            tell(done + 1, len(problems))
    return trials


def fault_of(
    free: "NDArray[np.bool_]", problem: "GridProblem", cells: "NDArray[np.int64]", length: float
) -> str:
    """Say what is wrong with a path, or return an empty text."""
    import numpy as np

    if not len(cells):
        return "no path found"
    if tuple(cells[0]) != problem.start or tuple(cells[-1]) != problem.goal:
        return "the path does not lead from start to goal"
    step = np.diff(cells, axis=0)
    if len(step) and np.abs(step).max() > 1:
        return "the path jumps over cells"
    beside = np.concatenate(
        [cells[:-1] + step * np.array([1, 0]), cells[:-1] + step * np.array([0, 1]), cells[:1]]
    )
    if not free[beside[:, 0], beside[:, 1]].all() or not free[cells[:, 0], cells[:, 1]].all():
        return "the path enters a blocked cell or cuts a corner"
    if abs(length - problem.optimal) > TOLERANCE:
        return f"its length is {length:.4f} cells, the optimum is {problem.optimal:.4f}"
    return ""


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the time that a call took of the processor, which other programs do not lengthen."""
    from time import process_time

    start = process_time()
    result = call()
    return process_time() - start, result


def _peer(free: "NDArray[np.bool_]") -> "Peer | None":
    """Return pyastar2d's search on a map, if it is installed."""
    from importlib import import_module

    import numpy as np

    try:
        pyastar2d = import_module("pyastar2d")
    except ImportError:
        return None
    weights = np.where(free, 1.0, np.inf).astype(np.float32)
    return lambda start, goal: pyastar2d.astar_path(weights, start, goal, allow_diagonal=True)


def _print(rows: list[tuple[str, dict[str, Any]]]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "map", "problems", "wrong", "largest error", "time", "pyastar2d", "ratio", box=SIMPLE
    )
    for name, row in rows:
        peer, ratio = row["peer_time_s"], row["time_ratio"]
        table.add_row(
            name, str(row["problems"]), str(row["wrong"]), f"{row['largest_error']:.4f}",
            f"{row['time_s']:.3f} s", "" if peer is None else f"{peer:.3f} s",
            "" if ratio is None else f"{ratio:.3f}",
        )  # fmt: skip
    Console().print(table)
