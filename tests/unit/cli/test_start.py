"""How the command starts and ends as a process."""

import os
import subprocess
import sys

import pytest

from mecano.__main__ import main


def test_a_wrong_drawing_library_is_one_clear_line():
    done = subprocess.run(
        [sys.executable, "-m", "mecano", "run", "open_manipulator_x/overweight"],
        env=os.environ | {"MUJOCO_GL": "nonsense"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "MUJOCO_GL" in done.stderr and "unset it" in done.stderr


def test_ctrl_c_while_it_is_loaded_is_no_traceback(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("mecano.cli.app.main", interrupted)
    with pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr().err == "mecano: stopped\n"
