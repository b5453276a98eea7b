"""All legs at once against one leg at a time: the closed form, the chain, differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.kinematics.leg_set import LegSet
from mecano.kinematics.legs import BRANCHES
from mecano.robots.romerin.description import CHAINS

LEGS = tuple(CHAINS.values())
SET = LegSet(LEGS)
seeds = st.integers(0, 10_000)


def postures(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(SET.lower, SET.upper)


def points(seed: int) -> np.ndarray:
    """Points around the feet, in reach or not."""
    stand = np.array([leg.tip(leg.postures["stand"]) for leg in LEGS])
    return stand + np.random.default_rng(seed).uniform(-0.12, 0.12, (6, 3))


@given(seed=seeds)
@settings(max_examples=30)
def test_tips_are_those_of_the_chains(seed):
    q = postures(seed)
    expected = [leg.tip(row) for leg, row in zip(LEGS, q, strict=True)]
    np.testing.assert_allclose(SET.tips(q), expected, atol=1e-12)


@given(seed=seeds)
@settings(max_examples=30)
def test_jacobians_are_those_of_the_chains(seed):
    q = postures(seed)
    expected = [leg.jacobian(row) for leg, row in zip(LEGS, q, strict=True)]
    np.testing.assert_allclose(SET.jacobians(q), expected, atol=1e-12)


@given(seed=seeds)
@settings(max_examples=30)
def test_jacobians_are_the_differences_of_the_tips(seed):
    q, step = postures(seed), 1e-6
    for joint in range(3):
        moved = np.zeros(3)
        moved[joint] = step
        slope = (SET.tips(q + moved) - SET.tips(q - moved)) / (2.0 * step)
        np.testing.assert_allclose(SET.jacobians(q)[:, :, joint], slope, atol=1e-8)


@pytest.mark.parametrize("branch", BRANCHES)
@given(seed=seeds)
@settings(max_examples=30)
def test_inverse_is_that_of_the_solver_of_each_leg(branch, seed):
    wanted = points(seed)
    found, which = SET.inverse(wanted, branch), BRANCHES.index(branch)
    expected = np.array(
        [leg.leg.solve_batch(p)[which] for leg, p in zip(LEGS, wanted, strict=True)]
    )
    np.testing.assert_allclose(found, expected, atol=1e-7)  # NaN where NaN


@given(seed=seeds)
@settings(max_examples=30)
def test_inverse_of_the_own_branch_brings_the_tips_back(seed):
    q = postures(seed)
    tips = SET.tips(q)
    for i, leg in enumerate(LEGS):
        branch = leg.leg.branch(q[i].tolist())
        found = SET.inverse(tips, branch)[i]
        assert np.isfinite(found).all()
        back = SET.tips(np.tile(found, (6, 1)))[i]
        np.testing.assert_allclose(back, tips[i], atol=1e-9)


@given(seed=seeds)
@settings(max_examples=30)
def test_tips_of_an_inverse_are_the_points(seed):
    wanted = points(seed)
    q = SET.inverse(wanted)
    good = np.isfinite(q).all(axis=1)
    np.testing.assert_allclose(SET.tips(np.nan_to_num(q))[good], wanted[good], atol=1e-9)
    assert ((q >= SET.lower) & (q <= SET.upper))[good].all()


def test_standing_is_found_for_all_legs():
    stand = np.array([leg.postures["stand"] for leg in LEGS])
    np.testing.assert_allclose(SET.inverse(SET.tips(stand)), stand, atol=1e-9)


def test_leg_that_cannot_has_a_row_of_nan_and_the_others_have_none():
    wanted = SET.tips(np.array([leg.postures["stand"] for leg in LEGS]))
    wanted[2] += [-0.5, 0.0, 0.0]  # too far
    wanted[4, :2] = SET.axes[4] + 0.005  # inside the hip
    found = SET.inverse(wanted)
    np.testing.assert_array_equal(np.isnan(found).all(axis=1), np.isin(np.arange(6), [2, 4]))
    np.testing.assert_array_equal(np.isnan(found).any(axis=1), np.isin(np.arange(6), [2, 4]))


def test_point_beyond_a_joint_limit_is_nan():
    q = np.array([leg.postures["stand"] for leg in LEGS])
    q[0, 0] = SET.upper[0, 0] + 0.05
    assert np.isnan(SET.inverse(SET.tips(q))[0]).all()
