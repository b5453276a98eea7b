"""A run with a view starts when its page is open, or after a time that is said."""

import threading

import pytest
from viewer_helpers import ThinPage, eventually

from mecano.cli import viewing
from mecano.cli.viewing import ViewedRun
from mecano.lab.robot import connect


@pytest.fixture
def arm():
    with connect("open_manipulator_x") as robot:
        yield robot


def started(viewed: ViewedRun, robot) -> threading.Thread:
    """Begin to watch in a thread: it may wait."""
    thread = threading.Thread(target=viewed.watch, args=(robot,), daemon=True)
    thread.start()
    return thread


def test_a_run_does_not_start_before_its_page_is_open(arm, monkeypatch):
    monkeypatch.setattr(viewing, "OPENING", 120.0)
    with ViewedRun("waits", browser=False) as viewed:
        thread = started(viewed, arm)
        eventually(lambda: viewed.viewer is not None)
        thread.join(0.2)
        assert thread.is_alive()  # nobody looks yet
        with ThinPage(viewed.server.get_port()):
            thread.join(60.0)
            assert not thread.is_alive()
            assert arm.session.pace.speed == 1.0  # real time, since somebody looks


def test_a_run_that_nobody_looks_at_starts_after_the_time_out_and_says_so(arm, monkeypatch, capsys):
    monkeypatch.setattr(viewing, "OPENING", 0.1)
    with ViewedRun("waits", browser=False) as viewed:
        viewed.watch(arm)
    said = capsys.readouterr().err
    assert "waiting for the page" in said and "--no-wait" in said
    assert "the run starts without one" in said


def test_no_wait_starts_at_once_without_a_word(arm, monkeypatch, capsys):
    monkeypatch.setattr(viewing, "OPENING", 3600.0)
    with ViewedRun("starts", browser=False, wait=False) as viewed:
        viewed.watch(arm)
    assert "waiting" not in capsys.readouterr().err
