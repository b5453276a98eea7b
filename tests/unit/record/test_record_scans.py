"""The record of a robot that scans."""

import numpy as np
import pytest

import mecano
from mecano.estimation.maps.files import load_map
from mecano.lab.scanners import scan_settings
from mecano.record.drive_logs import read_drive
from mecano.topics.codec import decode
from mecano.topics.log import read_log


def test_every_scan_is_logged_under_the_real_names(record, folder):
    with mecano.connect("madar_base", noise=True) as robot:
        with record(robot):
            robot.base.drive_for(0.4, 0.1)
            last = robot.lidars["left"].read()
        hashed = robot.state_hash()
    by_topic: dict[str, list] = {}
    for each in read_log(folder / "log.mcap"):
        if each.topic.startswith("/scan"):
            by_topic.setdefault(each.topic, []).append(decode(each.type_name, each.data))
    assert set(by_topic) == {"/scan_tim_front", "/scan_tim_left", "/scan_tim_right", "/scan"}
    stamps = [scan.stamp for scan in by_topic["/scan_tim_left"]]
    assert len(stamps) == len(set(stamps)) and abs(len(stamps) - len(by_topic["/scan"])) <= 1
    np.testing.assert_allclose(np.diff(stamps[1:]), 1 / 15, atol=0.009)
    logged = by_topic["/scan_tim_left"][-1]
    np.testing.assert_allclose(logged.ranges, last.ranges, rtol=1e-6)
    assert logged.frame == "tim_left" and by_topic["/scan"][-1].frame == "base_link"
    with mecano.connect("madar_base", noise=True) as robot:
        robot.base.drive_for(0.4, 0.1)
    assert robot.state_hash() == hashed, "looking changes nothing"


def test_a_robot_that_maps_leaves_its_map_so_far_although_it_is_killed(record, folder, monkeypatch):
    monkeypatch.setattr("mecano.lab.mapping.SAVE_EVERY", 0.0)
    monkeypatch.setattr("mecano.lab.mapping.SAVING_SHARE", 1e9)
    with mecano.connect("madar_base", scene="laboratory") as robot, record(robot):
        with robot.start_mapping() as mapping:
            robot.base.drive_for(1.2, 0.1)
        rows = np.loadtxt(folder / "trajectory.txt")  # as it is if nobody closes the record
        assert 5 < len(rows) < len(mapping.stamps)
        assert np.any(load_map(folder / "map.yaml").data == 100)
    assert len(np.loadtxt(folder / "trajectory.txt")) == len(mapping.stamps)


def test_a_map_that_cannot_be_saved_is_said_once_and_the_record_goes_on(
    record, folder, monkeypatch, warnings_given
):
    monkeypatch.setattr("mecano.lab.mapping.SAVE_EVERY", 0.0)
    monkeypatch.setattr("mecano.lab.mapping.SAVING_SHARE", 1e9)
    with mecano.connect("madar_base", scene="laboratory") as robot:
        with record(robot) as recorder, robot.start_mapping():
            (folder / "map.pgm").mkdir()
            robot.base.drive_for(1.6, 0.1)
            assert recorder.recording
        assert recorder.broke_off_at is None
    assert len(warnings_given) == 1 and "the map so far is not saved" in warnings_given.pop()


@pytest.mark.slow
def test_scans_cut_out_of_depth_pictures_are_logged_with_their_place_on_the_base(record, folder):
    settings = scan_settings("crumb")
    with mecano.connect("crumb", scene="hall", noise=True, settings=settings) as robot:
        with record(robot):
            robot.wait(0.3)  # nobody scans yet
            with robot.start_mapping() as mapping:
                robot.base.drive_for(1.5, 0.2)
        last, mount = mapping.scan, mapping.scanner.mount
    drive = read_drive(folder)
    assert drive.notes == () and drive.mount.is_close(mount) and mount.x != 0.0
    assert last is not None and last.stamp == pytest.approx(drive.scans[-1].stamp)
    np.testing.assert_allclose(drive.scan_stamps, mapping.stamps)
    np.testing.assert_allclose(drive.scans[-1].ranges, last.ranges, rtol=1e-6)
    said = [(pose.x, pose.y, pose.yaw) for pose in mapping.odometry]
    np.testing.assert_allclose(drive.scan_odometry, said, atol=1e-4)
