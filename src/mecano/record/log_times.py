"""Times of a log: those that make no sense, clocks that were set back, stamps that are shared."""

from math import inf
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.errors import InvalidInput
from mecano.record.carmen_lines import Lines, Reading

GRAIN = 0.01
"""Clocks of these logs count in such steps [s]."""
LONGEST = 10 * 86_400.0
"""No drive has lines this far from the middle one [s]: ten days."""
SET_BACK = 60.0
"""Stamps that fall by more are a clock that was set back, not lines out of order [s]."""
AROUND = 20
"""Lines before and after a step back in time that show whether a clock was set back."""


def far_in_time(stamps: Array) -> tuple[Mask, str]:
    """Return which lines or messages have a time far from that of all others, and say so."""
    middle = np.median(stamps)
    far = np.abs(stamps - middle) > LONGEST
    if not far.any():
        return far, ""
    return far, (
        f"{far.sum()} of {len(stamps)} times are more than {LONGEST / 86400:.0f} days from the "
        f"others, such as {stamps[far][0]:.10g} s beside {middle:.10g} s"
    )


def stray_in_time(stamps: Array) -> tuple[Mask, str]:
    """Return the same of one message in a hundred; more are a clock that was set."""
    far, about = far_in_time(stamps)
    if far.sum() > max(1, len(stamps) // 100):
        return np.zeros(len(stamps), dtype=bool), ""
    return far, about


def leave_out_far_times(path: str | Path, lines: Lines, notes: list[str], tolerated: int) -> None:
    """Leave out lines whose time is far from all others, and note it.

    Raises:
        InvalidInput: There are more of them than tolerated.
    """
    far, about = far_in_time(np.array([reading[0] for reading in lines.readings]))
    kept = ~far
    if not about:
        return
    if far.sum() > tolerated:
        raise InvalidInput(f"in the log {path} {about}; cut it where its clock was set")
    notes.append(f"{about}; these lines were left out")
    number = np.cumsum(kept) - 1
    lines.readings = [reading for reading, keep in zip(lines.readings, kept, strict=True) if keep]
    lines.scans = [
        (beams, ranges, int(number[i])) for beams, ranges, i in lines.scans if kept[i]
    ]  # fmt: skip


def undo_set_back(lines: Lines, notes: list[str]) -> None:
    """Let time go on where a clock was set back; a single line out of order is not that."""
    stamps = np.array([reading[0] for reading in lines.readings])
    falls = []
    for k in np.flatnonzero(np.diff(stamps) < -SET_BACK) + 1:
        before, after = stamps[max(0, k - AROUND) : k], stamps[k : k + AROUND]
        if np.median(before) - np.median(after) > SET_BACK:
            falls.append(float(stamps[k - 1] - stamps[k]))
            stamps[k:] += falls[-1] + GRAIN
    if falls:
        notes.append(
            f"the clock was set back by {', '.join(f'{fall:.0f}' for fall in falls)} s; "
            "later times were moved on to follow the earlier ones"
        )
        lines.readings = [
            (stamp, *reading[1:])
            for stamp, reading in zip(stamps.tolist(), lines.readings, strict=True)
        ]


def in_order(rows: list[Reading]) -> tuple[Array, Array, int, int]:
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
