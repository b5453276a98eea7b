from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from synthetic_hall import KINECT, MADAR, hall_map, tour, wheel_odometry

from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.estimation.localization.monte_carlo import MonteCarlo
from mecano.estimation.localization.settings import AmclSettings
from mecano.robots.madar.paper import AMCL as MADAR_PAPER

GRID = hall_map()
STEPS = 150
SMALL = AmclSettings(max_particles=3000, candidates=30_000)
"""The defaults with fewer guesses: the hall is small."""


@cache
def drive(scanner, seed=0):
    """True poses, odometry and scans of one tour."""
    rng = np.random.default_rng(seed)
    truth = tour(STEPS)
    scans = [scanner.scan(pose, 0.2 * i, rng) for i, pose in enumerate(truth)]
    return truth, wheel_odometry(truth, rng), scans


def follow(scanner, settings=SMALL, start="truth", *, seed=0, steps=STEPS, from_step=0):
    truth, odometry, scans = drive(scanner)
    begin = truth[from_step] if start == "truth" else None
    filter = MonteCarlo(GRID, settings, begin, mount=scanner.mount, seed=seed)
    chosen = range(from_step, min(from_step + steps, STEPS))
    estimates = [filter.update(scans[i], odometry[i]) for i in chosen]
    off = np.array([e.pose.distance_to(truth[i]) for e, i in zip(estimates, chosen, strict=True)])
    turned = [e.pose.angle_to(truth[i]) for e, i in zip(estimates, chosen, strict=True)]
    return filter, estimates, off, np.degrees(turned)


@pytest.mark.parametrize("scanner", [MADAR, KINECT], ids=["madar", "kinect"])
def test_a_base_is_followed_to_within_half_a_cell(scanner):
    _, _, off, turned = follow(scanner)
    assert off[5:].mean() < 0.03
    assert off.max() < 0.25
    assert turned[5:].mean() < 1.0


def test_a_base_is_found_anywhere_in_the_map():
    for from_step in (0, 60, 110):
        _, estimates, off, turned = follow(MADAR, start="anywhere", steps=25, from_step=from_step)
        assert off[-5:].max() < 0.1
        assert turned[-5:].max() < 3.0
        assert estimates[-1].share > 0.9


def test_a_camera_of_57_degrees_finds_itself_too():
    _, _, off, _ = follow(KINECT, start="anywhere", steps=90)
    assert off[-5:].max() < 0.15


@pytest.mark.parametrize("kind", ["likelihood_field_prob", "beam"])
def test_other_models_of_the_scanner_follow_as_well(kind):
    settings = replace(SMALL, laser_model_type=kind, laser_max_beams=30, max_particles=500)
    _, _, off, _ = follow(MADAR, settings, steps=40)
    assert off[5:].mean() < 0.04


def test_the_table_of_the_paper_follows_without_losing_the_base():
    _, _, off, _ = follow(MADAR, AmclSettings.from_table(MADAR_PAPER))
    assert off.max() < 0.6


def test_matching_the_scan_makes_the_answer_better():
    _, _, refined, _ = follow(MADAR)
    _, _, plain, _ = follow(MADAR, replace(SMALL, refine=False))
    assert refined[5:].mean() < plain[5:].mean()


def test_a_base_that_was_carried_away_is_found_again():
    truth, odometry, scans = drive(MADAR)
    filter = MonteCarlo(GRID, SMALL, truth[0])
    for i in range(40):
        filter.update(scans[i], odometry[i])
    carried = odometry[39] @ odometry[110].inverse()  # wheels did not turn meanwhile
    late = [filter.update(scans[i], carried @ odometry[i]) for i in range(110, STEPS)]
    assert late[0].pose.angle_to(truth[110]) > 1.0
    assert late[-1].pose.distance_to(truth[STEPS - 1]) < 0.1


def test_without_recovery_it_stays_lost():
    truth, odometry, scans = drive(MADAR)
    settings = replace(SMALL, recovery_alpha_slow=0.0, recovery_alpha_fast=0.0)
    filter = MonteCarlo(GRID, settings, truth[0])
    for i in range(40):
        filter.update(scans[i], odometry[i])
    carried = odometry[39] @ odometry[110].inverse()
    late = [filter.update(scans[i], carried @ odometry[i]) for i in range(110, STEPS)]
    assert late[-1].pose.distance_to(truth[STEPS - 1]) > 0.5


def test_a_scanner_that_reads_too_short_is_found_out():
    truth, odometry, scans = drive(MADAR)
    filter = MonteCarlo(GRID, SMALL, truth[0])
    for i in range(80):
        filter.update(replace(scans[i], ranges=scans[i].ranges - 0.05), odometry[i])
    assert filter.longer == pytest.approx(0.05, abs=0.02)


def test_map_to_odom_joins_pose_and_odometry():
    truth, odometry, scans = drive(MADAR)
    filter = MonteCarlo(GRID, SMALL, truth[0])
    for i in range(10):
        estimate = filter.update(scans[i], odometry[i])
        assert (estimate.map_to_odom @ odometry[i]).is_close(estimate.pose)
        message = estimate.pose_message()
        assert Pose2.from_pose(message.pose).is_close(estimate.pose)
        assert message.covariance[5, 5] == pytest.approx(estimate.covariance[2, 2])
        assert Pose2.from_pose(estimate.transform().transform).is_close(estimate.map_to_odom)


def test_the_same_seed_gives_the_same_answers():
    a, b = (follow(MADAR, start="anywhere", steps=15, seed=4)[1] for _ in range(2))
    for one, other in zip(a, b, strict=True):
        assert one.pose == other.pose
        np.testing.assert_array_equal(one.particles, other.particles)


def test_weights_of_the_cloud_add_up_to_one():
    _, estimates, _, _ = follow(MADAR, start="anywhere", steps=10)
    for estimate in estimates:
        assert estimate.particles.shape[1] == 4
        assert estimate.particles[:, 3].sum() == pytest.approx(1.0)


def test_fewer_particles_are_kept_once_it_knows_where_it_is():
    settings = replace(SMALL, candidates=0, min_particles=50)
    _, estimates, _, _ = follow(MADAR, settings, start="anywhere", steps=40)
    assert len(estimates[0].particles) > 2 * len(estimates[-1].particles)
    assert estimates[0].spread > 5 * estimates[-1].spread


def test_a_base_that_stands_takes_in_no_scan():
    truth, odometry, scans = drive(MADAR)
    filter = MonteCarlo(GRID, SMALL, truth[0])
    first = filter.update(scans[0], odometry[0])
    again = filter.update(replace(scans[0], stamp=1.0), odometry[0])
    assert first.updated and not again.updated
    assert again.pose.is_close(first.pose)
    np.testing.assert_array_equal(again.particles, first.particles)


def test_the_covariance_covers_the_error():
    truth, _, _ = drive(MADAR)
    _, estimates, _, _ = follow(MADAR)
    off = np.array(
        [[e.pose.x - p.x, e.pose.y - p.y] for e, p in zip(estimates, truth, strict=True)]
    )
    deviations = np.array([np.sqrt(np.diag(e.covariance)[:2]) for e in estimates])
    assert np.mean(np.abs(off[5:]) < 3 * deviations[5:] + 0.01) > 0.95


def test_an_empty_scan_moves_by_odometry_alone():
    truth, odometry, scans = drive(MADAR)
    filter = MonteCarlo(GRID, SMALL, truth[0])
    before = filter.update(scans[0], odometry[0])
    blind = replace(scans[3], ranges=np.full(360, np.nan))
    estimate = filter.update(blind, odometry[3])
    assert not estimate.updated
    assert estimate.pose.is_close(before.pose @ (odometry[0].inverse() @ odometry[3]))


def test_scans_may_change_their_size():
    truth, odometry, scans = drive(MADAR)
    filter = MonteCarlo(GRID, SMALL, truth[0])
    taken = [halved(scan) if i % 2 else scan for i, scan in enumerate(scans[:20])]
    estimates = [filter.update(*both) for both in zip(taken, odometry, strict=False)]
    assert estimates[-1].pose.distance_to(truth[19]) < 0.1


def halved(scan):
    ranges, step = scan.ranges[::2], 2 * scan.angle_increment
    return LaserScan(
        stamp=scan.stamp, angle_min=scan.angle_min, angle_increment=step,
        angle_max=scan.angle_min + step * (len(ranges) - 1),
        range_min=0.05, range_max=10.0, ranges=ranges,
    )  # fmt: skip


def test_time_that_goes_backwards_is_refused():
    truth, odometry, scans = drive(MADAR)
    filter = MonteCarlo(GRID, SMALL, truth[0])
    filter.update(scans[5], odometry[5])
    with pytest.raises(InvalidInput, match="came after"):
        filter.update(scans[4], odometry[4])


def test_a_start_outside_the_map_is_refused_with_its_extent():
    with pytest.raises(InvalidInput, match=r"x -0\.53 to 8\.47 m, y -0\.53 to 6\.47 m"):
        MonteCarlo(GRID, SMALL, Pose2(30.0, 0.0, 0.0))


def test_a_pose_can_be_set_anew():
    truth, odometry, scans = drive(MADAR)
    filter = MonteCarlo(GRID, SMALL, Pose2(7.0, 5.0, 0.0))
    filter.set_pose(truth[50], np.diag([0.01, 0.01, 0.01]))
    estimate = filter.update(scans[50], odometry[50])
    assert estimate.pose.distance_to(truth[50]) < 0.1


def test_odometry_that_is_reset_does_not_carry_the_base_away():
    truth, odometry, scans = drive(MADAR)
    filter = MonteCarlo(GRID, SMALL, truth[0])
    reset = Pose2(8.0, -3.0, 1.0)
    estimates = [
        filter.update(scans[i], odometry[i] if i < 20 else reset @ odometry[i]) for i in range(40)
    ]
    off = [e.pose.distance_to(truth[i]) for i, e in enumerate(estimates)]
    assert max(off[5:]) < 0.15
    assert "jumped once, by" in filter.notes[0]


def test_a_reset_between_scans_that_do_not_count_keeps_what_was_driven_before():
    truth, odometry, scans = drive(MADAR)
    settings = replace(SMALL, update_min_d=50.0, update_min_a=3.0)  # only the first one counts
    filter = MonteCarlo(GRID, settings, truth[0])
    before = [filter.update(scans[i], odometry[i]) for i in range(3)][-1]
    blind = replace(scans[3], ranges=np.full(360, np.nan))
    after = filter.update(blind, Pose2(30.0, 0.0, 0.0) @ odometry[2])
    assert after.pose.is_close(before.pose)
    assert np.all(after.particles[:, :2].std(axis=0) > before.particles[:, :2].std(axis=0))


def test_a_start_that_is_not_free_is_told():
    values = GRID.data
    for wanted, says in ((values >= 65, "in a wall"), (values < 0, "in unknown space")):
        x, y = GRID.cell_to_world(np.argwhere(wanted)[:1])[0]
        notes = MonteCarlo(GRID, SMALL, Pose2(x, y, 0.0)).notes
        assert len(notes) == 1 and says in notes[0]
    assert MonteCarlo(GRID, SMALL, drive(MADAR)[0][0]).notes == ()


def test_a_map_of_huge_cells_is_refused():
    with pytest.raises(InvalidInput, match="side of 50 m"):
        MonteCarlo(replace(GRID, resolution=50.0), SMALL)
