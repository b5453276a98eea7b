"""What the view takes from a running session: few numbers, few times a second, nothing changed."""

import time
from collections.abc import Callable

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.belief import Belief
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.parts.arm import Arm
from mecano.parts.gripper import Gripper
from mecano.parts.walks import Walk
from mecano.session.session import Session
from mecano.viewer.samples import (
    ArmSample,
    BaseSample,
    CupsSample,
    GripperSample,
    HandSample,
    LegsSample,
    NavigationSample,
    RangeSample,
    Sample,
    ScanSample,
)
from mecano.world.world import site_pose

RATE = 30.0
"""Pictures a second [Hz]."""
TRAIL_SECONDS = 60.0
"""How far back the way of a base is kept [s]."""
TRAIL_POINTS = 600
"""Of how many points it is at most."""
OUTLINE_EVERY = 0.1
"""Time of the session between two looks at what a base covers of the floor [s]."""
SCAN_EVERY = 0.1
"""And between two fused scans [s]: fusing takes a millisecond."""
SCAN_BINS = 360
"""Directions of a fused scan: as fine as the beams."""
BELIEF_EVERY = 0.2
"""Real time between two looks at what an estimator believes [s]: a map is large."""
POSTURE_NOTICED = 0.002
"""Encoders that moved by less leave the outline as it is [rad]: they tremble."""
TRAIL_STEP = 0.005
"""Nearer than this to the last point there is no other [m]: who stands adds nothing."""


def arms_of(robot: Robot) -> dict[str, Arm]:
    """Return the arms of a robot by what they are called among all robots."""
    if len(robot.arms) == 1:
        return {robot.name: robot.arms.first}
    return {f"{robot.name}/{name}": arm for name, arm in robot.arms.items()}


def grippers_of(robot: Robot) -> dict[str, Gripper]:
    """Return the grippers of a robot by what they are called among all robots."""
    found = robot.grippers
    if len(found) == 1:
        return {robot.name: robot.gripper}
    return {f"{robot.name}/{arm}": gripper for arm, gripper in found.items()}


def moves_about(robot: Robot) -> bool:
    """Tell whether a robot drives or walks."""
    return "base" in robot.parts or "legs" in robot.parts


def has_ranges(robot: Robot) -> bool:
    """Tell whether a robot has range sensors."""
    return bool(robot.ranges)


def has_lidars(robot: Robot) -> bool:
    """Tell whether a robot has LIDARs."""
    return bool(robot.lidars)


class Foot:
    """Where an arm stands: it goes with the body that its first joint turns on."""

    def __init__(self, robot: Robot, arm: Arm) -> None:
        """Find how the foot lies in that body, from where the tool is now."""
        model, self._data = robot.world.model, robot.world.data
        first = np.flatnonzero(model.jnt_qposadr == arm.dynamics.positions[0])[0]
        self._body = model.body_parentid[model.jnt_bodyid[first]]
        T_foot_tool = arm.chain.forward(self._data.qpos[arm.dynamics.positions])
        T_world_tool = site_pose(self._data, arm.dynamics.tool).matrix()
        T_world_foot = T_world_tool @ np.linalg.inv(T_foot_tool)
        self._T_body_foot = np.linalg.inv(self._body_pose()) @ T_world_foot

    def pose(self) -> Array:
        """Return its pose in the world, as the engine last computed it. Shape (4, 4)."""
        return self._body_pose() @ self._T_body_foot

    def _body_pose(self) -> Array:
        return _pose_of(self._data, int(self._body))


def _pose_of(data: mujoco.MjData, body: int) -> Array:
    """Return the pose of a body in the world, as the engine last computed it. Shape (4, 4)."""
    T_world_body = np.eye(4)
    T_world_body[:3, :3] = data.xmat[body].reshape(3, 3)
    T_world_body[:3, 3] = data.xpos[body]
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


class Feet:
    """The cups of a robot."""

    def __init__(self, robot: Robot) -> None:
        """Look up their sites."""
        self.cups, self._data = robot.cups, robot.world.data
        names = [f"{robot.name}/{cup.site}" for cup in robot.legs.facts.cups]
        self._sites = [robot.world.index("site", name) for name in names]

    def sample(self) -> CupsSample:
        """Return what they do, from where the engine last had them."""
        drive = self.cups.drive
        return CupsSample(
            states=tuple(str(cup.state) for cup in self.cups),
            pull=drive.loads[:, 0].copy(),
            shear=drive.loads[:, 1].copy(),
            margin=self.cups.margins,
            places=self._data.site_xpos[self._sites],
            turns=self._data.site_xmat[self._sites].reshape(-1, 3, 3),
        )


def sampled_hands(robot: Robot) -> dict[str, HandSample]:
    """Return what the hands of a robot do."""
    return {
        name: HandSample(
            target=hand.commanded.copy(),
            real=hand.position.copy(),
            moving=not hand.at_rest(),
            stopped=hand.stopped,
            torque=float(np.abs(hand.effort).max()),
        )
        for name, hand in robot.hands.items()
    }


def told_walk(robot: Robot) -> str:
    """Return what the walk of a robot on legs does, or how the last one ended."""
    walk = robot.legs.walking
    if walk is None:
        return ""
    if walk.result is not None:
        return walk.result.message
    if not isinstance(walk, Walk):
        return "steps over to another surface"
    return f"walks, {walk.gait.name}: {1000 * walk.gone:.0f} mm so far, by leg odometry"


class Scans:
    """The LIDARs of a robot, fused."""

    def __init__(self, robot: Robot) -> None:
        """Look up where they sit."""
        self._robot, self._data = robot, robot.world.data
        lidars = list(robot.lidars.values())
        self._body = robot.world.index("body", f"{robot.name}/{robot.base.facts.frame}")
        self._height = float(np.mean([lidar.pose.position[2] for lidar in lidars]))
        self._stamps: tuple[float, ...] = ()
        self._newest = ScanSample(np.zeros((0, 3)), ())
        self._last = -np.inf

    def sample(self, now: float) -> ScanSample:
        """Return the newest scan; the one of before if there is no other."""
        stamps = tuple(lidar.stamp for lidar in self._robot.lidars.values())
        early = 0.0 <= now - self._last < SCAN_EVERY
        if stamps != self._stamps and not early:
            self._stamps, self._last, self._newest = stamps, now, self._fused()
        return self._newest

    def _fused(self) -> ScanSample:
        fused, base = self._robot.scan(bins=SCAN_BINS), self._robot.base
        scan = fused.scan
        met = np.isfinite(scan.ranges)
        bearings = scan.angle_min + scan.angle_increment * np.flatnonzero(met)
        T_base_then = base.pose.inverse() @ base.track.at(scan.stamp)
        turned, ranges = bearings + T_base_then.yaw, scan.ranges[met]
        points = np.column_stack([
            T_base_then.x + ranges * np.cos(turned),
            T_base_then.y + ranges * np.sin(turned),
            np.full(len(ranges), self._height),
        ])  # fmt: skip
        T_world_base = _pose_of(self._data, self._body)
        places = points @ T_world_base[:3, :3].T + T_world_base[:3, 3]
        return ScanSample(places, tuple(str(gap) for gap in fused.gaps))


class Outline:
    """What a base and all it carries cover of the floor."""

    def __init__(self, robot: Robot) -> None:
        """Look up its frame."""
        self._robot, self._data = robot, robot.world.data
        self._body = robot.world.index("body", f"{robot.name}/{robot.description.free_body}")
        self._posture: Array | None = None
        self._corners = np.empty((0, 2))
        self._newest, self._last = np.empty((0, 3)), -np.inf

    def sample(self, now: float) -> Array:
        """Return it, closed, at the height of the base's frame; at most 0.1 s old. Shape (n, 3)."""
        if not 0.0 <= now - self._last < OUTLINE_EVERY:
            self._last, corners = now, self._local()
            T_world_base = _pose_of(self._data, self._body)
            closed = np.vstack([corners, corners[:1]])
            self._newest = closed @ T_world_base[:3, :2].T + T_world_base[:3, 3]
        return self._newest

    def _local(self) -> Array:
        """Return its corners in the frame of the base; new ones if the posture is another."""
        parts = [part.position for part in self._robot.encoders]
        posture, known = np.concatenate([np.empty(0), *parts]), self._posture
        if known is None or (np.abs(posture - known) > POSTURE_NOTICED).any():
            self._posture, self._corners = posture, self._robot.footprint()
        return self._corners


class Trail:
    """The way that a base or a body on legs really went, as far back as it is drawn."""

    def __init__(self, robot: Robot) -> None:
        """Begin where it stands."""
        self._data = robot.world.data
        facts = robot.base.facts if "base" in robot.parts else robot.legs.facts
        self._body = robot.world.index("body", f"{robot.name}/{facts.frame}")
        self._times, self._places = np.empty(2 * TRAIL_POINTS), np.empty((2 * TRAIL_POINTS, 3))
        """Twice as long as needed, so that the oldest points are seldom thrown away."""
        self._begin(robot.time)

    def _begin(self, now: float) -> None:
        self._count, self._last, self._due = 0, now, now

    def note(self, now: float) -> None:
        """Remember where it is, if a point is due; begin anew when time went back."""
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
        self._feet = {
            name: Foot(bot, arm) for bot in robots.values() for name, arm in arms_of(bot).items()
        }
        self._trails = {name: Trail(bot) for name, bot in robots.items() if moves_about(bot)}
        self._cups = {name: Feet(bot) for name, bot in robots.items() if "cups" in bot.parts}
        self._rays = {name: Rays(bot) for name, bot in robots.items() if has_ranges(bot)}
        self._scans = {name: Scans(bot) for name, bot in robots.items() if has_lidars(bot)}
        bases = {name: bot for name, bot in robots.items() if "base" in bot.parts}
        self._outlines = {name: Outline(bot) for name, bot in bases.items()}
        self._next = 0.0
        self._beliefs: dict[str, Belief] = {}
        self._asked = -np.inf
        self._navigations: dict[str, NavigationSample] = {}
        self._asked_navigation = -np.inf

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
        arms, grippers, bases, legs = {}, {}, {}, {}
        for name, robot in self.robots.items():
            for key, arm in arms_of(robot).items():
                arms[key] = ArmSample(arm.commanded, arm.position.copy(), self._feet[key].pose())
            for key, gripper in grippers_of(robot).items():
                target = gripper.facts.width(gripper.commanded)
                grippers[key] = GripperSample(target, gripper.width, gripper.force, gripper.holding)
            if "base" in robot.parts:
                base, trail = robot.base, self._trails[name]
                trail.note(first.time)
                bases[name] = BaseSample(base.pose, base.speed, base.report(), trail.points())
            if "cups" in robot.parts:
                trail = self._trails[name]
                trail.note(first.time)
                told, read = robot.legs.commanded.flatten(), robot.legs.position.flatten()
                legs[name] = LegsSample(told, read, told_walk(robot), trail.points())
        ranges = {name: rays.sample() for name, rays in self._rays.items()}
        cups = {name: feet.sample() for name, feet in self._cups.items()}
        self.newest = Sample(
            first.time, first.world.state(), arms, grippers, bases, ranges, legs, cups,
            hands={name: sampled_hands(bot) for name, bot in self.robots.items() if bot.hands},
            scans={name: scans.sample(first.time) for name, scans in self._scans.items()},
            beliefs=self._believed(),
            navigations=self._navigated(),
            outlines={name: each.sample(first.time) for name, each in self._outlines.items()},
        )  # fmt: skip
        return self.newest

    def _believed(self) -> dict[str, Belief]:
        """Return what the robots believe, at most 0.2 s old."""
        now = time.monotonic()
        if now - self._asked >= BELIEF_EVERY:
            self._asked = now
            estimators = {name: robot.estimator for name, robot in self.robots.items()}
            self._beliefs = {name: each.belief() for name, each in estimators.items() if each}
        return self._beliefs

    def _navigated(self) -> dict[str, NavigationSample]:
        """Return what the navigators do, at most 0.2 s old."""
        now = time.monotonic()
        if now - self._asked_navigation >= BELIEF_EVERY:
            self._asked_navigation = now
            sampled = {
                name: sampled_navigation(bot, self._beliefs.get(name))
                for name, bot in self.robots.items()
            }
            self._navigations = {name: each for name, each in sampled.items() if each is not None}
        return self._navigations


def sampled_navigation(robot: Robot, belief: Belief | None) -> NavigationSample | None:
    """Return what the navigator of a robot does; None without one, or before its first tick.

    Args:
        robot: Of any kind.
        belief: Of what estimates its pose, which knows where the map lies in the scene.
    """
    navigation = robot.navigation
    if navigation is None or navigation.last_status is None:
        return None
    navigator, status = navigation.navigator, navigation.last_status
    route, costmap = navigator.route, navigator.surroundings.whole()
    corners = navigator.surroundings.footprint.at(status.pose)
    return NavigationSample(
        status=status,
        plan=np.empty((0, 2)) if route is None else route.poses[:, :2].copy(),
        trajectory=navigator.trajectory[:, :2].copy(),
        footprint=np.vstack([corners, corners[:1]]),
        cost=costmap.cost,
        resolution=costmap.resolution,
        corner=costmap.origin,
        origin=Pose2() if belief is None else belief.origin,
    )
