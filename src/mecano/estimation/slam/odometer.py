"""What odometry went from one keyframe to the next, and how far it can be trusted."""

from collections import deque
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
MEMORY = 60
"""Keyframes over which the quality of odometry is learned."""
BEST, WORST = 0.15, 2.0
"""Deviations are learned to be so many times those of the settings, at least and at most."""
MOST_PULLED = 4.0
"""A match that odometry pulled to less than this part of its own answer teaches nothing."""


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
        return np.diag([self.off**-2, self.off**-2, self.skid**-2])


class Odometer:
    """Adds up what odometry went since the last keyframe, and learns how good it is.

    Where matches are sure, they show what odometry was off. The median of that over the last
    keyframes, in units of what the settings expect, scales what is expected of the next.
    """

    def __init__(self, settings: SlamSettings) -> None:
        self._settings = settings
        self._slips: deque[float] = deque(maxlen=MEMORY)
        self._skids: deque[float] = deque(maxlen=MEMORY)
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
        off, skid = off * _learned(self._slips), skid * _learned(self._skids)
        if self._jumped:
            off, skid = max(off, LOST[0]), max(skid, LOST[1])
        return Step(self._moved, off, skid)

    def learn(self, off: Array, information: Array) -> None:
        """Take in how far a match was from what odometry expected.

        Args:
            off: The match, less the expected pose, along the axes of the map: x, y [m], yaw [rad].
            information: Of the match alone. Shape (3, 3).
        """
        step = self.step
        if self._jumped:
            return
        values, axes = np.linalg.eigh(information[:2, :2])
        surest, along = float(values[1]), float(axes[:, 1] @ off[:2])
        for seen, known, deviation, memory, scale in (
            (along, surest, step.off, self._slips, _learned(self._slips)),
            (
                float(off[2]),
                float(information[2, 2]),
                step.skid,
                self._skids,
                _learned(self._skids),
            ),
        ):
            pulled = 1.0 + deviation**-2 / max(known, 1e-9)
            if pulled < MOST_PULLED:
                memory.append(scale * pulled * abs(seen) / deviation)


def _learned(memory: deque[float]) -> float:
    """Return by how much deviations are larger than the settings say; 1 as long as little is known.

    Half of all deviates of a normal distribution are beyond 0.6745 standard deviations.
    """
    if len(memory) < MEMORY // 2:
        return 1.0
    return min(max(float(np.median(memory)) / 0.6745, BEST), WORST)
