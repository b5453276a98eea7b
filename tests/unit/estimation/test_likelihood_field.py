import numpy as np
import pytest
from synthetic_hall import MADAR, hall_distances, hall_map

from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all
from mecano.estimation.localization import scan_kernel
from mecano.estimation.localization.likelihood_field import (
    DistanceField,
    hit_likelihoods,
    sums_plainly,
)
from mecano.estimation.localization.scan_models import ScanModel
from mecano.estimation.localization.settings import AmclSettings

HERE = Pose2(4.6, 3.2, 0.4)
FIELD = DistanceField(hall_map(), 2.0)


def test_distances_are_those_to_the_nearest_wall_cell():
    walls = np.argwhere(FIELD.walls)
    for cell in [(70, 90), (20, 30), (0, 0), (100, 120)]:
        nearest = np.hypot(*(walls - cell).T).min() * 0.05
        assert FIELD.distances[cell] == pytest.approx(min(nearest, 2.0), abs=1e-5)


def test_the_kernel_agrees_with_numpy():
    rng = np.random.default_rng(0)
    table, points = rng.normal(size=(40, 60)), rng.uniform(-3, 3, (70, 2))
    poses = np.column_stack(
        [rng.uniform(-1, 4, 30), rng.uniform(-1, 3, 30), rng.uniform(-4, 4, 30)]
    )
    fast = scan_kernel.sums(table, -7.0, 0.05, poses, points)
    np.testing.assert_allclose(fast, sums_plainly(table, -7.0, 0.05, poses, points), rtol=1e-12)


def test_likelihood_is_highest_on_walls_and_never_below_rand():
    p = hit_likelihoods(
        np.array([0.0, 0.1, 5.0], np.float32), sigma=0.1, hit=0.9, rand=0.1, longest=10.0
    )
    np.testing.assert_allclose(p, [0.91, 0.9 * np.exp(-0.5) + 0.01, 0.01], rtol=1e-6)


def test_cast_rays_end_at_walls_to_within_a_cell():
    angles = np.linspace(-3.1, 3.1, 200)
    x, y, yaw = FIELD.in_grid(np.array([[HERE.x, HERE.y, HERE.yaw]]))[0]
    far = [scan_kernel.cast(FIELD.walls, 0.05, x, y, yaw + angle, 20.0) for angle in angles]
    off = np.abs(far - hall_distances(HERE, angles))
    assert np.median(off) < 0.05
    assert np.mean(off < 0.2) > 0.95  # others graze a wall or just miss the end of one


@pytest.mark.parametrize(("angle", "far"), [(0.0, 0.45), (np.pi, 0.45), (np.pi / 2, 0.45)])
def test_a_ray_along_an_axis_ends_at_the_face_of_the_cell(angle, far):
    blocked = np.ones((11, 11), dtype=bool)
    blocked[1:10, 1:10] = False
    assert scan_kernel.cast(blocked, 0.1, 0.55, 0.55, angle, 5.0) == pytest.approx(far)
    assert scan_kernel.cast(~blocked, 0.1, 0.55, 0.55, angle, 5.0) == 0.0


def test_a_ray_that_leaves_the_map_or_is_too_short_reads_the_longest_range():
    blocked = np.zeros((10, 10), dtype=bool)
    assert scan_kernel.cast(blocked, 0.1, 0.5, 0.5, 0.3, 30.0) == 30.0
    blocked[:, 9] = True
    assert scan_kernel.cast(blocked, 0.1, 0.5, 0.5, 0.0, 0.3) == 0.3


@pytest.mark.parametrize("kind", ["likelihood_field", "likelihood_field_prob", "beam"])
@pytest.mark.parametrize("beams", [None, 10.0])
def test_the_true_pose_fits_best(kind, beams):
    rng = np.random.default_rng(1)
    settings = AmclSettings(laser_model_type=kind, independent_beams=beams)
    model = ScanModel(FIELD, settings)
    scan = MADAR.scan(HERE, 0.0, rng)
    off = [(0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.2), (-0.3, -0.3, -0.2), (1.5, 0.0, 2.0)]
    poses = compose_all([HERE.x, HERE.y, HERE.yaw], np.array(off, dtype=float))
    fit = model.weigh(poses, scan)
    assert fit is not None
    assert fit.log_weights.argmax() == 0
    assert fit.qualities.argmax() == 0


def test_a_turned_map_gives_the_same_weights():
    rng = np.random.default_rng(2)
    scan = MADAR.scan(HERE, 0.0, rng)
    turn = Pose2(3.0, -1.0, 0.7)
    straight = FIELD.grid
    turned = OccupancyGrid(
        resolution=0.05, origin=turn @ straight.origin, data=straight.data, frame="map"
    )
    poses = compose_all([HERE.x, HERE.y, HERE.yaw], rng.normal(0, 0.1, (20, 3)))
    a = ScanModel(FIELD, AmclSettings()).weigh(poses, scan)
    moved = compose_all([turn.x, turn.y, turn.yaw], poses)
    b = ScanModel(DistanceField(turned, 2.0), AmclSettings()).weigh(moved, scan)
    assert a is not None and b is not None
    np.testing.assert_allclose(a.log_weights, b.log_weights, atol=0.2)


def test_readings_that_are_no_distances_are_left_out():
    ranges = np.array([np.nan, np.inf, -np.inf, 0.0, 1.0, 2.0, 99.0])
    scan = LaserScan(
        angle_min=0.0, angle_max=0.6, angle_increment=0.1, range_min=0.05, range_max=10.0,
        ranges=ranges,
    )  # fmt: skip
    usable = ScanModel(FIELD, AmclSettings()).usable(scan)
    np.testing.assert_allclose(usable, [[0.4, 1.0], [0.5, 2.0]])


def test_a_scan_without_readings_weighs_nothing():
    scan = LaserScan(
        angle_min=0.0, angle_max=0.1, angle_increment=0.1, range_min=0.0, range_max=10.0,
        ranges=np.array([np.nan, np.inf]),
    )  # fmt: skip
    assert ScanModel(FIELD, AmclSettings()).weigh(np.zeros((3, 3)), scan) is None


def test_more_beams_do_not_make_a_scan_surer():
    rng = np.random.default_rng(3)
    scan = MADAR.scan(HERE, 0.0, rng)
    poses = compose_all([HERE.x, HERE.y, HERE.yaw], [(0.0, 0.0, 0.0), (0.3, 0.2, 0.0)])
    gaps = []
    for beams in (45, 180):
        fit = ScanModel(FIELD, AmclSettings(laser_max_beams=beams)).weigh(poses, scan)
        assert fit is not None
        gaps.append(fit.log_weights[0] - fit.log_weights[1])
    assert gaps[1] == pytest.approx(gaps[0], rel=0.2)


@pytest.mark.parametrize(("value", "says"), [(100, "no free cell"), (0, "no occupied cell")])
def test_a_map_of_one_kind_is_refused(value, says):
    grid = OccupancyGrid(resolution=0.05, data=np.full((4, 4), value, dtype=np.int8))
    with pytest.raises(InvalidInput, match=says):
        DistanceField(grid, 2.0)
