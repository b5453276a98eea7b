"""Where the centre of a base may be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import INSCRIBED, NO_INFORMATION, Costmap
from mecano.planning.navigation.footprint_check import is_pose_free
from mecano.planning.navigation.grid_search import Cell


@dataclass(frozen=True, eq=False, kw_only=True)
class FreeSpace:
    """Where the centre of a base may be, and what it costs to be there."""

    costmap: Costmap
    free: NDArray[np.bool_]
    """Shape (height, width)."""
    weight: NDArray[np.float32]
    """Cost per length, at least 1. Same shape."""
    allow_unknown: bool

    @classmethod
    def of(
        cls, costmap: Costmap, *, cost_weight: float = 3.0, allow_unknown: bool = False
    ) -> "FreeSpace":
        """Return the free space of a costmap.

        Args:
            costmap: Its cells.
            cost_weight: A length next to an obstacle counts 1 + this times.
            allow_unknown: Whether unknown cells may be entered.
        """
        cost = costmap.cost
        steps = np.arange(256, dtype=np.float32)
        steps[INSCRIBED:] = 0.0
        table = np.float32(1.0) + np.float32(cost_weight / (INSCRIBED - 1)) * steps
        free = cost < INSCRIBED
        if allow_unknown:
            free |= cost == NO_INFORMATION
        return cls(costmap=costmap, free=free, weight=table[cost], allow_unknown=allow_unknown)

    @property
    def heading_matters(self) -> bool:
        """Whether the outline differs from its inscribed circle by more than a cell."""
        outline = self.costmap.footprint
        difference = outline.circumscribed_radius - outline.inscribed_radius
        return not outline.round and difference > self.costmap.resolution

    def fits(self, pose: Pose2) -> bool:
        """Whether the outline is free at a pose whose cell is."""
        return not self.heading_matters or is_pose_free(self.costmap, pose)

    def nearest_free(self, cell: Cell, within: float) -> Cell | None:
        """Return the free cell nearest to one, if there is one within a distance [m]."""
        reach = int(within / self.costmap.resolution + 1e-9)
        row, column = cell
        top, left = max(0, row - reach), max(0, column - reach)
        there = np.argwhere(self.free[top : row + reach + 1, left : column + reach + 1])
        if not len(there):
            return None
        away = ((there + np.array([top - row, left - column])) ** 2).sum(axis=1)
        best = int(away.argmin())
        if away[best] > reach * reach:
            return None
        return int(there[best, 0]) + top, int(there[best, 1]) + left
