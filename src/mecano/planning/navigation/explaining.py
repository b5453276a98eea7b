"""Why there is no path: what is blocked, where a route closes, and how far the base would get."""

import numpy as np
from numpy.typing import NDArray

from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import (
    LETHAL,
    NO_INFORMATION,
    Costmap,
    Plan,
    PlanOutcome,
)
from mecano.planning.navigation.footprint_check import centre_of, free_poses
from mecano.planning.navigation.free_space import FreeSpace
from mecano.planning.navigation.grid_search import Cell, shortest_path

WALL_WEIGHT = 500.0
"""Of obstacle cells when looking for the wall that closes a route."""
HEADINGS = 16
"""Tried at a place to name a pose that can be reached."""


def outside(space: FreeSpace, pose: Pose2, start: Cell | None) -> Plan:
    """Say that start or goal is not on the map."""
    costmap = space.costmap
    height, width = costmap.cost.shape
    x, y = costmap.origin
    name = "start" if start is None else "goal"
    reason = (
        f"the {name} ({pose.x:.2f}, {pose.y:.2f}) m is outside of the map, which goes from "
        f"({x:.2f}, {y:.2f}) to ({x + width * costmap.resolution:.2f}, "
        f"{y + height * costmap.resolution:.2f}) m"
    )
    near = None if start is None else _nearest(space, start, pose)
    return Plan(outcome=PlanOutcome.OUTSIDE, reason=reason + _as_text(near), nearest=near)


def start_blocked(space: FreeSpace, start: Pose2, cell: Cell) -> Plan:
    """Say what the base stands in."""
    costmap = space.costmap
    place = f"the start ({start.x:.2f}, {start.y:.2f}) m"
    if costmap.cost[cell] == NO_INFORMATION:
        reason = f"{place} is in unknown space; map it first, or allow unknown cells"
    elif space.free[cell]:
        reason = f"{place} is blocked: an obstacle is inside the outline of the robot"
    else:
        reason = f"{place} is blocked: {_how_near(costmap, cell)}"
    return Plan(outcome=PlanOutcome.START_BLOCKED, reason=reason)


def goal_blocked(space: FreeSpace, goal: Pose2, cell: Cell, start: Cell) -> Plan:
    """Say why the base cannot stand at its goal, and where it could."""
    costmap = space.costmap
    place = f"the goal ({goal.x:.2f}, {goal.y:.2f}) m"
    outcome = PlanOutcome.GOAL_BLOCKED
    if costmap.cost[cell] == NO_INFORMATION and not space.allow_unknown:
        outcome = PlanOutcome.GOAL_UNKNOWN
        reason = f"{place} is in unknown space"
    elif space.free[cell]:
        reason = (
            f"{place} is blocked at a heading of {np.degrees(goal.yaw):.0f} deg: "
            f"{_how_near(costmap, cell)} and the outline reaches "
            f"{costmap.footprint.circumscribed_radius:.2f} m"
        )
    else:
        reason = f"{place} is blocked: {_how_near(costmap, cell)}"
    near = _nearest(space, start, goal)
    return Plan(outcome=outcome, reason=reason + _as_text(near), nearest=near)


def no_route(
    space: FreeSpace, start: Cell, goal_cell: Cell, goal: Pose2,
    reached: NDArray[np.bool_] | None = None,
) -> Plan:  # fmt: skip
    """Say where all routes close and how wide the widest gap is against the base.

    Args:
        space: Where the centre of the base may be.
        start: Its cell.
        goal_cell: Of the goal.
        goal: The same.
        reached: With headings searched: which cells and headings the base can reach.
    """
    costmap = space.costmap
    gap, reason = _through_unknown(space, start, goal_cell), ""
    if gap is not None:
        reason = (
            f"no route to ({goal.x:.2f}, {goal.y:.2f}) m through what is known: it leads into "
            f"unknown space at ({gap[0]:.2f}, {gap[1]:.2f}) m"
        )
    else:
        gap = _widest_gap(costmap, start, goal_cell, unknown=space.allow_unknown)
    if gap is not None and not reason:
        x, y, width = gap
        need = 2.0 * costmap.footprint.inscribed_radius
        reason = f"no route to ({goal.x:.2f}, {goal.y:.2f}) m: it closes at ({x:.2f}, {y:.2f}) m, "
        if width < need:
            reason += f"where the widest gap is {width:.2f} m and the robot needs {need:.2f} m"
        else:
            long = 2.0 * costmap.footprint.circumscribed_radius
            reason += (
                f"a gap of {width:.2f} m in which the robot, {need:.2f} m wide and up to "
                f"{long:.2f} m across, cannot turn as it must"
            )
    elif gap is None:
        gap, reason = _closed(space, start, goal_cell, goal)
    near = _nearest(space, start, goal, reached)
    reason += _as_text(near)
    return Plan(outcome=PlanOutcome.NO_ROUTE, reason=reason, gap=gap, nearest=near)


def _through_unknown(
    space: FreeSpace, start: Cell, goal: Cell
) -> tuple[float, float, float] | None:
    """Return where a route would enter unknown space, if there is one through it."""
    unknown = space.costmap.cost == NO_INFORMATION
    if space.allow_unknown or not unknown.any():
        return None
    cells = shortest_path(space.free | unknown, start, goal).cells
    inside = unknown[cells[:, 0], cells[:, 1]] if len(cells) else np.zeros(0, bool)
    if not inside.any():
        return None
    row, column = cells[int(inside.argmax())].tolist()
    return (*centre_of(space.costmap, row, column), 0.0)


def _widest_gap(
    costmap: Costmap, start: Cell, goal: Cell, *, unknown: bool
) -> tuple[float, float, float] | None:
    """Return the narrowest place of the widest route and its width [m]; None if all is closed."""
    from mecano.planning.navigation.bottleneck_kernel import bottleneck

    cost = costmap.cost
    open_cells = cost != LETHAL
    if not unknown:
        open_cells &= cost != NO_INFORMATION
    squared = np.rint((costmap.distance / costmap.resolution) ** 2).astype(np.int64)
    squared[~open_cells] = -1
    order = np.argsort(-squared, axis=None, kind="stable")
    found = bottleneck(squared, order, *start, *goal)
    if found < 0:
        return None
    row, column = divmod(int(found), cost.shape[1])
    return (*centre_of(costmap, row, column), _width_at(costmap, row, column))


def _width_at(costmap: Costmap, row: int, column: int) -> float:
    """Return the free width between the obstacles on both sides of a cell [m]."""
    reach = 2 * int(np.ceil(costmap.distance[row, column] / costmap.resolution)) + 2
    top, left = max(0, row - reach), max(0, column - reach)
    walls = np.argwhere(costmap.distance[top : row + reach + 1, left : column + reach + 1] == 0.0)
    offsets = walls + np.array([top - row, left - column])
    away = (offsets**2).sum(axis=1)
    one = offsets[away.argmin()]
    behind = offsets @ one < -0.5 * np.sqrt(away * (one @ one))
    if not behind.any():
        return 2.0 * float(costmap.distance[row, column]) - costmap.resolution
    others = ((offsets[behind] - one) ** 2).sum(axis=1)
    return (float(np.sqrt(others.min())) - 1.0) * costmap.resolution


def _closed(
    space: FreeSpace, start: Cell, goal_cell: Cell, goal: Pose2
) -> tuple[tuple[float, float, float], str]:
    """Return where the thinnest wall, or unknown space, lies between start and goal."""
    costmap = space.costmap
    passable = np.ones_like(space.free)
    wall = costmap.cost == LETHAL
    weight = np.where(wall | (costmap.cost == NO_INFORMATION), WALL_WEIGHT, 1.0)
    cells = shortest_path(passable, start, goal_cell, weight.astype(np.float32)).cells
    costs = costmap.cost[cells[:, 0], cells[:, 1]]
    blocked = (costs == LETHAL) | (costs == NO_INFORMATION)
    row, column = cells[int(blocked.argmax())].tolist()
    x, y = centre_of(costmap, row, column)
    what = "unknown space" if costmap.cost[row, column] == NO_INFORMATION else "obstacles"
    reason = (
        f"no route to ({goal.x:.2f}, {goal.y:.2f}) m: {what} without a gap, nearest at "
        f"({x:.2f}, {y:.2f}) m on the straightest way"
    )
    return (x, y, 0.0), reason


def _nearest(
    space: FreeSpace, start: Cell, goal: Pose2, reached: NDArray[np.bool_] | None = None
) -> Pose2 | None:
    """Return the pose nearest to a goal that the base can reach.

    Without a search of headings, an outline that is not round is tried at the goal's heading and at
    others; whether it can be led there is then not known.
    """
    from scipy.ndimage import label

    costmap = space.costmap
    if reached is None:
        parts = np.asarray(label(space.free)[0])  # pyright: ignore[reportIndexIssue]
        here = parts == parts[start]
    else:
        here = reached.any(axis=2)
    cells = np.argwhere(here)
    x = costmap.origin[0] + (cells[:, 1] + 0.5) * costmap.resolution
    y = costmap.origin[1] + (cells[:, 0] + 0.5) * costmap.resolution
    for k in np.argsort(np.hypot(x - goal.x, y - goal.y), kind="stable").tolist():
        row, column = cells[k].tolist()
        yaw = _heading_there(space, float(x[k]), float(y[k]), goal.yaw, reached, row, column)
        if yaw is not None:
            return Pose2(float(x[k]), float(y[k]), yaw)
    return None


def _heading_there(
    space: FreeSpace, x: float, y: float, yaw: float,
    reached: NDArray[np.bool_] | None, row: int, column: int,
) -> float | None:  # fmt: skip
    """Return the heading nearest to a wanted one at which the base can stand at a place."""
    if not space.heading_matters:
        return yaw
    if reached is not None:
        count = reached.shape[2]
        yaws = np.flatnonzero(reached[row, column]) * (2.0 * np.pi / count)
    else:
        yaws = yaw + np.arange(HEADINGS) * (2.0 * np.pi / HEADINGS)
        poses = np.column_stack([np.full(HEADINGS, x), np.full(HEADINGS, y), yaws])
        yaws = yaws[free_poses(space.costmap, poses)]
    if not len(yaws):
        return None
    return float(yaws[np.argmin(np.abs(np.angle(np.exp(1j * (yaws - yaw)))))])


def _how_near(costmap: Costmap, cell: Cell) -> str:
    distance = float(costmap.distance[cell])
    if distance == 0.0:
        return "there is an obstacle"
    need = costmap.footprint.inscribed_radius
    return f"an obstacle is {distance:.2f} m away and the robot needs {need:.2f} m to its middle"


def _as_text(near: Pose2 | None) -> str:
    if near is None:
        return ""
    return f"; the nearest pose it can reach is ({near.x:.2f}, {near.y:.2f}) m"
