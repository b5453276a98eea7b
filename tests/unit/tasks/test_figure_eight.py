"""The figure of eight, by rates and with torques computed beforehand."""

import numpy as np
import pytest

import mecano
from mecano.control.wheel_loop import WheelLoop
from mecano.core.errors import InvalidInput
from mecano.robots.madar import paper
from mecano.tasks import get, run_experiment
from mecano.tasks.figure_eight import Eight, drive_eight


def test_the_target_moves_as_it_says_and_begins_and_ends_at_rest():
    eight, step = Eight(0.25), 1e-5
    for time in np.linspace(0.1, eight.duration - 0.1, 50).tolist():
        (one, twist), (other, _) = eight(time - step), eight(time + step)
        seen = np.array([other.x - one.x, other.y - one.y]) / (2 * step)
        np.testing.assert_allclose(seen, eight(time)[1][:2], atol=1e-3)
        assert np.hypot(*twist[:2]) <= 0.25 + 1e-9
    for time in (0.0, eight.duration, eight.duration + 1.0):
        pose, twist = eight(time)
        assert np.hypot(pose.x, pose.y) < 1e-9 and np.abs(twist).max() < 1e-9


@pytest.mark.slow
def test_the_dynamic_controller_beats_the_kinematic_one():
    result = run_experiment(get("madar/figure-eight"))
    assert result.success, result.remark
    figures = {name: float(value) for name, value in result.metrics.items()}
    assert figures["dynamic_error_rms_mm"] < 0.85 * figures["kinematic_error_rms_mm"]
    assert (
        figures["dynamic_odometry_error_rms_mm"] < 0.3 * figures["kinematic_odometry_error_rms_mm"]
    )


@pytest.mark.slow
def test_the_base_alone_shows_it_too_in_a_few_seconds(tmp_path):
    with mecano.connect("madar", scene="empty", variant="base") as robot:
        robot.wait(0.2)
        begun, eight = robot.snapshot(), Eight(0.25)
        eight.duration = 5.0
        off = {}
        for dynamic in (False, True):
            robot.restore(begun)
            off[dynamic] = drive_eight(robot, eight, dynamic=dynamic).believed_off
            robot.stop()
        assert off[True][0] < off[False][0] and off[True][1] < off[False][1]


def test_one_law_at_a_time():
    with mecano.connect("madar", scene="empty", variant="base") as robot:
        robot.base.wheel_loop = WheelLoop(**paper.WHEEL_LOOP)
        with pytest.raises(InvalidInput, match="set wheel_loop to None"):
            robot.base.computed_torque = True
        robot.base.wheel_loop = None
        robot.base.computed_torque = True
        with pytest.raises(InvalidInput, match="switch it off"):
            robot.base.wheel_loop = WheelLoop(**paper.WHEEL_LOOP)
        with pytest.raises(InvalidInput, match="True, False"):
            robot.base.computed_torque = "yes"  # type: ignore[assignment]
        robot.base.drive_for(0.5, 0.2)
        assert robot.base.pose.x == pytest.approx(0.1, abs=0.002)


def test_a_speed_beyond_the_drives_is_refused():
    with pytest.raises(InvalidInput, match=r"speed \[m/s\]"):
        run_experiment(get("madar/figure-eight"), options={"speed": "0.5"})
