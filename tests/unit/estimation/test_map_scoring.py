"""Maps against the truth."""

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.messages.maps import FREE, OCCUPIED, UNKNOWN
from mecano.core.poses import Pose2
from mecano.estimation.maps.scoring import score_map


def box(*, resolution=0.05, side=4.0, wall=0.05, shift=0.0):
    """Return a square room with walls, floor inside and nothing known outside."""
    cells = round(side / resolution) + 8
    thick = max(1, round(wall / resolution))
    data = np.full((cells, cells), UNKNOWN, dtype=np.int8)
    data[4:-4, 4:-4] = OCCUPIED
    data[4 + thick : -4 - thick, 4 + thick : -4 - thick] = FREE
    return OccupancyGrid(
        resolution=resolution, origin=Pose2(shift - 4 * resolution, -4 * resolution), data=data
    )


def test_a_map_is_the_same_as_itself():
    score = score_map(box(), box())
    assert score.overlap == 1.0 and score.free_overlap == pytest.approx(1.0)
    assert score.walls_near == 1.0 and score.walls_found == 1.0
    assert score.wall_distance == 0.0 and score.wall_distance_max == 0.0
    assert score.to_json()["wall_cells"] == score.wall_cells == 4 * 80 - 4


def test_a_shifted_map_is_off_by_the_shift_at_two_of_four_walls():
    score = score_map(box(shift=0.2), box())
    assert score.wall_distance_max == pytest.approx(0.2)
    assert score.walls_near == pytest.approx(0.5, abs=0.05)
    assert score_map(box(shift=0.2), box(), tolerance=0.2).walls_near == 1.0


def test_a_map_in_another_frame_is_compared_where_it_belongs():
    score = score_map(box(shift=0.2), box(), T_truth_map=Pose2(-0.2, 0.0))
    assert score.wall_distance_max < 1e-9 and score.overlap == 1.0


def test_a_wall_deep_inside_a_solid_thing_is_wrong():
    score = score_map(box(wall=0.5), box(wall=2.0))
    assert score.wall_distance_max > 0.4


def test_a_missing_wall_is_not_found():
    grid = box()
    data = grid.data.copy()
    data[:, 4:6] = FREE
    partial = OccupancyGrid(resolution=0.05, origin=grid.origin, data=data)
    score = score_map(partial, box())
    assert score.walls_near == 1.0
    assert score.walls_found == pytest.approx(0.75, abs=0.03)


def test_what_was_never_seen_counts_only_in_the_floor_overlap():
    grid = box()
    data = grid.data.copy()
    data[:, : grid.width // 2] = UNKNOWN
    half = score_map(OccupancyGrid(resolution=0.05, origin=grid.origin, data=data), box())
    assert half.overlap == 1.0 and half.walls_near == 1.0 and half.walls_found > 0.95
    assert half.free_overlap == pytest.approx(0.5, abs=0.03)


def test_cells_of_another_size_are_compared():
    score = score_map(box(resolution=0.1, wall=0.1), box(resolution=0.05, wall=0.1))
    assert score.wall_distance_max < 0.4 and score.walls_near > 0.9


def test_maps_without_walls_or_without_a_common_cell_are_refused():
    empty = OccupancyGrid(resolution=0.05, data=np.zeros((9, 9), dtype=np.int8))
    with pytest.raises(InvalidInput, match="the map has no wall"):
        score_map(empty, box())
    with pytest.raises(InvalidInput, match="the truth has no wall"):
        score_map(box(), empty)
    with pytest.raises(InvalidInput, match="share no known cell"):
        score_map(box(shift=100.0), box())
