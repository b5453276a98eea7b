"""What odometry went from one keyframe to the next, and how far it can be trusted."""

from dataclasses import dataclass
from math import hypot

import numpy as np

from mecano.core.arrays import Array
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import compose

WINDOW = 4.0
"""The search reaches so many standard deviations of odometry to each side."""
LEAST_WINDOW = (0.2, 0.1)
"""And at least so far [m], [rad]."""
MOST_WINDOW = (2.0, 1.0)
"""And at most [m], [rad]."""
LOST = (1.0, 0.5)
"""Deviation of a step in which odometry jumped [m], [rad] (EST)."""
DOUBT = 3.0
"""What is doubted has so many times the deviation."""


@dataclass(frozen=True, eq=False)
class Step:
    """What odometry went, and how far it can be trusted."""

    moved: Array
    """x, y [m], yaw [rad], seen from where it began. Shape (3,)."""
    off: float
    """Deviation of the way [m]."""
    skid: float
    """Deviation of the turn [rad]."""

    def doubted(self) -> "Step":
        """Return the step, trusted much less."""
        return Step(self.moved, DOUBT * self.off, DOUBT * self.skid)

    @property
    def window(self) -> tuple[float, float]:
        """How far to search to each side [m], [rad]."""
        return (
            min(max(WINDOW * self.off, LEAST_WINDOW[0]), MOST_WINDOW[0]),
            min(max(WINDOW * self.skid, LEAST_WINDOW[1]), MOST_WINDOW[1]),
        )

    @property
    def information(self) -> Array:
        """Inverse covariance. Shape (3, 3)."""
        known = np.zeros((3, 3))
        known[0, 0] = known[1, 1] = self.off**-2
        known[2, 2] = self.skid**-2
        return known


class Odometer:
    """Adds up what odometry went since the last keyframe.

    How good it is was also learned while driving, from what sure matches said; on logs whose
    odometry errs now and then rather than always, that trusted it too much (tried, worse).
    """

    def __init__(self, settings: SlamSettings) -> None:
        self._settings = settings
        self._moved = np.zeros(3)
        self._way = self._turn = 0.0
        self._jumped = False

    def reset(self) -> None:
        """Begin anew: the keyframe is here."""
        self._moved = np.zeros(3)
        self._way = self._turn = 0.0
        self._jumped = False

    def go(self, moved: Array) -> None:
        """Add a step, seen from where it began; one that no base can drive counts as none."""
        way = hypot(moved[0], moved[1])
        if way > self._settings.jump:
            self._jumped = True
            return
        self._moved = compose(self._moved, moved)
        self._way += way
        self._turn += abs(moved[2])

    @property
    def step(self) -> Step:
        """All steps as one; their deviations grow with way and turn, not with their number."""
        settings = self._settings
        off = settings.odometry_floor + settings.slip * self._way
        skid = settings.odometry_floor + settings.skid * self._turn
        skid += settings.skid_by_way * self._way
        if self._jumped:
            off, skid = max(off, LOST[0]), max(skid, LOST[1])
        return Step(self._moved, off, skid)
