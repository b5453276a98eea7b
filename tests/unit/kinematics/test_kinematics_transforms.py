"""Homogeneous matrices: each builder against the others, the DH steps, the inverse."""

from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.kinematics.transforms import (
    dh_matrix,
    invert,
    modified_dh_matrix,
    rotation2,
    rotation_x,
    rotation_y,
    rotation_z,
    translation,
    translation2,
)

laws = settings(deadline=None, derandomize=True, max_examples=60)
angles = st.floats(-2 * pi, 2 * pi)
lengths = st.floats(-3.0, 3.0)
rigid_motions = st.builds(
    lambda x, y, z, a, b, c: translation(x, y, z) @ rotation_z(a) @ rotation_y(b) @ rotation_x(c),
    lengths, lengths, lengths, angles, angles, angles,
)  # fmt: skip


@laws
@given(angle=angles, other=angles)
@pytest.mark.parametrize("build", [rotation_x, rotation_y, rotation_z, rotation2])
def test_turns_about_one_axis_add_up(build, angle, other):
    np.testing.assert_allclose(build(angle) @ build(other), build(angle + other), atol=1e-14)


@pytest.mark.parametrize(
    ("build", "start", "end"),
    [
        (rotation_x, (0, 1, 0), (0, 0, 1)),
        (rotation_y, (0, 0, 1), (1, 0, 0)),
        (rotation_z, (1, 0, 0), (0, 1, 0)),
    ],
)
def test_quarter_turn_follows_the_right_hand(build, start, end):
    np.testing.assert_allclose(build(pi / 2) @ (*start, 1), (*end, 1), atol=1e-15)


@laws
@given(angle=angles)
def test_turn_about_y_is_a_turn_about_z_seen_from_the_side(angle):
    tip_over = rotation_x(-pi / 2)  # lays z on y
    np.testing.assert_allclose(
        tip_over @ rotation_z(angle) @ tip_over.T, rotation_y(angle), atol=1e-14
    )


@laws
@given(angle=angles)
def test_turn_about_x_is_a_turn_about_z_seen_from_the_front(angle):
    tip_over = rotation_y(pi / 2)  # lays z on x
    np.testing.assert_allclose(
        tip_over @ rotation_z(angle) @ tip_over.T, rotation_x(angle), atol=1e-14
    )


@laws
@given(x=lengths, y=lengths, angle=angles)
def test_motions_of_the_plane_are_motions_of_space_at_constant_height(x, y, angle):
    flat = translation2(x, y) @ rotation2(angle)
    space = translation(x, y) @ rotation_z(angle)
    keep = np.ix_([0, 1, 3], [0, 1, 3])
    np.testing.assert_allclose(flat, space[keep], atol=1e-15)


@laws
@given(theta=angles, d=lengths, a=lengths, alpha=angles)
def test_standard_dh_step_is_the_product_of_its_four_motions(theta, d, a, alpha):
    product = rotation_z(theta) @ translation(z=d) @ translation(x=a) @ rotation_x(alpha)
    np.testing.assert_allclose(dh_matrix(theta, d, a, alpha), product, atol=1e-14)


@laws
@given(theta=angles, d=lengths, a=lengths, alpha=angles)
def test_modified_dh_step_is_the_product_of_its_four_motions(theta, d, a, alpha):
    product = rotation_x(alpha) @ translation(x=a) @ rotation_z(theta) @ translation(z=d)
    np.testing.assert_allclose(modified_dh_matrix(theta, d, a, alpha), product, atol=1e-14)


@laws
@given(theta=angles, d=lengths, a=lengths, alpha=angles)
def test_standard_dh_step_is_the_matrix_of_the_books(theta, d, a, alpha):
    ct, st_, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    book = [
        [ct, -st_ * ca, st_ * sa, a * ct],
        [st_, ct * ca, -ct * sa, a * st_],
        [0, sa, ca, d],
        [0, 0, 0, 1],
    ]
    np.testing.assert_allclose(dh_matrix(theta, d, a, alpha), book, atol=1e-14)


@laws
@given(theta=angles, d=lengths, a=lengths, alpha=angles)
def test_modified_dh_step_is_the_matrix_of_the_books(theta, d, a, alpha):
    ct, st_, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    book = [
        [ct, -st_, 0, a],
        [st_ * ca, ct * ca, -sa, -d * sa],
        [st_ * sa, ct * sa, ca, d * ca],
        [0, 0, 0, 1],
    ]
    np.testing.assert_allclose(modified_dh_matrix(theta, d, a, alpha), book, atol=1e-14)


@laws
@given(T=rigid_motions)
def test_inverse_of_the_inverse_is_the_motion(T):
    np.testing.assert_allclose(invert(invert(T)), T, atol=1e-14)


@laws
@given(T=rigid_motions)
def test_inverse_undoes_the_motion(T):
    np.testing.assert_allclose(invert(T) @ T, np.eye(4), atol=1e-13)


def test_inverse_of_many_motions_is_the_inverse_of_each():
    rng = np.random.default_rng(0)
    motions = [
        translation(*rng.normal(size=3)) @ rotation_x(a) @ rotation_z(b)
        for a, b in rng.normal(size=(6, 2))
    ]
    many = np.reshape(motions, (2, 3, 4, 4))
    inverses = invert(many)
    for index in np.ndindex(2, 3):
        np.testing.assert_allclose(inverses[index], np.linalg.inv(many[index]), atol=1e-14)
