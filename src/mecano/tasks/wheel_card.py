"""The wheel card: what a base was told to drive, and what it drove.

Each drive is a list of twists held for some time, from rest to rest, without any feedback: the
wheels are told their rates, and physics does the rest.
"""

import math
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose2, wrap_angle
from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Metric, Score

Segment = tuple[float, float, float, float]
"""Forward, to the left [m/s], turning [rad/s], and for how long [s]."""
DRIVES: dict[str, tuple[Segment, ...]] = {
    "forward": ((0.4, 0.0, 0.0, 5.0),),
    "sideways": ((0.0, 0.4, 0.0, 5.0),),
    "diagonal": ((0.25, 0.25, 0.0, 5.0),),
    "rotate": ((0.0, 0.0, 1.0, 5.0),),
    "square": (
        (0.3, 0.0, 0.0, 3.0), (0.0, 0.3, 0.0, 3.0), (-0.3, 0.0, 0.0, 3.0), (0.0, -0.3, 0.0, 3.0),
    ),
    "mixed": ((0.2, -0.1, 0.3, 6.0),),
}  # fmt: skip
PATH_BAR, YAW_BAR = 0.3, 0.1
"""For ball wheels [%]: of the way, and of the angle turned."""
TURNS = math.radians(5.0)
"""Drives that turn by less are judged by degrees only [rad]."""


@dataclass(frozen=True, eq=False)
class Driven:
    """One drive: commanded and reached, as seen from where it began."""

    commanded: Array
    """Poses x, y [m], yaw [rad], one per tick. Shape (n, 3)."""
    reached: Array
    """The same, as it truly was."""
    length: float
    """Of the commanded way [m]."""
    turned: float
    """Angle that was commanded [rad]."""

    @property
    def path_error(self) -> float:
        """How far the end is from where it should be [m]."""
        return float(np.hypot(*(self.reached[-1, :2] - self.commanded[-1, :2])))

    @property
    def yaw_error(self) -> float:
        """How far it has turned too far [rad]."""
        return float(wrap_angle(self.reached[-1, 2] - self.commanded[-1, 2]))


def drive(robot: Robot, segments: tuple[Segment, ...], *, settle: float = 0.5) -> Driven:
    """Drive some twists and write down what was commanded and what happened.

    Args:
        robot: At rest.
        segments: What to drive.
        settle: Time to come to rest at the end [s].
    """
    start, told = robot.truth.base_pose(), Pose2()
    commanded, reached = [told], [Pose2()]
    length = turned = 0.0
    tick = robot.session.backend.tick

    def watch(session: object) -> None:
        nonlocal told, length, turned
        vx, vy, wz = robot.base.speed
        told = told @ Pose2.exp(tick * np.array([vx, vy, wz]))
        length += tick * math.hypot(vx, vy)
        turned += tick * wz
        commanded.append(told)
        reached.append(start.inverse() @ robot.truth.base_pose())

    robot.session.observers.append(watch)
    try:
        for vx, vy, wz, seconds in segments:
            robot.base.drive_for(seconds, vx, wz, left=vy)
        robot.wait(settle)
    finally:
        robot.session.observers.remove(watch)
    rows = [np.array([[p.x, p.y, p.yaw] for p in poses]) for poses in (commanded, reached)]
    return Driven(rows[0], rows[1], length, turned)


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Make every drive and compare."""
    metrics: dict[str, Metric] = {}
    problems = []
    strict = robot.description.name == "youbot"
    robot.wait(0.5)
    for name, segments in DRIVES.items():
        driven = drive(robot, segments)
        metrics[f"{name}_error_mm"] = round(1000.0 * driven.path_error, 2)
        metrics[f"{name}_error_deg"] = round(math.degrees(driven.yaw_error), 3)
        if driven.length > 0.01:
            percent = 100.0 * driven.path_error / driven.length
            metrics[f"{name}_path_error_percent"] = round(percent, 3)
            if strict and percent > PATH_BAR:
                problems.append(f"{name}: {percent:.2f} % of the way off, allowed {PATH_BAR} %")
        if abs(driven.turned) > TURNS:
            percent = 100.0 * abs(driven.yaw_error / driven.turned)
            metrics[f"{name}_yaw_error_percent"] = round(percent, 3)
            if strict and percent > YAW_BAR:
                problems.append(f"{name}: {percent:.2f} % of the turn off, allowed {YAW_BAR} %")
    return Score(success=not problems, metrics=metrics, remark="; ".join(problems))


def card_of(robot: str, title: str) -> Experiment:
    """Return the card of a robot."""
    return Experiment(name=f"{robot}/wheel-card", title=title, robot=robot, scene="empty", run=run)


EXPERIMENT = card_of("youbot", "drive known twists and compare: ball wheels")
ROLLERS = card_of("youbot_rollers", "drive known twists and compare: wheels with rollers")
