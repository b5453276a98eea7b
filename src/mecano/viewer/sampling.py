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
TRAIL_SECONDS = 60.0
"""How far back the way of a base is kept [s]."""
TRAIL_POINTS = 600
"""Of how many points it is at most."""
TRAIL_STEP = 0.005
"""Nearer than this to the last point there is no other [m]: who stands adds nothing."""


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
    speed: tuple[float, float, float]
    """Forward, to the left [m/s] and turning [rad/s], as commanded now."""
    report: BaseReport
    trail: Array
    """Where it really was in the last minute, oldest first [m]. Shape (n, 3)."""


@dataclass(frozen=True, eq=False)
class RangeSample:
    """What a range sensor sees at one instant."""

    origin: Array
    """Where the ray begins, in the world [m]. Shape (3,)."""
    direction: Array
    """Unit vector along it. Shape (3,)."""
    range: float
    """Distance as measured [m]; infinite if nothing is in sight."""
    detects: bool


@dataclass(frozen=True, eq=False)
class Sample:
    """A session at one instant."""

    time: float
    state: Array
    arms: dict[str, ArmSample] = field(default_factory=dict)
    """By the name of the robot."""
    grippers: dict[str, GripperSample] = field(default_factory=dict)
    bases: dict[str, BaseSample] = field(default_factory=dict)
    ranges: dict[str, dict[str, RangeSample]] = field(default_factory=dict)
    """By the name of the robot and of the sensor; only of robots that have some."""


def has_ranges(robot: Robot) -> bool:
    """Tell whether a robot has range sensors."""
    return bool(getattr(robot, "ranges", None))  # a real one may not know of them


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


class Rays:
    """The range sensors of a robot."""

    def __init__(self, robot: Robot) -> None:
        """Look up their sites."""
        self._data, index = robot.world.data, robot.world.index
        self._finders = [
            (name, finder, index("site", finder.read().frame))
            for name, finder in robot.ranges.items()
        ]

    def sample(self) -> dict[str, RangeSample]:
        """Return what they see by their newest readings, from where the engine last had them."""
        places, turns = self._data.site_xpos, self._data.site_xmat
        return {
            name: RangeSample(
                places[site].copy(), turns[site, 2::3].copy(), finder.read().range, finder.detects
            )
            for name, finder, site in self._finders
        }


class Trail:
    """The way that a base really went, as far back as it is drawn."""

    def __init__(self, robot: Robot) -> None:
        """Begin where the base stands."""
        self._data = robot.world.data
        self._body = robot.world.index("body", f"{robot.name}/{robot.base.facts.frame}")
        self._times, self._places = np.empty(2 * TRAIL_POINTS), np.empty((2 * TRAIL_POINTS, 3))
        """Twice as long as needed, so that the oldest points are seldom thrown away."""
        self._begin(robot.time)

    def _begin(self, now: float) -> None:
        self._count, self._last, self._due = 0, now, now

    def note(self, now: float) -> None:
        """Remember where the base is, if a point is due; begin anew when time went back."""
        if now < self._last:
            self._begin(now)
        self._last = now
        if now < self._due:
            return
        self._due = now + TRAIL_SECONDS / TRAIL_POINTS
        place, count = self._data.xpos[self._body], self._count
        if count == 0 or np.abs(place - self._places[count - 1]).max() >= TRAIL_STEP:
            self._add(now, place)

    def _add(self, now: float, place: Array) -> None:
        if self._count == 2 * TRAIL_POINTS:
            self._count = TRAIL_POINTS
            for rows in (self._times, self._places):
                rows[:TRAIL_POINTS] = rows[TRAIL_POINTS:]
        self._times[self._count], self._places[self._count] = now, place
        self._count += 1

    def points(self) -> Array:
        """Return the points of the last minute, oldest first. Shape (n, 3)."""
        first = int(self._times[: self._count].searchsorted(self._last - TRAIL_SECONDS))
        return self._places[max(first, self._count - TRAIL_POINTS) : self._count].copy()


class Sampler:
    """An observer of the session that keeps the newest sample while somebody looks."""

    def __init__(self, robots: dict[str, Robot], looked_at: Callable[[], bool]) -> None:
        """Watch robots of one session; `looked_at` tells whether a page is open."""
        self.robots, self.looked_at = robots, looked_at
        self.newest: Sample | None = None
        self._feet = {name: Foot(bot) for name, bot in robots.items() if hasattr(bot, "arm")}
        self._trails = {name: Trail(bot) for name, bot in robots.items() if hasattr(bot, "base")}
        self._rays = {name: Rays(bot) for name, bot in robots.items() if has_ranges(bot)}
        self._next = 0.0

    def __call__(self, session: Session) -> None:
        """Take a sample if one is due; the way of a base is noted also while nobody looks."""
        for trail in self._trails.values():
            trail.note(session.time)
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
                base, trail = robot.base, self._trails[name]
                trail.note(first.time)
                bases[name] = BaseSample(base.pose, base.speed, base.report(), trail.points())
        ranges = {name: rays.sample() for name, rays in self._rays.items()}
        self.newest = Sample(first.time, first.world.state(), arms, grippers, bases, ranges)
        return self.newest
