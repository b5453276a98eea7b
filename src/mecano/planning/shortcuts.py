"""Making a path of joints shorter: straight ways between places on it, where these are free."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array

if TYPE_CHECKING:
    from mecano.planning.free_motion import JointSpace

IN_VAIN = 15
"""After this many attempts in a row that gained nothing, the path is short enough."""
WORTHWHILE = 2e-3
"""What an attempt must gain, as part of the length."""
SAME = 1e-12
"""Places on a path nearer than this part of its length are one."""


def path_length(path: Array, weights: Array | float = 1.0) -> float:
    """Return how long a path is: the joints' ways, each by its weight, squared and added up."""
    return float(np.linalg.norm(np.diff(path, axis=0) * weights, axis=1).sum())


def shorten(path: Array, space: "JointSpace", *, rng: np.random.Generator, attempts: int) -> Array:
    """Return a shorter path with the same ends; every way on it was looked at as before.

    Random pairs of places on the path are joined: by a straight way of all joints, or of a single
    one while the others go on as before. In the end, points that are not needed are left out.

    Args:
        path: Free at the resolution of the space. Shape (k, n).
        space: Tells what is free.
        rng: Draws the pairs.
        attempts: How many pairs of each kind, at most.
    """
    path = without_spare_points(path, space)
    length, in_vain = path_length(path, space.weights), 0
    for _ in range(attempts):
        if len(path) < 3 or in_vain == IN_VAIN:
            break
        path = _cut_across(path, space, rng)
        path = _straighten_joint(path, space, rng)
        before, length = length, path_length(path, space.weights)
        in_vain = in_vain + 1 if length > before * (1.0 - WORTHWHILE) else 0
    return without_spare_points(path, space)


def without_spare_points(path: Array, space: "JointSpace") -> Array:
    """Return the path without points whose neighbours can be joined, far neighbours first."""
    kept = [path[0]]
    i = 0
    while i < len(path) - 1:
        i = next(
            j for j in range(len(path) - 1, i, -1) if j == i + 1 or space.connects(path[i], path[j])
        )
        kept.append(path[i])
    return np.array(kept)


def _cut_across(path: Array, space: "JointSpace", rng: np.random.Generator) -> Array:
    """Join two random places by a straight way."""
    (i, one), (j, other) = _two_places(path, space, rng)
    if i == j or not _joined(space, [path[i], one, other, path[j + 1]], first=1):
        return path
    return _without_doubles(np.vstack([path[: i + 1], one, other, path[j + 1 :]]))


def _straighten_joint(path: Array, space: "JointSpace", rng: np.random.Generator) -> Array:
    """Let a single joint go evenly between two random places; the others keep to their ways."""
    (i, one), (j, other) = _two_places(path, space, rng)
    joint = int(rng.integers(space.size))
    if i == j:
        return path
    piece = np.vstack([one, path[i + 1 : j + 1], other])
    along = _places(piece, space)
    evened = piece.copy()
    evened[:, joint] = piece[0, joint] + along / along[-1] * (piece[-1, joint] - piece[0, joint])
    saved = path_length(piece, space.weights) - path_length(evened, space.weights)
    if saved <= 1e-6 * along[-1]:
        return path
    if not _joined(space, [path[i], *evened, path[j + 1]], first=1):
        return path
    return _without_doubles(np.vstack([path[: i + 1], evened, path[j + 1 :]]))


def _joined(space: "JointSpace", points: list[Array], *, first: int) -> bool:
    """Tell whether the ways from point to point are free; the one with number `first` comes first.

    The remains of old pieces are looked at again, since steps on them begin elsewhere now.
    """
    ways = list(pairwise(points))
    ways.insert(0, ways.pop(first))
    return space.free(np.array(points[1:-1])) and all(space.connects(*way) for way in ways)


def _places(path: Array, space: "JointSpace") -> Array:
    """Return how far along the path each of its points is. Shape (k,)."""
    ways = np.linalg.norm(np.diff(path, axis=0) * space.weights, axis=1)
    return np.concatenate([[0.0], np.cumsum(ways)])


def _two_places(
    path: Array, space: "JointSpace", rng: np.random.Generator
) -> tuple[tuple[int, Array], tuple[int, Array]]:
    """Return two random places in order, each with the number of the piece it lies on."""
    along = _places(path, space)
    found = []
    for s in np.sort(rng.uniform(0.0, along[-1], 2)):
        i = min(int(np.searchsorted(along, s, side="right")) - 1, len(path) - 2)
        part = (s - along[i]) / max(along[i + 1] - along[i], SAME)
        found.append((i, path[i] + part * (path[i + 1] - path[i])))
    return found[0], found[1]


def _without_doubles(path: Array) -> Array:
    apart = np.abs(np.diff(path, axis=0)).max(axis=1) > SAME
    kept = path[np.append(True, apart)]
    kept[-1] = path[-1]
    return kept
