"""A cube too heavy for the grip must slip out of it: friction holds what it can and no more."""

import numpy as np

from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.grasp_card import ABOVE, count_welds, cube_change, pick

GRIP = 5.0
"""Force of each finger [N]."""
MASS = 1.5
"""Of the cube [kg]: 14.7 N, where two pads with friction 1.0 hold 10 N."""


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Try to lift it."""
    problem = pick(robot, GRIP)
    robot.wait(0.5)
    height = float(robot.truth.body_pose("cube").position[2])
    dropped = (height < ABOVE / 2 and not robot.gripper.holding) or height < 0.03
    return Score(
        success=bool(dropped and count_welds(robot.world.model) == 0),
        metrics={
            "mass_kg": MASS,
            "grip_force_n": GRIP,
            "cube_height_mm": round(1000 * height, 2),
            "friction_limit_n": 2 * GRIP * 1.0,
            "weight_n": round(MASS * 9.81, 2),
        },
        remark=problem or "",
    )


EXPERIMENT = Experiment(
    name="open_manipulator_x/overweight",
    title="a cube heavier than friction can hold slips out of the grip",
    robot="open_manipulator_x",
    scene="shaker",
    vary=lambda rng, seed: [cube_change(0.03, MASS)],
    run=run,
    settings={"physics.timestep": 0.001},
)
