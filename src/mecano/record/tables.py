"""`joints.csv`: for every tick and joint where it was told to be, where it was, and the error."""

import csv
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array
from mecano.record.recording import Recording


def joints_table(recording: Recording) -> tuple[list[str], Array]:
    """Return the names of the columns, which end in their unit, and the rows.

    With several robots a name begins with that of the robot.
    """
    alone = len(recording.joints) == 1
    names, columns = ["time_s"], [recording.times]
    for robot, joints in recording.joints.items():
        for i, (joint, unit) in enumerate(zip(joints.names, joints.units, strict=True)):
            label = joint if alone else f"{robot}_{joint}"
            names += [f"{label}_{what}_{unit}" for what in ("target", "real", "error")]
            target, real = joints.target[:, i], joints.real[:, i]
            columns += [target, real, target - real]
    return names, np.stack(columns, axis=-1)


def write_joints_table(recording: Recording, file: Path) -> None:
    """Write the table as CSV; a cell without a number is empty."""
    names, rows = joints_table(recording)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        for row in rows.tolist():
            writer.writerow(["" if value != value else f"{value:.9g}" for value in row])
