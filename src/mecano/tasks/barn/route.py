"""A global path that keeps away from obstacles where there is room: A* weighted by clearance."""

from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Costmap, Plan, PlanOutcome
from mecano.planning.navigation.grid_search import shortest_path


@dataclass(frozen=True, kw_only=True)
class ClearanceRoute:
    """A global planner: length weighted by how near obstacles are.

    If nothing leads through at the wide radius, narrower ones are tried in turn.
    """

    radii: tuple[float, ...] = (0.25, 0.21)
    """Of the base, as a circle [m]."""
    comfort: float = 0.60
    """With more distance than this to an obstacle a cell costs its length only [m]."""
    weight: float = 8.0
    """A cell at the first radius costs 1 + this times its length."""
    around_start: float = 0.45
    """The base gets out of where it stands, however near an obstacle is, within this [m]."""

    def plan(self, costmap: Costmap, start: Pose2, goal: Pose2) -> Plan:
        """Return a path; a goal beyond the map is approached as far as the map goes."""
        first, last = _cell(costmap, start.x, start.y), _cell(costmap, goal.x, goal.y)
        weight = self._weights(costmap.distance)
        for radius in self.radii:
            free = costmap.distance > radius
            self._open_start(costmap, free, first)
            free[last] = True
            route = shortest_path(free, first, last, weight)
            if route.found:
                poses = _poses(costmap, route.cells, start, goal, last)
                length = float(np.hypot(*np.diff(poses[:, :2], axis=0).T).sum())
                return Plan(outcome=PlanOutcome.FOUND, poses=poses, length=length)
        return Plan(
            outcome=PlanOutcome.NO_ROUTE,
            reason=f"no route to ({goal.x:.2f}, {goal.y:.2f}) m for a base of "
            f"{self.radii[-1]:.2f} m radius",
        )

    def cost(self, costmap: Costmap, path: Array) -> float:
        """Return what a path costs on a costmap [m]; infinite if an obstacle is too near to it."""
        points = path[:, :2]
        height, width = costmap.cost.shape
        columns, rows = ((points - costmap.origin) / costmap.resolution).astype(int).T
        distance = costmap.distance[np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)]
        lengths = np.hypot(*np.diff(points, axis=0).T)
        away = np.hypot(*(points - points[0]).T) > self.around_start
        if (distance[away] <= self.radii[-1]).any():
            return float("inf")
        return float((lengths * self._weights(distance)[1:]).sum())

    def _weights(self, distance: NDArray[np.float32]) -> NDArray[np.float32]:
        room = (self.comfort - distance) / np.float32(self.comfort - self.radii[0])
        near = np.clip(room, np.float32(0.0), np.float32(1.5))
        return (1.0 + self.weight * near * near).astype(np.float32)

    def _open_start(
        self, costmap: Costmap, free: NDArray[np.bool_], first: tuple[int, int]
    ) -> None:
        """Let the search leave the start through cells that hold no obstacle themselves."""
        reach = floor(self.around_start / costmap.resolution)
        rows = slice(max(first[0] - reach, 0), first[0] + reach + 1)
        columns = slice(max(first[1] - reach, 0), first[1] + reach + 1)
        least = min(0.15, float(costmap.distance[first]) - 1e-3)
        free[rows, columns] |= costmap.distance[rows, columns] > least
        free[first] = True


def _cell(costmap: Costmap, x: float, y: float) -> tuple[int, int]:
    """Return row and column of a point, or those of the nearest cell of the map."""
    height, width = costmap.cost.shape
    row = floor((y - costmap.origin[1]) / costmap.resolution)
    column = floor((x - costmap.origin[0]) / costmap.resolution)
    return min(max(row, 0), height - 1), min(max(column, 0), width - 1)


def _poses(
    costmap: Costmap, cells: NDArray[np.int64], start: Pose2, goal: Pose2, last: tuple[int, int]
) -> Array:
    """Return the path in metres, from the start itself to the goal itself, with headings."""
    points = np.asarray((cells[:, ::-1] + 0.5) * costmap.resolution + costmap.origin, np.float64)
    points[0] = start.x, start.y
    if _cell(costmap, goal.x, goal.y) == last:
        points[-1] = goal.x, goal.y
    points = np.vstack([points[0], _smoothed(points), points[-1]])
    along = np.gradient(points, axis=0)
    return np.column_stack([points, np.arctan2(along[:, 1], along[:, 0])])


def _smoothed(points: Array, reach: int = 2) -> Array:
    """Return the mean of neighbouring points, so that steps of the grid do not show."""
    if len(points) < 2 * reach + 2:
        return points
    sums = np.cumsum(np.vstack([np.zeros(2), points]), axis=0)
    return (sums[2 * reach + 1 :] - sums[: -2 * reach - 1]) / (2 * reach + 1)
