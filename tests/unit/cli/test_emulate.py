"""`mecano emulate`: what it prints, and what it refuses in one line."""

import os
import signal
import subprocess
import sys

import pytest

ARM = "open_manipulator_x"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--fault", "lost=7"), ("fault 'lost=7'", "overload=12@5")),
        (("--fault", "fire=3"), ("no fault named 'fire'", "unplug")),
        (("--baud", 5), ("baud is 5", "1000000")),
        (("--scene", "moon"), ("moon",)),
    ],
)
def test_bad_words_are_one_line(fails_cleanly, words, says):
    fails_cleanly("emulate", ARM, *words, says=says)


def test_a_robot_without_servos_is_refused(fails_cleanly):
    fails_cleanly("emulate", "two_link", says=("no servos on a bus",))


def test_it_prints_a_port_that_answers_until_ctrl_c(tmp_path):
    link = tmp_path / "arm"
    command = [sys.executable, "-m", "mecano", "emulate", ARM, "--link", str(link)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            assert run.stdout is not None and run.stderr is not None
            assert run.stdout.readline() == f"port: {link}\n"
            told = [run.stderr.readline() for _ in range(4)]
            assert os.path.realpath(link).startswith("/dev/")
        finally:
            run.send_signal(signal.SIGINT)
            _, err = run.communicate()
    assert run.returncode == 0 and "Traceback" not in err
    assert f"  mecano doctor {link}\n" in told and not os.path.lexists(link)
