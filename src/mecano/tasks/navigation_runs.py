"""What the experiments of navigation share: a robot that drives by a map, watched and measured."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import cos, inf, sin
from pathlib import Path

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.lab.navigating import GoalHandle, LiveNavigation, NavigationResult
from mecano.lab.people import People
from mecano.lab.robot import Robot
from mecano.planning.navigation.contract import Costmap
from mecano.planning.navigation.costmap import costmap_of_grid
from mecano.planning.navigation.lattice import LatticeSettings
from mecano.planning.navigation.planner import GridPlanner, PlannerSettings
from mecano.tasks.contact_watch import ContactWatch
from mecano.tasks.experiment import Metric, Product
from mecano.world.assembly import Change
from mecano.world.floor_plan import floor_plan

EVERY = 0.1
"""Time between two samples of the poses [s]."""
BY_HAND = (0.05, 0.05, 0.05)
"""Errors of a start pose that a person gives: x, y [m], heading [rad], one sigma (EST)."""


def set_down(body: str, rng: np.random.Generator, within: tuple[float, float, float]) -> Change:
    """Return the change of a scene that sets a robot down beside its mount, at random.

    Args:
        body: Of the robot, with its prefix.
        rng: Draws the place.
        within: How far at most: x, y [m], heading [rad].
    """
    x, y, yaw = rng.uniform(-1.0, 1.0, 3) * within

    def change(spec: mujoco.MjSpec) -> None:
        robot = spec.body(body)
        robot.pos, robot.quat = [x, y, 0.0], [cos(0.5 * yaw), 0.0, 0.0, sin(0.5 * yaw)]

    return change


def pose_by_hand(true: Pose2, rng: np.random.Generator) -> Pose2:
    """Return a pose as somebody tells it who points at it in a map: not exactly."""
    return true @ Pose2(*(rng.standard_normal(3) * BY_HAND).tolist())


@dataclass(eq=False)
class Drive:
    """One navigated drive: results of its goals, poses on the way, contacts."""

    navigation: LiveNavigation
    watch: ContactWatch
    walls: Costmap
    """Of the true map, for the footprint of the robot."""
    outline: Array
    """Points on the outline of the robot, in the frame of its base [m]. Shape (n, 2)."""
    rows: list[tuple[float, ...]] = field(default_factory=list)
    """Time [s], then x, y, yaw of ground truth, of the estimate and of odometry [m, rad]."""
    results: list[NavigationResult] = field(default_factory=list)
    optimal: float = 0.0
    """Shortest paths to all goals that were reached, added up [m]."""
    driven_to_goals: float = 0.0
    """What was really driven to these [m]."""
    _shortest: float = 0.0
    _from: float = 0.0

    def go_to(self, goal: Pose2 | str) -> NavigationResult:
        """Drive to a goal."""
        return self.end(self.begin(goal))

    def begin(self, goal: Pose2 | str) -> GoalHandle:
        """Begin to drive to a goal; `end` must follow."""
        nav = self.navigation
        pose = nav.stations[goal] if isinstance(goal, str) else goal
        here = nav.robot.truth.base_pose()
        moves = LatticeSettings(holonomic="strafe" not in nav.robot.base.facts.layout.missing)
        planner = GridPlanner(PlannerSettings(cost_weight=0.0, lattice=moves))
        plan = planner.plan(self.walls, here, pose)
        self._shortest, self._from = plan.length, self.driven
        return nav.go_to(goal, wait=False)

    def end(self, handle: GoalHandle) -> NavigationResult:
        """Wait for the end of a goal, and count it."""
        result = handle.wait()
        self.results.append(result)
        if result.reached:
            self.optimal += self._shortest
            self.driven_to_goals += self.driven - self._from
        return result

    @property
    def driven(self) -> float:
        """How far the base really went [m]."""
        poses = self.poses(1)
        return float(np.hypot(*np.diff(poses[:, :2], axis=0).T).sum()) if len(poses) > 1 else 0.0

    def poses(self, column: int) -> Array:
        """Return x, y, yaw from a column of `rows` on. Shape (n, 3)."""
        return np.array(self.rows).reshape(-1, 10)[:, column : column + 3]

    def errors(self, column: int) -> Array:
        """Return how far poses are from ground truth [m]. Shape (n,)."""
        off = self.poses(column) - self.poses(1)
        return np.hypot(off[:, 0], off[:, 1])

    def metrics(self) -> dict[str, Metric]:
        """Return the figures that all experiments of navigation have."""
        touches, moving = self.watch.touches, self.watch.moving
        estimate, odometry = self.errors(4), self.errors(7)
        return {
            "goals_reached": sum(each.reached for each in self.results),
            "goals": len(self.results),
            "time_s": round(sum(each.duration for each in self.results), 2),
            "path_m": round(self.driven, 3),
            "path_over_optimal": self._path_over_optimal(),
            "closest_m": round(self._closest(), 3),
            "contacts": len(touches),
            "contacts_moving": len(moving),
            "pose_error_max_m": round(float(estimate.max()), 4),
            "odometry_error_max_m": round(float(odometry.max()), 4),
            "odometry_error_end_m": round(float(odometry[-1]), 4),
        }

    def _path_over_optimal(self) -> float:
        """Return driven over shortest paths of the goals that were reached; -1 without one."""
        return round(self.driven_to_goals / self.optimal, 4) if self.optimal else -1.0

    def _closest(self) -> float:
        """Return the smallest distance of the outline from walls of the true map [m]."""
        walls = self.walls
        points = np.vstack([self.outline @ _turned(yaw) + (x, y) for x, y, yaw in self.poses(1)])
        cells = np.floor((points - walls.origin) / walls.resolution).astype(int)
        rows, columns = np.clip(cells[:, ::-1], 0, np.array(walls.distance.shape) - 1).T
        return float(walls.distance[rows, columns].min())

    def report(self) -> str:
        """Return what the navigator said, and how the goals ended."""
        lines = [f"[{e.time:7.2f} s] {e.text}" for e in self.navigation.events]
        return "\n".join([*lines, *(each.message for each in self.results)])

    def products(self, title: str) -> dict[str, Product]:
        """Return the files of a run."""
        return {
            "navigation.txt": self._write_report,
            "navigation.png": lambda path: draw(self, title, path),
        }

    def _write_report(self, path: Path) -> None:
        path.write_text(self.report() + "\n", encoding="utf-8")


def outline_points(corners: Array, apart: float = 0.02) -> Array:
    """Return points on the sides of a polygon, at most so far apart [m]. Shape (n, 2)."""
    sides = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    return np.vstack(
        [np.linspace(a, b, 2 + int(np.hypot(*(b - a)) / apart), endpoint=False) for a, b in sides]
    )


def _turned(yaw: float) -> Array:
    """Return the matrix that turns rows of points by an angle [rad]."""
    return np.array([[cos(yaw), sin(yaw)], [-sin(yaw), cos(yaw)]])


@contextmanager
def driving(
    robot: Robot,
    navigation: LiveNavigation,
    *,
    people: People | None = None,
    plan: OccupancyGrid | None = None,
) -> Iterator[Drive]:
    """Navigate inside the block, watched by the physics.

    Args:
        robot: Simulated.
        navigation: Not yet begun.
        people: Those who walk around.
        plan: The true map; None cuts it out of the scene.
    """
    footprint = navigation.navigator.surroundings.footprint
    height = 0.1 if navigation.scanner is None else navigation.scanner.height
    walls = costmap_of_grid(plan or floor_plan(robot.world.model, height), footprint)
    start, odometry = robot.truth.base_pose(), robot.base.pose
    T_map_odom, last = start @ odometry.inverse(), -inf

    def sample(session: object) -> None:
        nonlocal last
        if robot.time - last < EVERY - 1e-9:
            return
        last = robot.time
        poses = (
            robot.truth.base_pose(), navigation.source.estimate().pose,
            T_map_odom @ robot.base.pose,
        )  # fmt: skip
        drive.rows.append((last, *(v for p in poses for v in (p.x, p.y, p.yaw))))

    watch = ContactWatch(robot, people)
    drive = Drive(navigation, watch, walls, outline_points(robot.footprint()))
    with navigation, watch:
        robot.session.observers.append(sample)
        try:
            yield drive
        finally:
            robot.session.observers.remove(sample)


def draw(drive: Drive, title: str, path: Path) -> None:
    """Draw the driven path over the map, and the errors of odometry beside those of the estimate.

    The right picture is the paper's figure I.1 (M-70): what odometry alone makes of the drive.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    walls = drive.walls
    height, width = walls.cost.shape
    x, y = walls.origin
    size = (x, x + width * walls.resolution, y, y + height * walls.resolution)
    left.imshow(walls.cost >= 254, origin="lower", extent=size, cmap="Greys")
    for column, name in ((7, "odometry alone"), (4, drive.navigation.source.name), (1, "truth")):
        poses = drive.poses(column)
        left.plot(poses[:, 0], poses[:, 1], label=name, linewidth=1.2)
    left.set(title=title, xlabel="x [m]", ylabel="y [m]", aspect="equal")
    left.legend()
    times = np.array(drive.rows)[:, 0]
    right.plot(times, 1000 * drive.errors(7), label="odometry alone")
    right.plot(times, 1000 * drive.errors(4), label=drive.navigation.source.name)
    right.set(title="position error", xlabel="time [s]", ylabel="error [mm]")
    right.legend()
    figure.savefig(path, dpi=120)
