"""Model predictive path integral control (Williams et al., 2017): many noisy rollouts, averaged.

The sequence of controls of the last cycle is varied by noise, every variant is rolled out with the
true acceleration limits, and the mean weighted by exp(-cost / temperature) is the new sequence. The
noise is one table, drawn once from a seed, of which every row also exists with the sides swapped:
the same call gives the same answer, and the mirrored world the mirrored one.
"""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.randomness import RandomStreams
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

SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Of the wanted speed, tried in turn until the base can stop in time."""


@dataclass(frozen=True, kw_only=True)
class MPPIParameters(GoalTolerance):
    """Parameters; names as Nav2's MPPI controller has them where it has the same."""

    batch_size: int = 300
    """Rollouts: groups of four, each with its mirror image and with both reversed."""
    time_steps: int = 24
    model_dt: float = 0.06
    """Of a step [s]."""
    vx_std: float = 0.35
    """Sigma of the noise, as a share of the max speed."""
    vy_std: float = 0.35
    wz_std: float = 0.35
    temperature: float = 0.15
    """Lower trusts the best rollouts more."""
    path_weight: float = 1.5
    """Of the distance to the path, over time [1/(m s)]."""
    goal_weight: float = 2.0
    """Of what is left of the path at the end [1/m]."""
    obstacle_weight: float = 3.0
    """Of nearness to obstacles, over time [1/s]."""
    obstacle_scale: float = 0.08
    """The obstacle cost falls off by e over this clearance [m]."""
    smoothness_weight: float = 0.03
    """Of changes of speed [s/m]."""
    heading_weight: float = 0.6
    """Of not facing along the path, over time [1/s]; 0 for a base that can strafe."""
    twirling_weight: float = 0.1
    """Of turning, over time [1/rad]; of a base that can strafe, whose heading is free."""
    slowing_distance: float = 0.5
    """From here to the goal noise and temperature become smaller [m],"""
    finest: float = 0.15
    """down to this share."""
    margin: float = 0.03
    """Rollouts that come nearer to an obstacle than this count as collisions [m]."""
    seed: int = 0
    """Of the noise."""

    def __post_init__(self) -> None:
        """Check what would break the average."""
        finite_number(self.batch_size, name="batch_size", lower=4)
        finite_number(self.time_steps, name="time_steps", lower=2)
        finite_number(self.model_dt, name="model_dt [s]", lower=1e-3)
        finite_number(self.temperature, name="temperature", lower=1e-6)


class MPPI:
    """Chooses twists by model predictive path integral control."""

    def __init__(self, limits: VelocityLimits, parameters: MPPIParameters | None = None) -> None:
        """Take what the base can do and draw the noise."""
        self.limits, self.parameters = limits, parameters or MPPIParameters()
        self._limits, self._cover = limits_array(limits), DiscCover()
        self._arrival = Arrival(limits, self.parameters)
        self._noise = self._draw()
        self._controls = np.zeros((self.parameters.time_steps, 3))

    def reset(self) -> None:
        """Forget the controls of the last cycle."""
        self._arrival.reset()
        self._controls = np.zeros_like(self._controls)

    def _draw(self) -> Array:
        """Return the noise: smooth in time, of mean zero, the last row none.

        It is drawn once, so a mean other than zero would push the base in every cycle: near the
        goal, where costs differ little, that alone would keep it away.
        """
        p = self.parameters
        rng = RandomStreams(p.seed).get("mppi")
        quarter = max(1, (p.batch_size - 1) // 4)
        raw = rng.standard_normal((quarter, p.time_steps, 3))
        for t in range(1, p.time_steps):  # neighbours in time go together
            raw[:, t] = 0.8 * raw[:, t - 1] + 0.6 * raw[:, t]
        limits = self.limits
        raw *= (
            p.vx_std * limits.max_vel_x,
            p.vy_std * limits.max_vel_y,
            p.wz_std * limits.max_vel_theta,
        )
        mirrored = raw * (1.0, -1.0, -1.0)
        none = np.zeros((1, p.time_steps, 3))
        return np.concatenate([raw, mirrored, -raw, -mirrored, none])

    def command(self, view: LocalView) -> Command:
        """Return the twist for the next control cycle."""
        around = self._cover.surroundings(view.costmap)
        arrived = self._arrival.command(view, around)
        if arrived is not None:
            self._controls[:] = 0.0
            return arrived
        controls = self._improve(view, around)
        self._controls = self._shifted(controls, view.period)
        for share in SHARES:
            twist = self._within_reach(view, share * controls[0])
            if self._arrival.is_safe(view, around, twist, self.parameters.margin):
                return self._arrival.unless_stuck(view, around, twist, self._drawn(view, controls))
        self._controls[:] = 0.0
        return self._arrival.brake(view, blocked_sentence(view, around))

    def _improve(self, view: LocalView, around: Surroundings) -> Array:
        """Return the mean of all rollouts, the better the heavier. Shape (steps, 3)."""
        from mecano.planning.navigation.rollouts_kernel import sampled

        p = self.parameters
        horizon = p.time_steps * p.model_dt
        length = float(np.hypot(self.limits.max_vel_x, self.limits.max_vel_y)) * horizon + 0.5
        heading = 0.0 if self.limits.holonomic else p.heading_weight
        fine = min(1.0, max(p.finest, view.pose.distance_to(view.goal) / p.slowing_distance))
        noise = fine * self._noise
        here = around.clearance(view.pose.x, view.pose.y, view.pose.yaw)
        weights = np.array([
            p.path_weight, p.goal_weight, p.obstacle_weight, p.smoothness_weight, heading,
            p.obstacle_scale, min(p.margin, here - 1e-6),
            p.twirling_weight if self.limits.holonomic else 0.0,
        ])  # fmt: skip
        costs = sampled(
            around.field, around.geometry, around.discs, start_state(view),
            path_ahead(view, length), SPACING, self._controls, noise, weights, self._limits,
            p.model_dt,
        )  # fmt: skip
        shares = np.exp(-(costs - costs.min()) / (fine * p.temperature))
        shares /= shares.sum()
        controls = self._controls + np.einsum("k,ktc->tc", shares, noise)
        low, high = self._bounds()
        return np.clip(controls, low, high)

    def _bounds(self) -> tuple[Array, Array]:
        limits = self.limits
        high = np.array([limits.max_vel_x, limits.max_vel_y, limits.max_vel_theta])
        return np.array([limits.min_vel_x, -limits.max_vel_y, -limits.max_vel_theta]), high

    def _shifted(self, controls: Array, period: float) -> Array:
        """Return the controls as they are seen one cycle later: the warm start."""
        steps = np.arange(len(controls)) + period / self.parameters.model_dt
        return np.column_stack([
            np.interp(steps, np.arange(len(controls)), controls[:, i]) for i in range(3)
        ])  # fmt: skip

    def _within_reach(self, view: LocalView, wanted: Array) -> tuple[float, float, float]:
        """Return the twist nearest to the wanted one that the base reaches within a cycle."""
        from mecano.planning.navigation.field_kernel import ramped

        dt, limits = view.period, self._limits
        faster = (limits[4] * dt, limits[6] * dt, limits[7] * dt)
        slower = (limits[5] * dt, limits[6] * dt, limits[7] * dt)
        vx, vy, w = (
            float(ramped(now, float(want), up, down))
            for now, want, up, down in zip(view.speed, wanted, faster, slower, strict=True)
        )
        return vx, vy, w

    def _drawn(self, view: LocalView, controls: Array) -> Array:
        """Return the trajectory of a sequence of controls, for the view. Shape (n, 3)."""
        from mecano.planning.navigation.field_kernel import advance

        state, poses = start_state(view), [start_state(view)[:3]]
        for vx, vy, w in controls:
            advance(state, vx, vy, w, self._limits, self.parameters.model_dt)
            poses.append(state[:3].copy())
        return np.array(poses)
