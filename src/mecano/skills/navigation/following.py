"""A local planner that keeps exactly to the plan and stops before obstacles.

Where a passage leaves no room to choose, as between two shelves, the plan is the only trajectory
that fits. The base follows it pose by pose, headings included, as fast as it can still brake
before the first pose that is not free any more; it leaves going around obstacles to the planner.
A base that cannot strafe turns into the path first and then steers along it (pure pursuit).
"""

from math import atan2, hypot, inf, sqrt

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose2, wrap_angle
from mecano.planning.navigation.contract import Command, LocalView, VelocityLimits
from mecano.planning.navigation.footprint_check import free_poses

AHEAD = 0.10
"""The base aims at a point of the path this far ahead [m]."""
TURNED = 0.25
"""A heading error of 1 rad counts as this distance along the path [m]."""
GAIN, TURN_GAIN = 4.0, 3.0
"""Of errors across the path and of the heading [1/s]."""
OFF = 0.05
"""A base further beside its path than this slows down [m]."""
CHECKED = 0.6
"""At least so far ahead the path must be free [m]."""
PURSUED = 0.35
"""A base that cannot strafe aims this far ahead [m]."""
SAME = 1e-3
"""Poses of the path that are no further apart are a turn on the spot [m]."""
ASIDE = 0.6
"""And turns on the spot if that point is further aside [rad]."""
BRAKING_SHARE = 0.6
"""Of the deceleration that the limits allow: the rest is for corrections."""


class PlanFollower:
    """Follows the plan of a base of any kind."""

    def __init__(
        self,
        limits: VelocityLimits,
        *,
        xy_goal_tolerance: float = 0.02,
        yaw_goal_tolerance: float = 0.03,
    ) -> None:
        """Take what the base can do, and when it has arrived [m], [rad]."""
        self.limits = limits
        self._near, self._turned = xy_goal_tolerance, yaw_goal_tolerance

        self._arrived = False

    def reset(self) -> None:
        """Forget that a goal was reached."""
        self._arrived = False

    def command(self, view: LocalView) -> Command:
        """Return the twist for the next control cycle."""
        ahead = np.vstack([view.path, [view.goal.x, view.goal.y, view.goal.yaw]])
        along = along_path(ahead)
        at = nearest_on_path(ahead, along, view.pose)
        ahead, along = ahead[at:], along[at:] - along[at]
        reach = max(CHECKED, 2.0 * self._braking_distance(view.speed))
        near = along <= reach
        free = free_poses(view.costmap, ahead[near])
        room = inf if free.all() else float(along[int(np.argmin(free))]) - AHEAD
        if room <= 0.0:
            x, y, _ = ahead[int(np.argmin(free))]
            return Command(
                twist=(0.0, 0.0, 0.0),
                blocked=f"the path is blocked {max(0.0, room + AHEAD):.2f} m ahead, at "
                f"({x:.2f}, {y:.2f}) m",
            )
        steer = self._twist if self.limits.holonomic else self._steered
        return Command(twist=steer(view, ahead, along, room), trajectory=ahead[near])

    def _steered(
        self, view: LocalView, ahead: Array, along: Array, room: float
    ) -> tuple[float, float, float]:
        """Return the twist of a base that cannot strafe: turn to the path, or drive an arc."""
        pose, goal, most = view.pose, view.goal, self.limits.max_vel_theta
        left = pose.distance_to(goal)
        self._arrived |= left < self._near
        if self._arrived:  # it only turns from now on: it could not correct sideways
            error = wrap_angle(goal.yaw - pose.yaw)
            turn = 0.0 if abs(error) < self._turned else TURN_GAIN * error
            return 0.0, 0.0, min(max(turn, -most), most)
        aim = ahead[int(np.searchsorted(along, PURSUED).clip(0, len(along) - 1))]
        x, y = pose.inverse().transform_points(aim[:2]).tolist()
        bearing, far = atan2(y, x), max(hypot(x, y), 1e-6)
        if abs(bearing) > ASIDE:
            return 0.0, 0.0, min(max(TURN_GAIN * bearing, -most), most)
        fastest = sqrt(2.0 * BRAKING_SHARE * self._deceleration * max(0.0, min(room, left)))
        speed = min(self.limits.max_vel_x, fastest) * max(0.2, 1.0 - abs(bearing) / ASIDE)
        turn = speed * 2.0 * y / far**2
        over = max(1.0, abs(turn) / most)
        return speed / over, 0.0, turn / over

    def _braking_distance(self, speed: tuple[float, float, float]) -> float:
        return hypot(speed[0], speed[1]) ** 2 / (2.0 * BRAKING_SHARE * self._deceleration)

    @property
    def _deceleration(self) -> float:
        return self.limits.decel_lim_x or self.limits.acc_lim_x

    def _twist(
        self, view: LocalView, ahead: Array, along: Array, room: float
    ) -> tuple[float, float, float]:
        """Return the twist towards the point ahead, no faster than the rest of the way allows."""
        pose = view.pose
        aim = ahead[int(np.searchsorted(along, AHEAD).clip(0, len(along) - 1))]
        heading = wrap_angle(_heading(ahead, along) - pose.yaw)
        turn = TURN_GAIN * heading
        dx, dy = float(aim[0]) - pose.x, float(aim[1]) - pose.y
        far = hypot(dx, dy)
        left = pose.distance_to(view.goal)
        if left < self._near and abs(wrap_angle(view.goal.yaw - pose.yaw)) < self._turned:
            return 0.0, 0.0, 0.0
        speed = sqrt(2.0 * BRAKING_SHARE * self._deceleration * max(0.0, min(room, left)))
        speed = min(speed, GAIN * far)
        beside = hypot(float(ahead[0, 0]) - pose.x, float(ahead[0, 1]) - pose.y)
        slow = min(1.0, OFF / max(beside, 1e-9)) * max(0.1, 1.0 - abs(heading) / 0.3)
        direction = atan2(dy, dx) - pose.yaw
        vx, vy = speed * slow * np.cos(direction), speed * slow * np.sin(direction)
        return self._within(float(vx), float(vy), turn)

    def _within(self, vx: float, vy: float, wz: float) -> tuple[float, float, float]:
        """Return a twist that the limits allow, in the same direction."""
        limits = self.limits
        over = max(
            1.0, abs(vx) / (limits.max_vel_x if vx > 0.0 else max(-limits.min_vel_x, 1e-9)),
            abs(vy) / limits.max_vel_y,
        )  # fmt: skip
        most = limits.max_vel_theta
        return vx / over, vy / over, min(max(wz, -most), most)


def along_path(poses: Array) -> Array:
    """Return how far each pose is along the path; turns on the spot count too [m]. Shape (n,)."""
    steps = np.hypot(*np.diff(poses[:, :2], axis=0).T)
    turns = np.abs(wrap_angle(np.diff(poses[:, 2])))
    return np.concatenate([[0.0], np.cumsum(np.where(steps > 1e-6, steps, TURNED * turns))])


def _heading(ahead: Array, along: Array) -> float:
    """Return the heading to take now: where the path turns on the spot, one further on [rad]."""
    away = np.hypot(ahead[:, 0] - ahead[0, 0], ahead[:, 1] - ahead[0, 1]) > SAME
    turns = int(np.argmax(away)) if away.any() else len(ahead)
    within = int(np.searchsorted(along[:turns], AHEAD, side="right")) - 1
    return float(ahead[min(max(within, 1), turns - 1), 2])


def nearest_on_path(poses: Array, along: Array, pose: Pose2) -> int:
    """Return the pose of the next metre that the base is nearest to.

    Of poses at one place, a turn on the spot, it is the one with the nearest heading. Elsewhere
    headings do not count: else a base that heads as its goal would skip the path to it.
    """
    some = poses[along <= 1.0]
    far = np.hypot(some[:, 0] - pose.x, some[:, 1] - pose.y)
    first = int(np.argmin(far))
    apart = np.hypot(*(some[first:, :2] - some[first, :2]).T) > SAME
    last = first + int(np.argmax(apart)) if apart.any() else len(some)
    return first + int(np.argmin(np.abs(wrap_angle(some[first:last, 2] - pose.yaw))))
