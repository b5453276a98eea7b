"""Logs of CARMEN, one message a line, as the public SLAM data sets are stored.

    ODOM x y theta tv rv accel time host time
    FLASER n r1 ... rn x y theta odom_x odom_y odom_theta time host time
    ROBOTLASER1 type start span step max_range accuracy remission n r1 ... rn m i1 ... im
        laser_x laser_y laser_theta x y theta tv rv forward side axis time host time

What a log gets wrong is tolerated where that is safe, and told in the notes: times that step back
are sorted, scans that share a stamp follow each other within the clock's grain, lines that make no
sense are left out, a file that breaks off counts up to the break.
"""

from dataclasses import dataclass, field
from functools import cache
from math import dist, inf, isfinite, pi
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import relative_all
from mecano.record.text_files import TextFile, read_text

NO_RETURN = 50.0
"""Ranges from here on mean that nothing came back [m]; SICK's scanners write 81.83 or 81.91."""
NEAREST = 0.02
"""Readings below are no distances [m]: a scanner that failed writes zeros."""
SPAN = pi
"""A FLASER line does not say what its scanner sees: half a turn, as an LMS does [rad]."""
GRAIN = 0.01
"""Clocks of these logs count in such steps [s]."""
MOST_BEAMS = 20_000
TOLERATED = 10
"""So many lines may make no sense, and a tenth of all in a long log."""
SAME_PLACE = 0.01
"""Readings of one instant are no further apart [m]."""
ODOMETRY, FRONT, ROBOT = b"ODOM", b"FLASER", b"ROBOTLASER1"


_Reading = tuple[float, float, float, float]
"""Of odometry: stamp [s], x, y [m], yaw [rad]."""


@dataclass(frozen=True)
class _Beams:
    """Where the beams of a scan point."""

    first: float
    step: float
    furthest: float


@dataclass(eq=False)
class _Lines:
    """What was read so far, in the order of the file."""

    odometry: list[tuple[int, _Reading]] = field(default_factory=list)
    """Number of scans before it, reading."""
    scans: list[tuple[_Beams, Array, _Reading]] = field(default_factory=list)
    """Beams, ranges, odometry."""
    mounts: list[tuple[float, float, float]] = field(default_factory=list)
    wrong: list[tuple[int, str]] = field(default_factory=list)
    """Numbers of the lines that make no sense, and why."""
    failed: int = 0
    """Beams that are no distances."""
    messages: int = 0


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


def _parse(path: str | Path, text: TextFile) -> tuple[_Lines, list[str]]:
    lines, notes = _Lines(), []
    scan_kind = FRONT if any(line.startswith(FRONT) for line in text.lines) else ROBOT
    last = len(text.lines)
    for number, line in enumerate(text.lines, 1):
        words = line.split()
        if not words or words[0] not in (ODOMETRY, scan_kind):
            continue
        lines.messages += 1
        try:
            if number == last and not text.whole:
                _require_end(words)
            _READERS[words[0]](lines, words)
        except (ValueError, IndexError) as error:
            if number == last and (not text.whole or text.problem):
                notes.append(f"line {number}, the last, is cut off and left out")
            else:
                lines.wrong.append((number, _reason(error)))
    if text.problem:
        notes.insert(0, f"the log is not whole: {text.problem}")
    if len(lines.wrong) > max(TOLERATED, lines.messages // 10):
        raise InvalidInput(
            f"{len(lines.wrong)} of {lines.messages} messages of the log {path} make no sense"
            f"{_first_wrong(lines)}; is it a log of CARMEN?"
        )
    return lines, notes


def _require_end(words: list[bytes]) -> None:
    """Refuse a line without an end unless the stamp of its logger, the last word, has begun."""
    counts = {FRONT: 11, ROBOT: 23, ODOMETRY: 10}
    beams = int(words[1]) if words[0] == FRONT else 0
    if words[0] == ROBOT:
        beams = int(words[8])
        beams += int(words[9 + beams])
    if len(words) < counts[words[0]] + beams:
        raise ValueError("it is cut off")


def _read_odometry(lines: _Lines, words: list[bytes]) -> None:
    x, y, yaw, stamp = (float(words[i]) for i in (1, 2, 3, 7))
    _require_finite(x, y, yaw, stamp)
    lines.odometry.append((len(lines.scans), (stamp, x, y, yaw)))


def _read_front(lines: _Lines, words: list[bytes]) -> None:
    count = _count(words[1], least=2)
    end = 2 + count
    ranges = np.array(list(map(float, words[2:end])))
    x, y, yaw, stamp = (float(words[end + i]) for i in (3, 4, 5, 6))
    _require_finite(x, y, yaw, stamp)
    _add_scan(lines, _half_turn(count), ranges, (stamp, x, y, yaw))


def _read_robot(lines: _Lines, words: list[bytes]) -> None:
    first, step, furthest = float(words[2]), float(words[4]), float(words[5])
    count = _count(words[8], least=2)
    ranges = np.array(list(map(float, words[9 : 9 + count])))
    end = 10 + count + _count(words[9 + count], least=0)
    laser, base = ([float(word) for word in words[end + i : end + i + 3]] for i in (0, 3))
    stamp = float(words[end + 11])
    _require_finite(first, step, furthest, stamp, *laser, *base)
    if not step or furthest <= NEAREST or len(base) != 3:
        raise ValueError(f"its beams are {step} rad apart and reach {furthest} m")
    x, y, yaw = base
    beams = _Beams(first, step, min(furthest, NO_RETURN))
    _add_scan(lines, beams, ranges, (stamp, x, y, yaw))
    mx, my, turn = relative_all(base, laser).tolist()
    lines.mounts.append((mx, my, turn))


_READERS = {ODOMETRY: _read_odometry, FRONT: _read_front, ROBOT: _read_robot}


def _add_scan(lines: _Lines, beams: _Beams, ranges: Array, reading: _Reading) -> None:
    ranges = _cleaned(ranges, beams.furthest)
    lines.failed += int(np.isnan(ranges).sum())
    lines.scans.append((beams, ranges, reading))


@cache
def _half_turn(count: int) -> _Beams:
    """Return the beams of a line that gives only their number.

    An odd number has one at either end; of an even one the last is left out.
    """
    gaps = count - 1 if count % 2 else count
    return _Beams(-SPAN / 2.0, SPAN / gaps, NO_RETURN)


def _count(word: bytes, *, least: int) -> int:
    count = int(word)
    if not least <= count <= MOST_BEAMS:
        raise ValueError(f"it says {count} beams, allowed {least} to {MOST_BEAMS}")
    return count


def _require_finite(*numbers: float) -> None:
    if not all(map(isfinite, numbers)):
        raise ValueError("its pose or its time is not finite")


def _drive_log(source: str, lines: _Lines, notes: list[str]) -> DriveLog:
    stamps, odometry, fallen, thinned = _in_order(_all_odometry(lines, notes))
    order = sorted(range(len(lines.scans)), key=lambda i: lines.scans[i][2][0])
    scan_stamps = spread_stamps(np.array([lines.scans[i][2][0] for i in order]))
    scans = tuple(
        _scan(*lines.scans[i][:2], stamp) for i, stamp in zip(order, scan_stamps, strict=True)
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
        scan_odometry=np.array([lines.scans[i][2][1:] for i in order]),
        scan_numbers=np.array(order),
        mount=mount,
        notes=tuple(notes),
    )


def _all_odometry(lines: _Lines, notes: list[str]) -> list[_Reading]:
    """Return the readings of all lines in the order of the file.

    Some logs stamp scans late or early: what their lines hold is not the odometry of that time.
    Those readings stay with their scans and out of the series.
    """
    of_wheels = {reading[0]: reading for _, reading in lines.odometry}
    of_scans = [reading for _, _, reading in lines.scans]
    twice = [(of_wheels[r[0]], r) for r in of_scans if r[0] in of_wheels]
    apart = [dist(a[1:3], b[1:3]) > SAME_PLACE for a, b in twice]
    if 2 * sum(apart) > len(of_scans):
        notes.append(
            f"{sum(apart)} of {len(of_scans)} scans hold another odometry than the wheels have "
            "at their stamps; each scan keeps its own, between scans the wheels count"
        )
        return [reading for _, reading in lines.odometry]
    rows, done = [], 0
    for before, reading in lines.odometry:
        rows += of_scans[done:before]
        rows.append(reading)
        done = before
    return rows + of_scans[done:]


def _in_order(rows: list[_Reading]) -> tuple[Array, Array, int, int]:
    """Return stamps that rise and their poses, how many fell and how many were left out."""
    table = np.array(rows)
    fallen = int(np.sum(np.diff(table[:, 0]) < 0.0))
    table = table[np.argsort(table[:, 0], kind="stable")]
    kept = np.append(np.diff(table[:, 0]) > 0.0, True)
    repeated = ~kept[:-1] & np.any(table[1:, 1:] != table[:-1, 1:], axis=1)
    return table[kept, 0], table[kept, 1:], fallen, int(repeated.sum())


def spread_stamps(stamps: Array) -> Array:
    """Return stamps in which scans that share one follow each other within the clock's grain.

    A logger that was held up writes several scans with one stamp while the robot moved on. As
    they are, one time would have several poses.

    Args:
        stamps: They do not fall [s]. Shape (n,).
    """
    _, first, count = np.unique(stamps, return_index=True, return_counts=True)
    gaps = np.diff(stamps[first], prepend=-inf, append=inf)
    room = np.minimum(GRAIN, np.minimum(gaps[:-1], gaps[1:]))  # never past a neighbour
    place = np.arange(len(stamps)) - np.repeat(first, count)
    shares = (place + 0.5) / np.repeat(count, count) - 0.5
    return stamps + shares * np.repeat(room, count)


def front_scan(stamp: float, ranges: Array) -> LaserScan:
    """Return a scan of which only the ranges are known, as lines of logs give it."""
    return _scan(_half_turn(len(ranges)), _cleaned(ranges, NO_RETURN), stamp)


def _cleaned(ranges: Array, furthest: float) -> Array:
    """Return ranges in which failed beams are NaN and those without return +inf."""
    cleaned = np.where(ranges >= 0.0, ranges, np.nan)
    cleaned[cleaned >= furthest] = inf
    return cleaned


def _scan(beams: _Beams, ranges: Array, stamp: float) -> LaserScan:
    return LaserScan(
        stamp=stamp,
        frame="laser",
        angle_min=beams.first,
        angle_max=beams.first + (len(ranges) - 1) * beams.step,
        angle_increment=beams.step,
        range_min=NEAREST,
        range_max=beams.furthest,
        ranges=ranges,
    )


def _reason(error: Exception) -> str:
    return "it has too few words" if isinstance(error, IndexError) else str(error)


def _first_wrong(lines: _Lines) -> str:
    if not lines.wrong:
        return ""
    number, reason = lines.wrong[0]
    return f" (the first is line {number}: {reason})"
