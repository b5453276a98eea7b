"""OpenMANIPULATOR-X with a depth camera on a stand that is bolted to the same plate.

The arm has no camera of its own. A lab puts one on a stand: behind the arm and to its right, where
the arm, turned away to its left, hides nothing of the table.
"""

from dataclasses import replace

from mecano.robots.mobile import CameraFacts
from mecano.robots.open_manipulator_x.description import ARM
from mecano.robots.open_manipulator_x.description import DESCRIPTION as ARM_ALONE

STAND_CAMERA = CameraFacts(
    name="stand",
    camera="camera_stand",
    frame="camera_stand_optical_frame",
    nearest=0.3,  # EST: a small structured-light camera, as on CRUMB's mast
    furthest=3.0,
    baseline=0.05,
)

LOOK = (2.2, -0.5, 0.6, -0.1)
"""Turned to the left and back, the hand level and 0.19 m high."""

CAMERA = replace(
    ARM_ALONE,
    name="open_manipulator_x_camera",
    title="OpenMANIPULATOR-X with a camera on a stand",
    model="model_camera.xml",
    chains={"arm": replace(ARM, postures=ARM.postures | {"look": LOOK})},
    cameras=(STAND_CAMERA,),
)
