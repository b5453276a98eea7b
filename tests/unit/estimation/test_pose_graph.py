"""Pose graphs: their equations, their optimum, and edges that are wrong."""

import numpy as np
import pytest

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.relations import relation_errors
from mecano.estimation.slam.graph_equations import edge_errors, edge_jacobians
from mecano.estimation.slam.graph_start import chordal_start, optimize_from_edges, tree_start
from mecano.estimation.slam.pose_graph import PoseGraph, RobustKernel, optimize
from mecano.record.graph_files import read_graph
from mecano.record.relation_files import read_relations

KERNELS = ("huber", "cauchy", "geman-mcclure", "dcs")


def graph_of(poses, edges, measured, *, loop=None, information=None):
    edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
    if information is None:
        information = np.repeat(np.diag([400.0, 400.0, 4000.0])[None], len(edges), axis=0)
    if loop is None:
        loop = edges[:, 1] - edges[:, 0] != 1
    return PoseGraph(
        stamps=np.arange(len(poses), dtype=float), poses=poses, edges=edges, measured=measured,
        information=information, loop=loop,
    )  # fmt: skip


def rounds(rng, *, sides=8, laps=3, noise=0.0):
    """Return the true poses of some laps, and a graph of noisy motions that drifted."""
    step = np.array([1.0, 0.1, 2 * np.pi / sides])
    true = [np.zeros(3)]
    for _ in range(sides * laps - 1):
        true.append(compose_all(true[-1], step))
    true = np.array(true)
    n = len(true)
    edges = [(k, k + 1) for k in range(n - 1)] + [(k, k + sides) for k in range(n - sides)]
    edges = np.array(edges)
    exact = relative_all(true[edges[:, 0]], true[edges[:, 1]])
    spread = noise * np.array([0.05, 0.05, 1 / np.sqrt(4000.0)])
    measured = compose_all(exact, rng.normal(0, 1, exact.shape) * spread)
    return true, tree_start(graph_of(np.zeros((n, 3)), edges, measured))


def test_jacobians_agree_with_differences():
    rng = np.random.default_rng(1)
    poses, measured = rng.normal(0, 2, (6, 3)), rng.normal(0, 1, (5, 3))
    edges = np.array([(0, 1), (1, 2), (3, 2), (4, 5), (5, 0)])
    by_from, by_to = edge_jacobians(poses, edges, measured)
    for k, (i, j) in enumerate(edges):
        for node, jacobian in ((i, by_from[k]), (j, by_to[k])):
            for axis in range(3):
                more, less = poses.copy(), poses.copy()
                more[node, axis] += 1e-6
                less[node, axis] -= 1e-6
                change = edge_errors(more, edges, measured) - edge_errors(less, edges, measured)
                np.testing.assert_allclose(jacobian[:, axis], change[k] / 2e-6, atol=1e-7)


@pytest.mark.parametrize("shape", KERNELS)
def test_the_weight_of_a_kernel_is_the_slope_of_its_cost(shape):
    kernel = RobustKernel(shape, 2.0)
    squared = np.linspace(0.01, 60.0, 500)
    slope = (kernel.costs(squared + 1e-6) - kernel.costs(squared - 1e-6)) / 2e-6
    np.testing.assert_allclose(kernel.weights(squared), slope, atol=1e-6)
    assert kernel.weights(np.zeros(1)) == pytest.approx(1.0)


def test_an_unknown_kernel_names_the_known_ones():
    with pytest.raises(UnknownName, match="huber, cauchy"):
        RobustKernel("tukey")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"RobustKernel\.scale"):
        RobustKernel("dcs", 0.0)


@pytest.mark.parametrize("kernel", [None, RobustKernel()])
def test_exact_edges_give_the_true_poses(kernel):
    rng = np.random.default_rng(0)
    true, graph = rounds(rng)
    shaken = graph.with_poses(true + np.where(np.arange(len(true)) > 0, 0.1, 0.0)[:, None])
    found = optimize(shaken, kernel=kernel)
    assert found.converged
    np.testing.assert_allclose(relative_all(true, found.poses), 0.0, atol=1e-6)


def test_the_optimum_is_flat_in_every_direction():
    _, graph = rounds(np.random.default_rng(2), noise=1.0)
    found = optimize(graph, kernel=None, tolerance=1e-12)
    best = graph.squared_errors(found.poses).sum()
    assert best == pytest.approx(found.costs[-1])
    for seed in range(20):
        step = np.random.default_rng(seed).normal(0, 1e-3, found.poses.shape)
        assert graph.squared_errors(found.poses + step).sum() > best


def test_moving_the_whole_graph_moves_the_whole_answer():
    _, graph = rounds(np.random.default_rng(4), noise=1.0)
    moved = graph.with_poses(compose_all([3.0, -5.0, 2.0], graph.poses))
    one, two = optimize(graph, kernel=None), optimize(moved, kernel=None)
    np.testing.assert_allclose(
        relative_all(two.poses, compose_all([3.0, -5.0, 2.0], one.poses)), 0.0, atol=1e-6
    )
    assert one.costs[-1] == pytest.approx(two.costs[-1], rel=1e-9)


def test_costs_never_rise_and_loops_lower_the_error():
    true, graph = rounds(np.random.default_rng(5), laps=6, noise=1.0)
    found = optimize(graph, kernel=None)
    assert np.all(np.diff(found.costs) <= 0.0)

    def off(poses):
        return np.hypot(*relative_all(true, poses)[:, :2].T).max()

    assert off(found.poses) < 0.5 * off(graph.poses)


def test_the_held_node_stays_where_it_is():
    _, graph = rounds(np.random.default_rng(6), noise=1.0)
    found = optimize(graph, kernel=None, fixed=7)
    np.testing.assert_array_equal(found.poses[7], graph.poses[7])
    with pytest.raises(InvalidInput, match="no node 99 to hold"):
        optimize(graph, fixed=99)


def test_wrong_loops_lose_their_weight():
    rng = np.random.default_rng(7)
    true, graph = rounds(rng, laps=6, noise=0.5)
    pairs = np.array([(1, 30), (5, 40), (11, 27), (2, 20), (9, 35)])
    loops = [*graph.loop, *[True] * len(pairs)]
    wrong = graph_of(
        graph.poses,
        [*graph.edges, *pairs],
        [*graph.measured, *rng.normal(0, 3, (5, 3))],
        loop=loops,
    )
    found = optimize(wrong)
    assert found.weights[-5:].max() < 0.1 and found.weights[:-5].min() > 0.5
    assert np.hypot(*relative_all(true, found.poses)[:, :2].T).max() < 0.3
    spoiled = optimize(wrong, kernel=None)
    assert np.hypot(*relative_all(true, spoiled.poses)[:, :2].T).max() > 1.0


def test_only_loops_are_doubted():
    poses = np.zeros((2, 3))
    both = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
    trusted = optimize(graph_of(poses, [(0, 1), (0, 1)], both, loop=[False, False]))
    assert trusted.poses[1, 0] == pytest.approx(1.5) and trusted.weights.tolist() == [1.0, 1.0]
    doubted = optimize(
        graph_of(np.array([[0.0, 0, 0], [1, 0, 0]]), [(0, 1), (0, 1)], both, loop=[False, True])
    )
    assert doubted.poses[1, 0] < 1.1


@pytest.mark.parametrize("start", [tree_start, chordal_start])
def test_parts_that_no_edge_joins_are_told_and_keep_their_first_pose(start):
    poses = np.array([[0, 0, 0], [9, 9, 9], [5.0, 5.0, 1.0], [9, 9, 9], [7.0, 0.0, 0.0]])
    one = [1.0, 0.0, 0.0]
    found = optimize(start(graph_of(poses, [(0, 1), (2, 3)], [one, one])))
    np.testing.assert_allclose(found.poses[1], [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(found.poses[2], [5, 5, 1], atol=1e-9)
    np.testing.assert_allclose(found.poses[3], compose_all([5, 5, 1], one), atol=1e-9)
    np.testing.assert_allclose(found.poses[4], [7, 0, 0], atol=1e-9)
    assert "3 parts" in found.notes[0]


@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_a_graph_without_edges_stays_as_it_is(nodes):
    graph = graph_of(np.ones((nodes, 3)), [], np.zeros((0, 3)))
    found = optimize(chordal_start(tree_start(graph)))
    np.testing.assert_array_equal(found.poses, graph.poses)
    assert found.converged and len(found.notes) == (nodes > 1)


@pytest.mark.parametrize("start", [tree_start, chordal_start])
def test_both_starts_satisfy_exact_edges(start):
    rng = np.random.default_rng(8)
    true, graph = rounds(rng)
    backward = graph_of(
        np.where(np.arange(len(true))[:, None] == 0, true, 5.0), graph.edges[:, ::-1],
        relative_all(graph.measured, np.zeros(3)), loop=graph.loop,
    )  # fmt: skip
    np.testing.assert_allclose(relative_all(true, start(backward).poses), 0.0, atol=1e-9)


def test_a_graph_that_drifted_far_is_closed_from_its_edges_alone():
    """Half a radian of drift per round: along the tree, right loops look wrong."""
    rng = np.random.default_rng(10)
    true, graph = rounds(rng, sides=40, laps=3)
    steps = graph.measured.copy()
    steps[~graph.loop, 2] += 0.5 / 40
    drifted = graph_of(np.zeros_like(true), graph.edges, steps, loop=graph.loop)
    found = optimize_from_edges(drifted)
    assert found.converged
    seen = relative_all(found.poses[:-40], found.poses[40:])
    assert np.abs(seen - graph.measured[graph.loop]).max() < 0.3


def test_what_hangs_on_a_wrong_loop_alone_stays_solvable():
    poses = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 0], [1e6, 0, 0]])
    edges, one = [(0, 1), (0, 2), (0, 2), (2, 3)], [1.0, 0.0, 0.0]
    far = [[1e7, 0, 0], [-1e7, 0, 0]]
    graph = graph_of(poses, edges, [one, *far, one], loop=[False, True, True, False])
    found = optimize(graph)
    assert np.isfinite(found.poses).all()
    assert found.poses[3, 0] - found.poses[2, 0] == pytest.approx(1.0, abs=1e-3)


def test_a_tree_takes_loops_only_where_nothing_else_joins():
    poses = np.zeros((3, 3))
    edges, measured = [(0, 1), (0, 2), (1, 2)], [[1, 0, 0], [5, 5, 0], [1, 0, 0]]
    graph = tree_start(graph_of(poses, edges, measured))
    np.testing.assert_allclose(graph.poses[:, 0], [0, 1, 2])
    joined = tree_start(graph_of(poses, edges[:2], measured[:2]))
    np.testing.assert_allclose(joined.poses[:, 0], [0, 1, 5])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"edges": [(0, 5)]}, "node 5, but there are nodes 0 to 1"),
        ({"edges": [(-1, 0)]}, "node -1"),
        ({"edges": [(1, 1)]}, "to itself"),
        ({"measured": [[np.nan, 0, 0]]}, "not finite"),
        ({"measured": [[1, 0]]}, "shape"),
        ({"poses": [[np.inf, 0, 0], [0, 0, 0]]}, "not finite"),
        ({"information": np.zeros((1, 3, 3))}, "positive definite"),
        ({"information": -np.eye(3)[None]}, "positive definite"),
        ({"information": [[[2, 1, 0], [0, 2, 0], [0, 0, 2]]]}, "not symmetric"),
    ],
)
def test_broken_graphs_are_refused(changes, says):
    whole = {"poses": np.zeros((2, 3)), "edges": [(0, 1)], "measured": [[1.0, 0.0, 0.0]]}
    with pytest.raises(InvalidInput, match=says):
        graph_of(**(whole | changes))


def test_the_same_graph_gives_the_same_bits():
    _, graph = rounds(np.random.default_rng(9), noise=1.0)
    np.testing.assert_array_equal(optimize(graph).poses, optimize(graph).poses)


@pytest.mark.parametrize("start", [tree_start, chordal_start])
@pytest.mark.parametrize("kernel", [None, RobustKernel()])
def test_killian_court_comes_out_as_by_gtsam(start, kernel, real_logs):
    """Numbers of gtsam 4.2, with the data sets' own tool."""
    graph = start(read_graph(real_logs / "killian.graph.gz"))
    found = optimize(graph, kernel=kernel)
    relations = read_relations(real_logs / "killian.relations.gz")
    errors = relation_errors(graph.stamps, found.poses, relations, max_gap=1.5)
    used, moved, turned = (4535, 0.0463, 0.89) if real_logs.whole else (1105, 0.03468, 0.785)
    assert found.converged and int(errors.used.sum()) == used
    assert errors.translation.mean == pytest.approx(moved, rel=0.01)
    assert errors.rotation_deg.mean == pytest.approx(turned, abs=0.01)
