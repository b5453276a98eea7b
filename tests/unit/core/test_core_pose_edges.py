"""Poses at the edges: conventions by example, broken numbers, immutability."""

import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from mecano.core import InvalidInput, Pose


def test_quaternion_stays_unit_over_a_hundred_thousand_products():
    step = pose = Pose.from_xyz_rpy([0.0, 0.0, 0.0], [0.1, -0.2, 0.3])
    for _ in range(100_000):
        pose = pose @ step
    assert math.hypot(*pose.quaternion) == pytest.approx(1.0, abs=1e-15)


def test_pose_rebuilt_from_its_fields_is_the_same_bit_for_bit():
    rng = np.random.default_rng(0)  # many, because dividing by a length of 1 +- ulp rarely shows
    poses = [Pose(quaternion=q / np.linalg.norm(q)) for q in rng.normal(size=(2000, 4))]
    again = [Pose(pose.position, pose.quaternion) for pose in poses]
    before, after = ([pose.quaternion.tobytes() for pose in group] for group in (poses, again))
    assert before == after


@pytest.mark.parametrize(
    ("rpy", "point", "expected"),
    [
        ([0.0, 0.0, math.pi / 2], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),  # yaw turns left
        ([0.0, math.pi / 2, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]),  # pitch looks down
        ([math.pi / 2, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),  # roll lifts the left side
        ([math.pi / 2, 0.0, math.pi / 2], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),  # roll comes first
    ],
)
def test_roll_pitch_yaw_follow_rep_103(rpy, point, expected):
    turned = Pose.from_xyz_rpy([0.0, 0.0, 0.0], rpy).transform_points(point)
    np.testing.assert_allclose(turned, expected, atol=1e-15)


@pytest.mark.parametrize("tolerance", ["position_tolerance", "angle_tolerance"])
def test_poses_further_apart_than_the_tolerance_are_not_close(tolerance):
    other = Pose.from_xyz_rpy([0.02, 0.0, 0.0], [0.0, 0.0, 0.02])
    wide = {"position_tolerance": 0.03, "angle_tolerance": 0.03}
    assert Pose().is_close(other, **wide)
    assert not Pose().is_close(other, **{**wide, tolerance: 0.01})


@pytest.mark.parametrize(
    ("position", "quaternion"),
    [
        ([0.0, math.nan, 0.0], [1.0, 0.0, 0.0, 0.0]),
        ([0.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.0], [math.nan, 0.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.0], [100.0, 0.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        (["a", "b", "c"], [1.0, 0.0, 0.0, 0.0]),
    ],
)
def test_broken_numbers_are_refused(position, quaternion):
    with pytest.raises(InvalidInput):
        Pose(position, quaternion)


def test_quaternion_near_length_one_is_normalised():
    np.testing.assert_allclose(Pose(quaternion=[1.0, 1.0, 0.0, 0.0]).quaternion[:2], math.sqrt(0.5))


@pytest.mark.parametrize(
    "T", [np.eye(3), 2.0 * np.eye(4), np.ones((4, 4)), np.diag([1.0, 1.0, -1.0, 1.0])]
)
def test_matrix_that_is_not_rigid_is_refused(T):
    with pytest.raises(InvalidInput):
        Pose.from_matrix(T)


@pytest.mark.parametrize("fraction", [-0.1, 1.1, math.nan])
def test_interpolation_beyond_the_ends_is_refused(fraction):
    with pytest.raises(InvalidInput, match="fraction"):
        Pose().interpolate(Pose(), fraction)


@pytest.mark.parametrize("pose", [Pose(), Pose() @ Pose(), Pose().inverse(), Pose.exp(np.ones(6))])
def test_arrays_of_a_pose_cannot_be_written(pose):
    with pytest.raises(ValueError, match="read-only"):
        pose.position[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        pose.quaternion[0] = 1.0


def test_fields_of_a_pose_cannot_be_replaced():
    with pytest.raises(FrozenInstanceError):
        Pose().position = np.ones(3)  # pyright: ignore[reportAttributeAccessIssue]


def test_pose_keeps_a_copy_of_what_it_was_given():
    position = np.zeros(3)
    pose = Pose(position)
    position[0] = 1.0
    assert pose.position[0] == 0.0


def test_replace_builds_another_pose():
    moved = replace(Pose.from_xyz_rpy([1.0, 2.0, 3.0], [0.0, 0.0, 0.5]), position=np.zeros(3))
    assert moved.is_close(Pose.from_xyz_rpy([0.0, 0.0, 0.0], [0.0, 0.0, 0.5]))


def test_composition_with_something_else_is_a_type_error():
    with pytest.raises(TypeError):
        Pose() @ 3  # pyright: ignore[reportOperatorIssue, reportUnusedExpression]
