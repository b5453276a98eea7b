"""CRUMB: a Turtlebot 2 (Kobuki, plates, Kinect) with a Widow-X on top, as typed facts.

Source keys: C = CRUMBproject/ROS, the paper's simulator; TB = turtlebot/turtlebot_description; K =
Microsoft's figures of the Kinect; CALC = computed; EST = estimate.
"""

from pathlib import Path

from mecano.robots.description import RobotDescription
from mecano.robots.kobuki.description import BASE
from mecano.robots.mobile import CameraFacts
from mecano.robots.widowx.description import ARM, ARM_PAPER, ERRATA, LIMITS
from mecano.robots.widowx.description import DESCRIPTION as WIDOWX
from mecano.robots.widowx.hand import GRIPPER

KINECT = CameraFacts(
    name="camera",
    camera="camera_rgb",
    frame="camera_rgb_optical_frame",
    largest=(640, 480),  # K
    fastest=30.0,  # K
    nearest=0.45,  # K: 0.4 to 0.5 m in practice
    furthest=5.0,  # K, in practice
    baseline=0.075,  # K
    colour_noise=0.07,  # C: the noisy robot's spread of colours
)

DESCRIPTION = RobotDescription(
    name="crumb",
    title="CRUMB, a Turtlebot 2 with a Widow-X arm",
    summary="A differential base with bumpers, cliff sensors, gyro and Kinect; an arm of 5 joints.",
    folder=Path(__file__).parent,
    chains={"arm": ARM, "arm_paper": ARM_PAPER},
    model="model.xml",
    servos=WIDOWX.servos,
    limits=LIMITS,
    feeds_weight=True,  # without it the hand droops by 20 to 30 mm, and comes back over seconds
    grippers={"arm": GRIPPER},
    variants={"level camera": "crumb", "mast": "crumb_mast"},
    base=BASE,
    cameras=(KINECT,),
    scene="pick_and_place",
    tower=0.079,
    table=0.0003,  # tables of 0.4071 m, the arm's foot at 0.4068 m
    facts={
        "base": "Kobuki: 0.70 m/s, 180 deg/s, wheels 230 mm apart",
        "arm": WIDOWX.facts["joints"],
        "camera": "Kinect: colour and depth, 640x480 at 30 Hz; 320x240 at 10 Hz unless asked",
        "mass": "6.33 kg",  # CALC
        "height of the shoulder": "0.532 m",  # C, CALC
    },
    errata=ERRATA,
    sources=(
        "CRUMBproject/ROS: the paper's simulator, programs and worlds",
        "turtlebot/turtlebot_description: plates, poles, Kinect",
        *WIDOWX.sources,
    ),
)
