"""Where a scan fits into a local map, and how sure that is.

A search by branch and bound finds the best place in a window, however wrong odometry was. From
there Gauss-Newton steps slide the returns onto the lines of the map (point to line). The
information is that of the lines alone: along a bare corridor there is none.
"""

from dataclasses import dataclass
from functools import cache
from math import ceil, pi

import numpy as np

from mecano.core.arrays import Array
from mecano.estimation.slam.clouds import Cloud
from mecano.estimation.slam.field import LEVELS, Field
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.settings import SlamSettings

PENALTY = 0.015
"""Score that a place loses per half squared deviation from where odometry has it (EST)."""
BUDGET = 400_000
"""Blocks that one search looks at, at most."""
NEAR, FAR = 1.0, 10.0
"""One turn of the search moves a far return by a cell; what counts as far is bounded [m]."""
STEPS = 12
"""Gauss-Newton steps, at most."""


@dataclass(frozen=True, eq=False)
class Found:
    """The best place of a search."""

    pose: Array
    """x, y [m], yaw [rad], on the grid of the search. Shape (3,)."""
    score: float
    """0 to 1: how likely the returns are there, less the penalty for leaving odometry."""
    second: float
    """Score of the best place apart from this one; zero if there is none worth naming."""


@dataclass(frozen=True, eq=False)
class Match:
    """Where a scan was slid to."""

    pose: Array
    """x, y [m], yaw [rad]. Shape (3,)."""
    information: Array
    """Of the scan alone, x and y along the axes of the map. Shape (3, 3)."""
    rms: float
    """Weighted distance of the returns from the lines [m]."""
    share: float
    """Share of the returns that found a partner."""


def search(
    field: Field,
    cloud: Cloud,
    expected: Array,
    *,
    deviation: tuple[float, float],
    window: tuple[float, float],
    apart: float = 0.5,
    unique: float = 1.0,
    floor: float = -1e9,
) -> Found:
    """Find the best place in a window around an expected pose.

    Args:
        field: The local map.
        cloud: Returns of the scan; an evenly taken part is used.
        expected: x, y [m], yaw [rad].
        deviation: Of the expected pose [m], [rad]: places further off lose score.
        window: How far to search to each side [m], [rad].
        apart: Distance to a second place [m].
        unique: Second places are searched down to this share of the best score.
        floor: Places with a lower score are of no interest; the fewer are, the faster it is. If
            there is none, the score that comes back is negative.
    """
    settings = field.settings
    cell = settings.search_cell
    stride = max(1, len(cloud) // settings.search_returns)
    points = np.ascontiguousarray(cloud.points[stride // 2 :: stride])
    ranges = np.sort(np.hypot(points[:, 0], points[:, 1]))
    far = min(max(float(ranges[len(ranges) * 4 // 5]), NEAR), FAR)
    turns = _turns(min(window[1], pi), cell / far)
    shift = max(1, ceil(window[0] / cell))
    levels = min(max(1, (2 * shift + 1).bit_length() - 2), LEVELS)
    box, pyramid = field.pyramid(levels)
    cells = np.empty((len(turns), len(points), 2), dtype=np.int32)
    kernels().turned_cells(points, expected[2], turns, expected[0], expected[1], box, cells)
    score, turn, row, column, second, _ = kernels().branch(
        pyramid, cells, turns / deviation[1], shift, deviation[0] / cell, PENALTY, apart / cell,
        BUDGET, unique, floor,
    )  # fmt: skip
    pose = expected + np.array([column * cell, row * cell, turns[turn]])
    return Found(pose, float(score), float(second))


def refine(
    field: Field,
    cloud: Cloud,
    start: Array,
    *,
    expected: Array | None = None,
    trust: Array | None = None,
) -> Match:
    """Slide a scan onto the lines of a field.

    Args:
        field: The local map.
        cloud: Returns of the scan.
        start: Where to begin: x, y [m], yaw [rad]; within the reach of the settings.
        expected: Where odometry has it, and
        trust: the information of that, along the axes of the map. Shape (3, 3).
    """
    settings = field.settings
    H, pose = np.zeros((3, 3)), np.empty(3)
    rms, share = kernels().refine(
        field.index, field.box, field.known, (cloud.points, cloud.normals, cloud.kinds), start,
        start if expected is None else expected, np.zeros((3, 3)) if trust is None else trust,
        settings.noise, gates(settings), settings.soft, settings.corner, settings.blur, H, pose,
    )  # fmt: skip
    return Match(pose, H * counted(len(cloud), settings), float(rms), float(share))


def counted(returns: int, settings: SlamSettings) -> float:
    """Return what one return of a scan counts, as they do not err independently of each other."""
    return min(1.0 / settings.correlation, settings.independent / max(returns, 1))


@cache
def gates(settings: SlamSettings) -> Array:
    """Return how far apart pairs may be in each step of the refinement [m]."""
    return np.array([max(settings.reach * 0.7**k, 2.0 * settings.soft) for k in range(STEPS)])


def _turns(window: float, step: float) -> Array:
    """Return turns to try, from the middle outwards, so that equal scores go to the nearer."""
    count = max(1, ceil(window / step))
    turns = np.zeros(2 * count + 1)
    turns[2::2] = np.arange(1, count + 1) * (window / count)
    turns[1::2] = -turns[2::2]
    return turns
