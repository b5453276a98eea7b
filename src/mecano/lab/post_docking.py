"""Docking by LIDARs: a base comes to a place before something on posts, a table or a shelf."""

from collections.abc import Generator
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.skills.posts import Beams, PostFit, fit_posts

SCANS = 20
"""Of each LIDAR, taken at rest: noise of 20 mm becomes that of some millimetres."""
CORRECTIONS = 6
"""How often it corrects itself before it gives up."""
SPEED = 0.15
"""Of the base [m/s]."""
TOLERANCE = 0.006, 0.008
"""How near it must come to its place, as it sees it [m], [rad]."""
POSTS = 2
"""So many posts must be in sight."""


@dataclass(frozen=True, kw_only=True)
class Posts:
    """What a thing stands on, in a frame of its own on the floor."""

    places: tuple[tuple[float, float], ...]
    """Middles of the posts [m]."""
    half_width: float
    """Of a post [m]."""


@dataclass(frozen=True)
class PostDock:
    """How docking ended."""

    docked: bool
    seen: Pose2 | None
    """Where the thing is, in odometry, by the last look."""
    off: tuple[float, float]
    """How far the base is from its place by that [m], [rad]."""
    corrections: int
    """How often it moved."""
    duration: float
    """[s]."""
    cause: str = ""
    """Why it is not docked."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        off = f"{1000 * self.off[0]:.1f} mm and {1000 * self.off[1]:.1f} mrad off by its LIDARs"
        return f"docked, {off}" if self.docked else f"not docked: {self.cause}"


def dock_at_posts(
    robot: Robot, posts: Posts, expected: Pose2, stand: Pose2, *,
    tolerance: tuple[float, float] = TOLERANCE, scans: int = SCANS, speed: float = SPEED,
) -> PostDock:  # fmt: skip
    """Bring the base to a place before something on posts, by what its LIDARs see of them.

    It stands, looks, drives by the difference, and looks again until it is near enough.

    Args:
        robot: With LIDARs and a base that strafes.
        posts: What it looks for.
        expected: Where that should be, in odometry; within 0.2 m and 10 degrees.
        stand: Where the base shall stand, in the frame of the posts.
        tolerance: How near it must come [m], [rad].
        scans: How many of each LIDAR are taken for a look.
        speed: Max [m/s].
    """
    if not isinstance(robot, Robot):
        raise InvalidInput(f"dock_at_posts takes a robot from mecano.connect, got {robot!r}")
    if not robot.lidars:
        raise InvalidInput(f"{robot.name} has no LIDARs to dock by")
    if not isinstance(posts, Posts) or not isinstance(expected, Pose2):
        raise InvalidInput(f"dock_at_posts takes Posts and a Pose2, got {posts!r}, {expected!r}")
    if not isinstance(stand, Pose2):
        raise InvalidInput(f"the base stands at a Pose2, got {stand!r}")
    if isinstance(scans, bool) or not isinstance(scans, int) or scans < 1:
        raise InvalidInput(f"scans is {scans!r}, expected a whole number of 1 or more")
    robot.base.facts.layout.require("strafe")
    near = [finite_number(each, name="tolerance [m], [rad]", lower=1e-5) for each in tolerance]
    return _dock(robot, posts, expected, stand, (near[0], near[1]), scans, speed)


def _dock(
    robot: Robot, posts: Posts, expected: Pose2, stand: Pose2, near: tuple[float, float],
    scans: int, speed: float,
) -> PostDock:  # fmt: skip
    started, seen, off = robot.time, None, (0.0, 0.0)
    for number in range(CORRECTIONS + 1):
        fit = look_at_posts(robot, posts, expected, scans=scans)
        if fit is None or fit.posts < POSTS:
            count = 0 if fit is None else fit.posts
            cause = f"the LIDARs see {count} of {len(posts.places)} posts, {POSTS} are needed"
            return PostDock(False, seen, off, number, robot.time - started, cause)
        seen = expected = robot.base.pose @ fit.pose
        goal = seen @ stand
        error = robot.base.pose.inverse() @ goal
        off = hypot(error.x, error.y), abs(error.yaw)
        if off[0] <= near[0] and off[1] <= near[1]:
            return PostDock(True, seen, off, number, robot.time - started)
        if number == CORRECTIONS:
            break
        result = robot.base.go_to(goal, speed=speed, within=(0.25 * near[0], 0.25 * near[1]))
        if not result.reached:
            cause = f"something may be in the way ({result.message})"
            return PostDock(False, seen, off, number + 1, robot.time - started, cause)
    cause = f"still {1000 * off[0]:.1f} mm and {off[1]:.4f} rad off after {CORRECTIONS} corrections"
    return PostDock(False, seen, off, CORRECTIONS, robot.time - started, cause)


def look_at_posts(
    robot: Robot, posts: Posts, expected: Pose2, *, scans: int = SCANS
) -> PostFit | None:
    """Stand, and return where posts are in the frame of the base; None if they are not in sight.

    Args:
        robot: With LIDARs.
        posts: What it looks for.
        expected: Where that should be, in odometry.
        scans: How many of each LIDAR are taken.
    """
    routine = _beams(robot, scans)
    while True:
        try:
            robot.wait(next(routine))
        except StopIteration as end:
            beams: Beams = end.value
            break
    facts = next(iter(robot.lidars.values())).facts
    return fit_posts(
        beams, posts.places, robot.base.pose.inverse() @ expected, half_width=posts.half_width,
        noise=max(facts.noise, 0.002), offset=max(facts.offset, 0.001),
    )  # fmt: skip


def _beams(robot: Robot, count: int) -> Generator[Any, None, Beams]:
    """Stand still and collect scans of all LIDARs."""
    yield 0.3
    taken: dict[str, int] = dict.fromkeys(robot.lidars, 0)
    stamps: dict[str, float] = {name: lidar.read().stamp for name, lidar in robot.lidars.items()}
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
    while any(number < count for number in taken.values()):
        yield robot.session.backend.tick
        for index, (name, lidar) in enumerate(robot.lidars.items()):
            scan = lidar.read()
            if scan.stamp <= stamps[name] or taken[name] >= count:
                continue
            stamps[name], taken[name] = scan.stamp, taken[name] + 1
            parts.append(_one(scan, lidar.pose, index))
    origins, directions, ranges, scanners = (
        np.concatenate(each) for each in zip(*parts, strict=True)
    )
    return Beams(origins=origins, directions=directions, ranges=ranges, scanners=scanners)


def _one(scan: Any, pose: Any, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return origins, directions, ranges and scanners of the beams of a scan that met something."""
    ranges = np.asarray(scan.ranges, float)
    angles = scan.angle_min + scan.angle_increment * np.arange(len(ranges))
    met = np.isfinite(ranges)
    local = np.stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))], axis=1)[met]
    directions = (local @ pose.rotation_matrix().T)[:, :2]
    origins = np.tile(pose.position[:2], (len(directions), 1))
    return origins, directions, ranges[met], np.full(len(directions), index)
