"""Boxes on a table, from one colour and depth picture.

Pixels that rise above the table are sorted by colour, patches that hang together are objects, and
the pixels near the top of each are its upper face. The middle of those pixels is where the object
is; the direction in which they spread most is where its long side points.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2, hypot, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.messages import CameraInfo, Image
from mecano.core.poses import Pose

FACE = 0.004
"""How thick the upper face seems [m]: three times the noise of a Kinect at 0.6 m. More would take
in the sides and pull the middle towards the camera."""
SIMILAR = 0.15
"""A colour further from all of the palette is none of them: grey, or mixed at an edge."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FoundBox:
    """An object that rises from the table."""

    colour: str
    """The colour of the palette that it looks like most; "" without a palette."""
    position: Array
    """Middle of its upper face [m]. Shape (3,)."""
    yaw: float
    """Where its long side points [rad], in (-pi/2, pi/2]."""
    length: float
    """Of the upper face [m]."""
    width: float
    """Of the upper face [m]."""
    pixels: int
    """How many pixels of the upper face were seen."""
    position_spread: float
    """How uncertain its middle is, as the spread of one coordinate [m]."""
    yaw_spread: float
    """How uncertain its direction is [rad]; half a turn for a square one."""


def find_boxes(
    depth: Image,
    info: CameraInfo,
    camera: Pose,
    *,
    table: float,
    colour: Image | None = None,
    palette: Mapping[str, tuple[float, float, float]] | None = None,
    lowest: float = 0.02,
    fewest: int = 40,
) -> list[FoundBox]:
    """Return the boxes that stand on a table, the one with most pixels first.

    Args:
        depth: Depth picture [m].
        info: The camera that took it.
        camera: Where the camera is in the frame that answers are wanted in: x forward, z up.
        table: Height of the table in that frame [m].
        colour: Colour picture of the same size, for `palette`.
        palette: Colours to look for, by name, as red, green and blue from 0 to 1. Objects that
            touch are told apart by them. None takes everything that rises.
        lowest: What rises less than this is no object [m].
        fewest: Patches of fewer pixels are no object.
    """
    from scipy.ndimage import label  # here, because it takes a while to load

    finite_number(table, name="height of the table [m]")
    if palette is not None and (colour is None or colour.data.shape[:2] != depth.data.shape):
        raise InvalidInput("a palette needs a colour picture of the same size as the depths")
    points = picture_points(depth, info, camera)
    with np.errstate(invalid="ignore"):
        rises = points[..., 2] > table + lowest
    names = [""] if palette is None else list(palette)
    kinds = np.where(rises, 0, -1)
    if palette is not None and colour is not None:
        kinds = np.where(rises, _nearest_colour(colour.data, rises, list(palette.values())), -1)
    found = []
    for number, name in enumerate(names):
        patches, count = label(kinds == number)  # type: ignore[misc]
        for patch in range(1, count + 1):
            inside = patches == patch
            box = _fit(points[inside], depth.data[inside].astype(float) ** 3, name, fewest)
            if box is not None:
                found.append(box)
    return sorted(found, key=lambda box: -box.pixels)


def picture_points(depth: Image, info: CameraInfo, camera: Pose) -> Array:
    """Return where each pixel is; NaN without a depth. Shape (height, width, 3)."""
    height, width = depth.data.shape
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    rays = info.ray_directions(np.stack([columns, rows], axis=-1))
    x, y, z = np.moveaxis(rays * depth.data[..., None].astype(float), -1, 0)
    forward = np.stack([z, -x, -y], axis=-1)  # from the optical frame
    T = camera.matrix()
    return forward @ T[:3, :3].T + T[:3, 3]


def _nearest_colour(
    picture: NDArray[np.uint8],
    rises: NDArray[np.bool_],
    palette: list[tuple[float, float, float]],
) -> NDArray[np.int_]:
    """Return the number of the most similar colour for each pixel, -1 where none is.

    Brightness is left out: it is the light's, not the object's. Each pixel is smoothed with its
    neighbours, but only with those that rise: else the far edge of a box would take on the colour
    of the table and be lost, and the box would seem nearer by half a pixel.
    """
    from scipy.ndimage import uniform_filter

    channels = [uniform_filter(np.where(rises, picture[..., i], 0.0), 3) for i in range(3)]
    sums = np.stack(channels, axis=-1)
    seen = sums / np.maximum(sums.sum(axis=-1, keepdims=True), 1.0)
    wanted = np.array(palette, float)
    wanted /= np.maximum(wanted.sum(axis=1, keepdims=True), 1e-6)
    apart = np.linalg.norm(seen[..., None, :] - wanted, axis=-1)
    nearest = np.argmin(apart, axis=-1)
    return np.where(apart.min(axis=-1) < SIMILAR, nearest, -1)


def _fit(points: Array, areas: Array, colour: str, fewest: int) -> FoundBox | None:
    """Return the box whose pixels these are; None if they are too few.

    A pixel counts for the area that it covers, else the near end of a box would count for more
    than the far end. On a plane that is as the cube of its depth.
    """
    if len(points) < fewest:
        return None
    height = points[:, 2]
    highest = height[height > float(np.quantile(height, 0.95)) - FACE]
    upper = height > float(np.median(highest)) - 0.5 * FACE
    face, weights = points[upper], areas[upper] / areas[upper].sum()
    if len(face) < fewest:
        return None
    middle = weights @ face
    flat = face[:, :2] - middle[:2]
    spreads, axes = np.linalg.eigh((flat * weights[:, None]).T @ flat)
    yaw = atan2(axes[1, 1], axes[0, 1])
    yaw -= pi * round((yaw - 1e-12) / pi)
    length, width = (sqrt(12.0 * max(s, 0.0)) for s in (spreads[1], spreads[0]))  # even spread
    count = len(face)
    difference = length * length - width * width
    # The direction of an even rectangle of n points: both errors shrink with the root of n.
    yaw_spread = min(0.5 * pi, sqrt(12.0 / count) * length * width / max(difference, 1e-9))
    return FoundBox(
        colour=colour, position=middle, yaw=yaw, length=length, width=width, pixels=count,
        position_spread=hypot(length, width) / sqrt(24.0 * count), yaw_spread=yaw_spread,
    )  # fmt: skip
