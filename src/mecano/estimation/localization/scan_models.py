"""How well a scan fits poses in a map: the likelihood field and the beam model, weighed."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.compiled import first_call_notice
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.core.scanner_class import LIDAR, ScannerClass
from mecano.estimation.localization.likelihood_field import DistanceField, hit_likelihoods
from mecano.estimation.localization.settings import AmclSettings

HIT, SHORT, LONG = 1.0, 0.3, 0.05
"""Likelihoods of readings that end at a wall, before it or in unknown space, and behind it, in
parts of the first: in the museum of the log `fhw` half of the readings meet people (EST). Were
unknown space more likely, a lost base would settle there."""
APPROACH = 1.0
"""A reading is of unknown space if most of so much of its way is unknown [m] (EST)."""
CLOSER = 2.0
"""Such a comparison of places counts for so many times more independent beams."""
FAR, ROUGHLY = 0.7, 30
"""Distance from walls that is told apart in a rough search [m], and how many readings it uses."""
SLACK = 0.3
"""Walls so close before the end of a reading are no contradiction [m] (EST)."""


class Fit(NamedTuple):
    """How well a scan fits to poses."""

    log_weights: Array
    """Logarithms of the factors of the poses' weights. Shape (n,)."""
    qualities: Array
    """The likelihood of a typical beam, for recovery. Shape (n,)."""


@dataclass(frozen=True, eq=False)
class ScanModel:
    """Weighs poses of the base by a scan, as `AmclSettings.laser_model_type` says."""

    walls: DistanceField
    settings: AmclSettings
    mount: Pose2 = field(default_factory=Pose2)
    scanner: ScannerClass = LIDAR
    """Readings that err by more than half of `laser_sigma_hit` by its noise are left out."""
    _tables: dict[float, tuple[NDArray[np.float32], float]] = field(
        default_factory=dict, repr=False
    )
    """The table of the field and its value outside, by the range of the scanner [m]."""

    def usable(self, scan: LaserScan, *, thinned: bool = True) -> Array:
        """Return direction [rad] and distance [m] of readings that met something. Shape (m, 2).

        Args:
            scan: Of any size. Readings that are NaN, infinite or out of range are left out.
            thinned: Keep `laser_max_beams` of them, spread evenly.
        """
        nearest, furthest = self._limits(scan)
        found = (scan.ranges >= nearest) & (scan.ranges < furthest)
        kept = _spread(np.flatnonzero(found), self.settings.laser_max_beams if thinned else None)
        return np.stack([scan.angles[kept], scan.ranges[kept]], axis=-1)

    def points(
        self, scan: LaserScan, *, longer: float = 0.0, thinned: bool = True
    ) -> tuple[Array, Array]:
        """Return where those readings end, and which way they look, both seen from the base.

        Args:
            scan: As in `usable`.
            longer: Added to all ranges [m].
            thinned: As in `usable`.

        Returns:
            Points [m] and unit vectors, both of shape (m, 2).
        """
        angles, ranges = self.usable(scan, thinned=thinned).T
        angles = angles + self.mount.yaw
        beams = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        return (self.mount.x, self.mount.y) + (ranges + longer)[:, None] * beams, beams

    def independent(self, scan: LaserScan) -> float:
        """Return how many independent beams the readings of a scan count for.

        A scan that sees a narrow part of its surroundings, or little in them, counts for fewer.
        """
        nearest, furthest = self._limits(scan)
        readings = int(((scan.ranges >= nearest) & (scan.ranges < furthest)).sum())
        each = self.settings.independent_beams
        if each is None:
            return float(readings)
        return min(float(readings), each * readings * abs(scan.angle_increment) / pi)

    def weigh(self, poses: Array, scan: LaserScan, *, longer: float = 0.0) -> Fit | None:
        """Return how well a scan fits to poses (n, 3) in the map; None if it has no reading.

        Args:
            poses: Of the base.
            scan: As in `usable`.
            longer: Added to all ranges [m].
        """
        if self.settings.laser_model_type == "beam":
            return self._by_beams(poses, scan, longer)
        points, _ = self.points(scan, longer=longer)
        if not len(points):
            return None
        from mecano.estimation.localization import scan_kernel

        table, beyond = self._table(self._limits(scan)[1])
        cell = self.walls.grid.resolution
        with first_call_notice(scan_kernel.sums):
            sums = scan_kernel.sums(table, beyond, cell, self.walls.in_grid(poses), points)
        return self._fit(sums, len(points), scan, multiplied=self._multiplied)

    def known_part(self, scan: LaserScan, pose: Pose2) -> LaserScan:
        """Return a scan without the readings that a map says nothing of, for a base at a pose.

        The map of a robot has the side of a wall that it has seen. The other side is not a shifted
        wall.
        """
        from mecano.estimation.localization import scan_kernel

        at = pose @ self.mount
        here = self.walls.in_grid(np.array([[at.x, at.y, at.yaw]]))[0]
        nearest, furthest = self._limits(scan)
        with np.errstate(invalid="ignore"):
            numbers = np.flatnonzero((scan.ranges >= nearest) & (scan.ranges < furthest))
        beams = np.stack([scan.angles[numbers], scan.ranges[numbers]], axis=-1)
        with first_call_notice(scan_kernel.of_known_space):
            known = scan_kernel.of_known_space(
                self.walls.state, self.walls.grid.resolution, here, beams, SLACK, APPROACH
            )
        if known.all():
            return scan
        ranges = np.array(scan.ranges)
        ranges[numbers[~known]] = np.nan
        return replace(scan, ranges=ranges)

    def nearness(self, poses: Array, scan: LaserScan, *, longer: float = 0.0) -> Array:
        """Return how near to walls the readings of a scan end on average [m], below zero.

        A few readings are enough, and what is further than `FAR` from walls is all the same.
        """
        from mecano.estimation.localization import scan_kernel

        points, _ = self.points(scan, longer=longer)
        points = points[_spread(np.arange(len(points)), ROUGHLY)]
        cell = self.walls.grid.resolution
        with first_call_notice(scan_kernel.sums):
            sums = scan_kernel.sums(self._near, -FAR, cell, self.walls.in_grid(poses), points)
        return sums / len(points)

    @cached_property
    def _near(self) -> NDArray[np.float32]:
        return -np.minimum(self.walls.distances, np.float32(FAR))

    def weigh_occluded(self, poses: Array, scan: LaserScan, *, longer: float = 0.0) -> Fit | None:
        """Return the same, where people and furniture that is not in the map may hide its walls.

        Slower than the likelihood field, which takes a crowd around the base for another place.
        """
        from mecano.estimation.localization import scan_kernel

        beams = self.usable(scan)
        if not len(beams):
            return None
        beams[:, 1] += longer
        mount = np.array([self.mount.x, self.mount.y, self.mount.yaw])
        with first_call_notice(scan_kernel.occluded_sums):
            sums = scan_kernel.occluded_sums(
                self.walls.distances, self.walls.state, self.walls.grid.resolution,
                self.walls.in_grid(poses), mount, beams, self.settings.laser_sigma_hit,
                HIT, SHORT, LONG, SLACK,
            )  # fmt: skip
        share = min(1.0, CLOSER * self.independent(scan) / len(beams))
        return Fit(share * sums, np.exp(sums / len(beams)))

    def _by_beams(self, poses: Array, scan: LaserScan, longer: float) -> Fit | None:
        from mecano.estimation.localization import scan_kernel

        nearest, longest = self._limits(scan)
        looked = (scan.ranges >= nearest) & ~np.isnan(scan.ranges)
        kept = _spread(np.flatnonzero(looked), self.settings.laser_max_beams)
        if not len(kept):
            return None
        beams = np.stack(
            [scan.angles[kept], np.minimum(scan.ranges[kept] + longer, longest)], axis=-1
        )
        s, grid, mount = self.settings, self.walls.grid, self.mount
        shares = np.array([s.laser_z_hit, s.laser_z_short, s.laser_z_max, s.laser_z_rand])
        with first_call_notice(scan_kernel.beam_sums):
            sums = scan_kernel.beam_sums(
                ~self.walls.free, grid.resolution, self.walls.in_grid(poses),
                np.array([mount.x, mount.y, mount.yaw]), beams, longest, shares,
                s.laser_sigma_hit, s.laser_lambda_short, s.independent_beams is None,
            )  # fmt: skip
        return self._fit(sums, len(kept), scan, multiplied=s.independent_beams is not None)

    @property
    def _multiplied(self) -> bool:
        """Whether the field's likelihoods are multiplied; AMCL's first model adds their cubes."""
        s = self.settings
        return s.independent_beams is not None or s.laser_model_type == "likelihood_field_prob"

    def _fit(self, sums: Array, beams: int, scan: LaserScan, *, multiplied: bool) -> Fit:
        """Turn sums over beams into weights."""
        if not multiplied:
            return Fit(np.log1p(sums), 1.0 + sums)
        share = min(1.0, self.independent(scan) / beams)
        return Fit(share * sums, np.exp(sums / beams))

    def _table(self, longest: float) -> tuple[NDArray[np.float32], float]:
        """Return what `sums` adds up for each cell, and outside."""
        if longest not in self._tables:
            s = self.settings
            spread = longest if s.independent_beams is None else 1.0
            ends = np.append(self.walls.distances.ravel(), np.float32(self.walls.furthest))
            p = hit_likelihoods(
                ends, sigma=s.laser_sigma_hit, hit=s.laser_z_hit, rand=s.laser_z_rand,
                longest=spread,
            )  # fmt: skip
            values = np.log(np.maximum(p, 1e-12)) if self._multiplied else p**3
            self._tables.clear()  # scanners do not change their range from scan to scan
            table = values[:-1].reshape(self.walls.distances.shape).astype(np.float32)
            self._tables[longest] = table, float(values[-1])
        return self._tables[longest]

    def _limits(self, scan: LaserScan) -> tuple[float, float]:
        """Return from and to which range readings count [m]."""
        s = self.settings
        nearest = scan.range_min if s.laser_min_range < 0.0 else s.laser_min_range
        furthest = scan.range_max if s.laser_max_range < 0.0 else s.laser_max_range
        reliable = self.scanner.reliable_range(0.5 * s.laser_sigma_hit)
        return max(nearest, 1e-6), min(furthest, reliable)


def _spread(indices: NDArray[np.intp], most: int | None) -> NDArray[np.intp]:
    """Return at most so many of the indices, evenly spread and with both ends."""
    if most is None or len(indices) <= most:
        return indices
    return indices[np.linspace(0, len(indices) - 1, most).round().astype(np.int64)]
