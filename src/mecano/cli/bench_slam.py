"""`mecano bench slam`: mapping on recorded logs, variants of them, and random buildings."""

from typing import TYPE_CHECKING, Literal

import typer

from mecano.cli.progress import progress
from mecano.cli.remarks import mention, warn

if TYPE_CHECKING:
    from pathlib import Path

Part = Literal["real", "variants", "buildings"]


def bench_slam(
    *,
    only: "Part | None",
    count: int,
    seed: int,
    logs: "list[Path]",
    markdown: "Path | None",
    workers: int | None,
    as_json: bool,
) -> None:
    """Run the corpus, print its tables; exit 1 if a bar was missed.

    Its package lies in benchmarks/, which must be on the path.

    Args:
        only: A part of it; None is all of it.
        count: Number of random buildings.
        seed: Of the buildings.
        logs: Folders with more logs.
        markdown: Gets the tables too: a new file, or between the marks of a page.
        workers: Processes; None is one for each core.
        as_json: Print a list of rows instead.
    """
    from mecano.core.errors import InvalidInput
    from slam_corpus import corpus, tables

    folders = [*([corpus.SHARED] if corpus.SHARED.is_dir() else []), *logs]
    if not corpus.SHARED.is_dir():
        mention(f"without the public logs: {corpus.SHARED} is not there")
    cases = corpus.plan_cases([only] if only else corpus.GROUPS, folders, count=count, seed=seed)
    page = markdown.read_text() if markdown is not None and markdown.is_file() else ""
    if page and tables.put_into(page, []) is None:
        raise InvalidInput(
            f"{markdown} has no place for the tables: put the lines '{tables.BEGIN}' and "
            f"'{tables.END}' into it, or give a new file"
        )
    if not cases:
        raise InvalidInput("there are no logs to map; give a folder of them with --logs")
    with progress("mapping the corpus") as tell:
        rows = corpus.run_all(cases, tell, workers=workers)
    found = tables.tables(rows)
    if markdown is not None:
        markdown.write_text(tables.put_into(page, found) or tables.marked(found) + "\n")
    if as_json:
        from json import dumps

        typer.echo(dumps([row.to_json() for row in rows], indent=2))
    else:
        for table in found:
            _print(table.title, table.columns, table.rows)
    missed = tables.missed_bars(rows)
    for sentence in missed:
        warn(f"bar missed: {sentence}")
    if missed:
        raise typer.Exit(1)


def _print(title: str, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, title=title, box=SIMPLE, padding=0, title_justify="left")
    for row in rows:
        table.add_row(*(_without_stars(text) for text in row))
    Console().print(table)


def _without_stars(text: str) -> str:
    """Return a cell as a terminal shows it: what a page has in bold is red."""
    return f"[red]{text.strip('*')}[/]" if text.startswith("**") else text
