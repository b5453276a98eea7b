"""What a structured-light depth camera (Kinect) makes of true depths.

Depth is measured through the shift between a projected pattern and its picture. So errors grow
with the square of the distance, depths come in steps, what the projector beside the camera does
not reach has no depth, and neither have grazing surfaces and what is too near or too far.

Figures: Nguyen, Izadi, Lovell 2012 (spread along and across the ray), Khoshelham and Elberink 2012
(steps). The spread of Nguyen was measured with the steps in it, so they are taken out of the
Gaussian part: spread and steps together give Nguyen's figure.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, finite_number

Depths = NDArray[np.float32]
"""[m], NaN where there is none. Shape (height, width)."""


@dataclass(frozen=True, kw_only=True)
class DepthNoise:
    """How a depth camera errs."""

    nearest: float = 0.45
    """Nothing nearer is seen [m]."""
    furthest: float = 5.0
    """Nothing further is seen [m]."""
    base: float = 0.0012
    """Spread at 0.4 m [m]."""
    growth: float = 0.0019
    """How it grows with the square of the distance beyond [1/m]."""
    across: float = 0.8
    """Spread across the ray [pixels]."""
    step: float = 2.85e-3
    """Depths come in steps of this times the square of the depth [1/m]."""
    baseline: float = 0.075
    """How far the projector stands to the right of the camera [m]; 0 throws no shadow."""
    steepest: float = 1.4
    """A surface that is turned away further than this has no depth [rad] (EST)."""
    ragged: float = 0.5
    """Share of pixels beside an edge that have no depth (EST)."""

    def __post_init__(self) -> None:
        finite_number(self.nearest, name="nearest depth [m]", lower=0.0)
        finite_number(self.furthest, name="furthest depth [m]", lower=self.nearest)
        for name in ("base", "growth", "across", "step", "baseline"):
            finite_number(getattr(self, name), name=name, lower=0.0)
        finite_number(self.ragged, name="ragged", lower=0.0, upper=1.0)

    def spread(self, depth: Array | float) -> Array:
        """Return the spread along the ray at a depth, steps included [m]."""
        return self.base + self.growth * (np.asarray(depth, float) - 0.4) ** 2

    def apply(self, depth: Depths, focal: float, random: np.random.Generator) -> Depths:
        """Return what the camera would give for true depths.

        Args:
            depth: True depths along the camera's axis [m]; infinite or NaN where there is nothing.
            focal: Focal length [pixels].
            random: Source of the errors.
        """
        true = np.where(np.isfinite(depth), depth, np.nan).astype(np.float64)
        seen = self._seen(true, focal, random)
        shifted = _shift(np.where(seen, true, np.nan), self.across, random)
        slope = _incidence(true, focal)
        steep = np.clip(slope, 0.0, 1.5)
        with np.errstate(invalid="ignore"):
            grazing = 1e-4 / np.sqrt(shifted) * steep**2 / (0.5 * np.pi - steep) ** 2
            spread = self.spread(shifted) + np.where(steep > np.pi / 3, grazing, 0.0)
            gaussian = np.sqrt(np.maximum(spread**2 - (self.step * shifted**2) ** 2 / 12.0, 0.0))
            noisy = shifted + gaussian * random.standard_normal(true.shape)
            if self.step > 0.0:  # the shift is counted in whole parts of a pixel
                noisy = 1.0 / (self.step * np.maximum(np.rint(1.0 / (self.step * noisy)), 1.0))
            noisy[~((noisy >= self.nearest) & (noisy <= self.furthest))] = np.nan
        return noisy.astype(np.float32)

    def _seen(self, true: Array, focal: float, random: np.random.Generator) -> NDArray[np.bool_]:
        """Return which pixels get a depth at all."""
        with np.errstate(invalid="ignore"):
            seen = (true >= self.nearest) & (true <= self.furthest)
        seen &= _incidence(true, focal) < self.steepest
        if self.baseline > 0.0:
            seen &= ~_in_shadow(true, focal * self.baseline)
        edges = _beside_edges(true)
        return seen & ~(edges & (random.random(true.shape) < self.ragged))


def _in_shadow(true: Array, shift: float) -> NDArray[np.bool_]:
    """Return which pixels the projector does not reach, because something stands before them.

    Seen from the projector a pixel lies `shift / depth` further to the left. What lies right of
    it in the picture but left of it for the projector is in front of it there.
    """
    columns = np.arange(true.shape[1], dtype=float)
    projected = columns - shift / np.where(np.isfinite(true), true, np.inf)
    from_right = np.minimum.accumulate(projected[:, ::-1], axis=1)[:, ::-1]
    return projected > from_right + 0.5


def _incidence(true: Array, focal: float) -> Array:
    """Return how far each surface is turned away from the camera [rad]."""
    with np.errstate(invalid="ignore"):
        per_pixel = true / focal
        across, down = np.gradient(true, axis=1) / per_pixel, np.gradient(true, axis=0) / per_pixel
        slope = np.arctan(np.hypot(across, down))
    slope[_beside_edges(true)] = 0.0  # there the difference is a jump and not a slope
    return np.nan_to_num(slope)


def _beside_edges(true: Array) -> NDArray[np.bool_]:
    """Return which pixels lie beside a jump of the depth by more than a twentieth."""
    filled = np.where(np.isfinite(true), true, 1e3)
    edges = np.zeros(true.shape, bool)
    for axis in (0, 1):
        jump = np.abs(np.diff(filled, axis=axis)) > 0.05 * np.minimum(
            np.take(filled, range(filled.shape[axis] - 1), axis),
            np.take(filled, range(1, filled.shape[axis]), axis),
        )
        before = [slice(None)] * 2
        after = [slice(None)] * 2
        before[axis], after[axis] = slice(None, -1), slice(1, None)
        edges[tuple(before)] |= jump
        edges[tuple(after)] |= jump
    return edges


def _shift(depth: Array, spread: float, random: np.random.Generator) -> Array:
    """Return each pixel as a pixel nearby, drawn with this spread [pixels]."""
    if spread == 0.0:
        return depth
    height, width = depth.shape
    moved = np.rint(random.standard_normal((2, height, width)) * spread).astype(int)
    rows = np.clip(np.arange(height)[:, None] + moved[0], 0, height - 1)
    columns = np.clip(np.arange(width)[None] + moved[1], 0, width - 1)
    return depth[rows, columns]
