"""CRUMB's fact sheet: its shapes, masses and frames, which the model agrees with."""

from mecano.robots.crumb.variants import EYE
from mecano.robots.datasheet import Datasheet, FrameFacts, Link, Shape
from mecano.robots.description import RobotDescription

# What is drawn first, what collides after it. The sheet's fingers are 1.4 mm off the middle, ours
# are not.
SHAPES = (
    Shape("base_(shell|bumper|tail|top|panel)", "base_link", (-176, 176, -175, 175, 4, 114.2)),
    Shape("wheel_left_tyre", "wheel_left_link", (-35, 35, -10.3, 10.3, -35, 35)),
    Shape("wheel_right_tyre", "wheel_right_link", (-35, 35, -10.3, 10.3, -35, 35)),
    Shape("caster_front_wheel", "base_link", (98, 132, -8.8, 8.8, -10, 24)),
    Shape("caster_back_wheel", "base_link", (-152, -118, -8.8, 8.8, -10, 24)),
    Shape("plate_bottom", "plate_bottom_link", (-157, 110, -170, 170, -3, 3)),
    Shape("plate_middle", "plate_middle_link", (-143.4, 143.6, -170, 170, -3, 3)),
    Shape("plate_top", "plate_top_link", (-143.4, 143.6, -170, 170, -3, 3)),
    Shape("kinect_(bar|stand)", "camera_link", (-35, 35, -139.5, 139.5, -36.25, 36.25)),
    Shape("arm_base_foot", "arm_base_link", (-95.35, 95.35, -95.35, 95.35, 0, 4)),
    Shape(r"arm_base_tower_\d", "arm_base_link", (-72.8, 72.8, -72.8, 72.8, 4, 89)),
    Shape("shoulder_disc", "shoulder_link", (-55, 55, -55, 55, -40.8, -35)),
    Shape("shoulder_fork", "shoulder_link", (-14, 14, -25.5, 25.5, -35, 0)),
    Shape(r"biceps_(column_\d|block)", "biceps_link", (-25.3, 52, -18.4, 18.4, -8, 165.5)),
    Shape("biceps_hub", "biceps_link", (-15.8, 15.8, -23.5, 23.5, -15.8, 15.8)),
    Shape("biceps_block", "biceps_link", (-8, 52, -18.4, 18.4, 116.5, 165.5)),
    Shape("biceps_elbow_hub", "biceps_link", (36.25, 60.25, -20.5, 20.5, 130, 154)),
    Shape("forearm_fork", "forearm_link", (0, 34, -22, 22, -11, 11)),
    Shape(r"forearm_body_\d", "forearm_link", (36, 144, -18, 18, -23, 23)),
    Shape("forearm_wrist_hub", "forearm_link", (130, 154, -20.5, 20.5, -12, 12)),
    Shape("wrist_1_fork", "wrist_1_link", (-2, 26, -22, 22, -11, 11)),
    Shape("wrist_1_servo", "wrist_1_link", (28, 68, -13, 13, -11, 35.2)),
    Shape("wrist_2_servo", "wrist_2_link", (2, 43, -13, 13, -11, 35.2)),
    Shape("rail_plate", "gripper_rail_link", (0, 7.4, -35.8, 35.8, -19.9, 19.9)),
    Shape("gripper_1_block", "gripper_1_link", (3.4, 11, -24.3, -3.5, -21.5, 21.5)),
    Shape(r"gripper_1_(finger|pad)", "gripper_1_link", (11, 44.5, -23.5, -3.5, -14, 14)),
    Shape("gripper_2_block", "gripper_2_link", (3.4, 11, 0.7, 21.5, -21.5, 21.5)),
    Shape(r"gripper_2_(finger|pad)", "gripper_2_link", (11, 44.5, 0.7, 20.7, -14, 14)),
    Shape("base_collision", "base_link", (-178, 178, -178, 178, 4.8, 114.2)),
    Shape("wheel_left_collision", "wheel_left_link", (-35, 35, -10.3, 10.3, -35, 35)),
    Shape("caster_front", "base_link", (98, 132, -17, 17, -10, 24)),
    Shape("plate_bottom_collision", "plate_bottom_link", (-157, 110, -170, 170, -3, 3)),
    Shape("plate_middle_collision", "plate_middle_link", (-143.4, 143.6, -170, 170, -3, 3)),
    Shape("plate_top_collision", "plate_top_link", (-143.4, 143.6, -170, 170, -3, 3)),
    Shape("kinect_collision", "camera_link", (-36.4, 36.4, -139, 139, -36.5, 36.5)),
    Shape("arm_base_foot_collision", "arm_base_link", (-95.35, 95.35, -95.35, 95.35, 0, 4)),
    Shape("arm_base_tower_collision", "arm_base_link", (-72.8, 72.8, -72.8, 72.8, 4, 89)),
    Shape("shoulder_disc_collision", "shoulder_link", (-55, 55, -55, 55, -40.8, -35)),
    Shape("shoulder_cheek_.*", "shoulder_link", (-14, 14, -25.5, 25.5, -35, 0)),
    Shape("biceps_column_collision", "biceps_link", (-25.3, 25.3, -18.4, 18.4, -8, 140)),
    Shape("biceps_block_collision", "biceps_link", (-8, 52, -18.4, 18.4, 116.5, 165.5)),
    Shape("forearm_cheek_.*", "forearm_link", (0, 34, -22, 22, -11, 11)),
    Shape("forearm_body_collision", "forearm_link", (36, 144, -18, 18, -23, 23)),
    Shape("wrist_1_cheek_.*", "wrist_1_link", (-2, 26, -22, 22, -11, 11)),
    Shape("wrist_1_servo_collision", "wrist_1_link", (28, 68, -13, 13, -11, 35.2)),
    Shape("wrist_2_servo_collision", "wrist_2_link", (2, 43, -13, 13, -11, 35.2)),
    Shape("rail_plate_collision", "gripper_rail_link", (0, 7.4, -35.8, 35.8, -19.9, 19.9)),
    Shape("gripper_1_.*_collision", "gripper_1_link", (3.4, 44.5, -24.3, -3.5, -21.5, 21.5)),
    Shape("gripper_2_.*_collision", "gripper_2_link", (3.4, 44.5, 0.7, 21.5, -21.5, 21.5)),
)

# Base and wheels with the sheet's recommendations, the fingers closing on the middle.
LINKS = {
    "base_link": Link(2.24, (0.01, 0, 0.04), (0.019995, 0.019995, 0.03675)),
    "wheel_left_link": Link(0.1, (0, 0, 0), (3.4e-5, 6.1e-5, 3.4e-5)),
    "wheel_right_link": Link(0.1, (0, 0, 0), (3.4e-5, 6.1e-5, 3.4e-5)),
    "plate_bottom_link": Link(0.52, (0, 0, 0), (0.003328, 0.003328, 0.006656)),
    "plate_middle_link": Link(0.52, (0, 0, 0), (0.003328, 0.003328, 0.006656)),
    "plate_top_link": Link(0.52, (0, 0, 0), (0.003328, 0.003328, 0.006656)),
    "camera_link": Link(0.564, (0, 0, 0), (0.003881, 0.000499, 0.003879)),
    "arm_base_link": Link(0.909, (0, 0, 0.04157), (2.3625e-3, 2.3607e-3, 3.5506e-3)),
    "shoulder_link": Link(0.02454, (0, 0, -0.03681), (1.8118e-5, 1.9195e-5, 3.5264e-5)),
    "biceps_link": Link(0.2233, (0.00667, 0, 0.0834), (6.8084e-4, 7.2796e-4, 9.930e-5)),
    "forearm_link": Link(0.1022, (0.09372, 0, 0), (2.8575e-5, 1.51256e-4, 1.46555e-4)),
    "wrist_1_link": Link(0.06297, (0.04807, 0, 0.01085), (2.3381e-5, 2.6504e-5, 1.5994e-5)),
    "wrist_2_link": Link(0.05081, (0.02324, 0, 0.01174), (1.1859e-5, 1.6925e-5, 1.0447e-5)),
    "gripper_rail_link": Link(0.005985, (0.0037, 0, 0), (3.778e-6, 9.77e-7, 2.836e-6)),
    "gripper_1_link": Link(0.005933, (0.0173, -0.01115, 0), (8.02e-7, 1.623e-6, 1.169e-6)),
    "gripper_2_link": Link(0.005933, (0.0173, 0.01115, 0), (8.02e-7, 1.623e-6, 1.169e-6)),
    "poles_link": Link(0.376),
}

DOWN, FORWARD, BACK = (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
FRAMES = {
    "base_link": FrameFacts((0, 0, 0.0102)),
    "wheel_left_link": FrameFacts((0, 0.115, 0.0352)),
    "wheel_right_link": FrameFacts((0, -0.115, 0.0352)),
    "plate_bottom_link": FrameFacts((0.02364, 0, 0.1408)),
    "plate_middle_link": FrameFacts((-0.01364, 0, 0.1976)),
    "plate_top_link": FrameFacts((-0.01364, 0, 0.4068)),
    "camera_link": FrameFacts((-0.118, 0, 0.2812)),
    "arm_base_link": FrameFacts((-0.01364, 0, 0.4068)),
    "shoulder_link": FrameFacts((-0.01364, 0, 0.5318)),
    "gripper_rail_link": FrameFacts((0.29114, 0, 0.67383)),
    "tool": FrameFacts((0.32364, 0, 0.67383)),
    "gyro_link": FrameFacts((0.056, 0.062, 0.0304)),
    "cliff_left": FrameFacts((0.08734, 0.13601, 0.0316), z=DOWN),
    "cliff_center": FrameFacts((0.156, 0, 0.0316), z=DOWN),
    "cliff_right": FrameFacts((0.085, -0.13601, 0.0316), z=DOWN),
    "camera_rgb": FrameFacts((-0.087, -0.0125, 0.2972), x=(0, -1, 0), z=BACK),
    "camera_depth": FrameFacts((-0.087, 0.0125, 0.2972), x=(0, -1, 0), z=BACK),
}


def sheet(robot: RobotDescription) -> Datasheet:
    """Return the sheet of CRUMB, or of CRUMB with a mast."""
    mast = robot.name == "crumb_mast"
    return Datasheet(
        mass=None if mast else 6.33,
        links=LINKS,
        assemblies={"arm_base_link": 1.391},
        shapes=SHAPES,
        frames=FRAMES | ({"camera_mast": FrameFacts(EYE)} if mast else {}),
        pads={robot.chain().name: ("gripper_1_pad", "gripper_2_pad")},
    )
