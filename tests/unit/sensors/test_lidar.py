"""LIDARs in a room whose distances can be computed, on a base that stands and that moves."""

from math import inf, pi, radians

import mujoco
import numpy as np
import pytest
from lidar_mast import FACING, HEIGHT, lidars, place, room, to_wall, wheels

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.estimation.pose_track import PoseTrack
from mecano.estimation.scan_fusion import fuse
from mecano.robots.lidars import tim551
from mecano.robots.madar.paper import LAUNCH_CROP
from mecano.robots.madar.paper import LIDAR_CROP as PAPER_CROP
from mecano.sensors.lidar import Lidar
from mecano.world.world import SEEN

FAST = (0.25, -0.1, 0.8)
"""About as fast as MADAR can be [m/s, rad/s]."""


def walls_seen(lidar: Lidar, base: Pose2) -> np.ndarray:
    """Return what a LIDAR should read in the room, by geometry."""
    T = base.to_pose() @ lidar.pose
    angles = lidar.read().angles
    directions = T.rotate_vectors(np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1))
    x, y, _ = T.position
    return to_wall(x, y, np.arctan2(directions[:, 1], directions[:, 0]))


# --- one scan


@pytest.mark.parametrize("name", FACING)
@pytest.mark.parametrize("base", [Pose2(), Pose2(1.2, -0.7, 2.1)])
def test_every_beam_reads_the_distance_to_the_wall(name, base):
    scan = (lidar := lidars(room(pose=base))[name]).read()
    np.testing.assert_allclose(scan.ranges, walls_seen(lidar, base), atol=1e-9)


def test_one_cast_of_all_beams_is_many_casts_of_one():
    world = room(things='<geom type="capsule" size="0.1 0.3" pos="1 1 0.2"/>', own=wheels())
    lidar = lidars(world, crop=None)["left"]
    at, turned = world.data.site_xpos[1], world.data.site_xmat[1].reshape(3, 3)
    own, hit = int(world.model.site_bodyid[1]), np.empty(1, np.int32)
    for angle, read in list(zip(lidar.read().angles, lidar.read().ranges, strict=True))[::7]:
        beam = turned @ [np.cos(angle), np.sin(angle), 0.0]
        far = mujoco.mj_ray(world.model, world.data, at, beam, SEEN, 1, own, hit)
        assert read == pytest.approx(far, abs=1e-12)


def test_the_device_is_a_tim551():
    facts = tim551("front", "tim_front", crop=None)
    scan = lidars(room(), crop=None)["front"].read()
    assert len(scan.ranges) == 271 and scan.scan_time == pytest.approx(1 / 15)
    assert (scan.angle_min, scan.angle_max) == pytest.approx((-radians(135), radians(135)))
    assert (scan.range_min, scan.range_max) == (0.05, 10.0)
    assert facts.beam_time == pytest.approx(185e-6, abs=0.5e-6) and facts.topic == "/scan_tim_front"


@pytest.mark.parametrize(("crop", "beams"), [(None, 271), (LAUNCH_CROP, 239), (PAPER_CROP, 121)])
def test_a_crop_leaves_beams_out(crop, beams):
    assert len(lidars(room(), crop=crop)["front"].read().ranges) == beams


def test_a_crop_may_be_changed_on_the_way():
    lidar = lidars(room())["front"]
    assert len(lidar.read().ranges) == 227
    lidar.crop = None
    assert len(lidar.read().ranges) == 227, "the scan that stands stays as it was"
    lidar.sample()
    assert len(lidar.read().ranges) == 271
    with pytest.raises(InvalidInput, match=r"crop \[rad\] is 3, expected a number in"):
        lidar.crop = 3.0


def test_a_lidar_upside_down_turns_the_other_way():
    post = '<geom type="cylinder" size="0.05 1" pos="1.35 0.5 0"/>'  # to the left of the front
    scan = lidars(room(things=post))["front"].read()
    assert scan.angles[np.argmin(scan.ranges)] == pytest.approx(-np.arctan2(0.5, 1.0), abs=0.03)


# --- its own robot


def test_own_wheels_are_seen_by_the_whole_device():
    scan = lidars(room(own=wheels()), crop=None)["front"].read()
    own = scan.ranges < 0.6
    assert own.any() and (np.abs(scan.angles[own]) > radians(114) - 1e-9).all()
    assert set(np.sign(scan.angles[own])) == {-1.0, 1.0}, "one on either side"


def test_the_default_crop_shows_no_own_wheel():
    for lidar in lidars(room(own=wheels())).values():
        assert lidar.read().ranges.min() > 1.0


def test_the_crop_of_the_real_launch_shows_some():
    assert lidars(room(own=wheels()), crop=LAUNCH_CROP)["front"].read().ranges.min() < 0.6


def test_an_own_arm_that_hangs_into_the_plane_is_seen():
    arm = f'<geom type="sphere" size="0.05" pos="0.7 0.1 {HEIGHT}" group="3"/>'
    assert lidars(room(own=arm))["front"].read().ranges.min() < 0.35


def test_a_site_inside_another_shape_is_refused():
    trap = f'<geom name="skirt" type="cylinder" size="0.45 0.1" pos="0 0 {HEIGHT}" group="3"/>'
    with pytest.raises(InvalidInput, match=r"'tim_front' is inside shape 'skirt' of body 'base_fo"):
        lidars(room(own=trap))


# --- range and noise


def test_nothing_in_reach_reads_infinite():
    lidar = lidars(room(walls=((12.0, 0.0, 0.05, 4.0),)))["front"]
    assert (lidar.read().ranges == inf).all() and (lidar.read(clean=True).ranges == inf).all()


def test_a_wall_at_the_end_of_the_range_is_just_seen():
    lidar = lidars(room(walls=((10.39, 0.0, 0.05, 0.5),)))["front"]
    middle = lidar.read().ranges[113]
    assert middle == pytest.approx(9.99, abs=1e-9)


def test_what_is_too_near_reads_like_no_echo():
    plate = '<geom type="box" size="0.002 0.3 1" pos="0.40 0 0"/>'  # 48 mm before the sensor
    ranges = lidars(room(things=plate))["front"].read().ranges
    assert ranges[113] == inf and 0.05 <= ranges[113 + 25] < 0.06


def test_noise_has_the_spread_of_the_data_sheet():
    world = room()
    readings, offsets = [], []
    for seed in range(40):
        lidar = lidars(world, seed=seed)["front"]
        readings.append(lidar.read().ranges - lidar.read(clean=True).ranges - lidar.offset)
        offsets.append(lidar.offset)
    assert np.std(readings) == pytest.approx(0.020, rel=0.03)
    assert abs(np.mean(readings)) < 0.001
    assert np.std(offsets) == pytest.approx(0.020, rel=0.35) and max(map(abs, offsets)) <= 0.060


def test_noisy_readings_are_whole_millimetres():
    ranges = lidars(room(), seed=3)["left"].read().ranges * 1000
    np.testing.assert_allclose(ranges, np.rint(ranges), atol=1e-9)


def test_the_same_seed_gives_the_same_scan():
    first, again, other = (lidars(room(), seed=s)["right"].read().ranges for s in (5, 5, 6))
    assert (first == again).all() and (first != other).any()


def test_without_noise_the_clean_reading_is_the_reading():
    lidar = lidars(room())["front"]
    assert (lidar.read().ranges == lidar.read(clean=True).ranges).all() and lidar.offset == 0.0


# --- switching, going back


def test_switched_off_the_last_scan_grows_old():
    world = room()
    lidar = lidars(world, seed=0)["left"]
    before = lidar.read()
    lidar.switch(False)
    world.step(100)
    lidar.sample()
    assert not lidar.enabled and lidar.read().stamp == before.stamp == 0.0
    lidar.switch(True)
    lidar.sample()
    assert lidar.read().stamp == pytest.approx(0.2)
    with pytest.raises(InvalidInput, match="switched 'off', allowed: True, False"):
        lidar.switch("off")  # pyright: ignore[reportArgumentType]


def test_memory_brings_everything_back():
    world = room()
    lidar = lidars(world, seed=0)["left"]
    kept, ranges = lidar.memory(), lidar.read().ranges
    lidar.crop, lidar.swept = PAPER_CROP, True
    lidar.sample()
    lidar.switch(False)
    lidar.recall(kept)
    assert lidar.enabled and not lidar.swept and lidar.crop == 1.98
    assert (lidar.read().ranges == ranges).all()


# --- moving


def test_a_swept_scan_at_rest_is_a_scan_at_once():
    world = room()
    lidar = lidars(world)["front"]
    at_once, lidar.swept = lidar.read(), True
    lidar.sample()
    scan = lidar.read()
    np.testing.assert_allclose(scan.ranges, at_once.ranges, atol=1e-9)
    assert scan.time_increment == pytest.approx(185.2e-6, abs=1e-7)
    assert scan.stamp == pytest.approx(-226 * scan.time_increment), "of the first beam"


@pytest.mark.parametrize("name", FACING)
def test_every_beam_of_a_swept_scan_is_of_its_own_time(name):
    world, end = room(), Pose2(0.4, -0.3, 0.9)
    lidar = lidars(world)[name]
    lidar.swept = True
    place(world, end, FAST)
    lidar.sample()
    scan = lidar.read()
    for k in range(0, len(scan.ranges), 15):
        passed = (k - (len(scan.ranges) - 1)) * scan.time_increment
        then = end @ Pose2.exp(np.array(FAST) * passed)
        assert scan.ranges[k] == pytest.approx(walls_seen(lidar, then)[k], abs=1e-6)


def drive(world, devices, *, seconds: float = 0.5):
    """Drive an arc through the room; return the track of exact odometry and the newest scans."""
    start, track = Pose2(0.4, -0.3, 0.9), PoseTrack()
    rate = {"front": 15.0, "left": 15.0, "right": 15.0}
    phase = {"front": 0.0, "left": 0.021, "right": 0.043}  # real ones are not in step
    for tick in range(round(seconds / 0.004) + 1):
        now = tick * 0.004
        pose = start @ Pose2.exp(np.array(FAST) * now)
        place(world, pose, FAST)
        world.data.time = now
        track = track.after(now, pose)
        for name, lidar in devices.items():
            if np.floor((now + phase[name]) * rate[name]) != np.floor(
                (now - 0.004 + phase[name]) * rate[name]
            ):
                lidar.sample()
    return track, {name: lidar.read() for name, lidar in devices.items()}


def walls_off(world, devices, scans, **options) -> float:
    """Return how far the fused walls are from what the middle of the base would see [m]."""
    fused = fuse(scans, {n: d.pose for n, d in devices.items()}, **options).scan
    track = options["track"]
    pose = track.at(fused.stamp)
    should = to_wall(pose.x, pose.y, fused.angles + pose.yaw)
    corner = np.abs(np.diff(should, n=2, append=should[:2])) > 2e-3
    keep = ~(corner | np.roll(corner, 1) | np.roll(corner, 2) | np.roll(corner, -1))
    keep &= should < 9.0
    assert keep.sum() > 600
    return float(np.abs(fused.ranges - should)[keep].max())


def test_a_moving_base_sees_the_walls_where_a_resting_one_does():
    world = room()
    devices = lidars(world)
    track, scans = drive(world, devices)
    assert len({scan.stamp for scan in scans.values()}) == 3, "each of its own time"
    assert walls_off(world, devices, scans, track=track) < 0.002
    resting = PoseTrack().after(0.0, track.at(max(s.stamp for s in scans.values())))
    assert walls_off(world, devices, scans, track=resting) > 0.05, "stamps are what it takes"


def test_deskewed_beams_of_a_swept_scan_lie_on_the_walls():
    world = room()
    devices = lidars(world)
    for lidar in devices.values():
        lidar.swept = True
    track, scans = drive(world, devices)
    skewed = walls_off(world, devices, scans, track=track)
    assert walls_off(world, devices, scans, track=track, deskew=True) < 0.002 < 0.02 < skewed


def test_the_fused_scan_is_that_from_the_middle():
    base = Pose2(0.4, -0.3, pi / 7)
    devices = lidars(world := room(pose=base))
    track = PoseTrack().after(0.0, base)
    scans = {name: lidar.read() for name, lidar in devices.items()}
    assert walls_off(world, devices, scans, track=track) < 1e-6


# --- against the engine

SHAPES = """
<geom type="sphere" size="0.3" pos="1.5 0.5 0.2"/>
<geom type="capsule" size="0.1 0.4" pos="-1.2 1.0 0.3" euler="30 50 0"/>
<geom type="capsule" size="0.2 0.3" pos="0.5 -2.0 -0.1"/>
<geom type="cylinder" size="0.2 0.4" pos="0.3 1.7 0.3" euler="70 10 0"/>
<geom type="cylinder" size="0.25 0.2" pos="-2.0 -0.4 0.1"/>
<geom type="ellipsoid" size="0.5 0.2 0.3" pos="2.0 -1.6 0.2" euler="20 0 40"/>
<geom type="box" size="0.3 0.2 0.4" pos="-1.0 -1.8 0.2" euler="0 25 35"/>
<geom type="box" size="0.3 0.2 0.4" pos="1 3 0.9"/>
<geom type="plane" size="0.5 0 0.1" pos="2.8 2.0 0.2" zaxis="-1 -0.5 0.3"/>
<geom type="plane" size="0 0.4 0.1" pos="-2.8 2.0 0.2" zaxis="1 0 0.3"/>
<geom type="sphere" size="0.2" pos="0.9 0 0.15" rgba="1 1 1 0"/>
<geom type="sphere" size="0.2" pos="0.9 -0.9 0.15" group="2"/>
"""


@pytest.mark.parametrize("seed", range(6))
def test_beams_meet_what_the_engines_rays_meet(seed):
    rng = np.random.default_rng(seed)
    world = room(things=SHAPES, own=wheels())
    devices = lidars(world, crop=None)
    x, y, yaw = rng.uniform(-1, 1, 3)
    place(world, Pose2(x, y, 3 * yaw))
    if seed > 2:  # on a slope: the floor comes into view
        world.data.qpos[3:7] = [1.0, *rng.uniform(-0.03, 0.03, 2), 0.3]
    for lidar in devices.values():
        lidar.sample()
        compared = lidar.read().ranges
        turned = world.data.site_xmat[lidar._site].reshape(3, 3)
        starts = np.tile(world.data.site_xpos[lidar._site], (271, 1))
        asked = lidar._ask_engine(starts, lidar._beams @ turned.T, 0.0)
        asked[(asked < 0.05) | (asked > 10.0)] = inf
        np.testing.assert_allclose(compared, asked, atol=1e-9)


def test_beams_from_inside_a_shape_meet_its_inner_side():
    cage = '<geom type="{}" size="1 1 1" pos="0 0 0.3"/>'
    for kind in ("sphere", "box", "cylinder", "capsule", "ellipsoid"):
        lidar = lidars(world := room(things=cage.format(kind)))["front"]
        turned = world.data.site_xmat[lidar._site].reshape(3, 3)
        starts = np.tile(world.data.site_xpos[lidar._site], (227, 1))
        asked = lidar._ask_engine(starts, lidar._beams @ turned.T, 0.0)
        np.testing.assert_allclose(lidar.read().ranges, asked, atol=1e-9)
        assert asked.max() < 2.0


@pytest.mark.parametrize("swept", [False, True])
def test_a_mesh_in_the_plane_is_left_to_the_engine(swept):
    asset = '<asset><mesh name="wedge" vertex="0 -1 0 0 1 0 1 0 0 0 0 1"/></asset>'
    world = room(things='<geom type="mesh" mesh="wedge" pos="1 0 0"/>', assets=asset)
    lidar = lidars(world)["front"]
    lidar.swept = swept
    lidar.sample()
    assert lidar.read().ranges[113] == pytest.approx(0.65, abs=1e-6)
