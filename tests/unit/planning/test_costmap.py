"""Costmaps: distances, inflation, marking and clearing, the rolling window."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import LaserScan, OccupancyGrid, PointCloud
from mecano.core.poses import Pose, Pose2
from mecano.planning.navigation.contract import INSCRIBED, LETHAL, NO_INFORMATION
from mecano.planning.navigation.costmap import (
    CostmapSettings,
    Inflation,
    LayeredCostmap,
    costmap_of_grid,
    make_costmap,
)
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.layers import ObstacleSource

ROUND = Footprint.circle(0.2)
LIDAR = Pose((0.0, 0.0, 0.152))
grids = arrays(bool, st.tuples(st.integers(1, 14), st.integers(1, 17)))


def window(**changes) -> LayeredCostmap:
    sources = (
        ObstacleSource(name="scan", obstacle_max_range=4.0, raytrace_max_range=4.5),
        ObstacleSource.depth_camera("camera", obstacle_max_range=3.0),
    )
    options = {"footprint_clearing": False, "sources": sources} | changes
    return LayeredCostmap(CostmapSettings(**options), ROUND, frame="odom")


def scan(*ranges: float, first: float = 0.0, range_max: float = 5.0) -> LaserScan:
    """Beams a tenth of a radian apart."""
    return LaserScan(
        frame="lidar", angle_min=first, angle_max=first + 0.1 * (len(ranges) - 1),
        angle_increment=0.1, range_min=0.1, range_max=range_max, ranges=np.array(ranges),
    )  # fmt: skip


def cost_at(costmap, x: float, y: float) -> int:
    column, row = np.floor((np.array([x, y]) - costmap.origin) / costmap.resolution).astype(int)
    return int(costmap.cost[row, column])


@given(lethal=grids)
def test_distances_are_those_to_the_nearest_obstacle_of_all(lethal):
    costmap = make_costmap(lethal, ROUND, resolution=0.05)
    if not lethal.any():
        assert (costmap.distance == np.float32(0.05 * sum(lethal.shape))).all()
        return
    cells = np.argwhere(np.ones_like(lethal))
    apart = np.linalg.norm(cells[:, None] - np.argwhere(lethal)[None], axis=-1).min(axis=1)
    np.testing.assert_array_equal(
        costmap.distance.ravel(), (np.sqrt(np.rint(apart**2)) * 0.05).astype(np.float32)
    )


@given(lethal=grids, scaling=st.floats(0.0, 20.0), radius=st.floats(0.0, 1.0))
@settings(max_examples=50)
def test_costs_fall_with_the_distance(lethal, scaling, radius):
    inflation = Inflation(inflation_radius=radius, cost_scaling_factor=scaling)
    costmap = make_costmap(lethal, ROUND, resolution=0.05, inflation=inflation)
    order = np.argsort(costmap.distance, axis=None, kind="stable")
    costs = costmap.cost.ravel()[order].astype(int)
    assert (np.diff(costs) <= 0).all()
    assert ((costmap.cost == LETHAL) == lethal).all()
    inside = (costmap.distance > 0.0) & (costmap.distance <= ROUND.inscribed_radius)
    assert (costmap.cost[inside] == INSCRIBED).all()


def test_costs_are_those_of_costmap_2d():
    """`(253 - 1) * exp(-factor * (distance - inscribed_radius))`, cut off to a whole number."""
    lethal = np.zeros((1, 20), bool)
    lethal[0, 0] = True
    costmap = make_costmap(lethal, ROUND, resolution=0.05, inflation=Inflation())
    inscribed = ROUND.inscribed_radius
    wanted = [int(252 * np.exp(-10.0 * (0.05 * k - inscribed))) for k in range(5, 12)]
    assert costmap.cost[0, 5:12].tolist() == wanted
    assert costmap.cost[0, 1:5].tolist() == [INSCRIBED] * 4
    assert costmap.cost[0, 12:].tolist() == [0] * 8


def test_unknown_cells_of_a_map_stay_unknown_unless_an_obstacle_is_near():
    data = np.zeros((40, 40), np.int8)
    data[:, 20:] = -1
    data[20, 20] = 100
    costmap = costmap_of_grid(OccupancyGrid(resolution=0.05, data=data), ROUND)
    assert costmap.cost[20, 20] == LETHAL and costmap.cost[20, 23] == INSCRIBED
    assert costmap.cost[20, 30] == NO_INFORMATION and costmap.cost[20, 5] == 0


def test_turned_map_has_its_obstacle_where_the_map_has_it():
    data = np.zeros((30, 40), np.int8)
    data[10, 25] = 100
    grid = OccupancyGrid(resolution=0.05, origin=Pose2(1.0, -2.0, 0.7), data=data)
    costmap = costmap_of_grid(grid, ROUND)
    assert cost_at(costmap, *grid.cell_to_world([10, 25])) == LETHAL


def test_reading_marks_where_it_ends():
    costmap = window()
    costmap.add_scan("scan", scan(2.0), LIDAR)
    seen = costmap.read()
    assert cost_at(seen, 2.01, 0.01) == LETHAL and (seen.cost == LETHAL).sum() == 1


@given(angle=st.floats(-3.1, 3.1), far=st.floats(1.0, 3.9), share=st.floats(0.15, 0.9))
@settings(max_examples=50)
def test_ray_clears_what_it_passes(angle, far, share):
    costmap = window()
    costmap.add_scan("scan", scan(share * far, first=angle), LIDAR)
    assert costmap.obstacles.lethal.sum() == 1
    costmap.add_scan("scan", scan(far, first=angle), LIDAR)
    seen = costmap.read()
    x, y = far * np.cos(angle), far * np.sin(angle)
    assert cost_at(seen, x, y) == LETHAL and (seen.cost == LETHAL).sum() == 1


@pytest.mark.parametrize("reading", [np.inf, 5.0, 7.0])
def test_reading_without_return_clears_up_to_the_raytrace_range(reading):
    costmap = window()
    costmap.add_scan("scan", scan(2.0), LIDAR)
    costmap.add_scan("scan", scan(reading), LIDAR)
    assert not costmap.obstacles.lethal.any()
    assert costmap.obstacles.seen[100, 189] and not costmap.obstacles.seen[100, 191]


@pytest.mark.parametrize("reading", [np.nan, -np.inf, 0.05])
def test_failed_beam_changes_nothing(reading):
    costmap = window()
    costmap.add_scan("scan", scan(2.0), LIDAR)
    costmap.add_scan("scan", scan(reading), LIDAR)
    assert costmap.obstacles.lethal.sum() == 1


def test_reading_beyond_the_obstacle_range_clears_only():
    costmap = window()
    costmap.add_scan("scan", scan(2.0), LIDAR)
    costmap.add_scan("scan", scan(4.2), LIDAR)
    assert not costmap.obstacles.lethal.any()


def test_table_top_that_a_camera_marks_survives_the_scan_below_it():
    """MADAR: scan plane 0.152 m high, table tops at 0.765 m."""
    costmap = window()
    camera = Pose((0.0, 0.0, 1.2))
    top = np.array(
        [[1.5 + 0.05 * k, 0.05 * m, 0.765 - 1.2] for k in range(6) for m in range(-3, 4)]
    )
    costmap.add_cloud("camera", PointCloud(points=top), camera)
    marked = costmap.obstacles.lethal.sum()
    assert marked >= 30
    costmap.add_scan("scan", scan(*[3.5] * 11, first=-0.5), LIDAR)
    assert cost_at(costmap.read(), 1.6, 0.0) == LETHAL
    away = np.array([[3.0, y, 0.0] for y in np.linspace(-0.5, 0.5, 21)])
    low = np.array([[2.9, y, 0.41 - 1.2] for y in np.linspace(-0.5, 0.5, 81)])
    costmap.add_cloud("camera", PointCloud(points=away), camera)
    assert costmap.obstacles.lethal[:, :140].sum() == marked, "rays above the table saw nothing"
    costmap.add_cloud("camera", PointCloud(points=low), camera)
    assert costmap.obstacles.lethal[:, :140].sum() < marked, "rays through it clear it"


def test_floor_marks_nothing():
    costmap = window()
    floor = np.array([[x, y, -1.2] for x in np.arange(0.5, 2.5, 0.05) for y in (-0.2, 0.0, 0.2)])
    costmap.add_cloud("camera", PointCloud(points=floor), Pose((0.0, 0.0, 1.2)))
    assert not costmap.obstacles.lethal.any() and costmap.obstacles.seen.any()


def test_empty_cloud_changes_nothing():
    costmap = window()
    costmap.add_cloud("camera", PointCloud(points=np.zeros((0, 3))), LIDAR)
    assert not costmap.obstacles.seen.any()


@given(x=st.floats(-3.0, 3.0), y=st.floats(-3.0, 3.0))
@settings(max_examples=30)
def test_rolling_window_keeps_what_stays_inside(x, y):
    costmap = window()
    costmap.add_scan("scan", scan(1.5, 1.6, 1.7, 1.8), LIDAR)
    before = costmap.obstacles.lethal.sum()
    costmap.move_to(Pose2(x, y))
    assert costmap.obstacles.lethal.sum() == before
    assert cost_at(costmap.read(), 1.51, 0.01) == LETHAL
    left, low = costmap.obstacles.origin
    assert abs(left + 5.0 - x) <= 0.026 and abs(low + 5.0 - y) <= 0.026
    costmap.move_to(Pose2())
    assert cost_at(costmap.read(), 1.51, 0.01) == LETHAL


def test_rolling_window_forgets_what_leaves_it():
    costmap = window()
    costmap.add_scan("scan", scan(1.5), LIDAR)
    costmap.move_to(Pose2(30.0, 0.0))
    costmap.move_to(Pose2())
    assert not costmap.obstacles.lethal.any()


def test_reset_keeps_the_square_around_the_base():
    costmap = window()
    costmap.add_scan("scan", scan(1.4, 1.6), LIDAR)
    costmap.add_scan("scan", scan(1.4, 1.6, first=np.pi / 2), LIDAR)
    costmap.clear_outside(Pose2(), 3.0)
    left = costmap.obstacles.lethal
    assert left.sum() == 2 and left[100, 128] and left[128, 100]


def test_sensors_mark_the_map_of_a_global_costmap_too():
    grid = OccupancyGrid(resolution=0.05, data=np.full((60, 80), -1, np.int8))
    costmap = LayeredCostmap(CostmapSettings(footprint_clearing=False), ROUND, static=grid)
    assert (costmap.read().cost == NO_INFORMATION).all()
    costmap.add_scan("scan", scan(1.0), Pose((1.0, 1.0, 0.2)))
    seen = costmap.read()
    assert cost_at(seen, 2.01, 1.01) == LETHAL and cost_at(seen, 1.31, 1.01) < INSCRIBED


@pytest.mark.parametrize(("far", "is_wall"), [(0.05, True), (0.10, False), (0.30, False)])
def test_readings_beside_a_wall_of_the_map_are_that_wall(far, is_wall):
    cells = np.zeros((40, 40), np.int8)
    cells[:, 30] = 100  # x from 1.50 to 1.55 m
    grid = OccupancyGrid(resolution=0.05, origin=Pose2(0.0, 0.0), data=cells)
    settings = CostmapSettings(footprint_clearing=False, wall_tolerance=0.05)
    costmap = LayeredCostmap(settings, ROUND, static=grid)
    costmap.add_scan("scan", scan(1.025 - far), Pose((0.5, 1.025, 0.152)))
    assert (cost_at(costmap.read(), 1.525 - far, 1.025) != LETHAL) == is_wall


def test_base_outside_of_the_map_reads_into_it():
    grid = OccupancyGrid(resolution=0.05, data=np.zeros((40, 40), np.int8))
    costmap = LayeredCostmap(CostmapSettings(), ROUND, static=grid)
    costmap.move_to(Pose2(-1.0, 1.0))
    costmap.add_scan("scan", scan(2.0, 9.0, range_max=12.0), Pose((-1.0, 1.0, 0.2)))
    assert costmap.obstacles.lethal.sum() == 1
    assert cost_at(costmap.read(), 1.01, 1.01) == LETHAL


def test_marks_under_the_base_itself_are_forgotten():
    costmap = window(footprint_clearing=True)
    costmap.add_scan("scan", scan(0.15, 1.0), LIDAR)
    costmap.move_to(Pose2())
    assert costmap.obstacles.lethal.sum() == 1


def test_larger_map_keeps_the_marks_of_sensors():
    small = OccupancyGrid(resolution=0.05, data=np.zeros((40, 40), np.int8))
    large = OccupancyGrid(
        resolution=0.05, origin=Pose2(-0.5, -0.25), data=np.zeros((60, 70), np.int8)
    )
    costmap = LayeredCostmap(CostmapSettings(footprint_clearing=False), ROUND, static=small)
    costmap.add_scan("scan", scan(1.0), Pose((0.5, 1.0, 0.2)))
    costmap.set_map(large)
    assert cost_at(costmap.read(), 1.51, 1.01) == LETHAL


def test_wider_footprint_raises_costs_at_once():
    costmap = window()
    costmap.add_scan("scan", scan(1.0), LIDAR)
    assert cost_at(costmap.read(), 0.71, 0.0) < INSCRIBED
    costmap.footprint = Footprint.circle(0.3)
    assert cost_at(costmap.read(), 0.71, 0.0) == INSCRIBED


def test_unknown_source_lists_those_there_are():
    with pytest.raises(UnknownName, match="scan, camera"):
        window().add_scan("sonar", scan(1.0), LIDAR)


def test_two_sources_of_one_name_are_refused():
    sources = (ObstacleSource(name="scan"), ObstacleSource(name="scan"))
    with pytest.raises(InvalidInput, match="one name"):
        CostmapSettings(sources=sources)


def test_heights_in_the_wrong_order_are_refused():
    with pytest.raises(InvalidInput, match=r"from 1 to 0\.5 m"):
        ObstacleSource(name="scan", min_obstacle_height=1.0, max_obstacle_height=0.5)
