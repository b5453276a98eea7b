"""What experiments with two boxes and three places share: moves and the score."""

import math
from collections.abc import Callable

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.lab.robot import Robot
from mecano.tasks.experiment import Metric, Score

TOLERANCE = 0.010
"""A box must end this near to the middle of its place [m]."""
UPRIGHT = math.radians(5.0)
"""A box that leans further has fallen [rad]."""
ROUND = "A>C B>A C>B"
"""What is done if nobody says otherwise: each box moves into the place that is free."""
NAMES = ("A", "B", "C")
"""Of the places."""
START = {"A": "red", "B": "orange"}
"""Which box stands where at first."""

AWAY_FROM_TABLES = (math.pi, 1.5 * math.pi)
"""Directions in which the robot has room; in the others the tables are 2 mm away [rad]."""
MARK = (0.104, 0.040)
"""Length and width of the mark that is drawn on the table at a place [m]."""

Carry = Callable[[str, str], tuple[str | None, int]]
"""Takes a box to a place; returns what went wrong and how often it tried again."""


# --- what is asked for


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
        if not arrow or source not in NAMES or target not in NAMES:
            raise InvalidInput(f"'{word}' is no move; write A>C with places {', '.join(NAMES)}")
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


def planned_moves(moves: str, rounds: str) -> list[tuple[str, str]]:
    """Return all moves of all rounds, or say what is wrong with them."""
    if not rounds.isdecimal() or not 1 <= int(rounds) <= 100:
        raise InvalidInput(f"rounds is '{rounds}', allowed 1 to 100")
    return parse_moves(" ".join([moves] * int(rounds)))


def turned(quat: Array, angle: float) -> Array:
    """Return an upright orientation turned further about the vertical [rad]."""
    w, _, _, z = quat
    half = math.atan2(z, w) + 0.5 * angle
    return np.array([math.cos(half), 0.0, 0.0, math.sin(half)])


# --- scoring, which looks from outside


def do_moves(robot: Robot, planned: list[tuple[str, str]], carry: Carry) -> Score:
    """Do the moves until one goes wrong, and judge by where every box truly ended.

    What was not measured is no metric: there is no error where no box was put down.
    """
    standing, placed = dict(START), set()
    watch = Bumps(robot)
    tried, errors, regrasps = 0, [], 0
    problem = None
    for source, target in planned:
        box = standing.pop(source)
        problem, again = carry(box, target)
        tried, regrasps = tried + 1, regrasps + again
        standing[target] = box
        if problem is None:  # else nothing was put down that could be measured
            error, lean = judge(robot, box, target)
            errors.append(error)
            problem = _misplaced(box, target, error, lean)
        if problem is not None:
            break
        placed.add(target)
    done = tried - (problem is not None)
    robot.arm.move_joints("home", check=False)
    problem = problem or _upset(robot, standing, placed) or watch.report()
    metrics: dict[str, Metric] = {"moves": done}
    if errors:
        metrics["worst_error_mm"] = round(max(errors) * 1000, 3)
        metrics["mean_error_mm"] = round(float(np.mean(errors)) * 1000, 3)
    metrics["regrasps"] = regrasps
    if done:
        metrics["time_per_move_s"] = round(robot.time / tried, 3)
    return Score(success=problem is None, metrics=metrics, remark=problem or "")


def judge(robot: Robot, box: str, place: str) -> tuple[float, float]:
    """Return how far a box is from its place [m] and how far it leans [rad], as it truly is."""
    pose = robot.truth.body_pose(box)
    error = float(np.linalg.norm(pose.position[:2] - robot.truth.place(f"place_{place}")[:2]))
    return error, math.acos(min(1.0, max(-1.0, float(pose.matrix()[2, 2]))))


def _misplaced(box: str, place: str, error: float, lean: float) -> str | None:
    if lean > UPRIGHT:
        return f"the {box} box fell over at {place}"
    if error > TOLERANCE:
        return f"the {box} box ended {error * 1000:.1f} mm from {place}"
    return None


def _upset(robot: Robot, standing: dict[str, str], placed: set[str]) -> str | None:
    """Return which box does not stand any more as it was put, or as it was found."""
    for place, box in standing.items():
        error, lean = judge(robot, box, place)
        problem = _misplaced(box, place, error if place in placed else 0.0, lean)
        if problem is not None:
            return f"in the end {problem}"
    return None


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

    def report(self) -> str | None:
        """Return what touched, as a sentence."""
        return None if self.touched is None else f"the arm touched: {' and '.join(self.touched)}"
