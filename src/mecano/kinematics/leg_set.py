"""All legs of a crawler at once: where their tips are, and the joints that bring them somewhere.

The same geometry as `LegSolver`, one row per leg, for code that runs many times per second.
"""

from collections.abc import Sequence

import numpy as np

from mecano.core.arrays import Array
from mecano.kinematics.legs import BRANCHES, LegChain

_SIDES = {name: -1.0 if name.startswith("folded") else 1.0 for name in BRANCHES}
_BENDS = {name: -1.0 if name.endswith("up") else 1.0 for name in BRANCHES}


class LegSet:
    """Legs side by side. Points are in the body's frame [m], joint values in rad."""

    def __init__(self, chains: Sequence[LegChain]) -> None:
        """Read the measures off the chains."""
        from mecano.kinematics.leg_set_kernel import joints_at, tips_of

        self._tips_of, self._joints_at = tips_of, joints_at
        self.chains = tuple(chains)
        legs = [chain.leg for chain in chains]
        self.axes = np.array([[leg.axis_x, leg.axis_y] for leg in legs])
        measures = np.array([[g.beside, g.coxa, g.height, g.thigh, g.shin] for g in legs])
        self._measures = np.hstack([self.axes, measures])
        self.beside, self.coxa, self.height, self.thigh, self.shin = measures.T
        self.signs, self.offsets = (np.array([getattr(g, n) for g in legs]) for n in _ANGLES)
        self.lower, self.upper = (np.array([getattr(g, n) for g in legs]) for n in _LIMITS)

    def tips(self, q: Array) -> Array:
        """Return where the tips are. Shape (legs, 3) in and out."""
        return self._tips_of(q, self._measures, self.signs, self.offsets)

    def inverse(self, points: Array, branch: str = "up") -> Array:
        """Return joint values that bring the tips to points; NaN rows where a leg cannot.

        Args:
            points: One per leg. Shape (legs, 3).
            branch: Which of the ways to a point, see `legs.BRANCHES`.
        """
        return self._joints_at(
            points, self._measures, self.signs, self.offsets, self.lower, self.upper,
            _SIDES[branch], _BENDS[branch],
        )  # fmt: skip

    def jacobians(self, q: Array) -> Array:
        """Return how the tips move with the joints [m/rad]. Shape (legs, 3, 3)."""
        heading, raised, knee = (self.signs * q + self.offsets).T
        shin = raised + knee
        front = self.coxa + self.thigh * np.cos(raised) + self.shin * np.cos(shin)
        c, s = np.cos(heading), np.sin(heading)
        J = np.zeros((len(q), 3, 3))
        J[:, 0, 0] = -front * s + self.beside * c
        J[:, 1, 0] = front * c + self.beside * s
        back = -self.thigh * np.sin(raised) - self.shin * np.sin(shin)
        rise = self.thigh * np.cos(raised) + self.shin * np.cos(shin)
        back_3, rise_3 = -self.shin * np.sin(shin), self.shin * np.cos(shin)
        J[:, 0, 1], J[:, 1, 1], J[:, 2, 1] = back * c, back * s, rise
        J[:, 0, 2], J[:, 1, 2], J[:, 2, 2] = back_3 * c, back_3 * s, rise_3
        return J * self.signs[:, None, :]


_ANGLES, _LIMITS = ("signs", "offsets"), ("lower", "upper")
