"""Localization where odometry is plainly wrong for a moment, or something hides the walls."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic_hall import KINECT, MADAR, hall_map, tour

from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import relative_all
from mecano.core.scanner_class import depth_camera
from mecano.estimation.localization.monte_carlo import MonteCarlo
from mecano.estimation.localization.odometry_doubt import has_changed
from mecano.estimation.localization.settings import AmclSettings
from mecano.estimation.localization.stated_error import CHI2_95, bound_95

GRID = hall_map()
SMALL = AmclSettings(max_particles=1000, candidates=10_000)
OLD = replace(SMALL, odometry_doubt=0.0)
TIGHT = np.diag([0.01, 0.01, 0.01])


def rows(poses):
    return np.array([(pose.x, pose.y, pose.yaw) for pose in poses])


def drive(truth, steps, *, scanner=MADAR, settings=SMALL, seed=0, spoil=lambda i, scan: scan):
    """Follow a true path by scans and by odometry that is made of steps."""
    rng = np.random.default_rng(seed)
    filter = MonteCarlo(GRID, settings, mount=scanner.mount, seed=seed)
    filter.set_pose(truth[0], TIGHT)
    odometry, estimates = Pose2(), []
    for i, pose in enumerate(truth):
        if i:
            odometry = odometry @ Pose2(*steps[i - 1].tolist())
        scan = spoil(i, scanner.scan(pose, 0.2 * i, rng))
        estimates.append(filter.update(scan, odometry))
    off = np.array([e.pose.distance_to(p) for e, p in zip(estimates, truth, strict=True)])
    return estimates, off


def true_steps(truth):
    poses = rows(truth)
    return relative_all(poses[:-1], poses[1:])


def there_and_back():
    """Forward along the tour, then 20 steps of 0.13 m backwards."""
    forward = tour(150)[:60]
    return forward + forward[-2:-22:-1]


def test_reversing_with_odometry_that_has_no_sign_is_seen():
    truth = there_and_back()
    steps = true_steps(truth)
    steps[:, 0] = np.abs(steps[:, 0])
    _, off = drive(truth, steps)
    assert off[-5:].max() < 0.15
    assert off.max() < 1.0
    _, believed = drive(truth, steps, settings=replace(OLD, recovery_alpha_slow=0.0))
    assert believed.max() > 1.0  # what odometry alone makes of it


def test_odometry_that_stands_still_is_seen():
    truth = tour(150)[:60]
    steps = true_steps(truth)
    steps[20:32] = 0.0
    _, off = drive(truth, steps)
    assert off[-5:].max() < 0.1
    assert off.max() < 1.0


def test_wheels_that_turn_while_the_base_is_blocked_do_not_carry_it_away():
    truth = tour(150)[:30] + [tour(150)[29]] * 8 + tour(150)[30:50]
    steps = true_steps(truth)
    steps[29:37, 0] = 0.2
    _, off = drive(truth, steps)
    assert off[-5:].max() < 0.1
    assert off.max() < 0.8


def test_a_crowd_around_the_base_is_not_another_place():
    truth = tour(150)[:40]
    rng = np.random.default_rng(0)

    def crowded(i, scan):
        if not 15 <= i < 30:
            return scan
        people = np.where(np.arange(360) % 40 < 28, rng.uniform(0.5, 0.8), np.inf)
        return replace(scan, ranges=np.minimum(scan.ranges, people))

    _, off = drive(truth, true_steps(truth), spoil=crowded)
    assert off.max() < 0.2


def test_the_other_side_of_a_wall_is_not_a_shifted_wall():
    # The map knows the inside of the hall. A reading from outside ends 0.2 m before its wall.
    filter = MonteCarlo(GRID, SMALL, Pose2(4.0, 3.0, 0.0))
    outside, inside = Pose2(-0.5, 3.0, 0.0), Pose2(1.0, 3.4, np.pi)
    scan = KINECT.scan(inside, 0.0, np.random.default_rng(0))
    model = filter._model
    assert len(model.usable(model.known_part(scan, inside))) == len(model.usable(scan))
    near = replace(scan, ranges=np.full(len(scan.ranges), 0.3))
    assert not len(model.usable(model.known_part(near, outside)))


@pytest.mark.parametrize("scanner", [MADAR, KINECT], ids=["madar", "kinect"])
def test_the_stated_error_covers_the_true_one_and_is_not_idle(scanner):
    covered, bounds = [], []
    for seed in range(2):
        truth = tour(150)
        steps = true_steps(truth)
        steps *= 1.0 + np.random.default_rng(seed).normal(0.0, 0.05, steps.shape)
        estimates, _ = drive(truth, steps, scanner=scanner, seed=seed)
        for estimate, pose in zip(estimates, truth, strict=True):
            away = np.array([estimate.pose.x - pose.x, estimate.pose.y - pose.y])
            covered.append(away @ np.linalg.solve(estimate.covariance[:2, :2], away) < CHI2_95)
            bounds.append(bound_95(estimate.covariance))
    assert np.mean(covered) > 0.93
    assert np.median(bounds) < 3 * GRID.resolution


def test_the_stated_error_grows_while_nothing_is_seen():
    truth = tour(150)[:60]

    def blind(i, scan):
        return replace(scan, ranges=np.full(360, np.nan)) if i >= 30 else scan

    estimates, _ = drive(truth, true_steps(truth), spoil=blind)
    assert bound_95(estimates[-1].covariance) > 2.0 * bound_95(estimates[29].covariance)


def test_the_stated_error_says_that_a_base_was_carried_away():
    truth = tour(150)
    there = truth[:40] + truth[110:118]
    steps = true_steps(there)
    steps[39] = 0.0  # carried, its wheels did not turn
    estimates, off = drive(there, steps)
    lost = [k for k in range(40, 48) if off[k] > 0.5]
    assert lost
    assert all(bound_95(estimates[k].covariance) > 0.3 for k in lost)


def test_a_scan_that_changed_shows_that_the_scanner_moved():
    rng = np.random.default_rng(0)
    here, there = (MADAR.scan(pose, 0.0, rng) for pose in (tour(150)[0], tour(150)[6]))
    again = MADAR.scan(tour(150)[0], 0.0, rng)
    assert has_changed(here, there)
    assert not has_changed(here, again)
    assert not has_changed(None, here)
    passing = replace(again, ranges=np.where(np.arange(360) < 60, 0.6, again.ranges))
    assert not has_changed(here, passing)


def test_narrow_scans_count_for_fewer_beams():
    rng = np.random.default_rng(0)
    model = MonteCarlo(GRID, SMALL, Pose2(4.0, 3.0, 0.0))._model
    around = model.independent(MADAR.scan(Pose2(4.0, 3.0), 0.0, rng))
    ahead = KINECT.scan(Pose2(4.0, 3.0), 0.0, rng)
    narrow = model.independent(ahead)
    few = model.independent(replace(ahead, ranges=np.where(np.arange(160) < 20, 2.0, np.nan)))
    assert around == pytest.approx(20.0, rel=0.05)
    assert narrow == pytest.approx(10.0 * 57.0 / 180.0, rel=0.05)
    assert few == pytest.approx(narrow / 8.0, rel=0.05)


def test_noise_of_a_depth_camera_bounds_its_range():
    camera = depth_camera(field_of_view=1.0, nearest=0.45, furthest=9.0)
    assert camera.narrow
    assert camera.deviation(3.0) == pytest.approx(0.0012 + 0.0019 * 9.0)
    reliable = camera.reliable_range(0.05)
    assert camera.deviation(reliable) == pytest.approx(0.05)
    assert camera.reliable_range(10.0) == 9.0
