"""Metamorphic variants: logs changed in ways that must hardly change the map.

Each variant changes a log and knows how to bring the resulting trajectory back, so that it can be
compared with the same reference as that of the unchanged log.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all
from slam_corpus.odometry_faults import (
    drifting,
    scaled_turn,
    steps_of,
    stretches,
    strung,
    unsigned,
)
from slam_corpus.scanners import shows_motion

SEED = 20
"""Of the places where odometry fails."""


@dataclass(frozen=True)
class Variant:
    """A change of a log, and back."""

    name: str
    change: Callable[[DriveLog], DriveLog]
    back: Callable[[DriveLog, Array], Array] = lambda log, rows: rows
    """Given the unchanged log and rows of stamp, x, y, yaw of the changed one."""
    allowed: float = 2.0
    """Broken if the error is more than so many times that of the unchanged log."""


def with_odometry(log: DriveLog, scan_odometry: Array) -> DriveLog:
    """Return a log with another odometry, known at the scans only."""
    stamps, last = np.unique(log.scan_stamps[::-1], return_index=True)
    kept = len(log.scans) - 1 - last
    return replace(
        log, scan_odometry=scan_odometry, odometry_stamps=stamps, odometry=scan_odometry[kept]
    )


def with_steps(log: DriveLog, change: Callable[[Array], Array]) -> DriveLog:
    """Return a log whose odometry goes other steps from scan to scan."""
    steps = change(steps_of(log.scan_odometry))
    return with_odometry(log, strung(log.scan_odometry[0], steps))


def with_ranges(log: DriveLog, change: Callable[[LaserScan], Array]) -> DriveLog:
    """Return a log with other ranges."""
    scans = tuple(replace(scan, ranges=change(scan)) for scan in log.scans)
    return replace(log, scans=scans)


def mirrored(log: DriveLog) -> DriveLog:
    """Return the log of a world seen in a mirror: left is right."""
    flip, mount = np.array([1.0, -1.0, -1.0]), log.mount
    scans = tuple(
        replace(
            scan, ranges=scan.ranges[::-1], intensities=scan.intensities[::-1],
            angle_min=-scan.angle_max, angle_max=-scan.angle_min,
        )
        for scan in map(_with_exact_end, log.scans)
    )  # fmt: skip
    return replace(
        log, scans=scans, scan_odometry=log.scan_odometry * flip, odometry=log.odometry * flip,
        mount=Pose2(mount.x, -mount.y, -mount.yaw),
    )  # fmt: skip


def _with_exact_end(scan: LaserScan) -> LaserScan:
    end = scan.angle_min + (len(scan.ranges) - 1) * scan.angle_increment
    return replace(scan, angle_max=end)


def reversed_in_time(log: DriveLog) -> DriveLog:
    """Return the log of a film that runs backwards, within the same times."""
    about = _span(log)
    scans = tuple(replace(scan, stamp=about - scan.stamp) for scan in log.scans[::-1])
    return replace(
        log, scans=scans, scan_odometry=log.scan_odometry[::-1],
        odometry_stamps=about - log.odometry_stamps[::-1], odometry=log.odometry[::-1],
        scan_numbers=log.scan_numbers[::-1],
    )  # fmt: skip


def _span(log: DriveLog) -> float:
    """Return the first and the last stamp of a log, added [s]."""
    stamps = np.concatenate([log.odometry_stamps, log.scan_stamps])
    return float(stamps.min() + stamps.max())


def every_scan(log: DriveLog, nth: int = 4) -> DriveLog:
    """Return a log with every nth scan."""
    return replace(
        log, scans=log.scans[::nth], scan_odometry=log.scan_odometry[::nth],
        scan_numbers=log.scan_numbers[::nth],
    )  # fmt: skip


def every_beam(log: DriveLog, nth: int = 4) -> DriveLog:
    """Return a log with every nth beam."""
    return replace(log, scans=tuple(_thinned(scan, nth) for scan in log.scans))


def _thinned(scan: LaserScan, nth: int) -> LaserScan:
    kept, step = scan.ranges[::nth], nth * scan.angle_increment
    return replace(
        scan, ranges=kept, intensities=scan.intensities[::nth], angle_increment=step,
        angle_max=scan.angle_min + (len(kept) - 1) * step,
    )  # fmt: skip


def cut_off(log: DriveLog, reach: float = 5.0) -> DriveLog:
    """Return the log of a scanner that sees less far [m]."""
    return with_ranges(log, lambda scan: np.where(scan.ranges < reach, scan.ranges, np.inf))


def noisy(log: DriveLog, sigma: float = 0.05) -> DriveLog:
    """Return the log of a scanner that errs more [m]."""
    rng = np.random.default_rng(SEED)

    def change(scan: LaserScan) -> Array:
        return np.maximum(scan.ranges + rng.normal(0.0, sigma, len(scan.ranges)), 0.02)

    return with_ranges(log, change)


def turned_frame(log: DriveLog, angle: float) -> DriveLog:
    """Return a log whose odometry began with another heading and elsewhere [rad]."""
    frame = (3.0, -2.0, angle)
    return replace(
        log, scan_odometry=compose_all(frame, log.scan_odometry),
        odometry=compose_all(frame, log.odometry),
    )  # fmt: skip


def spinning(log: DriveLog, times: int = 20, way: float = 1.0) -> DriveLog:
    """Return a log in which the wheels spin now and then, from one scan to the next [m]."""

    def change(steps: Array) -> Array:
        for part in _noticed(log, 0.3, times):
            steps[part.start, 0] += way
        return steps

    return with_steps(log, change)


def sign_reversed(log: DriveLog, times: int = 5, way: float = 2.0) -> DriveLog:
    """Return a log in which odometry has the wrong sign for some stretches [m]."""

    def change(steps: Array) -> Array:
        for part in _noticed(log, way, times):
            steps[part, 0] *= -1.0
        return steps

    return with_steps(log, change)


def standing(log: DriveLog, times: int = 3, way: float = 3.0) -> DriveLog:
    """Return a log in which odometry stands still for some stretches [m]."""

    def change(steps: Array) -> Array:
        for part in _noticed(log, way, times):
            steps[part] = 0.0
        return steps

    return with_steps(log, change)


def blocked(log: DriveLog, times: int = 5, repeats: int = 8, way: float = 0.2) -> DriveLog:
    """Return a log in which the base is blocked now and then while its wheels go on.

    The scan before is repeated within the time to the next one, odometry moves on each time [m].
    """
    steps = steps_of(log.scan_odometry)
    scans, odometry, numbers = [log.scans[0]], [log.scan_odometry[0]], [0]
    struck = {part.start for part in _noticed(log, 0.3, times)}
    moved = []
    for k, step in enumerate(steps):
        if k in struck:
            here, after = log.scans[k], log.scans[k + 1]
            for stamp in np.linspace(here.stamp, after.stamp, repeats + 2)[1:-1].tolist():
                scans.append(replace(here, stamp=stamp))
                numbers.append(int(log.scan_numbers[k]))
                moved.append((way, 0.0, 0.0))
        scans.append(log.scans[k + 1])
        numbers.append(int(log.scan_numbers[k + 1]))
        moved.append(step)
    numbers[0] = int(log.scan_numbers[0])
    odometry = strung(log.scan_odometry[0], np.array(moved))
    longer = replace(
        log, scans=tuple(scans), scan_odometry=odometry, scan_numbers=np.array(numbers)
    )
    return with_odometry(longer, odometry)


def _noticed(log: DriveLog, length: float, count: int) -> list[slice]:
    """Return stretches of steps on which the scans tell how the base moved."""
    shown = np.repeat([shows_motion(scan) for scan in log.scans[::4]], 4)[: len(log.scans) - 1]
    steps = steps_of(log.scan_odometry)
    return stretches(steps, length, count, np.random.default_rng(SEED), shown)


def _mirrored_back(log: DriveLog, rows: Array) -> Array:
    return rows * (1.0, 1.0, -1.0, -1.0)


def _forward_again(log: DriveLog, rows: Array) -> Array:
    back = rows[::-1].copy()
    back[:, 0] = _span(log) - back[:, 0]
    return back


def _steps(change: Callable[[Array], Array]) -> Callable[[DriveLog], DriveLog]:
    return partial(with_steps, change=change)


UNCHANGED = Variant("", lambda log: log)
VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("mirrored", mirrored, _mirrored_back),
        Variant("reversed in time", reversed_in_time, _forward_again),
        Variant("every 4th scan", every_scan, allowed=3.0),
        Variant("every 4th beam", every_beam),
        Variant("cut to 5 m", cut_off),
        Variant("5 cm range noise", noisy),
        Variant("turn scaled by 10 %", _steps(scaled_turn)),
        Variant("drift of 5 deg/m", _steps(drifting)),
        Variant("20 spins of 1 m", spinning),
        Variant("unsigned odometry", _steps(unsigned)),
        Variant("blocked, wheels turning", blocked),
        Variant("wrong sign, 5 x 2 m", sign_reversed),
        Variant("odometry stands, 3 x 3 m", standing),
        *(
            Variant(f"frame turned by {angle} deg", partial(turned_frame, angle=np.deg2rad(angle)))
            for angle in (15, 75, 135, 195, 255, 315)
        ),
    )
}
"""By name."""
