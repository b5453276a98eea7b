"""Which directions around a base its LIDARs have in view, by geometry alone."""

from collections.abc import Iterable, Mapping
from math import pi

import numpy as np

from mecano.core.arrays import Array, Mask, finite_number
from mecano.core.poses import Pose

DISTANCES = (0.5, 1.0, 2.0, 5.0)
"""From the middle of the base, for which coverage is told [m]."""
DIRECTIONS = 3600
"""So many are looked at."""


def directions(count: int = DIRECTIONS) -> Array:
    """Return directions all round, from -pi on [rad]. Shape (count,)."""
    return np.arange(float(count)) * (2 * pi / count) - pi


def in_view(
    pose: Pose, crop: float, distance: float, bearings: Array, *, middle: float = 0.0
) -> Mask:
    """Tell which points at a distance from the middle of the base a LIDAR has in view.

    Args:
        pose: Where the LIDAR sits, seen from the base.
        crop: It sees this far to either side [rad].
        distance: Of the points from the middle of the base [m].
        bearings: Of the points, seen from the base [rad]. Shape (n,).
        middle: Direction in which it looks, seen from itself [rad].
    """
    offset = distance * np.stack([np.cos(bearings), np.sin(bearings)], axis=1) - pose.position[:2]
    local = offset @ pose.rotation_matrix()[:2, :2]
    angle = np.arctan2(local[:, 1], local[:, 0]) - middle
    return np.abs((angle + pi) % (2 * pi) - pi) <= crop + 1e-9


def seen_by(
    poses: Mapping[str, Pose], crop: float, distance: float, bearings: Array
) -> dict[str, Mask]:
    """Return which points at a distance each LIDAR has in view, by its name; see `in_view`."""
    distance = finite_number(distance, name="distance [m]", lower=0.0)
    crop = finite_number(crop, name="crop [rad]", lower=0.0, upper=pi)
    return {name: in_view(pose, crop, distance, bearings) for name, pose in poses.items()}


def blind_share(poses: Mapping[str, Pose], crop: float, distance: float) -> float:
    """Return the share of directions, 0 to 1, in which nobody sees a point at a distance [m]."""
    seen = seen_by(poses, crop, distance, directions())
    return 1.0 - float(np.any(list(seen.values()), axis=0).mean())


def coverage(
    poses: Mapping[str, Pose], crops: Iterable[float], distances: Iterable[float] = DISTANCES
) -> dict[float, dict[float, float]]:
    """Return blind shares by crop [rad] and distance from the middle of the base [m].

    Shapes of the robot that stand in the way are not considered: crop them away.
    """
    far = tuple(distances)
    return {crop: {d: blind_share(poses, crop, d) for d in far} for crop in crops}


def arcs(mask: Mask) -> tuple[tuple[float, float], ...]:
    """Return runs of directions as from and to, counter-clockwise [rad]; a run may pass pi.

    Args:
        mask: Which of the `directions` belong to runs. Shape (n,).
    """
    count = len(mask)
    if mask.all():
        return ((-pi, pi),)
    step = 2 * pi / count
    first = np.flatnonzero(mask & ~np.roll(mask, 1))
    last = np.flatnonzero(mask & ~np.roll(mask, -1))
    if len(last) and last[0] < first[0]:  # the run that passes pi
        last = np.roll(last, -1)
    return tuple(
        (float(a * step - pi), float(b * step - pi)) for a, b in zip(first, last, strict=True)
    )
