"""Experiment 1 of the CRUMB paper: boxes move into the free one of three places, again and again.

The arm was taught the places, as in the paper. A lab's robot is never where it was taught: so a
camera on a mast sees the marks of the places and the boxes, and the skills `pick` and `place` go by
what is seen and felt. Where the boxes really end is judged from outside.
"""

import math

import numpy as np

from mecano.lab.robot import Robot
from mecano.skills.manipulation.layout import TaughtPlace
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.placing import (
    AWAY_FROM_TABLES,
    MARK,
    ROUND,
    START,
    do_moves,
    planned_moves,
    turned,
)
from mecano.tasks.seen_moves import Mover


def taught(radius: float, azimuth: float) -> TaughtPlace:
    """Return a place whose long side points to the arm, as the arm sees it [m, rad]."""
    x, y = radius * math.cos(azimuth), radius * math.sin(azimuth)
    return TaughtPlace(x=x, y=y, yaw=azimuth, length=MARK[0], width=MARK[1])


PLACES = {
    "A": taught(0.2238, math.radians(91.59)),
    "B": taught(0.2653, math.radians(47.33)),
    "C": taught(0.2432, 0.0),
}
"""As the user taught them; the arm's foot is at (-0.01364, 0, 0.4068) m on the robot."""


def vary(rng: np.random.Generator, seed: int) -> list:
    """Draw how people put the boxes down: up to 3 mm and 3 degrees off; 0.45 to 0.55 kg."""
    drawn = [(box, rng.uniform(-1.0, 1.0, 4)) for box in START.values()]

    def change(spec) -> None:
        for box, (right, ahead, turn, weight) in drawn:
            body, geom = spec.body(box), spec.geom(box)
            body.pos = body.pos + np.array([0.003 * right, 0.003 * ahead, 0.0])
            body.quat = turned(body.quat, math.radians(3.0 * turn))
            geom.mass = 0.5 + 0.05 * weight

    return [change]


def run(robot: Robot, rng: np.random.Generator, *, moves: str = ROUND, rounds: str = "1") -> Score:
    """Do the moves and look where every box ended."""
    planned = planned_moves(moves, rounds)
    try:
        return do_moves(robot, planned, Mover(robot.manipulation, PLACES, robot.base).move)
    finally:
        robot.camera.close()  # what draws must be freed before another one is opened


EXPERIMENT = Experiment(
    name="crumb/pick-and-place",
    title="move boxes into the free one of three places",
    robot="crumb_mast",
    scene="pick_and_place",
    vary=vary,
    run=run,
    options={"moves": ROUND, "rounds": "1"},
    objects=tuple(START.values()),
    room=AWAY_FROM_TABLES,
)
