"""First poses of a graph, from its edges alone.

Along a tree the edges are strung one after the other: exact, and as far off as they drift. The
chordal way solves two linear problems, first all headings, then all positions, so that every loop
is closed from the beginning; wrong loops bend it. Where all edges are trusted it is the better
start, where some may be wrong the tree is.
"""

from math import cos, sin

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.poses.planar_arrays import relative_all
from mecano.core.poses.rotations import wrap_angle
from mecano.estimation.slam.pose_graph import ROBUST, Optimized, PoseGraph, RobustKernel, optimize


def optimize_from_edges(graph: PoseGraph, kernel: RobustKernel | None = ROBUST) -> Optimized:
    """Optimize a graph whose poses are not known: from both starts, and take the better end."""
    ends = [optimize(start(graph), kernel=kernel) for start in (tree_start, chordal_start)]
    return min(ends, key=lambda end: end.costs[-1])


def tree_start(graph: PoseGraph) -> PoseGraph:
    """Return the graph with poses strung along its edges; loops only where nothing else joins.

    Where there are several ways, that over neighbouring nodes is taken. The first node of each
    connected part keeps its pose.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

    n = len(graph.poses)
    if not len(graph.edges):
        return graph
    length = np.abs(graph.edges[:, 1] - graph.edges[:, 0]) + np.where(graph.loop, 2.0 * n, 0.0)
    rows, columns = graph.edges[:, 0], graph.edges[:, 1]
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    order = np.lexsort((length, high, low))
    kept = order[np.append(True, np.diff(low[order] * n + high[order]) != 0)]
    links = coo_array((length[kept], (low[kept], high[kept])), shape=(n, n)).tocsr()
    tree = minimum_spanning_tree(links)
    of_pair = dict(zip(zip(low[kept].tolist(), high[kept].tolist(), strict=True), kept.tolist(),
                       strict=True))  # fmt: skip
    steps = graph.measured
    back = relative_all(steps, np.zeros(3))
    poses = graph.poses.copy()
    _, roots = np.unique(graph.parts(), return_index=True)
    for root in roots.tolist():
        visits, before = breadth_first_order(tree, root, directed=False)
        for node in visits[1:].tolist():
            parent = int(before[node])
            edge = of_pair[min(parent, node), max(parent, node)]
            dx, dy, turn = (steps if graph.edges[edge, 0] == parent else back)[edge]
            x, y, yaw = poses[parent]
            c, s = cos(yaw), sin(yaw)
            poses[node] = x + c * dx - s * dy, y + s * dx + c * dy, yaw + turn
    poses[:, 2] = wrap_angle(poses[:, 2])
    return graph.with_poses(poses)


def chordal_start(graph: PoseGraph) -> PoseGraph:
    """Return the graph with poses that satisfy all edges at once as well as linear ones can.

    Headings come as points in the plane that need not lie on the circle; that makes their problem
    linear. The first node of each connected part keeps its pose.
    """
    if not len(graph.edges):
        return graph
    _, anchors = np.unique(graph.parts(), return_index=True)
    headings = _linear(
        graph,
        anchors,
        known=np.exp(1j * graph.poses[anchors, 2]),
        weights=graph.information[:, 2, 2],
        factor=np.exp(1j * graph.measured[:, 2]),
        offset=np.zeros(len(graph.edges), dtype=complex),
    )
    turned = headings[graph.edges[:, 0]] / np.abs(headings[graph.edges[:, 0]])
    positions = _linear(
        graph,
        anchors,
        known=graph.poses[anchors, 0] + 1j * graph.poses[anchors, 1],
        weights=0.5 * (graph.information[:, 0, 0] + graph.information[:, 1, 1]),
        factor=np.ones(len(graph.edges), dtype=complex),
        offset=turned * (graph.measured[:, 0] + 1j * graph.measured[:, 1]),
    )
    return graph.with_poses(np.stack([positions.real, positions.imag, np.angle(headings)], axis=1))


def _linear(
    graph: PoseGraph,
    anchors: NDArray[np.int64],
    *,
    known: NDArray[np.complex128],
    weights: Array,
    factor: NDArray[np.complex128],
    offset: NDArray[np.complex128],
) -> NDArray[np.complex128]:
    """Return the numbers of all nodes for which `to` is nearest to `factor * from + offset`."""
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import splu

    n, m = len(graph.poses), len(graph.edges)
    rows = np.tile(np.arange(m), 2)
    values = np.concatenate([-factor, np.ones(m)])
    wanted = coo_array((values, (rows, graph.edges.T.ravel())), shape=(m, n)).tocsc()
    result = np.zeros(n, dtype=complex)
    result[anchors] = known
    free = np.ones(n, dtype=bool)
    free[anchors] = False
    left = wanted[:, free]
    if not left.shape[1]:
        return result
    weighted = (left.conj().T @ diags_array(weights)).tocsc()
    rest = offset - wanted[:, anchors] @ known
    factors = splu(
        (weighted @ left).tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
    )
    result[free] = factors.solve(weighted @ rest)
    return result
