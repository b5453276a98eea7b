"""What a base noted while it drove: odometry and scans, however they were stored."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from mecano.core.arrays import Array, read_only
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2


@dataclass(frozen=True, eq=False, kw_only=True)
class DriveLog:
    """Odometry and scans of one drive, in the order of their times."""

    source: str
    """Where it comes from, for messages."""
    odometry_stamps: Array
    """Rising [s]. Shape (n,)."""
    odometry: Array
    """x, y [m], yaw [rad] of the base, as its wheels have it. Shape (n, 3)."""
    scans: tuple[LaserScan, ...]
    """Their stamps never fall."""
    scan_odometry: Array
    """What odometry said at each scan. Shape (number of scans, 3)."""
    scan_numbers: Array = field(default_factory=lambda: np.empty(0))
    """Which scan of its source each one is, counted from 0; by default in order of time."""
    mount: Pose2 = field(default_factory=Pose2)
    """Where the scanner sits on the base."""
    notes: tuple[str, ...] = ()
    """What was tolerated while reading, a sentence each: stamps that fell, beams that failed."""

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        stamps = read_only(self.odometry_stamps, name="DriveLog.odometry_stamps", shape=(None,))
        object.__setattr__(self, "odometry_stamps", stamps)
        numbers = self.scan_numbers if len(self.scan_numbers) else np.arange(len(self.scans))
        numbers = read_only(
            numbers, name="DriveLog.scan_numbers", shape=(len(self.scans),), dtype=np.int64
        )
        object.__setattr__(self, "scan_numbers", numbers)
        for name, rows in (("odometry", len(stamps)), ("scan_odometry", len(self.scans))):
            fixed = read_only(getattr(self, name), name=f"DriveLog.{name}", shape=(rows, 3))
            object.__setattr__(self, name, fixed)
        if np.any(np.diff(stamps) <= 0.0):
            raise InvalidInput(f"stamps of odometry in {self.source} must rise")
        if np.any(np.diff(self.scan_stamps) < 0.0):
            raise InvalidInput(f"stamps of scans in {self.source} must not fall")

    @property
    def scan_stamps(self) -> Array:
        """Of all scans [s]. Shape (number of scans,)."""
        return np.array([scan.stamp for scan in self.scans], dtype=np.float64)

    @property
    def duration(self) -> float:
        """From the first to the last reading of any kind [s]."""
        stamps = np.concatenate([self.odometry_stamps, self.scan_stamps])
        return float(np.ptp(stamps)) if len(stamps) else 0.0

    def __iter__(self) -> Iterator[tuple[LaserScan, Pose2]]:
        """Go through the scans, each with what odometry said at that time."""
        for scan, (x, y, yaw) in zip(self.scans, self.scan_odometry.tolist(), strict=True):
            yield scan, Pose2(x, y, yaw)
