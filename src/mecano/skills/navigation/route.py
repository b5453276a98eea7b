"""The global plan while it is driven: where the base is on it, what is left, whether it is free."""

from math import hypot

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import INSCRIBED, LETHAL, NO_INFORMATION, Costmap, Plan
from mecano.planning.navigation.footprint_check import cell_of

WINDOW = 1.0
"""The base is looked for this far ahead of where it was on the path [m]."""
LOOK_AHEAD = 4.0
"""The path is checked for obstacles this far ahead [m]."""
ASIDE = 0.25
"""A base further beside its path than this plans another one [m]."""
SHORTER = 0.9
"""Another plan takes the place of a free one if it is so much shorter."""


class Route:
    """A plan that was found, and how far the base is along it."""

    def __init__(self, plan: Plan) -> None:
        """Begin at its start."""
        self.plan, self.poses = plan, plan.poses
        steps = np.hypot(*np.diff(self.poses[:, :2], axis=0).T) if len(self.poses) > 1 else []
        self._along = np.concatenate([[0.0], np.cumsum(steps)])
        self._at = 0

    def ahead(self, pose: Pose2) -> Array:
        """Return the poses from the base on. Shape (n, 3)."""
        last = int(np.searchsorted(self._along, self._along[self._at] + WINDOW, side="right"))
        some = self.poses[self._at : max(last, self._at + 1)]
        far = np.hypot(some[:, 0] - pose.x, some[:, 1] - pose.y)
        self._at += int(np.argmin(far))
        return self.poses[self._at :]

    def left(self, pose: Pose2) -> float:
        """Return how far it is to the end, from where `ahead` last found the base [m]."""
        x, y, _ = self.poses[self._at]
        return float(self._along[-1] - self._along[self._at]) + hypot(x - pose.x, y - pose.y)

    def blocked_at(self, costmap: Costmap) -> tuple[float, float] | None:
        """Return the first point ahead where the base would touch an obstacle [m]; None if free."""
        for index in range(self._at, len(self.poses)):
            if self._along[index] - self._along[self._at] > LOOK_AHEAD:
                return None
            x, y, _ = self.poses[index].tolist()
            cell = cell_of(costmap, x, y)
            if cell is not None and INSCRIBED <= costmap.cost[cell] < NO_INFORMATION:
                return x, y
        return None

    def through_wall(self, costmap: Costmap) -> tuple[float, float] | None:
        """Return the first point of the whole path that lies in an obstacle [m]; None if none."""
        for x, y, _ in self.poses.tolist():
            cell = cell_of(costmap, x, y)
            if cell is not None and costmap.cost[cell] == LETHAL:
                return x, y
        return None

    def is_worse_than(self, plan: Plan, pose: Pose2) -> bool:
        """Tell whether another plan is much shorter, or the base has left this one."""
        x, y, _ = self.poses[self._at]
        left = hypot(x - pose.x, y - pose.y) > ASIDE
        return left or plan.length < SHORTER * self.left(pose)
