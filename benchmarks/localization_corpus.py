"""Localization on all logs of the shared data sets, with faults put into their odometry.

The map of a log is drawn from its even scans at the published path; the filter sees the odd ones
and raw odometry, and the published path at those is the reference. Intel has a map and a reference
of its own. A helper of `localization.py`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, poses_at, relative_all
from mecano.estimation.localization.monte_carlo import MonteCarlo
from mecano.estimation.localization.stated_error import CHI2_95, bound_95
from mecano.estimation.maps.files import load_map
from mecano.estimation.maps.log_odds import LogOddsGrid
from mecano.record.carmen import read_carmen
from mecano.record.trajectories import read_trajectory

DATA = Path(__file__).parents[2] / "shared" / "datasets" / "slam"
LOGS = ("intel", "csail", "acapulco", "fhw", "belgioioso", "infinite-corridor")
SAME_INSTANT = 0.02
"""Stamps that differ by less are of one instant [s]."""
FAULT_EVERY = 150
"""Scans from one fault to the next, on average."""
FAULT_LENGTH, FAULT_SCANS = 1.5, 60
"""A fault lasts for so much of the drive [m], and for no more scans than this."""


@dataclass(frozen=True, eq=False)
class Drive:
    """What the filter sees of a log, and where the robot was."""

    grid: OccupancyGrid
    scans: tuple[LaserScan, ...]
    odometry: Array
    """At each scan. Shape (n, 3)."""
    reference: Array
    """Shape (n, 3)."""
    judged: Mask
    """Which scans have a reference of their own instant. Shape (n,)."""
    mount: Pose2 = field(default_factory=Pose2)
    """Where the scanner sits on the base."""

    def part(self, first: int, count: int) -> "Drive":
        """Return some of the scans."""
        at = slice(first, first + count)
        return replace(
            self, scans=self.scans[at], odometry=self.odometry[at], reference=self.reference[at],
            judged=self.judged[at],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Followed:
    """How a filter did along a drive."""

    error: Array
    """Of the position at the judged scans [m]. Shape (n,)."""
    covered: Mask
    """Whether the stated 95 % ellipse holds the reference. Shape (n,)."""
    bound: Array
    """Largest half axis of that ellipse [m]. Shape (n,)."""

    @property
    def found(self) -> bool:
        """Whether it ends near the reference, and has been there for ten scans."""
        return len(self.error) > 0 and float(self.error[-10:].max()) < 0.5


@cache
def drive(name: str) -> Drive:
    """Read a log."""
    log = read_carmen(DATA / f"{name}.log.gz")
    intel = name == "intel"
    path = read_trajectory(DATA / f"{name}.{'reference' if intel else 'gmapping'}.traj.gz")
    stamps = log.scan_stamps
    reference = poses_at(stamps, path.stamps, path.poses)
    nearest = np.abs(stamps[:, None] - path.stamps).min(axis=1)
    waits = np.diff(stamps)
    burst = waits < np.median(waits) / 3.0
    calm = ~(np.append(burst, False) | np.append(False, burst))
    inside = (stamps > path.stamps[0] - SAME_INSTANT) & (stamps < path.stamps[-1] + SAME_INSTANT)
    odd = log.scan_numbers % 2 == 1
    if intel:
        grid = load_map(DATA / "intel.map.yaml")
    else:
        drawn = LogOddsGrid()
        even = np.flatnonzero(~odd & (nearest < SAME_INSTANT))
        drawn.insert_many([log.scans[i] for i in even], reference[even])
        grid = drawn.grid()
    seen = np.flatnonzero(odd & inside)
    return Drive(
        grid, tuple(log.scans[i] for i in seen), log.scan_odometry[seen], reference[seen],
        ((nearest < SAME_INSTANT) & calm)[seen],
    )  # fmt: skip


def with_fault(drive: Drive, fault: str, seed: int) -> Drive:
    """Return a drive whose odometry is plainly wrong for a moment, again and again."""
    steps = relative_all(drive.odometry[:-1], drive.odometry[1:])
    FAULTS[fault](steps, np.random.default_rng(seed))
    odometry = [drive.odometry[0]]
    for step in steps:
        odometry.append(compose_all(odometry[-1], step))
    return replace(drive, odometry=np.array(odometry))


def _unsigned(steps: Array, rng: np.random.Generator) -> None:
    steps[:, 0] = np.abs(steps[:, 0])


def _reversed(steps: Array, rng: np.random.Generator) -> None:
    for part in _parts(steps, rng):
        steps[part, 0] *= -1.0


def _blocked(steps: Array, rng: np.random.Generator) -> None:
    for begin in _begins(steps, rng):
        steps[begin : begin + 4, 0] += 0.25


def _still(steps: Array, rng: np.random.Generator) -> None:
    for part in _parts(steps, rng):
        steps[part] = 0.0


def _spin(steps: Array, rng: np.random.Generator) -> None:
    for begin in _begins(steps, rng):
        steps[begin : begin + 3, 2] += 0.35


def _begins(steps: Array, rng: np.random.Generator) -> list[int]:
    return rng.integers(0, len(steps), max(3, len(steps) // FAULT_EVERY)).tolist()


def _parts(steps: Array, rng: np.random.Generator) -> Iterator[slice]:
    driven = np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))
    for begin in _begins(steps, rng):
        end = int(np.searchsorted(driven, driven[begin] + FAULT_LENGTH)) + 1
        if end - begin <= FAULT_SCANS:
            yield slice(begin, end)


FAULTS: dict[str, Callable[[Array, np.random.Generator], None]] = {
    "none": lambda steps, rng: None,
    "unsigned": _unsigned,
    "reversed": _reversed,
    "blocked": _blocked,
    "still": _still,
    "spin": _spin,
}


def follow(
    drive: Drive, *, globally: bool = False, seed: int = 0, filter: MonteCarlo | None = None
) -> Followed:
    """Show a drive to a filter with our defaults.

    Args:
        drive: All of it.
        globally: Start anywhere, not at the reference.
        seed: Of the filter.
        filter: Goes on from where it is; None makes one.
    """
    start = None if globally else Pose2(*drive.reference[0].tolist())
    filter = filter or MonteCarlo(drive.grid, start=start, mount=drive.mount, seed=seed)
    off, inside, bounds = [], [], []
    for scan, odometry, reference in zip(drive.scans, drive.odometry, drive.reference, strict=True):
        estimate = filter.update(scan, Pose2(*odometry.tolist()))
        away = np.array([estimate.pose.x, estimate.pose.y]) - reference[:2]
        off.append(float(np.hypot(*away)))
        covariance = estimate.covariance[:2, :2]
        inside.append(float(away @ np.linalg.solve(covariance, away)) < CHI2_95)
        bounds.append(bound_95(estimate.covariance))
    judged = drive.judged
    return Followed(np.array(off)[judged], np.array(inside)[judged], np.array(bounds)[judged])


def kidnapped(drive: Drive, before: int, after: int, count: int, seed: int) -> Followed:
    """Follow some scans, then carry the robot to other ones without telling odometry."""
    first, second = drive.part(before, count), drive.part(after, count)
    start = Pose2(*first.reference[0].tolist())
    filter = MonteCarlo(drive.grid, start=start, mount=drive.mount, seed=seed)
    follow(first, filter=filter)
    carried = compose_all(first.odometry[-1], relative_all(second.odometry[0], second.odometry))
    late = first.scans[-1].stamp + 1.0 - second.scans[0].stamp
    scans = tuple(replace(scan, stamp=scan.stamp + late) for scan in second.scans)
    moved = replace(second, scans=scans, odometry=carried)
    return follow(moved, filter=filter)
