"""MADAR drives a figure of eight twice: motors told rates, and motors told the torque beforehand.

The paper's control node is kinematic and recommends a dynamic one (section 4.2). Both follow the
same moving target with the same feedback from odometry; they differ in who finds the torque.
"""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.robots.madar.description import BASE
from mecano.tasks.experiment import Experiment, Metric, Score, text_product

HALF_LENGTH, HALF_WIDTH = 0.8, 0.4
"""Of the eight [m]."""
RAMP = 2.0
"""Time to come to full speed, and to rest [s]."""
POINTS = 4001
"""Of the table by which the eight is driven at an even speed."""


class Eight:
    """A figure of eight as a target, from rest to rest: at an even speed, with a fixed heading."""

    def __init__(self, speed: float) -> None:
        """Lay it out for a speed [m/s]."""
        self.speed = speed
        self._angles = np.linspace(0.0, math.tau, POINTS)
        x, y = HALF_LENGTH * np.sin(self._angles), HALF_WIDTH * np.sin(2.0 * self._angles)
        self._ways = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
        self.length = float(self._ways[-1])
        if self.length < speed * RAMP:
            raise InvalidInput(f"{speed:g} m/s is too fast for an eight of {self.length:.1f} m")
        self.duration = self.length / speed + RAMP

    def _way(self, time: float) -> tuple[float, float]:
        """Return how far it is at a time [m], and how fast [m/s]."""
        left = self.duration - time
        if time <= RAMP:
            return self._risen(time)
        if left <= RAMP:
            way, speed = self._risen(max(0.0, left))
            return self.length - way, speed
        return self.speed * (time - 0.5 * RAMP), self.speed

    def _risen(self, time: float) -> tuple[float, float]:
        """Return the same while it comes to full speed, without a jerk."""
        turn = math.tau * time / RAMP
        way = time**2 / (2.0 * RAMP) - RAMP * (1.0 - math.cos(turn)) / math.tau**2
        return self.speed * way, self.speed * (time / RAMP - math.sin(turn) / math.tau)

    def __call__(self, time: float) -> tuple[Pose2, tuple[float, float, float]]:
        """Return where to be at a time [s], and how that moves."""
        way, speed = self._way(time)
        angle = float(np.interp(way, self._ways, self._angles))
        x, y = HALF_LENGTH * math.sin(angle), HALF_WIDTH * math.sin(2.0 * angle)
        dx, dy = HALF_LENGTH * math.cos(angle), 2.0 * HALF_WIDTH * math.cos(2.0 * angle)
        size = math.hypot(dx, dy)
        return Pose2(x, y, 0.0), (speed * dx / size, speed * dy / size, 0.0)


@dataclass(frozen=True, eq=False)
class Driven:
    """One time round."""

    controller: str
    wanted: Array
    """x, y [m] and yaw [rad], one row per tick. Shape (n, 3)."""
    true: Array
    aimed: Array
    """Where to be at the time of the last odometry."""
    believed: Array
    """That odometry."""
    tick: float
    """From row to row [s]."""

    @property
    def distances(self) -> Array:
        """How far the base is from where it should be [m]. Shape (n,)."""
        return np.hypot(*(self.true - self.wanted)[:, :2].T)

    @property
    def off(self) -> tuple[float, float]:
        """Root mean square and most, in truth [m]."""
        return _rms_and_most(self.distances)

    @property
    def believed_off(self) -> tuple[float, float]:
        """The same by odometry, which is all that the controller knows [m]."""
        return _rms_and_most(np.hypot(*(self.believed - self.aimed)[:, :2].T))

    @property
    def turned(self) -> tuple[float, float]:
        """The same for the heading, in truth [rad]."""
        return _rms_and_most(np.abs(self.true[:, 2]))


def _rms_and_most(values: Array) -> tuple[float, float]:
    return float(np.sqrt((values**2).mean())), float(values.max())


def drive_eight(robot: Robot, eight: Eight, *, dynamic: bool) -> Driven:
    """Drive it once from here, and write down where the base was."""
    robot.base.reset_odometry()
    start, began = robot.truth.base_pose(), robot.time
    rows: list[tuple[Pose2, ...]] = []

    def look(session: object) -> None:
        passed = robot.time - began
        if passed <= eight.duration:
            true = start.inverse() @ robot.truth.base_pose()
            aimed = eight(max(0.0, robot.base.stamp - began))[0]
            rows.append((eight(passed)[0], true, aimed, robot.base.pose))

    robot.session.observers.append(look)
    robot.base.computed_torque = dynamic
    try:
        near = 0.001, 0.003  # [m], [rad]
        robot.base.follow_target(eight, duration=eight.duration, within=near, wait=True)
    finally:
        robot.base.computed_torque = False
        robot.session.observers.remove(look)
    columns = (np.array([[p.x, p.y, p.yaw] for p in poses]) for poses in zip(*rows, strict=True))
    controller = "dynamic" if dynamic else "kinematic"
    return Driven(controller, *columns, tick=robot.session.backend.tick)


def check_speed(speed: str) -> Eight:
    """Return the eight at a speed [m/s], or say what is wrong with it."""
    fastest = BASE.limits.speed
    return Eight(finite_number(speed, name="speed [m/s]", lower=0.05, upper=fastest))  # type: ignore[arg-type]


def run(robot: Robot, rng: np.random.Generator, *, speed: str) -> Score:
    """Drive it with both controllers.

    Args:
        robot: At rest, with room around it.
        rng: Not used, nothing is drawn.
        speed: On the eight [m/s].
    """
    eight = check_speed(speed)
    robot.wait(0.5)
    begun = robot.snapshot()
    rounds = []
    for dynamic in (False, True):
        robot.restore(begun)
        rounds.append(drive_eight(robot, eight, dynamic=dynamic))
        robot.wait(0.5)
    kinematic, dynamical = rounds
    better = all(b < a for a, b in zip(kinematic.off, dynamical.off, strict=True))
    text = tell(rounds, eight)
    return Score(
        success=better,
        metrics=measure(rounds),
        remark="" if better else "the dynamic controller is not better than the kinematic one",
        report=text,
        products={
            "figure_eight.txt": text_product(text),
            "figure_eight.csv": partial(write_rounds, rounds),
            "figure_eight.png": partial(_draw, rounds),
        },
    )


def measure(rounds: list[Driven]) -> dict[str, Metric]:
    """Return the figures."""
    metrics: dict[str, Metric] = {}
    for each in rounds:
        for name, (rms, most), factor, unit in (
            ("error", each.off, 1000.0, "mm"),
            ("odometry_error", each.believed_off, 1000.0, "mm"),
            ("heading_error", each.turned, math.degrees(1.0), "deg"),
        ):
            metrics[f"{each.controller}_{name}_rms_{unit}"] = round(factor * rms, 4)
            metrics[f"{each.controller}_{name}_most_{unit}"] = round(factor * most, 4)
    return metrics


def tell(rounds: list[Driven], eight: Eight) -> str:
    """Return both beside each other."""
    lines = [
        f"a figure of eight of {eight.length:.2f} m at {eight.speed:g} m/s",
        "              in truth [mm]     by odometry [mm]    heading [deg]",
        "controller     rms     most       rms     most       rms     most",
    ]
    for each in rounds:
        (rms, most), (own, own_most), (yaw, yaw_most) = each.off, each.believed_off, each.turned
        lines.append(
            f"{each.controller:<11} {1000 * rms:7.3f} {1000 * most:8.3f}  {1000 * own:8.3f} "
            f"{1000 * own_most:8.3f}  {math.degrees(yaw):8.4f} {math.degrees(yaw_most):8.4f}"
        )
    return "\n".join(lines)


def write_rounds(rounds: list[Driven], path: Path) -> None:
    """Write where the base should be, was, and believed to be, tick by tick."""
    axes = ("x_m", "y_m", "yaw_rad")
    columns = [
        f"{what}_{axis}" for what in ("wanted", "true", "aimed", "odometry") for axis in axes
    ]
    lines = [",".join(["controller", *columns])]
    for each in rounds:
        for row in np.hstack([each.wanted, each.true, each.aimed, each.believed]):
            lines.append(f"{each.controller}," + ",".join(f"{value:.6f}" for value in row))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _draw(rounds: list[Driven], path: Path) -> None:
    from mecano.tasks.madar_plots import draw_eight

    draw_eight(rounds, path)


EXPERIMENT = Experiment(
    name="madar/figure-eight",
    title="a figure of eight by rates, and with the torque computed beforehand",
    robot="madar",
    scene="empty",
    run=run,
    options={"speed": "0.25"},
    hints={"speed": "m/s on the eight; the drives reach 0.26 in every direction"},
    check=check_speed,
)
