"""Runs and records in the browser: the card, a reload, two pages at once, the time line."""

# pyright: reportOptionalMemberAccess=false

import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from math import inf
from pathlib import Path

import pytest
from browser_helpers import PATIENCE, eventually
from playwright.sync_api import expect

import mecano
from mecano import tasks
from mecano.record.header import session_header
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.viewer.replay import Replay
from mecano.viewer.server import address
from mecano.viewer.viewer import Viewer

EXPERIMENT = tasks.get("open_manipulator_x/move-cube")
MECANO = Path(sys.executable).with_name("mecano")
THIN_PAGE = Path(__file__).parents[2] / "benchmarks" / "thin_page.py"
CARD = "open_manipulator_x/move-cube: success"


def come_and_go(new_person):
    """Give somebody whose browser complains of nothing; an old page would find new servers."""
    one = new_person()
    yield one
    one.page.close()
    assert one.errors == []


@pytest.fixture
def person(new_person):
    yield from come_and_go(new_person)


@pytest.fixture
def other(new_person):
    yield from come_and_go(new_person)


class WatchedRun:
    """An experiment in a thread, paused before its first tick."""

    def __init__(self) -> None:
        self.viewer: Viewer | None = None
        self.result = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        eventually(lambda: self.viewer is not None)

    def _run(self) -> None:
        self.result = tasks.run_experiment(EXPERIMENT, watch=self._watch)
        assert self.viewer is not None
        self.viewer.show_result(self.result)

    def _watch(self, robot) -> None:
        viewer = Viewer({robot.name: robot}, program=True, title=EXPERIMENT.title)
        robot.session.pace.pause()
        self.viewer = viewer

    def hash(self) -> str:
        """Return the hash of the run after its end."""
        self._thread.join(PATIENCE)
        assert self.result is not None
        return self.result.state_hash


@contextmanager
def watched_run():
    run = WatchedRun()
    try:
        yield run, run.viewer, run.viewer.session
    finally:
        run.viewer.session.pace.end()
        run._thread.join(PATIENCE)
        run.viewer.close()


def test_a_run_goes_through_a_reload_to_its_card(person):
    alone = tasks.run_experiment(EXPERIMENT).state_hash
    with watched_run() as (run, viewer, session):
        person.visit(viewer.url, sees="joint1 [rad]")
        session.pace.resume()
        eventually(lambda: session.ticks > 50)
        person.page.reload()
        person.row("joint4 [rad]").wait_for()
        ticks = session.ticks
        assert run.result is None
        eventually(lambda: session.ticks > ticks)
        expect(person.row("take the controls from the program")).to_be_visible()
        expect(person.page.get_by_text(EXPERIMENT.title).first).to_be_visible()
        session.pace.speed = inf
        expect(person.page.get_by_text(CARD).first).to_be_visible()
        assert run.hash() == alone
        expect(person.page.get_by_text(f"0, {alone}")).to_be_visible()
        expect(person.row("take the controls from the program")).to_be_hidden()
        assert viewer.touched is None


def test_what_one_page_does_the_other_shows(person, other):
    with mecano.connect("open_manipulator_x") as robot, Viewer({robot.name: robot}) as viewer:
        robot.session.start_background()
        robot.session.pace.pause()  # two browsers draw slowly enough
        for each in (person, other):
            each.visit(viewer.url, sees="joint1 [rad]")
        person.fill("joint1 [rad]", 0.7)
        eventually(lambda: other.number("joint1 [rad]") == 0.7)
        robot.session.pace.resume()
        eventually(lambda: abs(robot.arm.position[0] - 0.7) < 0.01)


def test_a_record_is_replayed_with_a_time_line(person, tmp_path):
    with (
        mecano.connect("open_manipulator_x") as robot,
        Recorder(robot, tmp_path, session_header(title="to replay")),
    ):
        robot.arm.move_joints([0.6, -0.6, 0.6, 0.3])
        robot.arm.move_joints([-0.6, -0.6, 0.6, 0.3])
    with Replay(Recording.open(tmp_path)) as replay:
        person.visit(address(replay.server), sees="time [s]")
        person.fill("time [s]", 0.5)
        eventually(lambda: replay.timeline.now == 0.5 and not replay.timeline.playing)
        expect(
            person.page.get_by_text(re.compile(r"^0\.50 s of the session, row 51 of"))
        ).to_be_visible()
        person.press("run", "play")
        eventually(lambda: replay.timeline.now == replay.timeline.end)
        expect(person.page.get_by_text(re.compile(", end$"))).to_be_visible()


# --- the demo


@pytest.fixture
def demo():
    """Start `mecano demo` in a process of its own."""
    running = []

    def start(*options: str, **environment: str) -> subprocess.Popen:
        hidden = {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"}
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        running.append(
            subprocess.Popen(
                [MECANO, "demo", *options],
                env=kept | environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
        return running[-1]

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def said_address(process: subprocess.Popen) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("view: "):
            return line.removeprefix("view: ").strip()
    raise AssertionError("it did not say where the page is")


@contextmanager
def keeps_open(page: str):
    """Have another page open meanwhile, one that comes at once."""
    thin = subprocess.Popen([sys.executable, THIN_PAGE, page.rpartition(":")[2]])
    try:
        yield
    finally:
        thin.terminate()
        thin.wait()


def test_the_demo_ends_when_its_page_is_closed(person, demo, own_port):
    # BROWSER: as if a browser opened the page; ours does
    process = demo("--port", str(own_port), BROWSER="true %s")
    page = said_address(process)
    with keeps_open(page):  # a slow browser may come later than the demo waits
        person.visit(page, sees="arm_1_joint [rad]")
    person.choose("speed", "as fast as it goes")
    expect(person.page.get_by_text("crumb/pick-and-place: success").first).to_be_visible()
    assert process.poll() is None
    assert person.errors == []
    person.page.close()
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 and "Traceback" not in err
    assert "success" in out


def test_the_demo_ends_by_itself_where_nobody_looks(demo):
    out, err = demo("--no-browser", "--no-wait").communicate(timeout=PATIENCE)
    assert "success" in out
    assert err == "no page was open; with --keep the result stays up until one is\n"
