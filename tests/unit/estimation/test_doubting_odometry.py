"""Odometry that is plainly wrong for a moment: noticed by scans, told, and the map holds."""

from functools import cache
from math import pi

import numpy as np
import pytest
from slam_world import RING, ROOM, errors, look, way

from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import relative_all
from mecano.estimation.slam.clouds import cloud_of
from mecano.estimation.slam.consistency import path_nees
from mecano.estimation.slam.doubts import OVERRULED
from mecano.estimation.slam.edges import EdgeTable
from mecano.estimation.slam.free_space import contradiction, seen_before
from mecano.estimation.slam.graph_mapper import GraphMapper
from mecano.estimation.slam.odometer import Odometer
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import compose

ROUND = way([(1.1, 1.0), (14.9, 1.0), (14.9, 11.0), (1.1, 11.0), (1.1, 1.0), (8.0, 1.0)])
BACK = slice(70, 82)
"""Readings in the middle of the drive at which odometry fails."""


def there_and_back() -> np.ndarray:
    """Return a drive along the ring, in which the base reverses by 3 m and goes on."""
    backwards = ROUND[BACK][::-1]
    return np.concatenate([ROUND[: BACK.stop], backwards, ROUND[BACK.start :]])


def said(poses, change) -> list[Pose2]:
    """Return odometry whose steps are changed."""
    steps = change(relative_all(poses[:-1], poses[1:]))
    rows = [np.array(poses[0])]
    for step in steps:
        rows.append(compose(rows[-1], step))
    return [Pose2(*row) for row in rows]


def unsigned(steps):
    return np.column_stack([np.abs(steps[:, 0]), steps[:, 1:]])


def standing(steps):
    steps = steps.copy()
    steps[BACK] = 0.0
    return steps


def in_vain(steps):
    """Wheels turn by 2 m more than the base moves."""
    steps = steps.copy()
    steps[BACK.start : BACK.start + 4, 0] += 0.5
    return steps


FAULTS = {
    "unsigned": (there_and_back, unsigned),
    "standing": (lambda: ROUND, standing),
    "in vain": (lambda: ROUND, in_vain),
}


@cache
def mapped(fault: str) -> tuple[GraphMapper, np.ndarray, list[Pose2]]:
    make, change = FAULTS[fault]
    poses, rng = make(), np.random.default_rng(4)
    odometry = said(poses, change)
    mapper = GraphMapper()
    for k, (pose, each) in enumerate(zip(poses, odometry, strict=True)):
        mapper.add(look(RING, pose, noise=0.01, rng=rng, stamp=0.5 * k), each)
    mapper.finish()
    return mapper, poses, odometry


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_odometry_leaves_the_map_whole(fault):
    mapper, poses, odometry = mapped(fault)
    rows = np.array([(0.0, p.x, p.y, p.yaw) for p in odometry])
    assert errors(rows, poses)[0].max() > 1.5
    off = errors(mapper.trajectory, poses)[0]
    assert off.mean() < 0.02
    assert off.max() < 0.3  # where odometry stands, one scan may pass for the one before


@pytest.mark.parametrize("fault", FAULTS)
def test_the_stretch_is_told(fault):
    doubts = [doubt for doubt in mapped(fault)[0].doubts if doubt.reason == OVERRULED]
    begin, end = 0.5 * BACK.start - 1.0, 0.5 * (BACK.stop + BACK.stop - BACK.start) + 1.0
    assert doubts
    assert all(begin <= doubt.start <= doubt.end <= end for doubt in doubts)


def test_right_odometry_is_not_doubted():
    rng, mapper = np.random.default_rng(1), GraphMapper()
    for k, pose in enumerate(ROUND):
        mapper.add(look(RING, pose, noise=0.01, rng=rng, stamp=0.5 * k), Pose2(*pose))
    mapper.finish()
    assert mapper.doubts == ()


def test_a_frame_that_is_turned_turns_the_map_and_changes_nothing_else():
    mapper, poses, odometry = mapped("unsigned")
    turned = GraphMapper()
    rng = np.random.default_rng(4)
    for k, (pose, each) in enumerate(zip(poses, odometry, strict=True)):
        scan = look(RING, pose, noise=0.01, rng=rng, stamp=0.5 * k)
        turned.add(scan, Pose2(0.0, 0.0, 1.1) @ each)
    turned.finish()
    before = relative_all(mapper.trajectory[:-40, 1:], mapper.trajectory[40:, 1:])
    after = relative_all(turned.trajectory[:-40, 1:], turned.trajectory[40:, 1:])
    assert np.hypot(*(before - after)[:, :2].T).max() < 0.03


# --- free space


def cloud_at(pose):
    return cloud_of(look(ROOM, pose, beams=360, view=2 * pi), Pose2(), SlamSettings())


HERE, THERE = np.array([1.0, 1.0, 0.3]), np.array([4.5, 4.0, -1.0])


def test_scans_where_they_were_taken_do_not_contradict_each_other():
    seen = relative_all(HERE, THERE)
    assert contradiction(cloud_at(HERE), cloud_at(THERE), seen) < 0.01


def test_a_scan_in_a_wrong_place_contradicts_others():
    wrong = relative_all(HERE, THERE) + np.array([1.5, 0.0, 0.0])
    assert contradiction(cloud_at(HERE), cloud_at(THERE), wrong) > 0.1


def test_contradiction_is_mutual():
    pose = np.array([1.2, 0.4, 0.5])
    back = relative_all(pose, np.zeros(3))
    one, other = cloud_at(HERE), cloud_at(THERE)
    assert contradiction(one, other, pose) == contradiction(other, one, back)


def test_what_lies_behind_a_wall_was_not_seen():
    cloud = cloud_at(HERE)
    all_seen = seen_before(cloud, [(cloud, np.zeros(3))])
    assert all_seen.mean() > 0.97  # but for corners, where neighbours are nearer
    assert not seen_before(cloud, [(cloud, np.array([30.0, 0.0, 0.0]))]).any()


# --- uncertainty


def test_a_weakened_edge_has_the_covariance_of_what_it_counts():
    table = EdgeTable()
    for k in range(3):
        table.append(k, k + 1, np.zeros(3), 100.0 * np.eye(3))
    assert table.covariances[1, 0, 0] == pytest.approx(0.01)
    table.weaken(np.array([False, True, False]), 4.0 * np.eye(3))
    assert table.all.information[1, 0, 0] == 4.0
    np.testing.assert_allclose(table.covariances[:, 0, 0], [0.01, 0.25, 0.01])


def test_steps_that_err_as_they_say_have_a_nees_of_their_dimension():
    rng = np.random.default_rng(7)
    sigma = np.array([0.02, 0.02, 0.01])
    steps = np.tile([0.5, 0.0, 0.05], (4000, 1))
    truth = [np.zeros(3)]
    for step in steps:
        truth.append(compose(truth[-1], step))
    noise = rng.normal(size=steps.shape) * sigma
    measured = np.array([compose(*pair) for pair in zip(steps, noise, strict=True)])
    graph = PoseGraph(
        stamps=np.arange(4001.0),
        poses=np.array(truth),
        edges=np.column_stack([np.arange(4000), np.arange(1, 4001)]),
        measured=measured,
        information=np.tile(np.diag(sigma**-2), (4000, 1, 1)),
        loop=np.zeros(4000, dtype=np.bool_),
    )
    nees = path_nees(graph, np.array(truth), distance=10.0)
    assert len(nees) > 150
    assert 2.5 < nees.mean() < 3.5


# --- headings by a gyro


def test_slipping_wheels_do_not_make_a_gyro_s_heading_unknown():
    gyro = Odometer(SlamSettings(slip=0.02, skid=0.006, skid_by_way=0.002, odometry_floor=0.0003))
    wheels = Odometer(SlamSettings())
    for odometer in (gyro, wheels):
        odometer.go(np.array([0.3, 0.0, 0.4]))
    assert gyro.step.unknown(1.0, 1.0).moved.tolist() == [0.0, 0.0, 0.4]
    assert gyro.step.unknown(1.0, 1.0).skid == gyro.step.skid < 0.01
    assert wheels.step.unknown(1.0, 1.0).skid == 1.0
