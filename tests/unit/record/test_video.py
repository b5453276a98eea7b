"""Videos: what is written can be read back; times come from the run; failures leave nothing."""

from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image, ImageSequence

from mecano import connect
from mecano.core.errors import InvalidInput
from mecano.record.header import session_header
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.record.video import frame_rows, record_video, write_video


def pictures(count: int, *, width: int = 64, height: int = 48):
    """Yield pictures that get brighter."""
    for i in range(count):
        yield np.full((height, width, 3), 20 + 5 * i, np.uint8)


def decode(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.fixture(scope="module")
def recording(tmp_path_factory) -> Recording:
    """Half a second in which the arm turns."""
    folder = tmp_path_factory.mktemp("run")
    with connect("open_manipulator_x") as robot, Recorder(robot, folder, session_header()):
        robot.arm.move_joints([0.6, -1.0, 0.3, 0.7], wait=False)
        robot.wait(0.5)
    return Recording.open(folder)


def test_an_mp4_has_its_frames_size_and_length(tmp_path):
    file = tmp_path / "film.mp4"
    assert write_video(file, pictures(15), fps=30) == 15
    with av.open(str(file)) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height) == (64, 48)
        assert stream.codec_context.name == "h264" and stream.pix_fmt == "yuv420p"
        assert stream.average_rate == 30
        assert stream.duration is not None and stream.time_base is not None
        assert float(stream.duration * stream.time_base) == pytest.approx(0.5, abs=1e-6)
        times = [frame.time for frame in container.decode(stream)]
    np.testing.assert_allclose(times, np.arange(15) / 30, atol=1e-4)


def test_frames_come_back_in_order_with_their_colours(tmp_path):
    write_video(tmp_path / "film.mp4", pictures(15))
    means = [frame.mean() for frame in decode(tmp_path / "film.mp4")]
    np.testing.assert_allclose(means, 20 + 5 * np.arange(15), atol=4)


def test_odd_sizes_are_made_even(tmp_path):
    write_video(tmp_path / "film.mp4", pictures(2, width=33, height=47))
    assert decode(tmp_path / "film.mp4")[0].shape == (48, 34, 3)


def test_a_gif_has_its_frames_and_length(tmp_path):
    write_video(tmp_path / "film.gif", pictures(12), fps=30)
    with Image.open(tmp_path / "film.gif") as gif:
        assert gif.size == (64, 48)
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(gif)]
    assert len(durations) == 12 and sum(durations) == 400


def test_the_same_frames_give_the_same_file(tmp_path):
    for name in ("a.mp4", "b.mp4"):
        write_video(tmp_path / name, pictures(5))
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


@pytest.mark.parametrize("name", ["film.avi", "film", "film.mp4.txt"])
def test_another_suffix_is_refused(tmp_path, name):
    with pytest.raises(InvalidInput, match=r"\.mp4 or \.gif"):
        write_video(tmp_path / name, pictures(1))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidInput, match=r"no folder .*nowhere"):
        write_video(tmp_path / "nowhere" / "film.mp4", pictures(1))


@pytest.mark.parametrize("fps", [0, -1, 1000, float("nan")])
def test_frames_per_second_out_of_range_are_refused(tmp_path, fps):
    with pytest.raises(InvalidInput, match="fps"):
        write_video(tmp_path / "film.mp4", pictures(1), fps=fps)


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [np.zeros((4, 4), np.uint8)],
        [np.zeros((4, 4, 3))],
        [np.zeros((4, 4, 3), np.uint8), np.zeros((4, 6, 3), np.uint8)],
    ],
)
@pytest.mark.parametrize("suffix", ["mp4", "gif"])
def test_what_is_no_row_of_pictures_is_refused(tmp_path, frames, suffix):
    with pytest.raises(InvalidInput, match="frame"):
        write_video(tmp_path / f"film.{suffix}", frames)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_older_file_and_no_partial_one(tmp_path):
    file = tmp_path / "film.mp4"
    write_video(file, pictures(2))
    before = file.read_bytes()

    def failing():
        yield from pictures(3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_video(file, failing())
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("suffix", ["mp4", "gif"])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path, suffix):
    resource = pytest.importorskip("resource")
    noise = np.random.default_rng(0).integers(0, 255, (4, 120, 160, 3), np.uint8)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(InvalidInput, match=r"cannot write .*: File too large"):
            write_video(tmp_path / f"film.{suffix}", noise)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_frames_show_the_rows_of_their_own_time():
    times = np.arange(0, 1.005, 0.01)
    assert frame_rows(times, fps=10) == list(range(0, 101, 10))
    assert frame_rows(times, fps=10, speed=2.0) == list(range(0, 101, 20))
    assert frame_rows(times, fps=200, speed=0.5)[:9] == [0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_a_video_goes_on_where_the_session_was_reset():
    times = np.array([0.0, 0.1, 0.2, 0.0, 0.1, 0.2])
    assert frame_rows(times, fps=10) == [0, 1, 3, 4, 5]


@pytest.mark.parametrize("speed", [0, -1, float("inf")])
def test_a_speed_out_of_range_is_refused(speed):
    with pytest.raises(InvalidInput, match="speed"):
        frame_rows(np.arange(3.0), fps=30, speed=speed)


def test_an_empty_recording_is_refused():
    with pytest.raises(InvalidInput, match="empty"):
        frame_rows(np.empty(0), fps=30)


@pytest.mark.slow
def test_a_run_becomes_a_video_in_which_the_arm_moves(recording, tmp_path):
    done = []
    made = record_video(
        recording,
        tmp_path / "run.mp4",
        size=(96, 54),
        fps=10,
        gl=False,
        progress=lambda *count: done.append(count),
    )
    frames = decode(tmp_path / "run.mp4")
    assert made.frames == len(frames) == 6
    assert done[-1] == (6, 6)
    assert frames[0].shape == (54, 96, 3)
    assert np.abs(frames[-1].astype(int) - frames[0]).max() > 60
    assert made.kind == "ray casting" and "ray casting" in made.remark
