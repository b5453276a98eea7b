"""The meshes of the robot: our own drawing of a youBot, after the extents in the models.

Millimetres in the frames of the links. They only please the eye; what collides is made of simple
shapes.
"""

from collections.abc import Iterable
from math import cos, pi, radians, sin, sqrt

import numpy as np
from tools.solids import (
    Outline,
    Solid,
    Span,
    along_x,
    along_y,
    both_sides,
    box,
    disc,
    hull,
    join,
    moved,
    plate,
    ring,
    turned,
    wrap,
)


def rolled(solid: Solid, degrees: float) -> Solid:
    """Turn a solid about y."""
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return Solid(solid.vertices @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]), solid.faces)


def drum(radius: float, y: Span, *, x: float = 0.0, z: float = 0.0, bevel: float = 2.0) -> Solid:
    """Draw a round drum about y, both edges bevelled."""
    low, high = y
    rings = ((low, radius - bevel), (low + bevel, radius), (high - bevel, radius))
    return hull(
        (x + r * cos(k * pi / 16), depth, z + r * sin(k * pi / 16))
        for depth, r in (*rings, (high, radius - bevel))
        for k in range(32)
    )


def cap_screws(radius: float, y: float, *, x: float = 0.0, z: float = 0.0, count: int = 8) -> Solid:
    """Draw a circle of screw heads on a side that looks along y."""
    out = 1.0 if y > 0 else -1.0
    span = (y - 0.8, y + 0.8)
    head = along_y(disc(1.7, span, bevel=0.3 if out > 0 else 0.0, sides=8))
    places = [2 * pi * (k + 0.5) / count for k in range(count)]
    return join(*(moved(head, x + radius * cos(a), 0, z + radius * sin(a)) for a in places))


# Base, in base_link: chassis, orange shell above the wheels, deck and details.


def chassis() -> Solid:
    """Draw the dark lower body: long between the wheels, wide between the axles."""
    return join(
        plate((-275, 275), (-112, 112), (-69, 24), radius=14, bevel=5),
        plate((-166, 166), (-170, 170), (-66, 24), radius=10, bevel=4),
        plate((-262, 262), (-150, 150), (14, 24), radius=20, bevel=1),
    )


def bumpers() -> Solid:
    """Draw the black bumpers at both ends."""
    front = plate((252, 285), (-110, 110), (-58, -8), radius=15, bevel=4)
    return join(front, turned(front, 180))


def shell() -> Solid:
    """Draw the orange shell: a rim above the wheels, noses at both ends, flanks between wheels."""
    rim = plate((-285, 285), (-178.5, 178.5), (19, 46), radius=46, bevel=7)
    nose = wrap(
        plate((200, 284), (-116, 116), (4, 22), radius=22, bevel=2),
        plate((200, 280), (-112, 112), (-16, 0), radius=20, bevel=2),
    )
    flank = wrap(
        plate((-150, 150), (150, 178.5), (-32, 22), radius=8, bevel=2),
        plate((-134, 134), (150, 174), (-48, 0), radius=8, bevel=2),
    )
    return join(rim, nose, turned(nose, 180), both_sides(flank))


def deck() -> Solid:
    """Draw the dark deck on the shell, and the raised panel between tray and arm."""
    return join(
        plate((-270, 270), (-160, 160), (44, 48), radius=38, bevel=1),
        plate((-22, 46), (-104, 104), (46, 53), radius=10, bevel=2),
    )


def panel() -> Solid:
    """Draw display, sockets and the grooves of the flanks, in black."""
    sockets = join(*(box((x, x + 15), (60, 76), (52, 53.6)) for x in (-14, 6, 26)))
    grooves = both_sides(join(*(box((-120, 120), (173, 178.9), (z, z + 2.2)) for z in (-16, 8))))
    vents = [box((276, 285.4), (y, y + 5), (-4, 14)) for y in range(-64, 60, 12)]
    front = join(*vents)
    return join(box((-14, 38), (-40, 12), (52, 53.4)), sockets, grooves, front, turned(front, 180))


LETTERS = {
    "y": ("#..#", "#..#", ".###", "...#", ".##."),
    "o": ("....", ".##.", "#..#", "#..#", ".##."),
    "u": ("....", "#..#", "#..#", "#..#", ".###"),
    "B": ("###.", "#..#", "###.", "#..#", "###."),
    "t": (".#..", "###.", ".#..", ".#..", "..#."),
}
"""Rows from above; a dot is a square of 3.2 mm."""


def name_on_flank() -> Solid:
    """Draw the robot's name on its right flank."""
    size, boxes = 3.2, []
    for place, letter in enumerate("youBot"):
        for row, dots in enumerate(LETTERS[letter]):
            for column, dot in enumerate(dots):
                if dot == "#":
                    x = (5 * place + column - 14.5) * size
                    z = 5.0 - row * size
                    boxes.append(box((x, x + size), (-178.9, -176), (z - size, z)))
    return join(*boxes)


def letters() -> Solid:
    """Draw the name on both flanks, the frame of the display and the button."""
    name = moved(name_on_flank(), 62)
    frame = [
        box((-16, 40), (-42, -40), (52, 53.8)), box((-16, 40), (12, 14), (52, 53.8)),
        box((-16, -14), (-42, 14), (52, 53.8)), box((38, 40), (-42, 14), (52, 53.8)),
    ]  # fmt: skip
    button = moved(disc(7, (52, 54.4), bevel=0.8, sides=20), 12, 36)
    return join(name, turned(name, 180), *frame, button)


# Tray, in plate_link.


def tray() -> Solid:
    """Draw the tray: two crossing plates on four feet, its surface 24 mm above its frame."""
    feet = [
        moved(disc(9, (-24, 18), sides=16), x, y)
        for x, y in ((-80, -70), (-80, 70), (110, -70), (110, 70))
    ]
    return join(
        plate((-118, 134), (-85, 85), (17, 24), radius=14, bevel=1.2),
        plate((-100, 70), (-160.5, 160.5), (17, 23.7), radius=18, bevel=1.2),
        *feet,
    )


def tray_details() -> Solid:
    """Draw the rows of holes in the tray."""
    places = [(x, y) for x in range(-84, 61, 36) for y in range(-144, 145, 32)]
    hole = disc(3.2, (23.0, 24.15), sides=10)
    return join(*(moved(hole, x, y) for x, y in places))


# Wheels: y is the axle. `lean` is +1 where the roller on the ground points to (1, 1).


def barrel(radius: float, ring_radius: float, half: float) -> Solid:
    """Draw a roller about z that rounds off the circle of a wheel with 45 degrees."""
    heights = np.linspace(-half, half, 9)
    rim = [(radius + ring_radius - sqrt(ring_radius**2 + s * s / 2), s) for s in heights.tolist()]
    return hull((r * cos(k * pi / 7), r * sin(k * pi / 7), s) for r, s in rim for k in range(14))


def placed_rollers(roller: Solid, lean: int, count: int, ring_radius: float) -> Solid:
    """Put rollers round a wheel, the first one on the ground."""
    axis = np.array([lean, 1.0, 0.0]) / sqrt(2.0)
    up = np.array([0.0, 0.0, 1.0])
    frame = np.stack([up, np.cross(axis, up), axis])
    on_ground = Solid(roller.vertices @ frame - [0.0, 0.0, ring_radius], roller.faces)
    return join(*(rolled(on_ground, 360.0 * k / count) for k in range(count)))


def rollers(lean: int) -> Solid:
    """Draw the six rollers of a wheel."""
    return placed_rollers(barrel(14.0, 36.0, 25.0), lean, 6, 36.0)


def roller_pins(lean: int) -> Solid:
    """Draw the axles of the rollers, whose ends are seen."""
    return placed_rollers(disc(4.0, (-27.5, 27.5), sides=10), lean, 6, 36.0)


def rim_outline(inner: float, outer: float, y: Span) -> Outline:
    """Return the profile of a ring: radius and height."""
    return [(inner, y[0]), (outer, y[0]), (outer, y[1]), (inner, y[1])]


def hub() -> Solid:
    """Draw the two side discs of a wheel and the drum between them."""
    sides = [along_y(ring(rim_outline(10, 29, y), step=10)) for y in ((-23, -19), (19, 23))]
    return join(drum(21, (-22, 22)), *sides)


def hub_cap() -> Solid:
    """Draw the caps of the hub with their screws."""
    screws = join(cap_screws(23, 23.2, count=6), cap_screws(23, -23.2, count=6))
    return join(drum(11, (-25, 25), bevel=1.5), screws)


# Arm.


def link_0() -> Solid:
    """Draw the foot of the arm, in arm_link_0."""
    foot = moved(disc(93, (-32, 30), bevel=6, sides=48), 24)
    back = plate((-89, 20), (-70, 70), (-32, 16), radius=14, bevel=4)
    return join(foot, back)


def link_0_neck() -> Solid:
    """Draw the neck of the foot, in which joint 1 turns."""
    neck = moved(disc(80, (20, 46), bevel=3, sides=48), 24)
    socket = box((-90, -84), (-34, 34), (-18, 6))
    return join(neck, socket)


def link_1() -> Solid:
    """Draw the turning shoulder, in arm_link_1: a round body and the block of joint 2."""
    body = moved(disc(85, (-48, -14), bevel=10, sides=48))
    block = wrap(
        drum(34, (-48, 48), x=33, z=19, bevel=3),
        plate((-42, 66), (-48, 48), (-24, -10), radius=16, bevel=3),
    )
    back = wrap(
        plate((-62, 0), (-40, 40), (-22, 20), radius=14, bevel=5),
        plate((-56, 0), (-34, 34), (-22, 34), radius=12, bevel=4),
    )
    return join(body, block, back)


def link_1_core() -> Solid:
    """Draw the dark shaft of joint 1 and the hub of joint 2."""
    return join(disc(76, (-76, -44), sides=48), drum(36.5, (2, 54), x=33, z=19, bevel=3))


def link_2() -> Solid:
    """Draw the upper arm, in arm_link_2; it stands on the right of the shoulder."""
    return join(
        wrap(
            drum(37, (-84, -2), bevel=6),
            drum(31, (-78, -8), z=100, bevel=6),
            drum(30, (-78, -6), z=155, bevel=6),
        ),
    )


def link_2_caps() -> Solid:
    """Draw the dark caps of the joints 2 and 3 on the upper arm."""
    return join(
        drum(29, (-86, -50), bevel=1.5),
        drum(23, (-80.5, -50), z=155, bevel=1.5),
        drum(28, (-4, 4), z=155, bevel=1),
    )


def link_3() -> Solid:
    """Draw the forearm, in arm_link_3; it stands on the left of the upper arm."""
    return wrap(
        drum(32, (4, 52), bevel=6),
        drum(28, (2, 50), z=70, bevel=6),
        drum(28, (0, 50), z=135, bevel=6),
    )


def link_3_caps() -> Solid:
    """Draw the dark caps of the joints 3 and 4 on the forearm."""
    return join(
        drum(25, (30, 66), bevel=3),
        drum(29, (-17, 6), bevel=1.5),
        drum(21, (30, 53), z=135, bevel=1.5),
    )


def link_4() -> Solid:
    """Draw the wrist, in arm_link_4: a drum about the axis of joint 4 and the body of joint 5."""
    body = moved(disc(32.5, (20, 76), bevel=5, sides=40))
    return join(
        drum(32, (-49.5, -2), bevel=5),
        wrap(drum(29, (-46, -6), bevel=4), plate((-29, 29), (-40, 22), (24, 44), radius=14)),
        body,
    )


def link_4_caps() -> Solid:
    """Draw the dark parts of the wrist: caps of joint 4 and the collar of joint 5."""
    return join(
        drum(23, (-51, -30), bevel=1.5),
        drum(24, (-4, 49), bevel=2),
        disc(30, (70, 84.5), bevel=2, sides=40),
    )


def link_5() -> Solid:
    """Draw the flange that joint 5 rolls, in arm_link_5."""
    return join(
        moved(plate((-24, 30), (-48, 48), (-38, -9), radius=12, bevel=3)),
        disc(25, (-49, -34), sides=40),
    )


def palm() -> Solid:
    """Draw the body of the gripper with the rail of its fingers, in gripper_palm_link."""
    return join(
        plate((-22, 28), (-46.5, 46.5), (-22, 22), radius=7, bevel=3),
        plate((-12, 20), (-46.5, 46.5), (20, 30), radius=3, bevel=1),
    )


def palm_details() -> Solid:
    """Draw the rods of the fingers, screws and the side plates of the gripper."""
    rods = [along_y(moved(disc(2.6, (-46, 46), sides=12), 30, x)) for x in (-6, 14)]
    ends = both_sides(box((-14, 22), (43, 46.5), (18, 33)))
    screws = join(*(
        moved(along_x(disc(2.2, (27, 28.8), sides=10)), 0, y, z)
        for y in (-38, 38) for z in (-14, 14)
    ))  # fmt: skip
    return join(*rods, ends, screws)


def finger() -> Solid:
    """Draw a finger, in gripper_finger_link_r: a bar whose inner face is at y = 8 mm."""
    bar = wrap(
        box((-6.2, 6.2), (-4, 6.8), (-4, 16)),
        box((-5.2, 5.2), (1, 6.8), (16, 32.9)),
        box((-7, 7), (-10.9, 6.8), (-12, -4)),
    )
    return bar


def finger_pad() -> Solid:
    """Draw the rubber pad of a finger with its grooves."""
    stripes = [box((-7, 7), (6.2, 8), (z, z + 4.2)) for z in np.arange(-11.5, 30, 5.0).tolist()]
    return join(*stripes, box((-7, 7), (6.0, 7.4), (-12, 32.9)))


def ray_housing() -> Solid:
    """Draw the housing of a range sensor; its ray leaves along z."""
    body: Iterable[Solid] = (
        plate((-11, 11), (-8, 8), (-9, 1.6), radius=3, bevel=0.8),
        moved(disc(3.6, (-2, 2.4), bevel=0.6, sides=16), 5),
        moved(disc(3.6, (-2, 2.4), bevel=0.6, sides=16), -5),
    )
    return join(*body)


def meshes() -> dict[str, Solid]:
    """Draw every mesh of the youBot, by the name of its file."""
    return {
        "chassis": chassis(),
        "bumpers": bumpers(),
        "shell": shell(),
        "deck": deck(),
        "panel": panel(),
        "letters": letters(),
        "tray": tray(),
        "tray_details": tray_details(),
        "rollers_plus": rollers(1),
        "rollers_minus": rollers(-1),
        "pins_plus": roller_pins(1),
        "pins_minus": roller_pins(-1),
        "hub": hub(),
        "hub_cap": hub_cap(),
        "link_0": link_0(),
        "link_0_neck": link_0_neck(),
        "link_1": link_1(),
        "link_1_core": link_1_core(),
        "link_2": link_2(),
        "link_2_caps": link_2_caps(),
        "link_3": link_3(),
        "link_3_caps": link_3_caps(),
        "link_4": link_4(),
        "link_4_caps": link_4_caps(),
        "link_5": link_5(),
        "palm": palm(),
        "palm_details": palm_details(),
        "finger": finger(),
        "finger_pad": finger_pad(),
        "ray_housing": ray_housing(),
    }
