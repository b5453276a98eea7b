"""The meshes of the robot: our own drawing of ROMERIN, after the measures in the model.

Millimetres in the frames of the links. They only please the eye; what collides is made of simple
shapes.
"""

from math import cos, pi, radians, sin

from tools.solids import (
    Outline,
    Solid,
    Span,
    along_x,
    along_y,
    both_sides,
    box,
    cable,
    disc,
    hull,
    join,
    moved,
    plate,
    prism,
    ring,
    stadium,
    turned,
    wrap,
)

COXA_BESIDE = 16.704


def both_cheeks(solid: Solid) -> Solid:
    """Join a solid and its mirror image in x = 0."""
    return join(solid, Solid(solid.vertices * (-1, 1, 1), solid.faces[:, ::-1]))


def flipped(solid: Solid) -> Solid:
    """Reflect a solid in the plane z = 0."""
    return Solid(solid.vertices * (1, 1, -1), solid.faces[:, ::-1])


def cheek(ends: tuple[tuple[float, float], tuple[float, float]], radius: float, x: Span) -> Solid:
    """Draw a rounded side plate in the yz plane with thickness in x."""
    return along_x(prism(stadium(ends, radius), x))


# Servo A1-16: z is the axis of its horns; 50 x 32 mm, 40.5 mm over the horns.


def servo_case() -> Solid:
    """Draw the case: a body, a narrower waist in the middle, feet at the back."""
    return join(
        plate((-16, 16), (-38, 12), (-17.6, -6), radius=4, bevel=1),
        plate((-15.2, 15.2), (-37.2, 11.2), (-7, 7), radius=4, bevel=0.4),
        plate((-16, 16), (-38, 12), (6, 17.6), radius=4, bevel=1),
        wrap(disc(13.5, (-18.4, 18.4), sides=32)),
    )


def servo_horns() -> Solid:
    """Draw both horns."""
    return join(disc(10.5, (17, 20.25), bevel=0.6), flipped(disc(10.5, (17, 20.25), bevel=0.6)))


def servo_screws() -> Solid:
    """Draw the screws of the case and of the horns."""
    head = disc(1.3, (17, 18.0), bevel=0.3, sides=8)
    corners = [moved(head, x, y) for x in (-12.8, 12.8) for y in (-34.8, 8.8)]
    horn = moved(head, z=2.6)
    places = [pi / 4 + k * pi / 2 for k in range(4)]
    circle = [moved(horn, 7 * cos(a), 7 * sin(a)) for a in places]
    upper = join(*corners, *circle, moved(disc(2.4, (17, 20.9), bevel=0.4, sides=12)))
    return join(upper, flipped(upper))


def servo_label() -> Solid:
    """Draw the coloured stripe on the back of the case and its light."""
    return join(box((-9, 9), (-38.3, -37), (-4, 4)), box((-16.2, 16.2), (-30, -12), (-1.2, 1.2)))


# Body, in body_link: two plates with hips between them, battery, board, camera's bracket.

PLATE: Outline = [
    (104, 24), (56, 65), (-60, 65), (-86, 26), (-86, -26), (-60, -65), (56, -65), (104, -24),
]  # fmt: skip


def chassis() -> Solid:
    """Draw the two plates of the chassis, and ears that hold the hip servos between them."""
    plates = [prism(PLATE, z, bevel=0.8) for z in ((-25, -22.5), (22.5, 25))]
    ears = [
        box((x - 14, x + 14), (34, 62), z)
        for x in (28.962, -40.22)
        for z in ((18.0, 20.0), (-20.0, -18.0))
    ]
    return join(*plates, both_sides(join(*ears)))


def pillars() -> Solid:
    """Draw the posts between the plates."""
    post = disc(3.2, (-22.6, 22.6), sides=6)
    places = [(96, 18), (56, 56), (-6, 60), (-80, 18)]
    return both_sides(join(*(moved(post, x, y) for x, y in places)))


def plate_holes() -> Solid:
    """Draw the holes and slots of the upper plate."""
    hole = disc(2.6, (24.4, 25.15), sides=12)
    rows = [moved(hole, x, y) for x in range(-58, 48, 15) for y in (-44, 44)]
    rows += [moved(hole, x, y) for x in (-78,) for y in (-20, -7, 7, 20)]
    slots = [box((x, x + 22), (54, 58), (24.4, 25.15)) for x in (-52, -14, 22)]
    return join(*rows, both_sides(join(*slots)))


def battery() -> Solid:
    """Draw the battery between the plates."""
    return plate((-80, 66), (-23, 23), (-22, 6), radius=5, bevel=2)


def battery_band() -> Solid:
    """Draw its straps."""
    return join(*(box((x, x + 12), (-23.6, 23.6), (-22.4, 6.6)) for x in (-66, 26)))


def board() -> Solid:
    """Draw the controller's board on the upper plate."""
    return plate((-66, 12), (-32, 32), (30, 32), radius=3, bevel=0.3)


def board_parts() -> Solid:
    """Draw chips, sockets and the standoffs of the board."""
    chips = [box((-36, -18), (-9, 9), (32, 34)), box((-10, 0), (6, 18), (32, 34.5))]
    sockets = [box((x, x + 8), (y, y + 5), (32, 38)) for x in range(-60, 6, 12) for y in (-31, 26)]
    posts = [moved(disc(2.4, (25, 30), sides=6), x, y) for x in (-62, 8) for y in (-28, 28)]
    return join(*chips, *sockets, *posts, box((-66, -54), (-10, 6), (32, 41)))


def regulators() -> Solid:
    """Draw the speed controllers of the turbines, three on each side of the board."""
    pack = [plate((x, x + 17), (36, 50), (25, 31), radius=1.5) for x in (-57, -37, -17)]
    return both_sides(join(*pack))


def bracket() -> Solid:
    """Draw the printed bracket that carries the camera."""
    foot = plate((26, 84), (-26, 26), (25, 28.5), radius=4)
    rib = wrap(box((36, 80), (-2, 2), (26, 30)), box((60, 68), (-2, 2), (52, 74)))
    c, s = cos(radians(20)), sin(radians(20))
    back = hull(
        (90 - c * b + s * u, y, 60 + s * b + c * u)
        for b in (24.6, 27.6)
        for u in (-17, 17)
        for y in (-34.0, 34.0)
    )
    return join(foot, *(moved(rib, 0, y) for y in (-22, 0, 22)), back)


# Camera, in camera_link: x right, y up, z backwards, the lens at the origin.


def euclid() -> Solid:
    """Draw the case of the camera."""
    return plate((-63.25, 63.25), (-17.5, 17.5), (0.6, 24.4), radius=9, bevel=2.5)


def euclid_glass() -> Solid:
    """Draw its dark front."""
    return plate((-57, 57), (-11, 11), (0, 1.6), radius=8, bevel=0.3)


def euclid_eyes() -> Solid:
    """Draw the rings of its lenses."""
    eye = ring([(3.2, -0.5), (5.0, -0.5), (5.0, 1), (3.2, 1)], step=15)
    return join(*(moved(eye, x) for x in (-44, -22, 14, 44)))


def euclid_fins() -> Solid:
    """Draw the cooling slots on its back and top."""
    slots = [box((x, x + 3), (-12, 12), (23.6, 24.7)) for x in range(-48, 48, 7)]
    return join(*slots)


# Legs: x beside the leg, y along it, z up.


def coxa_bracket(side: int) -> Solid:
    """Draw the bracket from the hip's horns to servo 2, which stands upright before it."""
    low, high = sorted((-side * 13.0, side * (COXA_BESIDE + 17)))
    arm = wrap(moved(disc(12, (20.4, 22.6))), box((low, high), (20, 25), (20.4, 22.6)))
    web = box((low, high), (22.6, 25.2), (-22.6, 22.6))
    middle = side * COXA_BESIDE
    seat = box((middle - 17, middle + 17), (24, 27), (-20, 26))
    return join(arm, flipped(arm), web, seat)


def femur_bracket() -> Solid:
    """Draw the fork from servo 2's horns to the back of servo 3."""
    side = cheek(((0, 0), (44, 0)), 12, (20.4, 22.8))
    grip = cheek(((42, 0), (58, 0)), 13, (18.2, 21.2))
    return join(both_cheeks(side), both_cheeks(grip), box((-22.8, 22.8), (38, 40.9), (-12, 12)))


def femur_holes() -> Solid:
    """Draw the holes of the fork."""
    hole = disc(3.6, (22.2, 23.0), sides=16)
    return both_cheeks(join(*(moved(along_x(hole), 0, y, 0) for y in (19, 30, 41))))


def tibia_bracket() -> Solid:
    """Draw the fork on servo 3's horns."""
    side = cheek(((0, 0), (24, 0)), 11.5, (20.4, 22.8))
    return join(both_cheeks(side), box((-22.8, 22.8), (24, 28), (-11, 11)))


def shin() -> Solid:
    """Draw the printed shin from the fork to the bearing of joint 4."""
    upper = wrap(box((-17, 17), (27, 30), (-11, 11)), along_y(moved(disc(9, (46, 48), sides=24))))
    lower = along_y(wrap(disc(9, (46, 47), sides=24), disc(11, (60, 67.4), sides=24)))
    return join(upper, lower)


def wrist() -> Solid:
    """Draw what turns about the tibia: a bearing, a stem and the fork of joint 5."""
    bearing = along_y(disc(11, (0.4, 6), bevel=1, sides=24))
    stem = along_y(wrap(disc(9, (4, 6), sides=24), disc(7, (18, 20), sides=24)))
    bridge = plate((-21, 21), (17, 24), (-8, 8), radius=3)
    arm = cheek(((22, 0), (46.71, 0)), 7.0, (17, 20.6))
    return join(bearing, stem, bridge, both_cheeks(arm))


def wrist_pins() -> Solid:
    """Draw the pins of joint 5 and the spring round the stem."""
    pins = both_cheeks(moved(along_x(disc(3.2, (14, 22), bevel=0.6, sides=16)), 0, 46.71))
    coils = [along_y(ring([(7.6, h), (9.4, h), (9.4, h + 1.4), (7.6, h + 1.4)], step=15))
             for h in (8, 10.6, 13.2)]  # fmt: skip
    return join(pins, *coils)


# Cup, with y out of the cup; its face is 30 mm from the crossing of joints 5 and 6.


def cup_bell() -> Solid:
    """Draw the printed bell, and the neck that hangs in the fork."""
    neck = join(along_x(disc(6.5, (-15.5, 15.5), sides=24)), box((-12, 12), (0, 9), (-6.5, 6.5)))
    profile = [(0.5, 18), (15.5, 18), (17, 19), (25.5, 24.5), (25.5, 26.5), (0.5, 26.5)]
    return join(neck, along_y(ring(profile, step=10)))


def cup_turbine() -> Solid:
    """Draw the turbine on the bell: a drum, and its motor under the neck."""
    return along_y(join(disc(15, (9, 18.5), bevel=1, sides=32), disc(9.5, (6, 10), sides=24)))


def cup_vents() -> Solid:
    """Draw the blades one sees in the drum's wall, where the air leaves."""
    slit = box((14.2, 15.4), (-1.0, 1.0), (10.5, 17))
    return along_y(join(*(turned(slit, 15.0 * k) for k in range(24))))


def cup_lip() -> Solid:
    """Draw the rubber lip with its fold; hollow inside."""
    profile = [
        (21, 25.5), (26, 25.5), (27, 26.4), (25.6, 27.2), (28, 29.4), (28, 30), (26.4, 30),
        (21, 26.4),
    ]  # fmt: skip
    return along_y(ring(profile, step=7.5))


# Cables.


def femur_cable() -> Solid:
    """Draw the cable from servo 2 to servo 3."""
    return cable(
        (-12, -16, 10), (-14, 6, 20), (-12, 30, 22), (-9, 44, 18), (-8, 50, 15), radius=1.6
    )


def tibia_cable() -> Solid:
    """Draw the cable of the turbine along the tibia."""
    return cable((23.5, 4, 4), (22.5, 20, 8), (15, 33, 8), (8.5, 46, 6), (9, 56, 7), (8, 67, 7.5))


def meshes() -> dict[str, Solid]:
    """Draw every mesh of ROMERIN, by the name of its file."""
    return {
        "servo_case": servo_case(),
        "servo_horns": servo_horns(),
        "servo_screws": servo_screws(),
        "servo_label": servo_label(),
        "chassis": chassis(),
        "pillars": pillars(),
        "plate_holes": plate_holes(),
        "battery": battery(),
        "battery_band": battery_band(),
        "board": board(),
        "board_parts": board_parts(),
        "regulators": regulators(),
        "bracket": bracket(),
        "euclid": euclid(),
        "euclid_glass": euclid_glass(),
        "euclid_eyes": euclid_eyes(),
        "euclid_fins": euclid_fins(),
        "coxa_towards": coxa_bracket(1),
        "coxa_opposite": coxa_bracket(-1),
        "femur_bracket": femur_bracket(),
        "femur_holes": femur_holes(),
        "tibia_bracket": tibia_bracket(),
        "shin": shin(),
        "wrist": wrist(),
        "wrist_pins": wrist_pins(),
        "cup_bell": cup_bell(),
        "cup_turbine": cup_turbine(),
        "cup_vents": cup_vents(),
        "cup_lip": cup_lip(),
        "femur_cable": femur_cable(),
        "tibia_cable": tibia_cable(),
    }
