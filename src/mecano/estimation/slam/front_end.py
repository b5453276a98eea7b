"""Where each scan was taken, by the map of the last keyframes."""

from dataclasses import dataclass
from math import hypot

import numpy as np

from mecano.core.arrays import Array
from mecano.estimation.slam.clouds import Cloud
from mecano.estimation.slam.edges import in_axes_of, in_axes_of_map
from mecano.estimation.slam.field import Field
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.scan_matching import refine, search
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import compose, relative

FEWEST = 10
"""Returns that a scan needs to be matched."""
POOR = 0.3
"""Share of returns that must find a partner; below, odometry alone counts."""
WINDOW = 4.0
"""The search reaches so many standard deviations of odometry to each side."""
LEAST_WINDOW = (0.2, 0.1)
"""And at least so far [m], [rad]."""
MOST_WINDOW = (2.0, 1.0)
"""And at most [m], [rad]."""
DOUBTFUL, DOUBT, BETTER = 0.5, 3.0, 0.1
"""Where the best place has a lower score, odometry is trusted so many times less and the place
taken if its score is that much higher. The match is trusted so many times less, too."""
LOST = (1.0, 0.5)
"""Deviation of a step in which odometry jumped [m], [rad] (EST)."""
ROOM = 3.0
"""The local map is drawn with so much room around it [m]."""


@dataclass(frozen=True, eq=False)
class Step:
    """What odometry went, and how far it can be trusted."""

    moved: Array
    """x, y [m], yaw [rad], seen from where it began. Shape (3,)."""
    off: float
    """Deviation of the way [m]."""
    skid: float
    """Deviation of the turn [rad]."""

    @classmethod
    def none(cls) -> "Step":
        """Return no step at all."""
        return cls(np.zeros(3), 0.0, 0.0)

    @classmethod
    def of(cls, moved: Array, settings: SlamSettings) -> "Step":
        """Return a step with its deviations; one that no base can drive counts as none, unsure."""
        way, turn = hypot(moved[0], moved[1]), abs(moved[2])
        if way > settings.jump:
            return cls(np.zeros(3), *LOST)
        off = settings.odometry_floor + settings.slip * way
        skid = settings.odometry_floor + settings.skid * turn + settings.skid_by_way * way
        return cls(moved, off, skid)

    def then(self, other: "Step") -> "Step":
        """Return both steps as one."""
        return Step(
            compose(self.moved, other.moved),
            hypot(self.off, other.off),
            hypot(self.skid, other.skid),
        )

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


@dataclass(frozen=True, eq=False)
class Placed:
    """Where a scan was taken."""

    pose: Array
    """x, y [m], yaw [rad] in the map. Shape (3,)."""
    information: Array | None
    """Of the match, along the axes of the map; None if odometry alone counts. Shape (3, 3)."""


class FrontEnd:
    """Matches scans to a map of the last keyframes."""

    def __init__(self, keyframes: Keyframes, settings: SlamSettings) -> None:
        self._keyframes, self._settings = keyframes, settings
        self._field: Field | None = None
        self._begun = 0

    def forget_map(self) -> None:
        """Draw the local map anew before the next match: keyframes moved."""
        self._field = None

    def extend_map(self, new: int) -> None:
        """Draw a new keyframe into the local map; it lets go of the oldest now and then."""
        if self._field is None:
            return
        full = self._keyframes.first_near(new, share=0.5) > self._begun
        if full or not self._field.add(new, self._keyframes.poses[new]):
            self._field = None

    def place(self, cloud: Cloud, before: Array, step: Step) -> Placed:
        """Return where a scan was taken.

        Args:
            cloud: Its returns.
            before: Pose of the last scan that was placed.
            step: What odometry went since.
        """
        expected = compose(before, step.moved)
        if len(cloud) < FEWEST:
            return Placed(expected, None)
        field = self._local_map()
        found = search(
            field, cloud, expected, deviation=(step.off, step.skid), window=step.window
        )  # fmt: skip
        if found.score < DOUBTFUL:
            wide = step.doubted()
            other = search(
                field, cloud, expected, deviation=(wide.off, wide.skid), window=wide.window
            )  # fmt: skip
            if other.score > found.score + BETTER:
                found, step = other, wide
        trust = in_axes_of_map(expected[2], step.information)
        match = refine(field, cloud, found.pose, expected=expected, trust=trust)
        if match.share < POOR:
            return Placed(expected, None)
        doubt = DOUBT**2 if found.score < DOUBTFUL else 1.0
        return Placed(match.pose, match.information / doubt)

    def _local_map(self) -> Field:
        if self._field is None:
            last = len(self._keyframes) - 1
            first = self._keyframes.first_near(last)
            self._field = self._keyframes.field(np.arange(last, first - 1, -1), room=ROOM)
            self._begun = last
        return self._field


def link(
    keyframes: Keyframes, new: int, placed: Placed, since: Step, settings: SlamSettings
) -> None:
    """Add the edges from the keyframe before: what odometry says, and what the match says.

    Args:
        keyframes: With the new one.
        new: Its number.
        placed: Where it was placed.
        since: What odometry went since the keyframe before.
        settings: How far odometry is trusted over that way.
    """
    whole = Step.of(since.moved, settings)
    trusted = Step(since.moved, max(whole.off, since.off), max(whole.skid, since.skid))
    keyframes.edges.append(new - 1, new, since.moved, trusted.information)
    if placed.information is not None:
        measured = relative(keyframes.poses[new - 1], placed.pose)
        known = in_axes_of(placed.pose[2], placed.information)
        keyframes.edges.append(new - 1, new, measured, known)
