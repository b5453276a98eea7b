"""Logs of CARMEN, one message a line, as the public SLAM data sets are stored.

What a log gets wrong is tolerated where that is safe, and told in the notes: times that step back
are sorted, scans that share a stamp follow each other within the clock's grain, lines that make no
sense are left out, a file that breaks off counts up to the break. A time that is far from those of
all other lines makes no sense either; where a clock was set back, time goes on from there.
"""

from math import dist
from pathlib import Path

import numpy as np

from mecano.core.drive_log import DriveLog
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.record.carmen_lines import (
    FRONT,
    ODOMETRY,
    ROBOT,
    Lines,
    Reading,
    scan_of,
)
from mecano.record.log_times import (
    in_order,
    leave_out_far_times,
    spread_stamps,
    undo_set_back,
)
from mecano.record.text_files import TextFile, read_text

TOLERATED = 10
"""So many lines may make no sense, and a tenth of all in a long log."""
SAME_PLACE = 0.01
"""Readings of one instant are no further apart [m]."""


def read_carmen(path: str | Path) -> DriveLog:
    """Read a log of CARMEN, plain or gzip.

    Every scan has the odometry of its own line. Odometry is that of all lines together, thinned
    where several have one stamp. A negative range is a failed beam (NaN), one of 50 m or more is
    no return (+inf).

    Raises:
        InvalidInput: There is no such file, no scan in it, or too much of it makes no sense.
    """
    text = read_text(path, what="log")
    if not text.lines:
        raise InvalidInput(f"the log {path} is empty")
    lines, notes = _parse(path, text)
    if not lines.scans:
        raise InvalidInput(
            f"the log {path} has {len(text.lines)} lines and no scan; expected CARMEN's text, "
            "with lines that begin with FLASER or ROBOTLASER1"
            + "".join(f"; {note}" for note in notes)
            + _first_wrong(lines)
        )
    return _drive_log(str(path), lines, notes)


def _parse(path: str | Path, text: TextFile) -> tuple[Lines, list[str]]:
    lines, notes = Lines(), []
    scan_kind = FRONT if any(line.startswith(FRONT) for line in text.lines) else ROBOT
    last = len(text.lines)
    for number, line in enumerate(text.lines, 1):
        words = line.split()
        if not words or words[0] not in (ODOMETRY, scan_kind):
            continue
        lines.messages += 1
        try:
            lines.add(words, has_end=number < last or text.whole)
        except ValueError as error:
            if number == last and (not text.whole or text.problem):
                notes.append(f"line {number}, the last, is cut off and left out")
            else:
                lines.wrong.append((number, str(error)))
    if text.problem:
        notes.insert(0, f"the log is not whole: {text.problem}")
    tolerated = max(TOLERATED, lines.messages // 10)
    if len(lines.wrong) > tolerated:
        raise InvalidInput(
            f"{len(lines.wrong)} of {lines.messages} messages of the log {path} make no sense"
            f"{_first_wrong(lines)}; is it a log of CARMEN?"
        )
    if lines.readings:
        leave_out_far_times(path, lines, notes, tolerated)
        undo_set_back(lines, notes)
    return lines, notes


def _drive_log(source: str, lines: Lines, notes: list[str]) -> DriveLog:
    stamps, odometry, fallen, thinned = in_order(_all_odometry(lines, notes))
    readings = [lines.readings[k] for _, _, k in lines.scans]
    order = sorted(range(len(readings)), key=lambda i: readings[i][0])
    scan_stamps = spread_stamps(np.array([readings[i][0] for i in order]))
    scans = tuple(
        scan_of(*lines.scans[i][:2], stamp) for i, stamp in zip(order, scan_stamps, strict=True)
    )
    if fallen:
        notes.append(f"{fallen} time stamps step back; they were sorted")
    if thinned:
        notes.append(f"{thinned} readings of odometry share a stamp; the last of each was kept")
    sizes = sorted({len(scan.ranges) for scan in scans})
    if len(sizes) > 1:
        notes.append(f"scans have {', '.join(map(str, sizes))} beams; each has its own directions")
    if lines.failed:
        notes.append(f"{lines.failed} ranges are negative or no numbers; these beams failed")
    if lines.wrong:
        notes.append(f"{len(lines.wrong)} lines were left out{_first_wrong(lines)}")
    mount = Pose2(*np.median(lines.mounts, axis=0).tolist()) if lines.mounts else Pose2()
    return DriveLog(
        source=source,
        odometry_stamps=stamps,
        odometry=odometry,
        scans=scans,
        scan_odometry=np.array([readings[i][1:] for i in order]),
        scan_numbers=np.array(order),
        mount=mount,
        notes=tuple(notes),
    )


def _all_odometry(lines: Lines, notes: list[str]) -> list[Reading]:
    """Return the readings of all lines in the order of the file.

    Some logs stamp scans late or early: what their lines hold is not the odometry of that time.
    Those readings stay with their scans and out of the series.
    """
    scans = {k for _, _, k in lines.scans}
    wheels = [reading for k, reading in enumerate(lines.readings) if k not in scans]
    at = {reading[0]: reading for reading in wheels}
    twice = [(at[r[0]], r) for r in (lines.readings[k] for k in scans) if r[0] in at]
    apart = [dist(a[1:3], b[1:3]) > SAME_PLACE for a, b in twice]
    if 2 * sum(apart) > len(scans):
        notes.append(
            f"{sum(apart)} of {len(scans)} scans hold another odometry than the wheels have "
            "at their stamps; each scan keeps its own, between scans the wheels count"
        )
        return wheels
    return lines.readings


def _first_wrong(lines: Lines) -> str:
    if not lines.wrong:
        return ""
    number, reason = lines.wrong[0]
    return f" (the first is line {number}: {reason})"
