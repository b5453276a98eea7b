"""The meshes of the robot: our own drawing of MADAR's platform, mast, sensors and wheels.

Millimetres in the frames of the parts. They only please the eye; what collides is made of simple
shapes, and of the finer elements of the wheels that make_model.py writes.
"""

from math import cos, pi, radians, sin, sqrt

import numpy as np
from tools.madar import wheel_shapes
from tools.solids import (
    Solid,
    along_x,
    along_y,
    box,
    disc,
    hull,
    join,
    moved,
    plate,
    ring,
    turned,
)

# Platform, in the chassis: +y is the front.


def shell() -> Solid:
    """Draw the round aluminium shell."""
    return ring([(392, 304), (400, 306), (400, 718), (392, 724)], step=7.5)


def skirt() -> Solid:
    """Draw the dark lower rim."""
    return ring([(386, 200), (398, 202), (398, 303), (386, 306)], step=7.5)


def seams() -> Solid:
    """Draw the joints between the panels of the shell, and vents at the back."""
    lines = [turned(box((399, 400.8), (-1.6, 1.6), (308, 716)), 60 * k) for k in range(6)]
    vents = [
        turned(box((399, 400.8), (-22, 22), (z, z + 7)), 270 + a)
        for a in (-12, -4, 4, 12)
        for z in range(370, 470, 20)
    ]
    return join(*lines, *vents)


def letters() -> Solid:
    """Draw the name on the front of the shell, from strokes."""
    strokes = {
        "M": [((0, 0), (0, 6)), ((0, 6), (2, 3)), ((2, 3), (4, 6)), ((4, 6), (4, 0))],
        "A": [((0, 0), (2, 6)), ((2, 6), (4, 0)), ((0.8, 2.2), (3.2, 2.2))],
        "D": [((0, 0), (0, 6)), ((0, 6), (2.6, 5.2)), ((2.6, 5.2), (3.8, 3)),
              ((3.8, 3), (2.6, 0.8)), ((2.6, 0.8), (0, 0))],
        "R": [((0, 0), (0, 6)), ((0, 6), (3, 5.6)), ((3, 5.6), (3, 3.4)), ((3, 3.4), (0, 3)),
              ((1.2, 3), (3.6, 0))],
    }  # fmt: skip
    scale, solids = 9.0, []
    for number, letter in enumerate("MADAR"):
        # Seen from the front, the text runs towards -x.
        for start, end in strokes[letter]:
            a, b = np.array(start), np.array(end)
            across = np.array([-(b - a)[1], (b - a)[0]]) / np.linalg.norm(b - a) * 0.42
            points = []
            for u, v in (a - across, a + across, b - across, b + across):
                angle = radians(90) + (scale * (u + 5.6 * number - 13.2)) / 400
                points += [
                    (r * cos(angle), r * sin(angle), 560 + scale * v) for r in (398.5, 401.2)
                ]
            solids.append(hull(points))
    return join(*solids)


def cabinet_details() -> Solid:
    """Draw handles, vents and a panel on the back of the cabinet."""
    y = -240.0
    vents = [box((-150, -20), (y - 1.2, y + 1), (z, z + 7)) for z in range(960, 1050, 15)]
    panel = box((30, 180), (y - 1.2, y + 1), (900, 1050))
    handle = join(
        *(box((x, x + 10), (y - 26, y), (790, 802)) for x in (-70, 60)),
        box((-70, 70), (y - 32, y - 22), (790, 802)),
    )
    return join(*vents, panel, handle)


def grooves() -> Solid:
    """Draw the grooves of the mast's profile, front, back and sides."""
    groove = box((-4, 4), (39.2, 40.6), (742, 1370))
    side = [turned(groove, 90 * k) for k in range(4)]
    holes = [moved(along_y(disc(4, (39.2, 41), sides=8)), x, 0, 1395) for x in range(-225, 226, 75)]
    return join(*side, *holes)


def brackets() -> Solid:
    """Draw what carries the arms, a wedge of 45 degrees at both ends of the bar, and the mast."""
    x, z, half = 255.657, 1389.339, 62.0
    c = sqrt(0.5)
    face = []
    for a in (k * pi / 9 for k in range(18)):
        u, y = half * cos(a), half * sin(a)
        face.append((x + u * c, y, z + u * c))
    inner = [(px - 9 * c, py, pz + 9 * c) for px, py, pz in face]
    root = [(190, y, h) for y in (-40, 40) for h in (1370, 1420)]
    wedge = join(hull([*face, *inner]), hull([*inner, *root]))
    foot = plate((-75, 75), (-75, 75), (742, 758), radius=8, bevel=2)
    return join(foot, wedge, turned(wedge, 180))


# Sensors. LIDAR: z out of its foot, x forwards. Camera: x forwards.


def hood() -> Solid:
    """Draw the black hood of a TiM."""
    return join(
        disc(29, (72, 86), bevel=5, sides=24), disc(24, (50, 73), sides=24),
        plate((-30, 30), (-30, 30), (42, 51), radius=9, bevel=1),
    )  # fmt: skip


def camera() -> Solid:
    """Draw the bar of a depth camera."""
    return along_x(plate((-55, 55), (-14, 14), (-12, 11), radius=12, bevel=2.5))


def lenses() -> Solid:
    """Draw the eyes of a depth camera."""
    eyes = [
        moved(along_x(disc(r, (8, 12.2), sides=18)), 0, y) for y, r in ((-37, 7), (0, 8), (37, 7))
    ]
    return join(*eyes)


def meshes() -> dict[str, Solid]:
    """Draw everything, by file name."""
    return {
        "shell": shell(),
        "skirt": skirt(),
        "seams": seams(),
        "band": ring([(397, 640), (401, 641), (401, 654), (397, 655)], step=7.5),
        "top": join(disc(392, (716, 744), bevel=3, sides=48), disc(150, (743, 750), bevel=2)),
        "floor": disc(385, (202, 212), sides=40),
        "letters": letters(),
        "cabinet": plate((-215, 215), (-240, -40), (751, 1081), radius=14, bevel=5),
        "cabinet_details": cabinet_details(),
        "mast": plate((-40, 40), (-40, 40), (741, 1371), radius=5, bevel=1),
        "grooves": grooves(),
        "bar": plate((-250, 250), (-40, 40), (1370, 1420), radius=5, bevel=2),
        "brackets": brackets(),
        "button": join(disc(20, (30, 44), bevel=5, sides=24), disc(10, (20, 31), sides=16)),
        "button_box": plate((-32, 32), (-32, 32), (0, 24), radius=6, bevel=2),
        "tim_base": plate((-30, 30), (-30, 30), (0, 43), radius=8, bevel=2),
        "tim_hood": hood(),
        "tim_window": disc(25.5, (56, 70), sides=24),
        "camera": camera(),
        "lenses": lenses(),
        "camera_foot": plate((-14, 10), (-16, 16), (-34, -10), radius=3, bevel=1),
        "zone": hull(wheel_shapes.zone(rings=5, sides=44)),
        "mini": hull(wheel_shapes.barrel(wheel_shapes.MINI, rings=6, sides=18)),
        "medium": hull(wheel_shapes.barrel(wheel_shapes.MEDIUM, rings=3, sides=18)),
        "shaft": join(
            along_x(disc(38, (-24, 24), bevel=3, sides=24)),
            along_x(disc(14, (-100, 40), sides=18)),
        ),
        "drive": join(
            along_x(disc(48, (-190, -105), bevel=4, sides=24)),
            plate((-190, -110), (-52, 52), (10, 104), radius=6, bevel=2),
        ),
    }  # fmt: skip
