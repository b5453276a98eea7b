"""The outline of a robot on the floor, as a polygon in the frame of its base."""

from dataclasses import dataclass
from functools import cached_property
from math import cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2

CIRCLE_CORNERS = 32
"""Corners of the polygon that stands for a circle; it encloses the circle."""


@dataclass(frozen=True, eq=False)
class Footprint:
    """A convex polygon around the origin of the base, counter-clockwise."""

    corners: Array
    """In the frame of the base [m]. Shape (n, 2)."""
    round: bool = False
    """Whether it stands for a circle around the origin: then the heading does not matter."""

    def __post_init__(self) -> None:
        """Keep the convex hull of the corners, which must hold the origin."""
        corners = read_only(self.corners, name="corners of the footprint [m]", shape=(None, 2))
        object.__setattr__(self, "corners", _convex_hull(corners))
        if self.inscribed_radius <= 0.0:
            raise InvalidInput(
                "the footprint does not hold the origin of the base; give its corners in the frame "
                "of the base [m]"
            )

    @classmethod
    def circle(cls, radius: float) -> "Footprint":
        """Return the outline of a round base [m]."""
        radius = finite_number(radius, name="radius of the footprint [m]", lower=1e-3)
        outer = radius / cos(pi / CIRCLE_CORNERS)
        angles = np.arange(CIRCLE_CORNERS) * (2.0 * pi / CIRCLE_CORNERS)
        return cls(outer * np.column_stack([np.cos(angles), np.sin(angles)]), round=True)

    @classmethod
    def rectangle(cls, length: float, width: float, *, centre: float = 0.0) -> "Footprint":
        """Return a rectangle, `length` along x, whose middle is `centre` ahead of the base [m]."""
        x = 0.5 * finite_number(length, name="length of the footprint [m]", lower=1e-3)
        y = 0.5 * finite_number(width, name="width of the footprint [m]", lower=1e-3)
        return cls(np.array([[centre - x, -y], [centre + x, -y], [centre + x, y], [centre - x, y]]))

    @cached_property
    def inscribed_radius(self) -> float:
        """Of the largest circle around the origin inside the outline [m]; below 0 if outside."""
        start, end = self.corners, np.roll(self.corners, -1, axis=0)
        along = end - start
        lengths = np.hypot(along[:, 0], along[:, 1])
        return float(((start[:, 0] * end[:, 1] - start[:, 1] * end[:, 0]) / lengths).min())

    @cached_property
    def circumscribed_radius(self) -> float:
        """Of the smallest circle around the origin that holds the outline [m]."""
        return float(np.hypot(self.corners[:, 0], self.corners[:, 1]).max())

    def padded(self, margin: float) -> "Footprint":
        """Return it with all sides moved outwards by a margin [m]."""
        margin = finite_number(margin, name="padding of the footprint [m]", lower=0.0)
        if margin == 0.0:
            return self
        if self.round:
            return Footprint.circle(self.inscribed_radius + margin)
        start, end = self.corners, np.roll(self.corners, -1, axis=0)
        along = end - start
        out = np.column_stack([along[:, 1], -along[:, 0]]) / np.hypot(*along.T)[:, None]
        before = np.roll(out, 1, axis=0)
        # A corner moves along the bisector of its sides' normals, so that both move by the margin.
        step = (out + before) / (1.0 + (out * before).sum(axis=1))[:, None]
        return Footprint(start + margin * step)

    def joined(self, points: ArrayLike) -> "Footprint":
        """Return the convex outline of this and of more points [m], such as those of an arm."""
        more = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        return Footprint(np.vstack([self.corners, more])) if len(more) else self

    def at(self, pose: Pose2) -> Array:
        """Return the corners where the base stands at a pose [m]. Shape (n, 2)."""
        c, s = cos(pose.yaw), sin(pose.yaw)
        return self.corners @ np.array([[c, s], [-s, c]]) + (pose.x, pose.y)


def _convex_hull(points: Array) -> Array:
    """Return the corners of the convex hull, counter-clockwise (monotone chain)."""
    ordered = sorted(set(map(tuple, points.tolist())))
    if len(ordered) < 3:
        raise InvalidInput(f"a footprint needs at least 3 different corners, got {len(ordered)}")

    def half(these: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        chain: list[tuple[float, ...]] = []
        for x, y in these:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2], chain[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-12:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    hull = half(ordered) + half(ordered[::-1])
    if len(hull) < 3:
        raise InvalidInput("the corners of the footprint lie on one line; give an outline")
    return read_only(hull, name="corners of the footprint [m]", shape=(None, 2))
