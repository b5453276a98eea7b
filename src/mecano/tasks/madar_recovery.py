"""MADAR before a blocked corridor: the four recoveries in order, then it gives up and says why.

A box stands across the corridor that is free in the map. In the first part it stays: the navigator
must run its four recovery behaviours in the paper's order and abort. In the second it is taken
away in time: the base must go on to its goal.
"""

import numpy as np

from mecano.core.poses import Pose2
from mecano.lab.people import put_box, with_boxes
from mecano.lab.robot import Robot
from mecano.lab.wheel_slip import SlipFacts, add_slip
from mecano.skills.navigation.recoveries import ORDER
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.navigation_runs import driving
from mecano.world.assembly import Change
from mecano.world.floor_plan import floor_plan

BOX = "box"
GOAL = Pose2(8.5, 0.0, 0.0)
AWAY = Pose2(-40.0, -40.0, 0.0)
OPENED = (7.0, 20.0)
"""The corridor is opened this long after the goal was given [s]."""


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Try it with the box, then with a box that is taken away.

    Args:
        robot: At the mount of the corridor.
        rng: Draws where the box stands and when it is taken away.
    """
    robot.wait(0.3)
    add_slip(robot, SlipFacts())
    here = robot.truth.base_pose()
    robot.base.reset_odometry(here)
    grid = floor_plan(robot.world.model, next(iter(robot.lidars.values())).pose.position[2])
    put_box(robot, BOX, Pose2(float(rng.uniform(4.2, 5.5)), float(rng.uniform(-0.1, 0.1)), 0.0))
    localization = robot.start_localization(grid, start=here)
    with localization:
        navigation = robot.start_navigation(grid, pose=localization, talk=False)
        with driving(robot, navigation, plan=grid) as drive:
            blocked = drive.go_to(GOAL)
            handle = drive.begin(GOAL)
            robot.wait(float(rng.uniform(*OPENED)))
            put_box(robot, BOX, AWAY)
            opened = drive.end(handle)
    in_order = blocked.recoveries == tuple(map(str, ORDER))
    problems = []
    if blocked.outcome != "aborted" or not in_order:
        problems.append(f"blocked: {blocked.outcome} after {', '.join(blocked.recoveries)}")
    if not opened.reached:
        problems.append(f"opened: {opened.message}")
    metrics = drive.metrics() | {
        "recoveries_in_order": in_order,
        "aborted_after_s": round(blocked.duration, 2),
        "reached_after_opening": opened.reached,
        "gap_m": round(blocked.gap[2], 3) if blocked.gap else -1.0,
    }
    if metrics["contacts"]:
        problems.append(f"{metrics['contacts']} contacts")
    title = "MADAR before a blocked corridor"
    return Score(
        success=not problems, metrics=metrics, remark="; ".join(problems), report=drive.report(),
        products=drive.products(title),
    )  # fmt: skip


def vary(rng: np.random.Generator, seed: int) -> list[Change]:
    """Return the change that keeps the box ready."""
    return [with_boxes({BOX: (0.4, 1.0, 0.8)})]


EXPERIMENT = Experiment(
    name="madar/recovery",
    title="a blocked corridor: four recoveries in order, then abort; opened in time: proceed",
    robot="madar_base",
    scene="corridor",
    run=run,
    vary=vary,
    noise=True,
)
