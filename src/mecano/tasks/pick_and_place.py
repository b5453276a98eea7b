"""Experiment 1 of the CRUMB paper: boxes move into the free one of three places, again and again.

The base stands still. The arm is programmed with the places it knows, as in the paper; where the
boxes really end is judged from outside. Tried out in physics: the hand comes from above with its
nose 60 degrees down, so that it clears the neighbours and the boxes stay upright.
"""

import math
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.placing import (
    BOX_MASS,
    GRIP,
    ROUND,
    START,
    TRIES,
    do_moves,
    has_it,
    is_lost,
    keeps_it,
    planned_moves,
    told,
    turned,
)
from mecano.tasks.steps import first_problem, moved, opened

PITCH = math.radians(60.0)
"""The nose points this far down [rad]; straight down the arm cannot lift a box over another."""
FINGERTIP = 0.012
"""The fingertips are this far beyond the tool point [m]."""
TOP = 0.0832
"""How high the tips are above the arm's foot when they take hold [m]: 17 mm below a box's top."""
LET_GO = 0.001
"""The tips stay this much higher when they let go [m]: the box must not be pressed down."""
ABOVE = 0.1982
"""How high they are between two places [m]: a box passes 15 mm above the others."""


@dataclass(frozen=True)
class Place:
    """Where a box may stand, seen from the arm's foot."""

    radius: float
    """[m]."""
    azimuth: float
    """[rad]."""

    def tool(self, height: float) -> Array:
        """Return the tool point that brings the fingertips over its middle, at a height [m]."""
        radius = self.radius - FINGERTIP * math.cos(PITCH)
        return np.array([
            radius * math.cos(self.azimuth),
            radius * math.sin(self.azimuth),
            height + FINGERTIP * math.sin(PITCH),
        ])  # fmt: skip


PLACES = {
    "A": Place(0.2238, math.radians(91.59)),
    "B": Place(0.2653, math.radians(47.33)),
    "C": Place(0.2432, 0.0),
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
    return do_moves(robot, planned, lambda box, source, target: carry(robot, source, target))


def carry(robot: Robot, source: str, target: str) -> tuple[str | None, int]:
    """Take the box at one place to another; return what went wrong and how often it tried again."""
    problem = None
    for tries in range(TRIES):
        problem = _carry_once(robot, PLACES[source], PLACES[target])
        if not is_lost(problem):
            return problem, tries
    return f"{problem}, {TRIES} times", TRIES - 1


def _carry_once(robot: Robot, source: Place, target: Place) -> str | None:
    arm, gripper = robot.arm, robot.gripper
    return first_problem(
        (
            lambda: told(robot, 0.0),
            lambda: opened(gripper.open()),
            lambda: moved(arm.move_to(source.tool(ABOVE), pitch=PITCH)),
            lambda: moved(arm.move_line(source.tool(TOP), pitch=PITCH)),
            lambda: has_it(gripper.close(force=GRIP)),
            lambda: told(robot, BOX_MASS),
            lambda: moved(arm.move_line(source.tool(ABOVE), pitch=PITCH)),
            lambda: keeps_it(robot),
            lambda: moved(arm.move_to(target.tool(ABOVE), pitch=PITCH)),
            lambda: moved(arm.move_line(target.tool(TOP + LET_GO), pitch=PITCH)),
            lambda: keeps_it(robot),
            lambda: told(robot, 0.0),
            lambda: opened(gripper.open()),
            lambda: moved(arm.move_line(target.tool(ABOVE), pitch=PITCH)),
        )
    )


EXPERIMENT = Experiment(
    name="crumb/pick-and-place",
    title="move boxes into the free one of three places",
    robot="crumb",
    scene="pick_and_place",
    vary=vary,
    run=run,
    options={"moves": ROUND, "rounds": "1"},
)
