"""MADAR, the paper's mobile robot with two arms, as typed facts. README.md tells the rest.

Source keys: P = the paper (section or appendix); AC = andacas/task_and_motion_planning, its
author's URDF; KA = iocroblab/kautham; EC = iocroblab/cpp4ec, the drives' configuration; IST =
iocroblab/sick_tim; SC = the project's sheet of the scenes; M = measured or computed for the
project's fact sheet or on our model; EST = estimate.
"""

from math import pi, radians
from pathlib import Path

import numpy as np

from mecano.kinematics.chain import Chain
from mecano.kinematics.drift import Drift
from mecano.kinematics.transforms import Array, rotation_x, rotation_y, rotation_z, translation
from mecano.kinematics.wheels import omni
from mecano.robots.allegro.description import hand
from mecano.robots.description import RobotDescription
from mecano.robots.lidars import tim551
from mecano.robots.madar.errata import ERRATA
from mecano.robots.mobile import BaseLimits, CameraFacts, SlipFacts, WheelCounter, WheeledBase
from mecano.robots.ur5.description import LIMITS, servos, table

Vector = tuple[float, float, float]

SIDES = ("right", "left")
CHASSIS_YAW = -pi / 2
"""The chassis, the frame of the drawings with +y in front, in base_footprint [rad], M."""
ARM_MOUNTS: dict[str, tuple[Vector, Vector]] = {
    "right": ((0.255657, 0.0, 1.389339), (pi, -pi / 4, 0.0)),
    "left": ((-0.255657, 0.0, 1.389339), (-pi, pi / 4, 0.0)),
}
"""Feet of the arms in the chassis [m], [rad]: AC, KA. Their z axes point out and down."""
ADAPTER = (0.035, 0.045, 0.2, (9.5e-5, 9.5e-5, 1.225e-4))
"""Between flange and hand: radius, length [m] (AC), mass [kg] (EST), moments [kg m2]."""
HAND_MOUNTS: dict[str, tuple[Vector, Vector]] = {
    "right": ((0.0, 0.01, 0.1175), (0.0, 0.0, pi / 2)),
    "left": ((0.0, -0.01, 0.1175), (0.0, 0.0, -pi / 2)),
}
"""Hands in the middle of the adapters [m], [rad]: AC; the adapter's middle KA."""
TOOL_IN_HAND: Vector = (0.0111, 0.0, 0.0)
"""The tool: on the palm's face between the roots of the fingers [m], SC 4.1."""
TOOL_AXES = {
    "right": np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    "left": np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]),
}
"""The tool in the hand. x is along the fingers, z to the thumb; so y looks out of the right palm
and into the left one, and both tools are parallel to the base when flat hands hold a box between
them, thumbs up."""


def _pose(pos: Vector, rpy: Vector) -> Array:
    roll, pitch, yaw = rpy
    turn = rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)
    return translation(*pos) @ turn


def _arm(side: str) -> Chain:
    tool_in_hand = translation(*TOOL_IN_HAND)
    tool_in_hand[:3, :3] = TOOL_AXES[side]
    return Chain(
        name=side,
        dh=table(
            base=rotation_z(CHASSIS_YAW) @ _pose(*ARM_MOUNTS[side]),
            tool=translation(z=ADAPTER[1] / 2) @ _pose(*HAND_MOUNTS[side]) @ tool_in_hand,
            prefix=f"{side}_",
        ),
        postures=POSTURES if side == "right" else {n: mirror(q) for n, q in POSTURES.items()},
    )


def mirror(q: tuple[float, ...]) -> tuple[float, ...]:
    """Return the joint values of the other arm for the mirror image of a posture [rad], SC 4.1.

    Straight moves of both arms between mirrored postures are mirrored all the way.
    """
    pan, lift, elbow, one, two, three = q
    return -pan, -pi - lift, -elbow, pi - one, -two, -pi - three


POSTURES: dict[str, tuple[float, ...]] = {
    # Folded beside the mast, hands before the chest. Nothing reaches further than 0.45 m from the
    # middle, and the straight way to "carry" is free.
    "home": (0.103, -0.775, 2.758, 3.197, 1.617, -2.809),
    # Flat hands level before the chest, fingers forwards, at (0.45, -+0.22, 1.00).
    "ready": (0.369611, -1.265603, 2.238301, 2.168895, -0.369611, -0.785398),
    # SC 4.1: flat hands at (0.52, -+0.15, 0.92), a box of 0.30 m between them.
    "carry": (0.426199, -1.060378, 1.864683, 2.337288, -0.426199, -0.785398),
}
"""Of the right arm [rad], M; the left one mirrors them."""

WHEEL_NAMES = ("motor_1", "motor_2", "motor_3")  # P: rear, front right, front left
WHEEL_ANGLES = tuple(map(radians, (180.0, 300.0, 60.0)))  # P, table E.1
WHEEL_RADIUS, WHEEL_DISTANCE = 0.1, 0.2905  # P, AC. P's equations have 0.29
WHEEL_SPEED = 2.618  # EC: 150 000 mdeg/s [rad/s]
LIDAR_CROP = 1.98
"""CALC: the widest one without own wheels in view; no direction is blind [rad]."""

BASE = WheeledBase(
    layout=omni(
        radius=WHEEL_RADIUS, distance=WHEEL_DISTANCE, angles=WHEEL_ANGLES, names=WHEEL_NAMES
    ),
    limits=BaseLimits(
        speed=0.30,  # M: what the wheels allow forwards; sideways 0.26
        turn=0.90,  # M
        acceleration=0.5,  # EST, the fact sheet's suggestion, as the next three
        braking=0.5,
        turn_acceleration=1.0,
        turn_braking=1.0,
        wheel_speed=WHEEL_SPEED,
    ),
    counter=WheelCounter(
        per_tick=radians(0.001),  # P L: absolute, in millidegrees
        modulo=2**32,  # EC: object 0x6064 has 32 bits
    ),
    rate=250.0,  # P L, N: a cycle of 4 ms
    drift=Drift(),
    velocity_filter=0.010,  # P N [s]
    watchdog=0.5,  # EST: of velocity commands. The drives themselves stop after one missed cycle
    slip=SlipFacts(),  # EST
    lidars=tuple(
        tim551(side, f"tim_{side}", crop=LIDAR_CROP, phase=i / 3)
        for i, side in enumerate(("front", "left", "right"))
    ),
)

DEPTH_CAMERA_NEAREST = 0.3  # EST

CAMERAS = tuple(
    CameraFacts(
        name=f"camera_{side}",
        camera=f"camera_{side}",
        frame=f"camera_{side}_optical_frame",
        nearest=DEPTH_CAMERA_NEAREST,
    )
    for side in SIDES
)

CHAINS = {side: _arm(side) for side in SIDES}
HANDS = {side: hand(side, prefix=f"{side}_") for side in SIDES}

DESCRIPTION = RobotDescription(
    name="madar",
    title="MADAR, a holonomic base with two UR5 arms and two Allegro hands",
    summary="Three spherical omni wheels, two arms of 6 joints, two hands of 16, three LIDARs.",
    folder=Path(__file__).parent,
    chains=dict(CHAINS),
    model="model.xml",
    servos={joint: servo for side in SIDES for joint, servo in servos(f"{side}_").items()},
    limits=LIMITS,
    feeds_weight=True,
    hands=dict(HANDS),
    base=BASE,
    variants={
        "whole": "madar",
        "elements": "madar_elements",
        "kinematic": "madar_kinematic",
        "base": "madar_base",
    },
    cameras=CAMERAS,
    scene="empty",
    tick=0.008,  # P D: 125 Hz
    facts={
        "base": "round, radius 0.40 m; three spherical omni wheels of radius 0.10 m",  # KA, P
        "speed": "0.30 m/s forwards, 0.26 m/s sideways, 0.90 rad/s",  # M
        "arms": "two UR5, 0.85 m, 5 kg each; shoulders 1.39 m above the floor",  # AC
        "hands": "two Allegro hands of 16 joints, 0.7 N m",  # AC
        "LIDARs": "three SICK TiM551, 15 Hz, 0.05 to 10 m, 0.152 m above the floor",  # P C
        "cameras": "two, for colour and depth, on the cross bar",
        "drives": "three Yaskawa SGD7 over EtherCAT, a frame every 4 ms",  # P L
        "height": "1.42 m to the top of the cross bar",  # KA
        "mass": "171 kg",  # M
    },
    errata=ERRATA,
    sources=(
        "A. Castro: the paper on MADAR (ESPOL and UPC, 2022)",
        "andacas/task_and_motion_planning: the author's URDF (figures only)",
        "iocroblab/kautham: platform, mast, mounts of the arms (figures only)",
        "iocroblab/cpp4ec, iocroblab/sick_tim: drives and LIDARs of the laboratory (figures only)",
        "UniversalRobots/Universal_Robots_ROS2_Description: UR5 (figures only)",
        "simlabrobotics/allegro_hand_ros: hand (figures only)",
    ),
)
