"""CRUMB maps a walled hall with its Kinect: along a tour, through doors and around a wall.

The scans are cut out of depth pictures, which see 55 degrees and 5 m, with the noise of a Kinect.
Distances are by wheels that slip, headings by the gyro. Otherwise as `mecano.tasks.map_lab`.
"""

import numpy as np

from mecano.lab.robot import Robot
from mecano.lab.scanners import PICTURES
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.map_lab import map_scene

LOOKS = (2, 3, 4, 7, 9, 11, 13)
"""Points of the tour at which it looks around: a camera that sees 55 degrees recognises a place
only if it saw it from the same side before. The fifth and the fourteenth are one place. Those
behind the door tie the hall to where the map begins: without them its heading is the gyro's."""


def run(robot: Robot, rng: np.random.Generator, *, slip: str) -> Score:
    """Drive the tour and build the map.

    Args:
        robot: At the mount of its scene, at rest.
        rng: Not used: noise and slip come from the session's seed.
        slip: Strength of the slip.
    """
    return map_scene(robot, "CRUMB in the hall", slip, looks=LOOKS)


EXPERIMENT = Experiment(
    name="crumb/map",
    title="map a walled hall with the Kinect, along a tour",
    robot="crumb",
    scene="hall",
    run=run,
    noise=True,
    settings={"cameras.camera.rate": PICTURES},
    options={"slip": "2.0"},
    hints={"slip": "how much wheels slip: 0 not at all, 2 about 1 % of the way"},
)
