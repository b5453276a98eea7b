"""The record of a robot with LIDARs."""

import numpy as np

import mecano
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
