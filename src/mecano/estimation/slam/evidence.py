"""Whether a scan refutes odometry: more returns fit elsewhere, and free space speaks against it.

A scan often fits a little better elsewhere, the more so the less it sees: a robot that drives on
sees new walls, so it always fits best where it came from. What tells a mistake of odometry from
chance is that earlier scans contradict where odometry has it: returns lie where they saw nothing,
and walls that they saw are crossed. So contradiction that is removed counts most.

The thresholds were chosen by candidates of 100 random buildings and of the logs Acapulco, CSAIL and
Intel, with faults and with poor scans: 9 of 43,000 right steps of odometry were overruled.
"""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.estimation.slam.clouds import Cloud
from mecano.estimation.slam.free_space import contradiction, seen_before
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.single_poses import relative

WITNESSES = 3
"""Keyframes that are asked whether free space contradicts a place."""
ONLOOKERS = 6
"""Keyframes that tell what is known."""
FREE = 5.0
"""A return that is no longer contradicted counts as many as so many that fit better."""
STRONG, STRONG_FREER = 0.6, 0.04
"""Evidence that is enough by itself, and contradiction that must be removed by it."""
OVERWHELMING, OVERWHELMING_FREER = 1.4, 0.1
"""Evidence that is enough although the other place is contradicted too."""
WEAK, WEAK_FREER = 0.15, 0.02
"""Evidence that is enough if what is known agrees."""
NOISE = 0.01
"""Contradiction that says nothing."""
SUSPICIOUS, WEAK_SUSPICIOUS = 0.5, 0.06
"""Odometry that was wrong so lately is overruled by less, and if no contradiction is removed."""
REVERSALS = 3
"""Odometry that had no sign so often is suspected of that from then on."""
CLOSE, PLENTY = 0.9, 100
"""Nor does any have to be removed if the other place is no further than this from where odometry
has it [m], as free space is not known that well, so many returns are in known space, and it is
where a mistake of wheels leads to or an excellent fit."""
EXCELLENT, LESS_CLEAR = 1.75, 0.09
"""A scan that fits less, of 2, must fit better by so much more."""
AGAIN = 0.02
"""The same mistake as at the scan before is believed by this."""
UNDISPUTED = 0.04
"""Share of returns that may contradict a place that is taken instead: things move."""


@dataclass(frozen=True)
class Evidence:
    """What a scan says for another place than that of odometry."""

    better: float
    """How much better it fits, by the search and by the share of returns on lines, -2 to 2."""
    freer: float
    """Share of returns that earlier scans contradict where odometry has it, less that elsewhere."""
    left: float
    """Share that they contradict elsewhere."""
    fitness: float
    """How well it fits elsewhere, 0 to 2."""

    @property
    def is_strong(self) -> bool:
        """Whether it is enough by itself."""
        total = self.better + FREE * self.freer
        if total > OVERWHELMING and self.freer > OVERWHELMING_FREER:
            return True
        return total > STRONG and self.freer > STRONG_FREER and self._is_undisputed

    def is_weak(self, *, suspicious: bool, silent: bool) -> bool:
        """Tell whether it is enough if what earlier keyframes could see agrees.

        Args:
            suspicious: Whether odometry was wrong lately.
            silent: Whether free space need not contradict where odometry has it.
        """
        enough = WEAK_SUSPICIOUS if suspicious else WEAK
        return self._fits_by(enough) and self.freer >= (-NOISE if silent else WEAK_FREER)

    @property
    def is_the_same_again(self) -> bool:
        """Whether it is enough after the same mistake, if what is known agrees."""
        return self._fits_by(AGAIN)

    def _fits_by(self, enough: float) -> bool:
        if self.fitness < EXCELLENT:
            enough += LESS_CLEAR
        return self.better > enough and self._is_undisputed

    @property
    def _is_undisputed(self) -> bool:
        """Whether little contradicts it, or it fits well and less does, as glass always does."""
        return self.left <= UNDISPUTED or (self.freer > 0.0 and self.fitness > EXCELLENT)


class Witnesses:
    """The last keyframes, asked about a scan."""

    def __init__(self, keyframes: Keyframes, cloud: Cloud) -> None:
        self._keyframes, self._cloud = keyframes, cloud

    def contradiction(self, pose: Array) -> float:
        """Return how much they contradict that the scan was taken at a pose, 0 to 1."""
        frames = self._keyframes
        shares = [
            contradiction(frames.store[number], self._cloud, relative(frames.poses[number], pose))
            for number in self._last(WITNESSES)
        ]
        return float(np.mean(shares))

    def known_from(self, pose: Array) -> Cloud:
        """Return the returns that lie where they could see, if the scan was taken at a pose.

        Returns where nothing is known yet say nothing for or against a pose.
        """
        frames = self._keyframes
        others = [(frames.store[k], relative(frames.poses[k], pose)) for k in self._last(ONLOOKERS)]
        return self._cloud.where(seen_before(self._cloud, others))

    def _last(self, count: int) -> range:
        return range(max(len(self._keyframes) - count, 0), len(self._keyframes))
