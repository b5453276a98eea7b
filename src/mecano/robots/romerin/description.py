"""ROMERIN, the climbing hexapod of a thesis, as typed facts. README.md tells the rest.

Source keys: T = the thesis; A1 = data sheet of the A1-16 servo; XR = pololu/xyzrobot-servo-arduino;
BLOG = the project's pages; EU = IntelEuclid's drivers and drawings; CALC = computed from those;
EST = estimate. Legs are numbered round the body: 1 front left, 2 middle left, 3 rear left, 4 rear
right, 5 middle right, 6 front right.
"""

from dataclasses import replace
from math import radians

from mecano.robots.description import Erratum
from mecano.robots.leg_modules import LegMount, MountedLeg, both_sides
from mecano.robots.mobile import CameraFacts
from mecano.robots.modular import assemble_legs
from mecano.robots.romerin.leg import CUP_HEIGHT, LEG, TIP_DEPTH

MOUNTS = both_sides(  # T, tables 3.1 to 3.3 and the listing; footholds CALC: 30 mm of room around
    LegMount(0.028962, 0.07506, 90, 1, (-60, 60), -40, (0.13, 0.16), "front left"),
    LegMount(-0.04022, 0.07506, 90, -1, (-70, 30), 0, (-0.06, 0.205), "middle left"),
    LegMount(-0.097347, 0.054413, 180, -1, (-100, 50), -30, (-0.22, 0.105), "rear left"),
)
LEGS = tuple(
    MountedLeg(module=LEG, mount=mount, number=number, depth=TIP_DEPTH)
    for number, mount in enumerate(MOUNTS, start=1)
)
TRIPODS = ((2, 4, 6), (1, 3, 5))
"""Legs that step together, T 5.2."""
STAND_HEIGHT = TIP_DEPTH + CUP_HEIGHT
"""Body's plane above the floor while standing [m]."""
CHAINS = {leg.name: leg.chain for leg in LEGS}
"""Chains from the body's frame to the tips; body: x forward, y left, hips at height zero."""


def _both_sides(left: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Return footholds of all legs from those of legs 1 to 3."""
    return (*left, *((x, -y) for x, y in reversed(left)))


FOOTHOLDS = {
    depth: _both_sides(left)
    for depth, left in (
        # M: 30 mm around each are inside all limits with 3 deg to spare, 25 mm of lift included
        (0.065, ((0.150, 0.185), (-0.065, 0.235), (-0.250, 0.110))),
        (0.080, ((0.145, 0.170), (-0.055, 0.225), (-0.235, 0.115))),
        (TIP_DEPTH, tuple(leg.foothold(TIP_DEPTH) for leg in LEGS[:3])),
        (0.110, ((0.120, 0.155), (-0.055, 0.195), (-0.210, 0.100))),
        (0.130, ((0.120, 0.155), (-0.055, 0.195), (-0.210, 0.100))),
    )
}
"""By the depth of the tips below the hips [m]."""
CORNER = tuple(
    (radians(pitch), x, z)
    for pitch, x, z in (
        # CALC: found by search; on it every leg has a foothold, free of its neighbours, until
        # its next step. The front legs go over first, at 31 deg, the rear ones last.
        (7.5, -0.285, 0.149),
        (15.0, -0.228, 0.151),
        (22.5, -0.178, 0.193),
        (30.0, -0.159, 0.198),
        (37.5, -0.140, 0.201),
        (45.0, -0.166, 0.222),
        (52.5, -0.159, 0.216),
        (60.0, -0.158, 0.245),
        (67.5, -0.141, 0.271),
        (75.0, -0.143, 0.256),
        (82.5, -0.144, 0.264),
        (90.0, -0.144, 0.259),
        (90.0, -0.125, 0.279),
        (90.0, -0.125, 0.349),
    )
)
"""Path of the body through an inner corner, see `LeggedBody.corner`."""

EUCLID = CameraFacts(
    name="camera",
    camera="euclid",
    frame="euclid_optical_frame",
    largest=(640, 480),  # EU
    nearest=0.7,  # EU, of the sibling R200
    furthest=3.5,
    baseline=0.07,  # EST
)

ERRATA = (
    Erratum(
        where="equation (4.3)",
        printed="LT sin(q2 + q3) cos(q2 + q3)",
        correct="LT sin(q2 + q3)",
        evidence="up to 149 mm in z; the listing is right here",
    ),
    Erratum(
        where="equation (4.1) and listing, getFK",
        printed="x = LC cos(A + q1) + r sin q1",
        correct="x = LC cos(A + q1) - r sin q1",
        evidence="coxa and leg would turn opposite ways: 101 mm in x for leg 1 in the rest posture",
    ),
    Erratum(
        where="equation (4.3) and listing, getFK",
        printed="z has LCz = -18.208 mm",
        correct="+18.208 mm: joint 2 is above the body's plane",
        evidence="36.4 mm in z; the thesis's inverse and its table 5.1 both put it above",
    ),
    Erratum(
        where="listing, getFK",
        printed="abs() of all three angles",
        correct="the angles themselves",
        evidence="the rest posture comes out at z = +96.29 mm, it is at -96.29 mm",
    ),
    Erratum(
        where="equations (4.8) to (4.11) and listing, getIK_angles",
        printed="the positive root only",
        correct="both roots: the leg may be folded back across its own hip",
        evidence="wrong in 16.7 % of the joint ranges, exact elsewhere",
    ),
    Erratum(
        where="listing, getIK_angles",
        printed="the root of x^2 + y^2 - LCx^2 without a look at its sign",
        correct="out of reach if it is negative",
        evidence="a point nearer than 16.7 mm to the hip's axis raises a domain error",
    ),
    Erratum(
        where="equations (4.26) to (4.31)",
        printed="legs 1 to 6 are front right, front left, middle right, middle left, rear right, "
        "rear left",
        correct="round the body, as in listing and tables: 6, 1, 5, 2, 4, 3",
        evidence="the table's start points fit to 0.13 mm only so; even and odd legs are tripods "
        "with +69 mm of margin only so, else -129 mm",
    ),
    Erratum(
        where="table 5.1, leg 6, elbow up",
        printed="reached y = +224.39 mm",
        correct="-224.39 mm",
        evidence="as printed it lies on the other side of the robot; then the error is 12.38 mm",
    ),
    Erratum(
        where="section 5.1.2",
        printed="the target of leg 4 lies below the origin",
        correct="level with it: table 5.1 has z = 0",
        evidence="0 mm in the table",
    ),
    Erratum(
        where="listing, ElbowPos",
        printed="ElbUp and ElbDown defined, ElbowUp and ElbowDown used",
        correct="one pair of names",
        evidence="the constructor raises an AttributeError",
    ),
    Erratum(
        where="section 4.5, moveLeg",
        printed="moveLeg(leg, vector) returns 1 or -1",
        correct="the listing has moveLeg(leg, [x, y], z) and returns nothing",
        evidence="two interfaces in one document",
    ),
    Erratum(
        where="listing, the cup's script",
        printed="a signal named by a handle, shape == b, one concatenation with a dot lost",
        correct="the cup's name, not equal, two dots",
        evidence="as printed a cup could only attach to itself",
    ),
)

BODY = assemble_legs(
    "romerin", __file__, LEG, "body.xml", MOUNTS, footholds=FOOTHOLDS, groups=TRIPODS
)
"""The body on its legs. What its `mjcf` writes is model.xml, as a test makes sure."""
assert BODY.legged is not None

DESCRIPTION = replace(
    BODY,
    title="ROMERIN, a climbing hexapod with suction cups",
    summary="Six legs of three servos, each with a suction cup on three joints with springs.",
    model="model.xml",
    legged=replace(BODY.legged, corner=CORNER),
    cameras=(EUCLID,),
    facts={
        "legs": "six; hip, femur 78.9 mm, tibia 114.5 mm to the cup's joints",  # T
        "joints": "36: 18 with servos, 18 with springs of 0.05 N m/rad",  # T, EST
        "reach": "36 to 193 mm from joint 2 of a leg",  # CALC
        "servos": "A1-16, 2.45 N m, 7.33 rad/s, 0.32 deg per count",  # A1
        "cups": "radius 28 mm; attach within 7 mm; hold 15 N pull, 30 N shear",  # EST, T
        "stand": "body 125 mm above the floor",  # CALC
        "camera": "Intel Euclid, colour and depth, 20 deg down",  # T
        "battery": "LiPo 3S 5500 mAh",  # BLOG
        "mass": "2.40 kg",  # EST
    },
    errata=ERRATA,
    sources=(
        "P. Martinez Campos, thesis on the simulation of ROMERIN (UPM ETSIDI, 2019)",
        "data sheet of the A1-16 servo; pololu/xyzrobot-servo-arduino",
        "UPM project pages on the hexapodal robot: battery, cups with turbines, joints of the cups",
        "IntelEuclid/realsense_camera, euclid_description: streams, size of the camera (figures)",
    ),
)  # fmt: skip
