"""Shapes of paths: segments, arcs and splines, measured by arc length.

Each gives positions, tangents and bendings (n, d) along the arc length, from 0 to its length.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, Pose2

if TYPE_CHECKING:  # scipy takes half a second to import: those who have no path need not wait
    from scipy.interpolate import CubicSpline

PlanarOrSpatial = Pose2 | Pose


@dataclass(frozen=True, eq=False)
class Segments:
    """Straight from point to point."""

    points: Array

    @cached_property
    def breaks(self) -> Array:
        """Arc lengths of the points [m]."""
        return _along_chords(self.points)

    @property
    def length(self) -> float:
        """[m]."""
        return float(self.breaks[-1])

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return self.points.shape[1]

    def locate(self, s: Array) -> tuple[Array, Array, Array]:
        """Return positions, tangents and bendings."""
        i = np.searchsorted(self.breaks[1:-1], s, side="right")
        tangents = np.diff(self.points, axis=0) / np.diff(self.breaks)[:, None]
        positions = self.points[i] + (s - self.breaks[i])[:, None] * tangents[i]
        return positions, tangents[i], np.zeros_like(positions)

    def reversed(self) -> "Segments":
        """Return the way back."""
        return Segments(self.points[::-1])

    def moved(self, pose: PlanarOrSpatial) -> "Segments":
        """Return it in another frame."""
        return Segments(pose.transform_points(self.points))


@dataclass(frozen=True, eq=False)
class Arc:
    """Part of a circle: from `first` towards `second`."""

    center: Array
    first: Array
    """Unit vector from the centre to the start."""
    second: Array
    """Unit vector along the tangent at the start."""
    radius: float
    sweep: float
    """Positive [rad]."""

    @property
    def length(self) -> float:
        """[m]."""
        return self.radius * self.sweep

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return len(self.center)

    @property
    def breaks(self) -> Array:
        """Arc lengths of start and end [m]."""
        return np.array([0.0, self.length])

    def locate(self, s: Array) -> tuple[Array, Array, Array]:
        """Return positions, tangents and bendings."""
        angle = (s / self.radius)[:, None]
        outwards = np.cos(angle) * self.first + np.sin(angle) * self.second
        tangent = np.cos(angle) * self.second - np.sin(angle) * self.first
        return self.center + self.radius * outwards, tangent, -outwards / self.radius

    def reversed(self) -> "Arc":
        """Return the way back."""
        c, s = math.cos(self.sweep), math.sin(self.sweep)
        first, second = c * self.first + s * self.second, s * self.first - c * self.second
        return replace(self, first=first, second=second)

    def moved(self, pose: PlanarOrSpatial) -> "Arc":
        """Return it in another frame."""
        R, center = pose.rotation_matrix(), pose.transform_points(self.center)
        return replace(self, center=center, first=R @ self.first, second=R @ self.second)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_NODES, _WEIGHTS = 0.5 * (1.0 + _NODES), 0.5 * _WEIGHTS  # on [0, 1]
CUTS = 16
"""Pieces into which each span of a spline is cut to measure it."""


@dataclass(frozen=True, eq=False)
class Spline:
    """A cubic spline through points; a closed one has its first point once more at the end.

    Its own parameter is the length of the chords. The arc length is integrated over it, and
    inverted by Newton's method. Open ends are "not a knot": the first two spans are one cubic.
    """

    points: Array
    closed: bool

    def __post_init__(self) -> None:
        u, direction = self._cuts, self._curve(self._cuts, 1)
        back = np.flatnonzero((direction[1:] * direction[:-1]).sum(axis=1) <= 0.0)
        if len(back):
            span = int(back[0]) // CUTS
            raise InvalidInput(
                f"the spline turns back on itself between points {span + 1} and {span + 2}, near "
                f"{place_text(self._curve(u[back[0]]))}; move or add points there, "
                'or take kind "polyline"'
            )

    @cached_property
    def _knots(self) -> Array:
        return _along_chords(self.points)

    @cached_property
    def _curve(self) -> "CubicSpline":
        from scipy.interpolate import CubicSpline

        ends = "periodic" if self.closed else "not-a-knot"
        return CubicSpline(self._knots, self.points, bc_type=ends)

    @cached_property
    def _cuts(self) -> Array:
        spans = np.diff(self._knots)[:, None] * np.arange(CUTS) / CUTS
        return np.append((self._knots[:-1, None] + spans).ravel(), self._knots[-1])

    def _measure(self, u: Array, v: Array) -> Array:
        """Return the arc lengths between parameters, which lie close together [m]."""
        inner = u[:, None] + (v - u)[:, None] * _NODES
        return (v - u) * (np.linalg.norm(self._curve(inner, 1), axis=-1) @ _WEIGHTS)

    @cached_property
    def _lengths(self) -> Array:
        """Arc lengths at the cuts [m]."""
        return np.concatenate([[0.0], np.cumsum(self._measure(self._cuts[:-1], self._cuts[1:]))])

    @property
    def breaks(self) -> Array:
        """Arc lengths of the points [m]."""
        return self._lengths[::CUTS]

    @property
    def length(self) -> float:
        """[m]."""
        return float(self._lengths[-1])

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return self.points.shape[1]

    def _parameter(self, s: Array) -> Array:
        """Return the parameters at arc lengths."""
        i = np.searchsorted(self._lengths[1:-1], s, side="right")
        low, high, base = self._cuts[i], self._cuts[i + 1], self._lengths[i]
        u = low + (high - low) * (s - base) / (self._lengths[i + 1] - base)
        for _ in range(3):
            speed = np.linalg.norm(self._curve(u, 1), axis=-1)
            u = np.clip(u - (base + self._measure(low, u) - s) / speed, low, high)
        return u

    def locate(self, s: Array) -> tuple[Array, Array, Array]:
        """Return positions, tangents and bendings."""
        u = self._parameter(s)
        first, second = self._curve(u, 1), self._curve(u, 2)
        speed = np.linalg.norm(first, axis=-1, keepdims=True)
        tangent = first / speed
        across = second - (second * tangent).sum(axis=-1, keepdims=True) * tangent
        return self._curve(u), tangent, across / speed**2

    def reversed(self) -> "Spline":
        """Return the way back."""
        return Spline(self.points[::-1], self.closed)

    def moved(self, pose: PlanarOrSpatial) -> "Spline":
        """Return it in another frame."""
        return Spline(pose.transform_points(self.points), self.closed)


Shape = Segments | Arc | Spline


def _along_chords(points: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(distances(points))])


def distances(points: Array) -> Array:
    """Return how far each point is from the next one, (n, d) to (n - 1,) [m]."""
    return np.linalg.norm(np.diff(points, axis=0), axis=1)


def bend_to_the_left(tangent: Array, bending: Array) -> Array:
    """Return the curvature on the floor, positive to the left [1/m]. Shape (..., 2) to (...)."""
    return tangent[..., 0] * bending[..., 1] - tangent[..., 1] * bending[..., 0]


def place_text(point: Array) -> str:
    """Return a place as errors name it."""
    return "(" + ", ".join(f"{value:.4g}" for value in point) + ") m"
