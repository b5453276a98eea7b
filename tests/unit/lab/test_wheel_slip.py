"""Wheels that slip: what odometry makes of it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mecano import connect
from mecano.core.errors import InvalidInput
from mecano.core.randomness import RandomStreams
from mecano.lab.wheel_slip import SlipFacts, WheelSlip, add_slip

SAME = SlipFacts(common=0.02, own=0.0, passing=0.0)


def driven(facts: SlipFacts, seed: int = 0):
    """Return the slip, and how far odometry and base went."""
    with connect("madar_base", scene="empty", seed=seed) as robot:
        slip = add_slip(robot, facts)
        robot.base.drive_for(1.0, 0.2)
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


class Treadmill:
    """A base whose two wheels turn by what they are told, and which notes jumps of counters."""

    def __init__(self) -> None:
        wheel = SimpleNamespace(radius=0.1)
        layout = SimpleNamespace(names=("left", "right"), wheels=(wheel, wheel))
        self.facts = SimpleNamespace(layout=layout, counter=SimpleNamespace(per_tick=0.001))
        self.turned, self.wrong = np.zeros(2), {"left": 0.0, "right": 0.0}

    def wheels(self):
        return SimpleNamespace(position=self.turned.copy())

    def jump_encoder(self, wheel: str, ticks: float) -> None:
        self.wrong[wheel] += 0.001 * ticks


@pytest.mark.parametrize("way", [0.4, 3.0])
def test_the_passing_part_has_the_spread_of_its_law(way):
    # Ornstein and Uhlenbeck: the way is wrong by 2 (s l)^2 (w / l - 1 + exp(-w / l)) in the square.
    facts, ends = SlipFacts(common=0.0, own=0.0, passing=0.05, length=0.2), []
    for seed in range(150):
        base = Treadmill()
        streams = RandomStreams(seed)
        robot: Any = SimpleNamespace(base=base, name="x", session=SimpleNamespace(random=streams))
        slip = WheelSlip(robot, facts)
        for _ in range(40):
            base.turned += way / 40 / 0.1
            slip.step(0.0)
        ends += [0.1 * wrong for wrong in base.wrong.values()]
    ratio = way / 0.2
    expected = np.sqrt(2.0 * (0.05 * 0.2) ** 2 * (ratio - 1.0 + np.exp(-ratio)))
    assert np.std(ends) == pytest.approx(expected, rel=0.12)


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
