"""Scans matched to local maps: known shifts, corridors, and the kernels against plain numpy."""

from math import inf, nan, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slam_world import CORRIDOR, ROOM, look, turned

from mecano.core.poses import Pose2
from mecano.estimation.slam.clouds import CloudStore, cloud_of
from mecano.estimation.slam.field import Field
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.scan_matching import refine, search
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.surface_kernel import ALONE, CORNER, LINE

SETTINGS = SlamSettings()
HERE = np.array([4.5, 1.5, 0.7])


def cloud_at(pose, walls=ROOM, **options):
    return cloud_of(look(walls, pose, **options), Pose2(), SETTINGS)


def moved(pose, *by) -> np.ndarray:
    return pose + np.array(by)


def field_of(*poses, walls=ROOM) -> Field:
    store = CloudStore()
    members = np.array([store.append(cloud_at(pose, walls)) for pose in poses])
    return Field(store, members, np.array(poses, dtype=float), SETTINGS)


ROOM_FIELD = field_of(HERE, (4.0, 1.2, 2.5), (4.2, 1.6, -1.6))


# --- what it says


@settings(max_examples=25, deadline=None)
@given(st.floats(-0.25, 0.25), st.floats(-0.25, 0.25), st.floats(-0.4, 0.4))
def test_a_scan_is_found_where_it_was_taken(dx, dy, turn):
    cloud = cloud_at(HERE)
    expected = moved(HERE, -dx, -dy, -turn)
    found = search(ROOM_FIELD, cloud, expected, deviation=(0.2, 0.2), window=(0.4, 0.5))
    match = refine(ROOM_FIELD, cloud, found.pose)
    np.testing.assert_allclose(match.pose, HERE, atol=2e-3)
    assert match.share > 0.9


def test_a_scan_from_another_place_is_placed_to_millimetres():
    there = np.array([4.3, 1.35, 0.95])
    match = refine(ROOM_FIELD, cloud_at(there), moved(there, 0.08, -0.06, 0.05))
    np.testing.assert_allclose(match.pose, there, atol=5e-3)


def test_noise_of_two_centimetres_leaves_millimetres():
    rng = np.random.default_rng(1)
    off = []
    for _ in range(10):
        match = refine(
            ROOM_FIELD, cloud_at(HERE, noise=0.02, rng=rng), moved(HERE, 0.05, 0.05, 0.03)
        )
        off.append(np.hypot(*(match.pose - HERE)[:2]))
    assert np.mean(off) < 0.008


def test_along_a_bare_corridor_nothing_is_known():
    field = field_of((0, 0, 0.0), (0.5, 0, 0.0), walls=CORRIDOR)
    match = refine(field, cloud_at((0.2, 0, 0), CORRIDOR), np.array([0.2, 0.0, 0.0]))
    deviation = np.sqrt(np.diag(np.linalg.inv(match.information + 1e-6 * np.eye(3))))
    assert deviation[0] > 100 * deviation[1], "uncertain along, sure across"
    assert deviation[1] < 0.03 and deviation[2] < 0.02


def test_along_a_bare_corridor_odometry_decides():
    field = field_of((0, 0, 0.0), (0.5, 0, 0.0), walls=CORRIDOR)
    cloud, expected = cloud_at((0.2, 0, 0), CORRIDOR), np.array([0.33, 0.1, 0.05])
    found = search(field, cloud, expected, deviation=(0.1, 0.1), window=(0.4, 0.2))
    trust = np.diag([100.0, 100.0, 100.0])
    match = refine(field, cloud, found.pose, expected=expected, trust=trust)
    np.testing.assert_allclose(match.pose, [0.33, 0.0, 0.0], atol=0.02)


def test_information_follows_the_room_when_it_is_turned():
    turn = 0.6
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    tilted = [(*(R @ w[:2]), *(R @ w[2:])) for w in np.array(CORRIDOR, dtype=float)]
    straight = refine(field_of((0, 0, 0.0), walls=CORRIDOR), cloud_at((0, 0, 0.0), CORRIDOR),
                      np.zeros(3))  # fmt: skip
    pose = np.array([0.0, 0.0, turn])
    slanted = refine(field_of(pose, walls=tilted), cloud_at(pose, tilted), pose)
    expected = R @ straight.information[:2, :2] @ R.T
    scale = np.abs(expected).max()
    np.testing.assert_allclose(slanted.information[:2, :2], expected, atol=0.02 * scale)


def test_two_sides_of_a_thin_wall_are_not_matched():
    wall = [(-3.0, 1.0, 3.0, 1.0)]
    field = field_of((0.0, 0.0, pi / 2), walls=wall)
    match = refine(field, cloud_at((0.0, 2.0, -pi / 2), wall), np.array([0.0, 2.0, -pi / 2]))
    assert match.share < 0.1


def test_a_second_place_that_fits_as_well_is_told():
    field = field_of((0, 0, 0.0), (2.0, 0, 0.0), walls=CORRIDOR)
    cloud = cloud_at((1.0, 0, 0), CORRIDOR)
    found = search(field, cloud, np.array([1.0, 0, 0]), deviation=(9.0, 1.0), window=(2.0, 0.1),
                   apart=1.0, unique=0.9)  # fmt: skip
    assert found.second > 0.9 * found.score


def test_beams_without_return_are_left_out():
    scan = look(ROOM, HERE)
    ranges = scan.ranges.copy()
    ranges[::3], ranges[1::3] = nan, inf
    broken = look(ROOM, HERE)
    object.__setattr__(broken, "ranges", ranges)
    cloud = cloud_of(broken, Pose2(), SETTINGS)
    assert len(cloud) == len(ranges[2::3])
    match = refine(ROOM_FIELD, cloud, moved(HERE, 0.05, 0.0, 0.02))
    np.testing.assert_allclose(match.pose, HERE, atol=0.01)


def test_the_mount_is_taken_into_account():
    mount = Pose2(0.2, -0.1, 0.3)
    base = Pose2(*HERE) @ mount.inverse()
    cloud = cloud_of(look(ROOM, HERE), mount, SETTINGS)
    should = np.array([base.x, base.y, base.yaw])
    match = refine(ROOM_FIELD, cloud, moved(should, 0.03, 0.02, 0.01))
    np.testing.assert_allclose(match.pose, should, atol=3e-3)


# --- kernels against numpy


def test_branch_and_bound_finds_what_trying_everything_finds():
    cloud, window = cloud_at((4.4, 1.3, 0.9)), 12
    box, pyramid = ROOM_FIELD.pyramid(4)
    points = cloud.points[::2]
    turns = np.linspace(-0.2, 0.2, 9)
    cells = np.empty((len(turns), len(points), 2), dtype=np.int32)
    kernels().turned_cells(points, 0.8, turns, 4.513, 1.507, box, cells)
    for t, turn in enumerate(turns):
        ends = turned(points, (4.513, 1.507, 0.8 + turn))
        should = np.floor((ends - box[:2]) / box[2]).astype(int)[:, ::-1]
        np.testing.assert_array_equal(cells[t], should)
    best = kernels().branch(
        pyramid, cells, turns / 0.1, window, 5.0, 0.02, 5.0, 10**7, 0.1, -1e9
    )  # fmt: skip
    scores = np.full((len(turns), 2 * window + 1, 2 * window + 1), -inf)
    for t in range(len(turns)):
        for i, row in enumerate(range(-window, window + 1)):
            for j, column in enumerate(range(-window, window + 1)):
                at = cells[t] + (row, column)
                value = pyramid[0][at[:, 0], at[:, 1]].sum() / (255.0 * len(points))
                off = (row / 5.0) ** 2 + (column / 5.0) ** 2 + (turns[t] / 0.1) ** 2
                scores[t, i, j] = value - 0.01 * off
    assert best[0] == pytest.approx(scores.max(), abs=1e-12)
    t, i, j = np.unravel_index(scores.argmax(), scores.shape)
    assert best[1:4] == (t, i - window, j - window)
    alone = kernels().branch(pyramid, cells, turns / 0.1, window, 5.0, 0.02, 5.0, 10**7, 1.0, -1e9)
    assert alone[:4] == best[:4], "what is not worth naming changes nothing"
    scores[:, max(i - 4, 0) : i + 5, max(j - 4, 0) : j + 5] = -inf
    assert best[4] == pytest.approx(scores.max(), abs=1e-12)


def test_levels_of_the_pyramid_hold_maxima():
    _, pyramid = ROOM_FIELD.pyramid(4)
    for level in range(4):
        size = 1 << level
        windows = np.lib.stride_tricks.sliding_window_view(pyramid[0], (size, size))
        rows, columns = windows.shape[:2]
        np.testing.assert_array_equal(pyramid[level][:rows, :columns], windows.max(axis=(2, 3)))


def test_cells_know_their_nearest_return():
    points, box = ROOM_FIELD.known[0], ROOM_FIELD.box
    rng = np.random.default_rng(0)
    rows, columns = ROOM_FIELD.index.shape
    for row, column in rng.integers(0, (rows, columns), (400, 2)).tolist():
        middle = box[:2] + box[2] * np.array([column + 0.5, row + 0.5])
        away = np.hypot(*(points - middle).T)
        index = ROOM_FIELD.index[row, column]
        if index < 0:
            assert away.min() > SETTINGS.reach - box[2]
        else:
            assert away[index] <= away.min() + 1e-6 or away.min() > SETTINGS.reach - box[2]


def test_a_map_is_the_same_whenever_it_is_looked_at():
    poses = np.array([(4.2, 1.6, -1.6), (4.0, 1.2, 2.5), HERE])
    store = CloudStore()
    members = np.array([store.append(cloud_at(pose)) for pose in poses])
    early, late = (Field(store, members[:1], poses[:1], SETTINGS, room=10.0) for _ in range(2))
    for k in (1, 2):
        assert early.index.max() >= 0 and early.pyramid(3)[1][2].any()
        assert early.add(k, poses[k]) and late.add(k, poses[k])
    np.testing.assert_array_equal(early.index, late.index)
    np.testing.assert_array_equal(early.pyramid(3)[1], late.pyramid(3)[1])
    assert not late.add(0, np.array([100.0, 0.0, 0.0])), "that leaves the box"


def test_normal_equations_are_those_of_numpy():
    cloud, pose = cloud_at((4.4, 1.3, 0.9)), np.array([4.42, 1.31, 0.91])
    known, seen = ROOM_FIELD.known, (cloud.points, cloud.normals, cloud.kinds)
    H, g = np.zeros((3, 3)), np.zeros(3)
    gate, soft, corner = 0.2, 0.05, 0.2
    _, _, count = kernels().gather(
        ROOM_FIELD.index, ROOM_FIELD.box, known, seen, pose, gate, soft, corner, H, g
    )
    moved, normals = turned(cloud.points, pose), turned(cloud.normals, (0.0, 0.0, pose[2]))
    cells = np.floor((moved - ROOM_FIELD.box[:2]) / ROOM_FIELD.box[2]).astype(int)
    partner = ROOM_FIELD.index[cells[:, 1], cells[:, 0]]
    J, r, w = [], [], []
    for i, j in enumerate(partner):
        d = moved[i] - known[0][j]
        if j < 0 or d @ d > gate**2:
            continue
        arm = moved[i] - pose[:2]
        if known[2][j] == LINE:
            n = known[1][j]
            if cloud.kinds[i] == LINE and n @ normals[i] < 0.75:
                continue
            J.append([n[0], n[1], n[1] * arm[0] - n[0] * arm[1]])
            r.append(n @ d)
            w.append(1.0 / (1.0 + (n @ d / soft) ** 2))
        elif known[2][j] == CORNER and cloud.kinds[i] != ALONE:
            J += [[1.0, 0.0, -arm[1]], [0.0, 1.0, arm[0]]]
            r += d.tolist()
            w += [corner / (1.0 + d @ d / soft**2)] * 2
    J, r, w = np.array(J), np.array(r), np.array(w)
    np.testing.assert_allclose(np.triu(H), np.triu(J.T @ (w[:, None] * J)), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(g, J.T @ (w * r), rtol=1e-9, atol=1e-9)
    assert count > 100


def test_lines_of_returns_are_those_of_their_walls():
    cloud = cloud_at((4.0, 3.0, 0.3), beams=361)
    moved, normals = turned(cloud.points, (4.0, 3.0, 0.3)), turned(cloud.normals, (0, 0, 0.3))
    right = moved[:, 0] > 7.999
    middle = right & (cloud.kinds == LINE) & (moved[:, 1] > 0.5) & (moved[:, 1] < 2.5)
    assert middle.sum() > 5
    np.testing.assert_allclose(normals[middle], np.tile([-1.0, 0.0], (middle.sum(), 1)), atol=1e-9)
    np.testing.assert_allclose(np.hypot(*normals[cloud.kinds == LINE].T), 1.0)
    assert not normals[cloud.kinds != LINE].any()


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_three_equations_are_solved_as_numpy_solves_them(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    H, g, out = A @ A.T + 0.1 * np.eye(3), rng.normal(size=3), np.zeros(3)
    assert kernels().solve(H, g, out)
    np.testing.assert_allclose(out, np.linalg.solve(H, g), rtol=1e-6, atol=1e-9)


def test_a_matrix_that_is_not_positive_is_refused():
    assert not kernels().solve(np.diag([1.0, -1.0, 1.0]), np.ones(3), np.zeros(3))
