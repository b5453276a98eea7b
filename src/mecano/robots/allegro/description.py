"""Allegro hand (Wonik Robotics) with sensing finger tips, as typed facts. README.md tells the rest.

Source keys: AL = simlabrobotics/allegro_hand_ros; AC = andacas/task_and_motion_planning, the URDF
of MADAR by the paper's author; KA = iocroblab/kautham; CALC = computed from those; M = measured on
our model; EST = estimate.
"""

from dataclasses import dataclass
from math import pi, radians
from pathlib import Path

from mecano.robots.description import Erratum, RobotDescription
from mecano.robots.hands import Finger, HandFacts

Vector = tuple[float, float, float]

SIDES = ("right", "left")


@dataclass(frozen=True, kw_only=True)
class HandLink:
    """One link of the right hand and the joint that turns it; the left one is its mirror image."""

    number: int
    parent: str
    pos: Vector
    """Of the joint, in the parent [m]."""
    rpy: Vector
    """Of the link's frame, in the parent [rad]."""
    axis: Vector
    range: tuple[float, float]
    """[rad]."""
    damping: float
    """[N m s/rad]."""
    friction: float
    """[N m]."""
    mass: float
    """[kg]."""
    middle: Vector
    """Of its box [m]; the centre of mass, too."""
    size: Vector
    """Edges of its box [m]."""
    tip: float | None = None
    """How far along z its finger tip is [m]; None where another link follows."""
    mirrors: bool = False
    """Whether the left hand's joint turns about the opposite axis, with the same values."""


FINGER_NAMES = ("index", "middle", "ring", "thumb")
LIMITS = ((-0.47, 0.47), (-0.196, 1.61), (-0.174, 1.709), (-0.227, 1.618))  # AL [rad]
THUMB_LIMITS = ((0.263, 1.396), (-0.105, 1.163), (-0.189, 1.644), (-0.162, 1.719))  # AL [rad]
DRAG = ((0.0213, 0.0675), (0.0177, 0.0468), (0.0318, 0.0166), (0.0383, 0.0212))  # AC
LENGTHS = (0.0164, 0.054, 0.0384, 0.0267)  # AL: joint to joint, and the last link [m]
MASSES = (0.0119, 0.065, 0.037, 0.0314)  # AC [kg]
THUMB_MASSES = (0.0176, 0.0119, 0.038, 0.0388)  # AC [kg]
WIDTH, DEPTH = 0.0275, 0.0196  # AC: of a finger, y and x [m]
TIP_X, TIP_Z, THUMB_TIP_Z = 0.01335, 0.0408, 0.0564  # AC: sensing tips in the last links [m]
TIP_RADIUS, TIP_MASS = 0.012, 0.0168  # AC [m], [kg]
PALM_SIZE, PALM_MIDDLE = (0.0408, 0.113, 0.095), (-0.0093, 0.0, -0.0475)  # KA [m]
PALM_MASS = 0.4154  # AC [kg]
ROOTS = ((0.0435, -0.001542, radians(-5)), (0.0, 0.0007, 0.0), (-0.0435, -0.001542, radians(5)))
"""AL: y, z [m] and roll [rad] of the roots of index, middle and ring finger."""


def _finger(index: int) -> list[HandLink]:
    y, z, roll = ROOTS[index]
    places = ((0.0, y, z), *((0.0, 0.0, length) for length in LENGTHS[:3]))
    return [
        HandLink(
            number=4 * index + k,
            parent="base_hand_link" if k == 0 else f"link_{4 * index + k - 1}",
            pos=places[k],
            rpy=(roll, 0.0, 0.0) if k == 0 else (0.0, 0.0, 0.0),
            axis=(0.0, 0.0, 1.0) if k == 0 else (0.0, 1.0, 0.0),
            range=LIMITS[k],
            damping=DRAG[k][0],
            friction=DRAG[k][1],
            mass=MASSES[k],
            middle=(0.0, 0.0, LENGTHS[k] / 2),
            size=(DEPTH, WIDTH, LENGTHS[k]),
            tip=TIP_Z if k == 3 else None,
        )
        for k in range(4)
    ]


def _thumb() -> list[HandLink]:
    places = ((-0.0182, 0.019333, -0.045987), (-0.027, 0.005, 0.0399), (0.0, 0.0, 0.0177),
              (0.0, 0.0, 0.0514))  # fmt: skip
    axes = ((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))
    sizes = ((0.0358, 0.034, 0.0455), *((DEPTH, WIDTH, z) for z in (0.0177, 0.0514, 0.0423)))
    middles = ((-0.0179, 0.009, 0.0145), *((0.0, 0.0, size[2] / 2) for size in sizes[1:]))
    return [
        HandLink(
            number=12 + k,
            parent="base_hand_link" if k == 0 else f"link_{11 + k}",
            pos=places[k],
            rpy=(0.0, radians(-95), -pi / 2) if k == 0 else (0.0, 0.0, 0.0),
            axis=axes[k],
            range=THUMB_LIMITS[k],
            damping=DRAG[k][0],
            friction=DRAG[k][1],
            mass=THUMB_MASSES[k],
            middle=middles[k],
            size=sizes[k],
            tip=THUMB_TIP_Z if k == 3 else None,
            mirrors=k < 2,
        )
        for k in range(4)
    ]


LINKS = tuple(link for links in (*map(_finger, range(3)), _thumb()) for link in links)
"""The right hand, finger by finger. Hand frame: x out of the palm, y to the thumb, z along the
fingers; its origin is between the roots of the fingers."""

GAIN, DAMPING, TORQUE, SPEED = 3.0, 0.1, 0.7, 3.0
"""Sheet of the scenes, 4.4: [N m/rad], [N m s/rad]; AC: [N m], [rad/s]."""
FLAT_THUMB = (0.263, -0.105, -0.189, -0.162)  # sheet of the scenes, 4.1

POSTURES: dict[str, tuple[float, ...]] = {
    "home": tuple(map(radians, (0, -10, 45, 45, 0, -10, 45, 45, 5, -5, 50, 45, 60, 25, 15, 45))),
    "flat": (0.0,) * 12 + FLAT_THUMB,
    "open": (0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.1, 0.0, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0),
    "power": (0.0, 1.1, 1.2, 0.7) * 3 + (1.396, 0.3, 0.4, 0.5),
    "pinch": (0.075, 1.455, 0.303, -0.147)
    + (0.0, 0.3, 0.3, 0.3) * 2
    + (1.316, 0.056, 0.377, -0.082),
}
"""Of the right hand [rad]. home: AL; flat: sheet of the scenes, 4.1; the others: M. In none of them
do links touch. In a pinch the tips of index and thumb face each other, 2 mm apart."""


def postures(side: str) -> dict[str, tuple[float, ...]]:
    """Return the named postures of a hand [rad]: the left one spreads its fingers mirrored."""
    if side == "right":
        return dict(POSTURES)
    signs = [-1.0 if k in (0, 4, 8) else 1.0 for k in range(16)]
    return {
        name: tuple(sign * value + 0.0 for sign, value in zip(signs, values, strict=True))
        for name, values in POSTURES.items()
    }


def hand(side: str, *, prefix: str = "") -> HandFacts:
    """Return the facts of a hand whose parts have this prefix in a model."""
    fingers = []
    for index, name in enumerate(FINGER_NAMES):
        ids = range(4 * index, 4 * index + 4)
        links = [f"{prefix}link_{k}" for k in ids]
        fingers.append(
            Finger(
                name=name,
                joints=tuple(f"{prefix}joint_{k}" for k in ids),
                bodies=(*links, f"{links[-1]}_tip"),
                tip=f"{prefix}{name}_tip",
            )
        )
    return HandFacts(
        name=side,
        palm=f"{prefix}base_hand_link",
        fingers=tuple(fingers),
        limits=tuple(link.range for link in LINKS),
        stiffness=GAIN,
        damping=DAMPING,
        torque=TORQUE,
        speed=SPEED,
        resolution=radians(0.002),  # EST: the hand's own figure, from memory
        rate=333.0,  # AL
        postures=postures(side),
    )


ERRATA = (
    Erratum(
        where="URDF of the hand, AL and AC: inertia of links 1-3, 5-7, 9-11, 12-15",
        printed="tensors that break the triangle inequality",
        correct="those of their boxes",
        evidence="13 of 16 per hand are refused by MuJoCo 4.0.0; centres of mass outside the links",
    ),
    Erratum(
        where="URDF of the hand, AC: inertia of the tips",
        printed="zero",
        correct="that of a ball of 12 mm and 16.8 g",
        evidence="a moving body without inertia cannot be simulated",
    ),
)

DESCRIPTION = RobotDescription(
    name="allegro",
    title="Allegro hand with sensing finger tips, right and left",
    summary="Three fingers and a thumb, 16 joints with a motor each.",
    folder=Path(__file__).parent,
    chains={},
    hands={"right": hand("right")},  # of this model; `hand` has the facts of both
    model="right.xml",
    scene="empty",
    facts={
        "joints": "16, four per finger",
        "torque": "0.7 N m",  # AC
        "speed": "3 rad/s",  # AC
        "loop": "333 Hz over CAN",  # AL
        "mass": "1.02 kg",  # CALC
    },
    errata=ERRATA,
    sources=(
        "simlabrobotics/allegro_hand_ros: origins, axes, limits, home posture (figures only)",
        "andacas/task_and_motion_planning: masses, boxes, sensing tips, friction (figures only)",
        "iocroblab/kautham: size of the palm (figures only)",
    ),
)
