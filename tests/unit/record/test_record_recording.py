"""Recordings are read back, repaired or refused in a sentence; never with a traceback."""

import gzip
import json
import shutil
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.lab.robot import connect
from mecano.record.header import experiment_header, require_repeatable, session_header
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.topics.log import read_log

ARM = "open_manipulator_x"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A whole recording of two seconds, made once."""
    folder = tmp_path_factory.mktemp("kept")
    with connect(ARM) as robot, Recorder(robot, folder, session_header(seed=4)) as recorder:
        robot.arm.move_joints([0.3, -0.7, 0.7, 0.0])
        robot.wait(1.0)
        recorder.close({"success": True, "state_hash": robot.state_hash()})
    return folder


@pytest.fixture
def run(kept, tmp_path):
    """A copy of it to be damaged."""
    return shutil.copytree(kept, tmp_path / "run")


def test_a_whole_recording_has_nothing_to_note(run):
    recording = Recording.open(run)
    assert recording.notes == () and not recording.cut_off
    assert recording.states.shape[0] == recording.times.size
    assert recording.header["seed"] == 4 and recording.result == {
        "success": True, "state_hash": json.loads((run / "result.json").read_text())["state_hash"]
    }  # fmt: skip


def test_opening_a_whole_recording_changes_no_file(run):
    before = {file.name: file.stat().st_mtime_ns for file in run.iterdir()}
    Recording.open(run)
    assert {file.name: file.stat().st_mtime_ns for file in run.iterdir()} == before


def cut_off(run, share):
    """Leave of a folder what a killed run leaves."""
    data = (run / "log.mcap").read_bytes()
    (run / "log.mcap").write_bytes(data[: int(share * len(data))])
    for name in ("result.json", "joints.csv", "joints.png", "tool_path.png"):
        (run / name).unlink()


def test_a_recording_that_was_cut_off_is_repaired(run, kept):
    cut_off(run, 0.6)
    recording, whole = Recording.open(run), Recording.open(kept)
    n = len(recording.times)
    assert 50 < n < len(whole.times)
    assert recording.states.tobytes() == whole.states[:n].tobytes()
    assert recording.cut_off and recording.result is not None
    assert recording.result["cut_off_at_s"] == pytest.approx(recording.times[-1])
    assert any("cut off at" in note for note in recording.notes)
    assert any("repaired" in note for note in recording.notes)
    assert (run / "joints.csv").exists() and (run / "joints.png").exists()
    assert not (run / "log.repaired").exists() and not (run / "log.damaged.mcap").exists()


def test_a_repaired_recording_is_whole_when_opened_again(run):
    cut_off(run, 0.6)
    first, second = Recording.open(run), Recording.open(run)
    assert second.notes == ("the recording was cut off at 1.01 s",) and second.cut_off
    assert second.states.tobytes() == first.states.tobytes()
    reader = read_log(run / "log.mcap")
    assert list(reader) and reader.problem is None


def test_a_recording_that_cannot_be_written_back_is_still_read(run, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    cut_off(run, 0.6)
    monkeypatch.setattr("mecano.record.repair.close_log", refuse)
    recording = Recording.open(run)
    assert len(recording.times) > 50
    assert any("could not be repaired: Permission denied" in note for note in recording.notes)


def test_a_run_that_goes_on_is_read_and_left_alone(tmp_path):
    with connect(ARM) as robot, Recorder(robot, tmp_path, session_header()):
        robot.wait(1.1)
        recording = Recording.open(tmp_path)
        assert any("still being recorded" in note for note in recording.notes)
        assert recording.result is None and recording.times[-1] >= 0.5
        robot.wait(1.0)
    assert Recording.open(tmp_path).times[-1] == pytest.approx(2.1)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda run: shutil.rmtree(run), "there is no run folder"),
        (lambda run: (run / "run.json").unlink(), "it has no run.json"),
        (lambda run: (run / "run.json").write_text('{"format": 1, "ki'), "damaged"),
        (lambda run: (run / "run.json").write_bytes(b"\xff\xfe\x00"), "damaged"),
        (lambda run: (run / "run.json").write_text("[]"), "not the header"),
        (lambda run: (run / "run.json").write_text('{"format": 9}'), "reads formats 1 to 2"),
        (lambda run: (run / "run.json").write_text('{"format": 1}'), "kind is None"),
        (lambda run: (run / "log.mcap").unlink(), "has no log.mcap"),
        (lambda run: (run / "log.mcap").write_bytes(b""), "nothing can be read"),
        (lambda run: (run / "log.mcap").write_bytes(b"\x89MCAP0\r\n\x01\x10\x00"), "nothing can"),
        (lambda run: (run / "log.mcap").write_bytes(b"no log at all, just text"), "nothing can"),
    ],
)
def test_a_folder_that_holds_nothing_is_refused_in_a_sentence(run, damage, says):
    damage(run)
    with pytest.raises(InvalidInput, match=says) as raised:
        Recording.open(run)
    assert "\n" not in str(raised.value)


def test_a_file_is_no_run_folder(run):
    with pytest.raises(InvalidInput, match="is a file; give the run folder"):
        Recording.open(run / "run.json")


def test_a_folder_of_run_folders_names_one_of_them(run):
    with pytest.raises(InvalidInput, match=r"it holds 1: give one of them, such as .*run"):
        Recording.open(run.parent)


@pytest.mark.parametrize("key", ["robots", "joints", "seed", "tick_s"])
def test_a_header_without_what_is_needed_is_refused(run, key):
    header = json.loads((run / "run.json").read_text())
    del header[key]
    (run / "run.json").write_text(json.dumps(header))
    with pytest.raises(InvalidInput, match=key):
        Recording.open(run)


@pytest.mark.parametrize("value", [None, "x", 3, [], {}, [None], {"a": None}])
def test_no_nonsense_in_a_header_gets_past_its_checks(kept, run, value):
    header = experiment_header(experiment="a", title="", scene="table", seed=0, noise=False)
    header |= json.loads((kept / "run.json").read_text()) | {"kind": "experiment"}
    for key in header:
        (run / "run.json").write_text(json.dumps(header | {key: value}))
        with suppress(InvalidInput):
            require_repeatable(Recording.open(run).header, run)


def test_a_damaged_log_is_kept_beside_the_repaired_one(run):
    data = bytearray((run / "log.mcap").read_bytes())
    middle = len(data) // 2
    data[middle : middle + 100] = bytes(100)
    (run / "log.mcap").write_bytes(data)
    Recording.open(run)
    assert (run / "log.damaged.mcap").read_bytes() == data


def test_a_header_of_other_joints_is_refused(run):
    header = json.loads((run / "run.json").read_text())
    header["joints"][ARM]["names"].append("joint9")
    (run / "run.json").write_text(json.dumps(header))
    with pytest.raises(InvalidInput):
        Recording.open(run)


@pytest.mark.parametrize("seed", range(8))
def test_random_bytes_in_a_log_end_in_a_repaired_recording_or_a_sentence(run, kept, seed):
    draw = np.random.default_rng(seed)
    data = bytearray((run / "log.mcap").read_bytes())
    at = int(draw.integers(20, len(data) - 4000))
    data[at : at + 3000] = draw.bytes(3000)
    (run / "log.mcap").write_bytes(data)
    reader = read_log(run / "log.mcap")
    if not any(message.topic == "/mecano/state" for message in reader):
        with pytest.raises(InvalidInput, match="nothing can be read"):
            Recording.open(run)
        return
    recording, whole = Recording.open(run), Recording.open(kept)
    assert recording.states.tobytes() == whole.states[: len(recording.times)].tobytes()
    assert len(recording.times) == len(whole.times) or recording.notes


def test_a_broken_result_counts_as_none(run):
    (run / "result.json").write_text("{")
    recording = Recording.open(run)
    assert any("result.json cannot be read" in note for note in recording.notes)
    assert recording.cut_off


@pytest.mark.parametrize("damage", ["missing", "not gzip", "not a model", "cut"])
def test_a_model_that_cannot_be_loaded_is_refused_in_a_sentence(run, damage):
    file = run / "model.mjb.gz"
    whole = file.read_bytes()
    if damage == "missing":
        file.unlink()
    else:
        junk = {"not gzip": b"junk", "not a model": gzip.compress(b"x" * 999)}
        file.write_bytes(junk.get(damage, whole[:5000]))
    with pytest.raises(InvalidInput, match=r"model\.mjb\.gz") as raised:
        Recording.open(run).model()
    if damage != "missing":
        assert "recorded with MuJoCo 4" in str(raised.value)


FOREVER = """
from pathlib import Path
def run(robot):
    while True:
        robot.wait(0.1)
        Path("new").write_text(str(robot.time))
        Path("new").replace("reached")
"""


@pytest.mark.slow
def test_a_run_that_was_killed_is_repaired(tmp_path, real_plots):
    (tmp_path / "forever.py").write_text(FOREVER)
    words = ["run", "forever.py", "--record", "run"]
    process = subprocess.Popen([sys.executable, "-m", "mecano", *words], cwd=tmp_path)
    log, reached = tmp_path / "run" / "log.mcap", tmp_path / "reached"
    began = time.monotonic()
    while not (log.exists() and log.stat().st_size > 100_000):
        assert process.poll() is None and time.monotonic() - began < 120.0
        time.sleep(0.02)
    process.kill()
    process.wait()
    recording = Recording.open(tmp_path / "run")
    assert recording.times[-1] >= float(reached.read_text()) - 1.0
    assert recording.cut_off and any("cut off" in note for note in recording.notes)
    assert recording.model().nq > 0 and (tmp_path / "run" / "joints.png").exists()
