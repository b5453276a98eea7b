"""What was measured between keyframes, in arrays."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mecano.core.arrays import Array, Mask
from mecano.estimation.slam.clouds import grown

LEAST = 1e-4 * np.eye(3)
"""Information that every edge has [1/m^2, 1/rad^2]: 100 m is as good as nothing."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges of a graph, as `PoseGraph` has them."""

    ends: NDArray[np.int64]
    """From and to. Shape (m, 2)."""
    measured: Array
    """Pose of `to` seen from `from`: x, y [m], yaw [rad]. Shape (m, 3)."""
    information: Array
    """In the axes of `to`. Shape (m, 3, 3)."""
    loop: Mask
    """Edges that may be wrong. Shape (m,)."""

    def __len__(self) -> int:
        return len(self.ends)

    def where(self, kept: Mask) -> "Edges":
        """Return some of the edges."""
        return Edges(self.ends[kept], self.measured[kept], self.information[kept], self.loop[kept])

    def weighted(self, weights: Array) -> "Edges":
        """Return the edges with their information times weights. Shape (m,)."""
        return replace(self, information=self.information * weights[:, None, None])

    def __add__(self, other: "Edges") -> "Edges":
        """Return both, one after the other."""
        return Edges(
            np.concatenate([self.ends, other.ends]),
            np.concatenate([self.measured, other.measured]),
            np.concatenate([self.information, other.information]),
            np.concatenate([self.loop, other.loop]),
        )


class EdgeTable:
    """Edges that come one by one."""

    def __init__(self) -> None:
        self._edges = Edges(
            np.zeros((0, 2), dtype=np.int64), np.zeros((0, 3)), np.zeros((0, 3, 3)),
            np.zeros(0, dtype=np.bool_),
        )  # fmt: skip
        self._count = 0
        self._covariances: Array = np.zeros((0, 3, 3))

    def __len__(self) -> int:
        return self._count

    def append(
        self, start: int, end: int, measured: Array, information: Array, *, loop: bool = False
    ) -> None:
        """Add an edge.

        Args:
            start: Node it is measured from.
            end: Node that is measured.
            measured: Pose of `end` seen from `start`: x, y [m], yaw [rad].
            information: In the axes of `end`. Shape (3, 3).
            loop: Whether it may be wrong.
        """
        if self._count == len(self._edges):
            size, old = max(2 * self._count, 256), self._edges
            self._edges = Edges(
                grown(old.ends, size), grown(old.measured, size), grown(old.information, size),
                grown(old.loop, size),
            )  # fmt: skip
        at, edges = self._count, self._edges
        edges.ends[at] = start, end
        edges.measured[at] = measured
        edges.information[at] = information
        edges.loop[at] = loop
        self._count += 1

    def remove(self, gone: Mask) -> None:
        """Leave out some edges; the others close up. Shape (m,)."""
        self._covariances = self.covariances[~gone]
        self._edges = self.all.where(~gone)
        self._count = len(self._edges)

    def weaken(self, doubted: Mask, information: Array) -> None:
        """Let some edges count less. Shapes (m,) and (3, 3)."""
        self._edges.information[: self._count][doubted] = information
        self.covariances[doubted] = np.linalg.inv(information)

    @property
    def all(self) -> Edges:
        """Views of what is there so far."""
        edges, n = self._edges, self._count
        return Edges(edges.ends[:n], edges.measured[:n], edges.information[:n], edges.loop[:n])

    @property
    def covariances(self) -> Array:
        """Inverse of the information. Shape (m, 3, 3)."""
        new = self._edges.information[len(self._covariances) : self._count]
        if len(new):  # inverted together, when somebody asks: numpy's cost per call is large
            inverse = np.linalg.inv(new).astype(np.float64)
            self._covariances = np.concatenate([self._covariances, inverse])
        return self._covariances


def in_axes_of(yaw: ArrayLike, information: Array) -> Array:
    """Return information along the axes of a map as it is in axes turned by a yaw [rad].

    Shapes (...) and (..., 3, 3). Every direction gets a little, so that all can be inverted.
    """
    R = _turns(yaw)
    H = np.swapaxes(R, -1, -2) @ information @ R
    return 0.5 * (H + np.swapaxes(H, -1, -2)) + LEAST


def in_axes_of_map(yaw: ArrayLike, information: Array) -> Array:
    """Return information in axes turned by a yaw [rad] as it is along the axes of the map."""
    R = _turns(yaw)
    return R @ information @ np.swapaxes(R, -1, -2)


def _turns(yaw: ArrayLike) -> Array:
    yaw = np.asarray(yaw)
    R = np.zeros((*yaw.shape, 3, 3))
    R[..., 0, 0] = R[..., 1, 1] = np.cos(yaw)
    R[..., 1, 0] = np.sin(yaw)
    R[..., 0, 1] = -R[..., 1, 0]
    R[..., 2, 2] = 1.0
    return R
