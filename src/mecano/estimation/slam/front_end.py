"""Where each scan was taken, by the map of the last keyframes."""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.estimation.slam.clouds import Cloud
from mecano.estimation.slam.edges import in_axes_of, in_axes_of_map
from mecano.estimation.slam.field import Field
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.odometer import DOUBT, Step
from mecano.estimation.slam.scan_matching import refine, search
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import compose, relative

FEWEST = 10
"""Returns that a scan needs to be matched."""
POOR = 0.3
"""Share of returns that must find a partner; below, odometry alone counts."""
DOUBTFUL, BETTER = 0.5, 0.1
"""Where the best place has a lower score, odometry is doubted, and another place is taken if its
score is that much higher. The match is doubted, too."""
ROOM = 3.0
"""The local map is drawn with so much room around it [m]."""


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

    def place(self, cloud: Cloud, step: Step) -> Placed:
        """Return where a scan was taken.

        Args:
            cloud: Its returns.
            step: What odometry went since the last keyframe.
        """
        expected = compose(self._keyframes.poses[-1], step.moved)
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


def link(keyframes: Keyframes, new: int, placed: Placed, step: Step) -> None:
    """Add the edges from the keyframe before: what odometry says, and what the match says.

    Args:
        keyframes: With the new one.
        new: Its number.
        placed: Where it was placed.
        step: What odometry went since the keyframe before.
    """
    keyframes.edges.append(new - 1, new, step.moved, step.information)
    if placed.information is not None:
        measured = relative(keyframes.poses[new - 1], placed.pose)
        known = in_axes_of(placed.pose[2], placed.information)
        keyframes.edges.append(new - 1, new, measured, known)
