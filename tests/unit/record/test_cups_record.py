"""The record of a robot on legs: joints, IMU, true pose, cups and what happened to them."""

import csv
import shutil

import numpy as np
import pytest
from PIL import Image

import mecano
from mecano.core.grips import Suction
from mecano.core.messages.cups import CUP_STATES
from mecano.record.likeness import compare
from mecano.record.plots import plot_joints
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.topics.codec import decode
from mecano.topics.log import read_log


def climb(robot) -> None:
    """Take a step, switch a cup off, and tear another one off."""
    robot.cups.attach()
    robot.legs.walk(time=0.6)
    robot.cups.release(2, force=True)
    robot.wait(0.1)
    robot.cups.set_law(Suction(pull=0.01, shear=0.01))
    robot.wait(0.02)


@pytest.fixture(scope="module")
def climbed(tmp_path_factory):
    """A run folder, the events of the run, and its state hash."""
    folder = tmp_path_factory.mktemp("climb") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mecano.record.products.plot_joints", lambda _, file: file.touch())
        with mecano.connect("romerin", scene="wall", noise=True, seed=3) as robot:
            with Recorder(robot, folder):
                climb(robot)
            return folder, list(robot.cups.events), robot.state_hash()


@pytest.fixture
def recording(climbed):
    return Recording.open(climbed[0])


def logged(folder, topic):
    return [
        decode(record.type_name, record.data)
        for record in read_log(folder / "log.mcap")
        if record.topic == topic
    ]


def rows_of(file):
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_run_is_the_same_with_and_without_recorder(climbed):
    with mecano.connect("romerin", scene="wall", noise=True, seed=3) as robot:
        climb(robot)
        assert robot.state_hash() == climbed[2]


def test_all_joints_of_the_legs_have_target_and_reading(recording):
    joints = recording.joints["romerin"]
    assert len(joints.names) == 18 and joints.names[4] == "leg_2_joint_2"
    assert joints.target.shape == joints.real.shape == (len(recording.times), 18)
    assert np.abs(joints.target - joints.real).max() < 0.5


def test_the_targets_are_those_of_their_own_joints(tmp_path, monkeypatch):
    monkeypatch.setattr("mecano.record.products.plot_cups", lambda _, file: file.touch())
    with mecano.connect("romerin") as robot:
        robot.wait(0.1)
        with Recorder(robot, tmp_path / "run"):
            robot.cups.release(5)
            robot.legs[5].move_joints("rest")
            told = robot.legs.commanded.ravel()
    np.testing.assert_array_equal(
        Recording.open(tmp_path / "run").joints["romerin"].target[-1], told
    )


def test_the_imu_is_logged_in_every_tick(climbed, recording):
    readings = logged(climbed[0], "/imu/data_raw")
    assert len(readings) == len(recording.times)
    assert readings[5].linear_acceleration[0] == pytest.approx(9.81, abs=3.0)  # head up


def test_the_true_pose_is_that_of_the_body(climbed, recording):
    poses = logged(climbed[0], "/simulation/pose")
    model = recording.model()
    first = model.jnt_qposadr[model.body("romerin/body_link").jntadr[0]]
    place = recording.states[-1][1 + first : 4 + first]  # behind the time
    np.testing.assert_array_equal(poses[-1].pose.position, place)
    assert poses[-1].frame == "world" and poses[-1].stamp == pytest.approx(recording.times[-1])


def test_the_whole_robot_is_logged_now_and_then(climbed):
    whole = logged(climbed[0], "/robot_state")[-1]
    assert whole.joints.name == whole.commanded.name and len(whole.joints.name) == 18
    assert whole.imu is not None


def test_loads_stand_in_the_row_of_their_time(tmp_path):
    with mecano.connect("romerin", scene="wall") as robot:
        robot.cups.attach()
        seen = []
        robot.session.observers.append(
            lambda _: seen.append((robot.cups.drive.stamp, robot.cups.drive.loads[:, 0].copy()))
        )
        with Recorder(robot, tmp_path / "run"):
            robot.wait(0.2)
    cups = Recording.open(tmp_path / "run").cups["romerin"]
    for stamp, pull in seen[5:]:
        row = int(np.argmin(np.abs(cups.times - stamp)))
        np.testing.assert_array_equal(cups.pull[row], pull)


def test_cups_are_read_back(recording):
    cups = recording.cups["romerin"]
    assert cups.names == tuple(f"cup_{i}" for i in range(1, 7))
    assert cups.times is recording.times
    for values in (cups.pull, cups.shear, cups.moment, cups.share, cups.holding):
        assert values.shape == (len(recording.times), 6)
    assert cups.holding[0].all() and not cups.holding[-1].all()
    np.testing.assert_array_equal(cups.limits, [[15.0, 30.0]] * 6)


def test_a_torn_cup_is_broken_and_not_off(recording):
    state = recording.cups["romerin"].state
    assert CUP_STATES[state[-1, 1]] == "off" and CUP_STATES[state[-1, 0]] == "broken"


def test_everything_that_happened_to_cups_is_read_back(climbed, recording):
    _, events, _ = climbed
    changes = recording.cups["romerin"].changes
    assert [(c.cup, c.what, c.body) for c in changes] == [(e.cup, e.what, e.body) for e in events]
    assert {c.what for c in changes} == {"bond", "release", "break"}
    np.testing.assert_allclose([c.stamp for c in changes], [e.time for e in events], atol=1e-9)


def test_what_happens_after_a_reset_is_told_too(tmp_path):
    with mecano.connect("romerin", scene="wall") as robot, Recorder(robot, tmp_path / "run"):
        robot.wait(0.02)
        robot.cups.release(3, force=True)
        robot.wait(0.02)
        robot.reset()
        robot.cups.release(5, force=True)
        robot.wait(0.02)
    changes = Recording.open(tmp_path / "run").cups["romerin"].changes
    assert [c.cup for c in changes] == [*range(1, 7), 3, 5]


def test_the_table_of_cups_has_units_in_its_header(climbed, recording):
    rows = rows_of(climbed[0] / "cups.csv")
    assert len(rows) == len(recording.times)
    assert float(rows[-3]["cup_3_shear_N"]) == pytest.approx(
        recording.cups["romerin"].shear[-3, 2], rel=1e-8
    )
    assert rows[-1]["cup_2_state"] == "off"
    assert {"time_s", "cup_1_pull_N", "cup_6_moment_Nm", "cup_6_share"} <= set(rows[0])


def test_the_table_of_events_tells_when_what_and_how_hard(climbed):
    rows = rows_of(climbed[0] / "events.csv")
    assert list(rows[0]) == [
        "time_s", "robot", "cup", "what", "body", "pull_N", "shear_N", "moment_Nm",
    ]  # fmt: skip
    released = next(row for row in rows if row["what"] == "release" and row["cup"] == "2")
    assert released["body"] == "wall" and float(released["shear_N"]) > 0.0


def test_the_plot_of_cups_is_drawn(climbed):
    assert (climbed[0] / "cups.png").stat().st_size > 10_000


def test_the_joints_of_a_leg_stand_side_by_side(recording, tmp_path):
    plot_joints(recording, tmp_path / "joints.png")
    with Image.open(tmp_path / "joints.png") as picture:
        width, height = picture.size
    assert width > height and height < 1200


def test_a_cut_off_record_keeps_its_cups(climbed, tmp_path):
    folder = tmp_path / "cut"
    shutil.copytree(climbed[0], folder)
    for name in ("cups.csv", "cups.png", "events.csv", "result.json"):
        (folder / name).unlink()
    log = folder / "log.mcap"
    log.write_bytes(log.read_bytes()[: int(0.7 * log.stat().st_size)])
    recording = Recording.open(folder)
    assert recording.cut_off and recording.cups["romerin"].pull.shape[0] == len(recording.times)
    assert (folder / "cups.csv").is_file() and (folder / "events.csv").is_file()


def test_two_runs_are_compared(recording):
    likeness = compare(recording, recording)
    assert len(likeness.joints) == 18
    assert any("friction" in text for joint in likeness.joints for text in joint.missing)


def test_a_robot_without_cups_has_no_files_of_them(tmp_path):
    with mecano.connect("open_manipulator_x") as robot, Recorder(robot, tmp_path / "run"):
        robot.wait(0.05)
    assert not {"cups.csv", "cups.png", "events.csv"} & {
        f.name for f in (tmp_path / "run").iterdir()
    }
    assert Recording.open(tmp_path / "run").cups == {}
