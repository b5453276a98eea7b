"""ROMERIN's fact sheet: its shapes and masses, which the model agrees with."""

from math import cos, radians, sin

from mecano.robots.datasheet import Datasheet, FrameFacts, Shape
from mecano.robots.description import RobotDescription
from mecano.robots.leg_modules import MountedLeg
from mecano.robots.romerin.description import LEGS
from mecano.robots.romerin.leg import COXA_BESIDE

# Where the sheet has only lengths, the places are those of the servos on their joints.
SHAPES = (
    Shape("body_chassis", "body_link", (-86, 104, -65, 65, -25, 25)),
    Shape("camera_(case|glass)", "camera_link", (-63.25, 63.25, -17.5, 17.5, 0, 24.4)),
    Shape("body_(long|wide)_collision", "body_link", (-86, 104, -65, 65, -25, 25)),
    Shape("camera_collision", "camera_link", (-63.25, 63.25, -17.5, 17.5, 0, 24.4)),
)

# "#" is the number of a leg.
LEG_SHAPES = (
    Shape("leg_#_servo_2_(case|horns)", "leg_#_coxa", (-20.2, 20.2, 26.6, 58.6, -19.8, 30.2)),
    Shape("leg_#_servo_3_(case|horns)", "leg_#_femur", (-20.25, 20.25, 40.9, 90.9, -16, 16)),
    Shape("leg_#_tibia_(shin|bracket)", "leg_#_tibia", (-22.8, 22.8, -11.5, 67.8, -11.5, 11.5)),
    Shape("leg_#_wrist_fork", "leg_#_wrist", (-21, 21, 0, 53.7, -11, 11)),
    Shape("leg_#_cup_(bell|turbine|lip)", "leg_#_cup", (-28, 28, -6.5, 30, -28, 28)),
    Shape("leg_#_coxa_collision", "leg_#_coxa", (-20.25, 20.25, 26.6, 58.6, -19.8, 30.2)),
    Shape("leg_#_femur_.*_collision", "leg_#_femur", (-22.8, 22.8, -12, 90.9, -16, 16)),
    Shape("leg_#_tibia_.*_collision", "leg_#_tibia", (-22.8, 22.8, -11.5, 67.4, -11.5, 11.5)),
    Shape("leg_#_cup_lip_collision", "leg_#_cup", (-28, 28, 25, 30, -28, 28)),
)

# Section 6: what a link of a leg weighs with all that it carries [kg].
ASSEMBLIES = {"coxa": 0.235, "femur": 0.165, "tibia": 0.090, "cup": 0.065}

DOWN = radians(20)
"""How far the camera looks down [rad]."""


def sheet(robot: RobotDescription) -> Datasheet:
    """Return the sheet of ROMERIN."""
    return Datasheet(
        mass=2.40,
        mass_tolerance=1e-6,
        assemblies={f"{leg.name}_{link}": m for leg in LEGS for link, m in ASSEMBLIES.items()},
        shapes=(*SHAPES, *(_of_leg(shape, leg) for leg in LEGS for shape in LEG_SHAPES)),
        frames={"euclid": FrameFacts((0.09, 0, 0.06), x=(0, -1, 0), z=(-cos(DOWN), 0, sin(DOWN)))},
    )


def _of_leg(shape: Shape, leg: MountedLeg) -> Shape:
    """Return a shape of one leg; the coxa's lie beside its axis."""
    low, high, *yz = shape.extents_mm
    beside = 1000 * leg.side * COXA_BESIDE if shape.link.endswith("coxa") else 0.0
    geoms, link = (name.replace("#", str(leg.number)) for name in (shape.geoms, shape.link))
    return Shape(geoms, link, (low + beside, high + beside, yz[0], yz[1], yz[2], yz[3]))
