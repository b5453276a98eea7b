"""Whether scans contradict each other: one has a return where the other saw nothing.

A scan that was put into the wrong place often fits some walls by chance, but then its returns lie
in space that earlier beams crossed, or its beams cross walls that were seen before.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, Mask
from mecano.estimation.slam.clouds import Cloud, CloudStore
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.single_poses import relative

BINS = 360
"""Directions of a profile, all around."""
MARGIN, MARGIN_FAR = 0.3, 0.05
"""A return contradicts a beam that it is this much too short for [m], and so much per distance."""


def profile(cloud: Cloud) -> Array:
    """Return how far a scan saw in every direction [m]; 0 where nothing came back."""
    far = np.zeros(BINS)
    kernels().profile(cloud.points, far)
    return far


def contradiction(a: Cloud, b: Cloud, pose: Array) -> float:
    """Return the share of returns, of two scans, that lie in what the other saw free, 0 to 1.

    Args:
        a: One scan.
        b: The other.
        pose: Where the other was taken, seen from the one: x, y [m], yaw [rad].
    """
    seen, back = profile(a), relative(pose, np.zeros(3))
    wrong = kernels().in_free_space(b.points, pose, seen, MARGIN, MARGIN_FAR)
    wrong += kernels().in_free_space(a.points, back, profile(b), MARGIN, MARGIN_FAR)
    return wrong / max(len(a) + len(b), 1)


def seen_before(cloud: Cloud, others: Sequence[tuple[Cloud, Array]]) -> Mask:
    """Return which returns of a scan lie where one of some others could see. Shape (n,).

    Args:
        cloud: The scan.
        others: Others, each with the pose of the scan seen from it: x, y [m], yaw [rad].
    """
    seen = np.zeros(len(cloud), dtype=np.bool_)
    for other, pose in others:
        kernels().mark_seen(cloud.points, pose, profile(other), MARGIN, MARGIN_FAR, seen)
    return seen


def contradictions(store: CloudStore, poses: Array, pairs: NDArray[np.int64]) -> Array:
    """Return the contradiction of every pair of scans, 0 to 1. Shape (pairs,).

    Args:
        store: All scans.
        poses: Where they were taken: x, y [m], yaw [rad]. Shape (scans, 3).
        pairs: Numbers of two scans each. Shape (pairs, 2).
    """
    profiles, shares = np.zeros((len(poses), BINS)), np.zeros(len(pairs))
    kernels().contradictions(
        store.points, store.starts, poses, pairs, MARGIN, MARGIN_FAR, profiles, shares
    )
    return shares
