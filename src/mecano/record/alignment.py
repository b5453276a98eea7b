"""Two runs of one program laid on each other by what the joints were told.

The runs may begin at different times and wait differently long between two motions, because a
program waits until an arm has settled. So each motion is found in the other run by itself.
"""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array

STILL = 1e-3
"""Targets slower than this rest [rad/s or m/s]."""
SHORTEST = 0.05
"""What is shorter is not a motion but a jump of the target [s]."""
SLACK = 3
"""Ticks by which the beginnings of two equal motions may be found apart."""

Motion = tuple[int, int]
"""First row, and the row after the last."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Alignment:
    """Where the times of one run lie in the other."""

    likeness: float
    """1 if the shorter run is in the longer one, 0 if they have nothing in common."""
    shift: float
    """By how much the other run is later, in the middle [s]."""
    knots: tuple[Array, Array]
    """Begin and end of each motion in both runs [s]."""

    def other_time(self, times: Array) -> Array:
        """Return the times of the other run at which the same thing was commanded."""
        ours, others = self.knots
        inside = np.interp(times, ours, others)
        before = np.minimum(times - ours[0], 0.0)
        return inside + before + np.maximum(times - ours[-1], 0.0)


def align(times: Array, target: Array, other_times: Array, other_target: Array) -> Alignment | None:
    """Find the motions of one run in the other.

    Args:
        times: Of one run, at equal steps [s]. Shape (n,).
        target: Where its joints were told to be. Shape (n, joints); NaN where they were not.
        other_times: Of the other run, at the same steps. Shape (m,).
        other_target: Of the other run. Shape (m, joints).

    Returns:
        None if one of them has no motion.
    """
    step = float(times[1] - times[0])
    speed, other = _speed(target, step), _speed(other_target, step)
    ours, others = find_motions(target, step), find_motions(other_target, step)
    if not ours or not others:
        return None
    power = min(sum(_power(x, m) for m in each) for x, each in ((speed, ours), (other, others)))
    pairs, found = _match(speed, other, ours, others)
    if not pairs:
        return Alignment(likeness=0.0, shift=0.0, knots=(times[[0, -1]], other_times[[0, -1]]))
    edges = np.array([edge for motion, _ in pairs for edge in motion])
    later = np.array([edge + lag for (a, b), lag in pairs for edge in (a, b)])
    return Alignment(
        likeness=found / power,
        shift=float(np.median(later - edges) * step + other_times[0] - times[0]),
        knots=(
            times[edges.clip(0, len(times) - 1)],
            other_times[np.maximum.accumulate(later).clip(0, len(other_times) - 1)],
        ),
    )


def find_motions(target: Array, step: float) -> list[Motion]:
    """Return each time in which a joint is told to move."""
    moving = np.flatnonzero(np.abs(_speed(target, step)).max(axis=1) > STILL)
    if not len(moving):
        return []
    breaks = np.flatnonzero(np.diff(moving) > 1)
    begins, ends = moving[np.r_[0, breaks + 1]], moving[np.r_[breaks, len(moving) - 1]]
    lasting = (ends - begins) * step > SHORTEST
    return [(int(a), int(b) + 1) for a, b in zip(begins[lasting], ends[lasting], strict=True)]


def _speed(target: Array, step: float) -> Array:
    """Return how fast the targets move; where there are none, they rest."""
    return np.nan_to_num(np.gradient(target, step, axis=0))


def _power(speed: Array, motion: Motion) -> float:
    return float((speed[slice(*motion)] ** 2).sum())


def _match(
    speed: Array, other: Array, ours: list[Motion], others: list[Motion]
) -> tuple[list[tuple[Motion, int]], float]:
    """Pair the motions of two runs in order, so that the most of the motion is explained.

    Returns:
        The motions that have a partner, with their lags in rows, and what is explained in all.
    """
    n, m = len(ours), len(others)
    lags = np.zeros((n, m), int)
    gain = np.zeros((n, m))
    for i, motion in enumerate(ours):
        for j, partner in enumerate(others):
            lags[i, j], error = _best_lag(speed, other, motion, partner[0] - motion[0])
            gain[i, j] = max(_power(speed, motion) - error, 0.0)
    best = np.zeros((n + 1, m + 1))
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            paired = gain[i, j] + best[i + 1, j + 1]
            best[i, j] = max(paired, best[i + 1, j], best[i, j + 1])
    pairs, i, j = [], 0, 0
    while i < n and j < m:
        if gain[i, j] > 0.0 and best[i, j] == gain[i, j] + best[i + 1, j + 1]:
            pairs.append((ours[i], int(lags[i, j])))
            i, j = i + 1, j + 1
        elif best[i, j] == best[i + 1, j]:
            i += 1
        else:
            j += 1
    return pairs, float(best[0, 0])


def _best_lag(speed: Array, other: Array, motion: Motion, near: int) -> tuple[int, float]:
    """Return the lag near a guess at which a motion is most alike, and what is not alike then."""
    begin, end = motion
    found = []
    for lag in sorted(range(near - SLACK, near + SLACK + 1), key=lambda lag: abs(lag - near)):
        rest = speed[begin:end] - _rows(other, begin + lag, end + lag)
        found.append((float((rest**2).sum()), lag))
    error, lag = min(found, key=lambda each: each[0])
    return lag, error


def _rows(values: Array, begin: int, end: int) -> Array:
    """Return rows, zero where there are none."""
    inside = values[max(begin, 0) : max(end, 0)]
    before = min(max(-begin, 0), end - begin)
    after = end - begin - before - len(inside)
    return np.pad(inside, ((before, after), (0, 0)))
