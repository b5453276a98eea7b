"""`mecano bench barn`: drive through the BARN benchmark's worlds, by its rules, in our physics."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mecano.cli.progress import progress
from mecano.cli.remarks import mention, warn

if TYPE_CHECKING:
    from mecano.tasks.barn import TrialResult

SHARED = Path("shared") / "datasets" / "barn" / "worlds.json.gz"
"""Default worlds: beside the checkout, where the other benchmarks' data lie too."""
BARS = {"score": (0.40, True), "success": (0.95, True), "collision": (0.02, False)}
"""Each bar, and whether more is better."""


def bench_barn(
    *, worlds: Path | None, trials: int, seed: int, planner: str, jobs: int,
    pictures: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Run the worlds, print results and a summary; exit 1 if a bar was missed.

    Args:
        worlds: JSON file of worlds; None is the shared one.
        trials: Runs per world.
        seed: Of the first trial of each world.
        planner: Name of the local planner.
        jobs: Processes that work side by side.
        pictures: Folder that gets a picture of the driven paths of every world.
        as_json: Print JSON.
    """
    from mecano.planning.navigation.local_planners import LOCAL_PLANNERS
    from mecano.tasks.barn import load_worlds, run_suite, summarize

    LOCAL_PLANNERS[planner]  # a wrong name is refused before anything is driven
    found = load_worlds(worlds or _shared())
    with progress("driving") as tell:
        results = run_suite(
            found, trials=trials, seed=seed, planner=planner, jobs=jobs, on_trial=tell
        )
    summary = summarize(results)
    if pictures is not None:
        from mecano.tasks.barn.picture import draw_paths

        pictures.mkdir(parents=True, exist_ok=True)
        for place, world in enumerate(found):
            runs = results[place * trials : (place + 1) * trials]
            draw_paths(world, runs, pictures / f"world_{world.number:03d}.svg")
        mention(f"{len(found)} pictures in {pictures}")
    if as_json:
        from json import dumps

        rows = [result.to_json() for result in results]
        typer.echo(dumps({"summary": summary, "planner": planner, "worlds": rows}, indent=2))
    else:
        _print(results, summary)
    missed = [
        f"{name} {summary[name]:g}, bar {bar:g}"
        for name, (bar, more) in BARS.items()
        if (summary[name] < bar if more else summary[name] > bar)
    ]
    for sentence in missed:
        warn(f"bar missed: {sentence}")
    if missed:
        raise typer.Exit(1)


def _shared() -> Path:
    import mecano
    from mecano.core.errors import InvalidInput

    file = Path(mecano.__file__).parents[3] / SHARED
    if not file.is_file():
        raise InvalidInput(f"the shared worlds {file} are not there; give a file with --worlds")
    return file


def _print(results: "list[TrialResult]", summary: dict[str, Any]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "world", "seed", "outcome", "score", "time [s]", "closest [m]", box=SIMPLE, padding=0
    )
    for r in results:
        table.add_row(
            str(r.world), str(r.seed), r.outcome, f"{r.score:.3f}", f"{r.actual_time:.2f}",
            f"{r.closest:.3f}",
        )  # fmt: skip
    console = Console()
    console.print(table)
    for name in ("score", "success", "collision", "timeout"):
        low, high = summary[f"{name}_interval_95"]
        console.print(f"{name:10s} {summary[name]:.4f}   95 % interval {low:.4f} to {high:.4f}")
