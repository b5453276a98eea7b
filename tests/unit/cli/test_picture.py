"""`mecano picture`: what it writes, what it says, and one clear line for bad input."""

import av
import numpy as np
import pytest
from PIL import Image

from mecano import connect
from mecano.record.header import session_header
from mecano.record.recorder import Recorder

ARM = "open_manipulator_x"


@pytest.fixture(autouse=True)
def _by_rays(tmp_path, monkeypatch):
    """Draw the same on every machine, and write nowhere else."""
    monkeypatch.setenv("MECANO_GL", "off")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    with connect(ARM) as robot, Recorder(robot, folder, session_header()):
        robot.arm.move_joints([0.6, -1.0, 0.3, 0.7], wait=False)
        robot.wait(0.5)
    return folder


def pixels(file) -> np.ndarray:
    with Image.open(file) as image:
        return np.array(image).astype(int)


def test_a_robot_is_drawn_into_a_file_of_its_name(mecano, tmp_path):
    answer = mecano("picture", ARM, "--size", "64x36")
    assert answer.code == 0
    assert answer.out.startswith(f"wrote {ARM}.png: 64x36, ")
    assert answer.out.rstrip().endswith("by ray casting")
    assert answer.err.count("\n") == 1 and "MECANO_GL=off" in answer.err
    assert pixels(tmp_path / f"{ARM}.png").shape == (36, 64, 3)


def test_options_change_the_picture(mecano, tmp_path):
    options = {
        "plain": (),
        "side": ("--view", "side"),
        "turned": ("--azimuth", -90, "--elevation", -20),
        "far": ("--distance", 2.5),
        "floor": ("--scene", "empty"),
        "zero": ("--posture", "zero"),
        "boxes": ("--shapes", "collision"),
    }
    seen = {}
    for name, words in options.items():
        file = tmp_path / f"{name}.png"
        assert mecano("picture", ARM, "--size", "48x27", "--out", file, *words).code == 0
        seen[name] = pixels(file).tobytes()
    assert len(set(seen.values())) == len(options)


def test_a_robot_turns_once_in_its_video(mecano, tmp_path):
    answer = mecano("picture", ARM, "--video", "turn.mp4", "--size", "32x18", "--fps", 2)
    assert answer.code == 0 and "wrote turn.mp4" in answer.out
    assert not (tmp_path / f"{ARM}.png").exists()
    with av.open("turn.mp4") as container:
        assert len(list(container.decode(video=0))) == 12


def test_the_remark_on_ray_casting_is_made_once(mecano):
    words = ("--video", "a.gif", "--out", "a.png", "--size", "32x18", "--fps", 1)
    answer = mecano("picture", ARM, *words)
    assert answer.out.count("wrote") == 2
    assert answer.err.count("ray casting") == 1


@pytest.mark.slow
def test_a_run_is_drawn_at_its_end_into_its_folder(mecano, run_folder):
    assert mecano("picture", run_folder, "--size", "96x54").code == 0
    end = pixels(run_folder / "picture.png")
    assert mecano("picture", run_folder, "--size", "96x54", "--at", 0, "--out", "b.png").code == 0
    assert np.abs(end - pixels("b.png")).max() > 60


def test_a_run_goes_by_in_its_video(mecano, run_folder):
    words = ("--video", "run.mp4", "--size", "32x18", "--fps", 10, "--speed", 0.5)
    answer = mecano("picture", run_folder, *words)
    assert answer.code == 0, answer
    with av.open("run.mp4") as container:
        assert len(list(container.decode(video=0))) == 11


def test_a_run_folder_with_the_name_of_a_robot_wins(mecano, run_folder, tmp_path):
    (tmp_path / ARM).symlink_to(run_folder)
    answer = mecano("picture", ARM, "--size", "32x18")
    assert answer.out.startswith(f"wrote {ARM}/picture.png")


def test_another_folder_with_the_name_of_a_robot_does_not(mecano, tmp_path):
    (tmp_path / ARM).mkdir()
    assert mecano("picture", ARM, "--size", "32x18").out.startswith(f"wrote {ARM}.png")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("r2d2",), ("no robot or run folder named 'r2d2'", ARM)),
        (("two_link",), ("two_link", "no model")),
        ((".",), ("no run.json",)),
        ((ARM, "--size", "0x0"), ("0x0", "7680x4320")),
        ((ARM, "--size", "99999x99999"), ("99999x99999", "7680x4320")),
        ((ARM, "--size", "wide"), ("wide", "1280x720")),
        ((ARM, "--view", "up"), ("'up'", "corner, front, side, top")),
        ((ARM, "--shapes", "bones"), ("'bones'", "visual, collision, inertia")),
        ((ARM, "--fps", 0, "--video", "a.mp4"), ("fps", "0")),
        ((ARM, "--elevation", 100), ("--elevation", "[-90, 90]")),
        ((ARM, "--distance", "nan"), ("--distance",)),
        ((ARM, "--at", 1), ("--at", "run folder")),
        ((ARM, "--posture", "yoga"), ("yoga", "home")),
        ((ARM, "--scene", "moon"), ("moon", "table")),
        ((ARM, "--out", "a.bmp"), ("a.bmp", ".png")),
        ((ARM, "--out", "nowhere/a.png"), ("nowhere/a.png", "no folder")),
        ((ARM, "--video", "a.avi"), ("a.avi", ".mp4")),
    ],
)
def test_bad_input_is_one_line(fails_cleanly, tmp_path, words, says):
    fails_cleanly("picture", *words, says=says)
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--at", 99), ("--at", "99", "[0, 0.5")),
        (("--scene", "empty"), ("--scene", "robots")),
        (("--speed", 0), ("speed",)),
    ],
)
def test_bad_input_for_a_run_is_one_line(fails_cleanly, run_folder, words, says):
    fails_cleanly("picture", run_folder, *words, says=says)
