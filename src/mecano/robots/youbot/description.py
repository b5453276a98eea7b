"""KUKA youBot, the robot of the paper on transport, as typed facts. README.md tells the rest.

Source keys: P = the paper; YD = youbot/youbot_description; DRV = youbot/youbot_driver; RI =
youbot/youbot_driver_ros_interface; WB = cyberbotics/webots, its youBot; V = the vendor's headline
figures, from memory; CALC = computed from those; EST = estimate.
"""

from math import pi, radians
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import Array, translation
from mecano.kinematics.wheels import mecanum
from mecano.robots.description import Erratum, MotionLimits, RobotDescription, Servo
from mecano.robots.mobile import BaseLimits, RangeFacts, SlipFacts, WheelCounter, WheeledBase
from mecano.robots.youbot.hand import GRIPPER

# Arm, YD [m]. Frames are parallel in the candle pose (arm straight up, all joints zero).
BASE_HEIGHT = 0.084  # base_link above the floor
ARM_X = 0.167  # axis 1 in front of the middle of the base
SHOULDER_X, SHOULDER_Z = 0.033, 0.161  # axis 2 from axis 1, and above base_link
UPPER_ARM, FOREARM = 0.155, 0.135  # axis 2 to 3, axis 3 to 4
WRIST_OFFSET = -0.002  # axis 5 behind axis 4
TOOL = 0.130 + 0.066  # axis 4 to link 5, and to the middle of the finger pads

TABLE = DHChain(
    joints=(
        DHJoint(
            name="arm_joint_1", d=SHOULDER_Z, a=SHOULDER_X, alpha=-pi / 2,
            lower=radians(-168), upper=radians(170),
        ),
        DHJoint(
            name="arm_joint_2", theta=-pi / 2, a=UPPER_ARM, lower=radians(-65), upper=radians(90)
        ),
        DHJoint(name="arm_joint_3", a=FOREARM, lower=radians(-151), upper=radians(146)),
        DHJoint(
            name="arm_joint_4", theta=pi / 2, a=WRIST_OFFSET, alpha=pi / 2,
            lower=radians(-102.5), upper=radians(102.5),
        ),
        DHJoint(name="arm_joint_5", d=TOOL, lower=radians(-167.5), upper=radians(167.5)),
    ),
    base=translation(x=ARM_X, z=BASE_HEIGHT),
    # Frame 5 has z along the nose; the tool frame has x along it, and y across the fingers' way.
    tool=np.array([[0.0, 0, -1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]),
)  # fmt: skip
"""Standard convention. The base frame is base_footprint: on the floor, in the robot's middle."""


def _degrees(*values: float) -> tuple[float, ...]:
    return tuple(radians(value) for value in values)


POSTURES = {
    # Folded over the platform, with room to roll the hand.
    "home": _degrees(-165.0, -30.0, 120.0, 40.0, 0.0),
    "candle": _degrees(0.0, 0.0, 0.0, 0.0, 0.0),
    # Beside the robot, above and at a cube on a table of 0.10 m; then above the tray and on it.
    "pre_grasp": _degrees(-90.0, 27.5, 60.8, 71.7, 0.0),
    "grasp": _degrees(-90.0, 45.9, 62.4, 61.8, 0.0),
    "tray_above": _degrees(-160.1, 27.5, 36.0, 96.4, 0.0),
    "tray_release": _degrees(-160.1, 23.2, 79.7, 57.2, 0.0),
}

ARM = Chain(name="arm", dh=TABLE, postures=POSTURES)

DRIVER_SIGNS = np.array([-1.0, 1.0, 1.0, 1.0, -1.0])
DRIVER_ZEROS = np.array(_degrees(170.0, 65.0, -146.0, 102.5, 167.5))
"""What the driver reads in the candle pose [rad]."""


def driver_values(joints: ArrayLike) -> Array:
    """Return the joint values of the youBot's own driver and URDF for ours [rad].

    The driver counts from a mechanical stop of each joint and turns joints 1 and 5 the other way:
    q = (170 - t1, t2 + 65, t3 - 146, t4 + 102.5, 167.5 - t5) in degrees. Its ranges are 0 to 338,
    0 to 155, -297 to 0, 0 to 205 and 0 to 335 degrees.

    Args:
        joints: Ours: zero is the candle pose. Shape (..., 5).
    """
    return DRIVER_ZEROS + DRIVER_SIGNS * np.asarray(joints, float)


def joints_from_driver(values: ArrayLike) -> Array:
    """Return our joint values for those of the youBot's driver [rad]. Shape (..., 5)."""
    return DRIVER_SIGNS * (np.asarray(values, float) - DRIVER_ZEROS)


WHEEL_NAMES = ("wheel_joint_fl", "wheel_joint_fr", "wheel_joint_bl", "wheel_joint_br")
WHEEL_RADIUS, WHEELBASE, TRACK = 0.050, 0.456, 0.316  # YD, WB. DRV: 0.0475, 0.47, 0.30
WHEEL_SPEED = 14.81  # WB [rad/s]; YD has 10

BASE = WheeledBase(
    layout=mecanum(radius=WHEEL_RADIUS, wheelbase=WHEELBASE, track=TRACK, names=WHEEL_NAMES),
    limits=BaseLimits(
        speed=0.8,  # V; the wheels end at 0.74 m/s
        turn=WHEEL_SPEED * WHEEL_RADIUS / (0.5 * (WHEELBASE + TRACK)),  # CALC: 1.92 rad/s
        acceleration=1.5,  # EST: the paper's routes ask for 1.0, the rest is for keeping to them
        braking=1.5,
        turn_acceleration=3.0,  # EST: sheet of the scenes, 3.1
        turn_braking=3.0,
        wheel_speed=WHEEL_SPEED,
    ),
    counter=WheelCounter(
        per_tick=2 * pi * 364 / (4000 * 9405),
        modulo=2**32,  # DRV
        noise=2.0,  # EST
    ),
    rate=50.0,  # RI: odometry
    watchdog=0.5,  # EST
    slip=SlipFacts(),  # EST
    ranges=tuple(
        RangeFacts(
            name=side,
            site=f"{side}_ray_sensor",
            furthest=0.5,  # P 4.5
            noise=0.005,  # EST: a cheap infrared sensor; the paper's are exact
            rate=50.0,  # EST
        )
        for side in ("left", "right")
    ),
)

ERRATA = (
    Erratum(
        where="text after equation (3)",
        printed="alpha = 45 deg for every wheel",
        correct="+45, -45, +45, -45 deg for wheels 1 to 4",
        evidence="with one angle for all the matrix has rank 2 of 3 and the base cannot strafe; "
        "with these the paper's equation (8) comes out exactly",
    ),
    Erratum(
        where="equations (3) to (5)",
        printed="a_i and b_i, without saying what they are",
        correct="a_i = (a, -a, -a, a), b_i = (-b, -b, b, b), half track and half wheelbase",
        evidence="then (5) gives (6) and (8) with a difference of 0",
    ),
    Erratum(
        where="equation (2)",
        printed="v_x = v sin(theta), theta not defined",
        correct="theta is measured from the forward axis, clockwise; v_x is to the right",
        evidence="only so (2) agrees with the axes of equation (8)",
    ),
    Erratum(
        where="section 4.3, wheel radius",
        printed="R = 0.05 m",
        correct="0.0475 m on the real base, by its driver; 0.05 m in the published models",
        evidence="5.3 % too large: the real base would drive 5 % too slowly",
    ),
    Erratum(
        where="section 4.3, -omega in the program",
        printed="the rates of all wheels are negated",
        correct="that belongs to the axes of the simulator's joints, not to the kinematics",
        evidence="equation (8) needs no sign: its inverse of its inverse is exact",
    ),
    Erratum(
        where="program, center_velocity",
        printed="the position error [m] is the velocity [m/s], without a limit",
        correct="a gain of 1 1/s, and a limit for the wheels",
        evidence="steady lag 0.285 m at 0.3 m/s; an error of pi rad asks 24 rad/s of wheels that "
        "reach 14.81",
    ),
    Erratum(
        where="program, heading error of pi at the start",
        printed="no side is chosen",
        correct="choose the side: +pi and -pi are one angle",
        evidence="the sign of an error of 180 deg is decided by the last bit",
    ),
    Erratum(
        where="program, getDistance",
        printed="detected < 0 is nothing seen",
        correct="detected <= 0: the call returns 0",
        evidence="else the distance is nil and the next line fails",
    ),
    Erratum(
        where="program, sensor_distance",
        printed="x_target = x_target - (d - 0.1)",
        correct="p_target = p_target + (d - 0.1) * direction of the ray in the world",
        evidence="as printed it holds only for tables towards world -x",
    ),
    Erratum(
        where="program, sensor_distance",
        printed="the target is shifted by d - 0.1, read while the robot still lags",
        correct="wait until it stands, or read again",
        evidence="the paper ends at 0.1015 m and 0.1012 m instead of 0.1000 m",
    ),
    Erratum(
        where="program, waitReachTarget",
        printed="only the position is waited for",
        correct="wait for the heading too",
        evidence="an error of heading is never seen",
    ),
    Erratum(
        where="program, arm target after the pick",
        printed="the world point (-0.32388, 1.5209, 0.218)",
        correct="a point on the robot: 0.159 m behind its middle, 0.218 m high",
        evidence="the world point is right for one pose of the base only",
    ),
    Erratum(
        where="section 4.6",
        printed="the robot turns by 180 deg",
        correct="no call does that: the first point of route 1 has the opposite heading",
        evidence="the turn takes 5.2 s to 1 deg with a gain of 1 1/s",
    ),
    Erratum(
        where="sections 2.3 and 3.3.2",
        printed="2.3 calls threaded scripts the faster ones, 3.3.2 the others",
        correct="one of them; it does not matter here",
        evidence="the two sentences contradict each other",
    ),
    Erratum(
        where="section 3.2.1",
        printed="joints 0 to 3 follow a pose with up to six demands",
        correct="a point and a pitch: four demands for four joints",
        evidence="the wrist's roll is left out, and five joints cannot give every pose either",
    ),
)


def _motor(model: str, torque: float, gear: float) -> Servo:
    # Speed: YD, 90 deg/s. Encoders: DRV, 4000 ticks per turn of the motor.
    return Servo(model=model, torque=torque, speed=1.5708, resolution=2 * pi / (4000 * gear))


LIMITS = MotionLimits(
    velocity=1.5708,  # YD, V: 90 deg/s
    acceleration=4.0,  # EST, with the jerk: full speed in half a second
    jerk=40.0,
    tool_velocity=0.2,  # EST; the paper moves at 0.1
    tool_acceleration=0.5,  # EST
)

DESCRIPTION = RobotDescription(
    name="youbot",
    title="KUKA youBot, a mecanum base with an arm",
    summary="Four mecanum wheels, a tray, two range sensors; an arm of 5 joints with a gripper.",
    folder=Path(__file__).parent,
    chains={"arm": ARM},
    model="model.xml",
    servos={
        "arm_joint_1": _motor("TMCM-1610, gear 156", 9.5, 156.0),  # torque YD, gear DRV
        "arm_joint_2": _motor("TMCM-1610, gear 156", 9.5, 156.0),
        "arm_joint_3": _motor("TMCM-1610, gear 100", 6.0, 100.0),
        "arm_joint_4": _motor("TMCM-1610, gear 71", 2.0, 71.0),
        "arm_joint_5": _motor("TMCM-1610, gear 71", 1.0, 71.0),
    },
    limits=LIMITS,
    feeds_weight=True,
    grippers={"arm": GRIPPER},
    base=BASE,
    variants={"balls": "youbot", "rollers": "youbot_rollers", "laser": "youbot_laser"},
    scene="transport",
    facts={
        "base": "0.580 x 0.376 x 0.140 m, mecanum wheels of radius 50 mm",  # V, YD
        "speed": "0.74 m/s straight on, 0.52 m/s diagonally, 1.92 rad/s",  # CALC
        "arm": "1 turns, 3 tilt, 1 rolls the hand; 0.655 m tall in the candle pose",  # V
        "joint speed": "1.5708 rad/s (90 deg/s)",  # YD, V
        "torque": "9.5, 9.5, 6.0, 2.0, 1.0 N m",  # YD
        "payload": "20 kg on the base, 0.5 kg in the hand",  # V
        "gripper": "two fingers, 50 mm, 20 N",  # WB, EST
        "sensors": "two rays to the sides, 0.5 m, 64 mm above the floor; encoders",  # P 4.5
        "mass": "30.7 kg",  # CALC
    },
    errata=ERRATA,
    sources=(
        "the paper on transport with a KUKA youBot (University of Seville, 2021)",
        "youbot/youbot_description: frames, limits, masses, colours (figures only)",
        "youbot/youbot_driver, youbot_driver_ros_interface: gears, encoders, joint zeros",
        "cyberbotics/webots, its youBot: inertia of the base, rollers, wide gripper (figures only)",
    ),
)  # fmt: skip
