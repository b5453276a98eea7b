"""From where things can be seen: a camera behind a wall or above a ceiling sees nothing."""

from math import pi

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.world.mirror import Mirror

ROUND = (0.0, pi / 2, -pi / 2, pi)
"""Turns about the upright that are tried, the wanted view first [rad]."""
MOSTLY = 0.5
"""Things are hidden if more of them than this share is: the leg of a table does no harm."""
LOOKED_AT = 60
"""So many points are looked at, at most."""
DRAWN = np.array([1, 1, 1, 0, 0, 0], np.uint8)
"""Groups of shapes that are drawn."""


def hidden_share(mirror: Mirror, eye: Array, points: Array) -> float:
    """Return how many of some points are behind something fixed, such as a wall, from 0 to 1."""
    chosen = points[:: max(1, len(points) // LOOKED_AT)]
    return sum(_is_hidden(mirror, eye, point) for point in chosen) / len(chosen)


def _is_hidden(mirror: Mirror, eye: Array, point: Array) -> bool:
    way = point - eye
    far, hit = float(np.linalg.norm(way)), np.array([-1], np.int32)
    near = mujoco.mj_ray(mirror.model, mirror.data, eye, way / far, DRAWN, 1, -1, hit, None)
    if near < 0.0 or near >= far:
        return False
    return bool(mirror.model.body_weldid[mirror.model.geom_bodyid[hit[0]]] == 0)


def seen_from(mirror: Mirror, offset: Array, points: Array) -> Array:
    """Return where an eye sees points: an offset from their middle, turned if need be [m].

    Args:
        mirror: The world.
        offset: From the middle of the points to the wanted eye. Shape (3,).
        points: What shall be seen, in the world [m]. Shape (n, 3).
    """
    middle, tried = (points.min(axis=0) + points.max(axis=0)) / 2, []
    for upright in (1.0, -1.0):  # from below, if it hangs on a ceiling
        for angle in ROUND:
            c, s = np.cos(angle), np.sin(angle)
            turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, upright]]) @ offset
            share = hidden_share(mirror, middle + turned, points)
            if share <= MOSTLY:
                return turned
            tried.append((share, turned))
    return min(tried, key=lambda each: each[0])[1]
