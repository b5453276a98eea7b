"""CRUMB's second experiment: map a hall, save the map, reach a goal in it, then past new boxes.

As in section 4.2 of its paper: the robot maps the hall with its Kinect along a tour (C-41), the map
is saved and loaded again (C-44), the robot localizes itself in it and drives to a goal (C-42), and
back to another one past boxes that are not in the map (C-43). It acts by its camera, wheels and
gyro alone: the frame of the map is where it began, and ground truth serves the score only.
"""

from functools import partial
from math import pi
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from mecano.core.errors import MecanoError
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.estimation.maps.files import load_map, save_map
from mecano.lab.mapping import LiveMapping
from mecano.lab.people import put_box, with_boxes
from mecano.lab.robot import Robot
from mecano.lab.scanners import PICTURES
from mecano.planning.navigation.contract import Costmap
from mecano.planning.navigation.costmap import costmap_of_grid
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.map_lab import begin_mapping, pace_of, slip_strength
from mecano.tasks.navigation_runs import Drive, driving
from mecano.tasks.obstacle_course import places_across
from mecano.tasks.tours import follow_tour, look_around
from mecano.world.assembly import Change
from mecano.world.floor_plan import floor_plan

TOUR = ((0.4, 0.41), (1.9, 0.45), (2.3, 1.5), (4.5, 1.5), (4.5, -0.6), (4.0, -2.5), (2.6, -2.5))
"""Through the door, past the nook, down to the bottom of the hall; in the frame of the map [m]."""
LOOKS = (1, 2, 3, 5, 6)
"""Points of the tour at which it looks around."""
FIRST = ((2.0, 4.8), (1.1, 1.9))
"""The first goal is drawn from these x and y [m]."""
SECOND = ((2.4, 4.4), (-2.8, -2.2))
"""And the second one."""
BOXES = {"box_1": (0.5, 0.5, 0.6), "box_2": (0.4, 0.6, 0.6)}
"""Obstacles that are not in the map: length, width, height [m]."""
NEAR = 0.25
"""A goal is truly reached within this distance: the tolerance and errors of the map [m]."""


def run(robot: Robot, rng: np.random.Generator, *, slip: str) -> Score:
    """Map, save, load, localize and navigate.

    Args:
        robot: Before the door of the hall, at rest.
        rng: Draws goals and obstacles.
        slip: Strength of the slip of the wheels.
    """
    mapping = begin_mapping(robot, strength=slip_strength(slip), start=Pose2())
    began = robot.truth.base_pose()
    with mapping:
        try:
            _drive_tour(robot, mapping)
        except MecanoError as error:
            return Score(success=False, remark=f"mapping: {error}")
    mapping.finish()
    with TemporaryDirectory() as folder:
        mapping.save(folder)
        grid = load_map(Path(folder) / "map.yaml")
    mapped = {"map_time_s": round(robot.time, 2), "map_error_m": round(_map_error(mapping), 4)}
    return _navigate(robot, rng, grid, _last_pose(mapping), began, mapped)


def _drive_tour(robot: Robot, mapping: LiveMapping) -> None:
    pace = pace_of(robot)
    for number in follow_tour(robot, TOUR, lambda: mapping.pose, pace):
        if number in LOOKS:
            look_around(robot, lambda: mapping.pose, pace)


def _last_pose(mapping: LiveMapping) -> Pose2:
    """Return where the finished map has the base: it stands since the last scan."""
    return Pose2(*mapping.mapper.trajectory[-1, 1:].tolist())


def _map_error(mapping: LiveMapping) -> float:
    """Return how far the last pose in the map is from ground truth [m]; for the score."""
    return _last_pose(mapping).distance_to(mapping.truth[-1])


def _navigate(
    robot: Robot,
    rng: np.random.Generator,
    grid: OccupancyGrid,
    here: Pose2,
    began: Pose2,
    mapped: dict[str, float],
) -> Score:
    """Drive to both goals in a map, the second time past boxes."""
    errors: list[float] = []
    with robot.start_localization(grid, start=here) as localization:
        navigation = robot.start_navigation(grid, pose=localization, talk=False)
        plan = floor_plan(robot.world.model, localization.scanner.height)
        with driving(robot, navigation, plan=plan) as drive:
            for number, region in enumerate((FIRST, SECOND)):
                goal = _drawn(rng, region)
                if number == 1:
                    known = costmap_of_grid(grid, drive.walls.footprint)
                    _place_boxes(robot, known, rng, goal)
                result = drive.go_to(goal)
                errors.append(robot.truth.base_pose().distance_to(began @ goal))
                if not result.reached:
                    break
    return _score(drive, errors, mapped, grid)


def _drawn(rng: np.random.Generator, region: tuple[tuple[float, float], ...]) -> Pose2:
    x, y = (float(rng.uniform(*side)) for side in region)
    return Pose2(x, y, float(rng.uniform(-pi, pi)))


def _place_boxes(robot: Robot, known: Costmap, rng: np.random.Generator, goal: Pose2) -> None:
    """Put boxes across the shortest path to a goal, so that others are left in what it knows."""
    places = places_across(known, robot.truth.base_pose(), goal, tuple(BOXES.values()), rng)
    for name, place in zip(BOXES, places, strict=False):
        put_box(robot, name, place)


def _score(
    drive: Drive, errors: list[float], mapped: dict[str, float], grid: OccupancyGrid
) -> Score:
    problems = [each.message for each in drive.results if not each.reached]
    if not problems and max(errors) > NEAR:
        problems.append(f"a goal that seems reached is truly {max(errors):.2f} m away")
    if drive.watch.touches:
        problems.append(f"touched {', '.join(sorted({t.other for t in drive.watch.touches}))}")
    names = ("goal_error_m", "goal_error_boxes_m")
    metrics = mapped | drive.metrics() | {
        name: round(error, 4) for name, error in zip(names, errors, strict=False)
    }  # fmt: skip
    products = drive.products("CRUMB in the map that it made")
    return Score(
        success=not problems, metrics=metrics, remark="; ".join(problems), report=drive.report(),
        products=products | {"map.yaml": partial(_write_map, grid)},
    )  # fmt: skip


def _write_map(grid: OccupancyGrid, path: Path) -> None:
    save_map(grid, path)


def vary(rng: np.random.Generator, seed: int) -> list[Change]:
    """Return the change that keeps the boxes ready."""
    return [with_boxes(BOXES)]


EXPERIMENT = Experiment(
    name="crumb/map-and-navigate",
    title="map the hall, save and load the map, reach a goal in it, then past new obstacles",
    robot="crumb",
    scene="hall",
    run=run,
    vary=vary,
    noise=True,
    settings={"cameras.camera.rate": PICTURES},
    options={"slip": "2.0"},
    hints={"slip": "how much wheels slip: 0 not at all, 2 about 1 % of the distance"},
)
