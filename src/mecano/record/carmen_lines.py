"""The lines of a log of CARMEN: what each says, and what is wrong with it.

ODOM x y theta tv rv accel time host time
FLASER n r1 ... rn x y theta odom_x odom_y odom_theta time host time
ROBOTLASER1 type start span step max_range accuracy remission n r1 ... rn m i1 ... im
    laser_x laser_y laser_theta x y theta tv rv forward side axis time host time
"""

from dataclasses import dataclass, field
from functools import cache
from math import inf, isfinite, pi

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import LaserScan
from mecano.core.poses.planar_arrays import relative_all

NO_RETURN = 50.0
"""Ranges from here on mean that nothing came back [m]; SICK's scanners write 81.83 or 81.91."""
NEAREST = 0.02
"""Readings below are no distances [m]: a scanner that failed writes zeros."""
SPAN = pi
"""A FLASER line does not say what its scanner sees: half a turn, as an LMS does [rad]."""
MOST_BEAMS = 20_000
LATEST = 1e11
"""No stamp in seconds is later [s]: 3,000 years from now."""
ODOMETRY, FRONT, ROBOT = b"ODOM", b"FLASER", b"ROBOTLASER1"


Reading = tuple[float, float, float, float]
"""Of odometry: stamp [s], x, y [m], yaw [rad]."""


@dataclass(frozen=True)
class Beams:
    """Where the beams of a scan point."""

    first: float
    step: float
    furthest: float


@dataclass(eq=False)
class Lines:
    """What was read so far, in the order of the file."""

    readings: list[Reading] = field(default_factory=list)
    """Odometry of all lines."""
    scans: list[tuple[Beams, Array, int]] = field(default_factory=list)
    """Beams, ranges, and which of the readings is theirs."""
    mounts: list[tuple[float, float, float]] = field(default_factory=list)
    wrong: list[tuple[int, str]] = field(default_factory=list)
    """Numbers of the lines that make no sense, and why."""
    failed: int = 0
    """Beams that are no distances."""
    messages: int = 0

    def add(self, words: list[bytes], *, has_end: bool) -> None:
        """Take the words of a line that begins with one of our three.

        Args:
            words: Of the line.
            has_end: It ends with a line break; else it may be cut off.

        Raises:
            ValueError: It makes no sense; the message says why.
        """
        try:
            if not has_end:
                _require_end(words)
            _READERS[words[0]](self, words)
        except IndexError:
            raise ValueError("it has too few words") from None


def _require_end(words: list[bytes]) -> None:
    """Refuse a line without an end unless the stamp of its logger, the last word, has begun."""
    counts = {FRONT: 11, ROBOT: 24, ODOMETRY: 10}
    beams = int(words[1]) if words[0] == FRONT else 0
    if words[0] == ROBOT:
        beams = int(words[8])
        beams += int(words[9 + beams])
    if len(words) < counts[words[0]] + beams:
        raise ValueError("it is cut off")


def _read_odometry(lines: Lines, words: list[bytes]) -> None:
    x, y, yaw, stamp = _numbers([words[i] for i in (1, 2, 3, 7)])
    _require_sane(stamp, x, y, yaw)
    lines.readings.append((stamp, x, y, yaw))


def _read_front(lines: Lines, words: list[bytes]) -> None:
    count = _count(words[1], least=2)
    end = 2 + count
    _require_ranges(words, count, others=11)
    ranges = np.array(_numbers(words[2:end]))
    x, y, yaw, stamp = _numbers(words[end + 3 : end + 7])
    _require_sane(stamp, x, y, yaw)
    _add_scan(lines, _half_turn(count), ranges, (stamp, x, y, yaw))


def _read_robot(lines: Lines, words: list[bytes]) -> None:
    first, step, furthest = _numbers([words[i] for i in (2, 4, 5)])
    count = _count(words[8], least=2)
    ranges = np.array(_numbers(words[9 : 9 + count]))
    others = _count(words[9 + count], least=0, what="remission values after its beams")
    end = 10 + count + others
    _require_ranges(words, count, others=24 + others)
    laser, base = (_numbers(words[end + i : end + i + 3]) for i in (0, 3))
    (stamp,) = _numbers(words[end + 11 : end + 12])
    _require_sane(stamp, first, step, furthest, *laser, *base)
    if not step or furthest <= NEAREST:
        raise ValueError(f"its beams are {step} rad apart and reach {furthest} m")
    x, y, yaw = base
    beams = Beams(first, step, min(furthest, NO_RETURN))
    _add_scan(lines, beams, ranges, (stamp, x, y, yaw))
    mx, my, turn = relative_all(base, laser).tolist()
    lines.mounts.append((mx, my, turn))


_READERS = {ODOMETRY: _read_odometry, FRONT: _read_front, ROBOT: _read_robot}


def _add_scan(lines: Lines, beams: Beams, ranges: Array, reading: Reading) -> None:
    ranges = _cleaned(ranges, beams.furthest)
    lines.failed += int(np.isnan(ranges).sum())
    lines.scans.append((beams, ranges, len(lines.readings)))
    lines.readings.append(reading)


@cache
def _half_turn(count: int) -> Beams:
    """Return the beams of a line that gives only their number.

    An odd number has one at either end; of an even one the last is left out.
    """
    gaps = count - 1 if count % 2 else count
    return Beams(-SPAN / 2.0, SPAN / gaps, NO_RETURN)


def _numbers(words: list[bytes]) -> list[float]:
    try:
        return list(map(float, words))
    except ValueError:
        wrong = next(word for word in words if not _is_number(word))
        raise ValueError(f"'{_text(wrong)}' is no number") from None


def _text(word: bytes) -> str:
    return word.decode(errors="replace")


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _require_ranges(words: list[bytes], said: int, *, others: int) -> None:
    """Refuse a line with another number of ranges than it says.

    Args:
        words: Of the line.
        said: Number of ranges.
        others: Number of all other words; host and time of the logger may be missing.
    """
    found = len(words) - others
    if found != said and not (found == said - 2 and _is_number(words[-2])):
        raise ValueError(f"it says {said} beams and has {max(found, 0)} ranges")


def _count(word: bytes, *, least: int, what: str = "beams") -> int:
    if not word.lstrip(b"-").isdigit():
        raise ValueError(f"its number of {what} is '{_text(word)}', expected a whole number")
    count = int(word)
    if not least <= count <= MOST_BEAMS:
        raise ValueError(f"it says {count} {what}, allowed {least} to {MOST_BEAMS}")
    return count


def _require_sane(stamp: float, *numbers: float) -> None:
    if not isfinite(stamp) or not all(map(isfinite, numbers)):
        raise ValueError("its pose or its time is not finite")
    if abs(stamp) > LATEST:
        raise ValueError(f"its time is {stamp:g}; expected seconds")


def front_scan(stamp: float, ranges: Array) -> LaserScan:
    """Return a scan of which only the ranges are known, as lines of logs give it."""
    return scan_of(_half_turn(len(ranges)), _cleaned(ranges, NO_RETURN), stamp)


def _cleaned(ranges: Array, furthest: float) -> Array:
    """Return ranges in which failed beams are NaN and those without return +inf."""
    cleaned = np.where(ranges >= 0.0, ranges, np.nan)
    cleaned[cleaned >= furthest] = inf
    return cleaned


def scan_of(beams: Beams, ranges: Array, stamp: float) -> LaserScan:
    """Return a scan of cleaned ranges."""
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
