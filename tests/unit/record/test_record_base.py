"""The record of a robot that drives."""

import numpy as np
import pytest

import mecano
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording
from mecano.robots.kobuki.topics import SENSOR_STATE
from mecano.topics.codec import decode
from mecano.topics.log import read_log


@pytest.fixture
def driven(tmp_path, monkeypatch):
    """The log of a drive of one second, and where the base was at its end."""
    for name in ("plot_joints", "plot_tool_path"):
        monkeypatch.setattr(f"mecano.record.products.{name}", lambda _, file: file.touch())
    with mecano.connect("crumb", scene="empty", noise=True, seed=1) as robot:
        with Recorder(robot, tmp_path / "run"):
            robot.base.drive_for(1.0, 0.2, 0.3)
        truth = robot.truth.base_pose()
    return tmp_path / "run", truth


def test_what_crumbs_own_driver_publishes_is_logged_under_its_names(driven):
    folder, truth = driven
    by_topic = {}
    for record in read_log(folder / "log.mcap"):
        by_topic.setdefault(record.topic, []).append(record)
    core = by_topic["/mobile_base/sensors/core"]
    packets = [decode(r.type_name, r.data, SENSOR_STATE) for r in core]
    np.testing.assert_allclose(np.diff([p.stamp for p in packets]), 0.02, atol=1e-9)
    assert packets[-1].ticks != (0, 0)
    last = dict(Recording.read(folder).messages())
    assert last["/simulation/pose"].pose.position[0] == pytest.approx(truth.x, abs=0.01)
    assert last["/odom"].pose.position[0] == pytest.approx(truth.x, abs=0.02)
    assert last["/mobile_base/sensors/imu_data"].angular_velocity.shape == (3,)


def test_it_is_read_back_with_the_arm(driven):
    recording = Recording.open(driven[0])
    assert recording.joints["crumb"].names[0] == "arm_1_joint"
    assert recording.model().nq > 0
