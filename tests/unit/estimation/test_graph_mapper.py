"""Graph SLAM in worlds whose truth is known: loops, mirrors, standing still, bad input."""

from functools import cache
from math import inf, nan, pi, radians

import numpy as np
import pytest
from slam_world import RING, ROOM, drifting, errors, look, way

from mecano.core.errors import InvalidInput
from mecano.core.messages.maps import OCCUPIED
from mecano.core.poses import Pose2
from mecano.estimation.slam.graph_mapper import GraphMapper
from mecano.estimation.slam.mapper import Mapper
from mecano.estimation.slam.settings import SlamSettings

ROUND = way([(1.1, 1.0), (14.9, 1.0), (14.9, 11.0), (1.1, 11.0), (1.1, 1.0), (8.0, 1.0)], step=0.4)
HERE = np.array([4.5, 1.5, 0.7])


def mapped(walls, poses, said, *, mirror=False, finish=True, settings=None, **options):
    """Drive through a world and map it."""
    mapper = GraphMapper(settings)
    for k, (pose, odometry) in enumerate(zip(poses, said, strict=True)):
        scan = look(walls, pose, stamp=0.5 * k, **options)
        if mirror:
            object.__setattr__(scan, "ranges", scan.ranges[::-1].copy())
            odometry = Pose2(odometry.x, -odometry.y, -odometry.yaw)
        mapper.add(scan, odometry)
    if finish:
        mapper.finish()
    return mapper


@cache
def ring(seed: int = 3, mirror: bool = False) -> GraphMapper:
    rng = np.random.default_rng(seed)
    said = drifting(ROUND, slip=0.03, skid=0.08, rng=rng)
    return mapped(RING, ROUND, said, mirror=mirror, noise=0.01, rng=np.random.default_rng(seed))


def is_mapper(mapper: Mapper) -> Mapper:
    return mapper


# --- what it says


def test_a_loop_closes():
    mapper = is_mapper(ring())
    off, turned = errors(mapper.trajectory, ROUND)
    assert len(mapper.loops) > 0
    assert off.max() < 0.06 and np.sqrt(np.mean(off**2)) < 0.03
    assert np.degrees(turned.max()) < 0.6


def test_odometry_alone_would_have_missed_it():
    said = drifting(ROUND, slip=0.03, skid=0.08, rng=np.random.default_rng(3))
    rows = np.array([(0.0, p.x, p.y, p.yaw) for p in said])
    assert errors(rows, ROUND)[0].max() > 0.5


def test_walls_of_the_map_are_where_they_should_be():
    grid = ring().grid(0.05)
    cells = np.argwhere(grid.data == OCCUPIED)
    points = grid.cell_to_world(cells)
    ends = np.array(RING, dtype=float)
    a, d = ends[:, :2], ends[:, 2:] - ends[:, :2]
    share = np.einsum("nwi,wi->nw", points[:, None] - a, d) / np.sum(d * d, axis=1)
    nearest = a + np.clip(share, 0.0, 1.0)[..., None] * d
    away = np.hypot(*np.moveaxis(points[:, None] - nearest, -1, 0)).min(axis=1)
    assert len(cells) > 500
    assert np.mean(away < 0.1) > 0.97


def test_a_mirrored_world_gives_the_mirrored_path():
    straight, mirrored = ring(), ring(mirror=True)
    turned = mirrored.trajectory * [1.0, 1.0, -1.0, -1.0]
    off = np.hypot(*(turned - straight.trajectory)[:, 1:3].T)
    assert off.max() < 0.02, "cells are not mirrored, so it is not exact"


def test_the_same_scans_give_the_same_bits():
    a, b = ring(), ring.__wrapped__()
    assert np.array_equal(a.trajectory, b.trajectory)
    assert np.array_equal(a.graph.poses, b.graph.poses)


def test_the_map_may_lie_anywhere():
    rng = np.random.default_rng(0)
    poses = way([(4.0, 1.2), (5.2, 1.2), (5.2, 4.5)])
    said = drifting(poses, slip=0.02, skid=0.05, rng=rng)
    there = Pose2(700.0, -300.0, 2.0)
    a = mapped(ROOM, poses, said).trajectory
    b = mapped(ROOM, poses, [there @ pose for pose in said]).trajectory
    off, _ = errors(a, b[:, 1:])
    assert off.max() < 0.01


def test_odometry_that_turns_wrongly_does_no_harm():
    rng = np.random.default_rng(5)
    poses = way([(4.0, 1.0), (7.0, 1.0), (5.0, 1.4), (4.5, 5.0), (1.0, 5.0)])
    said = drifting(poses, slip=0.05, skid=radians(8), rng=rng)
    off, turned = errors(mapped(ROOM, poses, said).trajectory, poses)
    assert off.max() < 0.03 and np.degrees(turned.max()) < 1.0


def test_a_scan_every_half_metre_is_enough():
    rng = np.random.default_rng(6)
    poses = way([(4.0, 1.0), (7.0, 1.0), (5.0, 1.4), (4.5, 5.0), (1.0, 5.0)], step=0.7, turn=0.6)
    said = drifting(poses, slip=0.05, skid=radians(8), rng=rng)
    off, _ = errors(mapped(ROOM, poses, said).trajectory, poses)
    assert off.max() < 0.04


def test_a_narrow_noisy_view_is_better_than_odometry():
    rng = np.random.default_rng(7)
    poses = way([(1.1, 1.0), (13.0, 1.0)], step=0.1)
    said = drifting(poses, slip=0.03, skid=0.03, rng=rng)
    mapper = mapped(
        RING, poses, said, beams=320, view=radians(57), reach=6.0, noise=0.02,
        rng=np.random.default_rng(8),
    )  # fmt: skip
    rows = np.array([(0.0, p.x, p.y, p.yaw) for p in said])
    ours, wheels = errors(mapper.trajectory, poses)[0], errors(rows, poses)[0]
    assert ours[-1] < 0.15 and ours.mean() < wheels.mean()


def test_the_first_pose_is_that_of_odometry():
    start = Pose2(3.0, -2.0, 1.0)
    assert GraphMapper().add(look(ROOM, HERE), start).is_close(start)


def test_maps_go_on_after_they_were_finished():
    poses = way([(4.0, 1.0), (7.0, 1.0)], step=0.3)
    said = [Pose2(*pose) for pose in poses]
    mapper = mapped(ROOM, poses[:6], said[:6])
    for k, (pose, odometry) in enumerate(zip(poses[6:], said[6:], strict=True)):
        mapper.add(look(ROOM, pose, stamp=10.0 + k), odometry)
    mapper.finish()
    off, _ = errors(mapper.trajectory, poses)
    assert len(off) == len(poses) and off.max() < 0.02


# --- standing still


def test_a_standing_robot_neither_drifts_nor_grows():
    mapper, rng = GraphMapper(), np.random.default_rng(0)
    for k in range(300):
        mapper.add(look(ROOM, HERE, noise=0.02, rng=rng, stamp=k / 15), Pose2(*HERE))
    assert Pose2(*mapper.trajectory[-1, 1:]).is_close(Pose2(*HERE))
    assert len(mapper.graph.poses) == 1


def test_shaking_odometry_does_not_make_a_standing_robot_drift():
    mapper, rng = GraphMapper(), np.random.default_rng(0)
    for k in range(200):
        said = Pose2(*(HERE + rng.normal(0.0, [0.01, 0.01, 0.005])))
        mapper.add(look(ROOM, HERE, noise=0.02, rng=rng, stamp=k / 15), said)
    off = mapper.trajectory[:, 1:3] - mapper.trajectory[0, 1:3]
    assert np.hypot(*off[-50:].T).max() < 0.02
    assert len(mapper.graph.poses) < 3


# --- bad input


def test_a_scan_without_returns_is_placed_by_odometry():
    mapper = GraphMapper()
    mapper.add(look(ROOM, HERE), Pose2(*HERE))
    blind = look(ROOM, HERE, stamp=1.0)
    object.__setattr__(blind, "ranges", np.full(180, inf))
    pose = mapper.add(blind, Pose2(*HERE) @ Pose2(0.5, 0.1, 0.2))
    assert pose.is_close(Pose2(*HERE) @ Pose2(0.5, 0.1, 0.2))
    object.__setattr__(blind, "ranges", np.full(180, nan))
    after = Pose2(*HERE) @ Pose2(0.6, 0.1, 0.2)
    assert mapper.add(blind, after).is_close(after)
    seen = Pose2(*HERE) @ Pose2(0.7, 0.1, 0.2)
    last = mapper.add(look(ROOM, (seen.x, seen.y, seen.yaw), stamp=2.0), seen)
    assert last.distance_to(seen) < 0.02


def test_a_first_scan_without_returns_is_no_problem():
    mapper = GraphMapper()
    for k in range(4):
        blind = look([], HERE, stamp=float(k))
        mapper.add(blind, Pose2(0.5 * k, 0.0, 0.0))
    mapper.finish()
    np.testing.assert_allclose(mapper.trajectory[:, 1], [0.0, 0.5, 1.0, 1.5])
    mapper.add(look(ROOM, HERE, stamp=5.0), Pose2(1.6, 0.0, 0.0))
    assert len(mapper.graph.poses) == 2, "the first that sees something is kept"


def test_scans_of_another_geometry_may_follow():
    mapper = GraphMapper()
    poses = way([(4.0, 1.2), (6.0, 1.2)])
    for k, pose in enumerate(poses):
        options = {"beams": 361, "view": 2 * pi * 0.75} if k % 2 else {}
        mapper.add(look(ROOM, pose, stamp=float(k), **options), Pose2(*pose))
    assert Pose2(*mapper.trajectory[-1, 1:]).distance_to(Pose2(*poses[-1])) < 0.02


def test_a_jump_of_odometry_is_survived():
    mapper, poses = GraphMapper(), way([(4.0, 1.2), (6.5, 1.2)])
    for k, pose in enumerate(poses):
        said = Pose2(*pose) if k < 6 else Pose2(50.0, 80.0, 1.0) @ Pose2(*pose)
        mapper.add(look(ROOM, pose, stamp=float(k)), said)
    mapper.finish()
    assert Pose2(*mapper.trajectory[-1, 1:]).distance_to(Pose2(*poses[-1])) < 0.03


def test_without_scans_there_is_no_map():
    mapper = GraphMapper()
    assert mapper.trajectory.shape == (0, 4)
    with pytest.raises(InvalidInput, match="no scan yet to draw a map"):
        mapper.grid()
    with pytest.raises(InvalidInput, match="no scan yet to finish"):
        mapper.finish()


def test_one_scan_makes_a_map():
    mapper = GraphMapper()
    mapper.add(look(ROOM, HERE), Pose2(*HERE))
    mapper.finish()
    assert np.any(mapper.grid().data == OCCUPIED)


def test_an_older_scan_is_refused():
    mapper = GraphMapper()
    mapper.add(look(ROOM, HERE, stamp=2.0), Pose2())
    with pytest.raises(InvalidInput, match=r"1\.000 s came after one of 2\.000 s"):
        mapper.add(look(ROOM, HERE, stamp=1.0), Pose2())


def test_settings_must_be_positive():
    with pytest.raises(InvalidInput, match=r"SlamSettings\.reach"):
        SlamSettings(reach=-1.0)
