"""A map from before furniture was moved, used afterwards: resumed, and to locate a robot in."""

import sys
from pathlib import Path

import numpy as np
import pytest

from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.estimation.lifelong.anchoring import AnchoredDrive
from mecano.estimation.lifelong.resumed_mapper import LOCAL_SIGMA, START_SIGMA, information
from mecano.estimation.lifelong.wall_field import WallField
from mecano.estimation.localization.likelihood_field import DistanceField
from mecano.estimation.localization.population import Population
from mecano.estimation.localization.recovery import FitWatch, Recovery
from mecano.estimation.localization.settings import AmclSettings

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

PRIOR = information(*START_SIGMA)


def room(*, box: tuple[int, int] | None = (50, 20), known: bool = True) -> OccupancyGrid:
    data = np.zeros((80, 100), np.int8)
    data[0], data[-1], data[:, 0], data[:, -1] = 100, 100, 100, 100
    if box is not None:
        row, column = box
        data[row : row + 8, column : column + 10] = 100
    if not known:
        data[:, 50:] = -1
    return OccupancyGrid(stamp=0.0, frame="map", resolution=0.05, data=data)


def walls(grid: OccupancyGrid) -> np.ndarray:
    """Return the middles of the cells that a scanner can see."""
    full = np.pad(grid.data == 100, 1)
    inner = full[:-2, 1:-1] & full[2:, 1:-1] & full[1:-1, :-2] & full[1:-1, 2:]
    return grid.cell_to_world(np.argwhere((grid.data == 100) & ~inner))


@pytest.mark.parametrize("moved", [(44, 20), (50, 28), (20, 60)])
@pytest.mark.parametrize("off", [(0.08, -0.05, 0.03), (-0.1, 0.1, -0.04)])
def test_a_piece_that_was_moved_does_not_pull_the_pose(moved, off):
    true = Pose2(2.0, 1.5, 0.4)
    seen = true.inverse().transform_points(walls(room(box=moved)))
    found = WallField(room()).fit(seen, true @ Pose2(*off), PRIOR)
    assert found.pose.distance_to(true) < 0.02 and abs(found.pose.yaw - true.yaw) < 0.01


def test_a_fit_says_which_part_lies_on_walls():
    grid, true = room(box=None), Pose2(2.0, 1.5, 0.4)
    seen = true.inverse().transform_points(walls(grid))
    other = true.inverse().transform_points(np.full((len(seen), 2), 2.5))
    assert WallField(grid).fit(seen, true, PRIOR).share == pytest.approx(1.0)
    half = WallField(grid).fit(np.concatenate([seen, other]), true, PRIOR)
    assert half.share == pytest.approx(0.5, abs=0.01) and half.is_reliable


def test_a_fit_in_a_room_that_is_mostly_new_is_not_reliable():
    true = Pose2(2.0, 1.5, 0.4)
    seen = walls(room(box=None))
    seen = true.inverse().transform_points(seen[seen[:, 0] > 1.5])
    fit = WallField(room(box=None, known=False)).fit(seen, true, information(*LOCAL_SIGMA))
    assert not fit.is_reliable


def test_along_a_corridor_a_fit_claims_to_know_nothing():
    data = np.zeros((40, 200), np.int8)
    data[0] = data[-1] = 100
    grid = OccupancyGrid(stamp=0.0, frame="map", resolution=0.05, data=data)
    seen = walls(grid)
    seen = seen[np.abs(seen[:, 0] - 5.0) < 2.0]
    fit = WallField(grid).fit(seen - (5.0, 1.0), Pose2(5.0, 1.0), PRIOR)
    along, across = fit.information[0, 0], fit.information[1, 1]
    assert across > 100.0 and along < 1e-3 * across


def test_a_long_stretch_that_does_not_fit_the_old_map_is_doubted():
    shares = np.array([0.9] * 10 + [0.1] * 8 + [np.nan] * 3 + [0.2] * 3 + [0.9] * 4)
    drive = AnchoredDrive(np.zeros((28, 3)), range(28), shares)
    (doubt,) = drive.doubts(100.0 + np.arange(28.0))
    assert (doubt.start, doubt.end) == (110.0, 117.0) and "10 %" in doubt.reason


class _SameMisfit:
    """A likelihood of which every scan is the same piece of furniture in another place."""

    def __init__(self, tracked: np.ndarray) -> None:
        self._tracked = tracked

    def occluded(self, poses: np.ndarray) -> np.ndarray:
        return np.full(len(poses), -4.0 if poses is self._tracked else -2.0)

    def quality(self, poses: np.ndarray) -> float:
        return 1.0


@pytest.mark.parametrize(("step", "scans"), [(0.01, 30), (0.5, 30)])
def test_scans_of_one_place_count_as_one_against_it(step, scans):
    settings = AmclSettings()
    recovery = Recovery(DistanceField(room(), 2.0), settings, np.random.default_rng(0))
    watch = FitWatch(settings)
    watch.slow = watch.usual = 1.0
    watch.fast = 0.1
    tracked = Population(np.zeros((50, 3)))
    recovery.search, recovery.log_odds = Population(np.ones((50, 3))), -10.0
    likelihood = _SameMisfit(tracked.poses)
    for _ in range(scans):
        recovery.move(Pose2(step, 0.0, 0.0))
        if recovery.look(watch, likelihood, tracked) is not None:  # type: ignore[arg-type]
            break
    gained = recovery.log_odds + 10.0
    if step < 0.1:
        assert gained == pytest.approx(2.0 * scans * step / 0.5, rel=1e-6)
    else:
        assert recovery.search is None and gained > 12.0


@pytest.fixture(scope="module")
def first_map():
    from slam_corpus.visit_scores import FirstMap
    from slam_corpus.visits import make_visits

    return FirstMap(make_visits(1, 1, lengths=(40.0, 40.0)))


def test_visits_are_the_same_for_the_same_numbers(first_map):
    from slam_corpus.visits import make_visits

    again = make_visits(1, 1, lengths=(40.0, 40.0))
    np.testing.assert_array_equal(again.after.truth, first_map.visits.after.truth)
    np.testing.assert_array_equal(again.fresh, first_map.visits.fresh)
    assert len(again.fresh) > 50 and len(again.gone) > 50


def test_a_map_is_resumed_after_furniture_was_rearranged(first_map):
    from slam_corpus.visit_scores import resume

    got = resume(first_map)
    assert got.error.mean() < 0.03 and got.error.max() < 0.15
    assert got.live_error.mean() < 0.05 and got.live_error.max() < 0.4
    assert got.shown > 0.85 and got.cleared > 0.85
    assert got.ghosts < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 3, 5])
def test_maps_of_whole_buildings_are_resumed(number):
    from slam_corpus.visit_scores import FirstMap, resume
    from slam_corpus.visits import make_visits

    got = resume(FirstMap(make_visits(5, number)))
    assert got.error.mean() < 0.06
    assert got.shown > 0.75 and got.cleared > 0.8
    assert got.ghosts < 0.03
