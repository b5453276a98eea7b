"""Footprints: the laws of their radii, padding and joining."""

from math import pi

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.planning.navigation.footprint import Footprint


def test_a_circle_is_enclosed_and_round():
    circle = Footprint.circle(0.3)
    assert circle.round
    assert circle.inscribed_radius == pytest.approx(0.3)
    assert circle.circumscribed_radius < 0.302


def test_radii_of_a_rectangle():
    box = Footprint.rectangle(0.6, 0.4)
    assert box.inscribed_radius == pytest.approx(0.2)
    assert box.circumscribed_radius == pytest.approx(np.hypot(0.3, 0.2))


def test_padding_moves_every_side_by_the_margin():
    box = Footprint.rectangle(0.6, 0.4).padded(0.1)
    np.testing.assert_allclose(box.corners.max(axis=0), [0.4, 0.3])
    np.testing.assert_allclose(box.corners.min(axis=0), [-0.4, -0.3])
    assert Footprint.circle(0.3).padded(0.1).inscribed_radius == pytest.approx(0.4)


def test_joined_points_are_inside():
    box = Footprint.rectangle(0.6, 0.4).joined([[0.9, 0.0], [0.0, 0.0]])
    assert box.corners[:, 0].max() == 0.9
    assert len(box.corners) == 5
    assert not box.round


def test_a_pose_moves_the_corners():
    turned = Footprint.rectangle(0.6, 0.4).at(Pose2(1.0, 2.0, pi / 2))
    np.testing.assert_allclose(turned.max(axis=0), [1.2, 2.3])


@pytest.mark.parametrize(
    "corners",
    [[[0, 0], [1, 1]], [[0, 0], [1, 1], [2, 2]], [[1, 1], [2, 1], [2, 2]], [[np.nan, 0]] * 3],
)
def test_what_is_no_outline_around_the_base_is_refused(corners):
    with pytest.raises(InvalidInput):
        Footprint(np.array(corners, dtype=float))
