"""Particle SLAM in worlds whose ground truth is known: loops, seeds, shared tiles, bad input."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from slam_world import RING, drifting, errors, look, way

from mecano.core.errors import InvalidInput
from mecano.core.messages.maps import OCCUPIED
from mecano.core.poses import Pose2
from mecano.estimation.slam.mapper import Mapper
from mecano.estimation.slam.particle_mapper import LOST, ParticleMapper
from mecano.estimation.slam.particle_maps import ParticleMaps
from mecano.estimation.slam.particle_settings import ParticleSettings

ROUND = way([(1.1, 1.0), (14.9, 1.0), (14.9, 11.0), (1.1, 11.0), (1.1, 1.0), (8.0, 1.0)], step=0.4)
FEW = ParticleSettings(particles=10, linear_update=0.7)
SAID = drifting(ROUND, slip=0.03, skid=0.08, rng=np.random.default_rng(3))


def driven(count: int, seed: int = 0) -> Mapper:
    mapper, rng = ParticleMapper(FEW, seed=seed), np.random.default_rng(5)
    for k, (pose, odometry) in enumerate(zip(ROUND[:count], SAID, strict=False)):
        mapper.add(look(RING, pose, stamp=0.5 * k, noise=0.01, rng=rng), odometry)
    mapper.finish()
    return mapper


@cache
def ring() -> Mapper:
    return driven(len(ROUND))


def test_a_loop_closes_that_odometry_misses():
    said = np.array([(0.0, p.x, p.y, p.yaw) for p in SAID])
    assert errors(said, ROUND)[0].max() > 0.5
    off, _ = errors(ring().trajectory, ROUND)
    assert off.max() < 0.25


def test_the_same_seed_gives_the_same_path_and_another_seed_another():
    once, again, other = driven(20).trajectory, driven(20).trajectory, driven(20, seed=1).trajectory
    np.testing.assert_array_equal(once, again)
    assert not np.array_equal(once, other)


def test_the_map_shows_the_walls_and_a_row_per_scan():
    mapper = ring()
    assert len(mapper.trajectory) == len(ROUND)
    assert len(mapper.graph.poses) < len(ROUND)
    assert (mapper.grid(0.1).data == OCCUPIED).sum() > 300


def test_scans_between_updates_follow_odometry():
    mapper = ParticleMapper(FEW)
    mapper.add(look(RING, ROUND[0], stamp=0.0), Pose2())
    pose = mapper.add(look(RING, ROUND[0], stamp=1.0), Pose2(0.3, 0.1, 0.2))
    assert (pose.x, pose.y, pose.yaw) == pytest.approx((0.3, 0.1, 0.2))
    assert len(mapper.graph.poses) == 1


def test_a_scan_that_fits_no_map_is_a_doubt():
    mapper = ParticleMapper(FEW)
    mapper.add(look(RING, ROUND[0], stamp=0.0), Pose2())
    elsewhere = look(RING, ROUND[0], stamp=1.0)
    object.__setattr__(elsewhere, "ranges", np.full(len(elsewhere.ranges), 0.31))
    mapper.add(elsewhere, Pose2(1.0, 0.0, 0.0))
    assert [doubt.reason for doubt in mapper.doubts] == [LOST]


def test_copies_share_tiles_until_one_of_them_draws():
    maps, points = ParticleMaps(FEW), np.array([[2.0, 0.0], [0.0, 2.0]])
    poses = np.zeros((10, 3))
    maps.draw(poses, points)
    apart = maps.tiles
    maps.copy(np.zeros(10, np.int64))
    assert maps.tiles == apart // 10
    poses[:, 2] = 0.1 * np.arange(10)
    maps.draw(poses, points)
    assert apart // 10 < maps.tiles <= apart + 20


def test_maps_that_grow_keep_what_they_know():
    maps, points = ParticleMaps(FEW), np.array([[2.0, 0.3], [1.0, 2.0], [1.5, -1.0], [3.0, 0.9]])
    poses = np.zeros((10, 3))
    maps.draw(poses, points)
    before = maps.match(poses, points)[1]
    maps.draw(poses - (60.0, 40.0, 0.0), points)
    np.testing.assert_allclose(maps.match(poses, points)[1], before, atol=1e-3)


@pytest.mark.parametrize("wrong", [0, 2.5, -3, 5000, float("nan")])
def test_a_number_of_particles_that_cannot_be_is_refused(wrong):
    with pytest.raises(InvalidInput):
        replace(FEW, particles=wrong)


def test_scans_come_in_the_order_of_time():
    mapper = ParticleMapper(FEW)
    mapper.add(look(RING, ROUND[0], stamp=2.0), Pose2())
    with pytest.raises(InvalidInput, match="order of time"):
        mapper.add(look(RING, ROUND[0], stamp=1.0), Pose2())


def test_an_empty_mapper_says_so():
    with pytest.raises(InvalidInput, match="no scan yet"):
        ParticleMapper().grid()
