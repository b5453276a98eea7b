"""A path at random, with stamps that rise."""

import numpy as np

from mecano.core.poses.planar_arrays import compose_all


def walk(rng, n=60):
    stamps = np.cumsum(rng.uniform(0.1, 0.5, n))
    poses = np.zeros((n, 3))
    for k in range(1, n):
        poses[k] = compose_all(poses[k - 1], rng.normal([0.3, 0.0, 0.0], [0.05, 0.05, 0.3]))
    return stamps, poses
