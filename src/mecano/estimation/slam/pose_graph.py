"""Pose graphs: poses, what was measured between them, and the poses that fit it best.

The error of an edge is its `to` pose, seen from where the edge wants it to be; the information
matrix weighs that error, so it is given in the axes of `to`. Least squares goes by the
Levenberg-Marquardt method on sparse normal equations. Edges marked as loops may be wrong:
a robust kernel lowers their weight as far as they contradict the others.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mecano.core.arrays import Array, Mask, Shape, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses.rotations import wrap_angle
from mecano.estimation.slam.graph_equations import NormalEquations, edge_errors, edge_jacobians
from mecano.estimation.slam.robust_kernels import RobustKernel as RobustKernel

DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-6, 1e-12, 1e8
"""Of the first step, and how far it may fall and rise."""
LEAST_WEIGHT = 1e-9
"""An edge that nobody believes still holds what hangs on it alone."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PoseGraph:
    """Poses and the edges between them."""

    stamps: Array
    """Of the nodes [s]. Shape (n,)."""
    poses: Array
    """x, y [m], yaw [rad] as believed now. Shape (n, 3)."""
    edges: NDArray[np.int64]
    """Which nodes, from and to. Shape (m, 2)."""
    measured: Array
    """Pose of `to` seen from `from`: x, y [m], yaw [rad]. Shape (m, 3)."""
    information: Array
    """Inverse covariance of what was measured, in the axes of `to`. Shape (m, 3, 3)."""
    loop: Mask
    """Edges that may be wrong. Shape (m,)."""

    def __post_init__(self) -> None:
        """Check that all fits together."""
        self._fix("poses", (None, 3))
        nodes = len(self.poses)
        self._fix("stamps", (nodes,))
        self._fix("edges", (None, 2), dtype=np.int64)
        m = len(self.edges)
        self._fix("measured", (m, 3))
        self._fix("information", (m, 3, 3))
        self._fix("loop", (m,), dtype=np.bool_)
        wrong = np.flatnonzero(((self.edges < 0) | (self.edges >= nodes)).any(axis=1))
        if len(wrong):
            i, j = self.edges[wrong[0]].tolist()
            raise InvalidInput(
                f"edge {wrong[0]} goes from node {i} to node {j}, "
                f"but there are nodes 0 to {nodes - 1}"
            )
        same = np.flatnonzero(self.edges[:, 0] == self.edges[:, 1])
        if len(same):
            raise InvalidInput(f"edge {same[0]} goes from node {self.edges[same[0], 0]} to itself")
        self._check_information()

    def _fix(self, name: str, shape: Shape, dtype: DTypeLike = np.float64) -> None:
        values = getattr(self, name)
        if len(values) == 0:
            values = np.zeros([length or 0 for length in shape])
        fixed = read_only(values, name=f"PoseGraph.{name}", shape=shape, dtype=dtype)
        object.__setattr__(self, name, fixed)

    def _check_information(self) -> None:
        lean = np.abs(self.information - np.swapaxes(self.information, 1, 2)).max(axis=(1, 2))
        tallest = np.abs(self.information).max(axis=(1, 2))
        wrong = np.flatnonzero((lean > 1e-6 * tallest) | ~_are_positive(self.information))
        if len(wrong):
            k = wrong[0]
            raise InvalidInput(
                f"the information of edge {k} (node {self.edges[k, 0]} to {self.edges[k, 1]}) is "
                f"not symmetric and positive definite: {self.information[k].tolist()}; "
                "leave the edge out, or give it a small positive diagonal"
            )

    def with_poses(self, poses: Array) -> "PoseGraph":
        """Return the graph with other poses."""
        return replace(self, poses=poses)

    def without(self, edges: Mask) -> "PoseGraph":
        """Return the graph without some of its edges. Shape (m,)."""
        kept = {name: getattr(self, name)[~edges] for name in _OF_EDGES}
        return replace(self, **kept)

    def squared_errors(self, poses: Array | None = None) -> Array:
        """Return the squared error of each edge in units of its variance. Shape (m,)."""
        errors = edge_errors(self.poses if poses is None else poses, self.edges, self.measured)
        return _squared(errors, self.information)

    def parts(self, edges: Mask | None = None) -> NDArray[np.int64]:
        """Return the number of the connected part of each node; only some edges may count."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        ends = self.edges if edges is None else self.edges[edges]
        n = len(self.poses)
        links = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
        return connected_components(links, directed=False)[1].astype(np.int64)


def _squared(errors: Array, information: Array) -> Array:
    """Return errors in units of their variance, squared. Shape (m,)."""
    return np.einsum("mi,mij,mj->m", errors, information, errors)


def _are_positive(matrices: Array) -> Mask:
    """Return which symmetric matrices are positive definite: all leading minors are positive."""
    (a, b, c), (_, d, e), (_, _, f) = np.moveaxis(matrices, 0, -1)
    two = a * d - b * b
    three = f * two - a * e * e + 2.0 * b * c * e - c * c * d
    return (a > 0.0) & (two > 0.0) & (three > 0.0)


_OF_EDGES = ("edges", "measured", "information", "loop")


@dataclass(frozen=True, eq=False, kw_only=True)
class Optimized:
    """The poses that fit the edges, and how they were found."""

    poses: Array
    """x, y [m], yaw [rad]. Shape (n, 3)."""
    costs: tuple[float, ...]
    """What is made small: at the start, then after each iteration that was kept."""
    weights: Array
    """What each edge counts in the end, in [0, 1]; edges that are no loops count 1. Shape (m,)."""
    iterations: int
    converged: bool
    """Whether it ended because nothing got better, not because iterations ran out."""
    notes: tuple[str, ...] = field(default=())
    """What a user should know, a sentence each."""


ROBUST = RobustKernel("dcs", 3.0)
"""The kernel if nothing else is said: edges within three standard deviations count in full.

Killian's graph with 500 random loops among its 1,115 true ones, started along its tree: the same
poses as without them. From a start that the wrong loops have bent no kernel finds back, and
narrowing the kernel step by step (graduated non-convexity) did worse than this."""


def optimize(
    graph: PoseGraph,
    *,
    kernel: RobustKernel | None = ROBUST,
    fixed: int = 0,
    iterations: int = 50,
    tolerance: float = 1e-6,
) -> Optimized:
    """Find the poses that fit the edges best, from the poses that the graph has.

    Args:
        graph: Its poses are the start; see `graph_start` for better ones.
        kernel: Of the edges marked as loops; None trusts all edges alike.
        fixed: This node stays where it is. In parts of the graph that do not hang together with
            it, their first node does.
        iterations: At most so many steps.
        tolerance: Stop when a step lowers the cost by less than this part of it.

    Raises:
        InvalidInput: There is no node `fixed`.
    """
    nodes = len(graph.poses)
    if not 0 <= fixed < max(nodes, 1):
        raise InvalidInput(f"no node {fixed} to hold; the graph has nodes 0 to {nodes - 1}")
    anchors, notes = _anchors(graph, fixed)
    equations = NormalEquations(nodes, graph.edges, anchors)
    search = _Search(graph, equations, kernel)
    costs, done, converged = search.run(iterations, tolerance)
    return Optimized(
        poses=search.poses,
        costs=costs,
        weights=search.weights,
        iterations=done,
        converged=converged,
        notes=notes,
    )


def _anchors(graph: PoseGraph, fixed: int) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return a node of each connected part, to be held, and a note if there are several."""
    parts = graph.parts()
    _, first = np.unique(parts, return_index=True)
    first[parts[first] == (parts[fixed] if len(parts) else -1)] = fixed
    if len(first) < 2:
        return first, ()
    sizes = np.sort(np.bincount(parts))[::-1]
    return first, (
        f"the graph falls into {len(first)} parts that no edge joins (the largest has {sizes[0]} "
        f"of {len(parts)} nodes); each is optimized by itself and keeps its first pose",
    )


class _Search:
    """Levenberg and Marquardt's method with one kernel."""

    def __init__(
        self, graph: PoseGraph, equations: NormalEquations, kernel: RobustKernel | None
    ) -> None:
        self._graph, self._equations, self._kernel = graph, equations, kernel
        self.poses = graph.poses
        """The best so far."""
        self._errors = edge_errors(graph.poses, graph.edges, graph.measured)
        self._squared = _squared(self._errors, graph.information)

    @property
    def weights(self) -> Array:
        """What each edge counts at the best poses. Shape (m,)."""
        weights = np.ones(len(self._squared))
        if self._kernel is not None:
            loop = self._graph.loop
            weights[loop] = self._kernel.weights(self._squared[loop])
        return weights

    def _cost(self, squared: Array) -> float:
        if self._kernel is None:
            return float(squared.sum())
        loop = self._graph.loop
        doubted = self._kernel.costs(squared[loop])
        return float(squared[~loop].sum() + doubted.sum())

    def run(self, most: int, tolerance: float) -> tuple[tuple[float, ...], int, bool]:
        """Improve the poses; return the costs on the way, the number of steps and whether they
        ended.
        """
        graph = self._graph
        costs, damping, done = [self._cost(self._squared)], DAMPING, 0
        if self._equations.empty:
            return tuple(costs), done, True
        self._linearize()
        while done < most:
            done += 1
            trial = self._step(damping)
            errors = edge_errors(trial, graph.edges, graph.measured)
            squared = _squared(errors, graph.information)
            cost = self._cost(squared)
            if cost <= costs[-1]:
                gain = costs[-1] - cost
                self.poses, self._errors, self._squared = trial, errors, squared
                damping = max(damping / 10.0, LEAST_DAMPING)
                costs.append(cost)
                if gain <= tolerance * cost + 1e-15:
                    return tuple(costs), done, True
                self._linearize()
            else:
                if cost - costs[-1] <= 1e-9 * costs[-1]:
                    return tuple(costs), done, True
                damping *= 10.0
                if damping > MOST_DAMPING:
                    return tuple(costs), done, True
        return tuple(costs), done, False

    def _linearize(self) -> None:
        graph = self._graph
        by_from, by_to = edge_jacobians(self.poses, graph.edges, graph.measured)
        weights = np.maximum(self.weights, LEAST_WEIGHT)
        information = graph.information * weights[:, None, None]
        self._equations.gather(by_from, by_to, information, self._errors)

    def _step(self, damping: float) -> Array:
        moved = self.poses.copy()
        moved[self._equations.nodes] += self._equations.solve(damping)
        moved[:, 2] = wrap_angle(moved[:, 2])
        return moved
