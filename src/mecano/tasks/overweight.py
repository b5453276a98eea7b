"""A cube too heavy for the grip must slip out of it: friction holds what it can and no more."""

import numpy as np

from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.grasp_card import ABOVE, GRASP_HEIGHT, PITCH, count_welds, cube_change
from mecano.tasks.steps import first_problem, held, moved

GRIP = 5.0
"""Force of each finger [N]."""
MASS = 1.5
"""Of the cube [kg]: 14.7 N, where two pads with friction 1.0 hold 10 N."""


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Grasp it, try to lift it, and see it stay behind."""
    arm, gripper = robot.arm, robot.gripper
    x, y, start = robot.truth.body_pose("cube").position
    problem = first_problem(
        (
            lambda: moved(arm.move_to([x, y, ABOVE], pitch=PITCH)),
            lambda: moved(arm.move_line([x, y, GRASP_HEIGHT])),
            lambda: held(gripper.close(force=GRIP)),
        )
    )
    if problem is not None:
        return Score(success=False, remark=problem)
    arm.move_line([x, y, ABOVE])
    robot.wait(0.5)
    rise = float(robot.truth.body_pose("cube").position[2] - start)
    lift = float(arm.pose().position[2] - GRASP_HEIGHT)
    return Score(
        success=lift > 0.05 and rise < 0.01 and count_welds(robot.world.model) == 0,
        metrics={
            "mass_kg": MASS,
            "grip_force_n": GRIP,
            "hand_rose_mm": round(1000 * lift, 2),
            "cube_rose_mm": round(1000 * rise, 2),
            "friction_limit_n": 2 * GRIP * 1.0,
            "weight_n": round(MASS * 9.81, 2),
        },
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
