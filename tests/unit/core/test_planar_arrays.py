"""Rows of planar poses obey the laws of `Pose2`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, poses_at, relative_all

rows = arrays(np.float64, (4, 3), elements=st.floats(-50.0, 50.0))


def same(a: np.ndarray, b: np.ndarray) -> bool:
    turn = np.angle(np.exp(1j * (a[..., 2] - b[..., 2])))
    return np.allclose(a[..., :2], b[..., :2], atol=1e-9) and np.allclose(turn, 0.0, atol=1e-9)


@given(rows, rows)
def test_rows_agree_with_single_poses(a, b):
    one_by_one = [Pose2(*p) @ Pose2(*q) for p, q in zip(a, b, strict=True)]
    assert same(compose_all(a, b), np.array([[p.x, p.y, p.yaw] for p in one_by_one]))


@given(rows, rows)
def test_relative_undoes_compose(a, b):
    assert same(compose_all(a, relative_all(a, b)), b)
    assert same(relative_all(a, compose_all(a, b)), b)


@given(rows, rows, rows)
def test_composition_is_associative(a, b, c):
    assert same(compose_all(compose_all(a, b), c), compose_all(a, compose_all(b, c)))


def test_one_pose_serves_many():
    many = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.5]])
    turned = compose_all([0.0, 0.0, np.pi / 2], many)
    assert turned == pytest.approx(
        np.array([[0.0, 1.0, np.pi / 2], [-2.0, 0.0, np.pi / 2 + 0.5]]), abs=1e-12
    )


def test_poses_between_known_ones_go_the_short_way_round():
    known, poses = [0.0, 2.0], [[0.0, 0.0, 3.0], [4.0, 0.0, -3.0]]
    middle, before, after = poses_at([1.0, -5.0, 9.0], known, poses)
    assert middle[:2] == pytest.approx([2.0, 0.0]) and abs(middle[2]) == pytest.approx(np.pi)
    assert before == pytest.approx(poses[0]) and after == pytest.approx(poses[1])
