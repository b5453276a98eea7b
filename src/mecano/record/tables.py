"""`joints.csv`: for every tick and joint where it was told to be, where it was, and the error.

And the errors of a run in a few lines: the largest and the root of the mean square of each joint.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array
from mecano.record.columns import JointColumns
from mecano.record.recording import Recording

SHOWN_ERRORS = {"rad": "mrad", "m": "mm"}
"""Thousandths of a unit, in which errors are told."""


@dataclass(frozen=True, kw_only=True)
class JointError:
    """How far a joint was from its target during a run."""

    joint: str
    unit: str
    """Of the numbers, "rad" or "m"."""
    largest: float
    rms: float
    """Root of the mean of the squares."""


def joint_errors(recording: Recording) -> list[JointError]:
    """Return the errors of all joints that had a target."""
    errors = []
    for label, joints, i in _labelled(recording):
        error = joints.target[:, i] - joints.real[:, i]
        error = error[np.isfinite(error)]
        if error.size:
            errors.append(
                JointError(
                    joint=label,
                    unit=joints.units[i],
                    largest=float(np.abs(error).max()),
                    rms=float(np.sqrt(np.mean(error**2))),
                )
            )
    return errors


def error_lines(errors: list[JointError]) -> list[str]:
    """Return one line per joint: `joint1  19.0 mrad largest, 5.1 mrad RMS`, in columns."""
    wide = max((len(error.joint) for error in errors), default=0)
    lines = []
    for error in errors:
        unit, largest, rms = SHOWN_ERRORS[error.unit], 1000 * error.largest, 1000 * error.rms
        worst = f"{largest:6.1f} {unit} largest,"
        lines.append(f"{error.joint:{wide}}  {worst:20} {rms:6.1f} {unit} RMS")
    return lines


def joints_table(recording: Recording) -> tuple[list[str], Array]:
    """Return the names of the columns, which end in their unit, and the rows.

    With several robots a name begins with that of the robot.
    """
    names, columns = ["time_s"], [recording.times]
    for label, joints, i in _labelled(recording):
        names += [f"{label}_{what}_{joints.units[i]}" for what in ("target", "real", "error")]
        target, real = joints.target[:, i], joints.real[:, i]
        columns += [target, real, target - real]
    return names, np.stack(columns, axis=-1)


def _labelled(recording: Recording) -> Iterator[tuple[str, JointColumns, int]]:
    """Yield for each joint what it is called, the columns it is in, and where in them."""
    alone = len(recording.joints) == 1
    for robot, joints in recording.joints.items():
        for i, joint in enumerate(joints.names):
            yield joint if alone else f"{robot}_{joint}", joints, i


def write_joints_table(recording: Recording, file: Path) -> None:
    """Write the table as CSV; a cell without a number is empty."""
    names, rows = joints_table(recording)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        for row in rows.tolist():
            writer.writerow(["" if value != value else f"{value:.9g}" for value in row])
