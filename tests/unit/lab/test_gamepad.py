"""Messages of a gamepad that drive a base."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.core.messages import Joy
from mecano.operate.gamepad import F710, Gamepad, PadLayout


def joy(*, forward=0.0, left=0.0, turn=0.0, alive=True, **pressed) -> Joy:
    axes, buttons = np.zeros(8), [0] * 11
    axes[[F710.forward, F710.left, F710.turn]] = forward, left, turn
    buttons[F710.dead_man] = int(alive)
    for name in pressed:
        buttons[getattr(F710, name)] = 1
    return Joy(axes=axes, buttons=tuple(buttons))


@pytest.fixture
def robot():
    with mecano.connect("madar", scene="empty", variant="base") as robot:
        yield robot


@pytest.mark.parametrize(
    ("sticks", "way"),
    [
        ({"forward": 1.0}, (0.3, 0.0, 0.0)),
        ({"forward": -1.0}, (-0.3, 0.0, 0.0)),
        ({"left": 0.5}, (0.0, 0.3 * 0.45 / 0.95, 0.0)),
        ({"turn": -1.0}, (0.0, 0.0, -0.9)),
        ({"forward": 0.04, "turn": -0.05}, (0.0, 0.0, 0.0)),
    ],
)
def test_sticks_are_scaled_to_what_the_base_can(robot, sticks, way):
    pad = Gamepad(robot)
    pad.press(joy(**sticks))
    assert pad.way == pytest.approx(way)


def test_it_drives_as_long_as_the_dead_mans_button_is_held(robot):
    pad = Gamepad(robot)
    assert pad.press(joy(forward=1.0, alive=False)) == ""
    robot.wait(0.3)
    assert robot.base.at_rest()
    assert pad.press(joy(forward=1.0)) == "drives" and pad.press(joy(forward=0.9)) == ""
    for _ in range(6):
        pad.keep()
        robot.wait(0.2)
    assert robot.truth.base_pose().x > 0.15
    assert "dead man" in pad.press(joy(forward=1.0, alive=False))
    pad.keep()
    robot.wait(0.7)
    assert robot.base.at_rest()


def test_a_pad_that_says_nothing_more_stops_the_base(robot):
    Gamepad(robot).press(joy(turn=1.0))
    robot.wait(1.6)
    assert robot.base.at_rest()


def test_corners_of_the_stick_are_slowed_down(robot, capsys):
    pad = Gamepad(robot)
    pad.press(joy(forward=1.0, left=1.0))
    robot.wait(0.45)
    assert np.abs(robot.base.facts.layout.rates(robot.base.speed)).max() <= 2.618 + 1e-9
    assert capsys.readouterr().err.count("asks a wheel") == 1


def test_buttons_open_and_close_what_there_is():
    with mecano.connect("crumb", scene="empty") as robot:
        pad = Gamepad(robot)
        assert pad.press(joy(close=True)) == "hands close"
        assert pad.press(joy(close=True)) == "", "a held button acts once"
        assert pad.press(joy(left=1.0, open=True)) == "hands open", "it cannot strafe"
        assert pad.way == (0.0, 0.0, 0.0)


def test_a_smaller_share_is_slower(robot):
    pad = Gamepad(robot, share=0.5)
    pad.press(joy(forward=1.0))
    assert pad.way[0] == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("attempt", "says"),
    [
        (lambda robot: Gamepad(robot, share=0.0), "share"),
        (lambda robot: Gamepad(robot).press(Joy(axes=np.zeros(2), buttons=(0, 0))), "mode X"),
        (lambda robot: Gamepad(robot).press("forward"), "takes a Joy"),  # type: ignore[arg-type]
        (lambda robot: Gamepad(robot, layout=PadLayout(turn=9)).press(joy()), "needed are 10"),
    ],
)
def test_what_makes_no_sense_is_refused(robot, attempt, says):
    with pytest.raises(InvalidInput, match=says):
        attempt(robot)


def test_an_arm_has_nothing_to_drive():
    with mecano.connect("open_manipulator_x") as arm, pytest.raises(InvalidInput, match="no base"):
        Gamepad(arm)
