"""`mecano teleop` with keys from a pipe."""

import io


def test_keys_from_a_pipe_drive_the_robot(mecano, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("ii k"))
    answer = mecano("teleop", "crumb", "--scene", "empty", "--no-view")
    assert answer.code == 0 and answer.err == ""
    assert "+0.21 m/s" in answer.out and "base stops" in answer.out
    assert "odometry: x +0." in answer.out


def test_an_unknown_robot_is_one_clear_line(fails_cleanly):
    fails_cleanly("teleop", "crum", says=("crumb",))
