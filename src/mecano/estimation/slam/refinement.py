"""The last centimetres: every keyframe matched to its neighbours in space, pair by pair."""

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.estimation.slam.edges import Edges, in_axes_of
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.scan_matching import counted, gates

PARTNERS = 0.4
"""Share of returns that two neighbours must have in common."""
HELD = np.diag([0.1**-2, 0.1**-2, 0.05**-2])
"""Keyframes are held where they are by this much: 0.1 m, 3 degrees."""
FEWEST = 20
"""Returns that a keyframe needs to be matched."""
VISIT = 10
"""Keyframes further apart than this in the order of time belong to different visits."""
FIRST = 10.0
"""The nearest of every visit is preferred by so many metres."""
TURN = 1.0
"""Metres that a difference of one radian in heading counts for when neighbours are chosen."""


def neighbours(poses: Array, count: int, distance: float) -> NDArray[np.int64]:
    """Return pairs of poses that saw the same place, the earlier first. Shape (pairs, 2).

    Each has at most `count` earlier partners: first the ones just before it, then the nearest of
    every other visit, then whoever is near.

    Args:
        poses: x, y [m], yaw [rad], in the order of time. Shape (n, 3).
        count: At most so many each.
        distance: How far apart two may be [m].
    """
    chosen = np.full((len(poses), count), -1, dtype=np.int64)
    kernels().choose_partners(poses, distance, TURN, VISIT, FIRST, chosen)
    late, column = np.nonzero(chosen >= 0)
    pairs = np.stack([chosen[late, column], late], axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def match_neighbours(keyframes: Keyframes, pairs: NDArray[np.int64]) -> Edges:
    """Match the second of every pair to the first alone; return what that says.

    Args:
        keyframes: At poses that are good to the reach of the refinement.
        pairs: Sorted. Shape (pairs, 2).
    """
    settings, store = keyframes.settings, keyframes.store
    sizes = np.diff(store.starts[: len(store) + 1])
    pairs = pairs[(sizes[pairs] >= FEWEST).all(axis=1)]
    measured, information = np.empty((len(pairs), 3)), np.empty((len(pairs), 3, 3))
    shares = np.empty(len(pairs))
    kernels().match_pairs(
        store.points, store.normals, store.kinds, store.starts, keyframes.poses,
        np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]),
        settings.reach + settings.cell, settings.cell, round(settings.reach / settings.cell),
        settings.noise, gates(settings), settings.soft, settings.corner, settings.blur, HELD,
        measured, information, shares,
    )  # fmt: skip
    good = shares >= PARTNERS
    weights = np.array([counted(size, settings) for size in sizes[pairs[good, 1]].tolist()])
    known = in_axes_of(measured[good, 2], information[good] * weights[:, None, None])
    return Edges(pairs[good], measured[good], known, np.ones(int(good.sum()), dtype=np.bool_))
