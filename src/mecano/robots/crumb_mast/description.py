"""CRUMB with a second depth camera on a mast, which sees the tables around it from above.

The paper's robot has none: its level Kinect, 0.297 m high, cannot see what stands on a table of
0.407 m beside it. Where the mast stands was tried out; see the README of CRUMB.
"""

from dataclasses import replace

from mecano.robots.crumb.description import DESCRIPTION as CRUMB
from mecano.robots.crumb.description import KINECT
from mecano.robots.mobile import CameraFacts

MAST = CameraFacts(
    name="mast",
    camera="camera_mast",
    frame="camera_mast_optical_frame",
    nearest=0.3,  # EST: a small structured-light camera
    furthest=3.0,
    baseline=0.05,
)

DESCRIPTION = replace(
    CRUMB,
    name="crumb_mast",
    title="CRUMB with a camera on a mast",
    model="model_mast.xml",
    cameras=(MAST, KINECT),
)
