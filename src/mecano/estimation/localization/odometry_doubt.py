"""Where a base may be if its odometry was plainly wrong for a step.

Odometry without sign while the base reverses, wheels that turn while it is blocked, odometry that
stands still: no noise of a motion model covers these. So a scan that fits badly where odometry
leads is also tried at the places that such faults lead to. They have little weight before the scan
and spread over a large volume: only a scan that fits much better there moves the estimate.
"""

from math import hypot, pi

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all

LEAST_REACH, MOST_REACH = 0.3, 4.0
"""A base got no less far and no further than this while odometry was wrong [m] (EST)."""
REACH = 1.3
"""It may have gone so many times as far as odometry says, or said lately."""
FADING = 0.9
"""How fast long steps of the past are forgotten, per step."""
LEAST_TURN = 0.5
"""It may have turned so far to each side, whatever odometry says [rad] (EST)."""
VOLUME = 0.1 * 0.1 * 0.07
"""One candidate per such volume [m2 rad]: about as far as one fit of a scan reaches."""
FEWEST, MOST = 1000, 60_000
"""Candidates of one step."""
ALONG = 0.5
"""Share of them along the line that odometry says: gone a part of it, or backwards."""
NOISE = np.array([0.05, 0.05, 0.03])
"""Deviation of those from the line: x, y [m], yaw [rad] (EST),"""
NOISE_BY_WAY = np.array([0.1, 0.15, 0.1])
"""and so much more per way [m/m, m/m, rad/m] (EST)."""

CHANGED, CHANGED_SHARE = 0.15, 0.3
"""A scanner has moved if so large a share of its readings differs by more than this [m] (EST)."""
FEWEST_READINGS = 10


class OdometryDoubt:
    """Draws places that faults of odometry lead to."""

    def __init__(self) -> None:
        """Begin without a step."""
        self._lately = self._turned_lately = 0.0
        self._since = 0  # scans since the last one that fitted

    def note(self, step: Pose2, *, fits: bool) -> None:
        """Take a step, for how far the base may go in one, and whether the scan fits after it."""
        if step != Pose2():
            self._lately = max(hypot(step.x, step.y), FADING * self._lately)
            self._turned_lately = max(abs(step.yaw), FADING * self._turned_lately)
        self._since = 0 if fits else self._since + 1

    def pass_over(self) -> None:
        """Take a scan that does not count: the base may have moved all the same."""
        self._since += 1

    @property
    def reach(self) -> float:
        """How far the base may have gone since a scan fitted [m]."""
        return min(max(LEAST_REACH, REACH * self._lately * (1 + self._since)), MOST_REACH)

    @property
    def turn(self) -> float:
        """How far it may have turned to each side [rad]."""
        return min(max(LEAST_TURN, REACH * self._turned_lately * (1 + self._since)), pi)

    def places(
        self, before: Array, weights: Array, step: Pose2, rng: np.random.Generator
    ) -> tuple[Array, float]:
        """Return poses after a step of which odometry says little.

        Args:
            before: Particles before the step. Shape (n, 3).
            weights: Of them. Shape (n,).
            step: What odometry says.
            rng: Drawn from.

        Returns:
            Shape (m, 3), and the volume that each stands for [m2 rad].
        """
        way = hypot(step.x, step.y)
        reach = max(self.reach, min(REACH * way, MOST_REACH))
        turn = max(self.turn, min(REACH * abs(step.yaw), pi))
        space = pi * reach**2 * 2.0 * turn
        count = int(np.clip(space / VOLUME, FEWEST, MOST))
        along = int(ALONG * count)
        part = rng.uniform(-REACH, REACH, size=(along, 1))
        line = np.hstack([part * (step.x, step.y), np.full((along, 1), step.yaw)])
        line += rng.standard_normal((along, 3)) * (NOISE + NOISE_BY_WAY * way)
        far = reach * np.sqrt(rng.random(count - along))
        bearing = rng.uniform(-pi, pi, size=count - along)
        turned = rng.uniform(-turn, turn, size=count - along)
        disc = np.column_stack([far * np.cos(bearing), far * np.sin(bearing), turned])
        start = before[rng.choice(len(before), size=count, p=weights)]
        return compose_all(start, np.concatenate([line, disc])), space / (count - along)


def has_changed(old: LaserScan | None, new: LaserScan) -> bool:
    """Tell whether so many readings differ that the scanner must have moved, not what it sees."""
    if old is None or len(old.ranges) != len(new.ranges):
        return False
    both = np.isfinite(old.ranges) & np.isfinite(new.ranges)
    if both.sum() < FEWEST_READINGS:
        return False
    return float(np.mean(np.abs(old.ranges[both] - new.ranges[both]) > CHANGED)) > CHANGED_SHARE
