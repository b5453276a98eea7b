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


class Foot:
    """Where an arm stands: it goes with the body that its first joint turns on."""

    def __init__(self, robot: Robot) -> None:
        """Find how the foot lies in that body, from where the tool is now."""
        model, self._data, arm = robot.world.model, robot.world.data, robot.arm
        first = np.flatnonzero(model.jnt_qposadr == arm.dynamics.positions[0])[0]
        self._body = model.body_parentid[model.jnt_bodyid[first]]
        T_foot_tool = arm.chain.forward(self._data.qpos[arm.dynamics.positions])
        T_world_foot = robot.truth.tool_pose().matrix() @ np.linalg.inv(T_foot_tool)
        self._T_body_foot = np.linalg.inv(self._body_pose()) @ T_world_foot

    def pose(self) -> Array:
        """Return its pose in the world, as the engine last computed it. Shape (4, 4)."""
        return self._body_pose() @ self._T_body_foot

    def _body_pose(self) -> Array:
        T_world_body = np.eye(4)
        T_world_body[:3, :3] = self._data.xmat[self._body].reshape(3, 3)
        T_world_body[:3, 3] = self._data.xpos[self._body]
        return T_world_body


class Sampler:
    """An observer of the session that keeps the newest sample while somebody looks."""

    def __init__(self, robots: dict[str, Robot], looked_at: Callable[[], bool]) -> None:
        """Watch robots of one session; `looked_at` tells whether a page is open."""
        self.robots, self.looked_at = robots, looked_at
        self.newest: Sample | None = None
        self._feet = {name: Foot(bot) for name, bot in robots.items() if hasattr(bot, "arm")}
        self._next = 0.0

    def __call__(self, session: Session) -> None:
        """Take a sample if one is due."""
        now = time.monotonic()
        if now >= self._next and self.looked_at():
            self._next = max(self._next + 1.0 / RATE, now + 0.5 / RATE)
            self.take()

    def take(self) -> Sample:
        """Read the session through its robots; hold its lock meanwhile."""
        first = next(iter(self.robots.values()))
        arms, grippers, bases = {}, {}, {}
        for name, robot in self.robots.items():
            if hasattr(robot, "arm"):
                arm, foot = robot.arm, self._feet[name].pose()
                arms[name] = ArmSample(arm.commanded, arm.position.copy(), foot)
            if hasattr(robot, "gripper"):
                hand = robot.gripper
                target = hand.facts.width(hand.commanded)
                grippers[name] = GripperSample(target, hand.width, hand.force, hand.holding)
            if hasattr(robot, "base"):
                bases[name] = BaseSample(robot.base.pose, robot.base.speed, robot.base.report())
        self.newest = Sample(first.time, first.world.state(), arms, grippers, bases)
        return self.newest
