"""Where a map may be wrong, and by how much, as the mapper itself can tell.

Four things make a stretch doubtful: no scan could be matched there, odometry was overruled, later
visits contradict a step, or the walls of two visits contradict each other. A fifth is that two
visits lie side by side in the map and nothing joins them: then they may be further apart.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mecano.estimation.slam.edges import Edges
from mecano.estimation.slam.free_space import MARGIN, contradictions
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.loops import LEVER
from mecano.estimation.slam.mapper import Doubt
from mecano.estimation.slam.refinement import VISIT, neighbours

UNMATCHED = "no scan matched: odometry alone places it"
OVERRULED = "odometry was wrong: scans overruled it"
CONTRADICTED = "a step contradicts all later visits"
WALLS = "walls of two visits contradict each other"
UNJOINED = "another visit lies near, and nothing joins the two"

CONTRADICTING = 0.2
"""Share of returns of two scans that must contradict each other to be told; people moving about
make up to half of that."""
LOOSE = 0.5
"""Standard deviation between two visits that is told [m]."""
SAMPLES = 200
"""Keyframes that are asked how sure their other visits are."""
GAP = 5
"""Doubtful keyframes no further apart than this make one stretch."""

Marks = dict[int, float]
"""Doubtful keyframes, each with how far it may be off [m]."""


def find_doubts(
    keyframes: Keyframes, edges: Edges, marks: Iterable[tuple[str, Marks]]
) -> tuple[Doubt, ...]:
    """Return doubtful stretches in the order of time.

    Args:
        keyframes: With their poses as estimated now.
        edges: What was measured between them.
        marks: Keyframes that are doubted already, by reason.
    """
    pairs = neighbours(keyframes.poses, keyframes.settings.neighbours, 2.5)
    pairs = pairs[pairs[:, 1] - pairs[:, 0] > VISIT]
    found = [
        *marks,
        (WALLS, _contradicting(keyframes, pairs)),
        (UNJOINED, _unjoined(keyframes, edges, pairs)),
    ]
    stretches = [
        doubt for reason, those in found for doubt in _stretches(keyframes.stamps, those, reason)
    ]
    return tuple(sorted(stretches, key=lambda doubt: (doubt.start, doubt.reason)))


def _contradicting(keyframes: Keyframes, pairs: NDArray[np.int64]) -> Marks:
    """Return keyframes whose walls other visits contradict."""
    shares = contradictions(keyframes.store, keyframes.poses, pairs)
    total, count = np.zeros(len(keyframes)), np.zeros(len(keyframes))
    for side in (0, 1):
        np.add.at(total, pairs[:, side], shares)
        np.add.at(count, pairs[:, side], 1.0)
    wrong = np.flatnonzero(total > CONTRADICTING * np.maximum(count, 1.0))
    return dict.fromkeys(wrong.tolist(), MARGIN)


def _unjoined(keyframes: Keyframes, edges: Edges, pairs: NDArray[np.int64]) -> Marks:
    """Return keyframes that are loosely joined to another visit of the same place."""
    marks: Marks = {}
    late = np.unique(pairs[:, 1])
    covariances = np.linalg.inv(edges.information)
    known = np.empty((len(keyframes), 3, 3))
    for number in late[:: max(1, len(late) // SAMPLES)].tolist():
        kernels().spread(number, keyframes.poses, edges.ends, covariances, LEVER, known)
        others = pairs[pairs[:, 1] == number, 0]
        off = np.sqrt(0.5 * (known[others, 0, 0] + known[others, 1, 1])).max()
        if off > LOOSE:
            marks[number] = float(off)
    return marks


def _stretches(stamps: list[float], marks: Marks, reason: str) -> list[Doubt]:
    """Return doubtful keyframes that lie close together as one each."""
    if not marks:
        return []
    numbers = np.array(sorted(marks))
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > GAP) + 1)
    return [
        Doubt(
            start=stamps[run[0]], end=stamps[run[-1]],
            error=round(max(marks[number] for number in run.tolist()), 3), reason=reason,
        )
        for run in runs
    ]  # fmt: skip
