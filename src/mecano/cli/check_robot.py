"""`mecano check-robot`: what is wrong with a robot, and what to do."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.catalog import AsJson

if TYPE_CHECKING:
    from mecano.checkup.report import Report
    from mecano.importing.findings import Finding
    from mecano.importing.repair import Repair

PLACES = 6
"""Places of findings alike that are named."""
COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
ArgumentOption = Annotated[
    list[str] | None,
    typer.Option("--arg", help="Argument of a xacro file, name:=value; may be repeated."),
]
PackageOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--package",
        help="Package, or folder with packages, that package:// and $(find) may mean.",
    ),
]
OutsideOption = Annotated[
    bool,
    typer.Option("--allow-outside", help="Let xacro include files outside the robot's folder."),
]


def check_robot(
    robot: Annotated[
        str, typer.Argument(help="URDF, xacro or MJCF file, robot folder, or catalogue name.")
    ],
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Repair what has one right answer; writes NAME.fixed.urdf."),
    ] = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="With --fix: replace the file itself.")
    ] = False,
    arg: ArgumentOption = None,
    package: PackageOption = None,
    allow_outside: OutsideOption = False,
    seconds: Annotated[
        float, typer.Option(help="How long it must hold its home posture [s].", min=0.0, max=600.0)
    ] = 5.0,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every finding; else those alike are counted.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a robot: inertias, meshes, limits, names, collisions, weight, rest.

    Exit code 0 if there is neither an error nor a warning, 1 if there is, 2 for a usage error.

    Example: mecano check-robot my_arm.urdf --fix
    """
    from mecano.checkup import check_robot as check
    from mecano.cli.progress import progress

    arguments = read_arguments(arg or [])
    packages = [_folder(each) for each in package or []]
    repair = _fix(robot, in_place=in_place, packages=packages) if fix or in_place else None
    checked = robot if repair is None or repair.file is None else str(repair.file)
    with progress(f"checking {Path(robot).name}") as advance:
        report = check(
            checked, arguments=arguments, packages=packages, allow_outside=allow_outside,
            seconds=seconds, tell=advance,
        )  # fmt: skip
    if as_json:
        plain = report.plain()
        if repair is not None:
            plain["fixed"] = repair.plain()
        print(json.dumps(plain, ensure_ascii=False))
    else:
        _show(report, repair, everything)
    if not report.ok:
        raise typer.Exit(1)


def read_arguments(words: list[str]) -> dict[str, str]:
    """Return arguments of a xacro file from words like `name:=value`."""
    from mecano.core.errors import InvalidInput

    found: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition(":=")
        if not sign or not name:
            raise InvalidInput(f"--arg is '{word}', expected name:=value")
        found[name] = value
    return found


def _folder(path: Path) -> Path:
    from mecano.core.errors import InvalidInput

    if not path.is_dir():
        raise InvalidInput(f"--package is {path}, which is no folder")
    return path


def _fix(robot: str, *, in_place: bool, packages: list[Path]) -> "Repair":
    from mecano.importing.repair import repair_urdf

    return repair_urdf(Path(robot), in_place=in_place, packages=packages)


def more_like(others: "list[Finding]") -> str:
    """Return how many findings like one there are, and where."""
    places = list(dict.fromkeys(each.where.split(" (")[0] for each in others))
    named = ", ".join(places[:PLACES]) + (", ..." if len(places) > PLACES else "")
    return f"and {len(others)} more like it: {named} (all: --all)"


def _show(report: "Report", repair: "Repair | None", everything: bool) -> None:
    from rich.console import Console
    from rich.markup import escape

    from mecano.checkup.causes import folded

    console = Console(highlight=False, soft_wrap=True)
    if repair is not None:
        for line in repair.lines:
            console.print(f"[green]fixed[/]    {escape(str(line))}")
        console.print(f"{escape(repair.summary)}\n")
    rows = [(each, []) for each in report.findings] if everything else folded(report.findings)
    for each, others in rows:
        head = f"[{COLOURS[each.severity]}]{each.severity:8}[/]"
        console.print(f"{head} [bold]{escape(each.where)}[/]: {escape(each.message)}", end=" ")
        console.print(f"[dim]\\[{each.code}][/]")
        if others:
            console.print(f"         [dim]{escape(more_like(others))}[/]")
    if report.findings:
        console.print()
    console.print(_verdict(report))


def _verdict(report: "Report") -> str:
    counts = ", ".join(
        f"{number} {word if number == 1 else word + 's'}"
        for word, number in (
            ("error", report.count("error")),
            ("warning", report.count("warning")),
            ("note", report.count("note")),
        )
        if number
    )
    rest = report.rest
    if rest.max_speed is None:
        stood = "not simulated"
    else:
        stood = f"held for {rest.seconds:g} s, {rest.max_speed:.2g} rad/s or m/s at the end"
    colour = "green" if report.ok else "red"
    word = "ok" if report.ok else "not ok"
    return f"[{colour}]{report.robot}: {word}[/] ({counts or 'nothing found'}; {stood})"
