"""The shell's language for a robot with two arms and two hands."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.operate.console import ArmsConsole, Status, console_for


@pytest.fixture(scope="module")
def robot():
    with mecano.connect("madar", scene="empty") as connected:
        yield connected


@pytest.fixture
def console(robot):
    robot.reset()
    made = console_for(robot)
    assert isinstance(made, ArmsConsole)
    return made


@pytest.mark.parametrize("name", [command.name for command in ArmsConsole.commands])
def test_every_word_has_an_example_that_is_understood(console, name):
    command = next(each for each in console.commands if each.name == name)
    if name not in ("scene", "joints", "joint", "posture"):  # examples of another robot
        console.check(command.example)


def test_words_are_there_once():
    names = [n for command in ArmsConsole.commands for n in (command.name, *command.aliases)]
    assert len(set(names)) == len(names)


def test_commands_are_for_the_first_arm_until_another_is_chosen(console, robot):
    assert console.execute("where").data["arm"] == "right"
    assert console.execute("arm left").data["arm"] == "left"
    assert console.execute("where").lines[0] == "arm      left"
    before = robot.arms["right"].commanded.copy()
    assert console.execute("joint elbow -2.5").ok
    assert robot.arms["left"].commanded[2] == pytest.approx(-2.5)
    np.testing.assert_array_equal(robot.arms["right"].commanded, before)


def test_an_arm_chosen_in_a_line_counts_for_the_rest_of_it(console, robot):
    assert console.execute("arm left; joint left_wrist_3_joint 0.1; arm right; where").ok
    assert robot.arms["left"].commanded[5] == pytest.approx(0.1)
    assert console.arm_name == "right"


def test_a_line_that_is_not_understood_chooses_no_arm(console):
    assert console.execute("arm left; jump").status is Status.WRONG
    assert console.arm_name == "right"


def test_lines_are_checked_for_the_arm_chosen_before_them(console):
    console.check("arm left")
    console.check("joint left_elbow_joint -2.5")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("arm middle", "known arms: right, left"),
        ("hand fist", "known hand postures: home, flat, open, power, pinch"),
        ("both zero", "known shared postures: home, ready, carry"),
        ("close 150%", "allowed are 0 to 100 %"),
        ("close 10% 20%", "close takes [share] [grasp]"),
        ("joint left_elbow_joint 0", "known joints: shoulder_pan, shoulder_lift, elbow"),
    ],
)
def test_what_is_wrong_is_told_with_what_is_allowed(console, line, says):
    reply = console.execute(line)
    assert reply.status is Status.WRONG and says in reply.text


def test_the_hand_of_the_chosen_arm_closes(console, robot):
    reply = console.execute("arm left; close 50% pinch")
    assert reply.ok and "left hand: reached" in reply.text
    left = robot.hands["left"]
    np.testing.assert_allclose(left.commanded, left.facts.between("open", "pinch", 0.5), atol=1e-9)
    assert console.execute("open").ok
    np.testing.assert_allclose(left.commanded, left.facts.posture("open"), atol=1e-9)


def test_both_arms_arrive_together(console, robot):
    assert console.execute("both ready").ok
    for arm in robot.arms.values():
        np.testing.assert_allclose(arm.position, arm.posture("ready"), atol=0.01)


def test_a_large_motion_of_both_arms_is_asked_for(console, robot):
    console.ask = lambda text: False
    reply = console.execute("both ready")
    assert not reply.ok and "nobody agreed" in reply.text
    assert console.arm_name == "right"


def test_what_is_out_of_reach_is_told_with_a_command_that_is_not(console):
    text = console.execute("goto 5 0 1 0.3").text
    assert "mm too far" in text
    assert console.execute("explain" + text.rpartition("goto")[2]).data["reached"]


def test_hands_without_arms_are_for_the_page():
    with mecano.connect("allegro") as hands, pytest.raises(InvalidInput, match="view allegro"):
        console_for(hands)


def test_the_status_line_says_which_arm(console):
    assert console.status_line().startswith("right arm  (")
