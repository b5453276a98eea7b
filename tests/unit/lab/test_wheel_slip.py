"""Wheels that slip: what odometry makes of it."""

import numpy as np
import pytest

from mecano import connect
from mecano.core.errors import InvalidInput
from mecano.lab.wheel_slip import SlipFacts, add_slip, expected_way_error

SAME = SlipFacts(common=0.02, own=0.0, passing=0.0)


def driven(facts: SlipFacts, seed: int = 0, *, name: str = "madar_base"):
    """Return the share that all wheels slip, and how far odometry and base went."""
    with connect(name, scene="empty", seed=seed) as robot:
        slip = add_slip(robot, facts)
        robot.base.drive_for(2.0, 0.2)
        return slip, robot.base.pose, robot.truth.base_pose()


def test_odometry_errs_by_the_share_of_the_way():
    slip, odometry, truth = driven(SAME)
    assert len(set(slip.shares.tolist())) == 1 and abs(slip.shares[0]) > 0.001
    assert odometry.x / truth.x - 1.0 == pytest.approx(slip.shares[0], rel=0.05)
    assert abs(odometry.yaw - truth.yaw) < 1e-4


def test_wheels_that_slip_differently_turn_odometry():
    _, odometry, truth = driven(SlipFacts(common=0.0, own=0.02, passing=0.0))
    assert abs(odometry.yaw - truth.yaw) > 1e-3


def test_the_same_seed_slips_the_same():
    assert driven(SlipFacts(), 3)[1] == driven(SlipFacts(), 3)[1]
    assert driven(SlipFacts(), 3)[1] != driven(SlipFacts(), 4)[1]


def test_the_base_itself_drives_as_without():
    assert driven(SlipFacts().times(3.0))[2] == driven(SlipFacts().times(0.0))[2]


def test_at_rest_nothing_drifts():
    with connect("madar_base", scene="empty") as robot:
        add_slip(robot, SlipFacts().times(10.0))
        robot.wait(1.0)
        before = robot.base.pose
        robot.wait(1.0)
        assert before.distance_to(robot.base.pose) < 1e-6


def test_a_session_that_goes_back_slips_as_before():
    with connect("madar_base", scene="empty") as robot:
        add_slip(robot, SlipFacts())
        snapshot = robot.session.snapshot()
        robot.base.drive_for(0.5, 0.2)
        once = robot.base.pose
        robot.session.restore(snapshot)
        robot.base.drive_for(0.5, 0.2)
        assert robot.base.pose == once


def test_the_passing_part_grows_with_the_root_of_the_way():
    facts = SlipFacts(common=0.0, own=0.0, passing=0.01, length=0.2)
    assert expected_way_error(facts, 40.0) / expected_way_error(facts, 10.0) == pytest.approx(
        2.0, rel=0.02
    )
    random = np.random.default_rng(0)
    keep, ends = np.exp(-0.01 / 0.2), []
    for _ in range(400):  # the same process, drawn
        share, gone = 0.01 * random.standard_normal(), 0.0
        for _ in range(200):
            share = keep * share + 0.01 * np.sqrt(1 - keep**2) * random.standard_normal()
            gone += 0.01 * share
        ends.append(gone)
    assert np.std(ends) == pytest.approx(expected_way_error(facts, 2.0), rel=0.1)


@pytest.mark.parametrize("value", [-0.1, float("nan"), 0.9])
def test_a_share_that_makes_no_sense_is_refused(value):
    with pytest.raises(InvalidInput, match="slip: own"):
        SlipFacts(own=value)


def test_a_robot_without_wheels_cannot_slip():
    with (
        connect("open_manipulator_x") as robot,
        pytest.raises(InvalidInput, match="no simulated base"),
    ):
        add_slip(robot, SlipFacts())
