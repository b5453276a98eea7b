"""The youBot's fact sheet: its shapes, masses and frames, which its models agree with."""

from mecano.robots.datasheet import Datasheet, Extents, FrameFacts, Link, Shape
from mecano.robots.description import RobotDescription

# Tables 4 and 5. Where the sheet has only lengths, the places are those of its boxes; links 2 and 3
# are as wide as the drawings there, on the sides of the boxes.
SHAPES = (
    Shape("base_(chassis|bumpers|shell|deck)", "base_link", (-285, 285, -178.5, 178.5, -69, 53)),
    Shape("tray", "plate_link", (-118.5, 134.5, -160.75, 160.75, -24, 24)),
    Shape("arm_0_(foot|neck)", "arm_link_0", (-89, 117, -93, 93, -32, 46)),
    Shape("arm_1_(shell|core)", "arm_link_1", (-85, 85, -85, 85, -76, 56)),
    Shape("arm_2_(shell|caps)", "arm_link_2", (-36.5, 38, -86, 4, -37, 185)),
    Shape("arm_3_(shell|caps)", "arm_link_3", (-32, 32, -17, 66, -29, 163)),
    Shape("arm_4_(shell|caps)", "arm_link_4", (-33.5, 33.5, -49.5, 49.5, -33, 84.5)),
    Shape("arm_5_flange", "arm_link_5", (-23.5, 29.5, -48, 48, -49, -8)),
    Shape("palm|palm_rods", "gripper_palm_link", (-22.5, 28.5, -46.5, 46.5, -22, 33)),
    Shape("finger_l(_pad)?", "gripper_finger_link_l", (-7, 7, -10.9, 8.1, -12.1, 32.9)),
    Shape("finger_r(_pad)?", "gripper_finger_link_r", (-7, 7, -10.9, 8.1, -12.1, 32.9)),
    Shape("base_.*_collision", "base_link", (-285, 285, -178.5, 178.5, -69, 53)),
    Shape("base_long_collision", "base_link", (-280, 280, -115, 115, -69, 21)),
    Shape("base_wide_collision", "base_link", (-170, 170, -170, 170, -69, 21)),
    Shape("tray_.*_collision", "plate_link", (-118.5, 134.5, -160.75, 160.75, 17, 24)),
    Shape("arm_0_.*_collision", "arm_link_0", (-89, 117, -93, 93, -32, 46)),
    Shape("arm_1_.*_collision", "arm_link_1", (-85, 85, -85, 85, -76, 56)),
    Shape("arm_2_collision", "arm_link_2", (-36, 38, -82, 0, -37, 185)),
    Shape("arm_3_collision", "arm_link_3", (-32, 32, -2, 52, -29, 163)),
    Shape("arm_4_collision", "arm_link_4", (-29, 29, -50, 50, -33, 85)),
    Shape("arm_5_collision", "arm_link_5", (-24, 30, -48, 48, -49, -8)),
    Shape("palm_collision", "gripper_palm_link", (-22, 28, -47, 47, -22, 32)),
    Shape("finger_l_.*_collision", "gripper_finger_link_l", (-7, 7, -10.9, 8.1, -12.1, 32.9)),
    Shape("finger_r_.*_collision", "gripper_finger_link_r", (-7, 7, -10.9, 8.1, -12.1, 32.9)),
)

# The rollers as they are drawn, and the ball that rolls in their place.
WHEEL: tuple[tuple[str, str, Extents], ...] = (
    ("(rollers|hub)", "_drawing", (-50, 50, -25, 25, -50, 50)),
    ("collision", "", (-50, 50, -50, 50, -50, 50)),
)

# Section 3; arm_link_1 and arm_link_4 have products of inertia.
LINKS = {
    "base_link": Link(22, (0, 0, -0.024), (0.1662, 0.4181, 0.5546)),
    "plate_link": Link(0.5, (0, 0, 0), (0.00427, 0.00261, 0.00687)),
    "arm_link_0": Link(0.845, (0.024, 0, 0.007), (0.001736, 0.001736, 0.002570)),
    "arm_link_1": Link(
        2.412, (0.0149, 0.0021, 0.0021), (0.003863, 0.006196, 0.006369, -0.000979, 0, 0)
    ),
    "arm_link_2": Link(1.155, (0, -0.030, 0.1045), (0.004447, 0.004439, 0.000823)),
    "arm_link_3": Link(0.934, (0, 0.0211, 0.0967), (0.002459, 0.002571, 0.000535)),
    "arm_link_4": Link(
        0.877, (0, -0.0232, 0.0510), (0.000869, 0.001173, 0.001091, 0, 0, -0.000231)
    ),
    "arm_link_5": Link(0.251, (0, 0, -0.0168), (0.000280, 0.000339, 0.000119)),
    "gripper_palm_link": Link(0.1, (0, 0, 0.005), (9.7933e-5, 4.5133e-5, 9.4467e-5)),
    "gripper_finger_link_l": Link(0.03, (0, -0.0014, 0.0104), (5.965e-6, 5.552e-6, 1.392e-6)),
    "gripper_finger_link_r": Link(0.03, (0, -0.0014, 0.0104), (5.965e-6, 5.552e-6, 1.392e-6)),
}

LASER_MAST = 0.31
"""Mast and scanner of the variant with a laser [kg] (EST)."""
FRAMES = {
    "base_footprint": FrameFacts((0, 0, 0)),
    "base_link": FrameFacts((0, 0, 0.084)),
    "plate_link": FrameFacts((-0.159, 0, 0.130)),
    "wheel_fl": FrameFacts((0.228, 0.158, 0.050)),
    "wheel_fr": FrameFacts((0.228, -0.158, 0.050)),
    "wheel_bl": FrameFacts((-0.228, 0.158, 0.050)),
    "wheel_br": FrameFacts((-0.228, -0.158, 0.050)),
    "arm_link_0": FrameFacts((0.143, 0, 0.130)),
    "arm_link_1": FrameFacts((0.167, 0, 0.226)),
    "arm_link_2": FrameFacts((0.200, 0, 0.245)),
    "arm_link_3": FrameFacts((0.200, 0, 0.400)),
    "arm_link_4": FrameFacts((0.200, 0, 0.535)),
    "arm_link_5": FrameFacts((0.198, 0, 0.665)),
    "gripper_palm_link": FrameFacts((0.198, 0, 0.665)),
    "gripper_finger_link_l": FrameFacts((0.202, 0.008, 0.711)),
    "gripper_finger_link_r": FrameFacts((0.202, -0.008, 0.711)),
    "tool": FrameFacts((0.198, 0, 0.731)),
    "left_ray_sensor": FrameFacts((0, 0.1785, 0.064), z=(0, 1, 0)),
    "right_ray_sensor": FrameFacts((0, -0.1785, 0.064), z=(0, -1, 0)),
}


def sheet(robot: RobotDescription) -> Datasheet:
    """Return the sheet of the youBot; rollers change its wheels, a laser its mass."""
    wheels = (
        Shape(f"wheel_{corner}_{parts}", f"wheel_{corner}{link}", extents)
        for corner in ("fl", "fr", "bl", "br")
        for parts, link, extents in (() if robot.name == "youbot_rollers" else WHEEL)
    )
    return Datasheet(
        mass=30.734 + (LASER_MAST if robot.name == "youbot_laser" else 0.0),
        mass_tolerance=1e-5,
        links=LINKS,
        assemblies={"arm_link_0": 6.474 + 0.16},
        shapes=(*SHAPES, *wheels),
        frames=FRAMES,
        pads={robot.chain().name: ("finger_r_pad", "finger_l_pad")},
    )
