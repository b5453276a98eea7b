"""What is recorded of each robot is read back, field by field."""

from collections import defaultdict
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader

import mecano
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.topics.codec import encode

OWN_IMU = {"crumb": "/mobile_base/sensors/imu_data"}
"""What the robot's own driver calls its gyro."""


def assert_same(ours, theirs, where=""):
    """Two messages agree in every bit; stamps to a nanosecond."""
    assert type(ours) is type(theirs), where
    if is_dataclass(ours):
        for field in fields(ours):
            at = f"{where}.{field.name}"
            one, other = getattr(ours, field.name), getattr(theirs, field.name)
            if field.name == "stamp":
                assert other == pytest.approx(one, abs=1e-9), at
            else:
                assert_same(one, other, at)
    elif where.startswith("/scan") and not isinstance(
        ours, str
    ):  # ROS has scans in single precision
        np.testing.assert_allclose(theirs, ours, rtol=1e-6, err_msg=where)
    elif isinstance(ours, np.ndarray):
        np.testing.assert_array_equal(theirs, ours, err_msg=where)
    else:
        assert ours == theirs, where


def nearest(seen, message):
    """Return the one of several messages of one stamp that was logged, if any was."""
    same = (each for each in seen if encode(each)[1] == encode(message)[1])
    return next(same, seen[-1])


class Witness:
    """An observer beside the recorder that keeps every message itself, by topic and stamp.

    One stamp may have several: sensors are read again when a session begins.
    """

    def __init__(self, robot):
        self.robot, self.seen = robot, defaultdict(lambda: defaultdict(list))
        self(robot.session)
        robot.session.observers.append(self)

    def keep(self, topic, message):
        self.seen[topic][round(message.stamp, 9)].append(message)

    def __call__(self, session):
        robot, state = self.robot, self.robot.state()
        self.keep("/robot_state", state)
        if robot.description.base is not None:
            self.keep("/odom", robot.base.odometry())
            self.keep("/base_report", robot.base.report())
            if robot.base.facts.gyro is not None:
                self.keep(OWN_IMU.get(robot.name, "/imu/data"), robot.base.imu())
            for lidar in getattr(robot, "lidars", {}).values():
                self.keep(lidar.facts.topic, lidar.read())
        if robot.description.legged is not None:
            self.keep("/cups", robot.cups.read())
            self.keep("/imu/data_raw", robot.imu.read())


def drive(robot):
    """Drive, press a button, let a counter jump, and lift the base off the floor."""
    world, name = robot.world, robot.name
    robot.base.drive(0.15, 0.2)
    robot.wait(0.2)
    if robot.base.facts.buttons:
        robot.base.press_buttons(1)
    robot.base.jump_encoder(robot.base.facts.layout.names[-1], 7)
    root = world.index("body", f"{name}/{robot.description.free_body}")
    weight = 9.81 * world.model.body_subtreemass[root]
    world.data.xfrc_applied[root, 2] = 1.5 * weight
    robot.wait(0.25)


RUNS = {
    "crumb": (drive, {"/odom", "/base_report", OWN_IMU["crumb"], "/robot_state"}),
    "youbot": (drive, {"/odom", "/base_report", "/robot_state"}),
    "madar_base": (drive, {"/odom", "/base_report", "/robot_state", "/scan_tim_front"}),
    "romerin": (lambda robot: robot.wait(0.15), {"/cups", "/imu/data_raw", "/robot_state"}),
}


@pytest.mark.parametrize("name", RUNS)
def test_every_message_in_the_log_is_what_the_parts_said(name, tmp_path):
    act, topics = RUNS[name]
    with mecano.connect(name, scene="empty", noise=True, seed=3) as robot:
        witness = Witness(robot)
        with Recorder(robot, tmp_path / "run"):
            act(robot)
    recording = Recording.read(tmp_path / "run")
    logged = defaultdict(list)
    for topic, message in recording.messages(*topics):
        logged[topic].append(message)
    assert set(logged) == topics
    for topic, messages in logged.items():
        assert {round(message.stamp, 9) for message in messages} <= set(witness.seen[topic])
        for message in messages:
            seen = witness.seen[topic][round(message.stamp, 9)]
            assert_same(seen[0] if len(seen) == 1 else nearest(seen, message), message, topic)
    if "/base_report" in topics:
        reports, wheels = logged["/base_report"], robot.base.facts.layout.names
        assert len(reports) == len(witness.seen["/base_report"])
        assert all(report.wheels == wheels for report in reports)
        assert all(reports[0].ticks[i] != reports[-1].ticks[i] for i in range(len(wheels)))
        assert reports[-1].wheel_drops == set(wheels)
    assert recording.description().name == name


@pytest.mark.parametrize("name", ["crumb", "madar_base"])
def test_readers_of_others_decode_every_message_by_the_definitions_in_the_log(name, tmp_path):
    with mecano.connect(name, scene="empty") as robot, Recorder(robot, tmp_path / "run"):
        robot.wait(0.1)
    wheels = robot.base.facts.layout.names
    with AnyReader([tmp_path / "run" / "log.mcap"]) as reader:
        for connection, _, data in reader.messages():
            message: Any = reader.deserialize(data, connection.msgtype)
            if connection.topic == "/base_report":
                assert tuple(message.wheels) == wheels and len(message.ticks) == len(wheels)
            if connection.topic == "/robot_state":
                assert tuple(message.base[0].wheels) == wheels


def test_joints_of_an_arm_are_read_back_as_encoders_and_commands_had_them(tmp_path):
    with mecano.connect("open_manipulator_x", noise=True, seed=3) as robot:
        read, told = [], []

        def keep(session):
            parts = [encoder.read() for encoder in robot.encoders]
            read.append(np.concatenate([part.position for part in parts]))
            told.append([*robot.arm.commanded, robot.gripper.commanded])

        robot.session.observers.append(keep)
        with Recorder(robot, tmp_path / "run"):
            robot.arm.move_joints([0.2, -0.3, 0.2, 0.1], wait=False)
            robot.wait(0.3)
    recording = Recording.read(tmp_path / "run")
    joints = recording.joints["open_manipulator_x"]
    np.testing.assert_array_equal(joints.target[1:], told)
    logged = [message.position for _, message in recording.messages("/joint_states")]
    np.testing.assert_array_equal(logged[1:], read)
    np.testing.assert_array_equal(joints.real[:-1], logged[1:])


def test_what_a_driver_of_its_own_sends_is_logged_beside_the_report(tmp_path):
    with mecano.connect("crumb", scene="empty") as robot, Recorder(robot, tmp_path / "run"):
        robot.wait(0.1)
    recording = Recording.read(tmp_path / "run")
    packets = dict(recording.messages("/mobile_base/sensors/core")).values()
    reports = dict(recording.messages("/base_report")).values()
    for packet, report in zip(packets, reports, strict=True):
        assert packet.ticks == report.ticks and packet.stamp == report.stamp
