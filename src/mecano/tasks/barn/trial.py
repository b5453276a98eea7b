"""One run through a BARN world, evaluated by the rules of the challenge.

Unknown map, own LIDAR and odometry; the clock starts after 0.1 m; any contact ends the run; the
goal counts within its radius by ground truth. Trials differ by their seed: noise of LIDAR and
gyro, wheel slip, a small offset of the start.
"""

import time
from dataclasses import dataclass, field
from math import cos, hypot, inf, radians, sin
from typing import Any, Literal

import numpy as np

from mecano import robots
from mecano.core.arrays import Array
from mecano.core.poses import Pose, Pose2
from mecano.core.randomness import RandomStreams
from mecano.lab.robot import Place, Robot, connect_all
from mecano.lab.wheel_slip import SlipFacts, add_slip
from mecano.planning.navigation.contract import VelocityLimits
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.local_planners import local_planner
from mecano.robots.barn_base.description import LENGTH, WIDTH
from mecano.tasks.barn.driver import Driver, DriverSettings
from mecano.tasks.barn.route import ClearanceRoute
from mecano.tasks.barn.worlds import BarnWorld

PERIOD = 0.04
"""Of the control cycle [s]."""
STARTED = 0.1
"""The clock starts when the base has moved this far [m]."""
OFFSET, OFFSET_YAW = 0.02, radians(1.0)
"""Sigma of the start's offset [m, rad]."""
ROBOT = "barn_base"

Outcome = Literal["success", "collision", "timeout"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TrialResult:
    """How one run ended."""

    world: int
    seed: int
    outcome: Outcome
    actual_time: float
    """From the first 0.1 m to the end [s]."""
    optimal_time: float
    """[s]."""
    score: float
    """0 unless it succeeded; best 0.5."""
    distance: float
    """Driven, by ground truth [m]."""
    closest: float
    """Smallest distance between the outline and a cylinder, by ground truth [m]."""
    odometry_error: float
    """At the end, of the position [m]."""
    touched: str = ""
    """What it touched."""
    cycle_ms: float = 0.0
    """Mean computing time of a control cycle [ms]."""
    local_ms: float = 0.0
    """Of that, the local planner [ms]."""
    wall_time: float = 0.0
    """[s]."""
    track: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """Ground truth every 0.1 s: x, y [m], yaw [rad]. Shape (n, 3)."""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values, without the track; times of the machine are left out."""
        return {
            "world": self.world, "seed": self.seed, "outcome": self.outcome,
            "score": round(self.score, 4), "actual_time_s": round(self.actual_time, 3),
            "optimal_time_s": round(self.optimal_time, 3), "distance_m": round(self.distance, 3),
            "closest_m": round(self.closest, 4), "odometry_error_m": round(self.odometry_error, 4),
            "touched": self.touched,
        }  # fmt: skip


def score_of(outcome: Outcome, actual_time: float, optimal_time: float) -> float:
    """Return the score of a run by the rules since 2024: OT / clip(AT, 2 OT, 8 OT)."""
    if outcome != "success":
        return 0.0
    return optimal_time / min(max(actual_time, 2.0 * optimal_time), 8.0 * optimal_time)


class _Contacts:
    """Counts, after every step of the physics, whether the base touches a cylinder."""

    def __init__(self, robot: Robot) -> None:
        self._world = robot.world
        model = self._world.model
        names = [model.geom(g).name for g in range(model.ngeom)]
        self._is_cylinder = np.array([name.startswith("cylinder_") for name in names])
        self._names, self.touched = names, ""
        self._world.after_step.append(self._inspect)

    def _inspect(self) -> None:
        data = self._world.data
        if data.ncon <= 4 or self.touched:  # wheels and skids on the floor
            return
        hits = self._is_cylinder[data.contact.geom[: data.ncon]]
        if hits.any():
            row = int(np.argmax(hits.any(axis=1)))
            pair = data.contact.geom[row]
            self.touched = self._names[int(pair[int(np.argmax(hits[row]))])]


def run_trial(
    world: BarnWorld,
    seed: int,
    *,
    planner: str = "pursuit",
    parameters: dict[str, Any] | None = None,
    settings: DriverSettings | None = None,
) -> TrialResult:
    """Drive once through a world.

    Args:
        world: See there.
        seed: Of noise, slip and start.
        planner: Name of the local planner.
        parameters: Of it, by name; None keeps its defaults for this benchmark.
        settings: Of the driver.
    """
    began = time.perf_counter()
    robot, start = _place(world, seed)
    contacts = _Contacts(robot)
    driver = _driver(robot, world, planner, parameters, settings)
    run = _Run(robot, driver, world, start)
    outcome = run.until_the_end(contacts)
    actual = run.time if run.started_at is None else run.time - run.started_at
    believed = robot.base.pose
    real = start.inverse() @ run.pose
    return TrialResult(
        world=world.number, seed=seed, outcome=outcome, actual_time=actual,
        optimal_time=world.optimal_time, score=score_of(outcome, actual, world.optimal_time),
        distance=run.distance, closest=run.closest,
        odometry_error=hypot(believed.x - real.x, believed.y - real.y),
        touched=contacts.touched, cycle_ms=1e3 * run.spent / max(run.cycles, 1),
        local_ms=1e3 * driver.local_time / max(run.cycles, 1),
        wall_time=time.perf_counter() - began, track=np.array(run.track).reshape(-1, 3),
    )  # fmt: skip


def _place(world: BarnWorld, seed: int) -> tuple[Robot, Pose2]:
    """Return the robot at the start, a little beside it, and where that is."""
    rng = RandomStreams(seed).get(f"barn start {world.number}")
    dx, dy, turn = rng.standard_normal(3) * (OFFSET, OFFSET, OFFSET_YAW)
    start = Pose2(world.start.x + dx, world.start.y + dy, world.start.yaw + turn)
    pose = Pose.from_xyz_rpy([start.x, start.y, 0.0], [0.0, 0.0, start.yaw])
    robot = connect_all(
        {ROBOT: Place(robots.get(ROBOT), pose)}, scene="empty", noise=True,
        seed=1000 * seed + world.number, changes=[world.as_change()],
    )[ROBOT]  # fmt: skip
    add_slip(robot, SlipFacts())
    return robot, start


def base_limits() -> VelocityLimits:
    """Return what the base may be commanded."""
    base = robots.get(ROBOT).base
    assert base is not None
    limits = base.limits
    return VelocityLimits(
        max_vel_x=limits.speed, min_vel_x=-0.5, max_vel_theta=limits.turn,
        acc_lim_x=limits.acceleration, decel_lim_x=limits.braking,
        acc_lim_theta=limits.turn_acceleration,
    )  # fmt: skip


def _driver(
    robot: Robot, world: BarnWorld, planner: str, parameters: dict[str, Any] | None,
    settings: DriverSettings | None,
) -> Driver:  # fmt: skip
    nominal = world.start.inverse() @ Pose2(*world.goal, world.start.yaw)
    return Driver(
        nominal, Footprint.rectangle(LENGTH, WIDTH), ClearanceRoute(),
        local_planner(planner, base_limits(), parameters), period=PERIOD, settings=settings,
    )  # fmt: skip


class _Run:
    """The loop of one run, and what is measured on the way."""

    def __init__(self, robot: Robot, driver: Driver, world: BarnWorld, start: Pose2) -> None:
        self.robot, self.driver, self.world, self.start = robot, driver, world, start
        self.pose, self.time, self.distance, self.closest = start, 0.0, 0.0, inf
        self.started_at: float | None = None
        self.cycles, self.spent = 0, 0.0
        self.track: list[tuple[float, float, float]] = []
        self._lidar = robot.lidars["lidar"]
        self._ticks = max(1, round(PERIOD / robot.session.backend.tick))

    def until_the_end(self, contacts: _Contacts) -> Outcome:
        """Drive until the goal, a contact or the time-out."""
        world, tick = self.world, self.robot.session.tick
        while True:
            self._control()
            for _ in range(self._ticks):
                tick()
                if contacts.touched:
                    self._measure()
                    return "collision"
            self._measure()
            if hypot(self.pose.x - world.goal[0], self.pose.y - world.goal[1]) < world.goal_radius:
                return "success"
            started = self.started_at
            if self.time - (0.0 if started is None else started) > world.timeout:
                return "timeout"

    def _control(self) -> None:
        began = time.perf_counter()
        robot = self.robot
        base, scan = robot.base, self._lidar.read()
        at = base.pose
        sensor = Pose.from_xyz_rpy([at.x, at.y, 0.0], [0.0, 0.0, at.yaw]) @ self._lidar.pose
        # The readings are one tick old when the command begins to act.
        ahead = robot.session.backend.time - base.stamp
        vx, vy, w = base.speed
        pose = at @ Pose2.exp([vx * ahead, vy * ahead, w * ahead])
        command = self.driver.step(self.time, scan, sensor, pose, base.speed)
        self.spent += time.perf_counter() - began
        self.cycles += 1
        base.drive(command.twist[0], command.twist[2])

    def _measure(self) -> None:
        before, self.pose = self.pose, self.robot.truth.base_pose()
        self.time = self.robot.session.backend.time
        self.distance += hypot(self.pose.x - before.x, self.pose.y - before.y)
        if self.started_at is None and self.distance > STARTED:
            gone = hypot(self.pose.x - self.start.x, self.pose.y - self.start.y)
            self.started_at = self.time if gone > STARTED else None
        self.closest = min(self.closest, self._room())
        if not self.track or self.time - 0.1 * len(self.track) >= 0.0:
            self.track.append((self.pose.x, self.pose.y, self.pose.yaw))

    def _room(self) -> float:
        """Return the distance from the outline to the nearest cylinder, by ground truth [m]."""
        c, s = cos(self.pose.yaw), sin(self.pose.yaw)
        x, y = (self.world.obstacles - (self.pose.x, self.pose.y)).T
        along, across = np.abs(c * x + s * y), np.abs(c * y - s * x)
        beyond = np.hypot(
            np.maximum(along - 0.5 * LENGTH, 0.0), np.maximum(across - 0.5 * WIDTH, 0.0)
        )
        return float(beyond.min()) - self.world.obstacle_radius
