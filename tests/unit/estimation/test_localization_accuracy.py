import numpy as np
import pytest

from mecano.core.drive_log import DriveLog
from mecano.core.errors import InvalidInput
from mecano.estimation.localization.accuracy import compare_with_truth
from mecano.estimation.localization.odometry_jumps import jumps, without_jumps

STAMPS = np.linspace(0.0, 49.5, 100)
TRUTH = np.column_stack([0.2 * STAMPS, np.zeros(100), np.zeros(100)])


def test_the_truth_has_no_error():
    same = compare_with_truth(STAMPS, TRUTH, STAMPS, TRUTH)
    assert same.converged
    assert same.largest == pytest.approx(0.0, abs=1e-12)
    assert (same.judged, same.ambiguous, same.seconds, same.distance) == (100, 0, 0.0, 0.0)


def test_errors_count_from_where_the_estimate_stays_right():
    poses = TRUTH + np.array([0.03, 0.04, np.deg2rad(2.0)])
    poses[:20, 1] += 3.0
    found = compare_with_truth(STAMPS, poses, STAMPS, TRUTH)
    assert found.converged
    assert found.seconds == pytest.approx(10.0)
    assert found.distance > 1.9
    assert found.mean == pytest.approx(0.05)
    assert found.mean_deg == pytest.approx(2.0)


def test_an_estimate_that_goes_wrong_at_the_end_has_not_converged():
    poses = TRUTH.copy()
    poses[-1, 2] = 1.0
    found = compare_with_truth(STAMPS, poses, STAMPS, TRUTH)
    assert not found.converged
    assert found.to_json()["seconds"] is None
    assert "lost" in str(found)


def test_stamps_in_bursts_are_not_judged():
    stamps = STAMPS.copy()
    stamps[51] = stamps[50]
    found = compare_with_truth(stamps, TRUTH, STAMPS, TRUTH)
    assert found.ambiguous == 2
    assert found.mean == pytest.approx(0.0, abs=1e-12)
    assert found.judged == 98


def test_all_instants_of_the_truth_are_judged_with_odometry_in_between():
    every_tenth = slice(None, None, 10)
    curve = np.column_stack([STAMPS, np.sin(STAMPS), 0.1 * STAMPS])
    log = DriveLog(
        source="test", odometry_stamps=STAMPS, odometry=curve, scans=(),
        scan_odometry=np.zeros((0, 3)),
    )  # fmt: skip
    stamps, poses = STAMPS[every_tenth], curve[every_tenth]
    bridged = compare_with_truth(stamps, poses, STAMPS, curve, log=log)
    assert bridged.instants == 91  # up to the last pose
    assert bridged.mean_at_instants == pytest.approx(0.0, abs=1e-12)
    straight = compare_with_truth(stamps, poses, STAMPS, curve)
    assert straight.mean_at_instants > 0.3


def test_between_close_true_poses_the_truth_is_straight():
    dense = np.linspace(0.0, 10.0, 1001)
    truth = np.column_stack([dense, np.zeros((len(dense), 2))])
    stamps = np.linspace(1.005, 8.005, 8)
    poses = np.column_stack([stamps, np.zeros((8, 2))])
    assert compare_with_truth(stamps, poses, dense, truth).largest < 1e-9


def test_times_that_never_meet_are_refused():
    with pytest.raises(InvalidInput, match="same log"):
        compare_with_truth(STAMPS, TRUTH, STAMPS + 0.25, TRUTH)


def test_a_jump_of_odometry_is_no_way_that_was_driven():
    said = TRUTH.copy()
    said[10:, 0] += 8.0
    log = DriveLog(
        source="test", odometry_stamps=STAMPS, odometry=said, scans=(),
        scan_odometry=np.zeros((0, 3)),
    )  # fmt: skip
    assert jumps(STAMPS, said).sum() == 1
    poses = TRUTH.copy()
    poses[:20, 1] += 3.0
    found = compare_with_truth(STAMPS, poses, STAMPS, TRUTH, log=log)
    assert found.distance == pytest.approx(0.1 * 19)  # it stood still over one step of 20


def test_odometry_is_joined_where_it_jumps():
    said = TRUTH.copy()
    said[40:] += [-5.0, 9.0, 2.0]
    joined = without_jumps(STAMPS, said)
    steps = np.hypot(*np.diff(joined[:, :2], axis=0).T)
    assert steps[39] == 0.0
    np.testing.assert_allclose(np.delete(steps, 39), 0.1)
    assert without_jumps(STAMPS, TRUTH) is TRUTH
