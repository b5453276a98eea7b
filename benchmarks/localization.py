"""Where a robot is in a known map: the Intel log of the shared data sets, odd scans, raw odometry.

The map is drawn from the even scans. Truth is the fit to manually verified relations. The log was
written in bursts: rows named calm leave out poses whose stamp other scans nearly share.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from localization_corpus import FAULTS, LOGS, Followed, drive, kidnapped, with_fault
from localization_corpus import follow as follow_drive
from mecano.core.arrays import Array, Mask
from mecano.core.drive_log import DriveLog
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all
from mecano.core.results import BenchRow
from mecano.estimation.localization.accuracy import Accuracy, compare_with_truth
from mecano.estimation.localization.along_log import AlongLog
from mecano.estimation.localization.monte_carlo import MonteCarlo
from mecano.estimation.localization.settings import AmclSettings
from mecano.estimation.maps.files import load_map
from mecano.record.carmen import read_carmen
from mecano.record.trajectories import Trajectory, read_trajectory

DATA = Path(__file__).parents[2] / "shared" / "datasets" / "slam"
BEGIN, END = 976052896.0, 976055542.0
"""The part of the log that has a truth [s]; README of the data sets."""
TRIALS, KIDNAPPED, LENGTH = 20, 10, 100
"""Global starts, robots carried away, and scans shown to each: about 150 s."""


class Test(NamedTuple):
    """What the rows share."""

    log: DriveLog
    grid: OccupancyGrid
    truth: Trajectory
    part: slice
    """Of the scans: what has a truth."""
    shown: Mask
    """Which scans the filter sees: the odd ones."""


class Run(NamedTuple):
    """One way through the log."""

    accuracy: Accuracy
    milliseconds: Array
    """Of each update."""


def localize_tracking() -> BenchRow:
    """Mean error of the position at all instants of the truth, started at the true pose."""
    return _row(
        "localize_tracking", lambda: tracking().accuracy.mean_at_instants, "m", "value <= 0.05 m"
    )


def localize_heading() -> BenchRow:
    """The same of the heading. Many scans share a stamp: no filter gets near zero."""
    return _row(
        "localize_heading", lambda: tracking().accuracy.mean_at_instants_deg, "deg",
        "value <= 1 deg",
    )  # fmt: skip


def localize_tracking_calm() -> BenchRow:
    """The position at the poses whose stamp no other scan nearly shares."""
    return _row("localize_tracking_calm", lambda: tracking().accuracy.mean, "m", "value <= 0.05 m")


def localize_heading_calm() -> BenchRow:
    """The heading at those poses."""
    return _row("localize_heading_calm", lambda: tracking().accuracy.mean_deg, "deg", None)


def localize_update() -> BenchRow:
    """Median time of one update."""
    return _row("localize_update", lambda: float(np.median(tracking().milliseconds)), "ms", None)


def localize_global() -> BenchRow:
    """Share of 20 global starts that converge; the table goes to stderr."""
    return _row("localize_global", _global_share, "%", "value >= 95 %")


def localize_kidnapped() -> BenchRow:
    """Share of 10 robots carried elsewhere that find themselves again within 150 s."""
    return _row("localize_kidnapped", _kidnapped_share, "%", "value >= 90 %")


def localize_logs() -> BenchRow:
    """Share of the scans of six logs, each with five faults of odometry, within 0.5 m."""
    return _row(
        "localize_logs", lambda: 100.0 * float(np.mean(_all_errors() < 0.5)), "%", "value >= 98 %"
    )


def localize_coverage() -> BenchRow:
    """Share of those scans at which the stated 95 % ellipse holds the reference."""
    return _row("localize_coverage", _coverage, "%", "value >= 93 %")


def localize_global_logs() -> BenchRow:
    """Share of global starts in the five other logs that find themselves, five in each."""
    return _row("localize_global_logs", partial(_found_again, carried_away=False), "%", None)


def localize_kidnapped_logs() -> BenchRow:
    """Share of robots carried elsewhere in the five other logs that are found, five in each."""
    return _row("localize_kidnapped_logs", partial(_found_again, carried_away=True), "%", None)


ROWS = (
    localize_tracking,
    localize_heading,
    localize_tracking_calm,
    localize_heading_calm,
    localize_update,
    localize_global,
    localize_kidnapped,
    localize_logs,
    localize_coverage,
    localize_global_logs,
    localize_kidnapped_logs,
)


@cache
def load() -> Test | None:
    """Return log, map and truth; None where the shared data sets are missing."""
    if not (DATA / "intel.log.gz").is_file():
        print(f"skipped: {DATA} with intel.log.gz is not there", file=sys.stderr)
        return None
    log = read_carmen(DATA / "intel.log.gz")
    part = slice(*np.searchsorted(log.scan_stamps, (BEGIN, END)).tolist())
    truth = read_trajectory(DATA / "intel.reference.traj.gz")
    grid = load_map(DATA / "intel.map.yaml")
    return Test(log, grid, truth, part, log.scan_numbers % 2 == 1)


@cache
def tracking() -> Run:
    """Follow the robot from its true start to the end."""
    test = load()
    assert test is not None
    run = follow(test, test.part, Pose2(*test.truth.poses[0].tolist()))
    print(f"tracking: {run.accuracy}", file=sys.stderr)
    return run


def follow(test: Test, part: slice, start: Pose2 | None, *, seed: int = 0) -> Run:
    """Show a part of the scans to a filter with our defaults and judge it."""
    filter = MonteCarlo(test.grid, AmclSettings(), start, mount=test.log.mount, seed=seed)
    return go_on(test, filter, part)


def go_on(test: Test, filter: MonteCarlo, part: slice) -> Run:
    """Show a part of the scans to a filter that goes on from where it is, and judge it."""
    along = AlongLog(filter, test.log, part, test.shown)
    for _ in along:
        pass
    path, truth = along.path, test.truth
    accuracy = compare_with_truth(path[:, 0], path[:, 1:], truth.stamps, truth.poses, log=test.log)
    return Run(accuracy, 1e3 * np.array(along.seconds))


def parts_of(test: Test, count: int) -> list[slice]:
    """Return so many parts of the log, all of one length and spread over it."""
    shown = np.flatnonzero(test.shown[test.part]) + test.part.start
    firsts = np.linspace(0, len(shown) - LENGTH, count).astype(int).tolist()
    return [slice(int(shown[i]), int(shown[i + LENGTH - 1]) + 1) for i in firsts]


def carried(log: DriveLog, place: Pose2, later: float) -> DriveLog:
    """Return a log with its odometry carried to another place and its clock set [s]."""
    moved = (place.x, place.y, place.yaw)
    return replace(
        log,
        odometry_stamps=log.odometry_stamps + later,
        odometry=compose_all(moved, log.odometry),
        scans=tuple(replace(scan, stamp=scan.stamp + later) for scan in log.scans),
        scan_odometry=compose_all(moved, log.scan_odometry),
    )


def _kidnapped_share() -> float:
    """Carry the robot from the end of one part of the log to the beginning of another."""
    test = load()
    assert test is not None
    parts = parts_of(test, KIDNAPPED)
    found = []
    print("from s | to s | found again | after s | after m", file=sys.stderr)
    for before, after in zip(parts, parts[5:] + parts[:5], strict=True):
        before = slice(before.start, (before.start + before.stop) // 2)
        last, first = before.stop - 1, after.start
        at = [Pose2(*test.log.scan_odometry[i].tolist()) for i in (last, first)]
        filter = MonteCarlo(test.grid, AmclSettings(), mount=test.log.mount)
        go_on(test, filter, before)
        stamps = test.log.scan_stamps
        later = float(stamps[last] - stamps[first]) + 1.0
        there = carried(test.log, at[0] @ at[1].inverse(), later)
        truth = Trajectory(test.truth.stamps + later, test.truth.poses)
        got = go_on(test._replace(log=there, truth=truth), filter, after).accuracy
        found.append(got.converged)
        print(
            f"{stamps[before.start] - BEGIN:6.0f} | {stamps[first] - BEGIN:4.0f} | "
            f"{'yes' if got.converged else 'no':11s} | {got.seconds:7.1f} | {got.distance:5.2f}",
            file=sys.stderr,
        )
    return 100.0 * float(np.mean(found))


def _global_share() -> float:
    test = load()
    assert test is not None
    found = []
    print("start s | converged | after s | after m | mean m | mean deg", file=sys.stderr)
    for part in parts_of(test, TRIALS):
        got = follow(test, part, None).accuracy
        found.append(got.converged)
        print(
            f"{test.log.scan_stamps[part.start] - BEGIN:7.0f} | "
            f"{'yes' if got.converged else 'no':9s} | {got.seconds:7.1f} | "
            f"{got.distance:7.2f} | {got.mean:6.3f} | {got.mean_deg:5.2f}",
            file=sys.stderr,
        )
    return 100.0 * float(np.mean(found))


@cache
def _followed() -> dict[tuple[str, str], Followed]:
    """Follow all logs with all faults; the table goes to stderr."""
    print(
        "log               | fault    | mean m | 95 % m |  max m | covered | stated 95 % m",
        file=sys.stderr,
    )
    every = {}
    for log in LOGS:
        for seed, fault in enumerate(FAULTS):
            got = follow_drive(with_fault(drive(log), fault, seed), seed=seed)
            every[log, fault] = got
            print(f"{log:17s} | {fault:8s} | {_columns(got)}", file=sys.stderr)
    return every


def _columns(got: Followed) -> str:
    error = got.error
    return (
        f"{error.mean():6.3f} | {np.percentile(error, 95):6.3f} | {error.max():6.2f} | "
        f"{100 * got.covered.mean():5.1f} % | {np.median(got.bound):6.3f}"
    )


def _all_errors() -> Array:
    return np.concatenate([each.error for each in _followed().values()])


def _coverage() -> float:
    return 100.0 * float(np.mean(np.concatenate([e.covered for e in _followed().values()])))


def _found_again(*, carried_away: bool) -> float:
    found = []
    what = "kidnapped" if carried_away else "global"
    print(f"log               | {what:9s} found | covered | stated 95 % m", file=sys.stderr)
    for log in LOGS[1:]:
        whole = drive(log)
        count = min(40, len(whole.scans) // 4)
        firsts = np.linspace(0, len(whole.scans) - count, 6).astype(int)[:5].tolist()
        runs = [
            kidnapped(whole, first, firsts[(k + 2) % 5], count, k)
            if carried_away
            else follow_drive(whole.part(first, count), globally=True, seed=k)
            for k, first in enumerate(firsts)
        ]
        found += [run.found for run in runs]
        covered = 100.0 * np.mean(np.concatenate([run.covered for run in runs]))
        bound = np.median(np.concatenate([run.bound for run in runs]))
        print(
            f"{log:17s} | {sum(run.found for run in runs)} of {len(runs)}          | "
            f"{covered:5.1f} % | {bound:6.3f}",
            file=sys.stderr,
        )
    return 100.0 * float(np.mean(found))


def _row(name: str, measure: Callable[[], float], unit: str, bar: str | None) -> BenchRow:
    """Measure, or say that there is nothing to measure."""
    if load() is None:
        return BenchRow(name=name, value=0.0, unit=f"{unit} (skipped)")
    return BenchRow(name=name, value=measure(), unit=unit, bar=bar)
