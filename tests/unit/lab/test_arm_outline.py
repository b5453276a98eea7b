"""The footprint of a navigator follows the arms, which are tucked where a passage needs it."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.lab.arm_outline import footprint_of, tucked_posture

ASIDE = [1.5, 1.2, 0.5, 0.0, 0.0]
"""The arm of CRUMB stretched out to the left [rad]."""


def door(width: float) -> OccupancyGrid:
    """Return two rooms of 3 x 4 m with a door between them, at (1.5, 0)."""
    cells = np.zeros((80, 120), np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = 100
    cells[:, 59:61] = 100
    half = round(0.5 * width / 0.05)
    cells[40 - half : 40 + half, 59:61] = 0
    return OccupancyGrid(resolution=0.05, origin=Pose2(-1.5, -2.0), data=cells)


@pytest.fixture
def robot():
    with mecano.connect("crumb", scene="empty", noise=False) as robot:
        robot.wait(0.2)
        yield robot


def test_an_arm_that_is_stretched_out_widens_the_outline(robot):
    tucked, out = footprint_of(robot), footprint_of(robot, {"arm": np.array(ASIDE)})
    assert out.circumscribed_radius > tucked.circumscribed_radius + 0.1
    assert out.corners[:, 1].max() > 0.3 > -out.corners[:, 1].min()


def test_the_footprint_of_the_navigator_is_made_anew_as_the_arm_moves(robot):
    with robot.start_navigation(door(0.8), talk=False) as nav:
        before = nav.costmap().footprint.circumscribed_radius
        handle = robot.arm.move_joints(ASIDE, wait=False)
        sizes = []
        while not handle.done:
            robot.wait(0.2)
            sizes.append(nav.costmap().footprint.circumscribed_radius)
        robot.wait(0.2)
        after = nav.costmap().footprint
    assert sizes[-1] > before + 0.1 and len({round(size, 3) for size in sizes}) > 3
    expected = footprint_of(robot).padded(0.02)
    np.testing.assert_allclose(after.circumscribed_radius, expected.circumscribed_radius, atol=0.01)


def test_arms_are_tucked_before_a_door_that_needs_it_and_the_reason_is_said(robot):
    robot.arm.move_joints(ASIDE)
    with robot.start_navigation(door(0.5), talk=False) as nav:
        result = nav.go_to(Pose2(2.6, 0.0))
        said = [event.text for event in nav.events if "tucking the arms" in event.text]
    assert result.reached, result.message
    assert len(said) == 1 and "m across instead of" in said[0]
    assert footprint_of(robot).circumscribed_radius < 0.25
    assert not result.recoveries


def test_arms_stay_where_the_passage_is_wide_enough(robot):
    robot.arm.move_joints(ASIDE)
    with robot.start_navigation(door(2.4), talk=False) as nav:
        assert nav.go_to(Pose2(2.4, 0.0)).reached
        assert not [event for event in nav.events if "tuck" in event.text]
    assert np.abs(robot.arm.position - ASIDE).max() < 0.05


def test_a_passage_that_is_too_narrow_for_tucked_arms_too_is_explained_at_once(robot):
    robot.arm.move_joints(ASIDE)
    with robot.start_navigation(door(0.3), talk=False) as nav:
        result = nav.go_to(Pose2(2.6, 0.0))
    assert result.outcome == "aborted" and "tuck" not in result.reason
    assert np.abs(robot.arm.position - ASIDE).max() < 0.05, "in vain it moves no arm"


def test_both_arms_of_madar_have_a_tucked_posture():
    with mecano.connect("madar", scene="empty") as robot:
        posture = tucked_posture(robot)
        assert set(posture) == set(robot.arms)
        now, then = footprint_of(robot), footprint_of(robot, posture)
    assert then.circumscribed_radius <= now.circumscribed_radius


@pytest.mark.parametrize("arms", ["arm", {"arm": [1.0]}, {"leg": [0.0] * 5}])
def test_nonsense_about_arms_is_refused_in_words(robot, arms):
    with pytest.raises((InvalidInput, mecano.MecanoError), match="arm"):
        robot.footprint(arms=arms)
