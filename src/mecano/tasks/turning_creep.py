"""How far a held cube creeps outwards while the arm turns, against the law that predicts it.

MuJoCo's contacts leave out the velocity product of a turning frame, so an object held by friction
creeps at omega^2 r (time constant + step) / 2. The arm turns to and fro and the two are compared.
"""

import math

import numpy as np

from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.grasp_card import GRIP, HandWatch, cube_change, pick
from mecano.tasks.steps import moved

TURNS = 8
SWEEP = 1.5
"""The arm turns between plus and minus this [rad]."""
SPEED = 0.45
"""Fraction of the arm's speed: about 1 rad/s."""
CONTACT_TIME = 0.002
"""Time constant of the contact between pads and cube, `solref` [s]."""


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Grasp the cube, turn to and fro, and compare the creep with the law."""
    problem = pick(robot, GRIP)
    if problem is not None:
        return Score(success=False, remark=problem)
    robot.wait(0.3)
    watch = HandWatch(robot)
    law = 0.0

    def look(robot: Robot) -> None:
        nonlocal law
        watch.look(robot)
        radius = float(np.hypot(*(robot.truth.body_pose("cube").position[:2] - [0.012, 0.0])))
        rate = float(robot.arm.velocity[0]) ** 2 * radius
        law += rate * (CONTACT_TIME + robot.world.timestep) / 2.0 * robot.arm.tick

    behaviour = robot.run(look)
    posture = robot.arm.commanded.copy()
    for turn in range(TURNS):
        posture[0] = SWEEP * (-1) ** turn
        problem = moved(robot.arm.move_joints(posture, speed=SPEED))
        if problem is not None:
            return Score(success=False, remark=problem)
    behaviour.stop()
    creep = watch.pose_in_hand().distance_to(watch.start)
    ratio = creep / law
    return Score(
        success=robot.gripper.holding and 0.5 < ratio < 1.5,
        metrics={
            "creep_mm": round(1000 * creep, 3),
            "law_mm": round(1000 * law, 3),
            "ratio": round(ratio, 3),
            "turned_rad": round(SWEEP * (2 * TURNS - 1), 2),
            "tilt_deg": round(math.degrees(watch.tilt), 3),
        },
    )


EXPERIMENT = Experiment(
    name="open_manipulator_x/turning-creep",
    title="creep of a held cube in a turning hand, against the law of the contact model",
    robot="open_manipulator_x",
    scene="shaker",
    vary=lambda rng, seed: [cube_change(0.03, 0.05)],
    run=run,
    settings={"physics.timestep": 0.001},
)
