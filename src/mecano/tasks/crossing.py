"""MADAR drives through a room while people cross its path who neither look nor yield (M-41).

Even seeds have one person who crosses the path on a straight line, timed to meet the base; odd ones
one who wanders from one random point to the next. All walk at 1.2 m/s. One run is one crossing:
what counts is that nobody is touched while the base moves faster than 0.05 m/s, and that it
arrives. A wanderer may turn beside the base and walk into it while it stands.
"""

from math import cos, pi, sin

import mujoco
import numpy as np

from mecano.core.poses import Pose2
from mecano.lab.people import WALKING, Walk, add_walks, random_walk, with_people
from mecano.lab.robot import Robot
from mecano.lab.wheel_slip import SlipFacts, add_slip
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.navigation_runs import driving
from mecano.world.assembly import Change
from mecano.world.floor_plan import floor_plan

ROOM = (6.0, 6.0)
"""Half length and half width of the room [m]."""
START, GOAL = Pose2(-2.5, 0.0, 0.0), Pose2(2.5, 0.0, 0.0)
CRUISE = 0.25
"""About how fast the base drives [m/s]."""
BEFORE, BEHIND = 5.0, 3.0
"""A person walks so far before and after the place where they would meet [m]."""
MEETING = (5.0, 14.0)
"""When they would meet [s]."""
ASIDE = 0.4
"""And how far from the middle of the base, at most [m]."""
WANDER = (3.5, 3.0)
"""Half sides of the area in which people wander [m]."""
TRIES = 3
"""So often the goal is given again after somebody ran into the base."""
CLOSE = 0.5
"""A person who comes nearer has passed closely [m], by the task."""


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Drive through the room once.

    Args:
        robot: At one end of it.
        rng: Not used: walks come from the seed, as the starting points of the people do.
    """
    robot.wait(0.3)
    add_slip(robot, SlipFacts())
    here = robot.truth.base_pose()
    robot.base.reset_odometry(here)
    people = add_walks(robot, _walks(robot.session.random.seed))
    grid = floor_plan(robot.world.model, next(iter(robot.lidars.values())).pose.position[2])
    with robot.start_localization(grid, start=here) as localization:
        navigation = robot.start_navigation(grid, pose=localization, talk=False)
        with driving(robot, navigation, people=people, plan=grid) as drive:
            result = drive.go_to(GOAL)
            for _ in range(TRIES):  # a person who runs into the base ends its goal
                if result.outcome != "stopped":
                    break
                robot.wait(2.0)
                result = drive.go_to(GOAL)
    gap, moving = drive.watch.person_gap, drive.watch.moving
    metrics = drive.metrics() | {
        "person_gap_m": round(min(gap, 9.0), 3), "passed_close": gap < CLOSE,
        "wandering": people.walks[0].again,
    }  # fmt: skip
    problems = [] if result.reached else [result.message]
    if moving:
        problems.append(f"touched {moving[0].other} at {moving[0].speed:.2f} m/s")
    return Score(
        success=not problems, metrics=metrics, remark="; ".join(problems), report=drive.report(),
        products=drive.products("MADAR and people who do not yield"),
    )  # fmt: skip


def _walks(seed: int) -> list[Walk]:
    """Return how people walk in the run of a seed."""
    rng = np.random.default_rng([seed, 21])
    if seed % 2:
        walks = (random_walk(rng, (-WANDER[0], -WANDER[1]), WANDER) for _ in range(100))
        return [next(walk for walk in walks if _is_apart(walk.points[0]))]
    meeting = float(rng.uniform(*MEETING))
    direction = float(rng.uniform(0.0, 2.0 * pi))
    x = START.x + CRUISE * (meeting - 0.8) - ASIDE * sin(direction) * float(rng.uniform(-1, 1))
    y = ASIDE * cos(direction) * float(rng.uniform(-1, 1))
    begin, end = _cut(x, y, direction + pi, BEFORE), _cut(x, y, direction, BEHIND)
    far = float(np.hypot(x - begin[0], y - begin[1]))
    return [Walk(points=(begin, end), begins=max(0.0, meeting - far / WALKING))]


def _is_apart(point: tuple[float, float]) -> bool:
    """Tell whether a person does not begin beside the robot."""
    return float(np.hypot(point[0] - START.x, point[1] - START.y)) > 1.5


def _cut(x: float, y: float, direction: float, far: float) -> tuple[float, float]:
    """Return the point in a direction, at most so far, inside of the room."""
    for reach in np.linspace(far, 0.0, 81).tolist():
        px, py = x + reach * cos(direction), y + reach * sin(direction)
        if abs(px) < ROOM[0] - 0.5 and abs(py) < ROOM[1] - 0.5:
            return px, py
    return x, y


def vary(rng: np.random.Generator, seed: int) -> list[Change]:
    """Return the changes that build the room and put people where their walks begin."""
    starts = [walk.points[0] for walk in _walks(seed)]
    return [_room, with_people(starts)]


def _room(spec: mujoco.MjSpec) -> None:
    """Put the robot at its start and walls around the room."""
    body = spec.body("madar_base/base_footprint")
    body.pos = [START.x, START.y, 0.0]
    length, width = ROOM
    for name, place, size in (
        ("east", (length + 0.05, 0.0), (0.05, width + 0.1)),
        ("west", (-length - 0.05, 0.0), (0.05, width + 0.1)),
        ("north", (0.0, width + 0.05), (length, 0.05)),
        ("south", (0.0, -width - 0.05), (length, 0.05)),
    ):
        spec.worldbody.add_geom(
            name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=[*place, 0.6], size=[*size, 0.6],
            solref=[0.004, 1.0],
        )  # fmt: skip


EXPERIMENT = Experiment(
    name="madar/crossing",
    title="drive through a room while people cross who do not yield",
    robot="madar_base",
    scene="empty",
    run=run,
    vary=vary,
    noise=True,
)
