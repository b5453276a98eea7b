"""The meshes of the robot: our own drawing of a UR5, after the extents of its links.

Millimetres. Two sizes of joint are drawn once each and placed several times by make_model.py. They
only please the eye; what collides is made of simple shapes.
"""

from math import cos, pi, sin

from tools.solids import (
    Outline,
    Solid,
    along_x,
    disc,
    hull,
    join,
    moved,
    ring,
    turned,
)

SIDES = 22
LARGE, SMALL = 59.5, 39.0
"""Radii of the joints: half the width of upper arm and wrists."""


def lathe(*rings: tuple[float, float], sides: int = SIDES) -> Solid:
    """Draw a convex body of revolution about z from (radius, height)."""
    turn = 2 * pi / sides
    return hull((r * cos(k * turn), r * sin(k * turn), h) for r, h in rings for k in range(sides))


def drum(radius: float, low: float, high: float, *, bottom: float = 4.0, top: float = 4.0) -> Solid:
    """Draw a round drum about z whose edges are rounded by two bevels."""
    return lathe(
        (radius - bottom, low), (radius - 0.3 * bottom, low + 0.3 * bottom), (radius, low + bottom),
        (radius, high - top), (radius - 0.3 * top, high - 0.3 * top), (radius - top, high),
    )  # fmt: skip


def dome(radius: float, height: float) -> Solid:
    """Draw a flat round cap about z that begins at zero."""
    return lathe((radius, 0), (radius, 0.35 * height), (0.93 * radius, 0.8 * height),
                 (0.8 * radius, height), (0.3 * radius, height + 0.6))  # fmt: skip


def seam(radius: float) -> Solid:
    """Draw the dark ring between two links, in the plane z = 0."""
    profile: Outline = [(radius - 4, -3), (radius + 0.4, -3), (radius + 0.4, 3), (radius - 4, 3)]
    return ring(profile, step=12)


def foot() -> Solid:
    """Draw the foot: a round flange with four ears, and what turns on it."""
    ear = hull((x + 11 * cos(a), y + 11 * sin(a), z)
               for x, y in ((54, 0), (64, 0)) for z in (0, 9)
               for a in (k * pi / 6 for k in range(12)))  # fmt: skip
    ears = [turned(ear, 45 + 90 * k) for k in range(4)]
    return join(drum(62, 0, 38, bottom=1, top=5), *ears)


def meshes() -> dict[str, Solid]:
    """Draw everything, by file name."""
    return {
        "foot": foot(),
        # The joint of the upper arm and its caps; z is its axis.
        "large": drum(LARGE, -67, 67, bottom=6, top=8),
        "large_cap": dome(50, 5),
        "large_seam": seam(LARGE),
        "neck": drum(LARGE, -51, 30, bottom=4, top=14),
        "elbow": drum(58, -56, 56, bottom=8, top=5),
        "upper_tube": along_x(lathe((56, 0), (52, 34), (48, 60), (48, 330), (52, 360), (55, 400))),
        "fore_tube": along_x(lathe((50, 30), (42, 75), (36.5, 110), (36.5, 350), (36.5, 380))),
        "fore_end": drum(38.5, -36, 38, bottom=6, top=3),
        "small": drum(SMALL, -52.5, 52.5, bottom=3, top=6),
        "small_neck": lathe((SMALL - 4, 0), (SMALL, 6), (SMALL, 43), (SMALL - 2, 46.5)),
        "small_cap": dome(32, 3.5),
        "small_seam": seam(SMALL),
        "flange": join(
            drum(37.5, -35, -5, bottom=2, top=2), drum(31.5, -6, 0, bottom=0.5, top=0.8),
            *(moved(disc(3, (-1, 0.6), sides=8), 25 * cos(a), 25 * sin(a))
              for a in (pi / 4 + k * pi / 2 for k in range(4))),
        ),
    }  # fmt: skip
