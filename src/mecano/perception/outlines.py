"""The rectangle or circle that fits a patch of points on a level plane, and how sure that is."""

from dataclasses import dataclass
from math import atan2, hypot, pi, sqrt

import numpy as np

from mecano.core.arrays import Array

SQUARE = 1.35
"""Up to this ratio of its sides the direction of a patch is told by its corners."""
CORNERS = 0.02
"""A patch with a smaller share of its points in the corners of its rectangle is round. A corner is
beyond three quarters of both half sides: 6 % of a rectangle, nothing of a circle."""
EMPTY = 0.60
"""A patch that fills less is no single rectangle or circle."""
EDGE = 0.5
"""How far an edge may be from where it seems [pixels]: all of its pixels err together."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Outline:
    """A patch of a plane. Spreads are one standard deviation."""

    middle: Array
    """[m]. Shape (2,)."""
    yaw: float
    """Where its long side points [rad], in (-pi/2, pi/2]."""
    length: float
    """[m]."""
    width: float
    """[m]."""
    round: bool
    filled: bool
    """Whether it fills its rectangle as one rectangle or circle does."""
    position_spread: float
    """[m]."""
    size_spread: float
    """[m]."""
    yaw_spread: float
    """[rad]."""


def fit_outline(points: Array, areas: Array, pixel: float) -> Outline | None:
    """Return the outline of points (n, 3); None if they are too few or lie in a line.

    Args:
        points: [m].
        areas: What each stands for, up to a factor.
        pixel: Distance between two neighbours [m].
    """
    if len(points) < 12:
        return None
    weights = areas / areas.sum()
    middle = weights @ points[:, :2]
    flat = points[:, :2] - middle
    spreads, axes = np.linalg.eigh((flat * weights[:, None]).T @ flat)
    if spreads[0] < 1e-8:
        return None
    length, width = (sqrt(12.0 * float(s)) for s in (spreads[1], spreads[0]))
    yaw = atan2(axes[1, 1], axes[0, 1])
    square = length < SQUARE * width
    if square:
        yaw = _corner_yaw(flat)
    fill = _fill(flat, yaw)
    is_round = square and _corner_share(flat, yaw) < CORNERS
    if square and not is_round:
        length, width, yaw = _sides(flat, weights, yaw)
    if is_round:
        length = width = 4.0 * sqrt(float(spreads.mean()))  # of an even disc
    count = len(points)
    difference = max(length**2 - width**2, 0.5 * width**2 if square else 1e-9)
    yaw_spread = hypot(
        sqrt(12.0 / count) * length * width / difference, 0.5 * EDGE * pixel / length
    )
    return Outline(
        middle=middle, yaw=yaw - pi * round((yaw - 1e-12) / pi), length=length, width=width,
        round=is_round, filled=fill > EMPTY,
        position_spread=hypot(hypot(length, width) / sqrt(24.0 * count), EDGE * pixel),
        size_spread=hypot(length / sqrt(2.0 * count), EDGE * pixel * sqrt(2.0)),
        yaw_spread=0.5 * pi if is_round else min(0.5 * pi, yaw_spread),
    )  # fmt: skip


def _corner_yaw(flat: Array) -> float:
    """Return the direction in which the rectangle around points is smallest [rad]."""
    angles = np.radians(np.arange(0.0, 90.0, 1.0))
    return float(angles[np.argmin([np.prod(_extent(flat, angle)) for angle in angles])])


def _extent(flat: Array, yaw: float) -> Array:
    """Return how far points reach along a direction and across it [m], without the outermost."""
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    low, high = np.quantile(flat @ turn, (0.01, 0.99), axis=0)
    return high - low


def _sides(flat: Array, weights: Array, yaw: float) -> tuple[float, float, float]:
    """Return long side, short side [m] and the direction of the long one [rad]."""
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    along, across = (sqrt(12.0 * float(v)) for v in weights @ (flat @ turn) ** 2)
    return (along, across, yaw) if along >= across else (across, along, yaw + pi / 2)


def _corner_share(flat: Array, yaw: float) -> float:
    """Return what share of points lies in the corners of the rectangle around them."""
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    turned = flat @ turn
    low, high = np.quantile(turned, (0.01, 0.99), axis=0)
    off = np.abs(turned - 0.5 * (low + high)) / np.maximum(0.5 * (high - low), 1e-9)
    return float((off > 0.75).all(axis=1).mean())


def _fill(flat: Array, yaw: float) -> float:
    """Return what share of the rectangle around points is filled by them."""
    cells = max(6, int(sqrt(len(flat)) / 1.6))
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    turned = flat @ turn
    low, high = np.quantile(turned, (0.01, 0.99), axis=0)
    ratio = float(np.clip((high[0] - low[0]) / max(high[1] - low[1], 1e-9), 0.2, 5.0))
    shape = max(2, round(cells * sqrt(ratio))), max(2, round(cells / sqrt(ratio)))
    counts, _, _ = np.histogram2d(
        turned[:, 0], turned[:, 1], bins=shape, range=[(low[0], high[0]), (low[1], high[1])]
    )
    return float((counts > 0).mean())
