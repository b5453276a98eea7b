"""The recorder writes everything down and changes nothing."""

import csv
import errno
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mecano import robots, tasks
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose
from mecano.lab.robot import Place, connect, connect_all
from mecano.record.header import experiment_header
from mecano.record.recording import Recording
from mecano.topics.log import read_log
from mecano.world.mirror import Mirror
from mecano.world.world import STATE

ARM = "open_manipulator_x"
CUBE = f"{ARM}/move-cube"


def test_a_recorded_run_has_the_hash_of_an_unrecorded_one(recorded_run, folder, real_plots):
    recorded = recorded_run(CUBE, seed=2, noise=True)
    assert (
        recorded.state_hash == tasks.run_experiment(tasks.get(CUBE), seed=2, noise=True).state_hash
    )
    recording = Recording.open(folder)
    assert recording.result == recorded.to_json() and recording.notes == ()
    assert recording.times[-1] == pytest.approx(recorded.sim_time_s)
    files = {"run.json", "result.json", "model.mjb.gz", "log.mcap"}
    products = {"joints.csv", "joints.png", "tool_path.png"}
    assert {file.name for file in folder.iterdir()} == files | products
    assert all((folder / name).stat().st_size > 10_000 for name in products)


def test_states_are_those_of_the_engine_bit_for_bit(record, folder):
    import mujoco

    with connect(ARM) as robot, record(robot):
        robot.arm.move_joints([0.3, -0.5, 0.5, 0.2])
        state, place = robot.world.state(), robot.truth.body_pose("cube").position
    recording = Recording.open(folder)
    assert recording.states[-1].tobytes() == state.tobytes()
    mirror = Mirror(recording.model())
    mirror.show(recording.states[-1])
    again = np.empty(mirror.state_size)
    mujoco.mj_getState(mirror.model, mirror.data, again, STATE)
    assert again.tobytes() == state.tobytes()
    np.testing.assert_allclose(mirror.data.body("cube").xpos, place, atol=1e-12)


def test_rows_are_one_tick_apart_and_begin_before_the_first(record, folder):
    with connect(ARM) as robot, record(robot):
        robot.wait(1.23)
    recording = Recording.open(folder)
    np.testing.assert_allclose(recording.times, np.arange(124) * 0.01, atol=1e-9)
    assert recording.header["tick_s"] == pytest.approx(0.01)


def test_real_values_are_those_at_the_time_of_the_row(record, folder):
    with connect(ARM) as robot, record(robot):
        places = robot.world.model.joint(f"{ARM}/joint1").qposadr[0]
        robot.arm.move_joints([0.5, -0.8, 0.8, 0.2])
    recording = Recording.open(folder)
    joints = recording.joints[ARM]
    assert joints.names == ("joint1", "joint2", "joint3", "joint4", "gripper")
    assert joints.units == ("rad", "rad", "rad", "rad", "m")
    true = recording.states[:-1, 1 + places]
    np.testing.assert_allclose(joints.real[:-1, 0], true, atol=0.002)  # one tick of the encoder
    assert np.abs(joints.target - joints.real)[:, :4].max() < 0.05
    assert joints.velocity.shape == joints.effort.shape == joints.real.shape


def test_the_tool_is_where_the_arm_says(record, folder):
    with connect(ARM) as robot, record(robot):
        robot.arm.move_joints([0.5, -0.8, 0.8, 0.2])
        robot.wait(0.2)
        at = robot.arm.pose().position
    np.testing.assert_allclose(Recording.open(folder).tool[ARM][-1], at, atol=1e-6)


def test_topics_carry_their_names_and_rates(record, folder):
    with connect(ARM) as robot, record(robot):
        robot.wait(1.0)
    counts: dict[str, int] = {}
    for message in read_log(folder / "log.mcap"):
        counts[message.topic] = counts.get(message.topic, 0) + 1
    assert counts == {
        "/mecano/state": 101, "/joint_states": 101, "/joint_commands": 101, "/tool_pose": 101,
        "/tf": 26, "/clock": 26, "/simulation/sim_time": 26, "/simulation/real_time": 26,
    }  # fmt: skip


def test_rosbags_reads_the_truth_of_bodies(record, folder):
    from rosbags.highlevel import AnyReader

    with connect(ARM) as robot, record(robot):
        robot.wait(0.5)
        place = robot.truth.body_pose("cube").position
    with AnyReader([folder / "log.mcap"]) as reader:
        chosen = [c for c in reader.connections if c.topic == "/tf"]
        *_, (connection, _, data) = reader.messages(chosen)
        message: Any = reader.deserialize(data, connection.msgtype)
    bodies = {each.child_frame_id: each for each in message.transforms}
    at = bodies["cube"].transform.translation
    np.testing.assert_allclose([at.x, at.y, at.z], place, atol=1e-4)
    assert f"{ARM}/link5" in bodies and f"{ARM}/link1" not in bodies  # link1 does not move


def test_several_robots_have_topics_of_their_own(record, folder):
    places = {"left": Place(ARM), "right": Place(ARM, Pose([0.0, 0.6, 0.0]))}
    robots = connect_all(places, scene="empty")
    with record(robots):
        robots["left"].arm.move_joints([0.4, -1.0, 1.0, 0.0])
    recording = Recording.open(folder)
    assert recording.joints["left"].real[-1, 0] == pytest.approx(0.4, abs=0.02)
    assert recording.joints["right"].real[-1, 0] == pytest.approx(0.0, abs=0.02)
    assert "/left/joint_states" in {m.topic for m in read_log(folder / "log.mcap")}
    with (folder / "joints.csv").open() as file:
        assert "right_joint1_target_rad" in next(csv.reader(file))


def test_a_robot_without_a_gripper_is_recorded(record, folder):
    with connect(replace(robots.get(ARM), grippers={})) as robot, record(robot):
        robot.wait(0.1)
    assert Recording.open(folder).joints[ARM].names == ("joint1", "joint2", "joint3", "joint4")


def test_a_robot_without_joints_is_recorded(record, folder):
    with connect(replace(robots.get(ARM), grippers={}, chains={})) as robot, record(robot):
        robot.session.run_for(0.1)
    recording = Recording.open(folder)
    assert len(recording.times) == 11 and recording.joints[ARM].names == ()
    assert not (folder / "joints.csv").exists()


def test_the_table_has_units_and_errors(record, folder):
    with connect(ARM) as robot, record(robot):
        robot.arm.move_joints([0.3, -1.0, 1.0, 0.0])
    with (folder / "joints.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:4] == [
        "time_s", "joint1_target_rad", "joint1_real_rad", "joint1_error_rad"
    ]  # fmt: skip
    assert "gripper_target_m" in rows[0]
    row = {key: float(value) for key, value in rows[len(rows) // 2].items()}
    error = row["joint1_target_rad"] - row["joint1_real_rad"]
    assert row["joint1_error_rad"] == pytest.approx(error, abs=1e-8)


def test_there_is_no_target_while_the_arm_follows_torques(record, folder):
    with connect(ARM) as robot, record(robot):
        robot.arm.command_torque([0.0, 0.0, 0.0, 0.0])
        robot.wait(0.1)
    recording = Recording.open(folder)
    assert np.isnan(recording.joints[ARM].target[-1, :4]).all()
    assert ",," in (folder / "joints.csv").read_text()


def test_a_reset_is_recorded_and_told(record, folder):
    with connect(ARM) as robot, record(robot):
        robot.wait(0.3)
        robot.reset()
        robot.wait(0.2)
    recording = Recording.open(folder)
    assert len(recording.times) == 51 and recording.times[-1] == pytest.approx(0.2)
    assert any("times go back" in note for note in recording.notes)


def fail_while_recorded(record, error):
    with connect(ARM) as robot, record(robot):
        robot.wait(0.1)
        raise error


def test_a_program_that_raises_leaves_its_error(record, folder):
    with pytest.raises(InvalidInput, match="gone"):
        fail_while_recorded(record, InvalidInput("the cube is gone"))
    result = Recording.open(folder).result
    assert result is not None and result["success"] is False
    assert result["error"] == "the cube is gone" and (folder / "joints.csv").exists()


def test_a_program_that_is_interrupted_counts_as_cut_off(record, folder):
    with pytest.raises(KeyboardInterrupt):
        fail_while_recorded(record, KeyboardInterrupt())
    recording = Recording.open(folder)
    assert recording.cut_off and recording.result is not None
    assert recording.result["error"] == "stopped by the user"
    assert recording.result["cut_off_at_s"] == pytest.approx(0.1)


def test_a_touched_run_says_so(record, folder):
    with connect(ARM) as robot, record(robot) as recorder:
        robot.wait(0.1)
        recorder.mark_touched("slider of joint2")
    header = json.loads((folder / "run.json").read_text())
    assert header["touched"] is True
    assert header["touches"] == [{"time_s": 0.1, "what": "slider of joint2"}]


def test_an_untouched_run_says_so(record, folder):
    with connect(ARM) as robot, record(robot):
        robot.wait(0.1)
    assert Recording.open(folder).header["touched"] is False


def run_with_full_disk(folder, monkeypatch, warnings_given, after):
    from mecano.record.recorder import Recorder
    from mecano.topics.log import _Unbuffered

    written, write = [], _Unbuffered.write

    def full(self, data):
        written.append(len(data))
        if len(written) > after:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(_Unbuffered, "write", full)
    experiment = tasks.get(f"{ARM}/overweight")
    header = experiment_header(
        experiment=experiment.name, title="", scene="table", seed=0, noise=False
    )
    recorders = []

    def watch(robot):
        recorders.append(Recorder(robot, folder, header, warn=warnings_given.append))

    result = tasks.run_experiment(experiment, watch=watch)
    recorders[0].close(result.to_json())
    return result


@pytest.mark.parametrize("after", [0, 8])
def test_a_full_disk_ends_the_recording_but_not_the_run(folder, monkeypatch, warnings_given, after):
    result = run_with_full_disk(folder, monkeypatch, warnings_given, after)
    plain = tasks.run_experiment(tasks.get(f"{ARM}/overweight"))
    assert result.state_hash == plain.state_hash
    warning = warnings_given.pop()
    assert "No space left on device" in warning and "goes on" in warning


def test_what_was_written_before_the_disk_was_full_is_kept(folder, monkeypatch, warnings_given):
    run_with_full_disk(folder, monkeypatch, warnings_given, 8)
    assert "No space left" in warnings_given.pop()
    monkeypatch.undo()
    recording = Recording.open(folder)
    assert recording.times[-1] > 0.4 and recording.cut_off
    assert recording.result is not None and recording.result["success"] is True


def test_a_folder_that_is_deleted_does_not_stop_the_run(record, folder, warnings_given):
    import shutil

    with connect(ARM) as robot, record(robot):
        robot.wait(0.6)
        shutil.rmtree(folder)
        robot.wait(0.6)
    assert "recording stopped" in warnings_given.pop()


def test_a_mistake_in_the_recorder_does_not_stop_the_run(record, monkeypatch, warnings_given):
    with connect(ARM) as robot, record(robot) as recorder:
        monkeypatch.setattr(recorder, "_write_ticks", lambda: 1 / 0)
        robot.wait(1.0)
        assert robot.time == pytest.approx(1.0) and not recorder.recording
    assert "ZeroDivisionError" in warnings_given.pop()


def test_closing_twice_does_nothing(record, folder):
    with connect(ARM) as robot:
        recorder = record(robot)
        robot.wait(0.1)
        recorder.close({"success": True})
        recorder.close({"success": False})
        assert robot.session.observers == []
    assert json.loads((folder / "result.json").read_text())["success"] is True
