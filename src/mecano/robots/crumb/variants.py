"""CRUMB with a second depth camera on a mast, which sees the tables around it from above.

The paper's robot has none: its level Kinect, 0.297 m high, cannot see what stands on a table of
0.407 m beside it. Where the mast stands was tried out; see the README of CRUMB.
"""

from dataclasses import replace
from math import atan2, hypot

from mecano.core.poses import Pose
from mecano.robots.crumb.description import DESCRIPTION as CRUMB
from mecano.robots.crumb.description import KINECT
from mecano.robots.mobile import CameraFacts

EYE, AIM = (-0.14, 0.085, 1.10), (0.13, 0.13, 0.45)
"""Where the camera is and the point it looks at, on the robot [m]; the same as model_mast.xml."""
ARM_FOOT = (-0.01364, 0.0, 0.4068)
"""The foot of the arm on the robot [m]; the same as top.xml."""


def _looking(eye: tuple[float, float, float], aim: tuple[float, float, float]) -> Pose:
    """Return the pose at one point whose x axis points to another, with level y."""
    x, y, z = (there - here for here, there in zip(eye, aim, strict=True))
    return Pose.from_xyz_rpy(eye, (0.0, atan2(-z, hypot(x, y)), atan2(y, x)))


T_ARM_MAST = Pose(ARM_FOOT).inverse() @ _looking(EYE, AIM)
"""The camera as the arm sees it, x forward and z up: both are bolted to the top plate."""

MAST_CAMERA = CameraFacts(
    name="mast",
    camera="camera_mast",
    frame="camera_mast_optical_frame",
    nearest=0.3,  # EST: a small structured-light camera
    furthest=3.0,
    baseline=0.05,
)

MAST = replace(
    CRUMB,
    name="crumb_mast",
    title="CRUMB with a camera on a mast",
    model="model_mast.xml",
    cameras=(MAST_CAMERA, KINECT),
)
