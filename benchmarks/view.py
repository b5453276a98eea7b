"""What it costs to be watched and recorded: one function per row.

The arm moves to and fro all the time. A page is a client that speaks the viewer's protocol and
throws away what it gets, so that only our side is counted.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import inf
from pathlib import Path

from mecano.core.results import BenchRow
from mecano.lab.robot import Robot, connect
from mecano.session.pacing import Pace

REAL_TIME = 6.0
"""Length of one stretch at real time [s]."""
ROUNDS = 3
FULL_SPEED = 20.0
"""Simulated length of one stretch at full speed [s]."""


def watched_real_time() -> BenchRow:
    """Processor time of view (one page, 30 Hz) and recorder at real time, over the run alone."""
    alone, both = [], []
    for _ in range(ROUNDS):
        alone.append(_stretch(1.0, REAL_TIME).processor)
        both.append(_stretch(1.0, REAL_TIME, view=True, record=True).processor)
    extra = 100.0 * (min(both) - min(alone)) / REAL_TIME
    return BenchRow(
        name="watched_real_time", value=extra, unit="% of a core",
        peer="the run alone", peer_value=100.0 * min(alone) / REAL_TIME,
        bar="value < 10 % of a core",
    )  # fmt: skip


def recorded_full_speed() -> BenchRow:
    """Wall time of a recorded run over one that is not, as fast as it goes."""
    return _ratio("recorded_full_speed", record=True)


def watched_full_speed() -> BenchRow:
    """Wall time of a run that is recorded and watched over the run alone, as fast as it goes."""
    return _ratio("watched_full_speed", view=True, record=True)


ROWS = (watched_real_time, recorded_full_speed, watched_full_speed)


def _ratio(name: str, **how: bool) -> BenchRow:
    alone, with_it = [], []
    for _ in range(ROUNDS):
        alone.append(_stretch(inf, FULL_SPEED).wall)
        with_it.append(_stretch(inf, FULL_SPEED, **how).wall)
    return BenchRow(
        name=name, value=1000.0 * min(with_it) / FULL_SPEED, unit="ms/s",
        peer="the run alone", peer_value=1000.0 * min(alone) / FULL_SPEED,
    )  # fmt: skip


class _stretch:
    """One measured stretch of a run: wall and processor time [s]."""

    def __init__(
        self, speed: float, length: float, *, view: bool = False, record: bool = False
    ) -> None:
        with ExitStack() as stack:
            robot = stack.enter_context(connect("open_manipulator_x"))
            robot.session.pace = Pace(speed)
            robot.run(to_and_fro)
            if record:
                stack.enter_context(recorded(robot))
            if view:
                stack.enter_context(watched(robot))
            robot.wait(0.5)
            wall, processor = time.perf_counter(), time.process_time()
            robot.wait(length)
            self.wall = time.perf_counter() - wall
            self.processor = time.process_time() - processor


def to_and_fro(robot: Robot) -> Iterator:
    """Turn the arm from side to side for ever."""
    while True:
        for turn in (1.2, -1.2):
            yield robot.arm.move_joints([turn, -1.0, 1.0, 0.0], wait=False, check=False)


@contextmanager
def recorded(robot: Robot) -> Iterator[None]:
    """Record into a folder that is thrown away."""
    from mecano.record.header import session_header
    from mecano.record.recorder import Recorder

    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(robot, Path(folder), session_header())
        try:
            yield
        finally:
            recorder.close(None)


@contextmanager
def watched(robot: Robot) -> Iterator[None]:
    """Watch with one page."""
    from mecano.viewer.viewer import Viewer

    with Viewer({robot.name: robot}) as viewer, thin_page(viewer.server.get_port()):
        assert viewer.wait_for_page(10.0), "the page did not connect"
        yield


@contextmanager
def thin_page(port: int) -> Iterator[None]:
    """Open a page without a browser, in a process of its own."""
    program = Path(__file__).with_name("thin_page.py")
    page = subprocess.Popen([sys.executable, str(program), str(port)])
    try:
        yield
    finally:
        page.kill()
        page.wait()
