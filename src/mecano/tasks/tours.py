"""Driving along a tour of points by an estimated pose, with any base."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import atan2, hypot, inf, pi

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2, wrap_angle
from mecano.lab.robot import Robot
from mecano.lab.scene_paths import scene_paths

Point = tuple[float, float]
Where = Callable[[], Pose2]
"""Returns the estimated pose of the base, in the frame of the tour."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How a base is driven along a tour."""

    speed: float
    """[m/s]."""
    turn: float
    """[rad/s]."""
    near: float = 0.10
    """A point is reached this near to it [m]."""
    every: float = 0.1
    """How often it looks whether a point is reached [s]."""
    patience: float = 3.0
    """So many times the time that a point should take is waited for it."""


def tour_of(robot: Robot, name: str = "tour") -> list[Point]:
    """Return the points of the path `path_NAME` of the scene that a robot is in.

    Raises:
        InvalidInput: The scene has no such path.
    """
    paths = scene_paths(robot.world.model)
    if name not in paths:
        known = ", ".join(paths) or "none"
        raise InvalidInput(
            f"the scene has no path '{name}' to drive along, it has: {known}; drive by keys "
            f'(--teleop), or add <text name="path_{name}" .../> to <custom> of the scene'
        )
    path = paths[name]
    places = np.asarray(path.at(path.breaks).position)[:, :2]
    return [(float(x), float(y)) for x, y in places]


def follow_tour(robot: Robot, points: Sequence[Point], where: Where, pace: Pace) -> Iterator[int]:
    """Drive along points; give the number of each one when it is reached.

    A base that strafes turns into its direction meanwhile; others turn first.

    Raises:
        InvalidInput: A point was not reached in time; it says how far away it is.
    """
    base = robot.base
    for number, point in enumerate(points):
        here = where()
        distance = hypot(point[0] - here.x, point[1] - here.y)
        until = robot.time + pace.patience * (distance / pace.speed + pi / pace.turn + 2.0)
        if distance > pace.near:
            goal = Pose2(*point, atan2(point[1] - here.y, point[0] - here.x))
            base.go_to(
                goal, speed=pace.speed, turn_speed=pace.turn, within=(pace.near, inf),
                direction="forward", where=where, wait=False,
            )  # fmt: skip
        while (here := where()).distance_to(Pose2(*point)) > pace.near:
            if robot.time > until:
                base.stop()
                left = hypot(point[0] - here.x, point[1] - here.y)
                raise InvalidInput(
                    f"point {number + 1} of the tour, ({point[0]:g}, {point[1]:g}) m, is not "
                    f"reached after {robot.time:.0f} s: it is {left:.2f} m away; something is in "
                    "the way, or the robot is lost"
                )
            robot.wait(pace.every)
        yield number
    base.stop()
    robot.session.wait_until(base.at_rest, timeout=5.0)


def look_around(robot: Robot, where: Where, pace: Pace, *, turns: float = 1.0) -> None:
    """Turn in place, by the estimated heading."""
    before, turned = where().yaw, 0.0
    until = robot.time + pace.patience * (turns * 2.0 * pi / pace.turn + 2.0)
    while turned < 2.0 * pi * turns and robot.time < until:
        robot.base.drive(0.0, pace.turn)
        robot.wait(pace.every)
        heading = where().yaw
        turned += float(wrap_angle(heading - before))
        before = heading
    robot.base.stop()
    robot.session.wait_until(robot.base.at_rest, timeout=5.0)
