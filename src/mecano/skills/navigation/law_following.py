"""A local planner made of a tracking law, such as a user's own function (`--use controller=...`).

A target moves along the plan as fast as the base can still brake before its end and before the
first pose that is not free; the law keeps the base to it. What it commands is rolled out first: a
law that steers into an obstacle, raises or hangs stops the base, and the navigator says so.
"""

from math import atan2, cos, hypot, sin, sqrt

import numpy as np

from mecano.control.laws import TrackingLaw
from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.core.poses import Pose2, wrap_angle
from mecano.planning.navigation.contract import Command, LocalView, VelocityLimits
from mecano.planning.navigation.footprint_check import free_poses
from mecano.skills.navigation.following import (
    AHEAD,
    BRAKING_SHARE,
    CHECKED,
    along_path,
    nearest_on_path,
)
from mecano.skills.navigation.inputs import STILL, Twist

ASIDE = 0.5
"""A base that cannot strafe turns on the spot if the path leads further aside [rad]."""
LEAD = 0.05
"""The target is this far ahead of the base on the path [m]."""
FORESEEN = 0.5
"""A command is rolled out for this long [s]."""
FAILURES = 3
"""After so many failures in a row a law is not asked again for this goal: it may hang each time."""


class LawFollower:
    """Follows the plan by a tracking law."""

    def __init__(
        self, limits: VelocityLimits, law: TrackingLaw, near: float, turned: float
    ) -> None:
        """Take what the base can do, the law, and when it has arrived [m], [rad]."""
        self.limits, self.law = limits, law
        self._near, self._turned = near, turned
        self.reset()

    def reset(self) -> None:
        """Begin with another goal."""
        self._arrived = False
        self._failures = 0
        self._failure: MecanoError | None = None

    def command(self, view: LocalView) -> Command:
        """Return the twist for the next control cycle."""
        ahead = np.vstack([view.path, [view.goal.x, view.goal.y, view.goal.yaw]])
        along = along_path(ahead)
        at = nearest_on_path(ahead, along, view.pose)
        ahead, along = ahead[at:], along[at:] - along[at]
        near = along <= max(CHECKED, 2.0 * self._braking_distance(view.speed))
        free = free_poses(view.costmap, ahead[near])
        room = float(along[-1]) if free.all() else float(along[int(np.argmin(free))]) - AHEAD
        if room <= 0.0 and not free.all():
            x, y, _ = ahead[int(np.argmin(free))]
            return Command(twist=STILL, blocked=f"the path is blocked at ({x:.2f}, {y:.2f}) m")
        target, twist = self._target(view, ahead, along, room)
        wanted = self._within(self._ask(target, twist, view.pose))
        return self._checked(view, wanted, ahead[near])

    def _target(
        self, view: LocalView, ahead: Array, along: Array, room: float
    ) -> tuple[Pose2, Twist]:
        """Return where the base shall be, and how that moves, in the frame of the map."""
        pose, goal = view.pose, view.goal
        left = pose.distance_to(goal)
        self._arrived |= left < self._near
        if self._arrived:
            place = goal if self.limits.holonomic else pose
            return Pose2(place.x, place.y, goal.yaw), STILL
        aim = ahead[int(np.searchsorted(along, LEAD).clip(0, len(along) - 1))]
        to_x, to_y = float(aim[0]) - pose.x, float(aim[1]) - pose.y
        direction = atan2(to_y, to_x)
        if not self.limits.holonomic and abs(wrap_angle(direction - pose.yaw)) > ASIDE:
            return Pose2(pose.x, pose.y, direction), STILL
        fastest = sqrt(2.0 * BRAKING_SHARE * self._deceleration * max(0.0, min(room, left)))
        speed = min(self.limits.max_vel_x, fastest)
        heading = float(aim[2]) if self.limits.holonomic else direction
        if hypot(to_x, to_y) < 1e-6:
            return Pose2(float(aim[0]), float(aim[1]), heading), STILL
        moving = (speed * cos(direction), speed * sin(direction), 0.0)
        x, y = ahead[0, 0], ahead[0, 1]
        return Pose2(float(x), float(y), heading), moving

    def _ask(self, target: Pose2, twist: Twist, pose: Pose2) -> Twist:
        """Ask the law; one that has failed again and again is not asked any more."""
        if self._failure is not None and self._failures >= FAILURES:
            raise self._failure
        try:
            vx, vy, wz = np.asarray(self.law.command(target, twist, pose), float).tolist()
        except MecanoError as error:
            self._failure, self._failures = self._failure or error, self._failures + 1
            raise self._failure from None  # the first: one that hung has ended by the next call
        self._failure, self._failures = None, 0
        return vx, vy, wz

    def _checked(self, view: LocalView, twist: Twist, trajectory: Array) -> Command:
        """Return the command, or that it leads into an obstacle."""
        times = np.linspace(0.0, FORESEEN, 6)[1:]
        poses = [view.pose @ Pose2.exp([t * each for each in twist]) for t in times]
        rows = np.array([[p.x, p.y, p.yaw] for p in poses])
        free = free_poses(view.costmap, rows)
        here = np.array([[view.pose.x, view.pose.y, view.pose.yaw]])
        if free.all() or not free_poses(view.costmap, here)[0]:
            return Command(twist=twist, trajectory=trajectory)
        x, y, _ = rows[int(np.argmin(free))]
        return Command(
            twist=STILL, blocked=f"the controller steers into an obstacle at ({x:.2f}, {y:.2f}) m"
        )

    def _within(self, twist: Twist) -> Twist:
        """Return a twist that the limits allow, in the same direction."""
        vx, vy, wz = twist
        own = self.limits
        back = -own.min_vel_x if own.holonomic or own.min_vel_x < 0.0 else 0.0
        vx = min(max(vx, -back), own.max_vel_x)
        vy = min(max(vy, -own.max_vel_y), own.max_vel_y)
        return vx, vy, min(max(wz, -own.max_vel_theta), own.max_vel_theta)

    @property
    def _deceleration(self) -> float:
        return self.limits.decel_lim_x or self.limits.acc_lim_x

    def _braking_distance(self, speed: Twist) -> float:
        return hypot(speed[0], speed[1]) ** 2 / (2.0 * BRAKING_SHARE * self._deceleration)
