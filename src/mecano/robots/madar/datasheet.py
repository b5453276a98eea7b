"""MADAR's fact sheet: its shapes, masses and frames, which its models agree with."""

from math import cos, radians, sin

from mecano.robots.datasheet import Datasheet, Extents, FrameFacts, Link, Shape
from mecano.robots.description import RobotDescription

# What is drawn first, what collides after it. Upper arm, forearm and wrists are as large as the
# sheet's boxes, around the axes of their joints.
PLATFORM = (
    Shape("platform_.*", "chassis", (-400, 400, -400, 400, 200, 750)),
    Shape("mast", "chassis", (-40, 40, -40, 40, 741, 1371)),
    Shape("bar", "chassis", (-250, 250, -40, 40, 1370, 1420)),
    Shape("cabinet", "chassis", (-215, 215, -240, -40, 751, 1081)),
    Shape("platform_collision", "chassis", (-400, 400, -400, 400, 200, 750)),
    Shape("mast_collision", "chassis", (-40, 40, -40, 40, 741, 1371)),
    Shape("bar_collision", "chassis", (-250, 250, -40, 40, 1370, 1420)),
    Shape("cabinet_collision", "chassis", (-215, 215, -240, -40, 751, 1081)),
    Shape("tim_front_(base|hood)", "tim_front", (-30, 30, -30, 30, 0, 86)),
    Shape("tim_front_collision", "tim_front", (-30, 30, -30, 30, 0, 86)),
)
ARM = (
    Shape("base_0_collision", "base_link", (-75, 75, -75, 75, 0, 38)),
    Shape(r"upper_arm_\d", "upper_arm_link", (-484.5, 59.5, -59.5, 59.5, 69, 203)),
    Shape(r"forearm_\d", "forearm_link", (-431, 58, -58, 58, -40, 72)),
    Shape(r"wrist_1_\d", "wrist_1_link", (-39, 39, -46.5, 39, -55.5, 49.5)),
    Shape(r"wrist_2_\d", "wrist_2_link", (-39, 39, -39, 46.5, -47.5, 57.5)),
    Shape(r"wrist_3_\d", "wrist_3_link", (-37.5, 37.5, -37.5, 37.5, -35, 0)),
    Shape(r"shoulder_\d_collision", "shoulder_link", (-58, 58, -118, 58, -108, 68)),
    Shape(r"upper_arm_\d_collision", "upper_arm_link", (-480, 58, -58, 58, 15, 208)),
    Shape(r"forearm_\d_collision", "forearm_link", (-434.25, 52, -52, 52, -62, 112)),
    Shape("wrist_1_0_collision", "wrist_1_link", (-40, 40, -40, 40, -100, 50)),
    Shape("wrist_2_0_collision", "wrist_2_link", (-40, 40, -40, 40, -100, 50)),
    Shape("wrist_3_0_collision", "wrist_3_link", (-37.5, 37.5, -37.5, 37.5, -35, 0)),
    Shape("hand_adapter", "hand_adapter_link", (-35, 35, -35, 35, -22.5, 22.5)),
    Shape("hand_adapter_collision", "hand_adapter_link", (-35, 35, -35, 35, -22.5, 22.5)),
)
LINK_LENGTHS_MM = {
    0: 16.4, 1: 54, 2: 38.4, 3: 26.7, 5: 54, 10: 38.4, 13: 17.7, 14: 51.4, 15: 42.3,
}  # fmt: skip
HAND = (
    Shape("palm(_collision)?", "base_hand_link", (-29.7, 11.1, -56.5, 56.5, -95, 0)),
    Shape("link_3_tip(_collision)?", "link_3_tip", (-12, 12, -12, 12, -12, 12)),
    *(
        Shape(f"link_{k}(_collision)?", f"link_{k}", (-9.8, 9.8, -13.75, 13.75, 0, length))
        for k, length in LINK_LENGTHS_MM.items()
    ),
)

# By the formulas of the elements of a spherical wheel.
ELEMENTS: dict[str, Extents] = {
    "main_wheel": (-98.4, 98.4, -98.4, 98.4, 18, 88.8),
    "mini_wheel": (-30, 30, -30, 30, -41.9, 41.9),
    "base_wheel": (-30, 30, -30, 30, -17, 17),
}

# Sections 2, 9 and 10.
LINKS = {
    "chassis": Link(96.0, (0, 0, 0.5), (12.54, 12.171, 4.139)),
    "right_base_link": Link(4.0, (0, 0, 0.02), (0.00443, 0.00443, 0.0072)),
    "right_shoulder_link": Link(3.7, (0, -0.00193, -0.02561), (0.014972, 0.014972, 0.010406)),
    "left_upper_arm_link": Link(8.393, (-0.2125, 0, 0.11336), (0.015107, 0.133886, 0.133886)),
    "left_forearm_link": Link(2.33, (-0.24225, 0, 0.0265), (0.004095, 0.031217, 0.031217)),
    "right_wrist_1_link": Link(1.219, (0, -0.01634, -0.0018), (0.002014, 0.002014, 0.002194)),
    "right_wrist_2_link": Link(1.219, (0, 0.01634, -0.0018), (0.001831, 0.001831, 0.002194)),
    "left_wrist_3_link": Link(0.1879, (0, 0, -0.001159), (8.06e-5, 8.06e-5, 1.321e-4)),
    "right_base_hand_link": Link(0.4154, (-0.0093, 0, -0.0475), (7.544e-4, 3.700e-4, 4.996e-4)),
    "right_link_1": Link(0.065, (0, 0, 0.027), (1.989e-5, 1.788e-5, 6.177e-6)),
    "left_link_12": Link(0.0176, (-0.0179, -0.009, 0.0145), (4.732e-6, 4.916e-6, 3.575e-6)),
}

FRAMES = {
    "wheel_1_link": FrameFacts((-0.2905, 0, 0.1)),
    "wheel_2_link": FrameFacts((0.14525, -0.25158, 0.1)),
    "wheel_3_link": FrameFacts((0.14525, 0.25158, 0.1)),
    **{
        f"tim_{name}": FrameFacts(place, x=(cos(radians(deg)), sin(radians(deg)), 0), z=(0, 0, -1))
        for name, place, deg in (
            ("front", (0.350, 0, 0.152), 0),
            ("left", (-0.175, 0.3031, 0.152), 120),
            ("right", (-0.175, -0.3031, 0.152), -120),
        )
    },
}


def sheet(robot: RobotDescription) -> Datasheet:
    """Return the sheet of MADAR, or of a variant of it; one without arms lacks theirs."""
    arms = (
        Shape(f"{side}_{shape.geoms}", f"{side}_{shape.link}", shape.extents_mm)
        for side in robot.hands
        for shape in ARM + HAND
    )
    elements = (
        Shape(f"{kind}_{end}_{wheel}{suffix}", f"{kind}_{end}_{wheel}_link", extents)
        for kind, extents in (ELEMENTS if robot.name == "madar_elements" else {}).items()
        for end in ("top", "bottom")
        for wheel in (1, 2, 3)
        for suffix in ("", "_collision")
    )
    return Datasheet(
        mass=171.2 if robot.hands else 126.6,
        mass_tolerance=0.1,
        links=LINKS if robot.hands else {},
        shapes=(*PLATFORM, *arms, *elements),
        frames=FRAMES,
        frame_tolerance=1e-4,
    )
