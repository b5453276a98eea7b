"""Events of a gamepad, as Linux gives them."""

import os
import threading

import pytest

from mecano.hardware.errors import NoSuchPort, PortProblem
from mecano.hardware.joystick import AXIS, BUTTON, EVENT, INITIAL, Joystick, PadState


def event(kind, number, value, ms=0) -> bytes:
    return EVENT.pack(ms, value, kind, number)


def test_left_and_up_are_positive():
    state = PadState()
    state.take(event(AXIS | INITIAL, 0, -32767))
    state.take(event(AXIS, 1, 16384))
    state.take(event(BUTTON, 4, 1))
    joy = state.joy(1.5)
    assert joy.axes[:2].tolist() == pytest.approx([1.0, -0.5], abs=1e-4)
    assert joy.buttons[4] == 1 and sum(joy.buttons) == 1 and joy.stamp == 1.5


def test_the_lowest_value_is_a_full_stick():
    state = PadState()
    state.take(event(AXIS, 3, -32768))
    assert state.joy().axes[3] == 1.0


def test_more_sticks_and_buttons_than_usual_are_counted():
    state = PadState()
    state.take(event(AXIS, 9, 100))
    state.take(event(BUTTON, 12, 1))
    assert len(state.joy().axes) == 10 and len(state.joy().buttons) == 13


def test_events_of_unknown_kinds_change_nothing():
    state = PadState()
    state.take(event(0x40, 0, 1))
    assert not state.joy().axes.any() and not any(state.joy().buttons)


def test_a_recording_is_played_at_its_own_pace_and_ends(tmp_path):
    file = tmp_path / "drive.events"
    file.write_bytes(event(BUTTON, 4, 1, 1000) + event(AXIS, 1, -32767, 1200))
    with Joystick(file) as pad:
        heard = list(pad.messages(every=0.05))
    joys = [joy for joy in heard if joy is not None]
    assert len(joys) == 2 and joys[1].axes[1] == 1.0 and joys[1].buttons[4] == 1
    assert joys[1].stamp - joys[0].stamp > 0.15 and None in heard


def test_events_that_come_in_pieces_are_put_together(tmp_path):
    pipe = tmp_path / "js0"
    os.mkfifo(pipe)
    pad = Joystick(pipe)
    whole = event(BUTTON, 0, 1) + event(AXIS, 0, -32767)

    def plug() -> None:
        with pipe.open("wb", buffering=0) as out:
            out.write(whole[:5])
            written.wait(2.0)
            out.write(whole[5:])

    written = threading.Event()
    thread = threading.Thread(target=plug)
    thread.start()
    heard = []
    for joy in pad.messages(every=0.1):
        written.set()
        if joy is not None:
            heard.append(joy)
        if len(heard) == 2:
            break
    thread.join()
    pad.close()
    assert heard[1].axes[0] == 1.0 and heard[1].buttons[0] == 1


def test_a_missing_pad_is_told(tmp_path):
    with pytest.raises(NoSuchPort, match=r"there is no gamepad at .*js7"):
        Joystick(tmp_path / "js7")
    with pytest.raises(PortProblem):
        Joystick(tmp_path / "file" / "js0" if (tmp_path / "file").write_text("x") else "")
