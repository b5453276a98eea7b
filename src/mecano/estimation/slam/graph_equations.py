"""The normal equations of a pose graph: linearized, gathered and solved, all edges at once."""

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.poses.planar_arrays import relative_all


def edge_errors(poses: Array, edges: NDArray[np.int64], measured: Array) -> Array:
    """Return where each `to` is, seen from where its edge wants it: x, y [m], yaw [rad]."""
    seen = relative_all(poses[edges[:, 0]], poses[edges[:, 1]])
    return relative_all(measured, seen)


def edge_jacobians(poses: Array, edges: NDArray[np.int64], measured: Array) -> tuple[Array, Array]:
    """Return the derivatives of `edge_errors` by the poses `from` and `to`. Shapes (m, 3, 3)."""
    a, b = poses[edges[:, 0]], poses[edges[:, 1]]
    seen = relative_all(a, b)
    turn = a[:, 2] + measured[:, 2]
    c, s = np.cos(turn), np.sin(turn)
    cm, sm = np.cos(measured[:, 2]), np.sin(measured[:, 2])
    by_to = np.zeros((len(edges), 3, 3))
    by_to[:, 0, 0], by_to[:, 0, 1] = c, s
    by_to[:, 1, 0], by_to[:, 1, 1] = -s, c
    by_to[:, 2, 2] = 1.0
    by_from = -by_to
    by_from[:, 0, 2] = cm * seen[:, 1] - sm * seen[:, 0]
    by_from[:, 1, 2] = -sm * seen[:, 1] - cm * seen[:, 0]
    return by_from, by_to


class NormalEquations:
    """`H dx = -g` of a graph in which some nodes stay; its pattern is laid out once."""

    def __init__(self, nodes: int, edges: NDArray[np.int64], fixed: NDArray[np.int64]) -> None:
        free = np.ones(nodes, dtype=bool)
        free[fixed] = False
        self.nodes = np.flatnonzero(free)
        """Those that move."""
        place = np.full(nodes, -1)
        place[self.nodes] = np.arange(len(self.nodes))
        place[self.nodes] = _elimination_order(len(self.nodes), place[edges])
        self._place, self._edges = place, edges
        self._unknowns = 3 * len(self.nodes)
        self._lay_out(place[edges])

    def _lay_out(self, at: NDArray[np.int64]) -> None:
        """Find where all entries of all edges go in the sparse matrix, block by block.

        Entries of nodes that stay go to one place more, behind all others.
        """
        row, column, nodes, three = at[:, :, None], at[:, None, :], len(self.nodes), np.arange(3)
        keys = np.where((row >= 0) & (column >= 0), column * nodes + row, nodes * nodes)
        used, block = np.unique(keys.ravel(), return_inverse=True)
        used = used[used < nodes * nodes]
        row, column = used % max(nodes, 1), used // max(nodes, 1)
        first = np.searchsorted(column, np.arange(nodes + 1))
        length = 3 * np.diff(first)  # of each of the three columns of a node
        begin = 6 * first[column] + 3 * np.arange(len(used))
        slots = np.full((len(used) + 1, 3, 3), 9 * len(used))
        slots[:-1] = begin[:, None, None] + three[:, None] + length[column, None, None] * three
        self._slots = slots[block].reshape(-1, 2, 2, 3, 3).transpose(0, 1, 3, 2, 4).ravel()
        self._rows = np.empty(9 * len(used), dtype=np.int32)
        self._rows[slots[:-1]] = (3 * row[:, None] + three)[:, :, None]
        self._starts = np.append(0, np.cumsum(np.repeat(length, 3))).astype(np.int32)
        self._diagonal = slots[:-1][row == column][:, three, three].ravel()
        unknown = np.where(at[:, :, None] >= 0, 3 * at[:, :, None] + three, self._unknowns)
        self._gradient_at = unknown.ravel()

    def gather(self, by_from: Array, by_to: Array, information: Array, errors: Array) -> None:
        """Put the edges together.

        Args:
            by_from: Derivatives by the first pose. Shape (m, 3, 3).
            by_to: And by the second.
            information: Weighted. Shape (m, 3, 3).
            errors: Shape (m, 3).
        """
        jacobian = np.concatenate([by_from, by_to], axis=2)
        weighted = information @ jacobian
        blocks = np.swapaxes(jacobian, 1, 2) @ weighted
        size = len(self._rows) + 1
        self._values = np.bincount(self._slots, blocks.ravel(), minlength=size)[:-1]
        gradient = np.einsum("mij,mi->mj", weighted, errors).ravel()
        size = self._unknowns + 1
        self.gradient = np.bincount(self._gradient_at, gradient, minlength=size)[:-1]

    def solve(self, damping: float) -> Array:
        """Return the step of the free nodes, as rows of x, y, yaw.

        Args:
            damping: Part of the diagonal that is added to it (Marquardt).

        Raises:
            RuntimeError: The equations have no single solution.
        """
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        values = self._values.copy()
        values[self._diagonal] *= 1.0 + damping
        matrix = csc_array(
            (values, self._rows, self._starts), shape=(self._unknowns, self._unknowns)
        )
        options = {"SymmetricMode": True}
        factors = splu(matrix, permc_spec="NATURAL", diag_pivot_thresh=0.0, options=options)
        step = factors.solve(-self.gradient).reshape(-1, 3)
        return step[self._place[self.nodes]]

    @property
    def empty(self) -> bool:
        """Whether nothing can move."""
        return self._unknowns == 0


def _elimination_order(nodes: int, at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each node that keeps the factors sparse: few neighbours first.

    The pattern of the nodes decides; their three unknowns stay together.
    """
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import splu

    inner = at[(at >= 0).all(axis=1)]
    if nodes < 3 or not len(inner):
        return np.arange(nodes)
    rows, columns = np.concatenate([inner, inner[:, ::-1]]).T
    pattern = coo_array((np.full(len(rows), -1.0), (rows, columns)), shape=(nodes, nodes)).tocsc()
    degrees = -np.asarray(pattern.sum(axis=0))
    laplacian = (pattern + diags_array(degrees + 1.0)).tocsc()
    return splu(laplacian, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).perm_c
