"""A long viewed run: memory stays where it is."""

import subprocess
import sys
from pathlib import Path

import pytest

import mecano
from mecano.record.recorder import Recorder
from mecano.session.pacing import Pace
from mecano.viewer.viewer import Viewer

STATUS = Path("/proc/self/statm")
THIN_PAGE = Path(__file__).parents[3] / "benchmarks" / "thin_page.py"
SPEED = 20.0
"""Ten minutes of the robot pass in half a minute of ours; the view draws as often as it can."""


def megabytes() -> float:
    """Return what this process has in memory."""
    return int(STATUS.read_text().split()[1]) * 4096 / 1e6


def to_and_fro(robot):
    while True:
        yield robot.arm.move_joints([0.8, -0.6, 0.6, 0.4], wait=False)
        yield robot.arm.move_joints([-0.8, -1.2, 1.0, 0.2], wait=False)


@pytest.mark.slow
@pytest.mark.skipif(not STATUS.exists(), reason="memory is read from /proc")
def test_ten_minutes_watched_and_recorded_take_no_more_memory(tmp_path):
    with (
        mecano.connect("open_manipulator_x") as robot,
        Recorder(robot, tmp_path / "run"),
        Viewer(robot) as viewer,
    ):
        robot.session.pace = Pace(SPEED)
        robot.run(to_and_fro)
        port = viewer.url.rpartition(":")[2]
        with subprocess.Popen([sys.executable, str(THIN_PAGE), port]) as page:
            try:
                assert viewer.wait_for_page(60.0)
                robot.wait(120.0)  # plots and buffers fill
                before = megabytes()
                robot.wait(480.0)
                grown = megabytes() - before
                assert viewer.is_watched()
            finally:
                page.kill()
    assert grown < 5.0
