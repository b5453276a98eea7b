"""What range sensors saw around a base, kept while they do not see there: blind spots stay full.

A depth camera sees nothing nearer than 0.45 m, a ray only one direction. What they saw is kept in
the frame of odometry until they see through it, it is far away, or it has become too old.
"""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, Mask
from mecano.core.poses import Pose2, wrap_angle

REACH = 2.5
"""Points further from the base than this are forgotten [m]."""
BEHIND = 0.08
"""A point this much nearer than a reading in its direction was seen through [m]."""
UNSURE = 2.0
"""A point in view of a sensor that reads nothing there is kept for this long [s]."""
GRID = 0.02
"""Old points are kept once per square of this side [m]."""
Indices = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class SensorFacts:
    """What the memory must know of a sensor."""

    name: str
    """For reports: "the front LIDAR"."""
    margin: float
    """How near what it sees may come [m]: ours and its noise."""
    clears_from: float
    """Nearer than this it may look over an obstacle or not see it [m]."""
    width: float
    """Of a beam, to either side [rad]."""
    keeps: float = inf
    """How long a point out of its view is kept [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Sighting:
    """One reading of a sensor."""

    stamp: float
    """[s]."""
    origin: Array
    """Where the sensor is on the base [m]. Shape (2,)."""
    bearings: Array
    """Of the beams in the frame of the base, rising [rad]. Shape (n,)."""
    ranges: Array
    """+inf where nothing is in sight, NaN where that is not known [m]. Shape (n,)."""


class ObstacleMemory:
    """Points that one sensor saw, in the frame of odometry."""

    def __init__(self, facts: SensorFacts) -> None:
        """Begin without any."""
        self.facts = facts
        self.points, self.stamps = np.empty((0, 2)), np.empty(0)

    def observe(self, sighting: Sighting, base: Pose2, corners: Array) -> None:
        """Add what a sensor sees, and drop what it sees through.

        Args:
            sighting: Its reading.
            base: Where the base was when it was taken, in the frame of odometry.
            corners: Outline of the base in its own frame [m]: returns inside are its own body.
        """
        kept = self._kept(sighting, base)
        seen = np.isfinite(sighting.ranges)
        bearings, ranges = sighting.bearings[seen], sighting.ranges[seen]
        beams = np.column_stack([np.cos(bearings), np.sin(bearings)])
        fresh = sighting.origin + ranges[:, None] * beams
        fresh = fresh[(np.hypot(*fresh.T) < REACH) & ~_inside(corners, fresh)]
        self.points = np.vstack([self.points[kept], base.transform_points(fresh)])
        self.stamps = np.append(self.stamps[kept], np.full(len(fresh), sighting.stamp))

    def _kept(self, sighting: Sighting, base: Pose2) -> Indices:
        """Return which points the sensor does not see now, and that are still worth keeping."""
        local = base.inverse().transform_points(self.points) if len(self.points) else self.points
        near = np.hypot(local[:, 0], local[:, 1]) < REACH
        rays = local - sighting.origin
        far, bearing = np.hypot(rays[:, 0], rays[:, 1]), np.arctan2(rays[:, 1], rays[:, 0])
        beam, in_view = _beam(sighting.bearings, bearing, self.facts.width)
        reading, age = sighting.ranges[beam], sighting.stamp - self.stamps
        in_view &= far >= self.facts.clears_from
        with np.errstate(invalid="ignore"):
            gone = in_view & (far < reading + BEHIND)  # seen through, or seen anew
        gone |= in_view & np.isnan(reading) & (age > UNSURE)
        gone |= age > self.facts.keeps
        kept = np.flatnonzero(near & ~gone)
        _, first = np.unique(np.floor(self.points[kept] / GRID), axis=0, return_index=True)
        return kept[np.sort(first)]

    def moved(self, before: Pose2, after: Pose2) -> None:
        """Go on although odometry calls the same place another pose now."""
        self.points = (after @ before.inverse()).transform_points(self.points)


def _beam(bearings: Array, wanted: Array, width: float) -> tuple[Indices, Mask]:
    """Return the nearest beam in each direction, and whether it is within the width of a beam."""
    after = np.searchsorted(bearings, wanted) % len(bearings)
    before = after - 1
    far = [np.abs(wrap_angle(bearings[each] - wanted)) for each in (before, after)]
    nearest = np.where(far[0] < far[1], before, after)
    return nearest, np.minimum(*far) <= width


def _inside(corners: Array, points: Array) -> Mask:
    """Tell which points are inside a convex outline, counter-clockwise."""
    start, along = corners, np.roll(corners, -1, axis=0) - corners
    rays = points[:, None, :] - start
    return np.all(along[:, 0] * rays[..., 1] - along[:, 1] * rays[..., 0] >= 0.0, axis=1)
