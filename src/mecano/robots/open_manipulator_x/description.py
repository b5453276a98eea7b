"""OpenMANIPULATOR-X (ROBOTIS) as typed facts. Sources and errata are told in README.md beside this.

Source keys: U = ROBOTIS open_manipulator, branch noetic, open_manipulator.urdf.xacro;
LIB = the same repository, open_manipulator_libs; EM = ROBOTIS e-manual, XM430-W350 and
OpenMANIPULATOR-X specification; P = the paper's kinematic model, sections 2.3 and 3.1.
"""

from math import atan2, hypot, pi
from pathlib import Path

from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import rotation_x, translation
from mecano.robots.description import (
    CalibrationAngle,
    Erratum,
    Gripper,
    MotionLimits,
    RobotDescription,
    Servo,
    ServoWire,
)

# Joint origins of U, all frames parallel at zero, x forward, z up [m].
SHOULDER_HEIGHT = 0.0595  # joint2 above joint1
ELBOW_X, ELBOW_Z = 0.024, 0.128  # joint3 from joint2
FOREARM = 0.124  # joint4 from joint3
HAND = 0.126  # end_effector_link from joint4
BASE_OFFSET = (0.012, 0.0, 0.017)  # joint1 in link1; the paper's frame 0, omitted in its text

L1 = SHOULDER_HEIGHT
L2 = hypot(ELBOW_X, ELBOW_Z)  # 0.1302306 m
L3 = FOREARM
L4 = HAND
PHI = atan2(ELBOW_Z, ELBOW_X)  # 1.3854484 rad; the paper found it by experiment (section 2.3)

# Limits of U, the paper's own; the ROS 2 model and the driver differ (README.md, "Limits").
TABLE = DHChain(
    joints=(
        DHJoint(name="joint1", d=L1, alpha=-pi / 2, lower=-0.9 * pi, upper=0.9 * pi),
        DHJoint(name="joint2", theta=-PHI, a=L2, lower=-0.57 * pi, upper=0.5 * pi),
        DHJoint(name="joint3", theta=PHI, a=L3, lower=-0.3 * pi, upper=0.44 * pi),
        DHJoint(name="joint4", a=L4, lower=-0.57 * pi, upper=0.65 * pi),
    ),
    base=translation(*BASE_OFFSET),
    tool=rotation_x(pi / 2),  # the last DH frame lies on its side; the tool frame is upright
)

ARM = Chain(
    name="arm",
    dh=TABLE,
    postures={
        "zero": (0.0, 0.0, 0.0, 0.0),
        "home": (0.0, -1.0, 1.0, 0.0),  # ROS 2 start-up posture
        "home_gui": (0.0, -1.05, 0.35, 0.70),  # the vendor's GUI
        "stretched": (0.0, PHI, -0.3 * pi, 0.3 * pi - PHI),
    },
)

ERRATA = (
    Erratum(
        where="section 2.2, expansion of A_i",
        printed="the translation along x shows alpha_i in its (1,4) entry",
        correct="r_i (the link length) belongs there; the product printed below it is right",
        evidence="with alpha_i the tool is up to 1.9 m off",
    ),
    Erratum(
        where="section 2.2, remark on A_i",
        printed="the matrix is called the inverse of the described motion",
        correct="A_i is exactly the motion from frame i-1 to frame i; it turns coordinates of "
        "frame i into those of frame i-1",
        evidence="the product of the four matrices is the tool's pose, to 3e-16 m",
    ),
    Erratum(
        where="section 2.3, base",
        printed="frame 0 is taken as the base",
        correct="frame 0 sits at (0.012, 0, 0.017) m in link1, the base of the robot's model",
        evidence="without it every point is 20.8 mm off",
    ),
    Erratum(
        where="section 2.3, phi",
        printed="phi is found by experiment",
        correct="phi = atan2(0.128, 0.024) = 1.3854484 rad (79.380 deg), from the joint origins",
        evidence="agrees with the vendor's model to 3e-16 m",
    ),
    Erratum(
        where="section 3.1, q1, q2, q3",
        printed="arctan(a / b)",
        correct="atan2(a, b), which keeps the quadrant",
        evidence="with arctan only 50.6 % of 20,000 poses inside the limits are found",
    ),
    Erratum(
        where="section 3.1, the minus sign of +-sqrt(x^2 + y^2)",
        printed="q1 = arctan(y / x) for both signs",
        correct="q1 = atan2(-y, -x) with the minus sign: the arm reaches over its back",
        evidence="14.2 % of 20,000 poses inside the limits are reached over the back only",
    ),
    Erratum(
        where="section 3.1",
        printed="no test for reach, limits or singular postures",
        correct="reachable if |L2 - L3| <= D <= L2 + L3; singular if the tool is on axis 1 or "
        "q3 = -phi (straight) or pi - phi (folded)",
        evidence="0.00623 m <= D <= 0.25423 m",
    ),
    Erratum(
        where="sections 3.1 and 4, pitch",
        printed="omega > 0 points down in the text, the command line's grip angle > 0 points up",
        correct="one meaning everywhere: pitch > 0 is nose down (REP 103); omega = -grip angle",
        evidence="pitch = q2 + q3 + q4",
    ),
)

XM430 = Servo(
    model="XM430-W350-T",
    torque=4.1,  # EM, stall at 12 V
    speed=4.82,  # EM, 46 rpm without load at 12 V
    resolution=2 * pi / 4096,  # EM
)

GRIPPER = Gripper(
    joint="gripper",
    followers=("gripper_sub",),
    open=0.019,  # U, upper limit; MoveIt's open
    closed=-0.010,  # U, lower limit
    width_at_zero=0.042,  # pad faces lie in the planes y = 0 of the finger frames, 21 mm off centre
    max_force=30.0,  # EST: 0.54 A of the servo less friction
    speed=0.055,  # EST
    resolution=1.762662e-5,  # ROBOTIS ROS 2 control file: metres per tick of the crank, linearised
    bodies=("gripper_left_link", "gripper_right_link"),
    tip=0.0207,  # fingertips 146.7 mm from joint 4, the tool at 126 mm
    pad=0.037,  # pads from 107.9 to 144.9 mm
    palm=0.0584,  # front of the guide at 67.5 mm
    half=0.0133,  # of the fingertips
)

# LIB: ids 11 to 15, joints in mode 3, gripper in mode 5. EM: zero at tick 2048, the middle.
# The gripper's 42 mm (its value zero) is put at tick 2048; the vendor's fit has its zero at
# 0.0361 / 1.762662e-5 = tick 2048.04 (ROS 2 control file, offset -0.0361 m). That file sets the
# gripper's servo to reverse (drive mode 5); unreversed it closes with growing ticks (LIB: -0.015).
WIRING = (
    *(
        ServoWire(joint=name, id=11 + index, per_tick=XM430.resolution)
        for index, name in enumerate(TABLE.names)
    ),
    ServoWire(joint="gripper", id=15, per_tick=GRIPPER.resolution, mode=5, reverse=True),
)

# Half of the servos' speed, so that a loaded arm keeps up; full stop in a tenth of a second (EST).
LIMITS = MotionLimits(
    velocity=2.4, acceleration=12.0, jerk=120.0, tool_velocity=0.25, tool_acceleration=1.5
)

DESCRIPTION = RobotDescription(
    name="open_manipulator_x",
    title="OpenMANIPULATOR-X, a table-top arm",
    summary="Four turning joints and a parallel gripper, driven by five XM430-W350 servos.",
    folder=Path(__file__).parent,
    chains={"arm": ARM},
    angles=(CalibrationAngle(name="phi", value=PHI, signs={"joint2": -1.0, "joint3": 1.0}),),
    model="model.xml",
    servos={name: XM430 for name in TABLE.names},
    wiring=WIRING,
    limits=LIMITS,
    grippers={"arm": GRIPPER},
    variants={"arm alone": "open_manipulator_x", "camera": "open_manipulator_x_camera"},
    facts={
        "joints": "4 turning + 1 gripper",
        "servos": "5 x XM430-W350-T, ids 11-15, protocol 2.0 at 1 Mbit/s",  # EM, LIB
        "payload": "0.5 kg",  # EM
        "reach": "0.380 m from the shoulder",  # EM; L2 + L3 + L4 = 0.38023
        "mass": "0.70 kg",  # EM
        "gripper stroke": "20-75 mm",  # EM
        "joint speed": "4.82 rad/s without load",  # EM, 46 rpm
        "stall torque": "4.1 N m at 12 V",  # EM
    },
    errata=ERRATA,
    sources=(
        "ROBOTIS open_manipulator, branch noetic: joint origins, limits",
        "ROBOTIS e-manual: XM430-W350, OpenMANIPULATOR-X specification",
        "the paper's kinematic model, sections 2 to 4 (repository b-Tomas/robot-kinematics)",
    ),
)
