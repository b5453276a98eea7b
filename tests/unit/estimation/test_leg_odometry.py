"""Where a body is among the anchors of its feet: exact where the feet are, laws for the rest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.estimation.attitude import rotation_of
from mecano.estimation.leg_odometry import LegOdometry, fit_pose
from mecano.robots.romerin.description import DESCRIPTION

assert DESCRIPTION.legged is not None
TIPS = DESCRIPTION.legged.stance()
ALL = np.ones(6, bool)
few = settings(max_examples=30)
vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)
angles = st.floats(-1.5, 1.5)
"""The fit goes on from the last pose, and no body turns by more between two readings."""


def seen_from(R: np.ndarray, p: np.ndarray, points: np.ndarray = TIPS) -> np.ndarray:
    """Points of the surface as a body at this pose has them."""
    return (points - p) @ R


def turned(angle: float) -> np.ndarray:
    return rotation_of(np.array([0.0, 0.0, angle]))


# Fitting


@given(turn=vectors, shift=vectors)
@few
def test_fit_finds_the_pose_that_made_the_points(turn, shift):
    R = rotation_of(turn)
    found, place = fit_pose(TIPS, TIPS @ R.T + shift)
    np.testing.assert_allclose(found, R, atol=1e-9)
    np.testing.assert_allclose(place, shift, atol=1e-9)


@given(turn=vectors, shift=vectors)
@few
def test_fit_of_the_way_back_is_the_inverse(turn, shift):
    there = TIPS @ rotation_of(turn).T + shift
    (R, p), (back, q) = fit_pose(TIPS, there), fit_pose(there, TIPS)
    np.testing.assert_allclose(back @ R, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(q, -back @ p, atol=1e-9)


@given(seed=st.integers(0, 1000))
@few
def test_fit_is_a_rotation_even_to_points_that_are_mirrored(seed):
    rng = np.random.default_rng(seed)
    R, _ = fit_pose(TIPS, TIPS * [1, -1, 1] + 0.01 * rng.standard_normal((6, 3)))
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(R) == pytest.approx(1.0)


@given(seed=st.integers(0, 1000))
@few
def test_no_small_turn_or_shift_fits_better(seed):
    rng = np.random.default_rng(seed)
    targets = TIPS + 0.01 * rng.standard_normal((6, 3))
    R, p = fit_pose(TIPS, targets)

    def miss(R, p):
        return float(np.sum((TIPS @ R.T + p - targets) ** 2))

    for _ in range(10):
        turn, shift = 1e-3 * rng.standard_normal((2, 3))
        assert miss(R, p) <= miss(rotation_of(turn) @ R, p + shift) + 1e-15


# Odometry


@given(turn=vectors, shift=vectors)
@few
def test_pose_is_recovered_from_feet_that_stay(turn, shift):
    odometry, R = LegOdometry(TIPS), rotation_of(turn)
    odometry.update(seen_from(R, shift), ALL)
    np.testing.assert_allclose(odometry.rotation, R, atol=1e-9)
    np.testing.assert_allclose(odometry.position, shift, atol=1e-9)


@given(turn=vectors, shift=vectors, point=vectors)
@few
def test_place_and_seen_undo_each_other(turn, shift, point):
    odometry = LegOdometry(TIPS)
    odometry.update(seen_from(rotation_of(turn), shift), ALL)
    np.testing.assert_allclose(odometry.seen(odometry.place(point)), point, atol=1e-9)


@given(seed=st.integers(0, 1000), angle=angles)
@few
def test_pose_from_noisy_feet_is_that_of_the_decomposition(seed, angle):
    tips = seen_from(turned(angle), np.array([0.1, 0.0, 0.02]))
    tips += 2e-3 * np.random.default_rng(seed).standard_normal(tips.shape)
    odometry, (R, p) = LegOdometry(TIPS), fit_pose(tips, TIPS)
    odometry.update(tips, ALL)
    np.testing.assert_allclose(odometry.rotation, R, atol=1e-6)
    np.testing.assert_allclose(odometry.position, p, atol=1e-6)


def test_three_feet_are_enough_and_others_do_not_count():
    odometry = LegOdometry(TIPS)
    holding = np.array([True, False, True, False, True, False])
    tips = seen_from(turned(0.2), np.array([0.01, 0.02, 0.0]))
    tips[~holding] += 0.05
    odometry.update(tips, holding)
    np.testing.assert_allclose(odometry.position, [0.01, 0.02, 0.0], atol=1e-9)
    assert odometry.yaw == pytest.approx(0.2)


def test_with_two_feet_the_last_pose_stands():
    odometry = LegOdometry(TIPS)
    odometry.update(TIPS - [0.03, 0.0, 0.0], ALL)
    odometry.update(TIPS + 0.1, np.arange(6) < 2)
    np.testing.assert_allclose(odometry.position, [0.03, 0.0, 0.0], atol=1e-12)


@given(seed=st.integers(0, 1000))
@settings(max_examples=30)
def test_way_of_many_steps_is_exact_whatever_feet_slip_in_the_air(seed):
    """Tripods step by turns; new anchors are where the feet are, not where they should be."""
    rng, odometry = np.random.default_rng(seed), LegOdometry(TIPS)
    feet, R, p = TIPS.copy(), np.eye(3), np.zeros(3)
    for step in range(8):
        holding = np.arange(6) % 2 == step % 2
        R, p = rotation_of(0.05 * rng.standard_normal(3)) @ R, p + 0.02 * rng.standard_normal(3)
        feet[~holding] += 0.02 * rng.standard_normal((3, 3))
        odometry.update(seen_from(R, p, feet), holding)
        for leg in np.flatnonzero(~holding):
            odometry.anchor(int(leg), seen_from(R, p, feet)[leg])
    np.testing.assert_allclose(odometry.position, p, atol=1e-9)
    np.testing.assert_allclose(odometry.rotation, R, atol=1e-9)
    np.testing.assert_allclose(odometry.anchors, feet, atol=1e-9)


# Heading given from elsewhere


@given(first=angles, angle=st.floats(-0.1, 0.1))
@few
def test_turn_by_adds_to_the_yaw_where_the_body_is(first, angle):
    odometry, shift = LegOdometry(TIPS), np.array([0.1, -0.2, 0.01])
    odometry.update(seen_from(turned(first), shift), ALL)
    odometry.turn_by(angle)
    assert odometry.yaw == pytest.approx(first + angle)
    np.testing.assert_allclose(odometry.position, shift, atol=1e-9)


@given(angle=angles)
@few
def test_turn_by_leaves_the_feet_where_the_body_sees_them(angle):
    odometry = LegOdometry(TIPS)
    tips = seen_from(turned(0.3), np.array([0.05, 0.02, 0.0]))
    odometry.update(tips, ALL)
    odometry.turn_by(angle)
    np.testing.assert_allclose(odometry.seen(odometry.anchors), tips, atol=1e-9)
    before = odometry.rotation
    odometry.update(tips, ALL)  # so the next reading does not take it back
    np.testing.assert_allclose(odometry.rotation, before, atol=1e-9)


@given(angle=angles)
@few
def test_turn_there_and_back_is_nothing(angle):
    odometry = LegOdometry(TIPS)
    odometry.update(TIPS - [0.2, 0.1, 0.0], ALL)
    odometry.turn_by(angle)
    odometry.turn_by(-angle)
    np.testing.assert_allclose(odometry.anchors, TIPS, atol=1e-12)
    np.testing.assert_allclose(odometry.rotation, np.eye(3), atol=1e-12)


# Plane


@given(tilt=st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5)))
@few
def test_plane_of_feet_on_a_slope_has_its_normal_upwards(tilt):
    R = rotation_of(np.array([*tilt, 0.0]))
    flat = TIPS * [1, 1, 0]
    normal, middle = LegOdometry(flat @ R.T + [0, 0, 0.3]).plane(ALL)
    np.testing.assert_allclose(normal, R[:, 2], atol=1e-9)
    assert (middle - [0, 0, 0.3]) @ normal == pytest.approx(0.0, abs=1e-12)


def test_plane_of_two_feet_is_refused():
    with pytest.raises(InvalidInput, match="needs 3 feet that hold, there are 2"):
        LegOdometry(TIPS).plane(np.arange(6) < 2)


def test_memory_goes_back():
    odometry = LegOdometry(TIPS)
    odometry.update(TIPS - [0.03, 0.0, 0.0], ALL)
    memory = odometry.memory()
    odometry.anchor(0, np.zeros(3))
    odometry.turn_by(0.5)
    odometry.recall(memory)
    np.testing.assert_array_equal(odometry.anchors, TIPS)
    assert abs(odometry.yaw) < 1e-12 and odometry.position[0] == pytest.approx(0.03)
