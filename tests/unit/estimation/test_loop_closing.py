"""Loops of graphs that others began, and how uncertain nodes are as seen from one."""

import numpy as np
import pytest
from slam_world import RING, drifting, errors, look, way

from mecano.core.errors import InvalidInput
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.slam.edges import EdgeTable, in_axes_of, in_axes_of_map
from mecano.estimation.slam.given_graph import close_loops
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.estimation.slam.refinement import neighbours

ROUND = way([(1.1, 1.0), (14.9, 1.0), (14.9, 11.0), (1.1, 11.0), (1.1, 1.0), (6.0, 1.0)], step=0.5)


def chain(poses) -> PoseGraph:
    """Return a graph of sequential edges."""
    n = len(poses)
    return PoseGraph(
        stamps=np.arange(float(n)), poses=poses,
        edges=np.stack([np.arange(n - 1), np.arange(1, n)], axis=1),
        measured=relative_all(poses[:-1], poses[1:]),
        information=np.tile(np.diag([2500.0, 2500.0, 10000.0]), (n - 1, 1, 1)),
        loop=np.zeros(n - 1, dtype=bool),
    )  # fmt: skip


def test_loops_of_a_given_graph_are_closed():
    rng = np.random.default_rng(2)
    said = drifting(ROUND, slip=0.02, skid=0.02, rng=rng)
    drifted = np.array([(p.x, p.y, p.yaw) for p in said])
    scans = [look(RING, pose, stamp=float(k)) for k, pose in enumerate(ROUND)]
    graph = close_loops(chain(drifted), scans)
    before, _ = errors(np.column_stack([np.arange(len(ROUND)), drifted]), ROUND)
    after, _ = errors(np.column_stack([np.arange(len(ROUND)), graph.poses]), ROUND)
    assert before.max() > 0.25
    assert after.max() < 0.06
    assert graph.loop.sum() > 100


def test_each_node_needs_its_scan():
    scans = [look(RING, pose) for pose in ROUND[:3]]
    with pytest.raises(InvalidInput, match="4 nodes but there are 3 scans"):
        close_loops(chain(ROUND[:4]), scans)


def test_a_chain_must_not_have_gaps():
    graph = chain(ROUND[:4]).without(np.array([False, True, False]))
    scans = [look(RING, pose) for pose in ROUND[:4]]
    with pytest.raises(InvalidInput, match="from node 1 to node 2"):
        close_loops(graph, scans)


def test_uncertainty_adds_up_along_a_chain():
    graph = chain(ROUND[:20])
    covariances = np.linalg.inv(graph.information)
    known = np.empty((20, 3, 3))
    kernels().spread(19, graph.poses, graph.edges, covariances, 3.0, known)
    assert not known[19].any()
    np.testing.assert_allclose(known[0, 2, 2], 19 * covariances[0, 2, 2])
    rng = np.random.default_rng(0)
    ends = np.tile(graph.poses[19], (4000, 1))
    for edge in range(18, -1, -1):
        seen = compose_all(graph.measured[edge], rng.normal(0.0, [0.02, 0.02, 0.01], (4000, 3)))
        ends = compose_all(ends, relative_all(seen, np.zeros(3)))
    sampled = np.cov(ends[:, :2].T)
    np.testing.assert_allclose(known[0, :2, :2], sampled, rtol=0.1, atol=0.05 * sampled.max())


def test_a_loop_makes_its_ends_sure_of_each_other():
    graph = chain(ROUND)
    n = len(ROUND)
    edges = np.vstack([graph.edges, [[0, n - 1]]])
    covariances = np.linalg.inv(np.concatenate([graph.information, graph.information[:1]]))
    known = np.empty((n, 3, 3))
    kernels().spread(n - 1, graph.poses, edges, covariances, 3.0, known)
    np.testing.assert_allclose(known[0, 2, 2], covariances[0, 2, 2])


def test_where_no_way_leads_nothing_is_known():
    graph = chain(ROUND[:4]).without(np.array([False, True, False]))
    known = np.empty((4, 3, 3))
    kernels().spread(0, graph.poses, graph.edges, np.linalg.inv(graph.information), 3.0, known)
    assert np.isinf(known[2:]).all() and np.isfinite(known[:2]).all()


def test_neighbours_are_near_and_earlier():
    pairs = neighbours(ROUND, 6, 2.0)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert np.hypot(*(ROUND[pairs[:, 0]] - ROUND[pairs[:, 1]])[:, :2].T).max() <= 2.0
    assert np.bincount(pairs[:, 1]).max() <= 6
    assert {(k - 1, k) for k in range(1, len(ROUND))} <= set(map(tuple, pairs.tolist()))
    assert any(j - i > 50 for i, j in pairs.tolist()), "the second visit sees the first"


def test_the_best_of_every_visit_comes_before_others():
    rng = np.random.default_rng(4)
    poses = np.column_stack([rng.uniform(-1.0, 1.0, (40, 2)), rng.uniform(-3.0, 3.0, 40)])
    poses[15:25, 0] += 50.0  # away in between: two visits of the place
    pairs = neighbours(poses, 4, 4.0)
    partners = pairs[pairs[:, 1] == 39, 0]
    turns = np.abs((poses[:, 2] - poses[39, 2] + np.pi) % (2 * np.pi) - np.pi)
    rank = np.hypot(*(poses[:, :2] - poses[39, :2]).T) + turns
    first, second = rank[:15].argmin(), 25 + rank[25:39].argmin()
    assert {37, 38, first} <= set(partners.tolist())
    others = [k for k in np.argsort(rank).tolist() if k < 37 and k != first and not 15 <= k < 25]
    fourth = second if second < 37 else others[0]
    assert set(partners.tolist()) == {37, 38, first, fourth}


def test_edges_grow_and_let_go():
    table = EdgeTable()
    for k in range(300):
        table.append(k, k + 1, np.array([k, 0.0, 0.0]), np.eye(3) * (k + 1), loop=k % 2 == 0)
    assert len(table) == 300 and table.all.measured[299, 0] == 299.0
    np.testing.assert_allclose(table.covariances[3], np.eye(3) / 4)
    table.remove(table.all.loop.copy())
    assert len(table) == 150 and not table.all.loop.any()
    table.append(0, 5, np.zeros(3), np.eye(3))
    assert table.all.ends[150].tolist() == [0, 5]
    np.testing.assert_allclose(table.covariances, np.linalg.inv(table.all.information))


def test_information_can_be_turned_there_and_back():
    H = np.diag([4.0, 1.0, 2.0])
    np.testing.assert_allclose(in_axes_of_map(0.4, in_axes_of(0.4, H)), H, atol=1e-3)
    np.testing.assert_allclose(in_axes_of(np.pi / 2, H)[:2, :2], np.diag([1.0, 4.0]), atol=1e-3)
