"""Laws of poses in space; 4x4 matrices and the matrix exponential are the second witness."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.linalg import expm

from mecano.core import Pose

lengths = st.floats(-10.0, 10.0)
turns = st.one_of(
    st.floats(0.0, math.pi),
    st.floats(1e-12, 1e-3).map(lambda gap: math.pi - gap),
    st.floats(1e-12, 0.31),
    st.sampled_from([0.0, math.pi]),
)
axes = (
    st.tuples(*[st.floats(-1.0, 1.0)] * 3)
    .filter(lambda axis: math.hypot(*axis) > 1e-3)
    .map(lambda axis: np.array(axis) / math.hypot(*axis))
)
points = st.tuples(lengths, lengths, lengths).map(np.array)
rotation_vectors = st.builds(lambda axis, angle: angle * axis, axes, turns)
twists = st.builds(
    lambda linear, angular: np.concatenate([linear, angular]), points, rotation_vectors
)


def quaternion_about(axis, angle, sign=1.0):
    return sign * np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])


poses = st.builds(
    lambda position, axis, angle, sign: Pose(position, quaternion_about(axis, angle, sign)),
    points,
    axes,
    turns,
    st.sampled_from([1.0, -1.0]),
)


def se3(twist):
    x, y, z = twist[3:]
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    matrix[:3, 3] = twist[:3]
    return matrix


def assert_same(a: Pose, b: Pose, tolerance: float = 1e-12) -> None:
    assert a.distance_to(b) <= tolerance
    assert a.angle_to(b) <= tolerance


@given(poses, poses, poses)
def test_composition_is_associative(a, b, c):
    assert_same((a @ b) @ c, a @ (b @ c))


@given(poses)
def test_identity_on_the_right_changes_nothing(pose):
    assert_same(pose @ Pose.identity(), pose)


@given(poses)
def test_identity_on_the_left_changes_nothing(pose):
    assert_same(Pose.identity() @ pose, pose)


@given(poses)
def test_pose_after_its_inverse_is_the_identity(pose):
    assert_same(pose @ pose.inverse(), Pose.identity())


@given(poses)
def test_inverse_after_its_pose_is_the_identity(pose):
    assert_same(pose.inverse() @ pose, Pose.identity())


@given(poses)
def test_inverse_of_the_inverse_is_the_pose(pose):
    assert_same(pose.inverse().inverse(), pose)


@given(poses, poses)
def test_composition_is_the_matrix_product(a, b):
    np.testing.assert_allclose((a @ b).matrix(), a.matrix() @ b.matrix(), atol=1e-12)


@given(poses)
def test_inverse_is_the_inverse_matrix(pose):
    np.testing.assert_allclose(pose.inverse().matrix(), np.linalg.inv(pose.matrix()), atol=1e-12)


@given(poses)
def test_pose_survives_its_matrix(pose):
    assert_same(Pose.from_matrix(pose.matrix()), pose)


@given(poses)
def test_pose_survives_roll_pitch_yaw(pose):
    # Next to the gimbal lock roll and yaw cannot be told apart, so the angles lose digits there.
    assert_same(Pose.from_xyz_rpy(pose.position, pose.rpy()), pose, 1e-9)


@given(poses, points)
def test_points_move_as_the_matrix_says(pose, point):
    expected = (pose.matrix() @ [*point, 1.0])[:3]
    np.testing.assert_allclose(pose.transform_points(point), expected, atol=1e-12)


@given(poses, poses, points)
def test_points_move_by_a_product_as_by_one_after_the_other(a, b, point):
    one_by_one = a.transform_points(b.transform_points(point))
    np.testing.assert_allclose((a @ b).transform_points(point), one_by_one, atol=1e-12)


@given(poses, points, points)
def test_vectors_turn_as_differences_of_points_do(pose, p, q):
    difference = pose.transform_points(p) - pose.transform_points(q)
    np.testing.assert_allclose(pose.rotate_vectors(p - q), difference, atol=1e-12)


@given(poses)
def test_many_points_move_like_each_alone(pose):
    cloud = np.arange(24.0).reshape(2, 4, 3)
    alone = [[pose.transform_points(point) for point in row] for row in cloud]
    np.testing.assert_allclose(pose.transform_points(cloud), alone, atol=1e-12)


@given(twists)
@example(np.array([1.0, -2.0, 3.0, 0.3, 0.0, 0.0]))
@example(np.array([1.0, -2.0, 3.0, 0.0, math.nextafter(0.3, 1.0), 0.0]))
def test_exp_is_the_matrix_exponential(twist):
    np.testing.assert_allclose(Pose.exp(twist).matrix(), expm(se3(twist)), atol=1e-10)


@given(poses)
def test_exp_of_the_log_is_the_pose(pose):
    assert_same(Pose.exp(pose.log()), pose)


@given(twists.filter(lambda twist: math.hypot(*twist[3:]) < math.pi - 1e-6))
def test_log_of_the_exp_is_the_twist(twist):
    np.testing.assert_allclose(Pose.exp(twist).log(), twist, rtol=1e-9, atol=1e-12)


@given(twists, st.floats(0.0, 1.0))
def test_two_parts_of_a_constant_twist_join_to_the_whole(twist, part):
    assert_same(Pose.exp(part * twist) @ Pose.exp((1.0 - part) * twist), Pose.exp(twist), 1e-11)


@given(poses, poses)
def test_interpolation_begins_at_the_first_pose(a, b):
    assert_same(a.interpolate(b, 0.0), a)


@given(poses, poses)
def test_interpolation_ends_at_the_second_pose(a, b):
    assert_same(a.interpolate(b, 1.0), b)


@given(poses, poses, st.floats(0.0, 1.0))
def test_interpolation_divides_the_angle_as_the_fraction_says(a, b, fraction):
    between = a.interpolate(b, fraction)
    assert a.angle_to(between) == pytest.approx(fraction * a.angle_to(b), abs=1e-12)


@given(poses, poses, st.floats(0.0, 1.0))
def test_interpolation_divides_the_distance_as_the_fraction_says(a, b, fraction):
    between = a.interpolate(b, fraction)
    assert between.distance_to(b) == pytest.approx((1.0 - fraction) * a.distance_to(b), abs=1e-12)


@given(axes, turns, points)
def test_angle_between_poses_is_the_angle_turned(axis, angle, position):
    assert Pose().angle_to(Pose(position, quaternion_about(axis, angle))) == pytest.approx(
        angle, abs=1e-12
    )


@given(poses)
def test_negated_quaternion_is_the_same_orientation(pose):
    assert_same(Pose(pose.position, -pose.quaternion), pose)
