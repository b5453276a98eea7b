"""What MADAR's three LIDARs have in view, against the shares of its fact sheet."""

from math import cos, pi, radians, sin

import numpy as np
import pytest

from mecano.core.poses import Pose
from mecano.estimation.scan_coverage import arcs, blind_share, coverage, directions, seen_by
from mecano.robots.madar.description import LIDAR_CROP as CLEAR_CROP
from mecano.robots.madar.paper import LAUNCH_CROP
from mecano.robots.madar.paper import LIDAR_CROP as PAPER_CROP

FACING = {"front": 0.0, "left": 2 * pi / 3, "right": -2 * pi / 3}
MADAR = {
    name: Pose.from_xyz_rpy((0.35 * cos(a), 0.35 * sin(a), 0.152), (pi, 0.0, a))
    for name, a in FACING.items()
}


def test_the_papers_crop_leaves_blind_corridors():
    shares = coverage(MADAR, [PAPER_CROP])[PAPER_CROP]
    assert {d: round(100 * s) for d, s in shares.items()} == {0.5: 62, 1.0: 29, 2.0: 15, 5.0: 6}


def test_a_corridor_is_as_wide_far_out_as_near():
    widths = [2 * d * sin(pi * blind_share(MADAR, PAPER_CROP, d) / 3) for d in (1.0, 3.0, 9.0)]
    np.testing.assert_allclose(widths, 0.606, atol=0.03)


@pytest.mark.parametrize("crop", [CLEAR_CROP, LAUNCH_CROP])
def test_wider_crops_leave_none(crop):
    assert set(coverage(MADAR, [crop])[crop].values()) == {0.0}


def test_each_sees_a_third_with_the_papers_crop():
    for name, seen in seen_by(MADAR, PAPER_CROP, 1000.0, directions()).items():
        assert seen.mean() == pytest.approx(1 / 3, abs=1e-3), name


def test_three_alike_see_alike():
    seen = seen_by(MADAR, CLEAR_CROP, 2.0, directions(3600))
    np.testing.assert_array_equal(np.roll(seen["front"], 1200), seen["left"])
    np.testing.assert_array_equal(np.roll(seen["front"], -1200), seen["right"])


def test_runs_of_directions_may_pass_pi():
    mask = np.zeros(360, bool)
    mask[:11] = mask[350:] = mask[100:121] = True
    np.testing.assert_allclose(
        arcs(mask), [(radians(-80), radians(-60)), (radians(170), radians(-170))]
    )
    assert arcs(np.ones(8, bool)) == ((-pi, pi),) and arcs(np.zeros(8, bool)) == ()
