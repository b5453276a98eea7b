"""Ctrl-C and its kin: `mecano evaluate` and `--video` end soon and leave nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
PATIENCE = 120.0
"""How long anything may take on a busy machine [s]."""

ONE_ENDS = """
import os
from pathlib import Path

def run(robot):
    try:
        Path("one").touch(exist_ok=False)
        return True
    except FileExistsError:
        Path(f"worker_{os.getpid()}").touch()
    while True:
        robot.wait(0.1)
"""
"""The first run ends, all others tell which process they are in and go on."""


def start(folder: Path, *words) -> subprocess.Popen[str]:
    """Start the command as a terminal does: in a group of processes that Ctrl-C goes to."""
    return subprocess.Popen(
        [sys.executable, "-m", "mecano", *map(str, words)],
        cwd=folder,
        env=os.environ | {"MECANO_RUNS": "off"},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(claim, what: str, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.05)


def workers(folder: Path) -> list[int]:
    return [int(file.name.removeprefix("worker_")) for file in folder.glob("worker_*")]


def lives(pid: int) -> bool:
    """Tell whether a process runs; one that ended and waits to be counted does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def evaluate(folder: Path) -> subprocess.Popen[str]:
    """Start an evaluation that does not end by itself, and wait until two workers are at it."""
    (folder / "endless.py").write_text(ONE_ENDS)
    process = start(folder, "evaluate", "endless.py", "--runs", 8, "--jobs", 2)
    wait_for(lambda: len(workers(folder)) == 2, "two workers")
    return process


needs_proc = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")


@needs_proc
def test_ctrl_c_ends_an_evaluation_and_its_workers(tmp_path):
    with evaluate(tmp_path) as process:
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)  # the other runs would never end
    assert process.returncode == 130 and out == ""
    assert err.splitlines()[-1] == "mecano: stopped" and "Traceback" not in err
    assert "1 of 8 runs were done\n1 of 1 succeeded" in err
    assert not any(lives(pid) for pid in workers(tmp_path))


@needs_proc
def test_workers_end_when_the_evaluation_is_killed(tmp_path):
    with evaluate(tmp_path) as process:
        process.kill()
    wait_for(lambda: not any(map(lives, workers(tmp_path))), "the workers' end")


@pytest.mark.slow
def test_a_video_that_is_stopped_leaves_no_half_of_it(tmp_path):
    stop = signal.SIGTERM
    (tmp_path / "waits.py").write_text("def run(robot):\n    robot.wait(30.0)\n    return True\n")
    partial = tmp_path / ".v.partial.mp4"
    with start(tmp_path, "run", "waits.py", "--video", "v.mp4") as process:
        wait_for(partial.exists, "the first pictures")
        process.send_signal(stop)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert not partial.exists() and not (tmp_path / "v.mp4").exists()
