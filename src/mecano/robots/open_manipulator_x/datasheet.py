"""What is known of the arm's body: extents of its parts and its mass, which the model agrees with.

Extents were measured on the drawings in ROBOTIS open_manipulator, branch noetic; the horn's radius,
the hollow of the webs and link4's web are estimates. The right finger is the left one mirrored.
"""

from mecano.robots.datasheet import Datasheet, Extents, Shape
from mecano.robots.description import RobotDescription

EXTENTS_MM: dict[str, Extents] = {
    "link1_servo": (-23.25, 23.25, -14.25, 14.25, 0, 34),
    "link1_horn": (1, 23, -11, 11, 34, 40.4),
    "link2_bracket": (-14, 14, -18.5, 18.5, 19, 30.5),
    "link2_servo": (-14.25, 14.25, -19, 23.4, 24.25, 70.75),
    "link2_side_frame": (-23.5, 23.5, -16.6, 16.6, 26.25, 82.8),
    "link3_horn_left": (-20, 20, 19, 26, -20, 20),
    "link3_horn_right": (-20, 20, -26, -19, -20, 20),
    "link3_web": (-12.5, 12.5, -21, 21, 18.5, 28.5),
    "link3_beam": (-10.5, 10.5, -18.5, 18.5, 27.3, 109.7),
    "link3_bracket": (-11, 35, -18.5, 18.5, 108.5, 120),
    "link3_servo": (-11.25, 35.25, -19, 23.4, 113.75, 142.25),
    "link3_side_frame": (-9.25, 47.35, -16.6, 16.6, 108.2, 151.5),
    "link4_horn_left": (-20, 20, 19.3, 26.3, -20, 20),
    "link4_horn_right": (-20, 20, -26.3, -19.3, -20, 20),
    "link4_web": (18.5, 28.5, -21, 21, -12.5, 12.5),
    "link4_beam": (27.3, 84.7, -18.5, 18.5, -10.5, 10.5),
    "link4_bracket": (83.5, 95, -18.5, 18.5, -14, 14),
    "link4_servo": (88.75, 135.25, -19, 23.4, -14.25, 14.25),
    "link4_side_frame": (90.75, 147.3, -16.6, 16.6, -23.5, 23.5),
    "link5_horn_left": (-20, 20, 19, 26, -20, 20),
    "link5_horn_right": (-20, 20, -26, -19, -20, 20),
    "link5_bracket": (-2.5, 28, -20.5, 20.5, -11.25, 35.25),
    "link5_gripper_servo": (28, 68.4, -14.25, 14.25, -11.25, 35.25),
    "link5_crank_plates": (36.5, 67.5, -64.3, 64.3, -23, 37.8),
    "finger_left_carriage": (-23.1, 0, 5.1, 27.6, -29, 29),
    "finger_left_finger": (5, 65, -8, 25, -17.5, 17.5),
    "finger_left_pad": (26.2, 63.2, 0, 3.1, -7.5, 7.5),
    "finger_right_carriage": (-23.1, 0, -27.6, -5.1, -29, 29),
    "finger_right_finger": (5, 65, -25, 8, -17.5, 17.5),
    "finger_right_pad": (26.2, 63.2, -3.1, 0, -7.5, 7.5),
}

LINKS = {"finger_left": "gripper_left_link", "finger_right": "gripper_right_link"}
"""Links whose parts are not named after them."""


def sheet(robot: RobotDescription) -> Datasheet:
    """Return the sheet of the arm, or of the arm beside its camera, whose mass nobody gives."""
    return Datasheet(
        mass=None if robot.cameras else 0.6565,  # U and LIB
        mass_tolerance=1e-4,
        shapes=tuple(_shape(*part) for part in EXTENTS_MM.items()),
        shape_tolerance_mm=0.5,
        pads={robot.chain().name: ("finger_right_pad", "finger_left_pad")},
    )


def _shape(part: str, extents: Extents) -> Shape:
    link = LINKS.get(part.rsplit("_", 1)[0], part.split("_")[0])
    return Shape(rf"{part}(_\d+)?", link, extents)
