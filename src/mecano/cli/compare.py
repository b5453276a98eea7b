"""`mecano compare`: how alike two runs of one program are."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.catalog import AsJson
from mecano.cli.remarks import warn

if TYPE_CHECKING:
    from mecano.record.likeness_result import Likeness


def compare(
    run_a: Annotated[Path, typer.Argument(help="Run folder of the simulation.")],
    run_b: Annotated[Path, typer.Argument(help="Run folder of the other arm.")],
    out: Annotated[
        Path | None, typer.Option(help="The page; if not given, likeness.html in RUN_B.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs of one program: tracking, delay, offset and friction of each joint.

    Differences are RUN_B minus RUN_A. Example: mecano compare runs/simulated runs/real
    """
    from mecano.cli.progress import progress
    from mecano.cli.records import open_recording
    from mecano.core.errors import InvalidInput
    from mecano.record.likeness import compare as compare_runs
    from mecano.record.likeness_page import PAGE, write_page

    file = run_b / PAGE if out is None else out
    with progress("comparing"):
        recordings = [open_recording(run_a), open_recording(run_b)]
        for recording in recordings:
            if (recording.result or {}).get("error"):
                warn(
                    f"{recording.folder} ended early: {(recording.result or {})['error']}; "
                    "what is compared ends there"
                )
        likeness = compare_runs(*recordings)
        try:
            write_page(likeness, file)
        except OSError as error:
            raise InvalidInput(f"cannot write {file}: {error.strerror}") from None
    if as_json:
        print(json.dumps(likeness.to_json() | {"page": str(file)}))
    else:
        _print(likeness)
        print(file)


def _print(likeness: "Likeness") -> None:
    """Print a table with units, what differs, and what to change."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from mecano.record.likeness_page import SHOWN, TITLES, shown

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("joint", "quantity", "A", "B", "B - A", "95 %", "unit", ""):
        numbers = name in ("A", "B", "B - A", "95 %")
        table.add_column(name, justify="right" if numbers else "left", no_wrap=True)
    for joint in likeness.joints:
        name, (a, b) = joint.joint, joint.tracking
        if a is not None and b is not None:
            unit, scale, digits = SHOWN[joint.unit]
            cells = [f"{scale * x:.{digits}f}" for x in (a.rms, b.rms)]
            change = f"{scale * (b.rms - a.rms):+.{digits}f}"
            table.add_row(name, "tracking, RMS", *cells, change, "", unit, "")
            name = ""
        for quantity in joint.quantities.values():
            word = "[yellow]differs[/]" if quantity.differs else "alike"
            table.add_row(name, TITLES[quantity.name], *shown(quantity), word)
            name = ""
    Console(soft_wrap=True).print(table)
    for joint in likeness.joints:
        for sentence in joint.missing:
            warn(f"{joint.joint}: {sentence}")
    print("\nalike" if likeness.alike else f"\n{_what_differs(likeness)}")
    if likeness.proposals.toml:
        print(f"\nproposed settings:\n\n{likeness.proposals.toml}\n")
    for sentence in likeness.proposals.words:
        print(sentence)


def _what_differs(likeness: "Likeness") -> str:
    from mecano.record.likeness_page import TITLES

    parts = [
        f"{joint.joint} ({', '.join(TITLES[each.name] for each in joint.differing)})"
        for joint in likeness.joints
        if joint.differing
    ]
    return f"differs: {'; '.join(parts)}"
