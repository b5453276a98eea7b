"""The arm moves a cube from place to place around its table and back to where it was.

The cube's size, weight and pose vary with the seed. A camera on a stand sees the cube and the marks
of the places; what is true is used for scoring only.
"""

import math

import numpy as np

from mecano.lab.robot import Robot
from mecano.skills.manipulation.layout import TaughtPlace
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.tasks.seen_moves import Mover

ROUTE = ("place_2", "place_3", "place_1")
PLACES = {
    "place_1": TaughtPlace(x=0.165, y=-0.129, yaw=0.0, length=0.06, width=0.06),
    "place_2": TaughtPlace(x=0.212, y=0.0, yaw=0.0, length=0.06, width=0.06),
    "place_3": TaughtPlace(x=0.165, y=0.129, yaw=0.0, length=0.06, width=0.06),
}
"""As the arm was taught them; their marks are round."""
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
    mover = Mover(robot.manipulation, PLACES)
    metrics: dict[str, Metric] = {"moves": 0}
    errors, regrasps = [], 0
    for name in ROUTE:
        problem, again = mover.move("", name)
        regrasps += again
        error = place_error(robot, name)
        metrics[f"{name}_error_mm"] = round(error * 1000, 3)
        errors.append(error)
        if problem is not None or error > TOLERANCE:
            remark = problem or f"the cube is {error * 1000:.1f} mm from {name}"
            return Score(success=False, metrics=metrics, remark=remark)
        metrics["moves"] = len(errors)
    robot.arm.move_joints("home", check=False)
    metrics["worst_error_mm"] = round(max(errors) * 1000, 3)
    metrics["cycle_time_s"] = round(robot.time / len(ROUTE), 3)
    metrics["regrasps"] = regrasps
    return Score(success=True, metrics=metrics)


def place_error(robot: Robot, name: str) -> float:
    """Return how far the cube truly is from a place [m]. For scoring."""
    apart = robot.truth.body_pose("cube").position[:2] - robot.truth.place(name)[:2]
    return float(np.linalg.norm(apart))


EXPERIMENT = Experiment(
    name="open_manipulator_x/move-cube",
    title="move a cube through three places and back",
    robot="open_manipulator_x_camera",
    scene="table",
    vary=vary,
    run=run,
    objects=("cube",),
)
