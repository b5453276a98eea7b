"""Experiment 1 of the CRUMB paper: boxes move into the free one of three places, again and again.

The base stands still. The arm is programmed with the places it knows, as in the paper; where the
boxes really end is judged from outside. Tried out in physics: the hand comes from above with its
nose 60 degrees down, so that it clears the neighbours and the boxes stay upright.
"""

import math
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.lab.results import GripResult
from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Metric, Score
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
GRIP = 15.0
"""Force of each finger [N]. With the paper's 2.5 N the box drops."""
THICKNESS = 0.0242
"""Of a box between the fingers [m]."""
LOST = 0.022
"""Pads nearer than this hold no box [m]."""
TRIES = 3
TOLERANCE = 0.010
"""A box must end this near to the middle of its place [m]."""
UPRIGHT = math.radians(5.0)
"""A box that leans further has fallen [rad]."""
ROUND = "A>C B>A C>B"
"""What is done if nobody says otherwise: each box moves into the place that is free."""
START = {"A": "red", "B": "orange"}


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


def parse_moves(text: str) -> list[tuple[str, str]]:
    """Return the moves of a text such as "A>C B>A", or say which one cannot be done.

    Raises:
        InvalidInput: A place is unknown, nothing stands where something shall be taken, or a place
            is taken already.
    """
    standing = dict(START)
    moves = []
    for word in text.replace(",", " ").split():
        source, arrow, target = word.upper().partition(">")
        if not arrow or source not in PLACES or target not in PLACES:
            raise InvalidInput(f"'{word}' is no move; write A>C with places {', '.join(PLACES)}")
        if source not in standing:
            raise InvalidInput(
                f"move {len(moves) + 1}, {word}: place {source} is empty then; "
                f"boxes stand at {', '.join(sorted(standing))}"
            )
        if target in standing:
            raise InvalidInput(
                f"move {len(moves) + 1}, {word}: place {target} is taken by the "
                f"{standing[target]} box then"
            )
        standing[target] = standing.pop(source)
        moves.append((source, target))
    if not moves:
        raise InvalidInput('no moves; write for example --moves "A>C B>A"')
    return moves


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


def turned(quat: Array, angle: float) -> Array:
    """Return an upright orientation turned further about the vertical [rad]."""
    w, _, _, z = quat
    half = math.atan2(z, w) + 0.5 * angle
    return np.array([math.cos(half), 0.0, 0.0, math.sin(half)])


def run(robot: Robot, rng: np.random.Generator, *, moves: str = ROUND, rounds: str = "1") -> Score:
    """Do the moves and look where every box ended."""
    if not rounds.isdecimal() or not 1 <= int(rounds) <= 100:
        raise InvalidInput(f"rounds is '{rounds}', allowed 1 to 100")
    planned = parse_moves(" ".join([moves] * int(rounds)))
    standing = dict(START)
    watch = Bumps(robot)
    errors, regrasps = [], 0
    problem = None
    for source, target in planned:
        box = standing.pop(source)
        problem, again = carry(robot, PLACES[source], PLACES[target])
        regrasps += again
        standing[target] = box
        error, lean = _judge(robot, box, target)
        errors.append(error)
        if problem is None and (error > TOLERANCE or lean > UPRIGHT):
            problem = f"the {box} box ended {error * 1000:.1f} mm from {target}"
            if lean > UPRIGHT:
                problem = f"the {box} box fell over at {target}"
        if problem is not None:
            break
    robot.arm.move_joints("home")
    if problem is None and watch.touched is not None:
        problem = f"the arm touched: {watch.touched[0]} and {watch.touched[1]}"
    metrics: dict[str, Metric] = {
        "moves": len(errors),
        "worst_error_mm": round(max(errors) * 1000, 3),
        "mean_error_mm": round(float(np.mean(errors)) * 1000, 3),
        "regrasps": regrasps,
        "time_per_move_s": round(robot.time / len(errors), 3),
    }
    return Score(success=problem is None, metrics=metrics, remark=problem or "")


def carry(robot: Robot, source: Place, target: Place) -> tuple[str | None, int]:
    """Take the box at one place to another; return what went wrong and how often it tried again."""
    arm, gripper = robot.arm, robot.gripper
    problem = None
    for tries in range(TRIES):
        problem = first_problem(
            (
                lambda: opened(gripper.open()),
                lambda: moved(arm.move_to(source.tool(ABOVE), pitch=PITCH)),
                lambda: moved(arm.move_line(source.tool(TOP), pitch=PITCH)),
                lambda: _has_it(gripper.close(force=GRIP)),
                lambda: moved(arm.move_line(source.tool(ABOVE), pitch=PITCH)),
                lambda: _keeps_it(robot),
                lambda: moved(arm.move_to(target.tool(ABOVE), pitch=PITCH)),
                lambda: moved(arm.move_line(target.tool(TOP + LET_GO), pitch=PITCH)),
                lambda: _keeps_it(robot),
                lambda: opened(gripper.open()),
                lambda: moved(arm.move_line(target.tool(ABOVE), pitch=PITCH)),
            )
        )
        if problem is None or not problem.startswith(("no box", "the box was lost")):
            return problem, tries
    return f"{problem}, {TRIES} times", TRIES - 1


def _has_it(result: object) -> str | None:
    """Tell from width and force whether the fingers closed on a box."""
    assert isinstance(result, GripResult)
    if result.holding and result.width > LOST:
        return None
    return f"no box between the fingers ({result.width * 1000:.1f} mm, {result.force:.1f} N)"


def _keeps_it(robot: Robot) -> str | None:
    """Tell whether the box is still there."""
    if robot.gripper.width > LOST:
        return None
    return f"the box was lost (pads {robot.gripper.width * 1000:.1f} mm apart)"


def _judge(robot: Robot, box: str, place: str) -> tuple[float, float]:
    """Return how far a box is from its place [m] and how far it leans [rad], as it truly is."""
    pose = robot.truth.body_pose(box)
    error = float(np.linalg.norm(pose.position[:2] - robot.truth.place(f"place_{place}")[:2]))
    return error, math.acos(min(1.0, max(-1.0, float(pose.matrix()[2, 2]))))


class Bumps:
    """Remembers the first time that the arm touched what it should not."""

    def __init__(self, robot: Robot) -> None:
        """Look in every tick."""
        self._robot = robot
        self.touched: tuple[str, str] | None = None
        robot.session.observers.append(self)

    def __call__(self, session: object) -> None:
        """Look at the contacts of one tick."""
        if self.touched is None:
            touch = self._robot.arm.dynamics.unwanted_contact(self._robot.world.data, 0.0)
            if touch is not None:
                self.touched = touch.pair


EXPERIMENT = Experiment(
    name="crumb/pick-and-place",
    title="move boxes into the free one of three places",
    robot="crumb",
    scene="pick_and_place",
    vary=vary,
    run=run,
    options={"moves": ROUND, "rounds": "1"},
)
