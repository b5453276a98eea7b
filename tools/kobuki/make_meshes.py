"""The meshes of the robot: our own drawing of a Kobuki, after the extents in body.xml.

Millimetres in the frame of base_link; z = 0 is 10.2 mm above the floor. The three bumper sectors
collide, the rest only pleases the eye.
"""

from math import cos, pi, radians, sin

from tools.solids import (
    Solid,
    along_y,
    both_sides,
    box,
    disc,
    hull,
    join,
    moved,
    plate,
    prism,
    ring,
    turned,
)

RADIUS = 178.0
"""Of the base's outline."""
BAND = (
    (166.0, 7.0),
    (172.5, 4.0),
    (175.0, 8.0),
    (176.0, 30.0),
    (175.0, 50.0),
    (171.0, 55.5),
    (166.0, 56.0),
)
"""Profile of the lower shell: the bumper in front, the tail behind."""


def sector(start: float) -> Solid:
    """Draw 60 degrees of the base, as high as its cylinder; the facets keep to the circle."""
    steps = 15
    swing = radians(60.0 / steps)
    reach = RADIUS / cos(swing / 2) ** 0.5  # half of the sagitta outside, half inside
    angles = [radians(start) + k * swing for k in range(steps + 1)]
    rim = [(reach * cos(a), reach * sin(a)) for a in angles]
    inner = [(120.0 * cos(a), 120.0 * sin(a)) for a in (angles[0], angles[-1])]
    return hull((x, y, z) for x, y in (*rim, *inner) for z in (4.8, 114.18))


def shell() -> Solid:
    """Draw the upper shell with its rounded shoulder and everything dark inside."""
    return ring(
        [
            (0.05, 9.0), (160.0, 9.0), (166.5, 16.0), (166.5, 57.5), (168.0, 59.0), (168.0, 97.0),
            (166.5, 103.0), (162.0, 108.0), (154.0, 111.0), (151.0, 111.5), (0.05, 111.5),
        ]
    )  # fmt: skip


def top() -> Solid:
    """Draw the round cover."""
    return ring([(0.05, 111.0), (149.0, 111.0), (148.0, 113.2), (145.0, 114.0), (0.05, 114.0)])


def panel() -> Solid:
    """Draw the glossy panel at the back."""
    return ring(
        [(104.0, 113.5), (140.0, 113.5), (140.0, 114.5), (104.0, 114.5)], start=148, end=212
    )


def sockets() -> Solid:
    """Draw the sockets of power and data on the panel, and the holes of the mounting screws."""
    holes = [
        moved(disc(5.0, (113.8, 114.35), sides=24), x, y)
        for x, y in ((120, 82), (55, 120), (-55, 120))
    ]
    outlets = [
        turned(box((108, 117), (y - 5, y + 5), (114.3, 115.0)), 180.0) for y in (-44, -31, -18)
    ]
    return join(*(both_sides(hole) for hole in holes), *outlets)


def seams() -> Solid:
    """Draw the pale line round the shoulder."""
    return ring([(166.0, 56.0), (169.3, 56.3), (169.3, 58.2), (166.0, 58.5)])


def windows() -> Solid:
    """Draw three dark eyes in front, for the docking station's infrared."""
    eye = box((164, 168.6), (-9, 9), (76, 88))
    return join(*(turned(eye, angle) for angle in (-50, 0, 50)))


def gaps() -> Solid:
    """Draw the slits at both ends of the bumper."""
    slit = turned(box((168, 174.6), (-1.0, 1.0), (5, 54.5)), 92)
    return both_sides(slit)


def tyre() -> Solid:
    """Draw a tyre with blocks, its axle along y."""
    blocks = []
    for k in range(24):
        block = box((31.0, 35.0), (-2.6, 2.6), (-10.3, -1.0))
        other = box((31.0, 35.0), (-2.6, 2.6), (1.0, 10.3))
        blocks += [turned(block, k * 15), turned(other, k * 15 + 7.5)]
    return along_y(join(disc(33.4, (-9.6, 9.6), sides=48), *blocks))


def rim() -> Solid:
    """Draw the wheel's hub and spokes."""
    spokes = (turned(plate((4, 21), (-3, 3), (-11.2, 11.2)), k * 72) for k in range(5))
    outline = [(24 * cos(k * pi / 24), 24 * sin(k * pi / 24)) for k in range(48)]
    return along_y(join(prism(outline, (-10.0, 10.0)), disc(8, (-11.6, 11.6)), *spokes))


def meshes() -> dict[str, Solid]:
    """Draw everything, by file name."""
    return {
        "bumper_left": sector(30.0),
        "bumper_center": sector(-30.0),
        "bumper_right": sector(-90.0),
        "shell": shell(),
        "bumper": ring(BAND, start=-91, end=91, step=3.5),
        "tail": ring(BAND, start=93, end=267, step=3.48),
        "gaps": gaps(),
        "seams": seams(),
        "windows": windows(),
        "top": top(),
        "panel": panel(),
        "sockets": sockets(),
        "tyre": tyre(),
        "rim": rim(),
    }
