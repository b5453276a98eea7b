"""The maps of all particles: tables of tiles that copies share until one of them writes."""

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.compiled import first_call_notice
from mecano.core.errors import InvalidInput
from mecano.estimation.slam.particle_settings import ParticleSettings

FIRST_TILES = 256
"""Tiles that are there from the start."""
MAX_TILES = 400_000
"""6.5 GB; a map that needs more is a mistake."""
SPARE = 8
"""Tables grow by so many tiles more than they must."""


class ParticleMaps:
    """A map for each particle, in one frame. Poses are those of the scanner."""

    def __init__(self, settings: ParticleSettings) -> None:
        """Begin with empty maps."""
        from mecano.estimation.slam.particle_kernel import SIDE

        self._settings, self._side = settings, SIDE
        self._pool = np.zeros((FIRST_TILES, SIDE, SIDE, 4), np.float32)
        self._references = np.zeros(FIRST_TILES, np.int32)
        self._free = np.arange(FIRST_TILES, dtype=np.int32)
        self._count = np.array([FIRST_TILES], np.int64)
        self._tables = np.full((settings.particles, 0, 0), -1, np.int32)
        self._corner = np.zeros(2, np.int64)  # column and row of the first tile

    @property
    def tiles(self) -> int:
        """Tiles in use: fewer than particles times tiles of a map, because copies share them."""
        return len(self._pool) - int(self._count[0])

    def match(self, poses: Array, points: Array) -> tuple[Array, Array]:
        """Return matched poses (n, 3), and log likelihood and explained share of each (n, 2)."""
        from mecano.estimation.slam.particle_kernel import match_all

        s, cells, answers = self._settings, self._to_cells(poses), np.zeros((len(poses), 2))
        with first_call_notice(match_all):
            match_all(
                self._pool, self._tables, cells, points / s.delta, s.sigma / s.delta,
                s.step / s.delta, s.angular_step, s.refinements, s.min_share, answers,
            )  # fmt: skip
        return self._from_cells(cells), answers

    def draw(self, poses: Array, points: Array) -> None:
        """Draw a scan into all maps."""
        from mecano.estimation.slam.particle_kernel import draw

        reach = float(np.hypot(points[:, 0], points[:, 1]).max(initial=0.0))
        self._make_room(poses, reach)
        cells, returns = self._to_cells(poses), points / self._settings.delta
        for table, pose in zip(self._tables, cells, strict=True):
            done = 0
            while done < len(returns):
                done = draw(
                    self._pool, self._references, self._free, self._count, table, pose, returns,
                    done,
                )  # fmt: skip
                if done < len(returns):
                    self._more_tiles()

    def copy(self, chosen: NDArray[np.int64]) -> None:
        """Let the maps become copies of those chosen. Shape (n,)."""
        used = self._tables[self._tables >= 0]
        np.subtract.at(self._references, used, 1)
        self._tables = self._tables[chosen]
        used = self._tables[self._tables >= 0]
        np.add.at(self._references, used, 1)
        free = np.flatnonzero(self._references == 0).astype(np.int32)
        self._free[: len(free)], self._count[0] = free, len(free)

    def _to_cells(self, poses: Array) -> Array:
        cells = poses.copy()
        cells[:, :2] = poses[:, :2] / self._settings.delta - self._corner * self._side
        return cells

    def _from_cells(self, cells: Array) -> Array:
        poses = cells.copy()
        poses[:, :2] = (cells[:, :2] + self._corner * self._side) * self._settings.delta
        return poses

    def _make_room(self, poses: Array, reach: float) -> None:
        """Grow the tables so far that all beams end inside."""
        tile = self._settings.delta * self._side
        low = np.floor((poses[:, :2].min(axis=0) - reach) / tile).astype(np.int64) - 1
        high = np.floor((poses[:, :2].max(axis=0) + reach) / tile).astype(np.int64) + 2
        size = np.array(self._tables.shape[:0:-1])
        if size.all():
            inside = (low >= self._corner) & (high <= self._corner + size)
            if inside.all():
                return
            low = np.where(low < self._corner, low - SPARE, self._corner)
            high = np.where(high > self._corner + size, high + SPARE, self._corner + size)
        if np.prod(high - low) > MAX_TILES:
            raise InvalidInput(
                f"the map would become {' by '.join(f'{v * tile:.0f} m' for v in high - low)}; "
                "is odometry far off? If not, take larger cells"
            )
        columns, rows = (high - low).tolist()
        grown = np.full((len(self._tables), rows, columns), -1, np.int32)
        column, row = (self._corner - low).tolist()
        grown[:, row : row + size[1], column : column + size[0]] = self._tables
        # Places of returns are kept in cells from the first tile, so they move with it.
        shift = (self._corner - low) * self._side
        if shift.any() and size.all():
            hits = self._pool[..., 0]
            self._pool[..., 2] += shift[0] * hits
            self._pool[..., 3] += shift[1] * hits
        self._tables, self._corner = grown, low

    def _more_tiles(self) -> None:
        """Make the pool half as large again."""
        before = len(self._pool)
        after = min(MAX_TILES, before + before // 2)
        if after == before:
            raise InvalidInput(
                f"the maps of {len(self._tables)} particles need more than {MAX_TILES} tiles; "
                "take fewer particles or larger cells"
            )
        pool = np.zeros((after, self._side, self._side, 4), np.float32)
        pool[:before], self._pool = self._pool, pool
        self._references = np.concatenate([self._references, np.zeros(after - before, np.int32)])
        free = np.empty(after, np.int32)
        left = int(self._count[0])
        free[:left] = self._free[:left]
        free[left : left + after - before] = np.arange(before, after)
        self._free, self._count[0] = free, left + after - before
