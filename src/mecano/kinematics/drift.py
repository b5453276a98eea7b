"""How uncertain dead reckoning on the floor becomes with the way.

A step adds an error of its own, alike along all axes, whose variance grows with how far the base
went and turned; so after many independent steps it does not matter how they were cut. What
was uncertain before is carried along: an uncertain heading makes the place ahead uncertain.
"""

from dataclasses import dataclass, fields
from math import cos, hypot, sin

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.poses import Pose2


@dataclass(frozen=True, kw_only=True)
class Drift:
    """Variances that a step adds.

    The defaults fit MADAR's wheels in physics, those with rollers: by their encoders they were off
    by 1.2 mm and 0.1 degrees after 1.4 m and 2.7 rad of mixed motion. Ball wheels slip less. Wheels
    on a real floor slip more and have radii that are not quite right: measure them.
    """

    place_per_metre: float = 0.002**2
    """Of x and of y, each [m2/m]: 2 mm after one metre."""
    place_per_radian: float = 0.001**2
    """[m2/rad]."""
    heading_per_metre: float = 0.0017**2
    """[rad2/m]: a tenth of a degree after one metre."""
    heading_per_radian: float = 0.0017**2
    """[rad2/rad]: and after one radian."""

    def __post_init__(self) -> None:
        for field in fields(self):
            finite_number(getattr(self, field.name), name=f"Drift.{field.name}", lower=0.0)

    def added(self, x: float, y: float, turn: float) -> tuple[float, float]:
        """Return the variances that one step adds: of the place, along any axis, and the heading.

        Args:
            x: How far the base went forward [m].
            y: And to the left [m].
            turn: And how far it turned [rad].
        """
        way, turned = hypot(x, y), abs(turn)
        place = self.place_per_metre * way + self.place_per_radian * turned
        return place, self.heading_per_metre * way + self.heading_per_radian * turned


Rows = list[list[float]]
"""A covariance as plain numbers, which are faster one at a time. Shape (3, 3)."""


def carried(covariance: Array, pose: Pose2, motion: Pose2) -> Array:
    """Return what the uncertainty of a pose becomes after a motion that is exact.

    Args:
        covariance: Of x, y and heading of the pose. Shape (3, 3).
        pose: Before the motion.
        motion: Where it leads, seen from the pose.
    """
    return np.array(_carried_rows(covariance.tolist(), pose.yaw, motion.x, motion.y))


def _carried_rows(rows: Rows, yaw: float, x: float, y: float) -> Rows:
    """Return what a covariance becomes after a way forward and to the left of a heading.

    The motion's Jacobian is [[1, 0, -dy], [0, 1, dx], [0, 0, 1]] with the way (dx, dy) in the frame
    of the covariance. Written out: plain floats are faster than products of small matrices.
    """
    c, s = cos(yaw), sin(yaw)
    dx, dy = c * x - s * y, s * x + c * y
    (xx, xy, xt), (_, yy, yt), (_, _, tt) = rows
    xx, xy = xx - 2.0 * dy * xt + dy * dy * tt, xy + dx * xt - dy * yt - dx * dy * tt
    yy, xt, yt = yy + 2.0 * dx * yt + dx * dx * tt, xt - dy * tt, yt + dx * tt
    return [[xx, xy, xt], [xy, yy, yt], [xt, yt, tt]]


def grown(covariance: Array, pose: Pose2, step: ArrayLike, drift: Drift) -> Array:
    """Return the covariance after a step: what was there, carried along, and what it adds.

    Args:
        covariance: Of x, y [m2] and heading [rad2] before. Shape (3, 3).
        pose: Before the step.
        step: The twist of the step, whose `Pose2.exp` is the motion [m, rad].
        drift: What a step adds.
    """
    x, y, turn = np.asarray(step, float).tolist()
    motion = Pose2.exp((x, y, turn))
    return grown_along(covariance, pose.yaw, (x, y, turn), (motion.x, motion.y), drift)


def grown_along(
    covariance: Array,
    yaw: float,
    step: tuple[float, float, float],
    way: tuple[float, float],
    drift: Drift,
) -> Array:
    """Return the same as `grown` where the motion of the step is at hand.

    Args:
        covariance: Before. Shape (3, 3).
        yaw: Of the pose before [rad].
        step: Its twist [m, rad].
        way: How far it leads, forward and to the left of that pose [m].
        drift: What a step adds.
    """
    place, heading = drift.added(*step)
    after = _carried_rows(covariance.tolist(), yaw, *way)
    after[0][0] += place  # alike along all axes of the floor
    after[1][1] += place
    after[2][2] += heading
    return np.array(after)
