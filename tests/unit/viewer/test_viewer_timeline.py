"""The time line of a replay: where it is, and what play, pause and the slider do to it."""

# pyright: reportArgumentType=false

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from viewer_helpers import ThinPage, eventually

import mecano
from mecano.record.header import session_header
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.viewer.mailbox import Mailbox
from mecano.viewer.panels.panel import Desk
from mecano.viewer.panels.timeline import PAUSE, PLAY, START, Timeline
from mecano.viewer.replay import Replay
from mecano.viewer.server import close_server, open_server

ELAPSED = np.arange(101) * 0.1
"""Ten seconds."""


@pytest.fixture(scope="module")
def server():
    opened = open_server()
    yield opened
    close_server(opened)


@pytest.fixture(scope="module")
def make(server):
    def one(elapsed=ELAPSED, times=None):
        return Timeline(Desk(server, None, Mailbox()), elapsed, elapsed if times is None else times)

    return one


@pytest.fixture(scope="module")
def shared(make):
    """One time line for the laws, which set it to where they want it."""
    return make()


def test_it_begins_at_the_start_and_plays(make):
    line = make()
    assert (line.now, line.row, line.playing, line.end) == (0.0, 0, True, 10.0)


@given(now=st.floats(0.0, 10.0))
def test_the_row_is_the_last_that_has_begun(shared, now):
    shared.now = now
    assert ELAPSED[shared.row] <= now + 1e-9
    assert shared.row == 100 or ELAPSED[shared.row + 1] > now + 1e-9


@pytest.mark.parametrize("row", [0, 1, 37, 99, 100])
def test_at_the_time_of_a_row_that_row_is_shown(shared, row):
    shared.now = float(ELAPSED[row])
    assert shared.row == row


@given(steps=st.lists(st.floats(0.0, 3.0)), speed=st.sampled_from([0.1, 1.0, 5.0]))
def test_time_passes_at_the_speed_until_the_end(shared, steps, speed):
    shared.now, shared.playing, shared.speed = 0.0, True, speed
    for step in steps:
        shared.advance(step)
    assert shared.now == pytest.approx(min(speed * sum(steps), 10.0))
    assert shared.playing == (shared.now < 10.0)
    assert 0 <= shared.row <= 100


def test_a_pause_stands_still(make):
    line = make()
    line.advance(2.0)
    line.playing = False
    line.advance(5.0)
    assert line.now == 2.0


def test_a_recording_of_one_row_can_be_shown(make):
    line = make(np.zeros(1))
    line.advance(1.0)
    line.show()
    assert (line.row, line.playing, line.now) == (0, False, 0.0)


def test_the_text_tells_the_time_of_the_session(make):
    line = make(times=np.concatenate([ELAPSED[:50], ELAPSED[:51]]))  # it was reset on the way
    line.now = 6.0
    line.show()
    assert "1.00 s of the session, row 61 of 101" in line._text.content


# --- in a replay


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("record") / "run"
    folder.mkdir()
    with (
        mecano.connect("open_manipulator_x") as robot,
        Recorder(robot, folder, session_header(title="to replay")),
    ):
        robot.arm.move_joints([0.6, -0.6, 0.6, 0.3])
        robot.arm.move_joints([-0.6, -0.6, 0.6, 0.3])
    return Recording.open(folder)


@pytest.fixture
def replay(recording, capfd):
    """A replay and a page that looks at it."""
    with Replay(recording) as shown, ThinPage(shown.server.get_port()) as page:
        eventually(shown.is_watched)
        yield shown, page
        assert shown._thread.is_alive()
    assert "Traceback" not in capfd.readouterr().err


def shown_joints(replay: Replay) -> np.ndarray:
    data = replay.stage.mirror.data
    name = next(iter(replay.recording.joints))
    joints = replay.recording.joints[name].names
    return np.array([data.joint(f"{name}/{joint}").qpos[0] for joint in joints[:4]])


def test_the_slider_goes_to_its_instant_and_stays(replay, recording):
    shown, page = replay
    middle = round(shown.timeline.end / 2, 2)
    page.set(shown.timeline._slider, middle)
    eventually(lambda: shown.timeline.now == middle and not shown.timeline.playing)
    columns = next(iter(recording.joints.values()))
    eventually(
        lambda: np.allclose(shown_joints(shown), columns.real[shown.timeline.row][:4], atol=2e-3)
    )


def test_a_replay_plays_to_its_end_and_again(replay):
    shown, page = replay
    page.set(shown.timeline._speed, "5 x")
    eventually(lambda: shown.timeline.now == shown.timeline.end and not shown.timeline.playing)
    eventually(lambda: shown.timeline._slider.value == round(shown.timeline.end, 2))
    page.set(shown.timeline._buttons, PLAY)
    eventually(lambda: shown.timeline.playing and shown.timeline.now < shown.timeline.end)


def test_pause_and_start_of_the_page(replay):
    shown, page = replay
    eventually(lambda: shown.timeline.now > 0.1)
    page.set(shown.timeline._buttons, PAUSE)
    eventually(lambda: not shown.timeline.playing)
    page.set(shown.timeline._buttons, START)
    eventually(lambda: shown.timeline.playing)


def test_nothing_plays_while_nobody_looks(recording):
    with Replay(recording) as shown:
        assert shown.timeline.now == 0.0
        with ThinPage(shown.server.get_port()):
            eventually(lambda: shown.timeline.now > 0.05)


def test_a_page_that_opens_later_sees_the_same_instant(replay):
    shown, page = replay
    page.set(shown.timeline._slider, 1.0)
    eventually(lambda: shown.timeline.now == 1.0 and not shown.timeline.playing)
    with ThinPage(shown.server.get_port()):
        eventually(lambda: len(shown.server.get_clients()) == 2)
        assert shown.timeline.now == 1.0 and shown.timeline._slider.value == 1.0
