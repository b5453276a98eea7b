"""Drives read from our own logs and from CARMEN's."""

from dataclasses import asdict

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import Imu, LaserScan, Odometry, PoseStamped, TransformStamped
from mecano.core.poses import Pose, Pose2
from mecano.record.drive_logs import odometry_trust, read_drive, read_truth
from mecano.record.header import session_header, write_json
from mecano.record.log_picking import PickedLog
from mecano.robots.kobuki.description import BASE as KOBUKI
from mecano.robots.mobile import OdometryTrust
from mecano.topics.codec import encode
from mecano.topics.log import LogWriter, read_log


def scan(stamp, frame="base"):
    return LaserScan(
        stamp=stamp, frame=frame, angle_min=0.0, angle_max=0.2, angle_increment=0.1,
        range_min=0.1, range_max=10.0, ranges=np.array([1.0, 2.0, 3.0]),
    )  # fmt: skip


def odometry(stamp, x=0.0):
    return Odometry(stamp=stamp, frame="odom", child_frame="base", pose=Pose((x, 0.0, 0.0)))


@pytest.fixture
def log(tmp_path):
    """Write messages to a log: `log(("/topic", message), ...)`."""

    def write(*messages):
        path = tmp_path / "a.mcap"
        writer = LogWriter(path)
        for topic, message in messages:
            stamp = message[0].stamp if isinstance(message, tuple) else message.stamp
            writer.add(topic, *encode(message), stamp)
        writer.close()
        return path

    return write


def test_a_scan_gets_the_odometry_of_its_own_time(log):
    path = log(("/odom", odometry(0.0)), ("/odom", odometry(1.0, 2.0)), ("/scan", scan(0.25)))
    drive = read_drive(path)
    np.testing.assert_allclose(drive.scan_odometry, [[0.5, 0.0, 0.0]])
    assert drive.scans[0].stamp == 0.25 and drive.notes == () and drive.mount == Pose2()


@pytest.mark.parametrize("by", [9.0, -0.4])
def test_odometry_that_is_set_anew_goes_on_as_if_the_base_had_stood(log, by):
    told = [(0.02 * k, 0.01 * k if k < 5 else 0.01 * (k - 1) + by) for k in range(10)]
    path = log(
        *[("/odom", odometry(stamp, x)) for stamp, x in told], ("/scan", scan(0.07)),
        ("/scan", scan(0.09)), ("/scan", scan(0.18)),
    )  # fmt: skip
    drive = read_drive(path)
    np.testing.assert_allclose(drive.scan_odometry[:, 0], [0.035, 0.04, 0.08], atol=1e-9)
    (note,) = drive.notes
    assert f"set anew at 0.10 s by {abs(by):.2f} m and 0 deg" in note


def test_steps_in_a_burst_of_stamps_are_no_jumps(log):
    held_up = [(0.0, 0.0), (0.1, 0.0), (0.2, 0.0), (0.21, 0.7), (0.22, 0.7), (0.3, 0.7)]
    path = log(*[("/odom", odometry(*each)) for each in held_up], ("/scan", scan(0.3)))
    drive = read_drive(path)
    assert drive.scan_odometry[0, 0] == pytest.approx(0.7) and drive.notes == ()


def test_the_fused_scan_is_preferred(log):
    path = log(("/odom", odometry(0.0)), ("/scan_left", scan(0.0)), ("/scan", scan(0.1)))
    assert read_drive(path).scans[0].stamp == pytest.approx(0.1)
    assert read_drive(path, scan_topic="/scan_left").scans[0].stamp == 0.0
    with pytest.raises(UnknownName, match="known scan topics: /scan, /scan_left"):
        read_drive(path, scan_topic="/scan_right")


def test_of_two_robots_one_must_be_chosen(log):
    path = log(
        ("/a/odom", odometry(0.0, 1.0)), ("/b/odom", odometry(0.0, 2.0)),
        ("/a/scan", scan(0.0)), ("/b/scan", scan(0.0)),
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="several topics: /a/scan, /b/scan"):
        read_drive(path)
    assert read_drive(path, scan_topic="/b/scan").scan_odometry[0, 0] == 2.0


def test_scans_without_odometry_near_them_are_left_out(log):
    path = log(("/scan", scan(0.0)), ("/odom", odometry(5.0)), ("/scan", scan(5.1)))
    drive = read_drive(path)
    assert [s.stamp for s in drive.scans] == [pytest.approx(5.1)]
    assert "1 scans have no odometry" in drive.notes[0]


def test_a_log_without_scans_or_odometry_is_refused(log):
    with pytest.raises(InvalidInput, match="has no scans"):
        read_drive(log(("/odom", odometry(0.0))))
    with pytest.raises(InvalidInput, match="has no odometry"):
        read_drive(log(("/scan", scan(0.0))))
    with pytest.raises(InvalidInput, match="has odometry of its time"):
        read_drive(log(("/scan", scan(0.0)), ("/odom", odometry(5.0))))


def test_the_mount_of_a_scanner_is_taken_from_the_frames(log):
    mount = TransformStamped(frame="base", child_frame="laser", transform=Pose((0.2, 0.1, 0.3)))
    messages = ("/odom", odometry(0.0)), ("/scan", scan(0.0, "laser"))
    assert read_drive(log(("/tf_static", (mount,)), *messages)).mount == Pose2(0.2, 0.1, 0.0)
    unknown = read_drive(log(*messages))
    assert unknown.mount == Pose2() and "does not say where the scanner" in unknown.notes[0]
    assert read_drive(log(*messages), mount=Pose2(1.0)).mount == Pose2(1.0)


def test_only_what_came_after_a_reset_counts(log):
    path = log(
        ("/odom", odometry(0.0)), ("/odom", odometry(9.0, 9.0)), ("/scan", scan(9.0)),
        ("/odom", odometry(0.5)), ("/scan", scan(0.5)),
    )  # fmt: skip
    drive = read_drive(path)
    assert drive.odometry_stamps.tolist() == [0.5] and len(drive.scans) == 1
    assert "set back" in drive.notes[0]


def test_a_message_without_its_time_is_left_out_and_told(log):
    told = [("/odom", odometry(1.7e9 + 0.1 * k, 0.01 * k)) for k in range(10)]
    seen = [("/scan", scan(1.7e9 + 0.1 * k)) for k in range(10)]
    none = (("/odom", odometry(0.0, 5.0)), ("/scan", scan(0.0)))
    drive = read_drive(log(*told[:5], *seen[:5], *none, *told[5:], *seen[5:]))
    assert len(drive.scans) == 10 and drive.duration == pytest.approx(0.9)
    assert "of odometry, 1 of 11 times are more than 10 days" in drive.notes[0]
    assert "of scans, 1 of 11 times" in drive.notes[1]


def test_a_log_that_was_cut_off_counts_up_to_the_break(log):
    path = log(
        *[(t, m) for k in range(50) for t, m in (("/odom", odometry(k)), ("/scan", scan(k)))]
    )
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 400])
    drive = read_drive(path)
    assert len(drive.scans) == 50 and "the log is not whole" in drive.notes[0]


@pytest.mark.parametrize("lost", [0, 300, 700])
def test_picking_topics_gives_what_reading_all_gives(log, lost):
    path = log(
        *[(f"/{t}", m) for k in range(50) for t, m in (("odom", odometry(k)), ("scan", scan(k)))]
    )
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - lost])
    picked, everything = PickedLog(path, lambda topic, kind: topic == "/scan"), read_log(path)
    expected = [record for record in everything if record.topic == "/scan"]
    assert list(picked) == expected and len(expected) == 50
    assert picked.problem == everything.problem


@pytest.mark.parametrize("names", [("base", "base"), ("base", "base_link")])
def test_poses_of_many_messages_are_those_of_each(log, names):
    rng = np.random.default_rng(4)
    poses = [Pose2(*row) for row in rng.uniform(-3.0, 3.0, (20, 3))]
    told = [
        Odometry(
            stamp=10.0 * k, frame="odom", child_frame=names[k % 2],
            pose=Pose.from_xyz_rpy([pose.x, pose.y, 0.2], [0.0, 0.0, pose.yaw]),
        )
        for k, pose in enumerate(poses)
    ]  # fmt: skip
    true = [PoseStamped(stamp=each.stamp, frame="world", pose=each.pose) for each in told]
    path = log(
        ("/scan", scan(0.0)), *[("/odom", each) for each in told],
        *[("/simulation/pose", each) for each in true],
    )  # fmt: skip
    expected = [(pose.x, pose.y, pose.yaw) for pose in poses]
    np.testing.assert_allclose(read_drive(path).odometry, expected, atol=1e-12)
    truth = read_truth(path)
    assert truth is not None
    np.testing.assert_allclose(truth.poses, expected, atol=1e-12)


def test_a_log_that_was_written_anew_is_read_anew(log):
    assert read_drive(log(("/odom", odometry(0.0)), ("/scan", scan(0.0)))).odometry[0, 0] == 0.0
    path = log(("/odom", odometry(0.0, 7.0)), ("/scan", scan(0.0)))
    assert read_drive(path).odometry[0, 0] == 7.0


def test_a_log_without_a_header_is_a_kobukis_by_the_topic_of_its_gyro(log, tmp_path):
    messages = ("/odom", odometry(0.0)), ("/scan", scan(0.0))
    gyro = Imu(angular_velocity=np.zeros(3), linear_acceleration=None)
    assert odometry_trust(log(*messages)) is None
    assert odometry_trust(log(("/imu/data", gyro), *messages)) is None
    bag = log(("/mobile_base/sensors/imu_data", gyro), *messages)
    assert odometry_trust(bag) == KOBUKI.odometry_trust
    (tmp_path / "a.log").write_text("FLASER 3 1 2 3 0 0 0 1 2 0.5 7.0 host 7.0\n")
    assert odometry_trust(tmp_path / "a.log") is None


def header(**trust):
    return session_header(title="test") | {
        "robots": dict.fromkeys(trust, "someones_own"), "robot_folders": {}, "tick_s": 0.01,
        "joints": {name: {"names": [], "units": []} for name in trust}, "odometry_trust": trust,
    }  # fmt: skip


def as_run(path, **trust):
    """Return a log as that of a run folder whose header says this."""
    run = path.with_name("log.mcap")
    if path.is_file():
        path.rename(run)
    told = {name: None if each is None else asdict(each) for name, each in trust.items()}
    write_json(run.with_name("run.json"), header(**told))
    return run


def test_the_header_says_how_far_odometry_is_trusted_whatever_topics_there_are(log):
    gyro = Imu(angular_velocity=np.zeros(3), linear_acceleration=None)
    path = log(
        ("/mobile_base/sensors/imu_data", gyro), ("/odom", odometry(0.0)), ("/scan", scan(0.0))
    )
    trust = OdometryTrust(distance=0.01, turn=0.02, turn_per_distance=0.03, floor=0.001)
    for told in (None, trust):
        assert odometry_trust(as_run(path, own=told)) == told
    run = path.with_name("log.mcap")
    write_json(run.with_name("run.json"), header(own={"distance": 0.01}))
    with pytest.raises(InvalidInput, match="odometry_trust of own"):
        odometry_trust(run)


def test_of_several_robots_it_is_that_of_the_one_with_the_scans(log):
    trust = OdometryTrust(distance=0.01, turn=0.02, turn_per_distance=0.03, floor=0.001)
    path = log(
        ("/a/odom", odometry(0.0)), ("/b/odom", odometry(0.0)),
        ("/a/scan", scan(0.0)), ("/b/scan", scan(0.0)),
    )  # fmt: skip
    run = as_run(path, a=None, b=trust)
    assert odometry_trust(run, scan_topic="/b/scan") == trust
    assert odometry_trust(run, scan_topic="/a/scan") is None


@pytest.mark.slow
def test_a_run_folder_is_a_drive_with_its_truth(record, folder):
    with mecano.connect("madar_base", noise=True) as robot, record(robot):
        robot.base.drive_for(0.5, 0.2)
    drive = read_drive(folder)
    assert len(drive.scans) >= 6 and drive.scans[0].frame == "base_link"
    assert drive.notes == () and drive.mount == Pose2()
    truth = read_truth(folder)
    assert truth is not None
    assert truth.poses[-1, 0] - truth.poses[0, 0] == pytest.approx(drive.odometry[-1, 0], abs=0.03)


def test_a_log_of_carmen_has_no_truth(tmp_path):
    path = tmp_path / "a.log"
    path.write_text("FLASER 3 1 2 3 0 0 0 1 2 0.5 7.0 host 7.0\n")
    assert read_drive(path).scan_odometry.tolist() == [[1.0, 2.0, 0.5]]
    assert read_truth(path) is None


def test_an_empty_folder_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="holds 0 logs"):
        read_drive(tmp_path)
    with pytest.raises(InvalidInput, match="there is no log"):
        read_drive(tmp_path / "none")
