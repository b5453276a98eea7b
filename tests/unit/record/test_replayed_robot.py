"""A recorded log feeds the same parts: what they compute from it is what they computed live."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.lab.replayed import ReplayBackend, ReplayEnded
from mecano.parts.part import MissingPart


def recorded(tmp_path, name, act, **options):
    folder = tmp_path / "run"
    with mecano.connect(name, scene="empty", noise=True, seed=4, **options) as robot:
        live = []
        with mecano.Recorder(robot, folder):
            robot.session.observers.append(lambda _: live.append(probe(robot)))
            act(robot)
    return folder, live


def over(robot):
    backend = robot.session.backend
    assert isinstance(backend, ReplayBackend)
    return backend.over


def probe(robot):
    found = {"time": robot.time}
    if "base" in robot.parts:
        pose = robot.base.pose
        found["pose"] = (pose.x, pose.y, pose.yaw)
    if robot.arms:
        found["q"] = robot.arm.position.copy()
    return found


def test_odometry_of_a_replayed_base_is_that_of_the_live_one(tmp_path):
    folder, live = recorded(tmp_path, "crumb", lambda robot: robot.base.drive_for(0.8, 0.2, 0.5))
    robot = mecano.connect_replay(folder)
    poses = {round(each["time"], 6): each["pose"] for each in live}
    seen = 0
    while not over(robot):
        robot.session.tick()
        at = poses.get(round(robot.time, 6))
        if at is not None:
            pose = robot.base.pose
            np.testing.assert_allclose((pose.x, pose.y, pose.yaw), at, atol=0.02)
            seen += 1
    assert seen > 30
    last, pose = live[-1]["pose"], robot.base.pose
    np.testing.assert_allclose((pose.x, pose.y, pose.yaw), last, atol=1e-6)
    assert abs(pose.x) > 0.05


def test_arm_and_gripper_read_what_was_recorded(tmp_path):
    folder, live = recorded(
        tmp_path, "open_manipulator_x", lambda robot: robot.arm.move_joints([0.3, -0.8, 0.8, 0.2])
    )
    robot = mecano.connect_replay(folder)
    assert list(robot.parts) == ["arm", "gripper"]
    while not over(robot):
        robot.session.tick()
    np.testing.assert_allclose(robot.arm.position, live[-1]["q"], atol=2e-3)


def test_scans_of_a_replayed_robot_are_fused_again(tmp_path):
    folder, _ = recorded(tmp_path, "madar_base", lambda robot: robot.wait(0.5))
    robot = mecano.connect_replay(folder)
    robot.wait(0.3)
    assert set(robot.lidars) and len(robot.scan().scan.ranges) == 720


def test_recording_cannot_be_moved(tmp_path):
    folder, _ = recorded(tmp_path, "crumb", lambda robot: robot.wait(0.3))
    robot = mecano.connect_replay(folder)
    with pytest.raises(InvalidInput, match="cannot be moved"):
        robot.base.drive_for(0.2, 0.2)
    robot = mecano.connect_replay(folder)
    with pytest.raises(InvalidInput, match="cannot be moved"):
        robot.arm.home()


def test_end_of_the_log_is_said(tmp_path):
    folder, _ = recorded(tmp_path, "open_manipulator_x", lambda robot: robot.wait(0.1))
    robot = mecano.connect_replay(folder)
    with pytest.raises(ReplayEnded, match="ends at"):
        robot.wait(5.0)


def test_what_a_log_does_not_hold_is_said(tmp_path):
    folder, _ = recorded(tmp_path, "romerin", lambda robot: robot.wait(0.1))
    robot = mecano.connect_replay(folder)
    with pytest.raises(MissingPart, match="replayed devices"):
        robot.legs.stand()


def test_a_camera_that_was_not_recorded_is_said_to_be_missing_because_of_that(tmp_path):
    folder, _ = recorded(tmp_path, "crumb", lambda robot: robot.wait(0.1))
    robot = mecano.connect_replay(folder)
    with pytest.raises(MissingPart, match=r"no camera \(its replayed devices have none\)"):
        robot.camera.read()


def test_a_map_is_built_of_a_replayed_robots_scans(tmp_path):
    folder = tmp_path / "run"
    with (
        mecano.connect("madar_base", scene="laboratory", noise=True, seed=4) as live,
        mecano.Recorder(live, folder),
    ):
        live.base.move(0.3)
    robot = mecano.connect_replay(folder)
    with robot.start_mapping() as mapping:
        while not over(robot):
            robot.session.tick()
    mapping.finish()
    assert len(mapping.stamps) > 10
    walls = np.asarray(mapping.grid().data) > 50
    assert walls.sum() > 200
