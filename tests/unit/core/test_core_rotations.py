"""Laws of angles, quaternions, matrices and roll-pitch-yaw; scipy is the second witness."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mecano.core import (
    InvalidInput,
    matrix_from_quaternion,
    matrix_from_rpy,
    quaternion_conjugate,
    quaternion_from_matrix,
    quaternion_multiply,
    rpy_from_matrix,
    wrap_angle,
)

HALF_TURN = math.pi
components = st.floats(-1.0, 1.0)
angles = st.one_of(
    st.floats(-HALF_TURN, HALF_TURN),
    st.floats(1e-12, 1e-3).map(lambda gap: HALF_TURN - gap),
    st.floats(1e-12, 1e-3),
    st.sampled_from([0.0, HALF_TURN, -HALF_TURN, HALF_TURN / 2, -HALF_TURN / 2]),
)
axes = (
    st.tuples(components, components, components)
    .filter(lambda axis: math.hypot(*axis) > 1e-3)
    .map(lambda axis: np.array(axis) / math.hypot(*axis))
)
quaternions = st.builds(
    lambda axis, angle: np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)]), axes, angles
)
rpys = st.tuples(angles, st.floats(-HALF_TURN / 2, HALF_TURN / 2), angles).map(np.array)


def scipy_matrix(quaternion):
    w, x, y, z = quaternion
    return Rotation.from_quat([x, y, z, w]).as_matrix()


@given(st.floats(-1e6, 1e6))
def test_wrapped_angle_points_the_same_way(angle):
    wrapped = wrap_angle(angle)
    assert math.cos(wrapped) == pytest.approx(math.cos(angle), abs=1e-9)
    assert math.sin(wrapped) == pytest.approx(math.sin(angle), abs=1e-9)


@given(st.floats(-1e12, 1e12))
@example(math.pi)
@example(-math.pi)
@example(math.nextafter(-math.pi, 0.0))
@example(math.nextafter(-math.pi, -4.0))
@example(3 * math.pi)
def test_wrapped_angle_is_above_minus_pi_up_to_pi(angle):
    assert -math.pi < wrap_angle(angle) <= math.pi


@given(st.floats(-math.pi, math.pi, exclude_min=True))
@example(math.nextafter(-math.pi, 0.0))
@example(-1e-300)
def test_angle_in_range_is_left_bit_for_bit(angle):
    assert wrap_angle(angle) == angle


@given(st.lists(st.floats(-1e9, 1e9)))
@example([math.pi, -math.pi, 0.0, -7.0])
def test_array_of_angles_wraps_like_single_angles(values):
    assert wrap_angle(np.array(values)).tolist() == [wrap_angle(value) for value in values]


def test_minus_pi_wraps_to_pi():
    assert wrap_angle(-math.pi) == math.pi


@pytest.mark.parametrize("angle", [math.nan, math.inf, np.array([0.0, math.nan])])
def test_angle_that_is_not_finite_is_refused(angle):
    with pytest.raises(InvalidInput, match="finite"):
        wrap_angle(angle)


@given(quaternions)
def test_matrix_of_a_quaternion_agrees_with_scipy(quaternion):
    np.testing.assert_allclose(
        matrix_from_quaternion(quaternion), scipy_matrix(quaternion), atol=1e-14
    )


@given(quaternions, st.floats(0.1, 10.0))
def test_length_of_a_quaternion_does_not_change_its_matrix(quaternion, length):
    np.testing.assert_allclose(
        matrix_from_quaternion(length * quaternion), matrix_from_quaternion(quaternion), atol=1e-14
    )


@given(quaternions)
def test_quaternion_survives_the_matrix_up_to_its_sign(quaternion):
    back = quaternion_from_matrix(matrix_from_quaternion(quaternion))
    closer = min(np.abs(back - quaternion).max(), np.abs(back + quaternion).max())
    assert closer < 1e-14


@given(quaternions)
def test_quaternion_of_a_matrix_has_no_negative_w(quaternion):
    assert quaternion_from_matrix(matrix_from_quaternion(-quaternion))[0] >= 0.0


@given(quaternions)
def test_quaternion_of_a_matrix_has_length_one(quaternion):
    assert np.linalg.norm(
        quaternion_from_matrix(matrix_from_quaternion(quaternion))
    ) == pytest.approx(1.0, abs=1e-15)


@given(quaternions, quaternions)
def test_quaternion_product_is_the_matrix_product(a, b):
    np.testing.assert_allclose(
        matrix_from_quaternion(quaternion_multiply(a, b)),
        matrix_from_quaternion(a) @ matrix_from_quaternion(b),
        atol=1e-14,
    )


@given(quaternions)
def test_quaternion_times_its_conjugate_is_no_turn(quaternion):
    product = quaternion_multiply(quaternion, quaternion_conjugate(quaternion))
    np.testing.assert_allclose(product, [1.0, 0.0, 0.0, 0.0], atol=1e-15)


@given(rpys)
def test_matrix_of_rpy_agrees_with_scipy_about_fixed_axes(rpy):
    np.testing.assert_allclose(
        matrix_from_rpy(rpy), Rotation.from_euler("xyz", rpy).as_matrix(), atol=1e-14
    )


@given(rpys)
@example(np.array([0.3, math.pi / 2, -0.4]))
@example(np.array([0.3, -math.pi / 2, -0.4]))
@example(np.array([1.0, math.pi / 2 - 1e-9, 2.0]))
def test_matrix_survives_rpy_even_in_gimbal_lock(rpy):
    matrix = matrix_from_rpy(rpy)
    np.testing.assert_allclose(matrix_from_rpy(rpy_from_matrix(matrix)), matrix, atol=1e-14)


@given(st.tuples(*[st.floats(-1.5, 1.5)] * 3).map(np.array))
def test_rpy_survives_the_matrix_away_from_gimbal_lock(rpy):
    np.testing.assert_allclose(rpy_from_matrix(matrix_from_rpy(rpy)), rpy, atol=1e-12)


def test_yaw_is_zero_in_gimbal_lock():
    assert rpy_from_matrix(matrix_from_rpy([0.3, math.pi / 2, 0.1]))[2] == 0.0


@given(st.lists(quaternions, min_size=1, max_size=5).map(np.array))
def test_batch_gives_what_single_calls_give(batch):
    matrices = matrix_from_quaternion(batch)
    for function, values in [
        (matrix_from_quaternion, batch),
        (quaternion_from_matrix, matrices),
        (rpy_from_matrix, matrices),
        (quaternion_conjugate, batch),
    ]:
        one_by_one = np.stack([function(value) for value in values])
        np.testing.assert_allclose(function(values), one_by_one, atol=1e-15)


def test_batches_broadcast_against_one_quaternion():
    batch = np.tile([1.0, 0.0, 0.0, 0.0], (2, 3, 1))
    turn = np.array([0.6, 0.8, 0.0, 0.0])
    np.testing.assert_array_equal(quaternion_multiply(batch, turn), np.tile(turn, (2, 3, 1)))


@pytest.mark.parametrize(
    "matrix",
    [
        np.diag([1.0, 1.0, -1.0]),
        2.0 * np.eye(3),
        np.full((3, 3), math.nan),
        np.zeros((3, 3)),
        np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    ],
    ids=["mirrored", "scaled", "NaN", "zero", "skewed"],
)
@pytest.mark.parametrize("batched", [False, True], ids=["single", "batch"])
@pytest.mark.parametrize("function", [quaternion_from_matrix, rpy_from_matrix])
def test_matrix_that_is_no_rotation_is_refused(matrix, batched, function):
    given_matrix = np.stack([np.eye(3), matrix]) if batched else matrix
    with pytest.raises(InvalidInput, match="no rotation"):
        function(given_matrix)


@pytest.mark.parametrize("quaternion", [np.zeros(4), np.full(4, math.nan)], ids=["zero", "NaN"])
def test_quaternion_without_direction_is_refused(quaternion):
    with pytest.raises(InvalidInput, match="no direction"):
        matrix_from_quaternion(quaternion)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (matrix_from_quaternion, np.ones(3)),
        (quaternion_conjugate, 1.0),
        (matrix_from_rpy, np.ones(4)),
        (quaternion_from_matrix, np.eye(4)),
        (rpy_from_matrix, np.ones(3)),
    ],
)
def test_wrong_shape_is_named(function, values):
    with pytest.raises(InvalidInput, match="shape"):
        function(values)
