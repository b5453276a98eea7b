"""Drives a base to a goal through unknown surroundings, by its own LIDAR and odometry alone.

    scan, odometry -> costmap -> global path, a few times a second -> local planner -> twist

It sees messages only, never the simulator. What was never seen counts as free, so the path leads
towards the goal through unknown space and is made anew as obstacles appear.
"""

import time
from dataclasses import dataclass, field
from math import hypot

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose, Pose2
from mecano.planning.navigation.contract import (
    Command,
    Costmap,
    LocalPlanner,
    LocalView,
    Plan,
)
from mecano.planning.navigation.costmap import (
    CostmapSettings,
    Inflation,
    LayeredCostmap,
    make_costmap,
)
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.layers import ObstacleSource
from mecano.tasks.barn.route import ClearanceRoute


@dataclass(frozen=True, kw_only=True)
class DriverSettings:
    """How often it plans, on what map."""

    resolution: float = 0.05
    """Of the costmap [m]."""
    window: tuple[float, float] = (12.0, 24.0)
    """Of the rolling costmap along x and y [m]."""
    local_window: float = 5.0
    """Side of what the local planner sees [m]."""
    sight: float = 8.0
    """Further readings mark nothing [m]."""
    replan_period: float = 0.2
    """Between two searches for a path [s]."""
    switch_gain: float = 0.5
    """Another path is taken only if it is cheaper by this much [m]."""
    inflation: Inflation = field(
        default_factory=lambda: Inflation(inflation_radius=0.9, cost_scaling_factor=4.0)
    )


class Driver:
    """Joins costmap, global planner and local planner; one call per control cycle."""

    def __init__(
        self, goal: Pose2, footprint: Footprint, global_planner: ClearanceRoute,
        local_planner: LocalPlanner, *, period: float, settings: DriverSettings | None = None,
    ) -> None:  # fmt: skip
        """Start with an empty map.

        Args:
            goal: In the frame of the odometry.
            footprint: Of the base.
            global_planner: Finds the path.
            local_planner: Follows it.
            period: Of the control cycle [s].
            settings: See there.
        """
        self.goal, self.period = goal, period
        self.settings = s = settings or DriverSettings()
        self._footprint, self._global, self._local = footprint, global_planner, local_planner
        source = ObstacleSource(
            name="scan", obstacle_max_range=s.sight, raytrace_max_range=s.sight + 1.0
        )
        self._map = LayeredCostmap(
            CostmapSettings(
                resolution=s.resolution, width=s.window[0], height=s.window[1],
                inflation=s.inflation, footprint_padding=0.0, sources=(source,),
            ),
            footprint,
            frame="odom",
        )  # fmt: skip
        self.plan: Plan | None = None
        self._planned_at = -np.inf
        self.last: Command | None = None
        self.local_time = 0.0
        """Spent in the local planner, for benchmarks [s]."""

    def step(
        self, now: float, scan: LaserScan, sensor: Pose, pose: Pose2,
        speed: tuple[float, float, float],
    ) -> Command:  # fmt: skip
        """Return the twist for the next cycle.

        Args:
            now: [s].
            scan: The newest one.
            sensor: Where the scanner was, by odometry.
            pose: Where the base is, by odometry.
            speed: Its twist now.
        """
        self._map.move_to(pose)
        self._map.add_scan("scan", scan, sensor)
        if now - self._planned_at >= self.settings.replan_period - 1e-6:
            self._replan(now, pose)
        local = self._local_costmap(pose, now)
        view = LocalView(
            pose=pose, speed=speed, costmap=local, path=self._path(), goal=self.goal,
            period=self.period,
        )  # fmt: skip
        began = time.perf_counter()
        self.last = self._local.command(view)
        self.local_time += time.perf_counter() - began
        return self.last

    def _path(self) -> Array:
        return np.zeros((0, 3)) if self.plan is None else self.plan.poses

    def _replan(self, now: float, pose: Pose2) -> None:
        """Look for a better path; the present one is kept unless another is clearly cheaper."""
        costmap = self._map.read(now)
        plan = self._global.plan(costmap, pose, self.goal)
        self._planned_at = now
        if not plan.found:
            return
        if self.plan is not None:
            left = rest_of(self.plan.poses, pose)
            gain = self._global.cost(costmap, left) - self._global.cost(costmap, plan.poses)
            if gain < self.settings.switch_gain:
                return
        self.plan = plan

    def _local_costmap(self, pose: Pose2, now: float) -> Costmap:
        """Return the costmap of a window around the base, cut out of the rolling one."""
        layer, half = self._map.obstacles, 0.5 * self.settings.local_window
        step, (x0, y0) = layer.resolution, layer.origin
        height, width = layer.columns.shape
        left = min(max(int((pose.x - half - x0) / step), 0), width - 2)
        low = min(max(int((pose.y - half - y0) / step), 0), height - 2)
        right = min(left + round(2.0 * half / step), width)
        high = min(low + round(2.0 * half / step), height)
        return make_costmap(
            layer.columns[low:high, left:right] != 0, self._footprint, resolution=step,
            origin=(x0 + left * step, y0 + low * step), inflation=self.settings.inflation,
            frame="odom", stamp=now,
        )  # fmt: skip

    @property
    def distance_left(self) -> float:
        """Straight to the goal from where the last plan began [m]."""
        if self.plan is None or not len(self.plan.poses):
            return float("inf")
        return hypot(self.goal.x - self.plan.poses[0, 0], self.goal.y - self.plan.poses[0, 1])


def rest_of(path: Array, pose: Pose2) -> Array:
    """Return a path from its point nearest to a pose on, the pose before it. Shape (n, 3)."""
    nearest = int(np.argmin(np.hypot(path[:, 0] - pose.x, path[:, 1] - pose.y)))
    return np.vstack([(pose.x, pose.y, pose.yaw), path[nearest:]])
