"""The dynamic window approach (Fox, Burgard and Thrun, 1997), over (vx, vy, w).

Twists that the base can reach within one control cycle are driven for `sim_time` in thought. Those
that touch an obstacle, or after which the base could not stop before one, are discarded; of the
others the cheapest by distance to the path, to the goal and to obstacles is commanded. Parameter
names and meanings are those of DWAPlanner in ROS.
"""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array, finite_number
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


@dataclass(frozen=True, kw_only=True)
class DWAParameters(GoalTolerance):
    """Parameters of DWAPlanner; distances in metres, costs without unit."""

    sim_time: float = 1.7
    """Twists are driven in thought for this long [s]."""
    sim_granularity: float = 0.05
    """Time between two clearance checks [s]."""
    vx_samples: int = 7
    vy_samples: int = 7
    """Of a base that can strafe."""
    vth_samples: int = 21
    path_distance_bias: float = 0.6
    """Weight of the distance to the path [1/m]."""
    goal_distance_bias: float = 0.8
    """Weight of what is left of the path [1/m]."""
    occdist_scale: float = 0.001
    """Weight of the obstacle cost, from 0 to 252. DWAPlanner has 0.01, with which this window of
    one cycle stops before gaps instead of passing them."""
    twirling_scale: float = 0.0
    """Weight of the turn rate [s/rad]."""
    forward_point_distance: float = 0.325
    """The point this far ahead of the base also counts, so that it faces the path [m]; 0 for a base
    that may strafe along its path."""
    stop_time_buffer: float = 0.2
    """A trajectory must be free for this much longer than braking takes [s]."""
    scaling_speed: float = 0.25
    """From this speed on the footprint grows [m/s]."""
    max_scaling_factor: float = 0.2
    """By this share of its inscribed radius at max speed."""
    min_vel_trans: float = 0.0
    """Twists slower than this and than `min_vel_theta` are not sampled [m/s]."""
    min_vel_theta: float = 0.0
    """[rad/s]."""
    cost_scaling_factor: float = 10.0
    """How fast the obstacle cost falls off with clearance [1/m]."""

    def __post_init__(self) -> None:
        """Check what would break a search."""
        finite_number(self.sim_time, name="sim_time [s]", lower=1e-3)
        finite_number(self.sim_granularity, name="sim_granularity [s]", lower=1e-3)
        for name in ("vx_samples", "vy_samples", "vth_samples"):
            finite_number(getattr(self, name), name=name, lower=1)


class DWA:
    """Chooses twists by the dynamic window approach."""

    def __init__(self, limits: VelocityLimits, parameters: DWAParameters | None = None) -> None:
        """Take what the base can do."""
        self.limits, self.parameters = limits, parameters or DWAParameters()
        self._limits, self._cover = limits_array(limits), DiscCover()
        self._arrival = Arrival(limits, self.parameters)

    def reset(self) -> None:
        """Forget that a goal was reached."""
        self._arrival.reset()

    def command(self, view: LocalView) -> Command:
        """Return the twist for the next control cycle."""
        around = self._cover.surroundings(view.costmap)
        arrived = self._arrival.command(view, around)
        if arrived is not None:
            return arrived
        twists = self.window(view)
        costs = self._costs(view, around, twists)
        best = int(np.argmin(costs))
        if not np.isfinite(costs[best]):
            return self._arrival.brake(view, blocked_sentence(view, around))
        vx, vy, w = twists[best].tolist()
        return self._arrival.unless_stuck(view, around, (vx, vy, w), self._drawn(view, (vx, vy, w)))

    def window(self, view: LocalView) -> Array:
        """Return the twists that can be reached within a control cycle. Shape (n, 3)."""
        p, limits, dt = self.parameters, self.limits, view.period
        vx, vy, w = view.speed
        up, down = limits.acc_lim_x * dt, self._limits[5] * dt
        xs = _samples(vx, *((up, down) if vx >= 0 else (down, up)), p.vx_samples,
                      limits.min_vel_x, limits.max_vel_x)  # fmt: skip
        step = limits.acc_lim_y * dt
        ys = _samples(vy, step, step, p.vy_samples, -limits.max_vel_y, limits.max_vel_y)
        step = limits.acc_lim_theta * dt
        ws = _samples(w, step, step, p.vth_samples, -limits.max_vel_theta, limits.max_vel_theta)
        twists = np.stack(np.meshgrid(xs, ys, ws, indexing="ij"), axis=-1).reshape(-1, 3)
        slow = (np.hypot(twists[:, 0], twists[:, 1]) + 1e-9 < p.min_vel_trans) & (
            np.abs(twists[:, 2]) + 1e-9 < p.min_vel_theta
        )
        return twists[~slow] if not slow.all() else twists

    def _costs(self, view: LocalView, around: Surroundings, twists: Array) -> Array:
        """Return the cost of every twist; infinite if it is not admissible."""
        from mecano.planning.navigation.rollouts_kernel import arcs, path_distances

        p = self.parameters
        rows = arcs(
            around.field, around.geometry, around.discs, start_state(view), twists, self._limits,
            view.period + p.stop_time_buffer, p.sim_time, p.sim_granularity,
        )  # fmt: skip
        here = around.clearance(view.pose.x, view.pose.y, view.pose.yaw)
        floor = np.minimum(self._grown(view, twists), here - 1e-6)
        free = (rows[:, 0] >= floor) & (rows[:, 1] >= floor)
        path = path_ahead(view, self._length())
        ends = rows[:, 2:4]
        far = path_distances(path, SPACING, ends)
        cost = p.path_distance_bias * far[:, 0] + p.goal_distance_bias * far[:, 1]
        if p.forward_point_distance > 0.0:
            ahead = p.forward_point_distance
            nose = ends + ahead * np.column_stack([np.cos(rows[:, 4]), np.sin(rows[:, 4])])
            far = path_distances(_longer(path, view, ahead), SPACING, nose)
            cost += p.path_distance_bias * far[:, 0] + p.goal_distance_bias * far[:, 1]
        room = np.maximum(rows[:, 1], 0.0)
        cost += p.occdist_scale * 252.0 * np.exp(-p.cost_scaling_factor * room)
        cost += p.twirling_scale * np.abs(twists[:, 2])
        return np.where(free, cost, np.inf)

    def _grown(self, view: LocalView, twists: Array) -> Array:
        """Return how much clearance each twist needs by its speed [m]."""
        p = self.parameters
        fastest = float(np.hypot(self.limits.max_vel_x, self.limits.max_vel_y))
        share = (np.hypot(twists[:, 0], twists[:, 1]) - p.scaling_speed) / max(
            fastest - p.scaling_speed, 1e-9
        )
        radius = view.costmap.footprint.inscribed_radius
        return p.max_scaling_factor * radius * np.clip(share, 0.0, 1.0)

    def _length(self) -> float:
        fastest = float(np.hypot(self.limits.max_vel_x, self.limits.max_vel_y))
        return fastest * self.parameters.sim_time + self.parameters.forward_point_distance + 0.5

    def _drawn(self, view: LocalView, twist: tuple[float, float, float]) -> Array:
        """Return the trajectory of a twist, for the view. Shape (n, 3)."""
        from mecano.core.poses import Pose2

        times = np.linspace(0.0, self.parameters.sim_time, 12)
        poses = [view.pose @ Pose2.exp([t * part for part in twist]) for t in times]
        return np.array([(pose.x, pose.y, pose.yaw) for pose in poses])


def _longer(path: Array, view: LocalView, length: float) -> Array:
    """Return a path that goes on beyond its end, so that the nose of a base may pass the goal."""
    along = path[-1] - (path[-2] if len(path) > 1 else (view.pose.x, view.pose.y))
    size = max(float(np.hypot(*along)), 1e-9)
    steps = np.arange(SPACING, length + 0.5 * SPACING, SPACING)
    return np.vstack([path, path[-1] + steps[:, None] * along / size])


def _samples(now: float, up: float, down: float, count: int, low: float, high: float) -> Array:
    """Return speeds between now - down and now + up within limits; 0 and the edges among them."""
    first, last = max(now - down, low), min(now + up, high)
    if first > last:  # faster than allowed: brake as much as possible
        edge = now - down if now > high else now + up
        return np.array([edge])
    speeds = np.linspace(first, last, count) if count > 1 else np.array([0.5 * (first + last)])
    return np.unique(np.append(speeds, 0.0)) if first <= 0.0 <= last else speeds
