"""`mecano sweep`: the runs of a study, on all cores or a cluster, gathered into one table."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.catalog import AsJson
from mecano.cli.remarks import mention

if TYPE_CHECKING:
    from mecano.runs.sweep import SweepResult


def sweep(
    study: Annotated[Path, typer.Argument(help="Study, a TOML file; docs/sweeps.md shows one.")],
    out: Annotated[
        Path, typer.Option(help="Folder for runs, table and plot; an interrupted sweep goes on.")
    ],
    on: Annotated[
        str, typer.Option(help="local, here (this process), auto or ray://HOST:PORT (Ray).")
    ] = "local",
    jobs: Annotated[
        int, typer.Option(help="Processes of `local`; 0 takes one per core.", min=0)
    ] = 0,
    yes: Annotated[bool, typer.Option("--yes", help="Allow a million runs and more.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run a study: grids or samples of settings, options and model changes, many seeds.

    Example: mecano sweep study.toml --out friction
    """
    from mecano.cli.progress import progress
    from mecano.runs.study import Study
    from mecano.runs.sweep import sweep as sweep_all

    value = Study.load(study)
    started = time.monotonic()
    with progress(f"{value.run.name}: {len(value)} runs") as advance:
        result = sweep_all(
            value,
            out,
            on=on,
            workers=jobs,
            many=yes,
            told=lambda done, runs, _: advance(done, runs),
        )
    if as_json:
        print(json.dumps(result.to_json()))
        return
    _show(result, time.monotonic() - started)


def _show(result: "SweepResult", seconds: float) -> None:
    """Print success, what decides it, and how to repeat what failed."""
    from rich.console import Console
    from rich.table import Table

    said = result.to_json()
    low, high = said["interval_95"]
    print(
        f"{said['successes']} of {said['runs']} runs succeeded ({100 * said['success']:.1f} %, "
        f"95 % interval {100 * low:.1f} to {100 * high:.1f} %), {said['errors']} could not be run"
    )
    if result.resumed:
        mention(f"{result.resumed} of them had ended before")
    table = Table()
    for title in ("parameter", "level", "runs", "success", "95 % interval", "rank corr."):
        table.add_column(title, no_wrap=title != "parameter", overflow="fold")
    for each in result.sensitivities:
        for number, level in enumerate(each.levels):
            rank = "" if each.rank_correlation is None else f"{each.rank_correlation:+.2f}"
            share, (low, high) = level.successes / level.runs, level.interval
            table.add_row(
                each.parameter if number == 0 else "", level.level, str(level.runs),
                f"{100 * share:.0f} %", f"{100 * low:.0f} to {100 * high:.0f} %",
                rank if number == 0 else "",
            )  # fmt: skip
    if result.sensitivities:
        Console().print(table)
    for number in result.failures[:3]:
        outcome = result.outcomes[number]
        print(f"failed: {outcome.error or outcome.remark or 'no success'}")
        print(f"  {result.specs[number].command}")
    if len(result.failures) > 3:
        mention(f"{len(result.failures) - 3} more failed; the table has their commands")
    print(f"table {result.table}")
    mention(f"{seconds:.0f} s")
