"""MADAR drives between stations of its laboratory while a person crosses its path (M-47, M-69).

The map is the plan of the laboratory at the height of the LIDARs; the pose comes from odometry of
wheels that slip, corrected by localization. The person walks straight through the room at 1.2 m/s,
does not look and does not yield; the base, which drives 0.27 m/s, must leave the path of the person
in time. The person comes from 3.5 m away: who steps in front of such a base from beside it runs
into it, whatever it does.
"""

import numpy as np

from mecano.core.poses import Pose2
from mecano.lab.people import Walk, add_walks, with_people
from mecano.lab.robot import Robot
from mecano.lab.wheel_slip import SlipFacts, add_slip
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.navigation_runs import driving
from mecano.world.assembly import Change
from mecano.world.floor_plan import floor_plan

STATIONS = {
    "dock": Pose2(1.95, 7.86, 0.0),
    "chess table": Pose2(3.27, 5.40, np.pi / 2),  # the sheet's motion query
    "desks": Pose2(2.5, 3.0, -2.0),
    "shelf": Pose2(1.6, 8.5, 0.0),
}
TOUR = ("desks", "chess table", "shelf", "dock")
BEGINS = ((1.2, 2.8), 3.9)
"""The person comes from here: x from and to, y [m]."""
ENDS = ((2.9, 3.2), 8.9)
"""And walks to here, across the path to the desks [m]."""
SETS_OUT = (0.5, 2.5)
"""When [s]."""
NEAR = 0.5
"""A crossing that comes nearer than this counts as close [m], by the task."""


def run(robot: Robot, rng: np.random.Generator, *, tour: str, parameters: str) -> Score:
    """Drive the tour.

    Args:
        robot: At the mount of the laboratory.
        rng: Draws when and where the person crosses.
        tour: Names of stations, separated by commas.
        parameters: YAML file of move_base or Nav2; empty takes ours.
    """
    robot.wait(0.3)
    add_slip(robot, SlipFacts())
    people = add_walks(robot, [_crossing(robot, rng)])
    here = robot.truth.base_pose()
    robot.base.reset_odometry(here)
    grid = floor_plan(robot.world.model, next(iter(robot.lidars.values())).pose.position[2])
    names = [name.strip() for name in tour.split(",")]
    with robot.start_localization(grid, start=here) as localization:
        navigation = robot.start_navigation(
            grid, pose=localization, stations=STATIONS, parameters=parameters or None, talk=False
        )
        with driving(robot, navigation, people=people, plan=grid) as drive:
            for name in names:
                if not drive.go_to(name).reached:
                    break
    metrics = drive.metrics() | {
        "person_gap_m": round(drive.watch.person_gap, 3),
        "crossing_close": drive.watch.person_gap < NEAR,
    }
    if drive.watch.touches:
        metrics["contact_with"] = ", ".join(sorted({t.other for t in drive.watch.touches}))
    problems = [each.message for each in drive.results if not each.reached]
    if drive.watch.touches:
        touch = drive.watch.touches[0]
        problems.append(f"touched {touch.other} at {touch.speed:.2f} m/s")
    return Score(
        success=not problems, metrics=metrics, remark="; ".join(problems), report=drive.report(),
        products=drive.products("MADAR between stations"),
    )  # fmt: skip


def _crossing(robot: Robot, rng: np.random.Generator) -> Walk:
    """Return a walk through the room, across the path of the base."""
    x, y = robot.world.body_pose("person_1").position[:2].tolist()
    end = float(rng.uniform(*ENDS[0])), ENDS[1]
    return Walk(points=((x, y), end), begins=robot.time + float(rng.uniform(*SETS_OUT)))


def vary(rng: np.random.Generator, seed: int) -> list[Change]:
    """Return the change that puts a person at the other end of the room."""
    return [with_people([(float(rng.uniform(*BEGINS[0])), BEGINS[1])])]


EXPERIMENT = Experiment(
    name="madar/navigate",
    title="drive between stations of the laboratory while a person crosses",
    robot="madar_base",
    scene="laboratory",
    run=run,
    vary=vary,
    noise=True,
    options={"tour": ",".join(TOUR), "parameters": ""},
    hints={
        "tour": "stations in the order of the drive: " + ", ".join(STATIONS),
        "parameters": "YAML file of move_base or Nav2; empty takes ours",
    },
)
