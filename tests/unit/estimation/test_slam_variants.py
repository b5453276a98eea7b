"""Variants of logs that must hardly change a map, and the scores of what came out."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import relative_all
from slam_corpus.cases import Row
from slam_corpus.corpus import judged, plan_cases
from slam_corpus.drives import make_drive
from slam_corpus.odometry_faults import steps_of
from slam_corpus.scores import Doubts, false_loops, path_error, revisit_error
from slam_corpus.tables import marked, missed_bars, put_into, tables
from slam_corpus.variants import VARIANTS, mirrored, reversed_in_time, turned_frame

DRIVE = make_drive(5, 0, length=40.0)
LOG = replace(DRIVE.log, scan_odometry=DRIVE.truth, mount=Pose2(0.1, 0.05, 0.2))
"""A drive whose odometry at the scans is perfect."""
EXACT = ["mirrored", "reversed in time", "every 4th scan", "every 4th beam", "cut to 5 m"]
ROW = Row(
    group="real", name="hall", variant="", scans=9, measure="path", error=0.1, loops=1, seconds=1.0
)


def assert_same(a, b):
    """Compare two logs, but for the last bits."""
    for name in ("odometry", "scan_odometry", "odometry_stamps", "scan_stamps", "scan_numbers"):
        assert np.allclose(getattr(a, name), getattr(b, name), atol=1e-9), name
    for scan, other in zip(a.scans, b.scans, strict=True):
        assert np.array_equal(scan.ranges, other.ranges)
        assert scan.angle_min == pytest.approx(other.angle_min)


def ranges_of(log):
    """Return the ranges of all scans."""
    return [scan.ranges for scan in log.scans]


@pytest.mark.parametrize("change", [mirrored, reversed_in_time])
def test_done_twice_is_the_log_again(change):
    assert_same(change(change(LOG)), LOG)
    assert change(change(LOG)).mount == LOG.mount


def test_frame_turned_moves_no_step():
    turned = turned_frame(LOG, 1.0)
    assert np.allclose(steps_of(turned.scan_odometry), steps_of(LOG.scan_odometry), atol=1e-9)


def test_mirror_keeps_what_scanner_and_mount_see_together():
    scan, image = LOG.scans[3], mirrored(LOG).scans[3]
    angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
    flipped = image.angle_min + image.angle_increment * np.arange(len(image.ranges))
    assert np.allclose(np.sort(-flipped), np.sort(angles))
    k = len(angles) // 3
    assert image.ranges[np.argmin(np.abs(flipped + angles[k]))] == scan.ranges[k]


@pytest.mark.parametrize("name", [*EXACT, *(n for n in VARIANTS if n.startswith("frame"))])
def test_path_without_error_has_none_after_it_was_brought_back(name):
    variant = VARIANTS[name]
    changed = variant.change(LOG)
    rows = np.column_stack([changed.scan_stamps, changed.scan_odometry])
    truth = np.column_stack([LOG.scan_stamps, DRIVE.truth])
    assert path_error(variant.back(LOG, rows), truth) < 1e-6


@pytest.mark.parametrize("name", VARIANTS)
def test_variant_is_another_log_of_the_same_times(name):
    changed = VARIANTS[name].change(LOG)
    assert changed.scan_stamps.min() >= LOG.odometry_stamps.min()
    assert changed.scan_stamps.max() <= LOG.odometry_stamps.max()
    same = (
        len(changed.scans) == len(LOG.scans)
        and np.allclose(changed.scan_odometry, LOG.scan_odometry)
        and all(map(np.array_equal, ranges_of(changed), ranges_of(LOG)))
    )  # fmt: skip
    assert not same


def test_blocked_base_sees_the_same_while_odometry_goes_on():
    changed = VARIANTS["blocked, wheels turning"].change(LOG)
    again = np.flatnonzero(np.diff(changed.scan_numbers) == 0)
    assert len(again) >= 8
    assert np.hypot(*steps_of(changed.scan_odometry)[again, :2].T) == pytest.approx(0.2)


def test_path_turned_and_moved_as_a_whole_has_no_error():
    rows = np.column_stack([LOG.scan_stamps, turned_frame(LOG, 2.0).scan_odometry])
    assert path_error(rows, np.column_stack([LOG.scan_stamps, DRIVE.truth])) < 1e-6
    assert revisit_error(rows[:, 1:], DRIVE.truth) < 1e-6


def test_visit_that_is_moved_is_seen_where_the_other_one_was():
    truth = make_drive(5, 0).truth
    estimate = truth.copy()
    estimate[len(truth) // 2 :, 0] += 0.7
    assert revisit_error(estimate, truth) == pytest.approx(0.7, abs=1e-6)


def test_loop_that_the_ground_truth_contradicts_is_false():
    truth, stamps = DRIVE.truth, LOG.scan_stamps
    right = relative_all(truth[2], truth[9])
    loops = [
        SimpleNamespace(old=2, new=9, measured=right + off, information=known * np.eye(3))
        for off in ((0.1, 0.1, 0.1), (0.6, 0.0, 0.0), (0.0, 0.0, 0.2))
        for known in (1e3, 1.0)  # those that know nothing claim nothing
    ]
    mapper = SimpleNamespace(loops=loops, graph=SimpleNamespace(stamps=stamps))
    assert false_loops(mapper, stamps, truth) == 2


def test_variant_is_broken_by_the_error_of_its_own_log():
    changed = replace(ROW, group="variants", variant="mirrored", error=0.19)
    thinned = replace(ROW, group="variants", variant="every 4th scan", error=0.29)
    worse = replace(ROW, group="variants", variant="cut to 5 m", error=0.21)
    assert [row.broken for row in judged([ROW, changed, thinned, worse])] == [
        None,
        False,
        False,
        True,
    ]


def test_log_that_misses_its_bar_allows_its_variants_no_more():
    rows = [replace(ROW, name="intel", error=5.0)]
    rows.append(replace(rows[0], group="variants", variant="mirrored", error=0.1))
    assert [row.broken for row in judged(rows)] == [True, True]


def test_tables_take_the_place_between_the_marks_of_a_page():
    found = tables(judged([ROW]))
    page = f"# Mapping\n\n{marked([])}\n\nEnd.\n"
    once = put_into(page, found)
    assert once is not None
    assert once.startswith("# Mapping") and once.endswith("\n\nEnd.\n") and "| hall | 9 |" in once
    assert put_into(once, found) == once
    assert put_into("a page without marks", found) is None


def test_doubts_are_counted_with_their_share_of_the_scans():
    doubts = [SimpleNamespace(start=1.0, end=2.0), SimpleNamespace(start=2.0, end=2.5)]
    found = Doubts.of(SimpleNamespace(doubts=doubts), np.arange(4.0))
    assert found == Doubts(2, 0.5)
    assert Doubts.of(SimpleNamespace(), np.arange(4.0)) is None


def test_missed_bars_are_named():
    building = replace(ROW, group="buildings", name="3: rings", variant="jumps", doubts=0)
    rows = judged([
        replace(ROW, name="intel", error=0.05),
        replace(building, broken=True, false_loops=2),
        *[replace(building, broken=False)] * 9,
    ])  # fmt: skip
    assert missed_bars(rows) == [
        "intel: error 0.0500 m, allowed 0.036 m",
        "buildings: 1 of 10 broken, allowed 3 %",
        "buildings: false loops in 1 of 10, allowed none",
        "buildings: no doubt reported in 1 of 1 broken ones",
    ]
    titles = [table.title for table in tables(rows)]
    assert titles[0] == "Recorded logs"
    assert "| 3: rings | jumps |" in tables(rows)[-1].markdown()


def test_logs_of_a_folder_are_those_with_something_to_compare(tmp_path):
    for name in ("a.log.gz", "a.relations.gz", "b.log", "c.log", "c.gmapping.traj.gz"):
        (tmp_path / name).write_bytes(b"")
    cases = plan_cases(["real"], [tmp_path])
    assert [case.name for case in cases] == ["a", "c"]
