"""Keys that move a robot."""

import pytest

import mecano
from mecano.operate.teleop import HOLD, JOINT_STEP, Teleop


@pytest.fixture
def crumb():
    with mecano.connect("crumb", scene="empty") as robot:
        yield robot


def test_a_key_that_is_pressed_once_does_not_drive_on(crumb):
    keys = Teleop(crumb)
    keys.press("i")
    for _ in range(20):
        keys.keep()
        crumb.wait(0.2)
    assert crumb.base.at_rest()
    assert 0.02 < crumb.truth.base_pose().x < keys.speed * (HOLD + 0.2) + 0.1


def test_the_base_drives_while_the_key_is_held(crumb):
    keys = Teleop(crumb)
    assert "m/s" in keys.press("i")
    for _ in range(10):
        keys.press("i")
        keys.keep()
        crumb.wait(0.2)
    assert crumb.truth.base_pose().x > 0.2
    keys.press("k")
    keys.keep()
    crumb.wait(2.0)
    assert crumb.base.at_rest()


def test_without_further_keys_the_watchdog_stops_it(crumb):
    Teleop(crumb).press("i")
    crumb.wait(3.0)
    assert crumb.base.at_rest()


@pytest.mark.parametrize(("key", "sign"), [("j", 1.0), ("l", -1.0)])
def test_it_turns_to_the_side_that_is_asked(crumb, key, sign):
    Teleop(crumb).press(key)
    crumb.wait(0.5)
    assert sign * crumb.truth.base_pose().yaw > 0.1


def test_speeds_change_within_the_limits(crumb):
    keys = Teleop(crumb)
    for _ in range(50):
        keys.press("+")
    assert keys.speed == crumb.base.facts.limits.speed
    assert "m/s" in keys.press("-") and keys.speed < crumb.base.facts.limits.speed


def test_the_joints_turn_by_the_papers_step(crumb):
    keys = Teleop(crumb)
    before = crumb.arm.commanded.copy()
    keys.press("1")
    crumb.wait(1.0)
    assert crumb.arm.commanded[0] == pytest.approx(before[0] + JOINT_STEP)
    keys.press("q")
    crumb.wait(1.0)
    assert crumb.arm.commanded[0] == pytest.approx(before[0])


def test_a_joint_at_its_limit_says_so(crumb):
    keys = Teleop(crumb)
    said = ""
    for _ in range(20):
        said = keys.press("5")
        crumb.wait(0.5)
    assert "arm_5_joint" in said and "allowed" in said


def test_an_unknown_key_stops_everything(crumb):
    keys = Teleop(crumb)
    keys.press("i")
    crumb.wait(0.5)
    assert keys.press("?") == "stopped"
    keys.keep()
    crumb.wait(2.0)
    assert crumb.base.at_rest()


def test_an_arm_without_a_base_has_only_its_own_keys():
    with mecano.connect("open_manipulator_x") as robot:
        keys = Teleop(robot)
        assert "i" not in keys.keys and {"1", "q", "z", "x"} <= set(keys.keys)
        assert "joint1 by +0.2 rad" in keys.help()


def test_madars_arms_and_hands_have_keys_of_their_own():
    with mecano.connect("madar", scene="empty") as robot:
        keys = Teleop(robot)
        assert "choose the arm: right, left" in keys.help() and "strafe left" in keys.help()
        before = {name: arm.commanded.copy() for name, arm in robot.arms.items()}
        assert keys.press("a") == "left arm chosen"
        assert "left_" in keys.press("6") and keys.press("x") == "left hand: power"
        robot.wait(1.0)
        moved = {name: arm.commanded - before[name] for name, arm in robot.arms.items()}
        assert moved["left"][5] == pytest.approx(JOINT_STEP) and not moved["right"].any()
        left, right = robot.hands["left"], robot.hands["right"]
        assert abs(left.commanded - left.facts.posture("power")).max() < 1e-6
        assert abs(right.commanded - right.facts.posture("power")).max() > 0.5


@pytest.mark.slow
def test_a_key_brings_all_arms_to_the_next_posture():
    with mecano.connect("madar", scene="empty") as robot:
        keys = Teleop(robot)
        assert keys.press("p") == "arms to ready"
        assert robot.session.wait_until(robot.arms.at_rest, timeout=20.0)
        for arm in robot.arms.values():
            assert abs(arm.commanded - arm.posture("ready")).max() < 1e-3
