"""`mecano teleop` with keys from a pipe."""

import io
import struct

import pytest


def test_keys_from_a_pipe_drive_the_robot(mecano, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("ii k"))
    answer = mecano("teleop", "crumb", "--scene", "empty", "--no-view")
    assert answer.code == 0 and answer.err == ""
    assert "+0.21 m/s" in answer.out and "base stops" in answer.out
    assert "odometry: x +0." in answer.out


def test_an_unknown_robot_is_one_clear_line(fails_cleanly):
    fails_cleanly("teleop", "crum", says=("crumb",))


@pytest.mark.slow
def test_a_recorded_gamepad_drives_the_robot(mecano, tmp_path):
    event = struct.Struct("<IhBB")
    file = tmp_path / "drive.events"
    file.write_bytes(
        event.pack(0, 1, 1, 4) + event.pack(10, -32767, 2, 1) + event.pack(700, 0, 1, 4)
    )
    answer = mecano("teleop", "madar_base", "--no-view", "--gamepad", file)
    assert answer.code == 0 and "left stick" in answer.out
    assert "drives" in answer.out and "dead man's button is free" in answer.out
    assert "odometry: x +0." in answer.out


def test_a_missing_gamepad_is_one_clear_line(fails_cleanly, tmp_path):
    pad = tmp_path / "js0"
    fails_cleanly("teleop", "madar_base", "--no-view", "--gamepad", pad, says=("no gamepad",))
