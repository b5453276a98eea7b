"""MADAR's base as a user drives it: infeasible twists, watchdog, encoders that jump, scans."""

from math import floor

import numpy as np
import pytest

import mecano
from mecano.control.wheel_loop import WheelLoop
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import Twist
from mecano.robots.madar import paper


@pytest.fixture
def robot():
    with mecano.connect("madar", scene="empty", variant="base") as robot:
        yield robot


# --- what the wheels cannot do


def test_an_infeasible_twist_is_slowed_as_a_whole_and_said_once(robot, capsys):
    for _ in range(5):
        robot.base.drive(0.25, 0.5, left=0.2)
        robot.wait(0.4)
    vx, vy, wz = robot.base.speed
    assert vx < 0.25 and vy / vx == pytest.approx(0.8) and wz / vx == pytest.approx(2.0)
    rates = robot.base.facts.layout.rates(robot.base.speed)
    assert np.abs(rates).max() == pytest.approx(2.618)
    said = capsys.readouterr().err
    assert said.count("mecano: base:") == 1 and "it can 2.62 rad/s" in said
    assert len(robot.base.remarks) == 1


def test_feasible_twists_are_not_talked_about(robot, capsys):
    for twist in ((0.3, 0.0, 0.0), (0.0, 0.9, 0.0), (0.0, 0.0, 0.26)):
        robot.base.drive(twist[0], twist[1], left=twist[2])
    robot.base.drive_twist(Twist.planar(0.1, -0.1, 0.2))
    assert not robot.base.remarks and capsys.readouterr().err == ""


def test_the_papers_one_metre_per_second_is_slowed_not_refused(robot, capsys):
    with pytest.raises(InvalidInput, match=r"speed \[m/s\]"):
        robot.base.drive(1.0)
    for _ in range(4):
        robot.base.drive_twist(Twist.planar(1.0, 1.0, 0.0))
        robot.wait(0.4)
    vx, vy, wz = robot.base.speed
    assert vx == vy == pytest.approx(2.618 / 13.6603, abs=1e-5) and wz == 0.0
    assert "asks a wheel for 13.66 rad/s" in capsys.readouterr().err


def test_without_commands_it_stops_after_half_a_second(robot):
    robot.base.drive(0.2)
    robot.wait(0.49)
    assert robot.base.speed[0] == pytest.approx(0.2)
    robot.wait(0.6)
    assert robot.base.at_rest()


# --- loops of the wheels


def test_another_loop_goes_on_bit_for_bit_after_a_snapshot(robot):
    robot.base.wheel_loop = WheelLoop(**paper.WHEEL_LOOP)
    robot.base.drive_for(0.5, 0.2)
    kept = robot.snapshot()
    robot.base.drive_for(0.5, 0.1, left=-0.2)
    first = robot.state_hash()
    robot.base.wheel_loop = None
    robot.wait(0.1)
    robot.base.wheel_loop = WheelLoop(**paper.WHEEL_LOOP)
    robot.restore(kept)
    robot.base.drive_for(0.5, 0.1, left=-0.2)
    assert robot.state_hash() == first


def test_a_loop_must_be_one(robot):
    with pytest.raises(InvalidInput, match="expected a WheelLoop"):
        robot.base.wheel_loop = (1.2, 0.01, 0.1)


def test_a_base_without_motors_cannot_be_pushed():
    with mecano.connect("madar", scene="empty", variant="kinematic") as robot:
        robot.base.wheel_loop = WheelLoop(**paper.WHEEL_LOOP)
        with pytest.raises(InvalidInput, match="cannot be driven by torque"):
            robot.wait(0.1)
        robot.base.wheel_loop = None


# --- encoders that jump


@pytest.mark.parametrize("ticks", [1_000_000, -50_000_000, 2**31])
def test_an_encoder_that_jumps_while_driving_does_not_move_the_odometry(robot, ticks):
    robot.base.drive_for(1.0, 0.2, 0.2)
    robot.base.drive(0.2, 0.2)
    robot.wait(0.3)
    robot.base.jump_encoder("motor_2", ticks)
    robot.base.drive_for(1.0, 0.2, 0.2)
    robot.wait(0.3)
    assert robot.base.encoder_jumps == 1 and "motor_2" in str(robot.base.last_jump)
    assert robot.base.pose.distance_to(robot.truth.base_pose()) < 0.003


def test_a_jump_belongs_to_the_state(robot):
    kept = robot.snapshot()
    robot.base.jump_encoder("motor_1", 5000)
    robot.wait(0.1)
    assert robot.base.report().ticks[0] > 4000
    robot.restore(kept)
    robot.wait(0.1)
    assert robot.base.report().ticks[0] % 2**32 < 1000 or robot.base.report().ticks[0] > 2**31
    assert robot.base.encoder_jumps == 0


def test_only_wheels_have_encoders_to_jump(robot):
    with pytest.raises(UnknownName, match="motor_1, motor_2, motor_3"):
        robot.base.jump_encoder("motor_4", 1)
    with pytest.raises(InvalidInput, match="ticks"):
        robot.base.jump_encoder("motor_1", float("nan"))


# --- what the description says


def test_odometry_grows_uncertain_and_speeds_are_filtered(robot):
    robot.base.drive_for(1.0, 0.2)
    odometry = robot.base.odometry()
    assert 0.0 < odometry.pose_covariance[0, 0] < 1e-4
    assert robot.base.facts.velocity_filter == 0.010


def test_scanners_do_not_scan_in_the_same_tick(robot):
    stamps = {name: set() for name in robot.lidars}

    def look(robot):
        for name, lidar in robot.lidars.items():
            stamps[name].add(lidar.stamp)

    robot.run(look)
    robot.wait(1.0)
    tick = robot.session.backend.tick
    later = {n: {floor(s / tick + 0.5) for s in seen if s > 0.0} for n, seen in stamps.items()}
    assert all(len(ticks) in (14, 15) for ticks in later.values())
    front, left, right = later.values()
    assert not front & left and not left & right and not front & right
