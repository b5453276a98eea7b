"""A weighted set of poses that a motion model moves, scans weigh and resampling thins."""

from collections.abc import Callable
from math import log

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.estimation.localization.motion_models import sample_motion
from mecano.estimation.localization.particles import Cluster, clusters, low_variance, needed
from mecano.estimation.localization.settings import AmclSettings


class Population:
    """Particles of one hypothesis: the tracked robot, or one that may be anywhere in the map."""

    def __init__(self, poses: Array, weights: Array | None = None) -> None:
        """Take poses, shape (n, 3), of equal weight unless weights are given, shape (n,)."""
        self.poses = poses
        self.weights = np.full(len(poses), 1.0 / len(poses)) if weights is None else weights

    def move(self, step: Pose2, settings: AmclSettings, rng: np.random.Generator) -> None:
        """Move every particle by a step of odometry, each with an error of its own."""
        model = settings.odom_model_type
        self.poses = sample_motion(self.poses, step, settings.alphas, model, rng)

    def weigh(self, log_weights: Array) -> float:
        """Multiply the weights by likelihoods; return the log of the evidence, their mean."""
        largest = float(log_weights.max())
        weights = self.weights * np.exp(log_weights - largest)
        total = float(weights.sum())
        self.weights = weights / total
        return largest + log(total)

    def add(self, other: "Population", share: float) -> None:
        """Add particles that together get a share of the weight."""
        self.poses = np.concatenate([self.poses, other.poses])
        self.weights = np.concatenate([(1.0 - share) * self.weights, share * other.weights])

    def best(self) -> Cluster:
        """Return the heaviest cluster."""
        return clusters(self.poses, self.weights)[0]

    def resample(self, settings: AmclSettings, rng: np.random.Generator) -> None:
        """Draw as many particles as their spread needs (KLD), each as often as its weight asks."""
        s = settings
        if s.selective_resampling and float(self.weights @ self.weights) * len(self.weights) < 2:
            return
        count = needed(
            self.poses, self.weights, least=s.min_particles, most=s.max_particles,
            error=s.kld_err, z=s.kld_z, rng=rng,
        )  # fmt: skip
        self.__init__(self.poses[low_variance(self.weights, count, rng)])


def promising(
    candidates: Array, log_weights: Callable[[Array], Array], count: int, rng: np.random.Generator
) -> tuple[Population, float]:
    """Return the candidates that a scan makes likely, and the log of the evidence for them all.

    Args:
        candidates: Poses of equal weight before the scan. Shape (n, 3).
        log_weights: Returns the logarithms of their likelihoods. Shape (n,).
        count: Particles to draw.
        rng: Drawn from once.
    """
    everywhere = Population(candidates)
    evidence = everywhere.weigh(log_weights(candidates))
    return Population(candidates[low_variance(everywhere.weights, count, rng)]), evidence
