"""Widow-X, the arm of the robot CRUMB, as typed facts. README.md beside this tells the corrections.

Source keys: C = CRUMBproject/ROS, crumb_macro.xacro (the paper's own simulator); CH = the same
repository, crumb_home (the paper's programs); RW = RobotnikAutomation/widowx_arm; LW =
LeninSG21/WidowX; EM = ROBOTIS e-manual; P = the paper on CRUMB; EST = estimate.
"""

from math import atan2, hypot, pi, radians
from pathlib import Path

import numpy as np

from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import translation
from mecano.robots.description import Erratum, MotionLimits, RobotDescription, Servo

# Joint origins of C, the same in RW; at zero all frames are parallel, x forward, z up [m].
SHOULDER_HEIGHT = 0.125  # joints 1 and 2 above arm_base_link, the foot of the arm
ELBOW_X, ELBOW_Z = 0.04825, 0.14203  # joint 3 from joint 2
FOREARM = 0.14203  # joint 4 from joint 3
WRIST_TO_RAIL = 0.0715 + 0.043  # joint 4 to joint 5 to the rail of the gripper

D2 = hypot(ELBOW_X, ELBOW_Z)  # 0.150002 m
L3 = FOREARM
BETA = atan2(ELBOW_Z, ELBOW_X)  # 1.243312 rad
GAMMA = BETA  # P has two letters for one angle

# The point between the fingers where objects are held. The flat part of the fingers reaches from
# 11 mm to 44.5 mm beyond the rail (meshes of C). CRUMB takes hold of its boxes 22 mm deep, so about
# the middle of that grip is 12 mm behind the fingertips: 32.5 mm beyond the rail.
TOOL = WRIST_TO_RAIL + 0.0325  # 0.147 m from the wrist; rail front 0.1219, fingertips 0.159

# Constants of the paper's programs (CH). Its tool is the front of the rail.
PAPER_D2, PAPER_L3, PAPER_L4, PAPER_BETA = 0.1528, 0.1423, 0.1221, 1.2496


def table(*, d2: float, L3: float, beta: float, L4: float) -> DHChain:
    """Return the paper's table 1 in the modified convention, with these constants.

    Frame 0 is the shoulder, frame 5 the wrist with z5 along the nose, the tool L4 further along it.
    Limits of RW, the real arm's.
    """
    return DHChain(
        convention="modified",
        joints=(
            DHJoint(name="arm_1_joint", lower=-2.617, upper=2.617),
            DHJoint(name="arm_2_joint", alpha=-pi / 2, theta=-beta, lower=-1.571, upper=1.571),
            DHJoint(name="arm_3_joint", a=d2, alpha=pi, theta=-beta, lower=-1.571, upper=1.571),
            DHJoint(name="arm_4_joint", a=L3, theta=pi / 2, lower=-1.745, upper=1.745),
            DHJoint(name="arm_5_joint", alpha=pi / 2, lower=-2.617, upper=2.617),
        ),
        base=translation(z=SHOULDER_HEIGHT),
        # Frame 5 has z forward and x up; the tool frame has x forward and z up.
        tool=np.array([[0.0, 0, 1, 0], [0, -1, 0, 0], [1, 0, 0, L4], [0, 0, 0, 1]]),
    )


TABLE = table(d2=D2, L3=L3, beta=BETA, L4=TOOL)
PAPER_TABLE = table(d2=PAPER_D2, L3=PAPER_L3, beta=PAPER_BETA, L4=PAPER_L4)

POSTURES = {
    "zero": (0.0, 0.0, 0.0, 0.0, 0.0),
    # RW's retract in C's signs (joints 3 and 4 turn the other way there): the biceps leans back and
    # the forearm lies level above the shoulder.
    "home": (0.0, -1.2603, -1.0876, 0.0, 0.0),
    "pick_down": (0.0, 0.4, 0.4, -pi / 2, 0.0),  # CH, above a box on the table
    "lift": (0.0, 0.4, 0.6, 0.0, 0.0),  # CH, after closing the gripper
    "look": (-1.57, 0.0, 0.0, 0.0, 0.0),  # zero, turned to the right
}

ARM = Chain(name="arm", dh=TABLE, postures=POSTURES)
ARM_PAPER = Chain(name="arm_paper", dh=PAPER_TABLE, postures=POSTURES)

ERRATA = (
    Erratum(
        where="equation (2), T_2^1",
        printed="the signs of the sines in entries (1,2) and (3,1) are flipped",
        correct="[[c, -s, 0, 0], [0, 0, 1, 0], [-s, -c, 0, 0], [0, 0, 0, 1]], angle theta2 - beta",
        evidence="with (2) and (3) as printed the wrist is up to 0.58 m off; table 1 itself agrees "
        "with the URDF to 1e-15 m",
    ),
    Erratum(
        where="equation (3), T_3^2",
        printed="beta for gamma, and the signs of the sines in entries (1,2) and (2,1) are flipped",
        correct="[[c, -s, 0, d2], [-s, -c, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]], angle theta3 - "
        "gamma; gamma equals beta",
        evidence="with only (3) put right the wrist is up to 0.58 m off, with only (2) 0.28 m",
    ),
    Erratum(
        where="equation (9a), theta1",
        printed="only the arm that faces the point",
        correct="theta1 = atan2(s p_y, s p_x) for s = +1 and -1: the arm also reaches over its "
        "back; free at p_x = p_y = 0",
        evidence="two of the four branches are lost",
    ),
    Erratum(
        where="equation (9b), theta2",
        printed="+ k^2 under the root",
        correct="sqrt(k1^2 + k2^2 - k^2); no solution if k^2 > k1^2 + k2^2",
        evidence="as printed 0 % of random poses are found; the paper's programs have it right",
    ),
    Erratum(
        where="equation (9c), theta2 - theta3",
        printed="asin with d2 sin(beta)",
        correct="theta2 - theta3 = atan2(-p_z - d2 sin(theta2 - beta), r - d2 cos(theta2 - beta))",
        evidence="as printed 0 % of random poses are found; with d2 sin(theta2 - beta) but asin "
        "and acos kept, 69 % inside CRUMB's limits and 45 % inside the real ones",
    ),
    Erratum(
        where="equations (9), elbow",
        printed="the paper's programs take one elbow only (codo = -1, elbow up)",
        correct="e = +1 and -1",
        evidence="with one elbow 66 % of poses inside CRUMB's limits and 42 % inside the real ones "
        "are found; with all four branches 100 % of 20,000",
    ),
    Erratum(
        where="equation (14a), theta4",
        printed="a form that holds only for |theta4| <= pi/2",
        correct="theta4 = atan2(k3, k4), k4 = (a_x c1 + a_y s1) cos u - a_z sin u, "
        "u = theta2 - theta3",
        evidence="10 % of the range of joint 4, +-1.745 rad, lies beyond",
    ),
    Erratum(
        where="equation (14b), theta5",
        printed="a form that holds only for |theta5| <= pi/2",
        correct="theta5 = atan2(n_x s1 - n_y c1, sin(delta) (n_x c1 + n_y s1) + cos(delta) n_z), "
        "delta = theta2 - theta3 - theta4",
        evidence="40 % of the range of joint 5, +-2.617 rad, lies beyond",
    ),
    Erratum(
        where="equations (7) to (16)",
        printed="any pose is taken for one that five joints can give",
        correct="solvable only if a_x s1 - a_y c1 = 0: the nose lies in the vertical plane of the "
        "turning axis and the point",
        evidence="without it the answer misses the asked orientation by asin|a_x s1 - a_y c1|",
    ),
    Erratum(
        where="equations (9), reach and singular postures",
        printed="not told",
        correct="|d2 - L3| <= sqrt(r^2 + z^2) <= d2 + L3 for the wrist; "
        "det J = r d2 L3 sin(beta - theta3)",
        evidence="0.00797 m to 0.29203 m; straight at theta3 = 1.2433 rad, inside the limits",
    ),
    Erratum(
        where="constants of the paper's programs",
        printed="d2 0.1528 m, L3 0.1423 m, beta 1.2496 rad, L4 0.1221 m",
        correct="d2 0.150002 m, L3 0.14203 m, beta 1.243312 rad, from the URDF; L4 is the tool's "
        "choice. Chain 'arm_paper' has the printed ones",
        evidence="3.0 mm at the wrist on average, 3.2 mm at most",
    ),
)

MX28 = Servo(model="MX-28", torque=2.5, speed=5.76, resolution=2 * pi / 4096)  # EM, at 12 V
MX64 = Servo(model="MX-64", torque=6.0, speed=6.60, resolution=2 * pi / 4096)  # EM, at 12 V
AX12 = Servo(model="AX-12A", torque=1.5, speed=6.18, resolution=radians(300) / 1024)  # EM, at 12 V

# Velocity: 100 deg/s in C and on the real arm's ArbotiX board. The rest is EST: full speed in three
# tenths of a second, which a loaded arm follows.
LIMITS = MotionLimits(
    velocity=1.7453, acceleration=6.0, jerk=60.0, tool_velocity=0.2, tool_acceleration=1.0
)

DESCRIPTION = RobotDescription(
    name="widowx",
    title="Widow-X, the arm of CRUMB",
    summary="Five turning joints, the last one rolls the hand, driven by MX-64, MX-28 and AX-12A.",
    folder=Path(__file__).parent,
    chains={"arm": ARM, "arm_paper": ARM_PAPER},
    servos=dict(zip(TABLE.names, (MX28, MX64, MX64, MX28, AX12), strict=True)),  # LW
    limits=LIMITS,
    facts={
        "joints": "1 turns, 3 tilt, 1 rolls the hand",  # C
        "servos": "MX-28, MX-64, MX-64, MX-28, AX-12A, ids 1-5, protocol 1.0 at 1 Mbit/s",  # LW, RW
        "reach": "0.439 m from the shoulder to the tool, 0.292 m to the wrist",  # d2 + L3 (+ L4)
        "shoulder": "0.125 m above the foot of the arm",  # C
        "tool": "between the fingers, 0.147 m from the wrist",
        "mass": "1.39 kg",  # C
        "joint speed": "1.7453 rad/s (100 deg/s)",  # C
        "stall torque": "2.5, 6.0, 6.0, 2.5, 1.5 N m at 12 V",  # EM
    },
    errata=ERRATA,
    sources=(
        "CRUMBproject/ROS, crumb_macro.xacro: joint origins, axes, speed; crumb_home: the paper's "
        "constants and postures",
        "RobotnikAutomation/widowx_arm: limits of the real arm",
        "LeninSG21/WidowX: servos; ROBOTIS e-manual: MX-28, MX-64, AX-12A",
        "the CRUMB paper, table 1 and equations (1) to (16)",
    ),
)
