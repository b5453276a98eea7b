"""Laws of poses on the floor; the poses in space are the second witness."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.linalg import expm

from mecano.core import InvalidInput, Pose, Pose2

lengths = st.floats(-10.0, 10.0)
yaws = st.one_of(
    st.floats(-math.pi, math.pi),
    st.floats(1e-12, 1e-3).map(lambda gap: gap - math.pi),
    st.floats(1e-12, 1e-3),
    st.sampled_from([0.0, 5e-324, math.pi, -math.pi]),
)
poses = st.builds(Pose2, lengths, lengths, yaws)
twists = st.tuples(lengths, lengths, yaws).map(np.array)


def assert_same(a: Pose2, b: Pose2, tolerance: float = 1e-12) -> None:
    assert a.distance_to(b) <= tolerance
    assert a.angle_to(b) <= tolerance


@given(poses, poses, poses)
def test_composition_is_associative(a, b, c):
    assert_same((a @ b) @ c, a @ (b @ c))


@given(poses)
def test_identity_changes_nothing_from_either_side(pose):
    assert pose @ Pose2.identity() == pose == Pose2.identity() @ pose


@given(poses)
def test_pose_after_its_inverse_is_the_identity(pose):
    assert_same(pose @ pose.inverse(), Pose2.identity())


@given(poses)
def test_inverse_of_the_inverse_is_the_pose(pose):
    assert_same(pose.inverse().inverse(), pose)


@given(poses)
def test_pose_survives_its_matrix(pose):
    assert_same(Pose2.from_matrix(pose.matrix()), pose)


@given(poses, poses)
def test_composition_is_the_matrix_product(a, b):
    np.testing.assert_allclose((a @ b).matrix(), a.matrix() @ b.matrix(), atol=1e-12)


@given(poses, poses)
def test_composition_agrees_with_space(a, b):
    assert (a @ b).to_pose().is_close(a.to_pose() @ b.to_pose(), angle_tolerance=1e-12)


@given(poses)
def test_inverse_agrees_with_space(pose):
    assert pose.inverse().to_pose().is_close(pose.to_pose().inverse(), angle_tolerance=1e-12)


@given(poses, lengths, lengths)
def test_points_move_as_in_space(pose, x, y):
    in_space = pose.to_pose().transform_points([x, y, 0.0])[:2]
    np.testing.assert_allclose(pose.transform_points([[x, y]]), [in_space], atol=1e-12)


@given(twists)
def test_exp_agrees_with_space(twist):
    vx, vy, wz = twist
    in_space = Pose.exp([vx, vy, 0.0, 0.0, 0.0, wz])
    assert Pose2.exp(twist).to_pose().is_close(in_space)


@given(twists)
def test_exp_is_the_matrix_exponential(twist):
    vx, vy, wz = twist
    generator = np.array([[0.0, -wz, vx], [wz, 0.0, vy], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(Pose2.exp(twist).matrix(), expm(generator), atol=1e-10)


@given(poses)
@example(Pose2(1.0, 2.0, math.pi))
def test_exp_of_the_log_is_the_pose(pose):
    assert_same(Pose2.exp(pose.log()), pose)


@given(twists.filter(lambda twist: abs(twist[2]) < math.pi))
def test_log_of_the_exp_is_the_twist(twist):
    np.testing.assert_allclose(Pose2.exp(twist).log(), twist, rtol=1e-9, atol=1e-11)


@given(poses, lengths)
def test_pose_survives_space(pose, height):
    assert_same(Pose2.from_pose(pose.to_pose(height)), pose)


@given(lengths, lengths, st.floats(-100.0, 100.0), st.integers(-5, 5))
def test_whole_turns_do_not_matter(x, y, yaw, turns):
    assert_same(Pose2(x, y, yaw + turns * math.tau), Pose2(x, y, yaw))


@given(poses, poses, st.floats(0.0, 1.0))
def test_interpolation_divides_angle_as_the_fraction_says(a, b, fraction):
    between = a.interpolate(b, fraction)
    assert a.angle_to(between) == pytest.approx(fraction * a.angle_to(b), abs=1e-12)


@given(poses, poses)
def test_interpolation_ends_at_the_second_pose(a, b):
    assert_same(a.interpolate(b, 1.0), b)


def test_interpolation_takes_the_short_way_round():
    assert Pose2(yaw=3.0).interpolate(Pose2(yaw=-3.0), 0.5).yaw == pytest.approx(math.pi)


def test_height_is_given_to_the_pose_in_space():
    np.testing.assert_array_equal(Pose2(1.0, 2.0, 0.5).to_pose(0.7).position, [1.0, 2.0, 0.7])


def test_driving_a_quarter_circle_of_radius_one_ends_beside_its_centre():
    assert_same(Pose2.exp([math.pi / 2, 0.0, math.pi / 2]), Pose2(1.0, 1.0, math.pi / 2))


def test_tilted_pose_casts_its_heading_on_the_floor():
    tilted = Pose.from_xyz_rpy([1.0, 2.0, 3.0], [0.3, -0.4, 0.5])
    assert_same(Pose2.from_pose(tilted), Pose2(1.0, 2.0, 0.5))


@pytest.mark.parametrize("values", [(math.nan, 0.0, 0.0), (0.0, math.inf, 0.0), (0, 0, math.nan)])
def test_numbers_that_are_not_finite_are_refused(values):
    with pytest.raises(InvalidInput, match="finite"):
        Pose2(*values)


@pytest.mark.parametrize("T", [np.eye(4), np.diag([1.0, -1.0, 1.0]), np.ones((3, 3))])
def test_matrix_that_is_not_rigid_is_refused(T):
    with pytest.raises(InvalidInput):
        Pose2.from_matrix(T)


def test_interpolation_beyond_the_ends_is_refused():
    with pytest.raises(InvalidInput, match=r"1\.5"):
        Pose2().interpolate(Pose2(), 1.5)


def test_numpy_numbers_become_plain_floats():
    assert type(Pose2(np.float64(1.0), np.float64(2.0), np.float64(3.0)).yaw) is float


def test_composition_with_a_pose_in_space_is_a_type_error():
    with pytest.raises(TypeError):
        Pose2() @ Pose()  # pyright: ignore[reportOperatorIssue, reportUnusedExpression]
