"""Universal Robots UR5 as typed facts. README.md tells the rest.

Source keys: UR = UniversalRobots/Universal_Robots_ROS2_Description, config/ur5; SC = the project's
sheet of the scenes, 4.4; CALC = computed from those; EST = estimate.
"""

from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np

from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import Array
from mecano.robots.description import MotionLimits, RobotDescription, Servo

JOINTS = (
    "shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
    "wrist_1_joint", "wrist_2_joint", "wrist_3_joint",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ArmJoint:
    """One row of the table, and what the joint's motor can do."""

    name: str
    d: float
    """[m]."""
    a: float
    """[m]."""
    alpha: float
    """[rad]."""
    limit: float
    """Either way [rad]."""
    torque: float
    """[N m]."""
    stiffness: float
    """Gain of position [N m/rad]."""


# UR: table, limits, torques. The elbow's half turn is the limit that planners are given.
# SC: gains that the carry was tried with.
TABLE = tuple(
    ArmJoint(
        name=name, d=d, a=a, alpha=alpha, limit=limit, torque=torque, stiffness=stiffness
    )
    for name, d, a, alpha, limit, torque, stiffness in zip(
        JOINTS,
        (0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823),
        (0.0, -0.425, -0.39225, 0.0, 0.0, 0.0),
        (pi / 2, 0.0, 0.0, pi / 2, -pi / 2, 0.0),
        (2 * pi, 2 * pi, pi, 2 * pi, 2 * pi, 2 * pi),
        (150.0, 150.0, 150.0, 28.0, 28.0, 28.0),
        (4000.0, 4000.0, 3000.0, 800.0, 800.0, 400.0),
        strict=True,
    )
)  # fmt: skip
DAMPING_TIME = 0.08
"""Gain of speed over gain of position [s], SC."""
SPEED = pi
"""Of every joint [rad/s], UR."""
FLANGE = np.array([[0.0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]])
"""The flange has z along the nose; a tool frame has x along it."""


def table(*, base: Array, tool: Array, prefix: str = "") -> DHChain:
    """Return the arm's chain, standing somewhere and carrying something.

    Args:
        base: `T_base_0`. Shape (4, 4).
        tool: The tool in the frame of the flange. Shape (4, 4).
        prefix: Of the joints' names.
    """
    rows = tuple(
        DHJoint(
            name=prefix + row.name, d=row.d, a=row.a, alpha=row.alpha,
            lower=-row.limit, upper=row.limit,
        )
        for row in TABLE
    )  # fmt: skip
    return DHChain(joints=rows, base=base, tool=tool)


def servos(prefix: str = "") -> dict[str, Servo]:
    """Return the motors of an arm whose joints have this prefix."""
    return {
        prefix + row.name: Servo(
            model="UR size 3" if row.torque > 100 else "UR size 1",
            torque=row.torque,
            speed=SPEED,
            resolution=2 * pi / 2**17,  # EST: UR gives a repeatability of 0.1 mm at 0.85 m
        )
        for row in TABLE
    }


LIMITS = MotionLimits(
    velocity=1.2,  # EST: UR allows pi; at this speed an arm at full reach moves at 1 m/s
    acceleration=3.0,  # EST, with the jerk: full speed in half a second
    jerk=30.0,
    tool_velocity=0.25,  # EST: what UR suggests beside people
    tool_acceleration=0.8,  # EST
)

ARM = Chain(
    name="arm",
    dh=table(base=np.eye(4), tool=FLANGE),
    postures={
        "home": (0.0, -pi / 2, 0.0, -pi / 2, 0.0, 0.0),  # UR: straight up
        "ready": (0.0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0),
    },
)

DESCRIPTION = RobotDescription(
    name="ur5",
    title="Universal Robots UR5, an arm of six joints",
    summary="Six joints that turn, 0.85 m of reach, 5 kg of payload.",
    folder=Path(__file__).parent,
    chains={"arm": ARM},
    model="model.xml",
    servos=servos(),
    limits=LIMITS,
    feeds_weight=True,
    scene="empty",
    tick=0.008,
    facts={
        "reach": "0.850 m",  # UR
        "payload": "5 kg",  # UR
        "torque": "150, 150, 150, 28, 28, 28 N m",  # UR
        "joint speed": "3.14 rad/s (180 deg/s)",  # UR
        "mass": "21.0 kg",  # CALC; the maker's figure is 18.4 kg
        "loop": "125 Hz",
    },
    sources=(
        "UniversalRobots/Universal_Robots_ROS2_Description, config/ur5: table, masses, centres of "
        "mass, limits (figures only)",
        "iocroblab/kautham: foot of the arm (figures only)",
        "the project's sheet of the scenes, 4.4: gains of the servos",
    ),
)
