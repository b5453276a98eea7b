"""What an estimator believes at one instant, as far as a person can look at it."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2


def _no_points() -> Array:
    return np.empty((0, 2))


@dataclass(frozen=True, eq=False, kw_only=True)
class Belief:
    """A map and a pose in it. All places are in the frame of the map, in metres."""

    stamp: float
    """[s]."""
    pose: Pose2
    """Of the base."""
    origin: Pose2 = field(default_factory=Pose2)
    """Where the frame of the map lies in what it is drawn into."""
    text: str = ""
    """How it goes, in a sentence."""
    grid: OccupancyGrid | None = None
    """The same one until there is another."""
    scan: Array = field(default_factory=_no_points)
    """Where the beams of the newest scan end. Shape (n, 2)."""
    path: Array = field(default_factory=_no_points)
    """Where the base was, oldest first. Shape (n, 2)."""
    loops: Array = field(default_factory=lambda: np.empty((0, 2, 2)))
    """Places that were recognised: from where to where. Shape (n, 2, 2)."""
    particles: Array = field(default_factory=lambda: np.empty((0, 3)))
    """x, y and yaw [rad] of what may be. Shape (n, 3)."""


class Estimator(Protocol):
    """What builds a map, or finds its place in one, while a robot drives."""

    def belief(self) -> Belief:
        """Return what it believes now."""
        ...
