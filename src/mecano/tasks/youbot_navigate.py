"""The youBot goes to a shelf in a gap in which it cannot turn: it must strafe.

The gap between two shelves is 0.65 m wide; the robot is 0.57 m long and 0.66 m from corner to
corner. Its first goal is in the gap, facing one of the shelves, the second behind it, the third
where it began. So it must turn before the gap and go sideways all through it; a base that cannot
strafe finds no route. The map is the plan of the scene; the pose comes from odometry of wheels that
slip, corrected by localization with a laser scanner.
"""

from math import pi

import numpy as np

from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.lab.wheel_slip import SlipFacts, add_slip
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.navigation_runs import Drive, driving, pose_by_hand, set_down
from mecano.world.assembly import Change
from mecano.world.floor_plan import floor_plan

ROBOT = "youbot_laser"
CELL = 0.025
"""Side of the map's cells: those of 0.05 m would close the gap [m]."""
GAP = (2.5, 3.7)
"""x of the inner part of the gap, from and to [m]."""
SHELF = (2.8, 3.4)
"""The goal in the gap is drawn from these x [m]."""
BEHIND = ((4.7, 5.5), (-0.4, 0.4))
"""The goal behind it is drawn from these x and y [m]."""
STRAFED = 0.9
"""This share of the path through the gap must be sideways."""


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Drive to the shelf, through the gap and back.

    Args:
        robot: In the first room.
        rng: Draws the goals, and how well the start is known.
    """
    robot.wait(0.5)
    add_slip(robot, SlipFacts())
    begin = robot.truth.base_pose()
    here = pose_by_hand(begin, rng)
    robot.base.reset_odometry(here)
    height = next(iter(robot.lidars.values())).pose.position[2]
    grid = floor_plan(robot.world.model, height, resolution=CELL)
    with robot.start_localization(grid, start=here) as localization:
        navigation = robot.start_navigation(grid, pose=localization, talk=False)
        with driving(robot, navigation, plan=grid) as drive:
            share = _through_the_gap(drive, rng) and sideways_share(drive)
            if share:
                drive.go_to(here)
    problems = [each.message for each in drive.results if not each.reached]
    if drive.watch.touches:
        problems.append(f"touched {', '.join(sorted({t.other for t in drive.watch.touches}))}")
    if not problems and share < STRAFED:
        problems.append(f"only {100 * share:.0f} % of the path through the gap was sideways")
    return Score(
        success=not problems, metrics=drive.metrics() | {"gap_sideways_share": round(share, 3)},
        remark="; ".join(problems), report=drive.report(),
        products=drive.products("youBot through a gap too narrow to turn in"),
    )  # fmt: skip


def _through_the_gap(drive: Drive, rng: np.random.Generator) -> bool:
    """Go to the shelf, then behind the gap; tell whether both were reached."""
    facing = 0.5 * pi * (1 if rng.random() < 0.5 else -1)
    shelf = Pose2(float(rng.uniform(*SHELF)), 0.0, facing)
    x, y = (float(rng.uniform(*side)) for side in BEHIND)
    behind = Pose2(x, y, float(rng.uniform(-pi, pi)))
    return drive.go_to(shelf).reached and drive.go_to(behind).reached


def sideways_share(drive: Drive) -> float:
    """Return how much of the true path within the gap was sideways; 0 if it was never there."""
    poses = drive.poses(1)
    steps, yaw = np.diff(poses[:, :2], axis=0), poses[:-1, 2]
    middles = 0.5 * (poses[1:, :2] + poses[:-1, :2])
    inside = (middles[:, 0] > GAP[0]) & (middles[:, 0] < GAP[1])
    along = np.abs(steps[:, 0] * np.cos(yaw) + steps[:, 1] * np.sin(yaw))[inside].sum()
    aside = np.abs(steps[:, 1] * np.cos(yaw) - steps[:, 0] * np.sin(yaw))[inside].sum()
    return float(aside / (along + aside)) if inside.any() else 0.0


def vary(rng: np.random.Generator, seed: int) -> list[Change]:
    """Return the change that sets the robot down somewhere in the first room, at any heading."""
    return [set_down(f"{ROBOT}/base_footprint", rng, (0.5, 0.5, pi))]


EXPERIMENT = Experiment(
    name="youbot/navigate",
    title="to a shelf in a gap too narrow to turn in, sideways through it, and back",
    robot=ROBOT,
    scene="gap",
    run=run,
    vary=vary,
    noise=True,
)
