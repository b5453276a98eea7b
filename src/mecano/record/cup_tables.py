"""`cups.csv` and `events.csv`: what the cups carried in every tick, and what happened to them."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mecano.core.messages.cups import CUP_STATES
from mecano.record.recording import Recording

EVENT_NAMES = ("time_s", "robot", "cup", "what", "body", "pull_N", "shear_N", "moment_Nm")


def write_cups_table(recording: Recording, file: Path) -> None:
    """Write a row per tick: state, pull, shear, moment and used share of each cup.

    With several robots a name begins with that of the robot.
    """
    names, columns = ["time_s"], [_texts(recording.times)]
    for robot, cups in recording.cups.items():
        prefix = "" if len(recording.joints) == 1 else f"{robot}_"
        for i, cup in enumerate(cups.names):
            label = f"{prefix}{cup}"
            names += [f"{label}_{what}" for what in ("state", "pull_N", "shear_N", "moment_Nm")]
            names.append(f"{label}_share")
            columns.append([CUP_STATES[state] for state in cups.state[:, i].tolist()])
            for values in (cups.pull, cups.shear, cups.moment, cups.share):
                columns.append(_texts(values[:, i]))
    _write(file, names, zip(*columns, strict=True))


def write_events_table(recording: Recording, file: Path) -> None:
    """Write a row per bond, release and break, with the load at that time."""
    rows = [
        (each.stamp, robot, each.cup, each.what, each.body, each.pull, each.shear, each.moment)
        for robot, cups in recording.cups.items()
        for each in cups.changes
    ]
    _write(file, EVENT_NAMES, [[_text(value) for value in row] for row in rows])


def _write(file: Path, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def _texts(values: Any) -> list[str]:
    return [_text(value) for value in values.tolist()]


def _text(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
