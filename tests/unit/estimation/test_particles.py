import numpy as np
import pytest

from mecano.core.poses import Pose2
from mecano.estimation.localization.particles import (
    bins,
    clusters,
    kld_count,
    low_variance,
    needed,
    spread,
)


def test_kld_count_is_that_of_the_paper():
    # Fox 2003, equation 14, worked by hand for k = 100, error 0.05, quantile 2.326 (99 %).
    k, error, z = 100, 0.05, 2.326
    part = 2.0 / (9.0 * (k - 1))
    by_hand = (k - 1) / (2.0 * error) * (1.0 - part + np.sqrt(part) * z) ** 3
    assert kld_count(k, error, z) == np.ceil(by_hand)
    assert float(kld_count(1, error, z)) == 1.0


def test_more_bins_need_more_samples():
    counts = kld_count(np.arange(1, 500), 0.02, 0.99)
    assert np.all(np.diff(counts) >= 0.0)


def test_low_variance_takes_each_as_often_as_its_weight_asks():
    rng = np.random.default_rng(0)
    weights = rng.random(40)
    weights /= weights.sum()
    for _ in range(20):
        often = np.bincount(low_variance(weights, 1000, rng), minlength=40)
        assert often.sum() == 1000
        assert np.all(np.abs(often - 1000 * weights) < 1.0 + 1e-9)


def test_equal_weights_keep_every_particle():
    rng = np.random.default_rng(1)
    np.testing.assert_array_equal(low_variance(np.full(50, 0.02), 50, rng), np.arange(50))


def test_narrow_clouds_need_the_least_and_wide_ones_more():
    rng = np.random.default_rng(2)
    limits = {"least": 100, "most": 5000, "error": 0.02, "z": 0.99, "rng": rng}
    weights = np.full(2000, 1 / 2000)
    narrow = rng.normal(0, 0.01, (2000, 3)) + 0.25
    wide = rng.uniform(-10, 10, (2000, 3))
    assert needed(narrow, weights, **limits) == 100
    assert 1000 < needed(wide, weights, **limits) <= 5000


def test_the_heaviest_cluster_comes_first_with_its_mean():
    rng = np.random.default_rng(3)
    left = rng.normal([0, 0, 3.1], [0.1, 0.1, 0.1], (300, 3))
    right = rng.normal([5, 5, 0], [0.1, 0.1, 0.1], (500, 3))
    poses = np.concatenate([left, right])
    weights = np.concatenate([np.full(300, 0.8 / 300), np.full(500, 0.2 / 500)])
    first, second = clusters(poses, weights)[:2]
    assert first.weight == pytest.approx(0.8)
    assert second.weight == pytest.approx(0.2)
    assert first.pose.is_close(Pose2(0, 0, 3.1), position_tolerance=0.03, angle_tolerance=0.03)
    np.testing.assert_allclose(np.sqrt(np.diag(first.covariance)), 0.1, rtol=0.2)


def test_headings_on_both_sides_of_a_half_turn_are_one_cluster():
    rng = np.random.default_rng(4)
    poses = np.column_stack([np.full(200, 1.1), np.full(200, 1.1), rng.normal(np.pi, 0.2, 200)])
    found = clusters(poses, np.full(200, 1 / 200))
    assert len(found) == 1
    assert found[0].pose.angle_to(Pose2(yaw=np.pi)) < 0.05


def test_bins_count_heading_round():
    same = np.array([[0.1, 0.1, 0.01], [0.1, 0.1, 0.01 + 2 * np.pi], [0.1, 0.1, 3.0]])
    first, again, other = bins(same)
    assert first == again != other


def test_spread_is_the_root_of_the_mean_square_distance():
    poses = np.array([[3.0, 4.0, 0.0], [-3.0, -4.0, 0.0]])
    assert spread(poses, np.array([0.5, 0.5]), Pose2()) == pytest.approx(5.0)
