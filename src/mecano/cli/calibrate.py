"""`mecano calibrate`: zero offsets and constant angles of a robot, from points its tool touched."""

import csv
import json
import math
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.catalog import AsJson, ChainName, Robot
from mecano.cli.remarks import mention, warn

if TYPE_CHECKING:
    from mecano.kinematics.calibration import CalibrationFit, What
    from mecano.kinematics.chain import Chain
    from mecano.robots.calibration import Calibration

UNITS = {"rad": 1.0, "deg": math.pi / 180.0, "m": 1.0, "mm": 0.001}
COLUMN = re.compile(r"(?P<name>.+?)(?:[ _]\[?(?P<unit>rad|deg|m|mm)\]?)?")
COORDINATES = ("x", "y", "z")


def calibrate(
    robot: Robot,
    points: Annotated[
        Path | None,
        typer.Option(
            help="CSV with a column per joint (rad) and x, y, z of the tool in base_link (m); a "
            "name such as joint1_deg or x_mm gives another unit."
        ),
    ] = None,
    what: Annotated[
        str,
        typer.Option(metavar="phi|offsets|both", help="Constant angles, zero offsets, or both."),
    ] = "both",
    save: Annotated[
        bool | None,
        typer.Option(
            "--save/--no-save", help="Keep the result; unless told, it is kept if beyond doubt."
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print what is kept of the robot.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Delete what is kept.")] = False,
    suggest: Annotated[
        int | None, typer.Option(metavar="N", help="Print N postures to touch points in, as CSV.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="With --suggest: write the CSV to this file.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the postures suggested.", min=0)] = 0,
    chain: ChainName = None,
    as_json: AsJson = False,
) -> None:
    """Find zero offsets and the angle phi of a robot from points its tool touched, and keep them.

    Exit code 0 if done, 1 if the points do not tell what was asked and nothing was kept.

    Example: mecano calibrate open_manipulator_x --points touched.csv --what phi
    """
    from mecano.core.errors import InvalidInput
    from mecano.importing.sources import find_robot
    from mecano.robots.calibration import owner_of

    asked = [points is not None, show, forget, suggest is not None]
    if sum(asked) != 1:
        raise InvalidInput(
            "calibrate takes one of --points FILE.csv, --suggest N, --show and --forget"
        )
    if output is not None and suggest is None:
        raise InvalidInput("--output goes with --suggest N only")
    description = find_robot(robot)
    robot, arm = owner_of(description), description.chain(chain)
    if points is not None:
        _calibrate(robot, arm, points, what, save, as_json)
    elif suggest is not None:
        _suggest(robot, arm, suggest, what, seed, output, as_json)
    elif show:
        _show(robot, arm, as_json)
    else:
        _forget(robot, arm, as_json)


# --- fit


def _calibrate(
    robot: str, arm: "Chain", file: Path, what: Any, save: bool | None, as_json: bool
) -> None:
    from datetime import UTC, datetime

    from mecano.core.errors import InvalidInput
    from mecano.robots import calibration as kept

    readings, measured = _read(file, arm)
    known = kept.load(robot, arm.name)
    try:
        fit = kept.fit(robot, readings, measured, what=what, chain=arm.name, known=known)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from None
    doubts = kept.doubts(fit)
    stored = None
    if save or (save is None and not doubts):
        new = kept.calibration_from(fit, robot, when=datetime.now(UTC), chain=arm.name, known=known)
        stored = new.save()
    before = arm if known is None else known.apply(arm)
    before_mm = _rms_mm(before, readings, measured)
    if as_json:
        print(json.dumps(_fit_as_json(robot, arm, fit, known, before_mm, doubts, stored)))
    else:
        _print(robot, arm, fit, known, before_mm)
    for text in fit.warnings:
        warn(f"warning: {text}")
    doubted = f", in spite of doubts: {'; '.join(doubts)}" if doubts else ""
    if stored is not None:
        (warn if doubts else mention)(f"kept in {stored}{doubted}")
    elif save is None:
        warn(f"not kept: {'; '.join(doubts)}; --save keeps it all the same")
        raise typer.Exit(1)


def _old(name: str, kind: str, described: float, known: "Calibration | None") -> float:
    """Return the value in use before the fit [rad]."""
    if known is None:
        return described
    return (known.angles if kind == "angle" else known.offsets).get(name, described)


def _rms_mm(arm: "Chain", readings, measured) -> float:
    import numpy as np

    errors = np.asarray(measured) - arm.forward(readings)[:, :3, 3]
    return 1000.0 * float(np.sqrt(np.mean(np.sum(errors**2, axis=1))))


def _print(
    robot: str, arm: "Chain", fit: "CalibrationFit", known: "Calibration | None", before_mm: float
) -> None:
    from rich.console import Console
    from rich.table import Table

    count = len(fit.residuals)
    print(f"{robot} {arm.name}: {count} points, {fit.rank} of {fit.unknowns} numbers told by them")
    table = Table("", "old", "new", "95 % interval", "", box=None, pad_edge=False)
    for each in fit.estimates:
        name = each.name if each.kind == "angle" else f"zero of {each.name}"
        old = _old(each.name, each.kind, each.old, known)
        values = (old, each.value, each.interval)
        for unit, turn, digits, style in (("deg", math.degrees(1), 3, ""), ("rad", 1, 5, "dim")):
            before, new, half = (value * turn for value in values)
            table.add_row(
                name if unit == "deg" else "",
                f"{before:.{digits}f}",
                f"{new:.{digits}f}",
                f"+- {half:.{digits}f}" if each.identified else "not told",
                unit,
                style=style,
            )
    Console().print(table)
    print(f"distance of the points, before  {before_mm:8.3f} mm RMS")
    left_out = f" (without {len(fit.suspects)} left out)" if fit.suspects else ""
    print(f"                        after   {fit.rms_mm:8.3f} mm RMS{left_out}")
    print(f"noise of a coordinate           {fit.noise_mm:8.3f} mm")
    worst = int(fit.errors_mm.argmax())
    print(f"farthest point                  {fit.errors_mm[worst]:8.3f} mm (point {worst + 1})")
    for note in fit.notes:
        print(f"note: {note}")


def _fit_as_json(
    robot: str, arm: "Chain", fit: "CalibrationFit", known: "Calibration | None",
    before_mm: float, doubts: tuple[str, ...], stored: Path | None,
) -> dict:  # fmt: skip
    return {
        "robot": robot,
        "chain": arm.name,
        "what": fit.what,
        "points": len(fit.residuals),
        "estimates": [
            {
                "name": each.name,
                "kind": each.kind,
                "old": _old(each.name, each.kind, each.old, known),
                "new": each.value,
                "interval": each.interval if each.identified else None,
                "unit": "rad",
            }
            for each in fit.estimates
        ],
        "rms_before_mm": before_mm,
        "rms_mm": fit.rms_mm,
        "noise_mm": fit.noise_mm,
        "errors_mm": fit.errors_mm.tolist(),
        "suspects": [index + 1 for index in fit.suspects],
        "rank": fit.rank,
        "unknowns": fit.unknowns,
        "unidentified": list(fit.unidentified),
        "warnings": list(fit.warnings),
        "doubts": list(doubts),
        "notes": list(fit.notes),
        "file": None if stored is None else str(stored),
    }


# --- the file of points


def _read(file: Path, arm: "Chain"):
    """Return readings [rad or m] and points [m]; lines whose x, y and z are empty are left out."""
    import numpy as np

    from mecano.core.errors import InvalidInput

    try:
        text = file.read_text(encoding="utf-8-sig")
        first = text.partition("\n")[0]
        separator = ";" if ";" in first and "," not in first else ","
        rows = list(csv.reader(text.splitlines(), delimiter=separator))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(f"cannot read {file}: {reason}") from None
    wanted = (*arm.joint_names, *COORDINATES)
    lines = [(n, row) for n, row in enumerate(rows, 1) if any(map(str.strip, row))]
    if not lines:
        raise InvalidInput(f"{file} is empty; its first line must name {', '.join(wanted)}")
    columns = _columns(file, lines[0][1], arm)
    values, empty = [], 0
    for number, row in lines[1:]:
        cells = [row[place].strip() if place < len(row) else "" for place, _ in columns]
        if not any(cells[-3:]):
            empty += 1
            continue
        values.append(
            [
                _value(cell, f"{file} line {number}: {name}") * factor
                for cell, name, (_, factor) in zip(cells, wanted, columns, strict=True)
            ]
        )
    if empty:
        mention(f"{empty} lines without x, y, z were left out")
    array = np.array(values).reshape(-1, len(wanted))
    return array[:, :-3], array[:, -3:]


def _columns(file: Path, heading: list[str], arm: "Chain") -> list[tuple[int, float]]:
    """Return where each wanted value stands in a line, and what turns it into rad or m."""
    from mecano.core.errors import InvalidInput

    units = {joint.name: joint.unit for joint in arm.dh.joints} | dict.fromkeys(COORDINATES, "m")
    found: dict[str, tuple[int, float]] = {}
    for place, cell in enumerate(heading):
        name, unit = cell.strip(), None
        match = COLUMN.fullmatch(name)
        if name not in units and match:
            name, unit = match["name"], match["unit"]
        if name not in units:
            continue
        if name in found:
            raise InvalidInput(f"{file} has two columns for {name}; keep one")
        allowed = ("rad", "deg") if units[name] == "rad" else ("m", "mm")
        if unit is not None and unit not in allowed:
            raise InvalidInput(
                f"{file}: the column '{cell.strip()}' is in {unit}, allowed {' or '.join(allowed)}"
            )
        found[name] = (place, UNITS[unit or units[name]])
    missing = [name for name in units if name not in found]
    if missing:
        raise InvalidInput(
            f"{file} has no column for {', '.join(missing)}; its first line must name "
            f"{', '.join(units)}"
        )
    return [found[name] for name in units]


def _value(cell: str, name: str) -> float:
    from mecano.core.errors import InvalidInput

    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(f"{name} is '{cell}', expected a number")
    return value


# --- the other questions


def _suggest(
    robot: str, arm: "Chain", count: int, what: Any, seed: int, output: Path | None, as_json: bool
) -> None:
    import numpy as np

    from mecano.core.errors import InvalidInput
    from mecano.kinematics.calibration import suggest_points
    from mecano.robots.calibration import angles_of

    chosen: What = what
    postures = suggest_points(
        arm.dh,
        count,
        np.random.default_rng(seed),
        what=chosen,
        angles=angles_of(robot, arm),
    )
    heading = [f"{joint.name}_{joint.unit}" for joint in arm.dh.joints]
    lines = [",".join([*heading, "x_m", "y_m", "z_m"])]
    lines += [",".join([*(f"{value:.4f}" for value in q), "", "", ""]) for q in postures]
    if output is not None:
        try:
            output.write_text("\n".join(lines) + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(
                f"cannot write {output}: {error.strerror}; choose another place"
            ) from None
        mention(f"wrote {output}")
    if as_json:
        print(json.dumps({"joints": list(arm.joint_names), "postures": postures.tolist()}))
    elif output is None:
        print("\n".join(lines))
    mention(
        "collisions are not looked at: move there slowly; write the joint readings and the tool's "
        "point in base_link into each line"
    )
    sys.stdout.flush()


def _show(robot: str, arm: "Chain", as_json: bool) -> None:
    from mecano.robots import calibration as kept

    known, file = kept.load(robot, arm.name), kept.file_of(robot, arm.name)
    if as_json:
        answer = None if known is None else {
            "robot": known.robot,
            "chain": known.chain,
            "what": known.what,
            "when": known.when.isoformat(),
            "points": known.points,
            "rms_mm": known.rms_mm,
            "offsets": known.offsets,
            "angles": known.angles,
        }  # fmt: skip
        print(json.dumps({"file": str(file), "calibration": answer}))
        return
    if known is None:
        print(f"nothing is kept of {robot} {arm.name}: its description's values hold")
        return
    print(f"{robot} {arm.name}, {known.when.isoformat(timespec='seconds')}, in {file}")
    print(f"{known.points} points, {known.rms_mm:.3f} mm RMS, what: {known.what}")
    described = {angle.name: angle.value for angle in kept.angles_of(robot, arm)}
    for name, value in known.angles.items():
        change = math.degrees(value - described[name])
        print(f"{name:16} {math.degrees(value):9.3f} deg {value:10.5f} rad ({change:+.3f} deg)")
    for name, value in known.offsets.items():
        print(f"{'zero of ' + name:16} {math.degrees(value):9.3f} deg {value:10.5f} rad")


def _forget(robot: str, arm: "Chain", as_json: bool) -> None:
    from mecano.robots import calibration as kept

    file = kept.file_of(robot, arm.name)
    gone = kept.forget(robot, arm.name)
    if as_json:
        print(json.dumps({"file": str(file), "forgotten": gone}))
    else:
        print(f"deleted {file}" if gone else f"nothing was kept of {robot} {arm.name}")
