"""What the view takes from a running session: few numbers, few times a second, nothing changed."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import BaseReport
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.lab.session import Session

RATE = 30.0
"""Pictures a second [Hz]."""


@dataclass(frozen=True, eq=False)
class ArmSample:
    """What an arm does at one instant."""

    target: Array
    """Joint values commanded [rad]."""
    real: Array
    """Joint values by the encoders [rad]."""
    base: Array
    """Pose of the arm's foot in the world. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class GripperSample:
    """What a gripper does at one instant."""

    target: float
    """Width it was sent to [m]."""
    real: float
    """Width by the encoder [m]."""
    force: float
    """Of each finger [N]."""
    holding: bool


@dataclass(frozen=True, eq=False)
class BaseSample:
    """What a base does at one instant."""

    pose: Pose2
    """Where it believes to be."""
    speed: tuple[float, float]
    """Forward [m/s] and turning [rad/s], as commanded now."""
    report: BaseReport


@dataclass(frozen=True, eq=False)
class Sample:
    """A session at one instant."""

    time: float
    state: Array
    arms: dict[str, ArmSample] = field(default_factory=dict)
    """By the name of the robot."""
    grippers: dict[str, GripperSample] = field(default_factory=dict)
    bases: dict[str, BaseSample] = field(default_factory=dict)


def take(robots: dict[str, Robot]) -> Sample:
    """Read a session through its robots; hold its lock meanwhile."""
    first = next(iter(robots.values()))
    arms, grippers, bases = {}, {}, {}
    for name, robot in robots.items():
        if hasattr(robot, "arm"):
            arms[name] = ArmSample(robot.arm.commanded, robot.arm.position.copy(), arm_base(robot))
        if hasattr(robot, "gripper"):
            hand = robot.gripper
            target = hand.facts.width(hand.commanded)
            grippers[name] = GripperSample(target, hand.width, hand.force, hand.holding)
        if hasattr(robot, "base"):
            bases[name] = BaseSample(robot.base.pose, robot.base.speed, robot.base.report())
    return Sample(first.time, first.world.state(), arms, grippers, bases)


def arm_base(robot: Robot) -> Array:
    """Return the pose of the arm's foot in the world, 4x4, from where its tool is."""
    data, arm = robot.world.data, robot.arm
    T_world_tool = robot.truth.tool_pose().matrix()
    return T_world_tool @ np.linalg.inv(arm.chain.forward(data.qpos[arm.dynamics.positions]))


class Sampler:
    """An observer of the session that keeps the newest sample while somebody looks."""

    def __init__(self, robots: dict[str, Robot], looked_at: Callable[[], bool]) -> None:
        """Watch robots of one session; `looked_at` tells whether a page is open."""
        self.robots, self.looked_at = robots, looked_at
        self.newest: Sample | None = None
        self._next = 0.0

    def __call__(self, session: Session) -> None:
        """Take a sample if one is due."""
        now = time.monotonic()
        if now >= self._next and self.looked_at():
            self._next = max(self._next + 1.0 / RATE, now + 0.5 / RATE)
            self.newest = take(self.robots)
