"""The leg of ROMERIN as a module: six of them make ROMERIN, four or eight another robot.

Source keys as in description.py.
"""

from math import cos, radians, sin
from pathlib import Path

from mecano.core.grips import Suction
from mecano.robots.description import MotionLimits, Servo
from mecano.robots.leg_modules import LegModule
from mecano.robots.romerin.leg_mjcf import write_leg

# Of every leg, T [m, rad].
COXA, COXA_ANGLE = 0.045718, 1.19677
COXA_BESIDE = COXA * cos(COXA_ANGLE)  # CALC: 16.704 mm, towards the leg's +x or -x
COXA_OUT = COXA * sin(COXA_ANGLE)  # CALC: 42.557 mm
RISE = 0.018208  # joint 2 above the body's plane; T's listing has it below
FEMUR = 0.07889
TIBIA_PARTS = (
    0.067788,
    0.04671,
)  # to where the passive joints 5 and 6 cross, not to the cup's face
CUP_HEIGHT, CUP_RADIUS = 0.030, 0.028  # EST: from there to the cup's face; T does not say
TIP_DEPTH = 0.095
"""Body's plane above the tips while standing [m]; the tibias are then near the vertical, CALC."""

CUP = Suction(pull=15.0, shear=30.0)  # T 5.3

A1_16 = Servo(
    model="XYZrobot A1-16",
    torque=2.45,  # A1: 25 kg cm
    speed=7.33,  # A1: 70 rpm
    resolution=radians(330) / 1023,  # XR: 1024 counts over 330 deg
)

LEG = LegModule(
    coxa=(COXA_BESIDE, COXA_OUT, RISE),
    thigh=FEMUR,
    shin_parts=TIBIA_PARTS,
    limits_deg=((-60, 60), (-90, 110), (-120, 130)),  # T, tables 3.1 to 3.3; joint 1 as of leg 1
    rest_deg=(0, -90),  # T, the constructor's values
    springs=3,  # T: tibia axis, leg's x, cup axis
    foot_height=CUP_HEIGHT,
    foot_radius=CUP_RADIUS,
    proximity=0.007,  # T 5.2
    law=CUP,
    servo=A1_16,
    torque=1.5,  # EST: what an A1-16 can give for long; it stalls at 2.45 N m
    integral=40.0,  # EST: T has PI, gains not given; it ends at 0.5 N m
    motion=MotionLimits(
        velocity=3.0,  # EST: a comparable hexapod with these servos has pi rad/s
        acceleration=15.0,  # EST, with the jerk: full speed in 0.4 s
        jerk=150.0,
        tool_velocity=0.2,  # EST
        tool_acceleration=1.0,  # EST
    ),
    # CALC: 30 mm around and 25 mm above are 3 deg off every limit, joint 1 at most 60 deg
    reach={0.065: 0.165, 0.080: 0.155, TIP_DEPTH: 0.135, 0.110: 0.120, 0.130: 0.120},
    depth=TIP_DEPTH,
    hip_mass=0.060,  # A1
    setup=Path(__file__).with_name("setup.xml"),
    mjcf=write_leg,
)
