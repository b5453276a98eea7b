"""Maps find cells and points both ways; paths keep their poses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core import InvalidInput, OccupancyGrid, Path, Pose, Pose2

cells = st.tuples(st.integers(0, 2), st.integers(0, 4)).map(np.array)
origins = st.builds(
    Pose2, st.floats(-10.0, 10.0), st.floats(-10.0, 10.0), st.floats(-math.pi, math.pi)
)


def grid(origin: Pose2 | None = None) -> OccupancyGrid:
    data = np.arange(15, dtype=np.int8).reshape(3, 5)
    return OccupancyGrid(resolution=0.05, origin=origin or Pose2(), data=data)


@given(origins, cells)
def test_centre_of_a_cell_lies_in_that_cell(origin, cell):
    np.testing.assert_array_equal(
        grid(origin).world_to_cell(grid(origin).cell_to_world(cell)), cell
    )


@given(origins, cells, st.tuples(*[st.floats(-0.024, 0.024)] * 2).map(np.array))
def test_whole_square_around_a_centre_belongs_to_the_cell(origin, cell, offset):
    turned = Pose2(yaw=origin.yaw).transform_points(offset)
    point = grid(origin).cell_to_world(cell) + turned
    np.testing.assert_array_equal(grid(origin).world_to_cell(point), cell)


@given(origins, cells)
def test_value_at_a_centre_is_the_cells_value(origin, cell):
    row, column = cell
    centre = grid(origin).cell_to_world(cell)
    assert grid(origin).values_at(centre) == grid().data[row, column]


def test_columns_run_along_x():
    np.testing.assert_array_equal(grid().world_to_cell([0.12, 0.01]), [0, 2])


def test_rows_run_along_y():
    np.testing.assert_array_equal(grid().world_to_cell([0.01, 0.12]), [2, 0])


def test_map_measures_itself():
    assert (grid().height, grid().width) == (3, 5)


def test_points_left_of_the_map_are_in_negative_cells():
    np.testing.assert_array_equal(grid().world_to_cell([-0.01, 0.01]), [0, -1])


def test_cells_beyond_any_edge_are_not_contained():
    asked = [[0, 0], [2, 4], [3, 0], [0, 5], [-1, 0], [0, -1]]
    assert grid().contains(asked).tolist() == [True, True, False, False, False, False]


def test_value_beyond_the_edge_is_the_one_asked_for():
    values = grid().values_at([[0.01, 0.01], [-1.0, 0.0], [9.0, 9.0]], outside=100)
    assert values.tolist() == [0, 100, 100]


def test_point_that_is_not_finite_is_refused():
    with pytest.raises(InvalidInput, match="finite"):
        grid().world_to_cell([math.nan, 0.0])


@pytest.mark.parametrize(
    ("resolution", "data"),
    [
        (0.0, np.zeros((2, 2), dtype=np.int8)),
        (math.nan, np.zeros((2, 2), dtype=np.int8)),
        (0.05, np.full((2, 2), 101)),
        (0.05, np.full((2, 2), -2)),
        (0.05, np.full((2, 2), 255, dtype=np.uint8)),
        (0.05, np.full((2, 2), 0.5)),
        (0.05, np.zeros(4, dtype=np.int8)),
        (0.05, np.zeros((0, 4), dtype=np.int8)),
    ],
)
def test_broken_map_is_refused(resolution, data):
    with pytest.raises(InvalidInput):
        OccupancyGrid(resolution=resolution, data=data)


def test_planar_path_survives_space():
    poses = (Pose2(0.0, 0.0, 0.1), Pose2(1.0, 2.0, -3.0))
    back = Path.from_planar(poses, frame="map").planar()
    assert all(a.is_close(b) for a, b in zip(poses, back, strict=True))


def test_path_length_adds_its_pieces():
    corners = [(0.0, 0.0, 0.0), (3.0, 4.0, 0.0), (3.0, 4.0, 2.0)]
    assert Path(poses=tuple(Pose(corner) for corner in corners)).length == pytest.approx(7.0)


def test_empty_path_has_no_length():
    path = Path(poses=())
    assert path.length == 0.0
    assert path.positions.shape == (0, 3)


def test_list_of_poses_is_kept_as_a_tuple():
    poses = [Pose()]
    path = Path(poses=poses)  # pyright: ignore[reportArgumentType]
    poses.append(Pose())
    assert len(path.poses) == 1
