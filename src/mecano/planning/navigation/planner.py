"""The global planner: an optimal path over a costmap, shaped for a base, or why there is none.

The search runs on cells in which the centre of the base may be. A base that is not round is then
checked along the path with its outline; where that does not fit, the headings are searched too
(`lattice`).
"""

from dataclasses import dataclass, field

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Costmap, Plan, PlanOutcome
from mecano.planning.navigation.explaining import goal_blocked, no_route, outside, start_blocked
from mecano.planning.navigation.footprint_check import cell_of, centre_of, free_poses
from mecano.planning.navigation.free_space import FreeSpace
from mecano.planning.navigation.grid_search import Cell, shortest_path
from mecano.planning.navigation.lattice import LatticeSettings, search_headings
from mecano.planning.navigation.path_shaping import (
    any_angle,
    length_of,
    spaced,
    with_headings,
    with_turns,
)

TURN_STEP = 0.1
"""Headings between which the outline is checked on a turn [rad]."""


@dataclass(frozen=True, kw_only=True)
class PlannerSettings:
    """Parameters of the global planner."""

    cost_weight: float = 3.0
    """How much longer a path next to an obstacle counts: at the highest cost 1 + this times."""
    allow_unknown: bool = False
    """Whether it may lead through unknown cells."""
    smooth: bool = True
    """Cut corners of the grid by straight lines at any angle."""
    spacing: float = 0.05
    """Between poses of the path, at most [m]."""
    start_tolerance: float = 0.15
    """A base that stands in an obstacle's inflation starts from a free cell this near [m]."""
    lattice: LatticeSettings = field(default_factory=LatticeSettings)
    """Of the search over headings, for a base that is not round."""

    def __post_init__(self) -> None:
        """Check the numbers."""
        finite_number(self.cost_weight, name="cost_weight", lower=0.0, upper=900.0)
        finite_number(self.spacing, name="spacing of the path [m]", lower=1e-3)
        finite_number(self.start_tolerance, name="start_tolerance [m]", lower=0.0)


class GridPlanner:
    """Finds the path of least cost through a costmap."""

    def __init__(self, settings: PlannerSettings | None = None) -> None:
        """Create the planner; None takes the defaults."""
        self.settings = settings or PlannerSettings()

    def plan(self, costmap: Costmap, start: Pose2, goal: Pose2) -> Plan:
        """Return the path from start to goal, or why there is none.

        The first pose heads along the path, the last as the goal. Where headings had to be
        searched, the path may turn on the spot: poses at one place with different headings.
        """
        space = self.free_space(costmap)
        ends = self.ends(space, start, goal)
        if isinstance(ends, Plan):
            return ends
        route = shortest_path(space.free, *ends, space.weight)
        if not route.found:
            return no_route(space, *ends, goal)
        poses = self._poses(space, route.cells.tolist(), start, goal)
        if space.heading_matters and not self._fits(costmap, start, poses):
            return self._plan_headings(space, start, goal, ends)
        return Plan(outcome=PlanOutcome.FOUND, poses=poses, length=length_of(poses))

    def _poses(self, space: FreeSpace, cells: list[list[int]], start: Pose2, goal: Pose2) -> Array:
        """Return the path over cells as poses; the true start and goal replace theirs."""
        points = np.array([centre_of(space.costmap, *cell) for cell in cells])
        kept = points[: 0 if tuple(cells[0]) == cell_of(space.costmap, start.x, start.y) else 1]
        points = np.concatenate(
            [kept if len(kept) else [[start.x, start.y]], points[1:-1], [[goal.x, goal.y]]]
        )
        if self.settings.smooth:
            points = any_angle(space.costmap, space.free, space.weight, points)
        if len(kept):  # out of an obstacle's inflation first
            points = np.concatenate([[[start.x, start.y]], points])
        return with_headings(spaced(points, self.settings.spacing), goal)

    def free_space(self, costmap: Costmap) -> FreeSpace:
        """Return where the centre of the base may be."""
        return FreeSpace.of(
            costmap,
            cost_weight=self.settings.cost_weight,
            allow_unknown=self.settings.allow_unknown,
        )

    def ends(self, space: FreeSpace, start: Pose2, goal: Pose2) -> tuple[Cell, Cell] | Plan:
        """Return the cells of start and goal, or why one of them cannot be."""
        costmap = space.costmap
        first = cell_of(costmap, start.x, start.y)
        last = cell_of(costmap, goal.x, goal.y)
        if first is None or last is None:
            return outside(space, start if first is None else goal, first)
        if not space.free[first]:
            near = space.nearest_free(first, self.settings.start_tolerance)
            if near is None:
                return start_blocked(space, start, first)
            first = near
        if not space.free[last] or not space.fits(goal):
            return goal_blocked(space, goal, last, first)
        return first, last

    def _fits(self, costmap: Costmap, start: Pose2, poses: Array) -> bool:
        """Say whether the outline is free along a path, turns on the spot included."""
        return bool(free_poses(costmap, with_turns(poses, start, largest=TURN_STEP)).all())

    def _plan_headings(
        self, space: FreeSpace, start: Pose2, goal: Pose2, ends: tuple[Cell, Cell]
    ) -> Plan:
        """Return a path found by searching headings too, or why there is none."""
        poses, reached = search_headings(
            space, start, goal, self.settings.lattice, escape=self.settings.start_tolerance
        )
        if len(poses):
            return Plan(outcome=PlanOutcome.FOUND, poses=poses, length=length_of(poses))
        if not reached.any():
            return start_blocked(space, start, ends[0])
        return no_route(space, *ends, goal, reached=reached)
