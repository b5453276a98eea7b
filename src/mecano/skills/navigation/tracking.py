"""Tracks of things that walk: clusters of readings away from walls, followed from scan to scan."""

from dataclasses import dataclass, field

import numpy as np

from mecano.core.arrays import Array

TOGETHER = 0.30
"""Readings no further apart belong to one cluster [m]."""
FEWEST = 3
"""So many readings make a cluster: fewer are noise."""
WIDEST = 1.2
"""A wider cluster is no person [m]."""
BEHIND = 0.12
"""The middle of a person is this far behind the readings of their front (EST) [m]."""
SAME = 0.5
"""A cluster this near to where a track is expected belongs to it [m]."""
MEMORY = 0.5
"""Velocities are fitted to the positions of this time [s]."""
ENOUGH = 0.25
"""And known after this time [s]."""
FORGOTTEN = 0.6
"""A track that is not seen for longer is dropped [s]."""
WALKS = 0.35
"""From this speed on a track walks; slower is noise [m/s]."""
SEEMING = 1.2
"""And from so many times the speed of the base on."""


@dataclass(eq=False)
class Track:
    """Something that is followed, in the map."""

    seen: list[tuple[float, float, float]] = field(default_factory=list)
    """Time [s], x and y [m], oldest first."""

    @property
    def stamp(self) -> float:
        """When it was seen last [s]."""
        return self.seen[-1][0]

    def at(self, now: float) -> Array:
        """Return where it is expected [m]. Shape (2,)."""
        return np.array(self.seen[-1][1:]) + (now - self.stamp) * self.velocity

    @property
    def velocity(self) -> Array:
        """Fitted to the last positions [m/s]; zero before it is known. Shape (2,)."""
        rows = np.array(self.seen)
        times = rows[:, 0] - rows[-1, 0]
        if times[0] > -ENOUGH:
            return np.zeros(2)
        away = times - times.mean()
        return away @ rows[:, 1:] / (away @ away)

    def take(self, stamp: float, place: Array) -> None:
        """Add a position."""
        self.seen.append((stamp, float(place[0]), float(place[1])))
        self.seen = [row for row in self.seen if stamp - row[0] <= MEMORY]


class Tracks:
    """Follows all clusters."""

    def __init__(self) -> None:
        """Begin without any."""
        self.tracks: list[Track] = []

    def observe(self, points: Array, sensor: Array, stamp: float) -> None:
        """Take in the readings of a scan that are not at walls.

        Args:
            points: Where beams end, in the order of the beams [m]. Shape (n, 2).
            sensor: Where the scanner was [m]. Shape (2,).
            stamp: Of the scan [s].
        """
        free = list(self.tracks)
        for place in _middles(points, sensor):
            far = [float(np.hypot(*(track.at(stamp) - place))) for track in free]
            nearest = int(np.argmin(far)) if far else -1
            if nearest >= 0 and far[nearest] < SAME:
                free.pop(nearest).take(stamp, place)
            else:
                self.tracks.append(Track([(stamp, float(place[0]), float(place[1]))]))
        self.tracks = [track for track in self.tracks if stamp - track.stamp < FORGOTTEN]

    def walking(self, now: float, own: float) -> list[tuple[Array, Array]]:
        """Return where walkers are and how they walk, x and y [m], [m/s].

        Args:
            now: [s].
            own: Speed of the base [m/s]: what stands seems to move no faster as it comes into view.
        """
        slowest = max(WALKS, SEEMING * own)
        moving = ((track.at(now), track.velocity) for track in self.tracks)
        return [(place, walks) for place, walks in moving if np.hypot(*walks) > slowest]


def _middles(points: Array, sensor: Array) -> list[Array]:
    """Return the middles of clusters of readings [m]."""
    if not len(points):
        return []
    gaps = np.hypot(*np.diff(points, axis=0).T) > TOGETHER
    clusters = np.split(points, np.flatnonzero(gaps) + 1)
    if len(clusters) > 1 and np.hypot(*(points[0] - points[-1])) <= TOGETHER:
        clusters = [np.vstack([clusters[-1], clusters[0]]), *clusters[1:-1]]
    middles = []
    for cluster in clusters:
        if len(cluster) < FEWEST or np.ptp(cluster, axis=0).max() > WIDEST:
            continue
        middle = cluster.mean(axis=0)
        away = middle - sensor
        middles.append(middle + BEHIND * away / max(float(np.hypot(*away)), 1e-9))
    return middles


def nearest_approach(
    base: Array, velocity: Array, walker: Array, walks: Array, horizon: float
) -> float:
    """Return how near two come to each other that keep their velocities [m].

    Args:
        base: Where one is [m]. Shape (2,).
        velocity: [m/s].
        walker: Where the other is [m].
        walks: Its velocity [m/s].
        horizon: No further ahead than this [s].
    """
    apart, closing = walker - base, walks - velocity
    speed2 = float(closing @ closing)
    when = 0.0 if speed2 == 0.0 else min(max(-float(apart @ closing) / speed2, 0.0), horizon)
    return float(np.hypot(*(apart + when * closing)))
