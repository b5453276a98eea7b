"""`mecano bench`: time our solvers beside other libraries, from a source checkout."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.bench_barn import bench_barn
from mecano.cli.bench_planner import bench_planner
from mecano.cli.bench_slam import Part, bench_slam
from mecano.cli.remarks import mention

if TYPE_CHECKING:
    from collections.abc import Callable

    from mecano.core.results import BenchRow

    Measures = dict[str, Callable[[], BenchRow]]

SLAM = "Only of bench slam"
PLANNER = "Only of bench planner"
BARN = "Only of bench barn"


def bench(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A file of benchmarks/, one row, slam: the corpus, planner: MovingAI's maps, "
            "or barn: driving through the BARN worlds. Default: all rows."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a list of rows for scripts.")] = False,
    only: Annotated[
        Part | None, typer.Option(help="Run this part of the corpus.", rich_help_panel=SLAM)
    ] = None,
    count: Annotated[
        int, typer.Option(help="Number of random buildings.", min=1, rich_help_panel=SLAM)
    ] = 100,
    seed: Annotated[
        int, typer.Option(help="Random seed of buildings or trials.", min=0, rich_help_panel=SLAM)
    ] = 0,
    logs: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder with more logs: NAME.log[.gz] beside NAME.relations[.gz] or "
            "NAME.gmapping.traj[.gz].",
            exists=True, file_okay=False, rich_help_panel=SLAM,
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            help="Write the tables into this file, between its marks if it is there.",
            rich_help_panel=SLAM,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes; default: one per core.", min=1, rich_help_panel=SLAM),
    ] = None,
    map_file: Annotated[
        Path | None,
        typer.Option("--map", help="FILE.map[.gz] of MovingAI.", rich_help_panel=PLANNER),
    ] = None,
    scen_file: Annotated[
        Path | None,
        typer.Option("--scen", help="Its FILE.scen[.gz].", rich_help_panel=PLANNER),
    ] = None,
    worlds: Annotated[
        Path | None,
        typer.Option(help="FILE.json[.gz] of worlds; default: shared.", rich_help_panel=BARN),
    ] = None,
    trials: Annotated[
        int, typer.Option(help="Runs per world.", min=1, rich_help_panel=BARN)
    ] = 3,
    planner: Annotated[
        str, typer.Option(help="Local planner: dwa, mppi, pursuit.", rich_help_panel=BARN)
    ] = "pursuit",
    jobs: Annotated[
        int, typer.Option(help="Processes side by side.", min=1, rich_help_panel=BARN)
    ] = 1,
    pictures: Annotated[
        Path | None,
        typer.Option(help="Folder for pictures of driven paths.", rich_help_panel=BARN),
    ] = None,
) -> None:  # fmt: skip
    """Time Mecano and its peers in the same run. Exit 1 if a bar was missed.

    `bench slam` maps recorded logs, variants of them and random buildings, and prints tables.
    `bench planner` solves the path planning problems of MovingAI's grid maps.
    `bench barn` drives through unknown cylinder fields by the rules of the BARN Challenge.

    Examples: mecano bench ik_single; mecano bench slam --only buildings --count 20
    """
    if name == "slam":
        use_folder(find_folder())
        bench_slam(
            only=only,
            count=count,
            seed=seed,
            logs=logs or [],
            markdown=markdown,
            workers=workers,
            as_json=json,
        )
        return
    if name == "planner":
        bench_planner(map_file, scen_file, as_json=json)
        return
    if name == "barn":
        bench_barn(
            worlds=worlds, trials=trials, seed=seed, planner=planner, jobs=jobs, pictures=pictures,
            as_json=json,
        )  # fmt: skip
        return
    if worlds or pictures:
        from mecano.core.errors import InvalidInput

        raise InvalidInput("--worlds and --pictures belong to 'mecano bench barn'")
    if map_file or scen_file:
        from mecano.core.errors import InvalidInput

        raise InvalidInput("--map and --scen belong to 'mecano bench planner'")
    if only or logs or markdown:
        from mecano.core.errors import InvalidInput

        raise InvalidInput("--only, --logs and --markdown belong to 'mecano bench slam'")
    rows = []
    for title, measure in select(load(find_folder()), name).items():
        mention(f"{title}: {(measure.__doc__ or '').strip()}")
        rows.append(measure())
    if json:
        from json import dumps

        typer.echo(dumps([row.to_json() for row in rows], indent=2))
    else:
        print_table(rows)
    missing = sorted({row.peer for row in rows if row.peer and row.peer_value is None})
    if missing:
        install = "pip install 'mecano[bench]'"
        mention(f"not installed: {', '.join(missing)}; to compare: {install}")
    if any(row.held is False for row in rows):
        raise typer.Exit(1)


def find_folder() -> Path:
    """Return the benchmarks of the checkout that Mecano runs from, or of the current folder."""
    import mecano
    from mecano.core.errors import MecanoError

    for root in (Path(mecano.__file__).parents[2], Path.cwd()):
        if (root / "src" / "mecano").is_dir() and (root / "benchmarks").is_dir():
            return root / "benchmarks"
    raise MecanoError(
        "the benchmarks are not part of the installed package; "
        "clone the repository and run 'mecano bench' (or 'make bench') in its folder"
    )


def use_folder(folder: Path) -> None:
    """Let the files of a folder import their helpers by name."""
    import sys

    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def load(folder: Path) -> "dict[str, Measures]":
    """Return the rows of every benchmark file. Files without `ROWS` are helpers of the others."""
    import sys
    from importlib.util import module_from_spec, spec_from_file_location

    use_folder(folder)
    files = {}
    for path in sorted(folder.glob("*.py")):
        spec = spec_from_file_location(f"mecano_benchmarks_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up here
        spec.loader.exec_module(module)
        if hasattr(module, "ROWS"):
            files[path.stem] = {measure.__name__: measure for measure in module.ROWS}
    return files


def select(files: "dict[str, Measures]", name: str | None) -> "Measures":
    """Return the rows that a name asks for: a file's, one, or all; or say which names there are."""
    from mecano.core.errors import UnknownName

    every = {title: measure for rows in files.values() for title, measure in rows.items()}
    if name is None:
        return every
    if name in files:
        return files[name]
    if name in every:
        return {name: every[name]}
    raise UnknownName("benchmark", name, [*files, *every])


def print_table(rows: "list[BenchRow]") -> None:
    """Print the rows for people."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table("name", "ours", "peer's", "ratio", "bar", "held", "peer", box=SIMPLE, padding=0)
    table.columns[0].no_wrap = True
    for row in rows:
        table.add_row(
            row.name,
            _three_digits(row.value, row.unit),
            _three_digits(row.peer_value, row.unit),
            _three_digits(row.ratio),
            row.bar,
            {None: "", True: "yes", False: "no"}[row.held],
            row.peer,
        )
    Console().print(table)


def _three_digits(number: float | None, unit: str = "") -> str:
    return "" if number is None else f"{float(f'{number:.3g}'):g} {unit}".rstrip()
