"""The meshes of the robot: our own drawing of an Allegro hand inside its links' boxes.

Millimetres in the frames of the links. They only please the eye; what collides is made of simple
shapes.
"""

from math import cos, pi, sin

from tools.solids import (
    Point,
    Solid,
    along_x,
    along_y,
    disc,
    hull,
    join,
    moved,
    plate,
)

DEPTH, WIDTH = 19.6, 27.5


def rounded(x: float, y: float, z: tuple[float, float], *, radius: float = 4.0) -> Solid:
    """Draw a link of a finger: a box with round edges along z."""
    return plate((-x / 2, x / 2), (-y / 2, y / 2), z, radius=radius, bevel=1.6)


def ball(radius: float, *, rings: int = 7, sides: int = 14) -> list[Point]:
    """Return points on a ball."""
    points: list[Point] = [(0.0, 0.0, radius), (0.0, 0.0, -radius)]
    for i in range(1, rings):
        height, around = radius * cos(pi * i / rings), radius * sin(pi * i / rings)
        for k in range(sides):
            angle = 2 * pi * k / sides
            points.append((around * cos(angle), around * sin(angle), height))
    return points


def palm_screws() -> Solid:
    """Draw screws on both faces of the palm."""
    head = along_x(disc(2.2, (-30.2, 11.6), sides=10))
    return join(*(moved(head, 0, y, z) for y in (-46, 46) for z in (-10, -85)))


def tip_neck() -> Solid:
    """Draw what joins the end of a finger with its tip, in the tip's frame."""
    foot = [(x - 13.35, y, -14.1) for x in (-8.0, 8.5) for y in (-11.0, 11.0)]
    top = [(5.0 * cos(a) - 5.0, 8.5 * sin(a), -3.0) for a in (k * pi / 6 for k in range(12))]
    return hull([*foot, *((x, y, -15.5) for x, y, _ in foot), *top])


def meshes() -> dict[str, Solid]:
    """Draw everything, by file name."""
    return {
        "palm": plate((-29.7, 11.1), (-56.5, 56.5), (-95, 0), radius=9, bevel=3),
        "palm_plate": join(
            along_x(plate((-44, 44), (-84, -26), (10.6, 11.9), radius=7, bevel=0.4)),
            along_x(plate((-50, 50), (-90, -8), (-30.8, -29.2), radius=7, bevel=0.4)),
        ),
        "palm_screws": palm_screws(),
        "root": rounded(DEPTH, WIDTH, (0, 16.4)),
        "proximal": rounded(DEPTH, WIDTH, (0, 54)),
        "middle": rounded(DEPTH, WIDTH, (0, 38.4)),
        "distal": rounded(DEPTH, WIDTH, (0, 26.7)),
        "thumb_root": plate((-35.8, 0), (-8, 26), (-8.25, 37.25), radius=6, bevel=2),
        "thumb_pivot": rounded(DEPTH, WIDTH, (0, 17.7)),
        "thumb_proximal": rounded(DEPTH, WIDTH, (0, 51.4)),
        "thumb_distal": rounded(DEPTH, WIDTH, (0, 42.3)),
        "knuckle": along_y(disc(6.4, (-14.6, 14.6), sides=20)),
        "tip": hull(ball(12.0)),
        "tip_neck": tip_neck(),
    }
