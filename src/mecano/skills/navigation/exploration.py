"""Exploration: which frontier of a growing map to look at next, and when the map is closed."""

from dataclasses import dataclass
from math import hypot

from mecano.core.arrays import Array
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.planning.navigation.costmap import Inflation, costmap_of_grid
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.frontiers import (
    Frontier,
    Lookout,
    View,
    find_frontiers,
    known_area,
    with_driven,
)

SAME = 0.4
"""Frontiers whose middles are this near are one, a moment later [m]."""
GAIN = 0.5
"""A metre of frontier is worth this much of a detour [m]."""
LOOKED_AT = 12
"""So many frontiers are compared, nearest first."""


@dataclass(frozen=True, kw_only=True)
class ExplorationSettings:
    """How a robot explores."""

    standoff: float
    """From where a frontier is looked at best [m]."""
    reach: float
    """And at most [m]."""
    driven: float
    """Around the base the floor is free where it has been [m]."""
    shortest: float = 0.3
    """Frontiers shorter than this are none [m]."""


class Explorer:
    """Chooses views. It is given the map as it grows, and sees no robot."""

    def __init__(self, footprint: Footprint, settings: ExplorationSettings) -> None:
        """Begin without a map."""
        self._footprint, self.settings = footprint, settings
        self.hidden: list[tuple[float, float]] = []
        """Frontiers that were looked at in vain, or cannot be reached [m]."""
        self.area = 0.0
        """Of the known floor [m2]."""
        self.frontiers: list[Frontier] = []
        """Those that are left."""
        self.unreachable = 0
        """How many of them nothing leads to."""

    def take(self, grid: OccupancyGrid, poses: Array) -> OccupancyGrid:
        """Take in the map; return it with the floor free where the base was. Poses (n, 3)."""
        grid = with_driven(grid, poses, self.settings.driven)
        self.area = known_area(grid)
        found = find_frontiers(grid, shortest=self.settings.shortest)
        self.frontiers = [each for each in found if not self._is_hidden(each)]
        return grid

    def choose(self, grid: OccupancyGrid, here: Pose2) -> View | None:
        """Return the view that is worth most for its detour; None if the map is closed."""
        inflation = Inflation(inflation_radius=self._footprint.circumscribed_radius + 0.2)
        costmap = costmap_of_grid(grid, self._footprint, inflation=inflation)
        lookout, own = Lookout(grid, costmap, here), self.settings
        near = sorted(
            self.frontiers, key=lambda f: hypot(f.middle[0] - here.x, f.middle[1] - here.y)
        )
        views, self.unreachable = [], 0
        for frontier in near:
            view = lookout.view(frontier, standoff=own.standoff, reach=own.reach)
            if view is None:
                self.unreachable += 1
                continue
            views.append(view)
            if len(views) == LOOKED_AT:
                break
        return min(views, key=lambda v: v.distance - GAIN * v.frontier.length, default=None)

    def is_seen(self, view: View) -> bool:
        """Tell whether the frontier of a view is none any more."""
        return not any(_same(view.frontier, each) for each in self.frontiers)

    def give_up(self, view: View) -> None:
        """Leave a frontier alone from now on."""
        self.hidden.append(view.frontier.middle)

    def _is_hidden(self, frontier: Frontier) -> bool:
        x, y = frontier.middle
        return any(hypot(x - a, y - b) < SAME for a, b in self.hidden)


def _same(one: Frontier, other: Frontier) -> bool:
    (ax, ay), (bx, by) = one.middle, other.middle
    return hypot(ax - bx, ay - by) < SAME
