"""What the command language understands, and what it says when it does not."""

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput, MecanoError
from mecano.lab.robot import connect
from mecano.operate.console import (
    ANGLE,
    COMMANDS,
    FORCE,
    FRACTION,
    LENGTH,
    TIME,
    Console,
    Status,
    find_command,
)

PIECES = [*(command.name for command in COMMANDS), "1", "-2mm", "nan", ";", ",", "#", "%", "mm"]


@pytest.fixture(scope="module")
def still() -> Console:
    """A console whose robot no test of this file moves."""
    return Console(connect("open_manipulator_x"))


def wrong(console: Console, line: str) -> str:
    """Return the one line said about a line that is wrong."""
    time = console.robot.time
    reply = console.execute(line)
    assert reply.status is Status.WRONG
    assert len(reply.lines) == 1
    assert console.robot.time == time
    return reply.text


# --- numbers with units


@pytest.mark.parametrize(
    ("quantity", "word", "value"),
    [
        (LENGTH, "0.2", 0.2),
        (LENGTH, "0.2m", 0.2),
        (LENGTH, "12cm", 0.12),
        (LENGTH, "-120mm", -0.12),
        (LENGTH, "120MM", 0.12),
        (LENGTH, ".5", 0.5),
        (LENGTH, "+1.e-1", 0.1),
        (ANGLE, "0.5rad", 0.5),
        (ANGLE, "-45deg", -math.pi / 4),
        (ANGLE, "90°", math.pi / 2),
        (FORCE, "10n", 10.0),
        (TIME, "500ms", 0.5),
        (TIME, "2min", 120.0),
        (FRACTION, "50%", 0.5),
        (FRACTION, "0.25", 0.25),
    ],
)
def test_units_are_understood(quantity, word, value):
    assert quantity.read(word, "value") == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    "word",
    ["nan", "inf", "-inf", "mm", "", "1_0", "0x10", "1deg", "1,2", "1mmm", "--1", "1e", "٣m"],
)
def test_what_is_no_length_is_refused(word):
    with pytest.raises(InvalidInput, match="needed is a length"):
        LENGTH.read(word, "x")


@given(value=st.floats(-50, 50))
def test_every_float_is_read_back(value):
    assert LENGTH.read(repr(value), "x") == value


def test_value_out_of_range_is_told_in_the_unit_it_was_given_in():
    with pytest.raises(InvalidInput, match="width is 500 mm, allowed are 22 to 80 mm"):
        LENGTH.read("500mm", "width", 0.022, 0.080)


def test_decimal_comma_gets_a_hint(still):
    assert "decimal point" in wrong(still, "goto 0,2 0 0.1")


def test_unit_apart_from_its_number_gets_a_hint(still):
    assert "right behind its number" in wrong(still, "goto 200 mm 0 100 mm")


# --- commands


def test_every_name_is_given_once():
    names = [name for each in COMMANDS for name in (each.name, *each.aliases)]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)


@pytest.mark.parametrize(
    ("paper", "ours"),
    [
        ("setPos", "goto"), ("position", "goto"), ("getPos", "where"), ("g", "where"),
        ("home", "home"), ("verbose", "verbose"), ("v", "verbose"), ("help", "help"),
        ("?", "help"), ("clc", "clear"), ("exit", "exit"), ("q", "exit"),
    ],
)  # fmt: skip
def test_words_of_the_paper_are_understood(paper, ours):
    assert find_command(paper).name == ours


def test_words_of_the_brief_are_there():
    names = {command.name for command in COMMANDS}
    assert {"goto", "line", "joints", "joint", "posture", "home", "open", "close", "where"} <= names
    assert {"branches", "explain", "speed", "wait", "stop", "limits", "scene"} <= names


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_example_is_right(still, command):
    still.check(command.example)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help(still, command):
    reply = still.execute(f"help {command.name}")
    assert reply.ok
    assert reply.lines[0].startswith(command.name)
    assert command.example in reply.text


def test_help_lists_every_command_and_says_that_time_stands_still(still):
    text = still.execute("help").text
    assert all(f"  {command.name} " in text for command in COMMANDS)
    assert "Time stands still between commands" in text


def test_unknown_command_suggests_the_nearest(still):
    assert wrong(still, "gotoo 1 2 3") == (
        "no command 'gotoo'; did you mean 'goto'? help lists all commands"
    )


def test_unknown_command_that_is_near_nothing_points_to_help(still):
    assert wrong(still, "xyzzy") == "no command 'xyzzy'; help lists all commands"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("goto", ("goto takes x y z [pitch]", "got no values", "goto 0.2 0 120mm 45deg")),
        ("goto 0.1 0.2", ("got 2 values",)),
        ("goto 1 2 3 4 5", ("got 5 values",)),
        ("goto a b c", ("x is 'a'", "a length like")),
        ("goto 0.1 0 0.2 50mm", ("pitch is '50mm'", "an angle like")),
        ("goto nan 0 0.1", ("x is 'nan'",)),
        ("goto 1e999 0 0.1", ("x is 1e999 m", "-100 to 100 m")),
        ("joints 1 2", ("4 values", "joint1 joint2 joint3 joint4", "got 2")),
        ("joints 0 0 0 9", ("joint4 is 9 rad", "-1.7907 to 2.042 rad")),
        ("joint elbow 1", ("no joint named 'elbow'", "joint1, joint2")),
        ("joint joint2 200deg", ("joint2 is 200 deg", "-102.6 to 90 deg")),
        ("posture up", ("no posture named 'up'", "home")),
        ("open 500mm", ("width is 500 mm", "22 to 80 mm")),
        ("open nan", ("width is 'nan'",)),
        ("close 99", ("force is 99 N", "0 to 30 N")),
        ("close nan", ("force is 'nan'",)),
        ("speed 2", ("speed is 2, allowed are 0.01 to 1",)),
        ("speed 0", ("speed is 0",)),
        ("wait", ("wait takes seconds",)),
        ("wait -1", ("time is -1 s",)),
        ("home 3", ("home stands alone", "got 1 value;")),
        ("branches 0.1 0.1 0.1", ("branches takes [x y z pitch]",)),
        ("scene dragon", ("no thing named 'dragon'", "cube")),
        ("help gotoo", ("did you mean 'goto'",)),
        ("verbose maybe", ("on, off",)),
    ],
)
def test_wrong_line_says_what_is_wrong_and_what_is_allowed(still, line, says):
    text = wrong(still, line)
    for words in says:
        assert words in text


def test_line_is_read_in_full_before_anything_moves(still):
    assert "no command 'gotoo'" in wrong(still, "home; open; gotoo 1 2 3")


@pytest.mark.parametrize("line", ["", "   ", "# only a remark", " ; ;; # nothing"])
def test_nothing_to_do_is_fine(still, line):
    reply = still.execute(line)
    assert reply.ok and reply.lines == ()


def test_commas_between_numbers_are_let_pass(still):
    assert "in reach" in still.execute("explain 0.2, 0, 0.1, 0.5").text


@given(line=st.text(max_size=40) | st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join))
def test_no_text_breaks_it(still, line):
    # Only read, not carried out: a text may by chance be an hour of waiting.
    with contextlib.suppress(MecanoError):
        still.check(line)


# --- completion


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("go", ["goto"]),
        ("GO", ["goto"]),
        ("j", ["joints", "joint"]),
        ("home; po", ["posture"]),
        ("setp", ["setpos"]),
        ("posture ho", ["home", "home_gui"]),
        ("p ho", ["home", "home_gui"]),
        ("joint ", ["joint1", "joint2", "joint3", "joint4"]),
        ("scene pl", ["place_1", "place_2", "place_3"]),
        ("help bra", ["branches"]),
        ("verbose o", ["on", "off"]),
        ("goto 0.1 ", []),
        ("joint joint1 ", []),
        ("nonsense ", []),
    ],
)
def test_completion(still, text, words):
    assert still.complete(text) == words


def test_completion_of_nothing_lists_all_commands(still):
    assert still.complete("") == [command.name for command in COMMANDS]


def test_status_line_has_units(still):
    text = still.status_line()
    assert all(unit in text for unit in (" m,", " rad (", " deg)", " mm", " s"))


def test_state_is_made_of_plain_values(still):
    state = still.state()
    assert type(state["pitch"]) is float and type(state["joints"]["joint1"]) is float
    np.testing.assert_allclose(list(state["joints"].values()), [0, -1, 1, 0], atol=2e-3)
