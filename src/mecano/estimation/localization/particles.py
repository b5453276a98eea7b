"""Weighted samples of a pose: how many are needed, drawn anew, and in clusters."""

from dataclasses import dataclass
from math import atan2, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.core.poses.rotations import wrap_angle

BIN = 0.5
"""Side of a bin of the histogram [m]; AMCL's."""
BIN_TURN = np.deg2rad(10.0)
"""And how far it reaches in heading [rad]."""
_TURNS = 36
_SIDE = 1 << 20
"""More bins than any map has along a side."""

MOST_CLUSTERS = 5
"""No more are looked at."""
_NEIGHBOURS = [
    (dx, dy, dt) for dx in (-1, 0, 1) for dy in (-1, 0, 1) for dt in (-1, 0, 1)
    if (dx, dy, dt) > (0, 0, 0)
]  # fmt: skip
"""Half of the bins around one; the others have it on their list."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """Particles that hang together."""

    weight: float
    """Of all of them."""
    pose: Pose2
    """Their mean."""
    covariance: Array
    """Of x, y [m2] and yaw [rad2]. Shape (3, 3)."""


def bins(poses: Array) -> NDArray[np.int64]:
    """Return a number for the bin of each pose. Shape (n,)."""
    places = np.floor(poses[:, :2] / BIN).astype(np.int64) + _SIDE // 2
    turns = np.floor(np.mod(poses[:, 2], 2.0 * np.pi) / BIN_TURN).astype(np.int64) % _TURNS
    return (places[:, 0] * _SIDE + places[:, 1]) * _TURNS + turns


def kld_count(bins_filled: ArrayLike, error: float, z: float) -> Array:
    """Return how many samples are needed for a distribution that fills so many bins.

    Fox, "Adapting the sample size in particle filters through KLD-sampling", 2003, equation 14.

    Args:
        bins_filled: Any shape; at most one bin needs one sample.
        error: Allowed Kullback-Leibler distance.
        z: Upper quantile of the standard normal distribution.
    """
    k = np.maximum(np.asarray(bins_filled, dtype=np.float64) - 1.0, 1e-9)
    part = 2.0 / (9.0 * k)
    needed = k / (2.0 * error) * (1.0 - part + np.sqrt(part) * z) ** 3
    return np.where(np.asarray(bins_filled) <= 1, 1.0, np.ceil(needed))


def needed(
    poses: Array, weights: Array, *, least: int, most: int, error: float, z: float,
    rng: np.random.Generator,
) -> int:  # fmt: skip
    """Return how many samples represent weighted poses: samples are drawn until they are enough."""
    bin_of = bins(poses)
    all_bins = len(np.unique(bin_of[weights > 0.0]))
    most = min(most, max(least, int(kld_count(all_bins, error, z))))
    if most == least:
        return least
    drawn = bin_of[rng.choice(len(poses), size=most, p=weights)]
    _, first = np.unique(drawn, return_index=True)
    filled = np.zeros(most)
    filled[first] = 1.0
    enough = np.arange(1, most + 1) >= kld_count(np.cumsum(filled), error, z)
    enough[: least - 1] = False
    return int(np.argmax(enough)) + 1 if enough.any() else most


def low_variance(weights: Array, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return indices of samples, each as often as its weight asks, to within one.

    Probabilistic Robotics, table 4.4: one random number, then equal strides.
    """
    strides = (rng.random() + np.arange(count)) / count
    sums = np.cumsum(weights)
    return np.minimum(np.searchsorted(sums / sums[-1], strides), len(weights) - 1)


def clusters(poses: Array, weights: Array) -> list[Cluster]:
    """Return what hangs together, the heaviest first. Bins that touch are one cluster."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    keys, member = np.unique(bins(poses), return_inverse=True)
    turns, places = keys % _TURNS, keys // _TURNS
    links = []
    for dx, dy, dt in _NEIGHBOURS:
        wanted = (places + dx * _SIDE + dy) * _TURNS + (turns + dt) % _TURNS
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found = np.flatnonzero(keys[at] == wanted)
        links.append(np.stack([found, at[found]]))
    rows, columns = np.concatenate(links, axis=1)
    shape = (len(keys), len(keys))
    count, labels = connected_components(coo_array((np.ones(len(rows)), (rows, columns)), shape))
    label = labels[member]
    total = np.bincount(label, weights=weights, minlength=count)
    order = np.argsort(-total, kind="stable")
    return [_cluster(poses[label == k], weights[label == k]) for k in order[:MOST_CLUSTERS]]


def _cluster(poses: Array, weights: Array) -> Cluster:
    """Return the weighted mean and spread of poses."""
    total = float(weights.sum())
    share = weights / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights))
    x, y = (share @ poses[:, :2]).tolist()
    c, s = float(share @ np.cos(poses[:, 2])), float(share @ np.sin(poses[:, 2]))
    yaw = atan2(s, c)
    off = np.column_stack([poses[:, 0] - x, poses[:, 1] - y, wrap_angle(poses[:, 2] - yaw)])
    return Cluster(total, Pose2(x, y, yaw), (share[:, None] * off).T @ off)


def spread(poses: Array, weights: Array, pose: Pose2) -> float:
    """Return how far particles are from a pose, root of the mean square [m]."""
    off = poses[:, :2] - (pose.x, pose.y)
    return sqrt(float(weights @ (off * off).sum(axis=1)))
