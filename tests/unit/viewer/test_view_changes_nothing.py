"""A run is the same alone, recorded, watched and both; a hand in it is in its record."""

import json
import threading
from contextlib import ExitStack
from math import inf

import pytest
from viewer_helpers import ThinPage, eventually, panel_of

from mecano import tasks
from mecano.record.header import session_header
from mecano.record.recorder import Recorder
from mecano.session.pacing import Pace
from mecano.viewer.panels.arm import ArmPanel
from mecano.viewer.viewer import Viewer

EXPERIMENT = "open_manipulator_x/move-cube"
COMES, GOES = 200, 1500
"""Ticks at which a page opens in mid-run, and closes again."""


@pytest.fixture(autouse=True)
def _quick_plots(monkeypatch):
    for name in ("plot_joints", "plot_tool_path"):
        monkeypatch.setattr(f"mecano.record.products.{name}", lambda _, file: file.touch())


def visit(viewer: Viewer):
    """Return an observer that opens a page in mid-run and closes it again, as a person would."""
    pages: list[ThinPage] = []

    def observe(session) -> None:
        if session.ticks == COMES:
            pages.append(ThinPage(viewer.server.get_port()))
            eventually(viewer.is_watched)
        if session.ticks == GOES:
            assert viewer.sampler.newest is not None and pages[0].bytes_read > 0
            pages.pop().close()
            eventually(lambda: not viewer.is_watched())

    return observe


def run(seed: int, folder=None, *, view: bool = False):
    """Run with noise; recorded into a folder and watched if asked for."""
    with ExitStack() as stack:

        def watch(robot) -> None:
            robot.session.pace = Pace(inf)
            if folder is not None:
                folder.mkdir()
                stack.enter_context(Recorder(robot, folder, session_header(seed=seed)))
            if view:
                viewer = stack.enter_context(Viewer({robot.name: robot}, program=True))
                robot.session.observers.append(visit(viewer))

        return tasks.run_experiment(tasks.get(EXPERIMENT), seed=seed, noise=True, watch=watch)


def test_the_hash_tells_seeds_apart():
    assert run(0).state_hash != run(3).state_hash


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3])
def test_a_run_is_the_same_alone_recorded_watched_and_both(seed, tmp_path, capfd):
    alone = run(seed)
    runs = [
        run(seed, tmp_path / "recorded"),
        run(seed, view=True),
        run(seed, tmp_path / "both", view=True),
    ]
    assert alone.success
    for other in runs:
        assert other.state_hash == alone.state_hash
        assert (other.metrics, other.sim_time_s) == (alone.metrics, alone.sim_time_s)
    for folder in ("recorded", "both"):
        header = json.loads((tmp_path / folder / "run.json").read_text())
        assert header["touched"] is False
    said = capfd.readouterr()
    assert "stopped" not in said.err and "Traceback" not in said.err


@pytest.mark.slow
def test_a_hand_in_the_run_is_in_its_record(tmp_path):
    folder = tmp_path / "touched"
    folder.mkdir()
    viewers, recorders, people = [], [], []

    def watch(robot) -> None:
        recorders.append(Recorder(robot, folder, session_header()))
        viewer = Viewer({robot.name: robot}, program=True, on_touch=recorders[0].mark_touched)
        robot.session.pace.pause()
        robot.session.pace.step(100)
        viewers.append(viewer)
        people.append(threading.Thread(target=take_a_hand, args=(viewer,)))
        people[0].start()

    result = tasks.run_experiment(tasks.get(EXPERIMENT), watch=watch)
    people[0].join()
    viewers[0].close()
    recorders[0].close(result.to_json())
    header = json.loads((folder / "run.json").read_text())
    assert header["touched"] is True
    assert header["touches"] == [{"time_s": pytest.approx(1.0), "what": "joint1"}]
    assert viewers[0].touched == "joint1"
    assert result.state_hash != tasks.run_experiment(tasks.get(EXPERIMENT)).state_hash


def take_a_hand(viewer: Viewer) -> None:
    """Take the controls after the hundredth tick, move a joint, and let the run go on."""
    pace = viewer.session.pace
    assert pace is not None
    eventually(lambda: viewer.session.ticks == 100)
    with ThinPage(viewer.server.get_port()) as page:
        eventually(viewer.is_watched)
        page.set(viewer.desk.takeover, True)
        eventually(lambda: not viewer.desk.locked)
        page.set(panel_of(viewer, ArmPanel).sliders[0], 0.9)
        eventually(lambda: viewer.touched)
    pace.speed = inf
    pace.resume()
