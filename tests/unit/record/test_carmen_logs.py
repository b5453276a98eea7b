"""Logs of CARMEN, and what they get wrong."""

import gzip
from math import inf, pi

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.record.carmen import read_carmen


def odometry(stamp, x=0.0, y=0.0, yaw=0.0):
    return f"ODOM {x} {y} {yaw} 0 0 0 {stamp} host {stamp}"


def front(stamp, ranges=(1.0,) * 180, x=0.0, y=0.0, yaw=0.0):
    words = " ".join(map(str, ranges))
    return f"FLASER {len(ranges)} {words} 9 9 9 {x} {y} {yaw} {stamp} host {stamp}"


@pytest.fixture
def log(tmp_path):
    """Write lines to a log: `log(line, line)`."""

    def write(*lines, end="\n"):
        path = tmp_path / "a.log"
        path.write_text("\n".join(lines) + end)
        return path

    return write


def test_scans_have_the_odometry_of_their_own_line(log):
    drive = read_carmen(log(odometry(1.0), front(1.5, x=2.0, y=3.0, yaw=0.5), odometry(2.0, x=4.0)))
    np.testing.assert_allclose(drive.scan_odometry, [[2.0, 3.0, 0.5]])
    np.testing.assert_allclose(drive.odometry_stamps, [1.0, 1.5, 2.0])
    np.testing.assert_allclose(drive.odometry[:, 0], [0.0, 2.0, 4.0])
    assert drive.notes == ()


@pytest.mark.parametrize(
    ("beams", "step", "last"),
    [(180, 1.0, 89.0), (181, 1.0, 90.0), (360, 0.5, 89.5), (361, 0.5, 90.0)],
)
def test_beams_fill_half_a_turn(log, beams, step, last):
    scan = read_carmen(log(front(0.0, [1.0] * beams))).scans[0]
    assert scan.angle_min == pytest.approx(-pi / 2)
    assert np.degrees(scan.angle_increment) == pytest.approx(step)
    assert np.degrees(scan.angles[-1]) == pytest.approx(last)


def test_ranges_of_fifty_metres_are_no_returns(log):
    scan = read_carmen(log(front(0.0, [1.0, 49.99, 50.0, 81.83]))).scans[0]
    assert scan.ranges.tolist() == [1.0, 49.99, inf, inf]
    assert scan.valid.tolist() == [True, True, False, False]


def test_negative_ranges_and_nan_are_failed_beams(log):
    drive = read_carmen(log(front(0.0, [1.0, -1.0, "nan", "-inf"])))
    np.testing.assert_array_equal(np.isnan(drive.scans[0].ranges), [False, True, True, True])
    assert "3 ranges" in drive.notes[0]


def test_stamps_that_step_back_are_sorted_and_told(log):
    drive = read_carmen(log(front(2.0, x=2.0), front(1.0, x=1.0), odometry(0.5), odometry(3.0)))
    assert drive.scan_stamps.tolist() == [1.0, 2.0]
    assert drive.scan_odometry[:, 0].tolist() == [1.0, 2.0]
    assert np.all(np.diff(drive.odometry_stamps) > 0.0)
    assert "2 time stamps step back" in drive.notes[0]


def test_of_equal_stamps_the_last_odometry_counts(log):
    drive = read_carmen(log(odometry(1.0, x=1.0), odometry(1.0, x=5.0), front(2.0)))
    assert drive.odometry[:, 0].tolist() == [5.0, 0.0]
    assert "1 readings of odometry share a stamp" in drive.notes[0]


def test_scans_that_are_stamped_early_keep_their_odometry_out_of_the_series(log):
    lines = [odometry(k, x=k) for k in range(5)] + [front(k, x=k + 0.4) for k in range(4)]
    drive = read_carmen(log(*lines))
    np.testing.assert_allclose(drive.odometry[:, 0], range(5))
    np.testing.assert_allclose(drive.scan_odometry[:, 0], [0.4, 1.4, 2.4, 3.4])
    assert any("another odometry" in note for note in drive.notes)


def test_a_scan_needs_no_odometry_before_it(log):
    assert len(read_carmen(log(front(0.0))).scans) == 1


def test_scans_may_change_their_size(log):
    drive = read_carmen(log(front(0.0), front(1.0, [1.0] * 361)))
    assert [len(scan.ranges) for scan in drive.scans] == [180, 361]
    assert "180, 361 beams" in drive.notes[0]


def test_a_last_line_that_is_cut_off_is_left_out(log):
    drive = read_carmen(log(front(0.0), front(1.0)[:300], end=""))
    assert len(drive.scans) == 1
    assert drive.notes == ("line 2, the last, is cut off and left out",)


def test_a_stamp_that_is_cut_off_does_not_count_as_one(log):
    cut = odometry(1234.5).rsplit(" host")[0][:-3]
    drive = read_carmen(log(front(1000.0), cut, end=""))
    assert drive.odometry_stamps.tolist() == [1000.0]


def test_lines_that_make_no_sense_are_left_out_and_told(log):
    broken = front(1.0).replace("1.0", "door", 1)
    drive = read_carmen(log(front(0.0), broken, "ODOM 1 2", odometry("nan"), front(2.0)))
    assert len(drive.scans) == 2
    assert "3 lines were left out (the first is line 2" in drive.notes[-1]


@pytest.mark.parametrize(("said", "has"), [(180, 90), (90, 180), (182, 180), (181, 180)])
def test_another_number_of_beams_than_a_line_says_is_told_in_our_words(log, said, has):
    wrong = front(1.0, (1.0,) * has).replace(f"FLASER {has}", f"FLASER {said}")
    drive = read_carmen(log(front(0.0), wrong, front(2.0)))
    assert len(drive.scans) == 2
    assert f"it says {said} beams and has {has} ranges" in drive.notes[-1]


def test_a_log_of_wrong_beam_counts_is_refused_in_our_words(log):
    wrong = [front(k, (1.0,) * 90).replace("FLASER 90", "FLASER 180") for k in range(20)]
    with pytest.raises(InvalidInput, match=r"20 of 20 .*says 180 beams and has 90 ranges"):
        read_carmen(log(*wrong))


def test_a_word_in_the_place_of_a_number_is_told_in_our_words(log):
    drive = read_carmen(log(front(0.0), front(1.0).replace("1.0", "door", 1)))
    assert "'door' is no number" in drive.notes[-1]


def test_the_host_and_time_of_the_logger_may_be_missing(log):
    drive = read_carmen(log(front(1.5, x=2.0).rsplit(" ", 2)[0]))
    assert drive.scan_odometry.tolist() == [[2.0, 0.0, 0.0]] and not drive.notes


def test_a_stamp_that_is_no_time_is_left_out_and_told(log):
    drive = read_carmen(log(front(100.0), front(1e18), front(101.0)))
    assert drive.duration == 1.0
    assert "its time is 1e+18; expected seconds" in drive.notes[-1]


def test_a_log_in_nanoseconds_is_refused(log):
    with pytest.raises(InvalidInput, match="expected seconds"):
        read_carmen(log(*(front(1.6e18 + 1e8 * k) for k in range(20))))


def test_a_time_that_is_far_from_all_others_is_left_out_and_told(log):
    drive = read_carmen(log(odometry(9e8), front(9e8 + 1), front(0.0), front(9e8 + 2, x=1.0)))
    assert drive.duration == 2.0
    assert drive.scan_odometry[:, 0].tolist() == [0.0, 1.0]
    assert "1 of 4 times are more than 10 days from the others" in drive.notes[0]


def test_a_clock_that_was_set_in_the_middle_is_refused(log):
    lines = [front(k) for k in range(30)] + [front(9e8 + k) for k in range(30)]
    with pytest.raises(InvalidInput, match="cut it where its clock was set"):
        read_carmen(log(*lines))


def test_where_a_clock_was_set_back_time_goes_on(log):
    lines = [front(500.0 + k, x=k) for k in range(30)] + [front(k, x=30 + k) for k in range(30)]
    drive = read_carmen(log(*lines))
    assert drive.scan_odometry[:, 0].tolist() == list(range(60))
    assert np.diff(drive.scan_stamps).min() > 0.0
    assert "the clock was set back by 529 s" in drive.notes[0]


def test_a_single_line_out_of_order_is_no_clock_that_was_set(log):
    lines = [front(500.0 + k, x=k) for k in range(30)]
    drive = read_carmen(log(*lines[:10], front(900.0, x=99), *lines[10:]))
    assert drive.scan_odometry[:, 0].tolist() == [*range(30), 99]


def test_a_log_of_nonsense_is_refused(log):
    with pytest.raises(InvalidInput, match=r"12 of 13 messages .* line 2"):
        read_carmen(log(front(0.0), *["FLASER x y"] * 12))


def test_comments_and_other_messages_are_skipped(log):
    drive = read_carmen(log("# a comment", "PARAM robot_length 1", "", "RLASER 1 2", front(0.0)))
    assert len(drive.scans) == 1 and drive.notes == ()


@pytest.mark.parametrize("count", ["0", "1", "-3", "99999999", "3.5"])
def test_a_scan_must_say_a_sensible_number_of_beams(log, count):
    drive = read_carmen(log(front(0.0), front(1.0).replace("180", count, 1)))
    assert len(drive.scans) == 1 and "1 lines were left out" in drive.notes[0]


def test_the_newer_message_says_where_its_beams_and_its_scanner_are(log):
    beams = "0 -1.5 3.0 0.5 20.0 0.01 0 4 1 2 25 -1 2 7 7"
    line = f"ROBOTLASER1 {beams} 1.0 2.5 1.6 1.0 2.0 1.6 0 0 0 0 0 12.5 host 12.5"
    drive = read_carmen(log(line))
    (scan,) = drive.scans
    assert scan.stamp == 12.5 and scan.angle_min == -1.5 and scan.range_max == 20.0
    np.testing.assert_array_equal(scan.ranges, [1.0, 2.0, inf, np.nan])
    np.testing.assert_allclose(drive.scan_odometry, [[1.0, 2.0, 1.6]])
    assert drive.mount.x == pytest.approx(0.5 * np.sin(1.6))
    assert drive.mount.y == pytest.approx(0.5 * np.cos(1.6))


def test_a_gzip_reads_like_a_plain_log(log, tmp_path):
    plain = log(odometry(0.0), front(1.0), odometry(2.0))
    packed = tmp_path / "b"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    one, two = read_carmen(plain), read_carmen(packed)
    np.testing.assert_array_equal(one.odometry, two.odometry)
    np.testing.assert_array_equal(one.scans[0].ranges, two.scans[0].ranges)


def test_a_gzip_that_breaks_off_counts_up_to_the_break(log, tmp_path):
    rng = np.random.default_rng(0)
    plain = log(*[front(k, rng.uniform(1, 9, 180)) for k in range(40)])
    packed = tmp_path / "b.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-20_000])
    drive = read_carmen(packed)
    assert 10 < len(drive.scans) < 40
    assert "its gzip is cut off after" in drive.notes[0]


def test_a_gzip_of_which_nothing_is_left_is_refused(tmp_path):
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"FLASER")[:10])
    with pytest.raises(InvalidInput, match=r"nothing of the log .* can be unpacked"):
        read_carmen(tmp_path / "b.gz")


def test_a_gzip_that_breaks_off_before_a_scan_says_so(tmp_path):
    line = front(0.0, np.random.default_rng(0).uniform(1, 9, 180))
    (tmp_path / "b.gz").write_bytes(gzip.compress(line.encode())[:-400])
    with pytest.raises(InvalidInput, match=r"no scan.* its gzip is cut off"):
        read_carmen(tmp_path / "b.gz")


def test_a_log_without_scans_is_refused(log):
    with pytest.raises(InvalidInput, match="no scan; expected CARMEN's text"):
        read_carmen(log(odometry(0.0)))


def test_an_empty_log_is_refused(tmp_path):
    (tmp_path / "empty.log").touch()
    with pytest.raises(InvalidInput, match="is empty"):
        read_carmen(tmp_path / "empty.log")


def test_a_missing_log_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="there is no log"):
        read_carmen(tmp_path / "none.log")
    with pytest.raises(InvalidInput, match="is a folder"):
        read_carmen(tmp_path)


def test_bytes_of_another_kind_are_refused(tmp_path):
    (tmp_path / "a.log").write_bytes(bytes(range(256)) * 50)
    with pytest.raises(InvalidInput, match="no scan"):
        read_carmen(tmp_path / "a.log")


def test_the_intel_log_is_read_whole(real_logs):
    drive = read_carmen(real_logs / "intel.log.gz")
    scans, seconds, back = (3461, 2691.0, 629) if real_logs.whole else (339, 279.5, 75)
    assert len(drive.scans) == scans and {len(s.ranges) for s in drive.scans} == {180}
    assert drive.duration == pytest.approx(seconds, abs=1.0)
    assert drive.notes[0].startswith(f"{back} time stamps step back")


def test_the_csail_log_has_half_degrees(real_logs):
    drive = read_carmen(real_logs / "csail.log.gz")
    scans, readings = (406, 1988) if real_logs.whole else (15, 133)
    assert len(drive.scans) == scans and len(drive.odometry) == readings
    assert drive.scans[0].angle_max == pytest.approx(pi / 2)
