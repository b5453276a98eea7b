"""The meshes of the robot: our own drawing of a Widow-X, after the extents in body.xml.

Millimetres in the frames of the links. `foot`, `tower_hull` and `finger_hull` collide, the rest
only pleases the eye.
"""

from math import cos, pi, sin, tan

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
    side_plate,
    stadium,
    turned,
)


def octagon(flat: float) -> Outline:
    """Return a regular octagon with flats towards x and y, by half of its width across them."""
    half = flat * tan(pi / 8)
    quarter = [(flat, -half), (flat, half), (half, flat), (-half, flat)]
    return [*quarter, *((-x, -y) for x, y in quarter)]


def screws(places: Outline, z: Span, radius: float = 1.6) -> Solid:
    """Draw screw heads along z."""
    return join(*(moved(disc(radius, z, bevel=0.3, sides=8), x, y) for x, y in places))


def side_screws(places: Outline, y: float, radius: float = 1.6) -> Solid:
    """Draw screw heads on both sides, at places in the xz plane."""
    heads = (
        moved(along_y(disc(radius, (y - 0.6, y + 0.7), bevel=0.3, sides=8)), x, 0, z)
        for x, z in places
    )
    return both_sides(join(*heads))


def side_discs(places: Outline, y: Span, radius: float) -> Solid:
    """Draw discs on both sides, at places in the xz plane."""
    return both_sides(
        join(*(moved(along_y(disc(radius, y, sides=24)), x, 0, z) for x, z in places))
    )


# Base: foot, tower and what is bolted to it.


def tower() -> Solid:
    """Draw two octagonal plates, the panels between them and the posts at the corners."""
    corner = 75.5
    post = moved(disc(4.2, (6, 86), sides=12), corner * cos(pi / 8), corner * sin(pi / 8))
    return join(
        prism(octagon(72.8), (4, 9), bevel=0.8),
        prism(octagon(72.8), (84, 89), bevel=0.8),
        *(turned(post, 45 * k) for k in range(8)),
    )


def tower_panels() -> Solid:
    """Draw the eight walls, set back a little."""
    return prism(octagon(70.5), (8, 85))


def tower_details() -> Solid:
    """Draw the slots in the walls and the sockets at the back."""
    slots = [
        turned(box((70.0, 70.8), (-17, 17), (z - 1.6, z + 1.6)), 45 * k)
        for k in (1, 2, 3, 5, 6, 7)
        for z in (32, 40, 48, 56, 64)
    ]
    sockets = [
        turned(box((70, 72.4), (y - w, y + w), (22, 34)), 180) for y, w in ((-12, 5), (8, 8))
    ]
    return join(*slots, *sockets)


def tower_screws() -> Solid:
    """Draw the screws of the walls, of the top and of the foot."""
    wall = [
        moved(along_x(disc(2.0, (70.4, 71.6), bevel=0.4, sides=10)), 0, y, z)
        for y in (-22, 22)
        for z in (16, 77)
    ]
    top = screws([(66, -18), (66, 18)], (88.8, 90.2), 2.0)
    foot = screws([(86, -40), (86, 40)], (3.8, 5.6), 2.6)
    walls = [turned(screw, 45 * k) for k in range(8) for screw in (*wall, top)]
    return join(*walls, *(turned(foot, 90 * k) for k in range(4)))


# Shoulder: the turntable and the fork that holds the first MX-64.


def shoulder_fork() -> Solid:
    """Draw the two cheeks and the plate under them."""
    cheek = [(-14, -35), (14, -35), (14, -8), (10, 2), (5, 4.6), (-5, 4.6), (-10, 2), (-14, -8)]
    floor = plate((-17, 17), (-25.5, 25.5), (-35.4, -32.6), radius=3)
    return join(floor, both_sides(side_plate(cheek, (23.5, 25.5))))


def shoulder_screws() -> Solid:
    """Draw the bolt circle of the turntable and the screws of the fork."""
    circle = [(44 * cos(k * pi / 4 + 0.2), 44 * sin(k * pi / 4 + 0.2)) for k in range(8)]
    feet = [(x, y) for x in (-11, 11) for y in (-17, 17)]
    return join(
        screws(circle, (-35.2, -33.8), 2.2),
        screws(feet, (-32.8, -31.6)),
        side_screws([(-9, -14), (9, -14), (-9, -27), (9, -27)], 25.5),
    )


# Biceps: two side plates, bent forwards at the elbow, with an MX-64 at either end.

COLUMN = [
    (-19, 26),
    (19, 26),
    (25.3, 50),
    (25.3, 128),
    (20, 140),
    (-16, 140),
    (-25.3, 122),
    (-25.3, 50),
]
ELBOW = [
    (-8, 122),
    (-2, 116.5),
    (42, 116.5),
    (52, 127),
    (52, 157),
    (44, 165.5),
    (4, 165.5),
    (-8, 152),
]


def biceps_sides() -> Solid:
    """Draw the side plates with their bend."""
    return both_sides(join(side_plate(COLUMN, (15.8, 18.4)), side_plate(ELBOW, (15.8, 18.4))))


def biceps_core() -> Solid:
    """Draw the plates that tie the sides, in front and behind."""
    back = box((-23.5, -21), (-16, 16), (58, 122))
    front = box((21, 23.5), (-16, 16), (58, 112))
    top = box((6, 42), (-16, 16), (162, 164))
    return join(back, front, top, box((-17, 17), (-14, 14), (52, 118)))


def biceps_holes() -> Solid:
    """Draw the round cut-outs of the side plates and the slots of the tie plates."""
    round_holes = side_discs([(0, 66), (0, 88), (0, 110)], (15.6, 18.55), 8.0)
    small = side_discs([(s * 17.5, z) for s in (-1, 1) for z in (77, 99)], (15.6, 18.55), 2.6)
    slots = [box((x, x + 0.3), (-9, 9), (z, z + 5)) for x in (-23.75, 23.5) for z in (68, 82, 96)]
    return join(round_holes, small, *slots)


def mx64(x: Span, z: Span) -> Solid:
    """Draw an MX-64 whose axis is along y, in three shells with seams between them."""
    y = (-15.9, 15.9)
    thirds = ((y[0], -6.2), (-6.2, 7.4), (7.4, y[1]))
    shells = []
    for k, third in enumerate(thirds):
        inset = 0.4 * (k == 1)
        shells.append(
            along_y(
                plate(
                    (z[0] + inset, z[1] - inset), (x[0] + inset, x[1] - inset), third,
                    radius=4, bevel=0.7,
                )
            )
        )  # fmt: skip
    return join(*shells)


def biceps_screws() -> Solid:
    """Draw the screws of the side plates."""
    column = [(s * 16, 34) for s in (-1, 1)] + [(s * 21, z) for s in (-1, 1) for z in (56, 120)]
    return side_screws([*column, (6, 160), (40, 160), (6, 134), (36, 122)], 18.4)


# Forearm: a fork on the elbow, two side plates, an MX-28 at the wrist.

FOREARM = [
    (36, -13),
    (36, 13),
    (50, 23),
    (126, 23),
    (140, 15),
    (144, 8),
    (144, -8),
    (140, -15),
    (126, -23),
    (50, -23),
]


def forearm_fork() -> Solid:
    """Draw the two cheeks on the elbow's horns and the bridge between them."""
    cheek = [(-4.5, -5), (-4.5, 5), (0, 11), (34, 11), (34, -11), (0, -11)]
    return join(both_sides(side_plate(cheek, (19, 22))), box((33, 37), (-22, 22), (-11, 11)))


def forearm_sides() -> Solid:
    """Draw the side plates."""
    return both_sides(side_plate(FOREARM, (15.4, 18)))


def forearm_core() -> Solid:
    """Draw the tie plates above and below."""
    return join(
        box((52, 92), (-15.5, 15.5), (19.5, 21.5)),
        box((52, 92), (-15.5, 15.5), (-21.5, -19.5)),
        box((42, 92), (-13.5, 13.5), (-12, 12)),
    )


def forearm_holes() -> Solid:
    """Draw the cut-outs of the side plates."""
    round_holes = side_discs([(58, 0), (78, 0)], (15.3, 18.15), 7.0)
    slot = both_sides(side_plate(stadium(((52, 15.5), (86, 15.5)), 2.2), (15.3, 18.15)))
    return join(round_holes, slot, moved(slot, 0, 0, -31))


def mx28() -> Solid:
    """Draw the MX-28 of the wrist, its axis along y at x = 142."""
    return join(
        *(
            along_y(plate((-17.8 + i, 17.8 - i), (95 + i, 144 - i), y, radius=4, bevel=0.7))
            for y, i in (((-15.5, -5.5), 0), ((-5.5, 6.5), 0.4), ((6.5, 15.5), 0))
        )
    )


def forearm_screws() -> Solid:
    """Draw the screws of the fork and the side plates."""
    plates = [(x, s * z) for s in (-1, 1) for x, z in ((46, 15), (96, 19), (124, 19))]
    return join(
        side_screws(plates, 18.0),
        side_screws([(26, -6.5), (26, 6.5)], 22.0),
    )


# Wrist and hand: two AX-12A, one behind the other.


def wrist_fork() -> Solid:
    """Draw the bracket from the wrist's horns to the servo of the roll."""
    cheek = [(-4.5, -5), (-4.5, 5), (0, 11), (26, 11), (26, -11), (0, -11)]
    back = along_x(plate((-22, 22), (-11, 11), (24, 28), radius=2))
    return join(both_sides(side_plate(cheek, (20, 22))), back)


def ax12(x: Span) -> Solid:
    """Draw an AX-12A with its horn on the x axis, the case standing up."""
    middle = 0.5 * (x[0] + x[1])
    case = plate((-13, 13), (-11, 35.2), (x[0], middle - 1.2), radius=5, bevel=1.0)
    other = plate((-13, 13), (-11, 35.2), (middle + 1.2, x[1]), radius=5, bevel=1.0)
    waist = plate((-12.2, 12.2), (-10.2, 34.4), (x[0] + 3, x[1] - 3), radius=5)
    ribs = [box((-13.0, 13.0), (z - 1.4, z + 1.4), (x[0] + 5, x[1] - 5)) for z in (6, 18, 30)]
    return along_x(join(case, other, waist, *ribs))


def ax12_details(x: Span) -> Solid:
    """Draw the screws and the two sockets of an AX-12A."""
    heads = join(
        *(
            moved(along_x(disc(1.5, (face - 0.6, face + 0.6), sides=8)), 0, y, z)
            for face in x
            for y in (-9.5, 9.5)
            for z in (-7, 31)
        )
    )
    middle = 0.5 * (x[0] + x[1])
    return join(heads, box((middle - 8, middle + 8), (-5, 5), (34.6, 35.9)))


def rail() -> Solid:
    """Draw the back plate of the hand and the blocks that carry the rods."""
    back = along_x(plate((-35.8, 35.8), (-19.9, 19.9), (0, 2.6), radius=5, bevel=0.5))
    ends = both_sides(box((2, 7.4), (33, 35.8), (-18, 18)))
    return join(back, ends)


def rail_rods() -> Solid:
    """Draw the two rods on which the fingers slide, and the horn of the gripper's servo."""
    rod = along_y(disc(2.0, (-35, 35), sides=16))
    return join(moved(rod, 5, 0, 14.5), moved(rod, 5, 0, -14.5), along_x(disc(9, (2.4, 4.2))))


def crank() -> Solid:
    """Draw the crank of the gripper, along y."""
    return along_x(prism(stadium(((-7.8, 2.0), (7.8, -2.0)), 3.4), (4.2, 6.4)))


# Finger on the +y side; the other one is the same after half a turn about x.


def finger_block() -> Solid:
    """Draw the slider at the root of a finger."""
    return along_x(plate((2.1, 22.9), (-21.5, 21.5), (3.4, 11), radius=3, bevel=0.8))


def finger() -> Solid:
    """Draw the wedge: 20 mm deep at the root, 3 mm at the tip; the pad lies before it."""
    root = [(10.5, y, z) for y in (3.4, 22.1) for z in (-14, 14)]
    tip = [
        (x, y, z) for x, z in ((44.0, 11.5), (44.0, -11.5), (41, 14), (41, -14)) for y in (3.4, 5.4)
    ]
    shoulder = [(16.0, 19.4, z) for z in (-14, 14)]
    return hull([*root, *shoulder, *tip])


def finger_hull() -> Solid:
    """Draw the same, plain, as what collides."""
    root = [(11.0, y, z) for y in (2.6, 22.1) for z in (-14, 14)]
    return hull([*root, *((44.4, y, z) for y in (2.6, 5.1) for z in (-14, 14))])


def finger_pad() -> Solid:
    """Draw the rubber pad with ribs; its face is the plane y = 2.1."""
    ribs = (box((x, x + 2.2), (2.1, 2.8), (-14, 14)) for x in [10.5 + 3.18 * k for k in range(11)])
    return join(box((10.5, 44.5), (2.7, 3.7), (-14, 14)), *ribs)


def finger_holes() -> Solid:
    """Draw the cut-out in the wedge."""
    return hull(
        (x, y, z)
        for x, y in ((15, 7), (15, 15.5), (29, 9.2), (33, 7))
        for z in (-14.15, 14.15)
    )  # fmt: skip


def finger_screws() -> Solid:
    """Draw the screws of the slider."""
    return join(
        *(
            moved(along_x(disc(1.8, (10.6, 11.7), bevel=0.3, sides=10)), 0, y, z)
            for y in (6.5, 18.5)
            for z in (-17.8, 17.8)
        )
    )


SHOULDER_CABLE = ((-12, 11, -33), (-22, 11, -20), (-28, 9, 10), (-25.5, 7, 45), (-24.6, 7, 60))
ELBOW_CABLE = ((-24.6, -7, 100), (-27, -8, 125), (-16, -9, 146), (-7.5, -9, 150))
FOREARM_CABLE = ((40, 9, 11), (46, 9, 22.4), (88, 9, 22.4), (98, 8, 16))
WRIST_CABLE = ((20, 4, 13), (24, 4, 30), (34, 4, 37.5), (44, 3, 36.5))


def meshes() -> dict[str, Solid]:
    """Draw everything, by file name."""
    cut = [(95.35, -58), (95.35, 58), (58, 95.35), (-58, 95.35)]
    return {
        "foot": prism([*cut, *((-x, -y) for x, y in cut)], (0, 4)),
        "tower_hull": prism(octagon(72.8), (4, 89)),
        "tower": tower(),
        "tower_panels": tower_panels(),
        "tower_details": tower_details(),
        "tower_screws": tower_screws(),
        "turntable": disc(55, (-40.8, -35), bevel=0.8, sides=64),
        "shoulder_fork": shoulder_fork(),
        "shoulder_screws": shoulder_screws(),
        "biceps_sides": biceps_sides(),
        "biceps_core": biceps_core(),
        "biceps_holes": biceps_holes(),
        "biceps_screws": biceps_screws(),
        "biceps_servo": mx64((-20.1, 20.1), (-8, 53)),
        "elbow_servo": mx64((-7.5, 51.5), (121.5, 161.7)),
        "forearm_fork": forearm_fork(),
        "forearm_sides": forearm_sides(),
        "forearm_core": forearm_core(),
        "forearm_holes": forearm_holes(),
        "forearm_screws": forearm_screws(),
        "wrist_servo": mx28(),
        "wrist_fork": wrist_fork(),
        "roll_servo": ax12((28, 68)),
        "roll_details": ax12_details((28, 68)),
        "hand_servo": ax12((2, 43)),
        "hand_details": ax12_details((2, 43)),
        "rail": rail(),
        "rail_rods": rail_rods(),
        "crank": crank(),
        "finger_block": finger_block(),
        "finger": finger(),
        "finger_hull": finger_hull(),
        "finger_pad": finger_pad(),
        "finger_holes": finger_holes(),
        "finger_screws": finger_screws(),
        "shoulder_cable": cable(*SHOULDER_CABLE),
        "elbow_cable": cable(*ELBOW_CABLE),
        "forearm_cable": cable(*FOREARM_CABLE),
        "wrist_cable": cable(*WRIST_CABLE),
    }
