"""The meshes of CRUMB: plates and Kinect, our own shapes after the extents in stack.xml.

Millimetres; plates in base_link's x and y, the Kinect in camera_link's frame. `plate_round` and
`plate_octagon` collide, the rest only pleases the eye.
"""

from collections.abc import Callable
from math import acos, cos, degrees, pi, radians, sin

import numpy as np
from tools.solids import (
    Outline,
    Solid,
    along_x,
    box,
    disc,
    hull,
    join,
    moved,
    plate,
    prism,
)

HALF = ((130, 105), (20, 170), (-20, 170), (-157, 90))
OCTAGON = [*HALF, *((x, -y) for x, y in reversed(HALF))]
"""Outline of the middle and the top plate (turtlebot_description)."""
RADIUS, CUT = 170.0, 133.5
"""Of the bottom plate: a disc, cut straight in front and behind."""


def round_outline() -> Outline:
    """Return the outline of the bottom plate."""
    start = degrees(acos(CUT / RADIUS))
    angles = [start + k * (180 - 2 * start) / 24 for k in range(25)]
    arc = [(RADIUS * cos(radians(a)), RADIUS * sin(radians(a))) for a in angles]
    return [*arc, *((-x, -y) for x, y in arc)]


def holes(inside: Callable[[float, float], bool], half: float) -> Solid:
    """Draw the pattern of holes, as dark discs on both faces of a plate."""
    found = []
    for row in range(-9, 10):
        for column in range(-9, 10):
            x, y = 25.4 * column + 12.7 * (row % 2), 20.0 * row
            if inside(x, y):
                found.append(moved(disc(3.6, (-half - 0.15, half + 0.15), sides=12), x, y))
    return join(*found)


def in_octagon(x: float, y: float) -> bool:
    """Tell whether a hole fits into the upper plates, 9 mm from edges and clear of poles."""
    corners = np.array(OCTAGON, float)
    along = np.roll(corners, -1, axis=0) - corners
    inwards = np.column_stack([-along[:, 1], along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    clear = np.hypot(abs(x) - 38.1, abs(y) - 150.5) > 10
    return bool(clear and (((x, y) - corners) * inwards).sum(axis=1).min() > 9)


def in_round(x: float, y: float) -> bool:
    """Tell whether a hole fits into the bottom plate."""
    return abs(x) < CUT - 10 and x * x + y * y < (RADIUS - 10) ** 2


# Kinect: camera_link's frame, x forwards. The bar's face is at x = 30.5, half a millimetre behind
# the cameras, so that they do not look at it.


def kinect_bar() -> Solid:
    """Draw the bar: its back narrower than its face, the edges rounded."""
    points = []
    for y, inset in ((139.4, 5.0), (137.5, 2.0), (134.0, 0.0)):
        section = [
            (30.5, 4.0), (30.5, 33.0), (28.0, 36.2), (-20.0, 36.2), (-33.0, 31.0),
            (-35.5, 26.0), (-35.5, 8.0), (-31.0, 2.0), (-18.0, -1.0), (27.0, 1.0),
        ]  # fmt: skip
        for x, z in section:
            middle = 18.0
            shrunk = (x - inset * (1 if x > 0 else -1), z - inset * (1 if z > middle else -1))
            points += [(shrunk[0], s * y, shrunk[1]) for s in (-1, 1)]
    return hull(points)


def kinect_face() -> Solid:
    """Draw the glossy strip of the face."""
    return along_x(plate((-126, 126), (6.5, 31), (30.0, 30.9), radius=6, bevel=0.3))


def kinect_eyes() -> Solid:
    """Draw the projector (y -62.5), the colour camera (-12.5) and the infrared camera (+12.5)."""
    eyes = ((-62.5, 8.0), (-12.5, 7.0), (12.5, 8.5))
    return join(
        *(moved(along_x(disc(r, (30.8, 31.05), sides=28)), 0, y, 16) for y, r in eyes),
    )


def kinect_lenses() -> Solid:
    """Draw the glass in the eyes: thin rings stay visible around it."""
    lenses = ((-62.5, 5.5), (-12.5, 4.6), (12.5, 6.0))
    return join(
        *(moved(along_x(disc(r, (31.0, 31.1), sides=24)), 0, y, 16) for y, r in lenses),
    )


def kinect_stand() -> Solid:
    """Draw the neck and the foot."""
    neck = hull(
        (x, y, z)
        for z, width, depth in ((-24.0, 20.0, 22.0), (3.0, 14.0, 15.0))
        for x in (-depth, depth)
        for y in (-width, width)
    )
    outline = [(33 * cos(k * pi / 16), 37 * sin(k * pi / 16)) for k in range(32)]
    low = [(35 * cos(k * pi / 16), 39 * sin(k * pi / 16)) for k in range(32)]
    foot = hull(
        [(x, y, -22.0) for x, y in outline] + [(x, y, z) for x, y in low for z in (-36.25, -28)]
    )
    return join(neck, foot)


def kinect_bracket() -> Solid:
    """Draw the strap that ties the foot to the two poles."""
    strap = plate((8, 23.2), (-106, 106), (-6.0, -1.5), radius=7)
    hanger = box((9, 22), (-13, 13), (-24, -2))
    return join(strap, hanger)


def meshes() -> dict[str, Solid]:
    """Draw everything, by file name."""
    return {
        "plate_round": prism(round_outline(), (-3, 3)),
        "plate_octagon": prism(OCTAGON, (-3, 3)),
        "holes_round": holes(in_round, 3),
        "holes_octagon": holes(in_octagon, 3),
        "kinect_bar": kinect_bar(),
        "kinect_face": kinect_face(),
        "kinect_eyes": kinect_eyes(),
        "kinect_lenses": kinect_lenses(),
        "kinect_stand": kinect_stand(),
        "kinect_bracket": kinect_bracket(),
    }
