"""A drive log holds what fits together, and says what does not."""

import numpy as np
import pytest

from mecano.core.drive_log import DriveLog
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2


def scan(stamp: float) -> LaserScan:
    return LaserScan(
        stamp=stamp, frame="laser", angle_min=-1.0, angle_max=1.0, angle_increment=1.0,
        range_min=0.0, range_max=10.0, ranges=np.array([1.0, 2.0, np.inf]),
    )  # fmt: skip


def log(stamps=(0.0, 1.0, 2.0), scans=(0.5, 1.5), rows=2) -> DriveLog:
    return DriveLog(
        source="a test", odometry_stamps=np.array(stamps), odometry=np.zeros((len(stamps), 3)),
        scans=tuple(map(scan, scans)), scan_odometry=np.arange(3.0 * rows).reshape(rows, 3),
    )  # fmt: skip


def test_it_goes_through_scans_with_their_odometry():
    stamps, poses = zip(*((s.stamp, p) for s, p in log()), strict=True)
    assert stamps == (0.5, 1.5) and poses == (Pose2(0.0, 1.0, 2.0), Pose2(3.0, 4.0, 5.0))
    assert log().duration == pytest.approx(2.0)


def test_scans_may_share_a_time():
    assert log(scans=(0.5, 0.5)).scan_stamps == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"stamps": (0.0, 2.0, 1.0)}, "must rise"),
        ({"stamps": (0.0, 1.0, 1.0)}, "must rise"),
        ({"scans": (1.5, 0.5)}, "must not fall"),
        ({"rows": 3}, "shape"),
        ({"stamps": (0.0, np.nan, 1.0)}, "finite"),
    ],
)
def test_parts_that_do_not_fit_are_refused(wrong, said):
    with pytest.raises(InvalidInput, match=said):
        log(**wrong)
