"""What it costs to plan around obstacles: questions, paths, times; beside OMPL where it is there.

Arms stand among boxes at random places and go from random free postures to others. OMPL's
RRT-Connect gets the same queries, the same function and the same scaled joints, and its own
simplification. It steps by the root of the sum of squares, ours by the sum: its step is set so
that both look equally often at a way on which all joints move alike.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import mujoco
import numpy as np

from mecano import robots
from mecano.core.arrays import Array
from mecano.core.results import BenchRow
from mecano.planning.free_motion import FreeMotion, plan_free_motion
from mecano.planning.path_timing import time_free_path
from mecano.planning.trajectories import Bounds
from mecano.robots.description import RobotDescription
from mecano.world import Placement, World, assemble
from mecano.world.clearance import Clearance
from mecano.world.robot_model import RobotModel
from peers import named
from timing import compare

BOXES = 14
QUERIES = 50
MARGIN = 0.005
"""Distance to keep [m]."""
RESOLUTION = 2.0 * MARGIN
"""With this step a path is free between the postures looked at as well [m]."""
BOUNDS = Bounds(velocity=1.5, acceleration=6.0, jerk=60.0)


@dataclass(frozen=True, eq=False)
class Maze:
    """An arm among boxes, and where it shall go."""

    robot: RobotDescription
    model: mujoco.MjModel
    clearance: Clearance
    lower: Array
    upper: Array
    queries: list[tuple[Array, Array]]

    def plan(self, number: int) -> FreeMotion:
        """Plan one of the queries."""
        c = self.clearance
        return plan_free_motion(*self.queries[number], self.lower, self.upper, c.is_free,
                                seed=number, resolution=RESOLUTION, weights=c.levers)  # fmt: skip


@cache
def maze(robot: str, centre: tuple[float, float, float], reach: float) -> Maze:
    """Return a robot's arm among boxes within its reach [m], around a centre in the world [m]."""
    rng = np.random.default_rng(3)

    def add_boxes(spec: mujoco.MjSpec) -> None:
        for _ in range(BOXES):
            aside = rng.normal(size=3)
            aside *= rng.uniform(0.4, 1.0) * reach / np.linalg.norm(aside)
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX,
                pos=np.array(centre) + aside * [1.0, 1.0, np.sign(aside[2])],
                size=reach * rng.uniform(0.04, 0.1, 3),
            )

    description = robots.get(robot)
    placement = Placement(robot=description, prefix="arm/")
    world = World(assemble([placement], scene="empty", changes=[add_boxes]))
    clearance = Clearance.of_robot(world.model, description, prefix="arm/", margin=MARGIN)
    clearance.look_at(world.data)
    lower, upper = clearance.lower, clearance.upper
    free = [q for q in rng.uniform(lower, upper, (2000, len(lower))) if clearance.is_free(q)]
    queries = [(free[2 * i], free[2 * i + 1]) for i in range(QUERIES)]
    return Maze(description, world.model, clearance, lower, upper, queries)


def small_maze() -> Maze:
    """Return the OpenManipulator-X among boxes."""
    return maze("open_manipulator_x", (0.0, 0.0, 0.1), 0.4)


def large_maze() -> Maze:
    """Return the youBot's arm among boxes."""
    return maze("youbot", (0.14, 0.0, 0.25), 0.6)


def clearance_omx() -> BenchRow:
    """One posture of the OpenManipulator-X among boxes, free or not."""
    return _questions("clearance_omx", small_maze())


def clearance_youbot() -> BenchRow:
    """One posture of the youBot's arm among boxes, free or not."""
    return _questions("clearance_youbot", large_maze())


def free_motion_omx() -> BenchRow:
    """A path for the OpenManipulator-X, the median of 50 queries."""
    return _paths("free_motion_omx", small_maze(), 50)


def free_motion_omx_95() -> BenchRow:
    """The same, the 95th percentile."""
    return _paths("free_motion_omx_95", small_maze(), 95)


def free_motion_youbot() -> BenchRow:
    """A path for the youBot's arm, the median of 50 queries."""
    return _paths("free_motion_youbot", large_maze(), 50)


def free_motion_youbot_95() -> BenchRow:
    """The same, the 95th percentile."""
    return _paths("free_motion_youbot_95", large_maze(), 95)


def path_timing_youbot() -> BenchRow:
    """Times of a found path, looked at again throughout: the median of those with corners."""
    each = []
    place = large_maze()
    for i in range(QUERIES):
        path = place.plan(i).path
        if path is not None and len(path) > 2:
            time_free_path(path, BOUNDS, _everything, resolution=1.0)  # compiled before the clock
            began = time.perf_counter()
            time_free_path(path, BOUNDS, place.clearance.is_free,
                           resolution=RESOLUTION, weights=place.clearance.levers)  # fmt: skip
            each.append(time.perf_counter() - began)
    return BenchRow(name="path_timing_youbot", value=1e3 * float(np.median(each)), unit="ms")


ROWS = (
    clearance_omx,
    clearance_youbot,
    free_motion_omx,
    free_motion_omx_95,
    free_motion_youbot,
    free_motion_youbot_95,
    path_timing_youbot,
)


def _everything(rows: Array) -> bool:
    return True


def _questions(name: str, place: Maze) -> BenchRow:
    """Ours beside the model that motions are foreseen with, on the same postures."""
    ours = place.clearance
    rng = np.random.default_rng(5)
    postures = rng.uniform(place.lower, place.upper, (200, len(place.lower)))
    peer = RobotModel(place.model, place.robot, prefix="arm/")
    peer.data.qpos[:] = ours.data.qpos
    mine, theirs = compare(
        lambda: ours.free(postures), lambda: [peer.collision(q) for q in postures], rounds=15
    )
    assert theirs is not None
    scale = 1e6 / len(postures)
    return BenchRow(name=name, value=scale * mine, unit="us", peer="RobotModel.collision",
                    peer_value=scale * theirs, bar="ratio >= 1")  # fmt: skip


@cache
def _seconds(place: Maze) -> tuple[Array, Array | None]:
    """Return what each query takes us and OMPL [s]; a query that fails takes forever."""
    ours, theirs = [], []
    other = ompl(place)
    for i in range(QUERIES):
        motion = place.plan(i)
        ours.append(motion.seconds if motion.found else np.inf)
        if other is not None:
            theirs.append(other(i))
    return np.array(ours), np.array(theirs) if theirs else None


def _paths(name: str, place: Maze, percentile: float) -> BenchRow:
    ours, theirs = _seconds(place)
    return BenchRow(
        name=name,
        value=1e3 * float(np.percentile(ours, percentile, method="lower")),
        unit="ms",
        peer=named("OMPL", "ompl", " RRT-Connect"),
        peer_value=None
        if theirs is None
        else 1e3 * float(np.percentile(theirs, percentile, method="lower")),
        bar="ratio >= 1" if percentile == 50 else None,
    )


def ompl(place: Maze) -> Callable[[int], float] | None:
    """Return a function that plans a query with OMPL and returns the time [s]."""
    try:
        from ompl import base, geometric, util
    except ImportError:
        return None
    util.setLogLevel(util.LOG_NONE)
    weights, n = place.clearance.levers, len(place.lower)

    def plan(number: int) -> float:
        space: Any = base.RealVectorStateSpace(n)
        limits = base.RealVectorBounds(n)
        for i in range(n):
            limits.setLow(i, float(place.lower[i] * weights[i]))
            limits.setHigh(i, float(place.upper[i] * weights[i]))
        space.setBounds(limits)
        setup = geometric.SimpleSetup(space)
        setup.setStateValidityChecker(
            lambda state: place.clearance.is_free(np.array([state[i] for i in range(n)]) / weights)
        )
        information = setup.getSpaceInformation()
        information.setStateValidityCheckingResolution(
            RESOLUTION / np.sqrt(n) / space.getMaximumExtent()
        )
        ends = []
        for q in place.queries[number]:
            state = space.allocState()
            for i in range(n):
                state[i] = float(q[i] * weights[i])
            ends.append(state)
        setup.setStartAndGoalStates(*ends)
        setup.setPlanner(geometric.RRTConnect(information))
        began = time.perf_counter()
        solved = setup.solve(30.0) and setup.haveExactSolutionPath()
        if solved:
            setup.simplifySolution()
        return time.perf_counter() - began if solved else np.inf

    return plan
