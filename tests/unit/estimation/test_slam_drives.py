"""Random buildings and drives through them."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from slam_world import CORRIDOR, RING, ROOM, look

from mecano.core.poses import Pose2
from slam_corpus.buildings import STYLES, make_plan
from slam_corpus.drives import kind_and_fault, make_drive
from slam_corpus.odometry_faults import FAULTS, WheelNoise, steps_of, strung
from slam_corpus.scanners import Scanner, shows_motion
from slam_corpus.tours import drive_along, make_tour

FIRST_OF_FAULT = {
    fault: next(n for n in range(20) if kind_and_fault(n)[1] == fault) for fault in FAULTS
}
EXACT = Scanner(beams=361, span=np.pi, reach=30.0, noise=0.0, dropouts=0.0, mount=Pose2())


@cache
def drive(number: int):
    """Return a short drive."""
    return make_drive(7, number, length=40.0)


def distances(walls, points):
    """Return how far each point is from the nearest wall [m]."""
    a, b = walls[:, :2], walls[:, 2:]
    p = points[:, None]
    share = (((p - a) * (b - a)).sum(-1) / ((b - a) ** 2).sum(-1)).clip(0.0, 1.0)
    return np.linalg.norm(a + share[..., None] * (b - a) - p, axis=-1).min(axis=1)


def test_same_seed_gives_the_same_drive_bit_for_bit():
    again, first = make_drive(7, 2, length=40.0), drive(2)
    assert np.array_equal(again.truth, first.truth)
    assert np.array_equal(again.log.scan_odometry, first.log.scan_odometry)
    for scan, other in zip(again.log.scans, first.log.scans, strict=True):
        assert scan.stamp == other.stamp
        assert np.array_equal(scan.ranges, other.ranges)


def test_another_seed_gives_another_building():
    assert not np.array_equal(make_drive(8, 2, length=40.0).truth[0], drive(2).truth[0])


@pytest.mark.parametrize("number", range(len(STYLES)))
def test_base_keeps_clear_of_walls_and_furniture(number):
    for walls, _ in drive(number).interior.layouts:
        assert distances(walls, drive(number).truth[:, :2]).min() > 0.4


@pytest.mark.parametrize("kind", STYLES)
def test_base_moves_as_two_wheels_do(kind):
    rng = np.random.default_rng(3)
    path = drive_along(make_tour(make_plan(STYLES[kind], rng), 150.0, 1.0, rng), rng)
    x, y, turn = steps_of(path).T
    assert np.abs(y - x * np.tan(0.5 * turn)).max() < 1e-9  # chords of arcs
    assert np.hypot(x, y).max() < 0.1
    assert x.min() < 0.0  # it reverses, too


@pytest.mark.parametrize("walls", [ROOM, RING, CORRIDOR], ids=["room", "ring", "corridor"])
def test_fast_rays_are_those_of_plain_geometry(walls):
    segments, rng = np.array(walls, dtype=float), np.random.default_rng(0)
    poses = np.column_stack([rng.uniform(0.3, 1.9, (40, 2)), rng.uniform(-9, 9, 40)])
    poses = poses[distances(segments, poses[:, :2]) > 0.05]
    seen = EXACT.look(segments, np.zeros(len(segments), dtype=bool), poses, None)
    for pose, ranges in zip(poses, seen, strict=True):
        plain = look(walls, pose, beams=361).ranges
        assert np.mean(np.isclose(ranges, plain, atol=1e-9)) > 0.98  # beams into corners differ


@pytest.mark.parametrize("number", [n for n, kind in enumerate(STYLES) if kind != "glass"])
def test_scans_fit_the_building_at_the_true_poses(number):
    one = drive(number)
    exact = one.interior.ranges(one.scanner, one.truth, one.visits, None)
    recorded = np.array([scan.ranges for scan in one.log.scans])
    both = np.isfinite(exact) & np.isfinite(recorded)
    errors = np.abs(recorded[both] - exact[both])
    assert np.mean(errors < 4.0 * one.scanner.noise) > 0.999
    assert np.mean(np.isfinite(exact) == np.isfinite(recorded)) > 0.98


def test_glass_returns_some_beams_and_lets_others_pass():
    walls = np.array([[2.0, -5.0, 2.0, 5.0], [4.0, -9.0, 4.0, 9.0]])
    ranges = EXACT.look(
        walls, np.array([True, False]), np.zeros((200, 3)), np.random.default_rng(0)
    )
    ahead, aslant = ranges[:, 180], ranges[:, 90]
    assert np.mean(np.isclose(ahead, 2.0)) > 0.8
    assert 0.8 < np.mean(np.isclose(aslant, 4.0 * np.sqrt(2.0))) < 1.0


def test_third_of_the_drives_has_no_fault():
    counts = Counter(kind_and_fault(number)[1] for number in range(100))
    assert counts.pop("none") == 34
    assert set(counts) == set(FAULTS)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_every_kind_of_building_meets_every_fault():
    assert len({kind_and_fault(number) for number in range(120)}) == len(STYLES) * (len(FAULTS) + 1)


def test_steps_strung_are_the_path_again():
    truth = drive(0).truth
    assert np.allclose(strung(truth[0], steps_of(truth))[:, :2], truth[:, :2], atol=1e-9)


def test_plain_odometry_errs_by_a_few_percent():
    truth = np.column_stack([np.arange(0.0, 100.0, 0.05), np.zeros((2000, 2))])
    noise, rng = WheelNoise(scale=0.01, drift=0.0), np.random.default_rng(0)
    steps = noise.apply(steps_of(truth), rng)
    assert steps[:, 0].sum() == pytest.approx(1.01 * truth[-1, 0], abs=0.6)


def test_unsigned_odometry_never_goes_back_though_the_base_does():
    one = drive(FIRST_OF_FAULT["unsigned"])
    assert steps_of(one.log.odometry)[:, 0].min() >= -1e-12
    assert steps_of(one.truth)[:, 0].min() < -0.05


def test_frozen_odometry_stands_while_the_base_drives():
    one = drive(FIRST_OF_FAULT["frozen"])
    still = np.hypot(*steps_of(one.log.scan_odometry)[:, :2].T) < 1e-12
    assert np.hypot(*steps_of(one.truth)[:, :2].T)[still].sum() > 1.0


def test_blocked_base_stands_while_its_wheels_turn():
    one = drive(FIRST_OF_FAULT["blocked"])
    still = np.hypot(*steps_of(one.truth)[:, :2].T) < 1e-12
    assert np.hypot(*steps_of(one.log.scan_odometry)[:, :2].T)[still].sum() > 0.5


def test_odometry_jumps():
    one = drive(FIRST_OF_FAULT["jumps"])
    apart = np.abs(steps_of(one.log.odometry)).max(axis=0)
    assert max(apart[:2]) > 0.5


def test_bare_corridor_does_not_show_how_far_one_went():
    assert not shows_motion(look(CORRIDOR, (0.0, 0.0, 0.0)))


def test_room_shows_motion():
    assert shows_motion(look(ROOM, (4.0, 1.0, 1.0)))
