"""Driving along a tour of points by an estimated pose, with any base, by plain velocities."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2, wrap_angle
from mecano.lab.robot import Robot
from mecano.lab.scene_paths import scene_paths

Point = tuple[float, float]
Where = Callable[[], Pose2]
"""Returns where the base is believed to be, in the frame of the tour."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How a base is driven along a tour."""

    speed: float
    """[m/s]."""
    turn: float
    """[rad/s]."""
    braking: float = 0.15
    """Before a point [m/s2]."""
    near: float = 0.10
    """A point is reached this near to it [m]."""
    every: float = 0.1
    """Time between two commands [s]."""
    gain: float = 1.5
    """Share of a heading error that is turned back per second [1/s]."""
    aside: float = 0.35
    """A base that cannot strafe first turns if a point is further aside than this [rad]."""
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


def steer(pose: Pose2, goal: Point, pace: Pace, *, strafes: bool) -> tuple[float, float, float]:
    """Return the speeds that bring a base nearer to a point: forward, left [m/s], turn [rad/s].

    A base that can strafe goes straight there and turns its nose into the way meanwhile; others
    turn first.
    """
    x, y = (pose.inverse().transform_points(np.array([goal]))[0]).tolist()
    distance, bearing = hypot(x, y), atan2(y, x)
    turn = min(max(pace.gain * bearing, -pace.turn), pace.turn)
    speed = min(pace.speed, sqrt(2.0 * pace.braking * distance))
    if strafes:
        if distance < 3.0 * pace.near:  # the bearing of a near point is nothing to turn to
            turn = 0.0
        speed *= 1.0 - 0.7 * abs(turn) / pace.turn  # wheels have to do both
        return speed * cos(bearing), speed * sin(bearing), turn
    if abs(bearing) > pace.aside:
        return 0.0, 0.0, turn
    return speed * cos(bearing), 0.0, turn


def follow_tour(robot: Robot, points: Sequence[Point], where: Where, pace: Pace) -> Iterator[int]:
    """Drive along points; give the number of each one when it is reached.

    Raises:
        InvalidInput: A point was not reached in time; it says how far away it is.
    """
    base = robot.base
    strafes = "strafe" not in base.facts.layout.missing
    for number, point in enumerate(points):
        here = where()
        way = hypot(point[0] - here.x, point[1] - here.y)
        until = robot.time + pace.patience * (way / pace.speed + pi / pace.turn + 2.0)
        while (here := where()).distance_to(Pose2(*point)) > pace.near:
            if robot.time > until:
                base.stop()
                left = hypot(point[0] - here.x, point[1] - here.y)
                raise InvalidInput(
                    f"point {number + 1} of the tour, ({point[0]:g}, {point[1]:g}) m, is not "
                    f"reached after {robot.time:.0f} s: it is {left:.2f} m away; something is in "
                    "the way, or the robot is lost"
                )
            forward, left, turn = steer(here, point, pace, strafes=strafes)
            base.drive(forward, turn, left=left)
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
