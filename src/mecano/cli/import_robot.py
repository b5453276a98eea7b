"""`mecano import`: a robot's folder from a URDF, xacro or MJCF file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.catalog import AsJson
from mecano.cli.check_robot import (
    COLOURS,
    ArgumentOption,
    OutsideOption,
    PackageOption,
    read_arguments,
)

if TYPE_CHECKING:
    from mecano.checkup.report import Report
    from mecano.importing import Imported


def import_robot(
    file: Annotated[
        Path, typer.Argument(help="URDF, xacro or MJCF file, or a folder with MJCF files.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to make.")],
    name: Annotated[
        str | None, typer.Option(help="Name of the robot; by default that of the file.")
    ] = None,
    collision: Annotated[
        str,
        typer.Option(
            help="What collides of a mesh: its convex hull, convex pieces (decompose), or none."
        ),
    ] = "hull",
    floating: Annotated[
        bool | None,
        typer.Option(
            "--floating/--fixed", help="Free on the floor, or bolted down; guessed by default."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the robot's folder.")] = False,
    arg: ArgumentOption = None,
    package: PackageOption = None,
    allow_outside: OutsideOption = False,
    as_json: AsJson = False,
) -> None:
    """Make a robot's folder, to be used wherever a robot's name is: connect, view, ik, run.

    Chains, wheels, grippers, hands and tools are guessed from the tree of joints; the table shows
    the guesses, and description.py in the folder is where to correct them. Findings are those of
    `mecano check-robot FILE`. Exit code 1 if nothing can be made of the file.

    Example: mecano import my_arm.urdf --out my_arm && mecano view ./my_arm
    """
    from mecano.checkup import check_imported, check_robot
    from mecano.cli.progress import progress
    from mecano.importing import UnreadableRobot
    from mecano.importing import import_robot as make

    choice: Any = collision
    arguments, packages = read_arguments(arg or []), package or ()
    try:
        with progress(f"importing {file.name}") as advance:
            imported = make(
                file, out, arguments=arguments, packages=packages, collision=choice, name=name,
                free=floating, force=force, allow_outside=allow_outside, tell=advance,
            )  # fmt: skip
    except UnreadableRobot:
        if not as_json:
            raise
        report = check_robot(
            file, arguments=arguments, packages=packages, allow_outside=allow_outside
        )
        plain = [vars(finding) for finding in report.findings]
        print(json.dumps({"robot": file.stem, "folder": None, "chains": {}, "findings": plain}))
        raise typer.Exit(1) from None
    with progress(f"checking {file.name}") as advance:
        report = check_imported(
            file, imported, arguments=arguments, packages=packages, allow_outside=allow_outside,
            tell=advance,
        )  # fmt: skip
    if as_json:
        print(json.dumps(_plain(imported, report), ensure_ascii=False))
    else:
        _show(imported, report)


def _plain(imported: "Imported", report: "Report") -> dict[str, Any]:
    return {
        "robot": imported.description.name,
        "folder": str(imported.folder),
        "chains": {
            chain: {"joints": list(joints), "solver": solver}
            for chain, (joints, solver) in imported.chains.items()
        },
        "findings": [vars(finding) for finding in report.findings],
    }


def _show(imported: "Imported", report: "Report") -> None:
    from rich.console import Console
    from rich.table import Table

    structure, console = imported.structure, Console()
    table = Table("part", "guessed", "joints", "inverse kinematics")
    for chain in structure.chains:
        solver = imported.chains[chain.name][1]
        tool = f"{chain.reason}\ntool: {chain.tool.reason}"
        table.add_row(chain.name, f"{chain.kind}, {tool}", "\n".join(chain.joints), solver)
    for chain, gripper in structure.grippers.items():
        wide = f"opens to {1000 * gripper.width_open:.0f} mm"
        table.add_row(f"gripper of {chain}", f"{gripper.reason}\n{wide}", gripper.joint, "")
    for chain, hand in structure.hands.items():
        table.add_row(f"hand of {chain}", hand.reason, "\n".join(hand.joints), "")
    if structure.base is not None:
        base = structure.base
        table.add_row("base", f"{base.kind}, {base.reason}", "\n".join(base.joints), "")
    console.print(table)
    stands = "free to move" if structure.free else "bolted down or hung up by its root"
    console.print(f"{imported.description.name} is {stands} ({structure.why_free}).")
    _list(console, report)
    console.print(
        f"Written: {imported.folder}. Correct guesses in description.py; look at it: "
        f"mecano view {imported.folder}",
        soft_wrap=True,
    )


def _list(console: Any, report: "Report") -> None:
    from rich.markup import escape

    from mecano.checkup.causes import folded

    for finding, others in folded(report.findings):
        text = escape(str(finding))
        console.print(f"[{COLOURS[finding.severity]}]{finding.severity}[/] {text}", soft_wrap=True)
        if others:
            text = f"... and {len(others)} more like it: mecano check-robot FILE --all"
            console.print(text, soft_wrap=True)
