"""The arm moves a cube from place to place around its table and back to where it was.

The cube's size, weight and pose vary with the seed.
"""

import math

import numpy as np

from mecano.core.arrays import Array
from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.tasks.steps import first_problem, held, moved, opened

PITCH = 1.45
"""Nearly straight down [rad]: the fingers need not dip far below the tool point."""
ABOVE = 0.10
"""Height of the tool between places [m]."""
GRASP_HEIGHT = 0.026
"""Height of the tool when the fingers close [m]: the tips are 2 mm above the table."""
LET_GO_HEIGHT = 0.028
"""The same when they open [m]: the cube drops the last 2 mm, instead of being pressed onto the
table by an arm that is half a millimetre off."""
GRIP = 15.0
"""Force of each finger [N]."""
ROUTE = ("place_2", "place_3", "place_1")
TOLERANCE = 0.010
"""The cube must end this near to the centre of each place [m]."""


def vary(rng: np.random.Generator, seed: int) -> list:
    """Draw the cube: 25 to 32 mm, 20 to 60 g, up to 6 mm and 12 degrees off its place."""
    half = rng.uniform(0.0125, 0.016)
    mass = rng.uniform(0.02, 0.06)
    offset = rng.uniform(-0.006, 0.006, 2)
    yaw = math.radians(rng.uniform(-12.0, 12.0))

    def change(spec) -> None:
        body, geom = spec.body("cube"), spec.geom("cube")
        geom.size = [half] * 3
        geom.mass = mass
        heading = math.atan2(body.pos[1], body.pos[0] - 0.012) + yaw
        body.pos = [body.pos[0] + offset[0], body.pos[1] + offset[1], half - 5e-5]
        body.quat = [math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2)]

    return [change]


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Carry the cube along the route."""
    metrics: dict[str, Metric] = {}
    errors = []
    for name in ROUTE:
        pick = robot.truth.body_pose("cube").position
        place = robot.truth.place(name)
        problem = carry(robot, pick, place)
        error = float(np.linalg.norm(robot.truth.body_pose("cube").position[:2] - place[:2]))
        metrics[f"{name}_error_mm"] = round(error * 1000, 3)
        errors.append(error)
        if problem is not None or error > TOLERANCE:
            remark = problem or f"the cube is {error * 1000:.1f} mm from {name}"
            return Score(success=False, metrics=metrics, remark=remark)
    robot.arm.home()
    metrics["worst_error_mm"] = round(max(errors) * 1000, 3)
    metrics["cycle_time_s"] = round(robot.time / len(ROUTE), 3)
    return Score(success=True, metrics=metrics)


def carry(robot: Robot, pick: Array, place: Array) -> str | None:
    """Take the cube at one point of the table to another; return what went wrong, if anything."""
    arm, gripper = robot.arm, robot.gripper
    return first_problem(
        (
            lambda: opened(gripper.open()),
            lambda: moved(arm.move_to([*pick[:2], ABOVE], pitch=PITCH)),
            lambda: moved(arm.move_line([*pick[:2], GRASP_HEIGHT])),
            lambda: held(gripper.close(force=GRIP)),
            lambda: moved(arm.move_line([*pick[:2], ABOVE])),
            lambda: moved(arm.move_to([*place[:2], ABOVE], pitch=PITCH)),
            lambda: moved(arm.move_line([*place[:2], LET_GO_HEIGHT])),
            lambda: opened(gripper.open()),
            lambda: moved(arm.move_line([*place[:2], ABOVE])),
        )
    )


EXPERIMENT = Experiment(
    name="open_manipulator_x/move-cube",
    title="move a cube through three places and back",
    robot="open_manipulator_x",
    scene="table",
    vary=vary,
    run=run,
)
