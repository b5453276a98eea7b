"""Points of a study: a grid, or random, Latin-hypercube or Sobol samples."""

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from mecano.core.arrays import Array

if TYPE_CHECKING:
    from mecano.runs.study import Value, Variation

SAMPLINGS = ("grid", "random", "latin", "sobol")


def sample(
    vary: "Mapping[str, Variation]", sampling: str, points: int, seed: int
) -> "list[dict[str, Value]]":
    """Return what varies, point by point; one point without anything if nothing does.

    Args:
        vary: Ranges and lists of values, by name.
        sampling: One of `SAMPLINGS`.
        points: How many, unless they are a grid.
        seed: Of the samples.
    """
    if not vary:
        return [{}]
    if sampling == "grid":
        return [dict(zip(vary, row, strict=True)) for row in product(*map(_grid, vary.values()))]
    rows = _unit_cube(sampling, points, len(vary), seed)
    return [
        {name: _at(each, share) for (name, each), share in zip(vary.items(), row, strict=True)}
        for row in rows.tolist()
    ]


def _unit_cube(sampling: str, points: int, dimensions: int, seed: int) -> Array:
    """Return samples between 0 and 1. Shape (points, dimensions)."""
    from scipy.stats import qmc

    rng = np.random.default_rng(seed)
    if sampling == "random":
        return rng.random((points, dimensions))
    if sampling == "latin":
        return qmc.LatinHypercube(dimensions, rng=rng).random(points)
    # Balanced for powers of two; of others the next power's first ones are taken.
    power = int(np.ceil(np.log2(points))) if points > 1 else 0
    return qmc.Sobol(dimensions, rng=rng).random_base2(power)[:points]


def _grid(variation: "Variation") -> "list[Value]":
    if isinstance(variation, tuple):
        return list(variation)
    return np.linspace(variation.lower, variation.upper, variation.steps).tolist()


def _at(variation: "Variation", share: float) -> Any:
    """Return the value at a share of a range, 0 to 1; of a list, one of its values."""
    if isinstance(variation, tuple):
        return variation[min(int(share * len(variation)), len(variation) - 1)]
    return variation.lower + share * (variation.upper - variation.lower)
