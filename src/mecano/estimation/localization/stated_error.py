"""The covariance that a filter states: what it may be wrong by, not only what one scan leaves open.

One match of a scan says to within millimetres where its readings fit best. But a map is wrong by
more than that, and all readings of a scan are wrong with it: so how far readings end from the walls
is learnt and added. Other places that the particles, or a search for a lost base, hold likely are
added by their weight, and a scan that fits badly widens the error by what the base may have driven.
"""

from math import pi

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.core.poses.rotations import wrap_angle
from mecano.estimation.localization.particles import Cluster
from mecano.estimation.localization.population import Population

MISFIT, LEARNT = 0.05, 0.05
"""How far readings end from walls before a scan has told [m], and how fast it is learnt."""
WORSE = 1.2
"""The pose is wrong by so many times as much: on six logs 1.0 covers 91 to 98 %."""
LEVER = 3.0
"""A map that is wrong by a distance turns the base by that over this [m] (EST)."""
SURE = 0.02
"""Places elsewhere that are less likely than this do not reach into a bound of 95 %."""
CHI2_95 = 5.991
"""The 95 % quantile of chi-squared with two degrees of freedom."""
ENOUGH, PART = 0.7, 0.25
"""A scan of less than this part of the usual fit is doubtful. If nothing fits, the base may be off
by this part of what it may have driven (EST)."""


class StatedError:
    """Learns how well a map fits and says how wrong a pose may be."""

    def __init__(self, resolution: float) -> None:
        """Begin without a scan, in a map of cells of a side [m]."""
        self._misfit_variance, self._cell_variance = MISFIT**2, (0.5 * resolution) ** 2
        self._unseen = 0.0

    def note(self, distances: Array, field_of_view: float) -> None:
        """Take how well a scan fits.

        Args:
            distances: How far the readings that are of walls end from them [m]. Shape (n,).
            field_of_view: Of the scan [rad].
        """
        self._unseen = max(0.0, 1.0 - field_of_view / (2.0 * pi))
        if len(distances):
            now = float(np.mean(np.square(distances)))
            self._misfit_variance += LEARNT * (now - self._misfit_variance)

    @property
    def misfit(self) -> Array:
        """Covariance of what the map is wrong by. Shape (3, 3).

        Errors of cells average out around a base; a scan that sees a part of its surroundings
        keeps those of that part.
        """
        variance = WORSE**2 * self._misfit_variance + self._unseen * self._cell_variance
        return variance * np.diag([1.0, 1.0, 1.0 / LEVER**2])

    def covariance(self, matched: Array, fit: float, reach: float, elsewhere: Array) -> Array:
        """Return the covariance to state. Shape (3, 3).

        Args:
            matched: Of the scan and the particles. Shape (3, 3).
            fit: Likelihood of a typical beam, in parts of the usual.
            reach: How far the base may have driven since a scan fitted [m].
            elsewhere: What other places add. Shape (3, 3).
        """
        doubt = PART * reach * float(np.clip(1.0 - fit / ENOUGH, 0.0, 1.0))
        widened = doubt**2 * np.diag([1.0, 1.0, 1.0 / LEVER**2])
        return matched + self.misfit + widened + elsewhere


def other_places(tracked: Population, best: Cluster, pose: Pose2) -> Array:
    """Return what particles outside the best cluster add to the covariance. Shape (3, 3)."""
    if best.weight > 1.0 - SURE:
        return np.zeros((3, 3))
    moment = _moment(tracked, pose)
    away = np.array([best.pose.x - pose.x, best.pose.y - pose.y, 0.0])
    inside = best.weight * (best.covariance + np.outer(away, away))
    values, vectors = np.linalg.eigh(moment - inside)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def searched_places(search: Population | None, doubt: float, pose: Pose2) -> Array:
    """Return what a search for a lost base adds, by how likely it is right. Shape (3, 3)."""
    if search is None or doubt < SURE:
        return np.zeros((3, 3))
    return doubt * _moment(search, pose)


def _moment(population: Population, pose: Pose2) -> Array:
    """Return the weighted second moment of particles about a pose. Shape (3, 3)."""
    off = population.poses - (pose.x, pose.y, pose.yaw)
    off[:, 2] = wrap_angle(off[:, 2])
    return (population.weights[:, None] * off).T @ off


def bound_95(covariance: Array) -> float:
    """Return the distance that a position is within with 95 %, along its worst direction [m]."""
    return float(np.sqrt(CHI2_95 * np.linalg.eigvalsh(covariance[:2, :2])[-1]))
