"""The end of a drive, the same for all local planners: stop at the goal, turn to its heading."""

from dataclasses import dataclass
from math import atan2, cos, hypot, sin, sqrt

import numpy as np

from mecano.core.arrays import Array
from mecano.planning.navigation.contract import Command, LocalView, VelocityLimits
from mecano.planning.navigation.rollouts import (
    STANDING,
    STEP,
    Surroundings,
    blocked_sentence,
    limits_array,
    start_state,
)


@dataclass(frozen=True, kw_only=True)
class GoalTolerance:
    """When a goal counts as reached; names as DWAPlanner has them."""

    xy_goal_tolerance: float = 0.1
    """[m]."""
    yaw_goal_tolerance: float = 0.1
    """[rad]."""
    latch_xy_goal_tolerance: bool = True
    """Once within `xy_goal_tolerance` it only turns, even if turning moves it out again."""


class Arrival:
    """Ends a drive: brakes within the acceleration limits, then turns to the goal's heading."""

    def __init__(self, limits: VelocityLimits, tolerance: GoalTolerance) -> None:
        """Take what the base can do and when it has arrived."""
        self.limits, self.tolerance = limits, tolerance
        self._limits = limits_array(limits)
        self._latched: tuple[float, float] | None = None

    def reset(self) -> None:
        """Forget that a goal was reached."""
        self._latched = None

    def command(self, view: LocalView, around: Surroundings) -> Command | None:
        """Return the twist within the goal's tolerance; None while the goal is further away."""
        goal, tolerance = view.goal, self.tolerance
        away = hypot(goal.x - view.pose.x, goal.y - view.pose.y)
        latched = tolerance.latch_xy_goal_tolerance and self._latched == (goal.x, goal.y)
        if away > tolerance.xy_goal_tolerance and not latched:
            return None
        self._latched = goal.x, goal.y
        vx, vy, w = view.speed
        error = atan2(sin(goal.yaw - view.pose.yaw), cos(goal.yaw - view.pose.yaw))
        if hypot(vx, vy) > 0.05 or abs(error) <= tolerance.yaw_goal_tolerance:
            return self.brake(view)
        most = self.limits.acc_lim_theta * view.period
        fast = min(self.limits.max_vel_theta, sqrt(1.6 * self.limits.acc_lim_theta * abs(error)))
        wanted = (fast if error > 0.0 else -fast) * min(1.0, abs(error) / (fast * view.period))
        turn = min(max(wanted, w - most), w + most)
        braking = self.brake(view).twist
        twist = braking[0], braking[1], turn
        if self.is_safe(view, around, twist):
            return Command(twist=twist)
        return self.brake(view, f"turning to the goal's heading: {blocked_sentence(view, around)}")

    def brake(self, view: LocalView, blocked: str = "") -> Command:
        """Return the twist that stops the base as fast as its limits allow.

        Once it stands, `blocked` says why it does.
        """
        vx, vy, w = view.speed
        if max(abs(vx), abs(vy), abs(w)) < STANDING:
            return Command(twist=(0.0, 0.0, 0.0), blocked=blocked)
        limits, dt = self._limits, view.period
        slower = (limits[5] * dt, limits[6] * dt, limits[7] * dt)
        twist = [
            speed - float(np.clip(speed, -step, step))
            for speed, step in zip(view.speed, slower, strict=True)
        ]
        return Command(twist=(twist[0], twist[1], twist[2]))

    def is_safe(
        self, view: LocalView, around: Surroundings, twist: tuple[float, float, float],
        margin: float = 0.0,
    ) -> bool:  # fmt: skip
        """Tell whether a base that drives a twist for a cycle can still stop in free space."""
        from mecano.planning.navigation.field_kernel import safe_clearance

        least = safe_clearance(
            around.field, around.geometry, around.discs, start_state(view), np.array(twist),
            view.period, self._limits, STEP,
        )  # fmt: skip
        here = around.clearance(view.pose.x, view.pose.y, view.pose.yaw)
        return bool(least >= min(margin, here - 1e-6))

    def unless_stuck(
        self, view: LocalView, around: Surroundings, twist: tuple[float, float, float],
        trajectory: Array,
    ) -> Command:  # fmt: skip
        """Return a command, or why the base stays where it is if the twist does not move it."""
        moves = max(map(abs, twist)) >= STANDING or max(map(abs, view.speed)) >= STANDING
        if not moves:
            return Command(twist=(0.0, 0.0, 0.0), blocked=blocked_sentence(view, around))
        return Command(twist=twist, trajectory=trajectory)
