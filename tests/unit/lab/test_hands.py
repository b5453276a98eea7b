"""Hands with fingers: postures, grasps by one number, fingers that meet something."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName
from mecano.lab.robot import Robot
from mecano.parts.results import Outcome


def ball(spec) -> None:
    """A ball in the right palm, held by nothing but the fingers' way."""
    palm = spec.body("madar/right_base_hand_link")
    palm.add_geom(
        name="ball", type=2, size=[0.035, 0, 0], pos=[0.05, 0.0, 0.03], mass=0.0, contype=1,
        conaffinity=1,
    )  # fmt: skip


@pytest.fixture
def robot() -> Robot:
    return mecano.connect("madar", start="ready")


def test_both_hands_reach_every_posture(robot):
    for name in ("open", "flat", "open", "power", "open", "pinch", "open", "home"):
        motions = [hand.move(name, wait=False) for hand in robot.hands.values()]
        robot.wait(*motions)
        for hand, motion in zip(robot.hands.values(), motions, strict=True):
            assert motion.result.reached, (name, motion.result.message)
            assert motion.result.joint_error < 0.05
            np.testing.assert_allclose(hand.commanded, hand.facts.posture(name), atol=1e-9)


def test_closing_is_one_number_between_open_and_the_grasp(robot):
    hand = robot.hands["right"]
    hand.close(0.5, grasp="pinch")
    middle = 0.5 * (hand.facts.posture("open") + hand.facts.posture("pinch"))
    np.testing.assert_allclose(hand.commanded, middle, atol=1e-9)


def test_a_motion_takes_as_long_as_the_speed_says(robot):
    hand = robot.hands["left"]
    hand.move("open")
    quick = hand.move("power")
    hand.move("open")
    slow = hand.move("power", speed=0.25)
    assert slow.duration > 2.5 * quick.duration


def test_fingers_stop_at_what_they_meet_and_press():
    with mecano.connect("madar", start="ready", changes=[ball]) as robot:
        hand = robot.hands["right"]
        hand.open()
        result = hand.close()
        assert result.outcome is Outcome.STOPPED and "held up" in result.message
        assert {"index", "middle"} <= set(result.stopped)
        assert 0.1 < result.torque <= 0.7 + 1e-6


def test_a_new_motion_replaces_the_old_one(robot):
    hand = robot.hands["right"]
    first = hand.move("power", wait=False)
    robot.wait(0.05)
    second = hand.move("open", wait=False)
    assert first.done and first.result.outcome is Outcome.REPLACED
    assert second.wait().reached


def test_a_hand_that_is_stopped_stays(robot):
    hand = robot.hands["right"]
    motion = hand.move("power", speed=0.2, wait=False)
    robot.wait(0.2)
    robot.stop()
    assert motion.result.outcome is Outcome.STOPPED
    here = hand.commanded.copy()
    robot.wait(0.5)
    np.testing.assert_array_equal(hand.commanded, here)


def test_the_same_after_a_snapshot(robot):
    hand = robot.hands["right"]
    kept = robot.snapshot()
    hand.move("power")
    first = robot.state_hash()
    robot.restore(kept)
    hand.move("power")
    assert robot.state_hash() == first


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda hand: hand.move("fist"), UnknownName, "known hand postures: "),
        (lambda hand: hand.move([0.0] * 15), InvalidInput, "16 finite joint values"),
        (lambda hand: hand.move([np.nan] * 16), InvalidInput, "16 finite joint values"),
        (lambda hand: hand.move([3.0] * 16), JointLimitViolated, "joint_0"),
        (lambda hand: hand.close(1.5), InvalidInput, "share of the way"),
        (lambda hand: hand.close(grasp="open"), InvalidInput, "towards one of .*power"),
        (lambda hand: hand.open(speed=0.0), InvalidInput, "speed is 0"),
    ],
)
def test_what_a_hand_cannot_do_is_said(robot, call, error, text):
    before = robot.hands["left"].commanded.copy()
    with pytest.raises(error, match=text):
        call(robot.hands["left"])
    np.testing.assert_array_equal(robot.hands["left"].commanded, before)


def test_a_wrong_hand_is_named(robot):
    with pytest.raises(UnknownName, match="right, left"):
        robot.hands["middle"]
