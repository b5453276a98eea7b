"""The shell's language for legs and cups."""

import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.operate.console import Console, LegConsole, Status, console_for


@pytest.fixture
def console():
    with mecano.connect("romerin", scene="wall") as robot:
        yield console_for(robot)


def test_a_robot_has_the_console_of_its_parts(console):
    assert isinstance(console, LegConsole)
    with mecano.connect("open_manipulator_x") as arm:
        assert type(console_for(arm)) is Console


def test_a_robot_with_neither_arm_nor_legs_is_told_what_to_do():
    with mecano.connect("kobuki") as base, pytest.raises(InvalidInput, match="teleop kobuki"):
        console_for(base)


@pytest.mark.parametrize("name", [command.name for command in LegConsole.commands])
def test_every_word_has_an_example_that_is_understood(console, name):
    command = next(each for each in console.commands if each.name == name)
    if name == "scene":
        return  # its example is a thing of another scene
    console.check(command.example)


def test_help_lists_the_words_of_legs_only(console):
    text = console.execute("help").text
    assert "walk distance" in text and "goto" not in text


def test_a_walk_begins_although_no_cup_held_yet(console):
    reply = console.execute("walk 20mm")
    assert reply.ok and reply.data["outcome"] == "reached" and reply.data["distance"] > 0.015


def test_it_turns_by_the_angle(console):
    reply = console.execute("turn -5deg")
    assert reply.data["turned"] == pytest.approx(-0.087, abs=0.02)


def test_speed_is_a_part_of_the_gaits_own(console):
    assert "20.0 mm/s" in console.execute("speed 50%").text


def test_a_leg_whose_cup_holds_is_not_moved(console):
    console.execute("wait 0.1")
    reply = console.execute("leg 1 rest")
    assert reply.status is Status.WRONG and "cups.release(1)" in reply.text


def test_a_leg_moves_to_a_point_of_the_bodys_frame(console):
    reply = console.execute("wait 0.1; cup 2 off; leg 2 -0.06 0.2 -0.06")
    assert reply.ok and reply.data["tip"] == pytest.approx([-0.06, 0.2, -0.06], abs=0.002)


def test_a_point_out_of_reach_fails_with_the_reason(console):
    reply = console.execute("wait 0.1; cup 2 off; leg 2 0.5 0.5 0")
    assert reply.status is Status.FAILED and "too far" in reply.text


def test_a_release_that_would_leave_too_few_is_refused(console):
    reply = console.execute("wait 0.1; cup 1 force; cup 3 force; cup 5 force; wait 0.02; cup 2 off")
    assert reply.status is Status.FAILED and "2 cups would be left" in reply.text


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("leg 9", "known legs: 1, 2, 3, 4, 5, 6"),
        ("cup 0 on", "known cups"),
        ("cup 1 maybe", "on, off, force"),
        ("walk 0.1 jog", "tripod"),
        ("walk", "takes distance"),
        ("walk 20 m", "write a unit right behind"),
    ],
)
def test_a_wrong_line_is_explained(console, line, says):
    reply = console.execute(line)
    assert reply.status is Status.WRONG and says in reply.text


def test_where_tells_tips_cups_and_time(console):
    reply = console.execute("wait 0.1; where")
    assert "leg 6    tip (0.13" in reply.text and "cup 1    holding" in reply.text
    assert reply.data["cups"] == ["holding"] * 6


def test_things_are_told_in_the_frame_of_the_body(console):
    reply = console.execute("scene wall")
    assert "frame of the body" in reply.text.replace("the body's frame", "the frame of the body")


def test_the_status_line_counts_cups(console):
    console.execute("wait 0.1")
    assert console.status_line().startswith("6 of 6 cups hold")


def test_an_interrupt_lands_the_feet(console):
    console.execute("wait 0.1")
    console.robot.legs.walk(wait=False)
    console.robot.wait(0.6)
    reply = console.interrupt()
    assert "stopped, 6 of 6 cups hold" in reply.text
