"""Through inner corners: from the floor to the wall, and on to the ceiling.

The robot is told how far the surface ahead is, as a range sensor would, and nothing else of the
scene. It walks up to it, steps over leg by leg while the body turns, and walks on.
"""

import numpy as np

from mecano.core.errors import UnknownName
from mecano.core.notices import narrate
from mecano.lab.robot import Robot
from mecano.tasks.climb import disturb, vary, write_events, yes
from mecano.tasks.experiment import Experiment, Metric, Score

GOALS = ("wall", "ceiling")
CEILING = 1.4
"""Height of the ceiling above the floor [m]."""
BEGIN = 0.33
"""The body is this far from the surface ahead when it begins to step over [m]."""
FURTHER = 0.15
"""How far it walks on the new surface [m]."""
ZERO = np.radians(0.3)
"""Spread of the servos' zeros in runs with errors [rad]."""


class _Course:
    """One run: surfaces one after the other, and what was measured."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.metrics: dict[str, Metric] = {}
        self.problem = ""

    @property
    def place(self) -> np.ndarray:
        """Where the body truly is [m]."""
        return self.robot.truth.body_pose("romerin/body_link").position

    def walk(self, distance: float) -> None:
        """Walk ahead; 1 cm is the shortest walk that is worth a step."""
        if self.problem or distance < 0.01:
            return
        result = self.robot.legs.walk(distance, gait="wave")
        self._note(result.reached, result.message, result.peak)

    def cross(self, ahead: float, name: str) -> None:
        """Step over to the surface ahead."""
        if self.problem:
            return
        result = self.robot.legs.cross_corner(ahead)
        self.metrics[f"{name}_time_s"] = round(result.duration, 1)
        self.metrics[f"{name}_steps"] = result.steps
        self.metrics[f"{name}_peak_share_percent"] = round(100 * result.peak, 1)
        self._note(result.reached, result.message, result.peak)

    def _note(self, reached: bool, message: str, peak: float) -> None:
        worst = float(self.metrics.get("peak_share_percent", 0.0))
        self.metrics["peak_share_percent"] = round(max(worst, 100 * peak), 1)
        narrate(self.robot.time, message)
        if not reached:
            self.problem = message


def run(robot: Robot, rng: np.random.Generator, *, to: str, errors: str) -> Score:
    """Go as far as was asked for, and judge from outside."""
    if to not in GOALS:
        raise UnknownName("goal", to, GOALS)
    if yes(errors, "errors"):
        disturb(robot, rng, ZERO)
    robot.wait(2.0)
    course = _Course(robot)
    course.walk(-BEGIN - course.place[0])
    course.cross(-course.place[0], "floor_to_wall")
    course.walk(FURTHER)
    if to == "ceiling":
        course.walk(CEILING - BEGIN - course.place[2])
        course.cross(CEILING - course.place[2], "wall_to_ceiling")
        course.walk(FURTHER)
    robot.wait(0.5)
    breaks = sum(event.what == "break" for event in robot.cups.events)
    x, _, z = course.place
    course.metrics |= {"end_x_mm": round(1000 * x, 1), "end_height_mm": round(1000 * z, 1)}
    course.metrics |= {"breaks": breaks, "total_time_s": round(robot.time, 1)}
    problem = course.problem or (f"{breaks} cups were torn off" if breaks else "")
    return Score(
        success=not problem,
        metrics=course.metrics,
        remark=problem,
        products={"bonds.csv": lambda path: write_events(robot, path)},
    )


EXPERIMENT = Experiment(
    name="romerin/corner",
    title="climb from the floor over to the wall, and to the ceiling",
    robot="romerin",
    scene="corner",
    vary=vary,
    run=run,
    options={"to": "wall", "errors": "no"},
    hints={"to": "wall or ceiling", "errors": "yes or no: gains and zeros that are off"},
)
