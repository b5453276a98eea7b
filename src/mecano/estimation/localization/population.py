"""A weighted set of poses that a motion model moves, scans weigh and resampling thins."""

from math import log
from typing import NamedTuple

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.estimation.localization.motion_models import sample_motion
from mecano.estimation.localization.particles import Cluster, clusters, low_variance, needed
from mecano.estimation.localization.scan_models import ScanModel
from mecano.estimation.localization.settings import AmclSettings

CELLS, WITHIN = 1000, 30
"""So many candidates are sampled within the volume they stand for, and so often."""
CLOSELY = 1000
"""So many of these samples are looked at closely; the others are worse by far."""
SLIM = 1.5
"""A volume's side, by how far it reaches in heading [m/rad]: at this distance both move readings
equally far."""


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

    def evidence(self, log_weights: Array) -> float:
        """Return the log of the evidence alone."""
        largest = float(log_weights.max())
        return largest + log(float(self.weights @ np.exp(log_weights - largest)))

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


class Likelihood(NamedTuple):
    """How likely a scan is at poses."""

    model: ScanModel
    scan: LaserScan
    """With at least one reading."""
    longer: float
    """Added to its ranges [m]."""

    def rough(self, poses: Array) -> Array:
        """Return how near to walls readings end: smooth, so that few poses find the best places."""
        return self.model.nearness(poses, self.scan, longer=self.longer)

    def plain(self, poses: Array) -> Array:
        """Return the logarithms by the likelihood field, quickly. Shape (n,)."""
        fit = self.model.weigh(poses, self.scan, longer=self.longer)
        assert fit is not None
        return fit.log_weights

    def occluded(self, poses: Array) -> Array:
        """Return the logarithms where people may hide walls, see `ScanModel`. Shape (n,)."""
        fit = self.model.weigh_occluded(poses, self.scan, longer=self.longer)
        assert fit is not None
        return fit.log_weights

    def quality(self, pose: Array) -> float:
        """Return the likelihood of a typical beam at a pose, shape (1, 3), people and all."""
        fit = self.model.weigh_occluded(pose, self.scan, longer=self.longer)
        assert fit is not None
        return float(fit.qualities[0])


def promising(
    candidates: Array, volume: float, likelihood: Likelihood, count: int, rng: np.random.Generator
) -> tuple[Population, float]:
    """Return where a scan makes the base likely, and the log of the evidence for all candidates.

    Candidates are too sparse for the narrow peaks of a scan. So each stands for the volume around
    it: those whose readings end nearest to walls are sampled within, and the best of the samples
    are looked at closely, rays and all.

    Args:
        candidates: Poses of equal weight before the scan. Shape (n, 3).
        volume: That each of them stands for [m2 rad].
        likelihood: Of the scan.
        count: Particles to draw.
        rng: Drawn from.
    """
    cells = _largest(candidates, likelihood.rough(candidates), CELLS)
    side = float(np.cbrt(SLIM * volume))
    within = rng.uniform(-0.5, 0.5, size=(len(cells) * WITHIN, 3)) * (side, side, side / SLIM)
    samples = np.repeat(cells, WITHIN, axis=0) + within
    first = _largest(samples, likelihood.plain(samples), CLOSELY)
    drawn = Population(first)
    sampled = len(first) / len(samples) * len(cells) / len(candidates)
    evidence = drawn.weigh(likelihood.occluded(first)) + log(sampled)
    return Population(first[low_variance(drawn.weights, count, rng)]), evidence


def _largest(poses: Array, scores: Array, count: int) -> Array:
    """Return the poses of the largest scores, in the order they had."""
    if len(poses) <= count:
        return poses
    return poses[np.sort(np.argpartition(scores, -count)[-count:])]
