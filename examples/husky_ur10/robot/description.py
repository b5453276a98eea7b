"""husky ur10, imported from husky_ur10.urdf. Lines marked `guessed` are to be checked."""

from math import pi
from pathlib import Path

from mecano.core.poses import Pose
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.wheels import Wheel, WheelLayout
from mecano.robots.description import Gripper, MotionLimits, RobotDescription, Servo
from mecano.robots.mobile import BaseLimits, WheelCounter, WheeledBase


def joint(name, theta, d, a, alpha, lower, upper, **more):
    """Return a row of a table: angles in radians, lengths in metres."""
    numbers = {"theta": theta, "d": d, "a": a, "alpha": alpha}
    return DHJoint(name=name, lower=lower, upper=upper, **numbers, **more)


def limits(speed):
    """Return how fast a chain moves, from its full speed [rad/s or m/s]."""
    return MotionLimits(
        velocity=speed,
        acceleration=4 * speed,
        jerk=40 * speed,
        tool_velocity=0.25,
        tool_acceleration=0.8,
    )


# guessed: arm, the only chain; tool: the frame tool, by its name.
# fmt: off
ARM_TABLE = DHChain(
    # name, theta, d, a, alpha, lower, upper
    joints=(
        joint("shoulder_pan", 0.0, 0.5607, 0.0, -pi / 2, -6.2832, 6.2832),
        joint("shoulder_lift", 0.0, 0.0, 0.6127, 0.0, -6.2832, 6.2832),
        joint("elbow", 0.0, 0.0, 0.57155, 0.0, -3.1416, 3.1416),
        joint("wrist_1", 0.0, 0.17415, 0.0, -pi / 2, -6.2832, 6.2832),
        joint("wrist_2", 0.0, 0.11985, 0.0, pi / 2, -6.2832, 6.2832),
        joint("wrist_3", 0.0, 0.26655, 0.0, 0.0, -6.2832, 6.2832),
    ),
    base=Pose((0.1, -0.04, 0.0), (1.0, 0.0, 0.0, 0.0)).matrix(),
    tool=Pose((0.0, 0.0, 0.0), (0.5, 0.5, -0.5, 0.5)).matrix(),
)
# fmt: on
ARM = Chain(
    name="arm",
    dh=ARM_TABLE,
    postures={
        "home": (0.0, -2.2, 2.2, -pi / 2, -pi / 2, 0.0),
        "stretched": (0.0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0),
    },
)

# Torque [N m or N] and speed [rad/s or m/s] of every motor.
# fmt: off
MOTORS = {
    "shoulder_pan": (330.0, 2.094),
    "shoulder_lift": (330.0, 2.094),
    "elbow": (150.0, 3.142),
    "wrist_1": (56.0, 3.142),
    "wrist_2": (56.0, 3.142),
    "wrist_3": (56.0, 3.142),
}
# fmt: on
SERVOS = {
    # guessed: one tick of the encoders
    name: Servo(model="imported", torque=torque, speed=speed, resolution=2 * pi / 2**17)
    for name, (torque, speed) in MOTORS.items()
}

# guessed: half of what the slowest motor can.
LIMITS = {
    "arm": limits(1.047),
}

# guessed: 2 fingers at the end of wrist_3; widths measured on the model.
ARM_GRIPPER = Gripper(
    joint="left_finger_joint",
    followers=("right_finger_joint",),
    open=0.055,
    closed=0.0,
    width_at_zero=0.0,
    width_per_value=2.0,
    max_force=40.0,
    speed=0.1,
    resolution=1e-5,
    bodies=("left_finger", "right_finger"),
)

# guessed: skid-steered, 4 round shapes on level axles that touch the floor;
# speeds within those of the wheels.
# Corrected: 0.295 was measured with the arm stretched out; this with it folded, see
# docs/new_robot.md.
HALF_TRACK = 0.564
# fmt: off
WHEELS = WheelLayout((
    Wheel(name="front_left_wheel", x=0, y=HALF_TRACK, radius=0.165),
    Wheel(name="rear_left_wheel", x=0, y=HALF_TRACK, radius=0.165),
    Wheel(name="front_right_wheel", x=0, y=-HALF_TRACK, radius=0.165),
    Wheel(name="rear_right_wheel", x=0, y=-HALF_TRACK, radius=0.165),
))
# fmt: on
BASE = WheeledBase(
    layout=WHEELS,
    limits=BaseLimits(
        speed=0.8,
        turn=1.56,
        acceleration=0.8,
        braking=1.2,
        turn_acceleration=3.12,
        turn_braking=4.68,
        wheel_speed=6.06,
    ),
    counter=WheelCounter(per_tick=2 * pi / 4096, modulo=2**32),
    rate=50.0,
    watchdog=0.5,
    frame="base_footprint",
)

DESCRIPTION = RobotDescription(
    name="husky_ur10",
    title="Husky with UR10e",
    summary="A skid-steered base with a six-joint arm and a parallel gripper.",
    facts={
        "base": "skid-steered, 4 wheels of 165 mm, 0.8 m/s",
        "gripper": "two fingers, 0 to 110 mm, 40 N each",
        "mass": "92 kg",
    },
    folder=Path(__file__).parent,
    chains={"arm": ARM},
    model="model.xml",
    servos=SERVOS,
    limits=LIMITS["arm"],
    chain_limits=LIMITS,
    feeds_weight=True,
    grippers={"arm": ARM_GRIPPER},
    base=BASE,
    scene="empty",
    sources=("husky_ur10.urdf",),
)
