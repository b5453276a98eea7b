"""Records by command: runs are recorded, plotted again and repeated."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from mecano.record.recording import Recording
from mecano.topics.codec import Numbers, encode
from mecano.topics.log import LogWriter, read_log

FAST = "open_manipulator_x/overweight"
QUICK = '''"""A program of a user."""

def run(robot):
    return robot.arm.move_joints([0.1, -1.0, 1.0, 0.0]).reached
'''


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Work in an empty folder, where runs are recorded; do not draw plots."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MECANO_RUNS")
    for name in ("plot_joints", "plot_tool_path"):
        monkeypatch.setattr(f"mecano.record.products.{name}", lambda _, file: file.touch())
    return tmp_path


@pytest.fixture
def quick(place):
    file = place / "quick.py"
    file.write_text(QUICK)
    return file


def test_a_run_is_recorded_by_default(mecano, quick):
    answer = mecano("run", "quick.py", "--seed", 3, "--json").json
    folder = Path(answer["record"])
    assert folder.parent == Path("runs") and folder.name.endswith("_quick_seed3")
    recording = Recording.open(folder)
    assert recording.result is not None
    assert recording.result["state_hash"] == answer["state_hash"]
    assert recording.header["experiment"] == str(quick)


def test_the_card_says_where_the_record_is(mecano, quick):
    answer = mecano("run", "quick.py")
    assert "record" in answer.out and "runs" in answer.out


def test_recording_can_be_turned_off(mecano, quick, place, monkeypatch):
    assert mecano("run", "quick.py", "--no-record", "--json").json["record"] is None
    monkeypatch.setenv("MECANO_RUNS", "off")
    assert mecano("run", "quick.py", "--json").json["record"] is None
    assert not (place / "runs").exists()


def test_the_environment_moves_the_runs(mecano, quick, place, monkeypatch):
    monkeypatch.setenv("MECANO_RUNS", str(place / "elsewhere"))
    assert "elsewhere" in mecano("run", "quick.py", "--json").json["record"]


def test_a_record_can_be_named(mecano, quick):
    assert mecano("run", "quick.py", "--record", "mine", "--json").json["record"] == "mine"
    assert Path("mine/log.mcap").exists()


def test_several_runs_have_a_folder_each(mecano, quick):
    answer = mecano("run", "quick.py", "--runs", 2, "--seed", 4, "--record", "all", "--json").json
    assert [run["record"] for run in answer["runs"]] == ["all/seed4", "all/seed5"]
    assert mecano("run", "quick.py", "--runs", 2, "--record", "more").out.count("record more/") == 2


def test_a_taken_folder_is_refused(fails_cleanly, quick, place):
    (place / "mine").mkdir()
    (place / "mine" / "file").touch()
    says = ("mine exists and is not empty", "another name")
    fails_cleanly("run", "quick.py", "--record", "mine", says=says)
    fails_cleanly("run", "quick.py", "--record", "a", "--no-record", says=("give one of them",))


def test_a_run_that_raises_leaves_its_error_in_the_record(fails_cleanly, place):
    (place / "raises.py").write_text("def run(robot):\n    robot.wait(0.1)\n    return 1 / 0\n")
    fails_cleanly("run", "raises.py", "--record", "mine", says=("ZeroDivisionError",))
    result = json.loads((place / "mine" / "result.json").read_text())
    assert result["success"] is False and "ZeroDivisionError" in result["error"]


def test_a_run_that_cannot_start_leaves_no_record(fails_cleanly, quick, place):
    fails_cleanly("run", "quick.py", "--set", "physics.timestep=1", says=("physics.timestep",))
    assert not (place / "runs").exists()


def test_plot_writes_table_and_plots_again(mecano, quick):
    mecano("run", "quick.py", "--record", "mine")
    answer = mecano("plot", "mine", "--out", "figures")
    names = ["joints.csv", "joints.png", "tool_path.png"]
    assert answer.code == 0
    assert answer.out.splitlines()[:3] == [str(Path("figures") / name) for name in names]
    assert Path("figures/joints.csv").read_bytes() == Path("mine/joints.csv").read_bytes()


def test_plot_prints_how_far_each_joint_was_from_its_target(mecano, quick):
    mecano("run", "quick.py", "--record", "mine")
    lines = mecano("plot", "mine").out.splitlines()[3:]
    joints = Recording.open("mine").joints["open_manipulator_x"]
    error = 1000.0 * (joints.target - joints.real)
    assert [line.split()[0] for line in lines] == list(joints.names)
    worst, rms = abs(error[:, 0]).max(), np.sqrt((error[:, 0] ** 2).mean())
    assert lines[0].split()[1:] == f"{worst:.1f} mrad largest, {rms:.1f} mrad RMS".split()
    assert lines[-1].split()[2] == "mm"


@pytest.mark.slow
def test_a_record_that_is_for_the_video_only_is_not_named(mecano, quick):
    options = ("--no-record", "--video", "v.gif")
    assert mecano("run", "quick.py", *options, "--json").json["record"] is None
    assert "record" not in mecano("run", "quick.py", *options).out


def test_rerun_repeats_a_run_bit_for_bit(mecano):
    options = ("--seed", 2, "--noise", "--set", "motion.velocity=1.5", "--record", "mine")
    recorded = mecano("run", FAST, *options, "--json").json
    answer = mecano("rerun", "mine")
    assert answer.code == 0, answer
    assert f"repeated bit for bit: state hash {recorded['state_hash']}" in answer.out


def test_rerun_works_from_another_folder(mecano, quick, place, monkeypatch):
    mecano("run", "quick.py", "--record", "mine")
    (place / "deeper").mkdir()
    monkeypatch.chdir(place / "deeper")
    assert mecano("rerun", "../mine").code == 0


def test_rerun_uses_the_users_own_stage(mecano, place):
    example = Path(__file__).parents[3] / "examples" / "01_my_own_ik.py"
    (place / "stage.py").write_text(example.read_text())
    (place / "moves.py").write_text(
        "def run(robot):\n    return robot.arm.move_to([0.2, 0.05, 0.15], pitch=0.5).reached\n"
    )
    mecano("run", "moves.py", "--use", "ik=stage.py:solve", "--record", "mine")
    assert mecano("rerun", "mine").code == 0
    with (place / "stage.py").open("a") as file:
        file.write("# changed\n")
    answer = mecano("rerun", "mine")
    assert answer.code == 0 and "stage.py is not what it was" in answer.err


def manipulate(folder, row, number, change):
    """Add something to one number of one state of a recording."""
    records = list(read_log(folder / "log.mcap"))
    writer = LogWriter(folder / "log.mcap")
    seen = 0
    for record in records:
        data = record.data
        if record.topic == "/mecano/state":
            if seen == row:
                values = np.frombuffer(data[-8 * 129 :]).copy()
                values[number] += change
                data = encode(Numbers(values))[1]
            seen += 1
        writer.add(record.topic, record.type_name, data, record.time / 1e9)
    writer.close()


def test_rerun_says_where_a_run_first_differs(mecano, quick):
    mecano("run", "quick.py", "--record", "mine")
    manipulate(Path("mine"), row=20, number=3, change=1e-12)
    answer = mecano("rerun", "mine")
    assert answer.code == 1
    assert "differs from 0.200 s on: positions by up to 1e-12" in answer.out


def test_rerun_notices_a_changed_program(mecano, quick):
    mecano("run", "quick.py", "--record", "mine")
    quick.write_text(QUICK.replace("0.1,", "0.2,"))
    answer = mecano("rerun", "mine", "--json")
    assert answer.code == 1 and answer.json["repeated"] is False
    assert any("quick.py is not what it was" in remark for remark in answer.json["remarks"])


def test_rerun_notices_a_program_that_ends_early_or_late(mecano, quick):
    mecano("run", "quick.py", "--record", "mine")
    quick.write_text(QUICK.replace("    return", "    return True\n    return"))
    assert "the recording goes on" in mecano("rerun", "mine").out
    longer = QUICK.replace("    return robot", "    done = robot")
    longer += "    robot.wait(0.5)\n    return done\n"
    quick.write_text(longer)
    answer = mecano("rerun", "mine")
    assert answer.code == 1 and "after the recording's end" in answer.out


def test_rerun_notices_a_wrong_hash(mecano, quick):
    mecano("run", "quick.py", "--record", "mine")
    result = json.loads(Path("mine/result.json").read_text())
    Path("mine/result.json").write_text(json.dumps(result | {"state_hash": "0" * 16}))
    answer = mecano("rerun", "mine")
    assert answer.code == 1 and "state hash is" in answer.out


def test_rerun_tells_of_other_versions(mecano, quick):
    mecano("run", "quick.py", "--record", "mine")
    header = json.loads(Path("mine/run.json").read_text())
    header["versions"]["mujoco"], header["machine"] = "3.1", "Amiga"
    Path("mine/run.json").write_text(json.dumps(header))
    answer = mecano("rerun", "mine")
    assert "recorded with mujoco 3.1" in answer.err and "on Amiga" in answer.err


def test_a_run_that_raised_is_repeated_with_its_error(mecano, place):
    (place / "raises.py").write_text("def run(robot):\n    robot.wait(0.1)\n    return 1 / 0\n")
    assert mecano("run", "raises.py", "--record", "mine").code == 2
    assert mecano("rerun", "mine").code == 0


def test_a_cut_off_recording_is_compared_up_to_its_end(mecano, place):
    (place / "long.py").write_text("def run(robot):\n    while True:\n        robot.wait(0.1)\n")
    (place / "short.py").write_text("def run(robot):\n    robot.wait(2.0)\n    return True\n")
    mecano("run", "short.py", "--record", "mine")
    header = json.loads(Path("mine/run.json").read_text())
    header |= {"experiment": str(place / "long.py"), "files": {}}
    Path("mine/run.json").write_text(json.dumps(header))
    os.truncate("mine/log.mcap", int(0.6 * os.path.getsize("mine/log.mcap")))
    Path("mine/result.json").unlink()
    answer = mecano("rerun", "mine")
    assert answer.code == 0 and "where the recording was cut off" in answer.out
    assert "the folder was repaired" in answer.err


def test_a_run_whose_log_was_damaged_later_is_compared_up_to_the_damage(mecano, place):
    (place / "short.py").write_text("def run(robot):\n    robot.wait(2.0)\n    return True\n")
    mecano("run", "short.py", "--record", "mine")
    os.truncate("mine/log.mcap", int(0.6 * os.path.getsize("mine/log.mcap")))
    for _ in range(2):  # while it is repaired, and afterwards
        answer = mecano("rerun", "mine")
        assert answer.code == 0 and "where the recording was cut off" in answer.out
        assert "the recording was cut off at" in answer.err


def test_a_record_that_broke_off_is_named_as_such(mecano, place):
    (place / "deletes.py").write_text(
        "import shutil\ndef run(robot):\n    robot.wait(1.2)\n    shutil.rmtree('mine')\n"
        "    robot.wait(1.0)\n    return True\n"
    )
    answer = mecano("run", "deletes.py", "--record", "mine", "--json")
    assert answer.code == 0 and "recording stopped" in answer.err
    assert answer.json["record_broke_off_at_s"] > 1.2
    answer = mecano("run", "deletes.py", "--record", "mine")
    assert "breaks off at" in answer.out


def test_an_interrupted_run_says_when_and_where_its_record_is(mecano, place):
    (place / "stops.py").write_text(
        "def run(robot):\n    robot.wait(0.5)\n    raise KeyboardInterrupt\n"
    )
    answer = mecano("run", "stops.py", "--record", "mine")
    assert answer.code == 130 and "ended at 0.50 s, record mine" in answer.err
    assert "mecano: stopped" in answer.err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"kind": "session"}, ("a person or a program drove",)),
        (
            {"touched": True, "touches": [{"what": "slider", "time_s": 1.5}]},
            ("took the controls", "slider at 1.5 s"),
        ),
        ({"experiment": "open_manipulator_x/gone"}, ("no experiment named",)),
        ({"format": 3}, ("format 3", "formats 1 to 2")),
    ],
)
def test_what_cannot_be_repeated_is_refused(mecano, fails_cleanly, quick, change, says):
    mecano("run", "quick.py", "--record", "mine")
    header = json.loads(Path("mine/run.json").read_text())
    Path("mine/run.json").write_text(json.dumps(header | change))
    fails_cleanly("rerun", "mine", says=says)


@pytest.mark.parametrize("command", ["plot", "rerun"])
def test_a_folder_that_is_no_record_is_refused(fails_cleanly, place, command):
    fails_cleanly(command, "nowhere", says=("there is no run folder nowhere",))
    fails_cleanly(command, place, says=("it has no run.json",))
