"""The meshes of OpenMANIPULATOR-X: our own shapes, drawn after the extents that model.xml names.

Millimetres, written as OBJ. The drawings only please the eye; what collides are the boxes and
cylinders of model.xml.
"""

from math import asin, cos, pi, sin

import numpy as np
from tools import solids
from tools.solids import (
    Point,
    Solid,
    Span,
    along_x,
    along_y,
    both_sides,
    box,
    cable,
    hull,
    join,
    moved,
    outward,
    plate,
)

Points = list[Point]


def disc(radius: float, z: Span, *, bevel: float = 0.0, sides: int = 6) -> Solid:
    """Draw a cylinder about z; most are screws, so it has six sides."""
    return solids.disc(radius, z, bevel=bevel, sides=sides)


def skin(rows: list[Points]) -> Solid:
    """Stretch a surface over closed cross-sections with equally many corners, ends included."""
    corners = len(rows[0])
    faces: list[tuple[int, int, int]] = []
    for k in range(len(rows) - 1):
        for j in range(corners):
            a, b = k * corners + j, k * corners + (j + 1) % corners
            faces += [(a, b, b + corners), (a, b + corners, a + corners)]
    last = (len(rows) - 1) * corners
    for j in range(1, corners - 1):
        faces += [(0, j + 1, j), (last, last + j, last + j + 1)]
    vertices = np.array([point for row in rows for point in row], float)
    return outward(vertices, np.array(faces))


# Servo XM430: z is the horn axis, z = 0 half way through the case, x towards the near end.


def servo_case() -> Solid:
    """Draw the case in three shells with seams between them."""
    return join(
        plate((-35.25, 11.25), (-14.25, 14.25), (9.2, 17.0), radius=3, bevel=0.8),
        plate((-35.0, 11.0), (-14.0, 14.0), (-8.2, 9.2), radius=3),
        plate((-35.25, 11.25), (-14.25, 14.25), (-17.0, -8.2), radius=3, bevel=0.8),
    )


def servo_screws() -> Solid:
    """Draw four screws on either face of the case."""
    corners = [(x, y) for x in (-31.6, 7.6) for y in (-10.6, 10.6)]
    return join(
        *(moved(disc(1.3, z), x, y) for x, y in corners for z in ((16.5, 17.35), (-17.35, -16.5)))
    )


def servo_connectors() -> Solid:
    """Draw the two sockets on the rear face."""
    return join(*(box((-30.7, -26.3), (y - 4.2, y + 4.2), (-18.0, -15.6)) for y in (-5.8, 5.8)))


def servo_horns() -> Solid:
    """Draw the horn and, on the other side, the idler."""
    return join(disc(11, (17, 23.4), bevel=0.6, sides=32), disc(9, (-19, -17), sides=32))


def disc_screws() -> Solid:
    """Draw eight screws on a pitch circle of 16 mm round a central one."""
    ring = [
        moved(disc(1.25, (0, 1), bevel=0.4), 8 * cos(k * pi / 4), 8 * sin(k * pi / 4))
        for k in range(8)
    ]
    return join(*ring, disc(3.2, (0, 1), bevel=0.4, sides=16))


# Side frame round a joint: y is the joint axis, x towards the near end of the servo.


def arch(radius: float, floor: float) -> list[tuple[float, float]]:
    """Return the outline in x and z of a wall at a distance from the axis, ending at `floor`."""
    whole = floor <= -23.5
    end = -pi / 2 if whole or radius <= -floor else -asin(-floor / radius)
    angles = np.linspace(pi / 2, end, 17)
    outline = [(-33.25, radius), *((radius * cos(a), radius * sin(a)) for a in angles)]
    return [*outline, (-33.25, -radius)] if whole else outline


def rim(floor: float) -> Solid:
    """Draw the wall round the joint, with bevelled edges."""
    y, edge = 16.6, 0.9
    outlines = zip(arch(20.8, floor), arch(23.5 - edge, floor), arch(23.5, floor), strict=True)
    return skin(
        [
            [
                (i[0], -y, i[1]),
                (m[0], -y, m[1]),
                (o[0], edge - y, o[1]),
                (o[0], y - edge, o[1]),
                (m[0], y, m[1]),
                (i[0], y, i[1]),
            ]
            for i, m, o in outlines
        ]
    )


def filling(floor: float) -> Solid:
    """Draw what is inside the wall, set back from its edges."""
    outline = [(x, max(z, floor)) for x, z in arch(21.0, floor)]
    return hull(
        [(x, y, z) for x, z in [*outline, (-33.25, max(floor, -21.0))] for y in (-12.5, 12.5)]
    )


# U bracket and beam: y is the joint axis, z along the link.


def web() -> Solid:
    """Draw the bridge of the U bracket, hollow so that the side frame turns inside it."""
    ears = both_sides(box((-12.5, 12.5), (16.8, 21), (18.5, 28.5)))
    return join(plate((-12.5, 12.5), (-21, 21), (25, 28.5), radius=1.5, bevel=0.6), ears)


def fork() -> Solid:
    """Draw the two arms from the discs to the bridge."""
    half = [(15.5, 10.0), (16.0, 12.0), (12.5, 21.0), (12.5, 28.5)]
    points: Points = []
    for y, bevel in ((16.9, 0.0), (23.0, 0.0), (24.0, 1.0)):
        points += [(s * (x - bevel), y, z - bevel * (z > 28)) for x, z in half for s in (-1, 1)]
    return both_sides(hull(points))


def beam(end: float) -> Solid:
    """Draw two rails tied at both ends."""
    rail = along_y(plate((27.3, end), (-10.5, 10.5), (13, 18.5), radius=1.2, bevel=0.9))
    ties = (box((-9.8, 9.8), (-13.1, 13.1), z) for z in ((27.8, 33.8), (end - 6.5, end - 0.5)))
    return join(both_sides(rail), *ties)


def beam_core(end: float, holes: int) -> Solid:
    """Draw the dark sheet between the rails and the holes through them."""
    bores = [
        moved(along_y(disc(2.6, (-18.6, 18.6), sides=16)), z=z)
        for z in np.linspace(39.3, end - 12, holes)
    ]
    return join(box((-6, 6), (-13.1, 13.1), (27.7, end - 0.4)), *bores)


def servo_bracket(x: tuple[float, float], z: float) -> Solid:
    """Draw a foot of 5.25 mm under a servo, with an ear up either side; `z` is its underside."""
    ear = box(x, (17.1, 18.5), (z + 4.5, z + 11.5))
    return join(plate(x, (-18.5, 18.5), (z, z + 5.4)), both_sides(ear))


# Hand: link5's frame, x forwards; and the left finger's frame.


def hand_bracket() -> Solid:
    """Draw the plate behind the gripper's servo and the cheeks that hold it."""
    back = along_x(plate((-20.5, 20.5), (-11.25, 35.25), (24.6, 28), radius=3, bevel=0.6))
    side = [
        (-2.5, -9),
        (-2.5, 9),
        (1, 11.5),
        (12, 13),
        (21, 35.25),
        (28, 35.25),
        (28, -11.25),
        (1, -11.25),
    ]
    return join(back, both_sides(hull([(x, y, z) for x, z in side for y in (17.2, 20.5)])))


def hand_plates() -> Solid:
    """Draw the palm, its flanges and the long plates on which the carriages run."""
    palm = along_x(plate((-30, 30), (-23, 37.8), (62.2, 65), radius=6, bevel=0.6))
    front = along_x(plate((-64.3, 64.3), (-11.5, 11.5), (65, 67.5), radius=4))
    rear = along_x(plate((16, 64.3), (-11.5, 11.5), (58.1, 60.6), radius=4))
    top = plate((36.5, 62.5), (-16, 16), (35.3, 37.8), radius=2.5, bevel=0.4)
    bottom = plate((52, 62.5), (-16, 16), (-23, -20.5), radius=2.5, bevel=0.4)
    return join(palm, front, both_sides(rear), top, bottom)


def hand_screws() -> Solid:
    """Draw the screws of the palm, the spacers of the long plates and the crank's screw."""
    screws = [moved(along_x(disc(2.2, (64.9, 65.7), sides=12)), y=23, z=z) for z in (31, -16.5)]
    spacer = moved(along_x(disc(2.8, (60.6, 65), sides=12)), y=59)
    return join(
        *(both_sides(part) for part in (*screws, spacer)),
        along_x(disc(4, (70.4, 71.4), sides=16)),
    )


def crank() -> Solid:
    """Draw the bar on the horn of the gripper's servo, along y."""
    arc = np.linspace(-pi / 2, pi / 2, 9)
    return hull(
        [
            (x, s * (15.4 + 5.2 * cos(a)), 5.2 * sin(a))
            for x in (0, 2.2)
            for a in arc
            for s in (-1, 1)
        ]
    )


def carriage() -> Solid:
    """Draw the front plate and the two blocks above and below the long plates."""
    block = plate((5.1, 27.6), (13, 29), (-23.1, -7.5), bevel=0.8)
    front = plate((5.1, 27.6), (-29, 29), (-7.5, 0), radius=3, bevel=0.8)
    return join(*(along_x(part) for part in (front, block, moved(block, y=-42))))


def finger() -> Solid:
    """Draw the tapering finger: a root and a blade that stands 0.8 mm behind the pad's face."""

    def section(x: float, inner: float) -> Points:
        outer, half, c = 25 - 16.4 * (x - 5) / 60, 17.5 - 4.9 * (x - 5) / 60, 1.5
        quarter = [(inner, half - c), (inner + c, half), (outer - c, half), (outer, half - c)]
        return [(x, y, s * z) for y, z in quarter for s in (-1, 1)]

    tip: Points = [
        (65.0, y, s * z)
        for y, z in ((1.4, 10.5), (2.7, 11.8), (6.3, 11.8), (7.6, 10.5))
        for s in (-1, 1)
    ]
    root = hull([*section(5, -8), *section(10, -8), *section(26, 0.8)])
    return join(root, hull([*section(26, 0.8), *section(63, 0.8), *tip]))


def finger_holes() -> Solid:
    """Draw the two holes in the outer face."""
    return join(
        *(
            moved(along_y(disc(2.2, (y - 5.5, y + 5.5), sides=16)), x)
            for x, y in ((36, 11.7), (52, 7.3))
        )
    )


def pad() -> Solid:
    """Draw the rubber pad with eight ribs; its face is the plane y = 0."""
    starts = np.linspace(26.2, 63.2 - 3.2, 8)
    ribs = (box((x, x + 3.2), (0, 0.6), (-7.5, 7.5)) for x in starts)
    return join(box((26.2, 63.2), (0.55, 3.1), (-7.5, 7.5)), *ribs)


def finger_rod() -> Solid:
    """Draw the rod from the crank to the carriage."""
    eye = moved(along_x(disc(4.2, (-10.8, -8.4), sides=20)), y=-7.9, z=8)
    return join(eye, box((-10.8, -8.4), (-8, 9.4), (5, 11)))


def finger_screws() -> Solid:
    """Draw the pin of the rod and the screws of the carriage."""
    pin = moved(along_x(disc(2.2, (-11, -7.6), sides=12)), y=-7.9, z=8)
    heads = (moved(along_x(disc(2.2, (-0.5, 0.4), sides=12)), y=16.35, z=z) for z in (24, -24))
    return join(pin, *heads)


UPPER_CABLE = (
    (-4.5, -17.8, 122.2),
    (-12.5, -16.8, 116.5),
    (-13.0, -10.0, 105.0),
    (-10.5, -4.0, 90.0),
    (-10.5, -4.0, 44.0),
    (-6.0, -4.0, 31.0),
)
LOWER_CABLE = (
    (95.5, -17.8, 5.8),
    (88.0, -19.0, 15.0),
    (80.0, -11.0, 14.0),
    (68.0, -4.0, 10.5),
    (44.0, -4.0, 10.5),
    (33.0, -4.0, 6.0),
)


def meshes() -> dict[str, Solid]:
    """Draw everything, by file name."""
    return {
        "servo_case": servo_case(),
        "servo_screws": servo_screws(),
        "servo_connectors": servo_connectors(),
        "servo_horns": servo_horns(),
        "disc": disc(20, (-3.5, 3.5), bevel=1.2, sides=48),
        "disc_screws": disc_screws(),
        "rim": rim(-23.5),
        "rim_cut": rim(-19.8),
        "filling": filling(-23.5),
        "filling_cut": filling(-19.8),
        "web": web(),
        "fork": fork(),
        "beam_long": beam(109.7),
        "beam_long_core": beam_core(109.7, 5),
        "beam_short": beam(84.7),
        "beam_short_core": beam_core(84.7, 3),
        "foot_bracket": servo_bracket((-14, 14), 19),
        "elbow_bracket": servo_bracket((-11, 35), 108.5),
        "hand_bracket": hand_bracket(),
        "hand_plates": hand_plates(),
        "hand_screws": hand_screws(),
        "crank": crank(),
        "carriage": carriage(),
        "finger": finger(),
        "finger_holes": finger_holes(),
        "finger_rod": finger_rod(),
        "finger_screws": finger_screws(),
        "pad": pad(),
        "upper_cable": cable(*UPPER_CABLE, radius=1.3),
        "lower_cable": cable(*LOWER_CABLE, radius=1.3),
    }
