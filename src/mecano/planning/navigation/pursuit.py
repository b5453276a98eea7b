"""Predictive pure pursuit: follow the path as fast as clearance and braking distance allow.

At every cycle pure pursuit is rolled out in closed loop for several lookaheads and speed caps, with
the true acceleration limits, and a full stop at the end of each rollout. Of those that stay clear
of obstacles the one that gets furthest along the path is driven. A base that can reverse also
tries to follow the path backwards.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.planning.navigation.arrival import Arrival, GoalTolerance
from mecano.planning.navigation.contract import Command, LocalView, VelocityLimits
from mecano.planning.navigation.rollouts import (
    SPACING,
    DiscCover,
    Surroundings,
    blocked_sentence,
    limits_array,
    path_ahead,
    start_state,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

ESCAPE_SPEED, ESCAPE_TIME, ESCAPE_SLACK = 0.25, 0.8, 0.004
"""When no rollout is free, the base creeps at most this fast [m/s] for this long [s] towards more
clearance, and may lose this much of it in between [m]."""


@dataclass(frozen=True, kw_only=True)
class PursuitParameters(GoalTolerance):
    """How it weighs speed against room."""

    sim_time: float = 1.2
    """Of a rollout [s], without the stop at its end."""
    lookaheads: "Sequence[float]" = (0.35, 0.55, 0.8, 1.2)
    """[m]."""
    speeds: "Sequence[float]" = (0.15, 0.3, 0.5, 0.75, 1.0, 1.35, 1.7, 2.0)
    """Speed caps that are tried, as far as the limits allow them [m/s]."""
    reverse_speeds: "Sequence[float]" = (0.15, 0.4)
    """The same in reverse [m/s]."""
    margin: float = 0.03
    """Rollouts that come nearer to an obstacle than this are not driven [m]."""
    speed_at_contact: float = 0.6
    """Speed law: max speed is this plus `speed_per_clearance` times the clearance [m/s]."""
    speed_per_clearance: float = 4.0
    """[1/s]."""
    max_lateral_acceleration: float = 3.0
    """[m/s2]."""
    clearance_weight: float = 1.0
    """Costs of a rollout along which the base is nearer than 0.3 m to obstacles."""
    cross_track_weight: float = 0.5
    """Costs of ending beside the path [m per m]."""
    reverse_penalty: float = 0.3
    """Forward is preferred unless reverse gets further by this much [m]."""


class Pursuit:
    """Chooses twists by predictive pure pursuit; for a base that drives along its heading."""

    def __init__(self, limits: VelocityLimits, parameters: PursuitParameters | None = None) -> None:
        """Take what the base can do."""
        self.limits, self.parameters = limits, parameters or PursuitParameters()
        self._limits, self._cover = limits_array(limits), DiscCover()
        self._arrival = Arrival(limits, self.parameters)
        p = self.parameters
        caps = [cap for cap in p.speeds if cap < limits.max_vel_x] + [limits.max_vel_x]
        caps += [-cap for cap in p.reverse_speeds if cap <= -limits.min_vel_x]
        self._choices = np.array([(ahead, cap) for cap in caps for ahead in p.lookaheads])
        self._penalties = np.where(self._choices[:, 1] < 0.0, p.reverse_penalty, 0.0)
        self._law = np.array(
            [p.speed_at_contact, p.speed_per_clearance, p.max_lateral_acceleration]
        )

    def reset(self) -> None:
        """Nothing is kept from goal to goal but whether it has arrived."""
        self._arrival.reset()

    def command(self, view: LocalView) -> Command:
        """Return the twist for the next control cycle."""
        around = self._cover.surroundings(view.costmap)
        arrived = self._arrival.command(view, around)
        if arrived is not None:
            return arrived
        rows, poses = self._roll_out(view, around)
        best = self._choose(rows, around, view)
        if best is None:
            return self._escape(view, around)
        twist = float(rows[best, 4]), 0.0, float(rows[best, 6])
        return self._arrival.unless_stuck(view, around, twist, poses[best])

    def _escape(self, view: LocalView, around: Surroundings) -> Command:
        """Return a slow twist that leads away from obstacles, where pursuit finds no way on."""
        from mecano.planning.navigation.rollouts_kernel import arcs

        brake = self._arrival.brake(view, blocked_sentence(view, around))
        if max(map(abs, view.speed)) > ESCAPE_SPEED + 1e-6:
            return brake
        low, high = max(-ESCAPE_SPEED, self.limits.min_vel_x), ESCAPE_SPEED
        speeds, turns = np.linspace(low, high, 5), np.linspace(-1.5, 1.5, 7)
        twists = np.array([(v, 0.0, w) for v in speeds for w in turns])
        rows = arcs(
            around.field, around.geometry, around.discs, start_state(view), twists, self._limits,
            view.period, ESCAPE_TIME, 0.5 * view.period,
        )  # fmt: skip
        here = around.clearance(view.pose.x, view.pose.y, view.pose.yaw)
        floor = min(self.parameters.margin, here) - ESCAPE_SLACK
        free = (rows[:, 0] >= floor) & (rows[:, 1] >= floor) & (rows[:, 5] > here + ESCAPE_SLACK)
        if not free.any() or floor < -0.5 * ESCAPE_SPEED:
            return brake
        best = twists[int(np.argmax(np.where(free, rows[:, 5], -np.inf)))]
        vx, w = (float(x) for x in self._reachable(view, best))
        return Command(twist=(vx, 0.0, w))

    def _reachable(self, view: LocalView, wanted: Array) -> tuple[float, float]:
        from mecano.planning.navigation.field_kernel import advance

        state = start_state(view)
        advance(state, *wanted.tolist(), self._limits, view.period)
        return state[3], state[5]

    def _roll_out(self, view: LocalView, around: Surroundings) -> tuple[Array, Array]:
        from mecano.planning.navigation.pursuit_kernel import pursue

        p = self.parameters
        length = self.limits.max_vel_x * p.sim_time + max(p.lookaheads)
        path = path_ahead(view, length)
        ends = bool(np.hypot(path[-1, 0] - view.goal.x, path[-1, 1] - view.goal.y) < SPACING)
        steps = max(1, round(p.sim_time / view.period))
        return pursue(
            around.field, around.geometry, around.discs, start_state(view), path, SPACING, ends,
            self._choices, self._law, self._limits, steps, view.period,
        )  # fmt: skip

    def _choose(self, rows: Array, around: Surroundings, view: LocalView) -> int | None:
        """Return the number of the best rollout, or None if none stays clear."""
        p = self.parameters
        here = around.clearance(view.pose.x, view.pose.y, view.pose.yaw)
        floor = min(p.margin, here - 1e-6)
        free = rows[:, 2] >= floor
        if not free.any():
            return None
        score = (
            rows[:, 0]
            - p.cross_track_weight * rows[:, 1]
            - p.clearance_weight * rows[:, 3]
            - self._penalties
        )
        return int(np.argmax(np.where(free, score, -np.inf)))
