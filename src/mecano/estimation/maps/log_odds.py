"""A map that grows with the scans drawn into it: the log odds of each cell being occupied.

A beam clears the cells it crosses and fills the one it ends in. Within one scan a cell changes at
most once, and hits come before misses: neighbouring beams that graze a wall do not wear it away.
What no beam has touched stays unknown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.compiled import first_call_notice
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.messages.maps import FREE, OCCUPIED, UNKNOWN
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, relative_all

MOST_CELLS = 64_000_000
"""A map may have so many: 400 m by 400 m in steps of 5 cm, half a gigabyte."""
MARGIN = 32
"""A map grows by so many cells more than it must, and by a quarter of its side."""
BATCH = 1 << 21
"""Ranges that are drawn at a time."""


class EmptyMap(InvalidInput):
    """No beam has touched a cell yet."""


@dataclass(frozen=True, kw_only=True)
class LogOddsSettings:
    """How much a beam changes a cell. The odds are OctoMap's (Hornung et al. 2013, section 5)."""

    hit: float = 0.7
    """Probability that a cell is occupied in which a beam ends."""
    miss: float = 0.4
    """Probability that a cell is occupied which a beam crosses."""
    lowest: float = 0.12
    """No cell is surer to be free; so a door that closes is learned."""
    highest: float = 0.97
    """No cell is surer to be occupied."""
    occupied: float = 0.65
    """From here on a cell of the finished map is occupied, as ROS's map_server has it."""
    free: float = 0.5
    """Below this it is free: one beam is enough."""
    clear_range: float = 3.0
    """A beam without return clears so far, or as far as the scanner measures [m]. Real scanners
    also miss walls: with 10 m a tenth of the walls of the Intel lab wear away, with 3 m a
    hundredth."""
    longest: float = inf
    """Beams are cut off here: behind it they say nothing [m]."""

    def __post_init__(self) -> None:
        """Refuse odds that turn things round."""
        order = (0.0, self.lowest, self.miss, 0.5, self.hit, self.highest, 1.0)
        if not all(a < b for a, b in pairwise(order)):
            raise InvalidInput(
                "odds of a map must rise: 0 < lowest < miss < 0.5 < hit < highest < 1; they are "
                f"lowest {self.lowest}, miss {self.miss}, hit {self.hit}, highest {self.highest}"
            )
        if not 0.0 < self.free <= self.occupied < 1.0:
            raise InvalidInput(
                f"thresholds are free {self.free}, occupied {self.occupied}; "
                "expected 0 < free <= occupied < 1"
            )
        finite_number(self.clear_range, name="LogOddsSettings.clear_range", lower=0.0)
        if not self.longest > 0.0:
            raise InvalidInput(f"LogOddsSettings.longest is {self.longest} m, must be positive")


DEFAULTS = LogOddsSettings()


class LogOddsGrid:
    """A growing map of log odds.

    Attributes:
        resolution: Side of a cell [m].
        mount: Where the scanner sits on the base.
    """

    def __init__(
        self,
        resolution: float = 0.05,
        settings: LogOddsSettings = DEFAULTS,
        *,
        mount: Pose2 | None = None,
    ) -> None:
        """Begin with an empty map in the frame of the poses that will come."""
        self.resolution = finite_number(resolution, name="resolution", lower=1e-3, upper=10.0)
        self.settings, self.mount = settings, mount or Pose2()
        self._frame = Pose2()
        self._corner = np.zeros(2, dtype=np.int64)  # column and row of the first cell in the frame
        self._cells = np.full((0, 0), np.nan, dtype=np.float32)
        self._marks = np.zeros((0, 0), dtype=np.int32)
        self._mark = 1
        self._stamp = 0.0

    @classmethod
    def from_grid(
        cls,
        grid: OccupancyGrid,
        settings: LogOddsSettings = DEFAULTS,
        *,
        mount: Pose2 | None = None,
        trust: float = 1.0,
    ) -> "LogOddsGrid":
        """Go on with a finished map.

        Args:
            grid: The map.
            settings: How much a beam changes a cell.
            mount: Where the scanner sits on the base.
            trust: Probability of what the map says of a cell, 0.5 to 1; at most as much as a cell
                can know. With 0.8 two scans are enough to fill or to clear a cell.
        """
        finite_number(trust, name="trust", lower=0.5, upper=1.0)
        made = cls(grid.resolution, settings, mount=mount)
        made._frame, made._stamp = grid.origin, grid.stamp
        lowest, highest = max(settings.lowest, 1.0 - trust), min(settings.highest, trust)
        likely = np.clip(grid.data / 100.0, lowest, highest)
        made._cells = np.where(grid.data == UNKNOWN, np.nan, _log_odds(likely)).astype(np.float32)
        made._marks = np.zeros(grid.data.shape, dtype=np.int32)
        return made

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns so far; a map without a scan has none."""
        return self._cells.shape

    def insert(self, scan: LaserScan, pose: Pose2) -> None:
        """Draw a scan that was taken with the base at `pose` in the map."""
        self.insert_many([scan], np.array([[pose.x, pose.y, pose.yaw]]))

    def insert_many(self, scans: Sequence[LaserScan], poses: ArrayLike) -> None:
        """Draw scans, one after the other.

        Args:
            scans: Of one scanner or of several alike; each has its own beams.
            poses: Where the base was at each: x, y [m], yaw [rad]. Shape (number of scans, 3).

        Raises:
            InvalidInput: A pose is not finite, or so far off that the map would not fit in memory.
        """
        rows = read_only(poses, name="poses of the scans", shape=(len(scans), 3))
        if not len(scans):
            return
        on_scanner = (self.mount.x, self.mount.y, self.mount.yaw)
        frame = (self._frame.x, self._frame.y, self._frame.yaw)
        scanners = relative_all(frame, compose_all(rows, on_scanner))
        scanners[:, :2] /= self.resolution
        per_batch = max(1, BATCH // max(len(scan.ranges) for scan in scans))
        for begin in range(0, len(scans), per_batch):
            part = slice(begin, begin + per_batch)
            self._draw(scans[part], scanners[part])
        self._stamp = max(self._stamp, *(scan.stamp for scan in scans))

    def _draw(self, scans: Sequence[LaserScan], scanners: Array) -> None:
        from mecano.estimation.maps.log_odds_kernel import draw_scans

        beams = np.array([(scan.angle_min, scan.angle_increment) for scan in scans])
        limits = np.array([self._limits(scan) for scan in scans]) / self.resolution
        ranges = np.concatenate([scan.ranges for scan in scans]) / self.resolution
        starts = np.cumsum([0, *(len(scan.ranges) for scan in scans)])
        self._make_room(scanners, ranges, starts, beams, limits)
        at = scanners.copy()
        at[:, :2] -= self._corner
        if self._mark > np.iinfo(np.int32).max - len(scans) - 1:
            self._marks[:], self._mark = 0, 1
        s = self.settings
        odds = _log_odds(np.array([s.hit, s.miss, s.lowest, s.highest])).astype(np.float32)
        with first_call_notice(draw_scans):
            draw_scans(
                self._cells, self._marks, self._mark, at, ranges, starts, beams, limits, odds
            )
        self._mark += len(scans)

    def _limits(self, scan: LaserScan) -> tuple[float, float, float, float]:
        s = self.settings
        longest = min(s.longest, 1e6)
        clear = min(s.clear_range, scan.range_max, longest)
        return scan.range_min, min(scan.range_max, 1e6), clear, longest

    def _make_room(
        self,
        scanners: Array,
        ranges: Array,
        starts: NDArray[np.int64],
        beams: Array,
        limits: Array,
    ) -> None:
        """Grow so far that all beams end inside."""
        from mecano.estimation.maps.log_odds_kernel import extent

        around = np.empty(4)
        with first_call_notice(extent):
            extent(scanners, ranges, starts, beams, limits, around)
        low, high = np.floor(around[:2]) - 1.0, np.floor(around[2:]) + 2.0
        size = np.array(self._cells.shape[::-1])
        if self._cells.size:
            low = np.minimum(low, self._corner)
            high = np.maximum(high, self._corner + size)
            if (low == self._corner).all() and (high == self._corner + size).all():
                return
        self._grow(low, high)

    def _grow(self, low: Array, high: Array) -> None:
        """Make the map reach from one corner to the other [cells], and somewhat further."""
        old_low, size = self._corner, np.array(self._cells.shape[::-1])
        if np.prod(high - low) > MOST_CELLS:
            width, height = (high - low) * self.resolution
            raise InvalidInput(
                f"the map would become {width:.0f} m by {height:.0f} m, which are more than "
                f"{MOST_CELLS} cells of {self.resolution} m; is a pose far off? "
                "If not, take larger cells"
            )
        spare = MARGIN + (high - low) // 4
        grown = self._cells.size > 0
        wider_low = np.where(low < old_low, low - spare, low) if grown else low
        wider_high = np.where(high > old_low + size, high + spare, high) if grown else high
        if np.prod(wider_high - wider_low) <= MOST_CELLS:
            low, high = wider_low, wider_high
        corner = low.astype(np.int64)
        columns, rows = (high - low).astype(np.int64).tolist()
        cells = np.full((rows, columns), np.nan, dtype=np.float32)
        marks = np.zeros((rows, columns), dtype=np.int32)
        if grown:
            column, row = (old_low - corner).tolist()
            inside = np.s_[row : row + size[1], column : column + size[0]]
            cells[inside], marks[inside] = self._cells, self._marks
        self._corner, self._cells, self._marks = corner, cells, marks

    def probabilities(self) -> Array:
        """Return how likely each cell is occupied, NaN where unknown. Shape (rows, columns)."""
        return 1.0 / (1.0 + np.exp(-self._cells.astype(np.float64)))

    def grid(self, *, frame: str = "map") -> OccupancyGrid:
        """Return the map in three values, cut to what is known.

        Raises:
            EmptyMap: There is nothing in the map yet.
        """
        known = ~np.isnan(self._cells)
        if not known.any():
            raise EmptyMap("the map is empty: no beam of any scan has touched a cell")
        rows, columns = np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))
        cut = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        free, occupied = _log_odds(np.array([self.settings.free, self.settings.occupied]))
        cells = self._cells[cut]
        data = np.full(cells.shape, UNKNOWN, dtype=np.int8)
        data[cells < free] = FREE
        data[cells >= occupied] = OCCUPIED
        x, y = (self._corner + np.array([columns[0], rows[0]])) * self.resolution
        return OccupancyGrid(
            stamp=self._stamp,
            frame=frame,
            resolution=self.resolution,
            origin=self._frame @ Pose2(float(x), float(y)),
            data=data,
        )


def _log_odds(probability: Array) -> Array:
    return np.log(probability / (1.0 - probability))
