"""Docking at a straight side (of a table, a shelf): where it is, by points that a sensor saw on it.

Pure: points come in the frame in which the base is driven (its odometry), and what comes out is
where the base shall stand. `lab.side_docking` drives.
"""

from dataclasses import dataclass
from math import atan2, cos, hypot, sin, sqrt

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2

OUTLIERS = 3.0
"""Points further than this from the line, in its own spread, are not of the side."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """A straight side that was seen from somewhere."""

    middle: Pose2
    """Half way between the outermost points; x points out of the side, to who looks at it."""
    length: float
    """Between the outermost points [m]."""
    spread: float
    """Of the points across the line, one sigma [m]."""
    turn_spread: float
    """How uncertain its direction is by that, one sigma [rad]."""

    def standing(self, distance: float, beside: float, facing: float) -> Pose2:
        """Return where a base shall stand.

        Args:
            distance: From its middle to the side [m].
            beside: How far its middle is from that of the side, along the side's y [m].
            facing: Heading of the base, seen from the side's x [rad].
        """
        return self.middle @ Pose2(distance, beside, facing)


def fit_side(points: Array, seen_from: Array) -> Side:
    """Return the side that points lie on.

    Args:
        points: On the floor [m]; some may be of something else. Shape (n, 2), n at least 3.
        seen_from: A point in front of the side [m]. Shape (2,).

    Raises:
        InvalidInput: There are fewer points, or they are all at one place.
    """
    points = np.asarray(points, float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
        raise InvalidInput(f"a side is found by at least 3 points of 2 numbers, got {points.shape}")
    kept = points
    for _ in range(3):  # each time without what is far from the line of the rest
        centre, along = _line(kept)
        off = np.abs(_across(points - centre, along))
        spread = sqrt(float(np.mean(_across(kept - centre, along) ** 2)))
        kept = points[off <= max(OUTLIERS * spread, 1e-9)]
    centre, along = _line(kept)
    out = np.array([-along[1], along[0]])
    if float(out @ (np.asarray(seen_from, float) - centre)) < 0.0:
        out, along = -out, -along
    reach = (kept - centre) @ along
    middle = centre + 0.5 * float(reach.max() + reach.min()) * along
    spread = sqrt(float(np.mean(_across(kept - centre, along) ** 2)))
    lever = sqrt(float(np.sum((reach - reach.mean()) ** 2)))
    return Side(
        middle=Pose2(float(middle[0]), float(middle[1]), atan2(out[1], out[0])),
        length=float(reach.max() - reach.min()),
        spread=spread,
        turn_spread=spread / max(lever, 1e-9),
    )


def _line(points: Array) -> tuple[Array, Array]:
    """Return the centre of points and the direction in which they spread most."""
    centre = points.mean(axis=0)
    total = np.zeros((2, 2))
    for point in points - centre:  # one after the other: the same bits with any BLAS
        total += np.outer(point, point)
    (xx, xy), (_, yy) = total.tolist()
    if hypot(xx, yy) < 1e-12:
        raise InvalidInput("a side is found by points that are apart, these are at one place")
    angle = 0.5 * atan2(2.0 * xy, xx - yy)
    return centre, np.array([cos(angle), sin(angle)])


def _across(points: Array, along: Array) -> Array:
    return points[:, 1] * along[0] - points[:, 0] * along[1]
