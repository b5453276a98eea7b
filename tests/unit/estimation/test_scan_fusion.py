"""One scan of several, in rooms whose distances can be computed; no simulator is needed."""

from math import cos, inf, nan, pi, radians, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose, Pose2
from mecano.estimation.pose_track import PoseTrack
from mecano.estimation.scan_fusion import FusedScan, fuse

FACING = {"front": 0.0, "left": 2 * pi / 3, "right": -2 * pi / 3}
POSES = {
    name: Pose.from_xyz_rpy((0.35 * cos(a), 0.35 * sin(a), 0.152), (pi, 0.0, a))
    for name, a in FACING.items()
}
PERIOD = 1 / 15
SQUARE = np.array([[2.0, 0], [0, 2.0], [-2.0, 0], [0, -2.0]])
"""Nearest points of four walls to the origin [m]."""
poses = st.builds(
    Pose2, st.floats(-1.2, 1.2), st.floats(-1.2, 1.2), st.floats(-pi, pi, exclude_min=True)
)


def cast(x, y, angle, walls=SQUARE) -> np.ndarray:
    """Return how far walls are from a point along rays [m]."""
    far = np.full(np.shape(angle), inf)
    for wall in walls:
        size = np.hypot(*wall)
        towards = (np.cos(angle) * wall[0] + np.sin(angle) * wall[1]) / size
        room = size - (x * wall[0] + y * wall[1]) / size
        far = np.minimum(far, room / np.where(towards > 1e-12, towards, 1e-12))
    return np.where(far <= 10.0, far, inf)


def scan_of(name: str, base: Pose2, *, stamp: float = 0.0, crop: float = 113.0, walls=SQUARE):
    """Return what a LIDAR on a base at a pose reads."""
    angles = np.radians(np.arange(-crop, crop + 0.5))
    T = base.to_pose() @ POSES[name]
    rays = T.rotate_vectors(np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1))
    x, y, _ = T.position
    return made(cast(x, y, np.arctan2(rays[:, 1], rays[:, 0]), walls), stamp, crop)


def made(ranges, stamp: float = 0.0, crop: float = 113.0) -> LaserScan:
    return LaserScan(
        stamp=stamp, angle_min=-radians(crop), angle_max=radians(crop),
        angle_increment=radians(1), range_min=0.05, range_max=10.0, ranges=ranges,
        scan_time=PERIOD,
    )  # fmt: skip


def scans_at(base: Pose2, **options) -> dict[str, LaserScan]:
    return {name: scan_of(name, base, **options) for name in FACING}


def smooth(should: np.ndarray) -> np.ndarray:
    """Return the directions that are not beside a corner of the room, where beams cut it off."""
    edge = np.abs(np.diff(should, n=2, append=should[:2])) > 2e-3
    return ~np.any([np.roll(edge, k) for k in range(-2, 4)], axis=0)


# --- what it says


@settings(max_examples=40)
@given(poses)
def test_a_room_looks_as_from_the_middle_of_the_base(base):
    scan = fuse(scans_at(base), POSES).scan
    should = cast(base.x, base.y, scan.angles + base.yaw)
    good = smooth(should)
    assert good.sum() > 640
    np.testing.assert_allclose(scan.ranges[good], should[good], atol=2e-3)
    assert np.median(np.abs(scan.ranges - should)) < 1e-9
    assert np.abs(scan.ranges - should).max() < 0.08, "beams cut corners off"


@settings(max_examples=20)
@given(st.integers(0, 719))
def test_a_turned_base_sees_the_same_room_turned(bins):
    """Rotation equivariance: turn base and room, and nothing changes; turn the base, all shifts."""
    angle = bins * 2 * pi / 720
    walls = SQUARE @ Pose2(yaw=angle).rotation_matrix().T
    still, both = (
        fuse(scans_at(Pose2()), POSES),
        fuse({n: scan_of(n, Pose2(yaw=angle), walls=walls) for n in FACING}, POSES),
    )
    assert_alike(both.scan.ranges, still.scan.ranges)
    mounts = {n: Pose2(yaw=angle).to_pose() @ pose for n, pose in POSES.items()}
    shifted = fuse(scans_at(Pose2()), mounts).scan.ranges
    assert_alike(np.roll(still.scan.ranges, bins), shifted)


def assert_alike(one: np.ndarray, other: np.ndarray) -> None:
    """Scans agree; a beam on the edge between two bins may fall to either, by round-off."""
    both = np.isfinite(one) & np.isfinite(other)
    np.testing.assert_allclose(one[both], other[both], atol=1e-9)
    assert (np.isfinite(one) != np.isfinite(other)).sum() <= 2


@pytest.mark.parametrize("bins", [360, 500, 720])
def test_no_direction_falls_between_beams(bins):
    scan = fuse(scans_at(Pose2(0.9, -0.8, 1.0)), POSES, bins=bins).scan
    assert len(scan.ranges) == bins and np.isfinite(scan.ranges).all()
    assert scan.angle_increment == pytest.approx(2 * pi / bins) and scan.angles[0] == -pi


def test_the_nearest_return_of_a_direction_counts():
    scans = scans_at(Pose2())
    ranges = scans["front"].ranges.copy()
    ranges[113] = 0.4  # a thin post, met by one beam
    scan = fuse(scans | {"front": made(ranges)}, POSES).scan
    assert scan.ranges[360] == pytest.approx(0.75)
    assert np.nanmin(np.delete(scan.ranges, 360)) >= 1.99
    assert np.isnan(scan.ranges[[359, 361]]).all(), "no beam passed beside it"


def test_an_edge_before_a_wall_is_not_joined_to_it():
    ranges = np.full(227, 6.0)
    ranges[100:127] = 1.0
    far = fuse({"front": made(ranges)}, {"front": Pose()}).scan.ranges
    between = (far > 1.01) & (far < 5.99)
    assert not between.any()


def test_returns_inside_the_base_are_left_out():
    ranges = np.full(227, 5.0)
    ranges[113 + 80 : 113 + 90] = 0.2
    at = Pose.from_xyz_rpy((0.1, 0.0, 0.0))
    assert np.nanmin(fuse({"front": made(ranges)}, {"front": at}).scan.ranges) > 4.0


def test_free_is_not_blind():
    fused = fuse({"front": made(np.full(227, inf))}, {"front": Pose()})
    angles, ranges = fused.scan.angles, fused.scan.ranges
    ahead = np.abs(angles) < radians(113)
    assert (ranges[ahead] == inf).all() and np.isnan(ranges[np.abs(angles) > radians(114)]).all()
    np.testing.assert_array_equal(fused.covered, ranges == inf)
    ((a, b),) = fused.blind
    assert np.degrees([a, b]) == pytest.approx([114.0, -114.0], abs=0.6)
    assert fused.gaps == ()


def test_what_is_in_a_shadow_is_neither_free_nor_blind():
    ranges = np.full(227, inf)
    ranges[100:127] = 1.0  # a box before the front sensor; the far end behind it is not seen
    fused = fuse({"front": made(ranges)}, {"front": POSES["front"]})
    angles = fused.scan.angles
    behind = np.abs(angles) < radians(13)
    shadow = behind & ~np.isfinite(fused.scan.ranges)
    assert np.isnan(fused.scan.ranges[shadow]).all() and fused.covered[behind].all()


def test_failed_beams_are_not_taken_for_anything():
    ranges = np.full(227, 3.0)
    ranges[50:60] = nan
    scan = fuse({"front": made(ranges)}, {"front": Pose()}).scan
    hole = (scan.angles > radians(-62)) & (scan.angles < radians(-54.8))
    assert np.isnan(scan.ranges[hole]).all()


def test_the_papers_crop_is_blind_in_three_corridors():
    fused = fuse(scans_at(Pose2(), crop=60.0), POSES)
    mids = [np.degrees(a + ((b - a) % (2 * pi)) / 2) for a, b in fused.blind]
    assert sorted(np.rint(mids) % 360) == [60, 180, 300]
    assert not fuse(scans_at(Pose2()), POSES).blind


# --- time


def moving(fused: FusedScan, pose: Pose2) -> float:
    should = cast(pose.x, pose.y, fused.scan.angles + pose.yaw)
    good = smooth(should)
    return float(np.abs(fused.scan.ranges - should)[good].max())


@settings(max_examples=30)
@given(st.tuples(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(-0.9, 0.9)))
def test_scans_of_different_times_are_brought_to_one(twist):
    start, twist = Pose2(0.2, 0.1, 0.4), np.array(twist)
    where = {t: start @ Pose2.exp(twist * t) for t in (0.0, 0.02, 0.04, 0.06)}
    track = PoseTrack()
    for stamp, pose in where.items():
        track = track.after(stamp, pose)
    times = {"front": 0.011, "left": 0.052, "right": 0.034}  # between the poses of the track
    scans = {n: scan_of(n, start @ Pose2.exp(twist * t), stamp=t) for n, t in times.items()}
    fused = fuse(scans, POSES, track=track)
    assert fused.scan.stamp == 0.052
    assert moving(fused, start @ Pose2.exp(twist * 0.052)) < 1e-6


def test_it_does_not_matter_where_odometry_began():
    twist, shift = np.array([0.3, 0.1, 0.8]), Pose2(5.0, -7.0, 2.0)
    times = {"front": 0.0, "left": 0.02, "right": 0.05}
    scans = {n: scan_of(n, Pose2.exp(twist * t), stamp=t) for n, t in times.items()}
    track = PoseTrack((0.0, 0.05), (Pose2(), Pose2.exp(twist * 0.05)))
    other = track.moved(Pose2(), shift)
    here, there = (fuse(scans, POSES, track=each).scan.ranges for each in (track, other))
    np.testing.assert_allclose(here, there, atol=1e-9)


def test_a_silent_lidar_is_left_out_and_told():
    base, now = Pose2(0.5, 0.2, 0.3), 0.5
    scans = scans_at(base, stamp=now) | {"left": scan_of("left", base, stamp=0.0)}
    fused = fuse(scans, POSES, now=now)
    (gap,) = fused.gaps
    assert gap.sensor == "left" and gap.age == pytest.approx(0.5)
    ((a, b),) = gap.bearings
    assert radians(105) < a < b < radians(135), "between what front and right see"
    unseen = (fused.scan.angles > a + 0.03) & (fused.scan.angles < b - 0.03)
    assert np.isnan(fused.scan.ranges[unseen]).all() and not fused.covered[unseen].any()
    seen = fused.covered
    should = cast(base.x, base.y, fused.scan.angles + base.yaw)
    good = seen & smooth(should) & np.isfinite(fused.scan.ranges)
    assert good.sum() > 600
    np.testing.assert_allclose(fused.scan.ranges[good], should[good], atol=0.02)
    assert str(gap).startswith("LIDAR left: no scan for 0.50 s; nobody sees 11")


@pytest.mark.parametrize(("periods", "gaps"), [(2.4, 0), (2.6, 1)])
def test_a_scan_is_too_old_after_two_and_a_half_periods(periods, gaps):
    scans = scans_at(Pose2(), stamp=1.0)
    scans["left"] = scan_of("left", Pose2(), stamp=1.0 - periods * PERIOD)
    assert len(fuse(scans, POSES).gaps) == gaps


def test_with_all_silent_nothing_is_known():
    fused = fuse(scans_at(Pose2(), stamp=1.0), POSES, now=2.0)
    assert np.isnan(fused.scan.ranges).all() and not fused.covered.any()
    assert len(fused.gaps) == 3 and fused.scan.stamp == 2.0 and fused.blind == ((-pi, pi),)


def test_a_silent_lidar_whose_view_others_have_leaves_no_gap():
    both = {"front": scan_of("front", Pose2(), stamp=1.0), "spare": scan_of("front", Pose2())}
    (gap,) = fuse(both, {"front": POSES["front"], "spare": POSES["front"]}).gaps
    assert gap.bearings == () and "the others see all" in str(gap)


# --- what is refused


def test_wrong_input_is_named():
    with pytest.raises(InvalidInput, match="no scan to fuse"):
        fuse({}, POSES)
    with pytest.raises(UnknownName, match="no pose of a LIDAR named 'rear'"):
        fuse({"rear": made(np.full(227, 1.0))}, POSES)
    for bins in (3, 720.0, True):
        with pytest.raises(InvalidInput, match="bins is"):
            fuse(scans_at(Pose2()), POSES, bins=bins)  # pyright: ignore[reportArgumentType]


# --- the track


def test_a_track_is_an_arc_between_poses():
    twist = np.array([0.4, -0.2, 1.5])
    track = PoseTrack((0.0, 0.5, 1.0), tuple(Pose2.exp(twist * t) for t in (0.0, 0.5, 1.0)))
    for t in (0.0, 0.2, 0.5, 0.77, 1.0, 1.05):
        assert track.at(t).is_close(Pose2.exp(twist * t))
    assert track.at(-1.0).is_close(Pose2()), "it stood before"
    assert track.at(3.0).is_close(Pose2.exp(twist * 1.1)), "it is not led far ahead"


def test_a_track_forgets_what_is_older_than_its_span():
    track = PoseTrack(span=0.1)
    for k in range(50):
        track = track.after(0.02 * k, Pose2(x=k))
    assert 5 <= len(track.poses) <= 6 and track.after(0.98, Pose2()) is track


def test_two_tracks_go_on_from_one_without_disturbing_each_other():
    start = PoseTrack().after(0.0, Pose2()).after(0.1, Pose2(x=1.0))
    one, other = start.after(0.2, Pose2(x=2.0)), start.after(0.15, Pose2(x=3.0))
    assert [p.x for p in one.after(0.3, Pose2(x=4.0)).poses] == [0.0, 1.0, 2.0, 4.0]
    assert one.stamps == (0.0, 0.1, 0.2) and other.stamps == (0.0, 0.1, 0.15)
    assert [p.x for p in start.poses] == [0.0, 1.0]


def test_a_long_track_keeps_no_more_than_it_needs():
    track = PoseTrack(span=0.1)
    for k in range(5000):
        track = track.after(0.02 * k, Pose2(x=k))
    assert len(track._stamps) == len(track._poses) < 2000
    assert [p.x for p in track.poses] == [4995, 4996, 4997, 4998, 4999]


def test_a_track_without_poses_knows_nothing():
    with pytest.raises(InvalidInput, match="the track is empty"):
        PoseTrack().at(0.0)
    with pytest.raises(InvalidInput, match="must rise"):
        PoseTrack((1.0, 1.0), (Pose2(), Pose2()))
