"""Scans cut out of depth pictures whose points are known."""

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.messages import CameraInfo, Image
from mecano.core.poses import Pose
from mecano.perception import depth_scan, scan_mount
from mecano.sensors.depth_noise import DepthNoise

CAMERA = Pose.from_xyz_rpy([-0.087, -0.0125, 0.297], [0.0, 0.0, 0.0])
INFO = CameraInfo.from_field_of_view(320, 240, np.radians(43.0), stamp=0.0, frame="optical")


def picture(depth: np.ndarray) -> Image:
    return Image(stamp=2.0, frame="optical", encoding="32FC1", data=depth.astype(np.float32))


def wall(away: float) -> np.ndarray:
    """Return depths of a wall straight across, so many metres ahead of the camera."""
    return np.full((240, 320), away)


def test_a_wall_ahead_reads_its_distance_over_the_cosine():
    scan = depth_scan(picture(wall(2.0)), INFO, CAMERA)
    np.testing.assert_allclose(scan.ranges * np.cos(scan.angles), 2.0, rtol=2e-3)
    assert scan.stamp == 2.0 and np.isfinite(scan.ranges).all()
    assert np.degrees(scan.angle_max) == pytest.approx(27.7, abs=0.2)


def test_every_bearing_is_that_of_its_column():
    depth = wall(np.nan)
    depth[:, 40:50] = 1.5  # left of the middle: to the left of the robot
    scan = depth_scan(picture(depth), INFO, CAMERA)
    seen = scan.angles[np.isfinite(scan.ranges)]
    focal = INFO.K[0, 0]
    np.testing.assert_allclose(seen.mean(), np.arctan((159.5 - 44.5) / focal), atol=2e-3)
    assert (seen > 0.0).all()


@pytest.mark.parametrize(("height", "seen"), [(0.20, False), (0.30, True), (0.45, False)])
def test_only_heights_in_the_window_count(height, seen):
    depth = wall(3.0)
    rows = np.arange(240)
    heights = 0.297 - 1.0 * (rows - 119.5) / INFO.K[1, 1]  # at one metre
    depth[np.abs(heights - height) < 0.02] = 1.0
    scan = depth_scan(picture(depth), INFO, CAMERA)
    middle = scan.ranges[len(scan.ranges) // 2]
    assert (middle == pytest.approx(1.0, abs=0.01)) == seen


def test_a_thing_before_a_wall_hides_it():
    depth = wall(3.0)
    depth[115:125, 150:170] = 1.0
    scan = depth_scan(picture(depth), INFO, CAMERA)
    middle = len(scan.ranges) // 2
    assert scan.ranges[middle] == pytest.approx(1.0, abs=0.01)
    assert scan.ranges[5] > 3.0


def test_a_camera_that_looks_down_gives_the_same_scan():
    tilted = Pose.from_xyz_rpy([0.0, 0.0, 0.5], [0.0, 0.1, 0.0])
    columns, rows = np.meshgrid(np.arange(320), np.arange(240))
    rays = INFO.ray_directions(np.stack([columns, rows], axis=-1))
    # A wall 2 m ahead in the level frame: depth along each ray until x is 2.
    forward = np.stack([rays[..., 2], -rays[..., 0], -rays[..., 1]], axis=-1)
    level = forward @ tilted.rotation_matrix().T
    scan = depth_scan(picture(2.0 / level[..., 0]), INFO, tilted)
    seen = np.isfinite(scan.ranges)
    assert seen.mean() > 0.97
    np.testing.assert_allclose((scan.ranges * np.cos(scan.angles))[seen], 2.0, rtol=3e-3)


def test_noise_of_a_kinect_does_not_pull_walls_nearer():
    random = np.random.default_rng(4)
    errors = []
    for _ in range(10):
        noisy = DepthNoise().apply(wall(3.0).astype(np.float32), float(INFO.K[0, 0]), random)
        scan = depth_scan(picture(noisy), INFO, CAMERA)
        errors.append((scan.ranges * np.cos(scan.angles) - 3.0)[10:-10])
    assert abs(np.nanmean(errors)) < 0.004
    assert np.nanstd(errors) < 0.010  # one pixel alone has 0.014


def test_nothing_in_sight_reads_as_unknown():
    scan = depth_scan(picture(wall(np.nan)), INFO, CAMERA)
    assert np.isnan(scan.ranges).all() and not scan.valid.any()


def test_what_is_nearer_or_further_than_asked_is_left_out():
    assert not depth_scan(picture(wall(0.35)), INFO, CAMERA).valid.any()
    assert not depth_scan(picture(wall(5.5)), INFO, CAMERA).valid.any()


def test_the_mount_is_where_the_camera_is():
    mount = scan_mount(Pose.from_xyz_rpy([0.1, -0.2, 0.4], [0.0, 0.3, 0.5]))
    np.testing.assert_allclose([mount.x, mount.y, mount.yaw], [0.1, -0.2, 0.5])


def test_a_camera_that_looks_up_has_no_scan():
    with pytest.raises(InvalidInput, match="straight up or down"):
        scan_mount(Pose.from_xyz_rpy([0.0, 0.0, 0.4], [0.0, np.pi / 2, 0.0]))


def test_a_picture_of_another_size_is_refused():
    with pytest.raises(InvalidInput, match=r"shape \(120, 160\), its camera takes \(240, 320\)"):
        depth_scan(picture(np.ones((120, 160))), INFO, CAMERA)


def test_a_window_upside_down_is_refused():
    with pytest.raises(InvalidInput, match=r"from 0\.35 to 0\.25 m"):
        depth_scan(picture(wall(1.0)), INFO, CAMERA, window=(0.35, 0.25))
