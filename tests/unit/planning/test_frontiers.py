"""Frontiers of a map, and from where they are seen."""

import numpy as np
import pytest

from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.planning.navigation.costmap import costmap_of_grid
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.frontiers import Lookout, find_frontiers, known_area, with_driven

BASE = Footprint.circle(0.2)


def half_known(*, door: bool = True) -> OccupancyGrid:
    """Return a map of 6 x 4 m: the left room known, a wall at x = 3 with a door of 1 m."""
    cells = np.full((80, 120), -1, np.int8)
    cells[1:79, 1:60] = 0
    cells[[0, -1], :61] = cells[:, 0] = 100
    cells[:, 60] = 100
    if door:
        cells[30:50, 60] = 0
    return OccupancyGrid(resolution=0.05, data=cells)


def test_a_door_to_the_unknown_is_a_frontier():
    (frontier,) = find_frontiers(half_known())
    assert frontier.middle == pytest.approx((3.025, 2.0), abs=0.05)
    assert 0.6 < frontier.length < 1.1


def test_a_closed_room_has_none():
    assert find_frontiers(half_known(door=False)) == []


def test_specks_and_narrow_gaps_are_none():
    grid = half_known(door=False)
    data = grid.data.copy()
    data[40:43, 30:33] = -1  # beams passed between
    data[40:44, 60] = 0  # a hole in the wall
    assert find_frontiers(OccupancyGrid(resolution=0.05, data=data)) == []


def test_a_frontier_is_looked_at_from_known_floor_with_room_to_stand():
    grid = half_known()
    (frontier,) = find_frontiers(grid)
    costmap = costmap_of_grid(grid, BASE)
    view = Lookout(grid, costmap, Pose2(0.5, 0.5)).view(frontier, standoff=0.6, reach=2.0)
    assert view is not None
    away = view.pose.distance_to(Pose2(*frontier.middle))
    assert away == pytest.approx(0.6, abs=0.1)
    assert grid.values_at([[view.pose.x, view.pose.y]])[0] == 0
    ahead = view.pose.inverse().transform_points(np.array(frontier.middle))
    assert ahead[0] > 0.5 and abs(ahead[1]) < 0.05, "it is looked at straight ahead"
    assert view.distance >= 2.0


def test_a_frontier_behind_a_wall_has_no_view():
    grid = half_known()
    data = grid.data.copy()
    data[:, 30] = 100
    walled = OccupancyGrid(resolution=0.05, data=data)
    (frontier,) = find_frontiers(walled)
    lookout = Lookout(walled, costmap_of_grid(walled, BASE), Pose2(0.5, 0.5))
    assert lookout.view(frontier, standoff=0.6, reach=2.0) is None


def test_where_a_base_was_the_floor_is_free():
    grid = OccupancyGrid(resolution=0.05, data=np.full((40, 40), -1, np.int8))
    driven = with_driven(grid, np.array([[1.0, 1.0, 0.0]]), 0.3)
    assert known_area(driven) == pytest.approx(np.pi * 0.3**2, rel=0.15)
    assert known_area(grid) == 0.0
