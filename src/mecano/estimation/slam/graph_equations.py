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
        """Find for every entry of every edge's blocks where it goes in the sparse matrix."""
        corner = np.arange(3)
        unknown = 3 * at[:, :, None] + corner
        unknown[at < 0] = -1
        rows, columns = [], []
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            shape = (len(at), 3, 3)
            rows.append(np.broadcast_to(unknown[:, i, :, None], shape))
            columns.append(np.broadcast_to(unknown[:, j, None, :], shape))
        row, column = np.stack(rows, axis=1).ravel(), np.stack(columns, axis=1).ravel()
        self._kept = np.flatnonzero((row >= 0) & (column >= 0))
        keys = column[self._kept] * np.int64(max(self._unknowns, 1)) + row[self._kept]
        used, self._slots = np.unique(keys, return_inverse=True)
        self._rows = (used % max(self._unknowns, 1)).astype(np.int32)
        column = used // max(self._unknowns, 1)
        self._starts = np.searchsorted(column, np.arange(self._unknowns + 1)).astype(np.int32)
        self._diagonal = np.flatnonzero(self._rows == column)
        gradient = unknown.reshape(len(at), 6).ravel()
        self._gradient_kept = np.flatnonzero(gradient >= 0)
        self._gradient_at = gradient[self._gradient_kept]

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
        ordered = blocks.reshape(-1, 2, 3, 2, 3).transpose(0, 1, 3, 2, 4).ravel()
        self._values = np.bincount(self._slots, ordered[self._kept], minlength=len(self._rows))
        gradient = np.einsum("mij,mi->mj", weighted, errors).ravel()
        self.gradient = np.bincount(
            self._gradient_at, gradient[self._gradient_kept], minlength=self._unknowns
        )

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
