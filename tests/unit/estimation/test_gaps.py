"""Gaps of a path, bridged by odometry."""

import numpy as np
from random_walk import walk

from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.gaps import fill_rows, fill_with_odometry


def test_odometry_fills_gaps_exactly_where_it_is_exact():
    stamps, poses = walk(np.random.default_rng(2))
    odometry = compose_all([1.0, 2.0, -1.0], poses)
    every, filled = fill_with_odometry(stamps[::10], poses[::10], stamps, odometry)
    np.testing.assert_array_equal(every, stamps)
    np.testing.assert_allclose(relative_all(poses, filled), 0.0, atol=1e-9)


def test_a_filled_path_goes_through_its_own_poses():
    stamps, poses = walk(np.random.default_rng(3))
    wrong = walk(np.random.default_rng(4))[1]
    every, filled = fill_with_odometry(stamps[::10], poses[::10], stamps, wrong)
    np.testing.assert_allclose(filled[np.isin(every, stamps[::10])], poses[::10], atol=1e-9)


def test_rows_are_filled_exactly_where_odometry_is_exact():
    _, poses = walk(np.random.default_rng(5))
    odometry = compose_all([1.0, 2.0, -1.0], poses)
    known = np.arange(3, 55, 4)  # neither the first row nor the last
    filled = fill_rows(known, poses[known], odometry)
    np.testing.assert_allclose(relative_all(poses, filled), 0.0, atol=1e-9)
    np.testing.assert_array_equal(filled[known], poses[known])


def test_what_odometry_misses_is_spread_over_the_rows_between():
    odometry = np.zeros((5, 3))
    filled = fill_rows(np.array([0, 4]), np.array([[0.0, 0, 0], [0.4, 0.2, 0.0]]), odometry)
    np.testing.assert_allclose(filled[:, 0], [0.0, 0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(filled[:, 1], [0.0, 0.05, 0.1, 0.15, 0.2])


def test_a_path_that_jumps_is_not_made_to_glide():
    odometry = np.zeros((3, 3))
    filled = fill_rows(np.array([0, 2]), np.array([[0.0, 0, 0], [8.0, 3.0, 1.0]]), odometry)
    np.testing.assert_array_equal(filled[1], [0.0, 0.0, 0.0])
