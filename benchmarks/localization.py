"""Where a robot is in a known map: the Intel log of the shared data sets, odd scans, raw odometry.

The map is drawn from the even scans. Truth is the fit to manually verified relations; poses whose
stamp other scans nearly share are not judged (the log was written in bursts).
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2, wrap_angle
from mecano.core.poses.planar_arrays import poses_at
from mecano.core.results import BenchRow
from mecano.estimation.localization.accuracy import Accuracy, compare_with_truth
from mecano.estimation.localization.monte_carlo import MonteCarlo
from mecano.estimation.localization.settings import AmclSettings
from mecano.estimation.maps.files import load_map
from mecano.estimation.relations import fill_with_odometry
from mecano.record.carmen import read_carmen
from mecano.record.trajectories import Trajectory, read_trajectory

DATA = Path(__file__).parents[2] / "shared" / "datasets" / "slam"
BEGIN, END = 976052896.0, 976055542.0
"""The part of the log that has a truth [s]; README of the data sets."""
TRIALS, LENGTH = 20, 100
"""Global starts, and scans of each: about 150 s."""


class Test(NamedTuple):
    """What the rows share."""

    log: DriveLog
    grid: OccupancyGrid
    truth: Trajectory
    numbers: list[int]
    """Of the scans that are used."""


class Run(NamedTuple):
    """One way through the log."""

    accuracy: Accuracy
    milliseconds: Array
    """Of each update."""
    of_all: tuple[float, float]
    """Mean error at all instants of the truth: position [m], heading [deg]."""


def localize_tracking() -> BenchRow:
    """Mean error of the position, started at the true pose."""
    return _row("localize_tracking", lambda: tracking().accuracy.mean, "m", "value <= 0.05 m")


def localize_heading() -> BenchRow:
    """Mean error of the heading, started at the true pose."""
    return _row("localize_heading", lambda: tracking().accuracy.mean_deg, "deg", "value <= 1 deg")


def localize_tracking_all() -> BenchRow:
    """The same at all instants of the truth, odometry laid in between scans, bursts included."""
    return _row("localize_tracking_all", lambda: tracking().of_all[0], "m", "value <= 0.05 m")


def localize_heading_all() -> BenchRow:
    """The heading at all instants; many scans share a stamp, so 0.53 is the best there can be."""
    return _row("localize_heading_all", lambda: tracking().of_all[1], "deg", None)


def localize_update() -> BenchRow:
    """Median time of one update."""
    return _row("localize_update", lambda: float(np.median(tracking().milliseconds)), "ms", None)


def localize_global() -> BenchRow:
    """Share of 20 global starts that converge; the table goes to stderr."""
    return _row("localize_global", _global_share, "%", "value >= 95 %")


def localize_kidnapped() -> BenchRow:
    """Share of 10 robots carried elsewhere that find themselves again within 150 s."""
    return _row("localize_kidnapped", _kidnapped_share, "%", "value >= 90 %")


ROWS = (
    localize_tracking,
    localize_heading,
    localize_tracking_all,
    localize_heading_all,
    localize_update,
    localize_global,
    localize_kidnapped,
)


@cache
def load() -> Test | None:
    """Return log, map and truth; None where the shared data sets are missing."""
    if not (DATA / "intel.log.gz").is_file():
        print(f"skipped: {DATA} with intel.log.gz is not there", file=sys.stderr)
        return None
    log = read_carmen(DATA / "intel.log.gz")
    numbers = [
        i
        for i, (stamp, number) in enumerate(zip(log.scan_stamps, log.scan_numbers, strict=True))
        if number % 2 and BEGIN <= stamp <= END
    ]
    truth = read_trajectory(DATA / "intel.reference.traj.gz")
    return Test(log, load_map(DATA / "intel.map.yaml"), truth, numbers)


@cache
def tracking() -> Run:
    """Follow the robot from its true start to the end."""
    test = load()
    assert test is not None
    run = follow(test, test.numbers, Pose2(*test.truth.poses[0].tolist()))
    print(f"tracking: {run.accuracy}", file=sys.stderr)
    return run


def follow(test: Test, numbers: list[int], start: Pose2 | None, *, seed: int = 0) -> Run:
    """Give some scans to a filter with our defaults and judge it."""
    filter = MonteCarlo(test.grid, AmclSettings(), start, mount=test.log.mount, seed=seed)
    return go_on(test, filter, numbers)


def go_on(
    test: Test, filter: MonteCarlo, numbers: list[int], *, moved: Pose2 | None = None,
    later: float = 0.0,
) -> Run:  # fmt: skip
    """Give scans to a filter and judge what it says.

    Args:
        test: Log, map and truth.
        filter: It goes on from where it is.
        numbers: Of the scans.
        moved: Where the frame of odometry was carried to.
        later: Added to stamps [s].
    """
    rows, spent = [], []
    for i in numbers:
        scan, odometry = test.log.scans[i], Pose2(*test.log.scan_odometry[i].tolist())
        begun = perf_counter()
        estimate = filter.update(
            replace(scan, stamp=scan.stamp + later), (moved or Pose2()) @ odometry
        )
        spent.append(1e3 * (perf_counter() - begun))
        rows.append((scan.stamp, estimate.pose.x, estimate.pose.y, estimate.pose.yaw))
    path = np.array(rows)
    accuracy = compare_with_truth(
        path[:, 0], path[:, 1:], test.truth.stamps, test.truth.poses, log=test.log
    )
    return Run(accuracy, np.array(spent), _errors_of_all(test, path))


def _errors_of_all(test: Test, path: Array) -> tuple[float, float]:
    """Compare a path with the truth wherever there is one, as the relations' metric would."""
    filled = fill_with_odometry(
        path[:, 0], path[:, 1:], test.log.odometry_stamps, test.log.odometry
    )
    stamps = test.truth.stamps
    judged = (stamps >= path[0, 0]) & (stamps <= path[-1, 0])
    found, truth = poses_at(stamps[judged], *filled), test.truth.poses[judged]
    apart = np.linalg.norm((found - truth)[:, :2], axis=1)
    turned = np.abs(wrap_angle(found[:, 2] - truth[:, 2]))
    return float(apart.mean()), float(np.degrees(turned.mean()))


def _kidnapped_share() -> float:
    """Carry the robot from the end of one part of the log to the beginning of another."""
    test = load()
    assert test is not None
    begins = np.linspace(0, len(test.numbers) - LENGTH, 10).astype(int).tolist()
    targets = begins[5:] + begins[:5]
    found = []
    print("from s | to s | found again | after s | after m", file=sys.stderr)
    for begin, target in zip(begins, targets, strict=True):
        before = test.numbers[begin : begin + 50]
        after = test.numbers[target : target + LENGTH]
        at = [Pose2(*test.log.scan_odometry[i].tolist()) for i in (before[-1], after[0])]
        stamps = [test.log.scans[i].stamp for i in (before[0], before[-1], after[0])]
        filter = MonteCarlo(test.grid, AmclSettings(), mount=test.log.mount)
        go_on(test, filter, before)
        moved, later = at[0] @ at[1].inverse(), stamps[1] - stamps[2] + 1.0
        got = go_on(test, filter, after, moved=moved, later=later).accuracy
        found.append(got.converged)
        print(
            f"{stamps[0] - BEGIN:6.0f} | {stamps[2] - BEGIN:4.0f} | "
            f"{'yes' if got.converged else 'no':11s} | {got.seconds:7.1f} | {got.distance:5.2f}",
            file=sys.stderr,
        )
    return 100.0 * float(np.mean(found))


def _global_share() -> float:
    test = load()
    assert test is not None
    first = np.linspace(0, len(test.numbers) - LENGTH, TRIALS).astype(int).tolist()
    found = []
    print("start s | converged | after s | after m | mean m | mean deg", file=sys.stderr)
    for begin in first:
        numbers = test.numbers[begin : begin + LENGTH]
        got = follow(test, numbers, None).accuracy
        found.append(got.converged)
        when = test.log.scans[numbers[0]].stamp - BEGIN
        print(
            f"{when:7.0f} | {'yes' if got.converged else 'no':9s} | {got.seconds:7.1f} | "
            f"{got.distance:7.2f} | {got.mean:6.3f} | {got.mean_deg:5.2f}",
            file=sys.stderr,
        )
    return 100.0 * float(np.mean(found))


def _row(name: str, measure: Callable[[], float], unit: str, bar: str | None) -> BenchRow:
    """Measure, or say that there is nothing to measure."""
    if load() is None:
        return BenchRow(name=name, value=0.0, unit=f"{unit} (skipped)")
    return BenchRow(name=name, value=measure(), unit=unit, bar=bar)
