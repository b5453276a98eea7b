"""The packet of a base: every reading of one instant, with and without noise."""

from math import inf, pi
from typing import Any

import mujoco
import numpy as np
import pytest

import mecano
from mecano.estimation.odometry import tick_change
from mecano.lab.robot import Robot
from mecano.robots.kobuki.description import BASE

PER_TICK = BASE.counter.per_tick
SAMPLES = 10_000


def kobuki(**options: Any) -> Robot:
    return mecano.connect("kobuki", scene=options.pop("scene", "empty"), **options)


def packets(robot: Robot, seconds: float) -> list[Any]:
    """Return all packets of the next seconds, noisy and clean."""
    seen = []

    def look(session) -> None:
        report = robot.base.report()
        if not seen or seen[-1][0].stamp != report.stamp:
            seen.append((report, robot.base.report(clean=True)))

    robot.session.observers.append(look)
    robot.wait(seconds)
    robot.session.observers.remove(look)
    return seen


def wheel(robot: Robot, side: str) -> float:
    """Return how far a wheel has turned [rad]."""
    return robot.world.data.joint(f"{robot.name}/wheel_{side}_joint").qpos[0]


# --- time


@pytest.mark.parametrize("name", ["kobuki", "crumb"])
def test_a_new_packet_comes_exactly_every_20_ms(name):
    with mecano.connect(name, scene="empty", noise=True) as robot:
        stamps = [report.stamp for report, _ in packets(robot, 2.0)]
    np.testing.assert_allclose(np.diff(stamps), 0.02, atol=1e-9)
    assert stamps[0] == 0.0 and len(stamps) == 100


def test_a_packet_stands_until_the_next_one():
    with kobuki(noise=True) as robot:
        robot.wait(0.1)
        report = robot.base.report()
        robot.session.tick()
        assert robot.base.report() is not report
        again = robot.base.report()
        robot.session.tick()
        assert robot.base.report() is again


def test_the_first_packet_is_there_before_time_passes():
    with kobuki() as robot:
        report = robot.base.report()
        assert report.stamp == 0.0 and report.ticks == (0, 0) and report.voltage == 16.5
        assert not (report.bumpers or report.cliffs or report.wheel_drops or report.buttons)
        robot.session.tick()
        assert robot.base.report() is report, "one instant has one packet"


def test_the_clean_packet_is_of_the_same_instant():
    with kobuki(noise=True, seed=4) as robot:
        robot.base.move(0.5, wait=False)
        for report, clean in packets(robot, 2.0):
            assert report.stamp == clean.stamp and report.ticks == clean.ticks
            for name in ("bumpers", "wheel_drops", "buttons", "voltage"):
                assert getattr(report, name) == getattr(clean, name)


def test_clean_readings_are_the_truth_of_the_instant():
    with kobuki(noise=True, seed=4) as robot:
        for _ in range(40):
            robot.base.drive(0.3, 1.5)
            robot.session.tick()
            robot.session.tick()
            robot.session.backend.sense()
            clean = robot.base.report(clean=True)
            assert clean.stamp == robot.time
            assert clean.heading == pytest.approx(robot.truth.base_pose().yaw, abs=1e-9)
            turning = robot.world.data.joint("kobuki/free").qvel[5]
            assert clean.turn_rate == pytest.approx(turning, abs=1e-9)


def test_without_noise_only_the_digits_of_the_gyro_differ():
    with kobuki() as robot:
        robot.base.turn(1.0, wait=False)
        for report, clean in packets(robot, 1.0):
            assert report.floor == clean.floor
            assert report.heading == pytest.approx(clean.heading, abs=1e-4)


# --- wheels


@pytest.mark.parametrize(("speed", "turn"), [(0.3, 0.0), (-0.3, 0.0), (0.1, 2.0)])
def test_ticks_match_the_wheels(speed, turn):
    with kobuki() as robot:
        robot.base.drive_for(1.0, speed, turn)
        robot.wait(0.2)
        turned = np.array([wheel(robot, "left"), wheel(robot, "right")])
        ticks = tick_change(robot.base.report().ticks, (0, 0), 65536)
        np.testing.assert_allclose(ticks * PER_TICK, turned, atol=1.1 * PER_TICK)


def test_counters_wrap_at_16_bits():
    with kobuki() as robot:
        robot.base.move(-0.05)
        assert all(64_000 < ticks < 65_536 for ticks in robot.base.report().ticks)
        robot.base.move(0.1)
        assert all(0 <= ticks < 1000 for ticks in robot.base.report().ticks)
        assert robot.base.pose.x == pytest.approx(0.05, abs=0.003)


def test_odometry_does_not_notice_the_wrap():
    with kobuki() as robot:
        for side in ("left", "right"):
            robot.world.data.joint(f"kobuki/wheel_{side}_joint").qpos[0] = 65_400 * PER_TICK
        robot.wait(0.1)
        robot.base.reset_odometry()
        before = robot.truth.base_pose().x
        robot.base.move(0.3)
        assert max(robot.base.report().ticks) < 10_000
        moved = robot.truth.base_pose().x - before
        assert robot.base.pose.x == pytest.approx(moved, abs=0.002)


def test_a_metre_is_as_many_ticks_as_the_fact_sheet_says():
    with kobuki() as robot:
        robot.base.move(1.0)
        robot.wait(0.3)
        metre = np.mean(robot.base.report().ticks) / robot.truth.base_pose().x
        assert metre == pytest.approx(1.0 / 8.5292e-5, rel=1e-3)


# --- cliffs


def test_the_floor_is_as_far_below_as_the_sensors_sit_above_it():
    with kobuki() as robot:
        robot.wait(0.5)
        for distance in robot.base.report().floor.values():
            assert distance == pytest.approx(0.0316, abs=3e-4)


def test_the_noise_of_the_cliff_sensors_is_that_of_the_facts():
    with kobuki(noise=True, seed=2) as robot:
        robot.wait(0.3)
        board: Any = robot.base._board
        errors = []
        for _ in range(SAMPLES // 3):
            robot.world.data.time += 0.02  # the base stands still: only the noise is asked for
            board.sample()
            report, clean = robot.base.report(), robot.base.report(clean=True)
            errors += [report.floor[n] - clean.floor[n] for n in report.floor]
    assert BASE.cliffs is not None
    assert np.std(errors) == pytest.approx(BASE.cliffs.noise, rel=0.1)
    assert abs(np.mean(errors)) < 0.05 * BASE.cliffs.noise


def test_noise_does_not_invent_cliffs():
    with kobuki(noise=True, seed=2) as robot:
        robot.base.move(1.0, wait=False)
        assert not any(report.cliffs for report, _ in packets(robot, 4.0))


@pytest.mark.parametrize(("gap", "seen"), [(0.005, 0.0366), (0.03, 0.0616), (0.2, inf)])
def test_a_lower_floor_is_seen_as_far_as_the_sensor_sees(tmp_path, gap, seen):
    scene = tmp_path / "steps.xml"
    scene.write_text(f"""
        <mujoco><worldbody>
          <geom type="box" size="0.14 1 0.5" pos="0 0 -0.5"/>
          <geom type="plane" size="9 9 0.1" pos="0 0 {-gap}"/>
        </worldbody></mujoco>""")
    with kobuki(scene=scene) as robot:
        robot.wait(0.05)
        report = robot.base.report()
        assert report.floor["center"] == pytest.approx(seen, abs=1e-3)
        assert report.cliffs == (frozenset() if gap < 0.008 else {"center"})


# --- wheel drops


def test_a_base_in_the_air_has_dropped_its_wheels():
    with kobuki() as robot:
        robot.world.data.joint("kobuki/free").qpos[2] = 0.05
        mujoco.mj_forward(robot.world.model, robot.world.data)
        robot.wait(0.03)
        assert robot.base.report().wheel_drops == {"wheel_left_joint", "wheel_right_joint"}
        robot.wait(0.5)
        assert not robot.base.report().wheel_drops


# --- battery


def test_the_battery_drains_by_its_current():
    with kobuki() as robot:
        board: Any = robot.base._board
        full = board._charge
        robot.wait(10.0)
        standby = full - board._charge
        assert standby == pytest.approx(0.4 * 10.0 / 3600.0, rel=0.02)
        robot.base.drive_for(10.0, 0.3)
        assert full - board._charge > 2.0 * standby


def test_the_voltage_falls_from_full_to_empty():
    with kobuki() as robot:
        board: Any = robot.base._board
        volts = []
        for left in (2.2, 1.1, 0.0):
            board._charge = left
            robot.wait(0.02)
            volts.append(robot.base.report().voltage)
        assert volts == [16.5, pytest.approx(14.85, abs=0.06), 13.2]
        robot.wait(1.0)
        assert board._charge == 0.0


# --- seeds


def test_every_robot_of_a_session_has_its_own_noise():
    from mecano.lab.robot import Place, connect_all

    robots = connect_all(
        {"a": Place("kobuki"), "b": Place("kobuki")}, scene="empty", noise=True, seed=1
    )
    robots["a"].wait(0.1)
    first, second = (robots[name].base.report().turn_rate for name in "ab")
    assert first != second
    robots["a"].close()
    robots["b"].close()


def test_a_full_turn_of_the_wheels_is_2578_ticks():
    assert 2 * pi / PER_TICK == pytest.approx(2578.33, abs=0.01)


@pytest.mark.parametrize("name", ["kobuki", "madar_base", "youbot"])
def test_wheels_hang_where_rays_find_no_ground(name):
    """The floor that is looked at by the pose of the base alone, against the engine's rays."""
    rng = np.random.default_rng(7)
    with mecano.connect(name, scene="empty") as robot:
        drops, data = robot.base._board._drops, robot.world.data  # pyright: ignore
        floors, start = drops._floors, robot.world.model.joint(f"{robot.name}/free").qposadr[0]
        assert floors, "the floor of the scene is one of them"
        edge, seen = floors[0][3], set()
        for _ in range(200):
            x = rng.choice([0.0, edge]) + rng.uniform(-0.3, 0.3)
            turn = np.array([1.0, *rng.normal(0.0, 0.05, 2), rng.uniform(-1.0, 1.0)])
            data.qpos[start : start + 3] = x, rng.uniform(-1.0, 1.0), rng.uniform(-0.01, 0.04)
            data.qpos[start + 3 : start + 7] = turn / np.linalg.norm(turn)
            drops._floors, robot.world._posed_at = floors, -1.0
            ours = drops.read()
            drops._floors, robot.world._posed_at = [], -1.0
            assert ours == drops.read()
            seen.add(len(ours))
    assert len(seen) > 2, "some hang, some do not"
