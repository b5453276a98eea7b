"""A local map that scans are matched to: clouds at their poses, drawn into grids."""

from functools import lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.estimation.slam.clouds import Cloud, CloudStore
from mecano.estimation.slam.kernels import kernels
from mecano.estimation.slam.settings import SlamSettings

FINE = 64
"""Entries of the table of likelihoods per squared cell."""
LEVELS = 6
"""Of the pyramid: the coarsest sees 32 cells at once."""


class Thinned:
    """Clouds at given poses, with one return per cell. More can be added where the box has room."""

    def __init__(
        self,
        store: CloudStore,
        members: NDArray[np.int64],
        poses: Array,
        settings: SlamSettings,
        *,
        room: float = 0.0,
    ) -> None:
        """Put some clouds together.

        Args:
            store: All clouds.
            members: Those to take, the most trusted first.
            poses: Where their bases are: x, y [m], yaw [rad]. Shape (members, 3).
            settings: Sizes of cells.
            room: Left around them for clouds to come [m].
        """
        self.settings, self._store = settings, store
        around = np.zeros(4)
        self._count = 0
        if np.any(store.starts[members + 1] > store.starts[members]):
            kernels().extent(store.points, store.starts, members, poses, around)
        self.low, self.high = around[:2] - room, around[2:] + room
        margin = settings.reach + settings.cell
        self.box = np.array([*(self.low - margin), settings.cell])
        size = np.ceil((self.high - self.low + 2 * margin) / settings.cell).astype(int) + 1
        self.shape = int(size[1]), int(size[0])
        self._taken = np.zeros(self.shape, dtype=np.uint8)
        self._kept = (np.empty((0, 2)), np.empty((0, 2)), np.empty(0, dtype=np.uint8))
        self._take(members, poses)

    @property
    def known(self) -> tuple[Array, Array, NDArray[np.uint8]]:
        """Points, normals and kinds."""
        points, normals, kinds = self._kept
        return points[: self._count], normals[: self._count], kinds[: self._count]

    @property
    def cloud(self) -> Cloud:
        """All returns, in the frame of the poses."""
        return Cloud(*self.known)

    def _take(self, members: NDArray[np.int64], poses: Array) -> None:
        store = self._store
        size = self._count + int(np.sum(store.starts[members + 1] - store.starts[members]))
        if size > len(self._kept[0]):
            old = self.known
            more = 2 * size
            self._kept = np.empty((more, 2)), np.empty((more, 2)), np.empty(more, np.uint8)
            for new, part in zip(self._kept, old, strict=True):
                new[: self._count] = part
        self._count = kernels().thin(
            store.points, store.normals, store.kinds, store.starts, members, poses, self._taken,
            self.box, self._kept, self._count,
        )  # fmt: skip


class Field(Thinned):
    """A local map. The refinement looks up the nearest return, the search how near it is."""

    def __init__(
        self,
        store: CloudStore,
        members: NDArray[np.int64],
        poses: Array,
        settings: SlamSettings,
        *,
        room: float = 0.0,
    ) -> None:
        """Draw some clouds; see `Thinned`."""
        super().__init__(store, members, poses, settings, room=room)
        self._nearest: tuple[NDArray[np.int32], NDArray[np.float32]] | None = None
        self._search: tuple[Array, NDArray[np.uint8]] | None = None
        self._indexed = self._likened = self._pooled = 0

    def add(self, member: int, pose: Array) -> bool:
        """Take one more cloud; return False, and take nothing, if it leaves the box."""
        members, poses, around = np.array([member]), pose[None], np.zeros(4)
        kernels().extent(self._store.points, self._store.starts, members, poses, around)
        if np.any(around[:2] < self.low) or np.any(around[2:] > self.high):
            return False
        self._take(members, poses)
        return True

    @property
    def index(self) -> NDArray[np.int32]:
        """Row of the nearest return of every cell, -1 where none is near. Shape (rows, columns)."""
        if self._nearest is None:
            near = np.full(self.shape, inf, dtype=np.float32)
            self._nearest = np.full(self.shape, -1, dtype=np.int32), near
        if self._indexed < self._count:
            reach = round(self.settings.reach / self.settings.cell)
            kernels().draw_nearest(*self._nearest, self.known[0], self._indexed, self.box, reach)
            self._indexed = self._count
        return self._nearest[0]

    def pyramid(self, levels: int) -> tuple[Array, NDArray[np.uint8]]:
        """Return the box and the likelihoods, with their maxima over 2, 4, 8 ... cells.

        Shape (levels, rows, columns).
        """
        levels = min(levels, LEVELS)
        cell = self.settings.search_cell
        if self._search is None:
            margin = 3 * self.settings.search_spread + cell * (1 << LEVELS)
            box = np.array([*(self.low - margin), cell])
            columns, rows = np.ceil((self.high - self.low + 2 * margin) / cell).astype(int) + 1
            self._search = box, np.zeros((LEVELS, rows, columns), dtype=np.uint8)
        box, pyramid = self._search
        if self._likened < self._count:
            spread = self.settings.search_spread / cell
            kernels().draw_likelihood(
                pyramid[0], self.known[0], self._likened, box, _table(spread), FINE, _reach(spread)
            )
            self._likened, self._pooled = self._count, 0
        for level in range(max(self._pooled, 1), levels):
            kernels().pool(pyramid[level - 1], 1 << (level - 1), pyramid[level])
        self._pooled = max(self._pooled, levels)
        return box, pyramid[:levels]


@lru_cache(maxsize=8)
def _table(spread: float) -> NDArray[np.uint8]:
    """Return likelihoods 0 to 255 by squared distance [cells]: zero beyond three deviations."""
    squared = np.arange(int(9 * spread * spread * FINE)) / FINE
    table = np.zeros(2 * (_reach(spread) + 1) ** 2 * FINE, dtype=np.uint8)
    table[: len(squared)] = np.round(255 * np.exp(-0.5 * squared / spread**2))
    return table


def _reach(spread: float) -> int:
    """Return how many cells away a return still counts."""
    return int(3 * spread)
