"""Boxes that nobody put down exactly: a camera on a mast finds them, the arm puts them in places.

The program knows the places as they were taught, the boxes' colours, and where the camera is
bolted. Where a box is and how large, it knows from the newest picture alone; it looks again after
every move. What is true is used for scoring only.

Any yaw of a box needs the hand straight down, and so the arm cannot lift a box over another. It
slides in along the long side, lifts a little while it draws the box in, turns close to itself past
the others, and slides out.
"""

import math
from dataclasses import replace

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose
from mecano.lab.robot import Robot
from mecano.perception.tabletop import SeenObject, TableView, same_line
from mecano.robots.crumb.variants import ARM_FOOT
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.pick_and_place import taught
from mecano.tasks.placing import AWAY_FROM_TABLES, ROUND, START, do_moves, planned_moves
from mecano.tasks.seen_moves import Mover

RADIUS = 0.243
"""How far the places are from the arm's axis [m]."""
PLACES = {
    "A": taught(RADIUS, math.pi / 2),
    "B": taught(RADIUS, math.pi / 4),
    "C": taught(RADIUS, 0.0),
}
"""As the arm was taught them [m]."""
JITTER, TWIST = 0.015, math.radians(60.0)
"""How far off its place [m], and how far turned from radial [rad], a box may be at first."""


# --- what varies


def vary(rng: np.random.Generator, seed: int) -> list:
    """Draw how the boxes stand: up to 15 mm off in any direction, up to 60 degrees from radial."""
    drawn = {place: rng.uniform(size=3) for place in START}

    def change(spec) -> None:
        for place, (far, where, twist) in drawn.items():
            off = JITTER * math.sqrt(far) * _unit(math.tau * where)
            x, y = np.array([PLACES[place].x, PLACES[place].y]) + off
            yaw = math.atan2(y, x) + TWIST * (2.0 * twist - 1.0)
            body = spec.body(START[place])
            body.pos = np.array([x + ARM_FOOT[0], y + ARM_FOOT[1], body.pos[2]])
            body.quat = Pose.from_xyz_rpy([0, 0, 0], [0, 0, yaw]).quaternion

    return [change]


def _unit(angle: float) -> Array:
    return np.array([math.cos(angle), math.sin(angle)])


# --- how well it saw, for scoring


class SightScore:
    """Compares every look with what is true, from outside."""

    def __init__(self, robot: Robot) -> None:
        """Listen to the looks of the robot's hand."""
        self.robot = robot
        self.errors: list[tuple[float, float]] = []
        robot.manipulation.listeners.append(self)

    def __call__(self, view: TableView | None) -> None:
        """Take note of one look."""
        for box in START.values():
            seen = None if view is None else view.find(box)
            if seen is not None:
                self.errors.append(sight_error(self.robot, seen))

    def metrics(self) -> dict[str, float]:
        """Return the worst of all looks; nothing if nothing was ever found."""
        if not self.errors:
            return {}
        places, yaws = zip(*self.errors, strict=True)
        return {
            "found_position_error_mm": round(max(places) * 1000, 3),
            "found_yaw_error_deg": round(math.degrees(max(yaws)), 3),
        }


def sight_error(robot: Robot, box: SeenObject) -> tuple[float, float]:
    """Return how far a box is from where it was seen [m], and how far turned [rad]. For scoring."""
    truth, base = robot.truth.body_pose(box.colour), robot.truth.base_pose()
    T_world_arm = Pose.from_xyz_rpy([base.x, base.y, 0.0], [0.0, 0.0, base.yaw]) @ Pose(ARM_FOOT)
    seen = T_world_arm @ Pose.from_xyz_rpy(box.position, [0.0, 0.0, box.yaw])
    off = float(np.linalg.norm(seen.position[:2] - truth.position[:2]))
    return off, abs(same_line(float(seen.rpy()[2]), float(truth.rpy()[2])))


def run(robot: Robot, rng: np.random.Generator, *, moves: str = ROUND, rounds: str = "1") -> Score:
    """Do the moves and look where every box ended."""
    planned = planned_moves(moves, rounds)
    try:
        sight = SightScore(robot)
        score = do_moves(robot, planned, Mover(robot.manipulation, PLACES, robot.base).move)
    finally:
        robot.camera.close()  # what draws must be freed before another one is opened
    return replace(score, metrics=score.metrics | sight.metrics())


EXPERIMENT = Experiment(
    name="crumb/find-and-place",
    title="find boxes with a camera and move them into the free one of three places",
    robot="crumb_mast",
    scene="find_and_place",
    vary=vary,
    run=run,
    options={"moves": ROUND, "rounds": "1"},
    objects=tuple(START.values()),
    room=AWAY_FROM_TABLES,
)
