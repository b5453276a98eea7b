"""MADAR's three LIDARs and its odometry, as a user programs them, in a room of 6 by 8 m."""

from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest

import mecano
from mecano import robots
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.estimation.scan_coverage import coverage
from mecano.kinematics.drift import Drift
from mecano.lab.robot import Robot
from mecano.robots.madar.description import LIDAR_CROP as CLEAR_CROP
from mecano.robots.madar.paper import LAUNCH_CROP
from mecano.robots.madar.paper import LIDAR_CROP as PAPER_CROP
from mecano.sensors.lidar import Lidar

BOX = 6
WALLS = ((3.05, 0, 0.05, 4.1), (-3.05, 0, 0.05, 4.1), (0, 4.05, 3.1, 0.05), (0, -4.05, 3.1, 0.05))


def walls(spec) -> None:
    for x, y, a, b in WALLS:
        spec.worldbody.add_geom(type=BOX, pos=[x, y, 1], size=[a, b, 1])


def in_room(**options) -> Robot:
    return mecano.connect("madar_base", scene="empty", changes=[walls], **options)


def off_the_walls(robot: Robot, **options) -> float:
    """Return how far nearly all fused returns are from the walls, by where the base really was."""
    scan, track = robot.scan(**options).scan, robot.base.track
    since = track.at(scan.stamp).inverse() @ track.at(robot.time)
    at = robot.truth.base_pose() @ since.inverse()
    ends = at.transform_points(scan.points())
    off = np.minimum(np.abs(3 - np.abs(ends[:, 0])), np.abs(4 - np.abs(ends[:, 1])))
    return float(np.quantile(off, 0.97))  # beams cut the corners off


def test_three_scanners_hang_where_the_paper_has_them():
    with in_room() as robot:
        assert list(robot.lidars) == ["front", "left", "right"]
        for facing, lidar in zip((0, 120, -120), robot.lidars.values(), strict=True):
            a = radians(facing)
            should = [0.35 * np.cos(a), 0.35 * np.sin(a), 0.152]
            np.testing.assert_allclose(lidar.pose.position, should, atol=1e-3)
            assert lidar.pose.rotation_matrix()[2, 2] == pytest.approx(-1.0), "upside down"
        with pytest.raises(UnknownName, match="no LIDAR named 'rear'; known LIDARs: front"):
            _ = robot.lidars["rear"]


def test_the_models_own_poses_give_the_published_coverage():
    with in_room() as robot:
        poses = {name: lidar.pose for name, lidar in robot.lidars.items()}
    blind = coverage(poses, [PAPER_CROP, LAUNCH_CROP, CLEAR_CROP])
    assert [round(100 * share) for share in blind[PAPER_CROP].values()] == [62, 29, 15, 6]
    assert {*blind[LAUNCH_CROP].values(), *blind[CLEAR_CROP].values()} == {0.0}


def test_own_wheels_are_seen_only_beyond_the_crop():
    with in_room() as robot:
        for lidar in robot.lidars.values():
            assert lidar.read().ranges.min() > 2.0
            assert isinstance(lidar, Lidar)
            lidar.crop = None
            lidar.sample()
            scan = lidar.read()
            own = np.degrees(np.abs(scan.angles[scan.ranges < 1.0]))
            assert (own.min(), own.max()) == pytest.approx((114.0, 135.0))


def test_one_scan_of_all_shows_the_whole_room():
    with in_room() as robot:
        fused = robot.scan()
        assert np.isfinite(fused.scan.ranges).all() and not fused.gaps and not fused.blind
        assert fused.scan.frame == "base_link" and fused.scan.range_min == 0.3
        assert off_the_walls(robot) < 1e-6


def test_a_new_scan_comes_fifteen_times_a_second():
    with in_room() as robot:
        stamps = []
        robot.run(lambda robot: stamps.append(robot.lidars["left"].read().stamp))
        robot.wait(1.0)
        assert len(set(stamps)) in (15, 16)


def test_while_it_drives_the_walls_stay_where_they_are():
    with in_room() as robot:
        worst = []
        for twist in ((0.25, 0.5, 0.0), (0.1, -0.7, 0.15)):
            speed, turn, left = twist
            for _ in range(6):
                robot.base.drive_for(0.1, speed, turn, left=left)
                worst.append(off_the_walls(robot))
        assert max(worst) < 0.003


def test_deskewed_scans_are_straighter():
    with in_room() as robot:
        for lidar in robot.lidars.values():
            assert isinstance(lidar, Lidar)
            lidar.swept = True
        skewed, straight = [], []

        def look(robot: Robot) -> None:
            if robot.time > 1.0:
                skewed.append(off_the_walls(robot))
                straight.append(off_the_walls(robot, deskew=True))

        robot.base.turn(1.2, speed=0.8, wait=False)
        for _ in range(20):
            robot.wait(0.1)
            if 0.9 < robot.time < 1.8:
                look(robot)
        assert np.median(straight) < 0.4 * np.median(skewed)


def test_a_lidar_switched_off_leaves_a_gap_that_is_told():
    with in_room() as robot:
        robot.lidars["left"].switch(False)
        robot.wait(0.1)
        assert not robot.scan().gaps, "one scan late is not lost yet"
        robot.wait(0.3)
        fused = robot.scan()
        (gap,) = fused.gaps
        assert gap.sensor == "left" and gap.age == pytest.approx(0.4, abs=0.01)
        ((a, b),) = gap.bearings
        assert radians(105) < a < b < radians(135) and fused.blind == gap.bearings
        assert np.isfinite(fused.scan.ranges).mean() > 0.93, "the others go on"
        robot.lidars["left"].switch(True)
        robot.wait(0.1)
        assert not robot.scan().gaps


def test_the_same_seed_gives_the_same_scans():
    def run(seed: int) -> np.ndarray:
        with in_room(noise=True, seed=seed) as robot:
            robot.base.drive_for(0.3, 0.2, 0.3)
            return robot.scan().scan.ranges

    first, again, other = run(3), run(3), run(4)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_snapshot_brings_scans_and_switches_back():
    with in_room(noise=True) as robot:
        robot.wait(0.2)
        kept, before = robot.snapshot(), robot.scan().scan
        robot.lidars["front"].switch(False)
        robot.base.drive_for(0.3, 0.2)
        robot.restore(kept)
        after = robot.scan().scan
        assert robot.lidars["front"].enabled and after.stamp == before.stamp
        np.testing.assert_array_equal(after.ranges, before.ranges)


def test_a_reset_of_odometry_does_not_move_the_walls():
    with in_room() as robot:
        robot.base.drive_for(0.4, 0.25, 0.5)
        robot.base.drive(0.25, 0.5)
        robot.wait(0.15)
        robot.base.reset_odometry(Pose2(10.0, -3.0, 2.0))
        robot.wait(0.02)
        assert off_the_walls(robot) < 0.003


def test_a_robot_without_lidars_says_so():
    with mecano.connect("kobuki") as robot, pytest.raises(InvalidInput, match="kobuki has no LIDA"):
        robot.scan()


# --- its odometry


def with_facts(monkeypatch, **facts) -> Robot:
    """Return a base whose facts differ."""
    known = robots.get("madar_base")
    assert known.base is not None
    other = replace(known, base=replace(known.base, **facts))
    monkeypatch.setattr(robots, "get", lambda name: other)
    return in_room()


def test_uncertainty_grows_where_a_base_states_no_variances(monkeypatch):
    with with_facts(monkeypatch, drift=Drift(), variances=None) as robot:
        assert not robot.base.odometry().pose_covariance[:2, :2].any()
        robot.base.move(0.5)
        near = robot.base.odometry().pose_covariance
        robot.base.move(0.5)
        far = robot.base.odometry().pose_covariance
        assert far[0, 0] > near[0, 0] > 0.0 and far[1, 1] > far[0, 0], "sideways by the heading"
        np.testing.assert_allclose(far, far.T)
        robot.base.reset_odometry()
        assert not robot.base.odometry().pose_covariance[:2, :2].any()


def test_stated_variances_go_before_a_model(monkeypatch):
    stated = (0.1, 0.1, 0.05)
    with with_facts(monkeypatch, drift=Drift(), variances=stated) as robot:
        robot.base.move(0.3)
        assert tuple(robot.base.odometry().pose_covariance[[0, 1, 5], [0, 1, 5]]) == stated


def test_filtered_speeds_lag_behind(monkeypatch):
    with with_facts(monkeypatch, velocity_filter=0.1) as robot:
        robot.base.drive(0.3)
        robot.wait(0.3)
        told, raw = robot.base.odometry().twist.linear[0], robot.base._memory.odometer.twist[0]
        assert 0.0 < told < raw


def test_an_encoder_that_jumps_does_not_throw_the_base_off():
    with in_room() as robot:
        read = robot.base._board._angles.read  # pyright: ignore[reportAttributeAccessIssue]
        shift = np.zeros(3)
        robot.base._board._angles.read = lambda: read() + shift  # pyright: ignore
        robot.base.move(0.5, wait=False)
        robot.wait(1.0)
        assert robot.base.encoder_jumps == 0 and robot.base.last_jump is None
        shift[1] = 40.0
        robot.wait(1.0)
        shift[:] = 0.0
        robot.wait(4.0)
        truth = robot.truth.base_pose()
        assert robot.base.pose.is_close(truth, position_tolerance=0.02, angle_tolerance=0.02)
        assert robot.base.encoder_jumps == 2 and robot.base.last_jump is not None
        assert robot.base.last_jump.wheels == ("motor_2",)
        assert truth.x == pytest.approx(0.5, abs=0.03) and abs(truth.yaw) < pi / 90
