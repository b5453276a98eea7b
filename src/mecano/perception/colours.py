"""Colours in a word, as people say them, and pixels sorted by them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array

HUES = (
    (17.0, "red"), (43.0, "orange"), (68.0, "yellow"), (165.0, "green"), (195.0, "cyan"),
    (255.0, "blue"), (330.0, "purple"), (360.0, "red"),
)  # fmt: skip
"""Each up to this hue [deg]."""
GREY = 0.30
"""Less saturated colours are black, grey or white."""


def name_of_colour(rgb: Array) -> str:
    """Return a colour in a word; red, green and blue from 0 to 255."""
    red, green, blue = (float(v) for v in rgb)
    most, least = max(red, green, blue), min(red, green, blue)
    if most < 1.0 or (most - least) / most < GREY:
        return "black" if most < 60.0 else "white" if most > 225.0 else "grey"
    spread = most - least
    if most == red:
        hue = ((green - blue) / spread) % 6.0
    elif most == green:
        hue = (blue - red) / spread + 2.0
    else:
        hue = (red - green) / spread + 4.0
    return next(name for upto, name in HUES if 60.0 * hue <= upto)


def named_pixels(
    picture: NDArray[np.uint8], patch: NDArray[np.bool_], share: float
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the colours of a patch with their pixels; one colour takes all, unless two are large.

    Pixels are told apart by the red, green and blue of the patch's two main colours, each smoothed
    with its neighbours in the patch alone: the table's colour must not come in at the edge.
    """
    from scipy.ndimage import uniform_filter

    sums = np.stack(
        [uniform_filter(np.where(patch, picture[..., i], 0.0), 3) for i in range(3)], axis=-1
    )
    count = uniform_filter(patch.astype(float), 3)
    smooth = sums[patch] / np.maximum(count[patch], 1e-9)[:, None]
    names = np.array([name_of_colour(rgb) for rgb in smooth])
    kinds, counts = np.unique(names, return_counts=True)
    large = [str(kind) for kind, n in zip(kinds, counts, strict=True) if n >= share * len(names)]
    if len(large) < 2:
        yield str(kinds[counts.argmax()]), patch
        return
    means = {name: smooth[names == name].mean(axis=0) for name in large}
    near = np.stack([np.linalg.norm(smooth - mean, axis=1) for mean in means.values()])
    nearest = near.argmin(axis=0)
    for number, name in enumerate(means):
        inside = np.zeros_like(patch)
        inside[patch] = nearest == number
        yield name, inside
