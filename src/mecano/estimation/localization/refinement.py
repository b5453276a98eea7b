"""A pose made better by its scan: Gauss-Newton on walls that are drawn soft.

What is added to all ranges is a fourth unknown. Scanners read too long or too short (a TiM551 by up
to 60 mm), and walls of a map lie a little behind where beams end, because beams that graze them
wear their cells off. Without it a scanner that looks ahead is always a little ahead itself.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mecano.core.arrays import Array
from mecano.core.compiled import first_call_notice
from mecano.core.poses import Pose2
from mecano.estimation.localization.likelihood_field import DistanceField

STEPS = 20
"""At most."""
SMALL = 2e-4
"""A step below this is the last one [m, rad]."""
LONGEST = 0.05
"""No step moves the pose by more [m, rad]: the soft walls are straight over no longer way."""
PRIOR_FLOOR = np.diag([0.05**2, 0.05**2, 0.02**2])
"""Added to the covariance of what is known before [m2, rad2]: particles are coarse."""
RESIDUAL = 0.3
"""How much a reading's residual varies, for what it weighs beside the prior (EST)."""


class Refined(NamedTuple):
    """Where a scan and what was known before agree."""

    pose: Pose2
    covariance: Array
    """Of the pose. Shape (3, 3)."""
    longer: float
    """What is added to all ranges [m]."""
    longer_variance: float
    """[m2]."""


@dataclass(frozen=True, eq=False)
class Refiner:
    """Moves poses so that readings end on walls."""

    field: DistanceField
    sigma: float
    """How wide walls are drawn [m]."""

    @cached_property
    def soft(self) -> Array:
        """1 on walls, falling to 0 beside them. Shape (height, width)."""
        return np.exp(-0.5 * (self.field.distances.astype(np.float64) / self.sigma) ** 2)

    def refine(
        self, start: Pose2, covariance: Array, points: Array, beams: Array, *, counted: float,
        longer: float = 0.0, longer_variance: float = 1e-12,
    ) -> Refined:  # fmt: skip
        """Return the pose that both the readings and the start make likely.

        Args:
            start: The mean of what is known before.
            covariance: Of it. Shape (3, 3).
            points: Where readings end, seen from the base [m]. Shape (m, 2).
            beams: Which way they look: unit vectors. Shape (m, 2).
            counted: They count for so many independent ones.
            longer: What is added to all ranges, as known before [m].
            longer_variance: Of it [m2].
        """
        from mecano.estimation.localization.scan_kernel import match_step

        origin, cell = self.field.grid.origin, self.field.grid.resolution
        R = np.eye(4)
        R[:2, :2] = origin.rotation_matrix()
        known = np.zeros((4, 4))
        known[:3, :3], known[3, 3] = covariance + PRIOR_FLOOR, longer_variance
        prior = np.linalg.inv(R.T @ known @ R)
        share = min(1.0, counted / max(len(points), 1)) / RESIDUAL**2
        here = self.field.in_grid(np.array([[start.x, start.y, start.yaw]]))[0]
        mean = np.append(here, longer)
        at, best, best_cost, information = mean, mean, np.inf, prior
        system = np.empty((5, 4))
        with first_call_notice(match_step):
            for _ in range(STEPS):
                away = at - mean
                cost = share * match_step(self.soft, cell, at, points, beams, system)
                cost += away @ prior @ away
                H = share * system[:4] + prior
                if cost < best_cost:
                    best, best_cost, information = at, cost, H
                step = np.linalg.solve(H, share * system[4] - prior @ away)
                step *= min(1.0, LONGEST / max(np.abs(step).max(), 1e-12))
                if np.abs(step).max() < SMALL:
                    break
                at = at + step
        spread = R @ np.linalg.inv(information) @ R.T
        pose = origin @ Pose2(*best[:3].tolist())
        return Refined(pose, spread[:3, :3], float(best[3]), float(spread[3, 3]))
