"""A filter along a log: where the base was at every scan, also at those it was not shown."""

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.drive_log import DriveLog
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.estimation.gaps import fill_rows
from mecano.estimation.localization.monte_carlo import Estimate, MonteCarlo
from mecano.estimation.localization.odometry_jumps import without_jumps
from mecano.estimation.localization.stated_error import bound_95


class AlongLog:
    """Shows scans of a log to a filter, one after the other, and keeps what it says."""

    def __init__(self, filter: MonteCarlo, log: DriveLog, part: slice, shown: Mask) -> None:
        """Take a filter that is at the beginning of a part of a log.

        Args:
            filter: It goes on from where it is.
            log: Of the drive.
            part: Of its scans; the path will have a row for each of them.
            shown: Which scans of the log the filter may see. Shape (number of scans,).
        """
        self._filter, self._log, self._begin = filter, log, part.indices(len(log.scans))[0]
        self._numbers = np.arange(len(log.scans))[part]
        self._shown = self._numbers[shown[part]]
        self._poses: list[tuple[float, float, float]] = []
        self.updates = 0
        """So many scans weighed the particles."""
        self.counts: list[int] = []
        """Particles after each scan that was shown."""
        self.seconds: list[float] = []
        """What each of them took."""
        self.bounds: list[float] = []
        """Distance that the position of each is stated to be within, with 95 % [m]."""
        self.at_walls: list[float] = []
        """Which part of the readings of each ends at walls of the map, 0 to 1."""

    def __len__(self) -> int:
        """Return how many scans the filter is shown."""
        return len(self._shown)

    def __iter__(self) -> Iterator[tuple[LaserScan, Estimate]]:
        """Show the scans; give each with what the filter says of it."""
        for number in self._shown[len(self._poses) :].tolist():
            scan, odometry = self._log.scans[number], self._log.scan_odometry[number]
            begun = perf_counter()
            estimate = self._filter.update(scan, Pose2(*odometry.tolist()))
            self.seconds.append(perf_counter() - begun)
            self._poses.append((estimate.pose.x, estimate.pose.y, estimate.pose.yaw))
            self.updates += estimate.updated
            self.counts.append(len(estimate.particles))
            self.bounds.append(bound_95(estimate.covariance))
            share = self._filter.share_at_walls(scan, estimate.pose)
            if share is not None:
                self.at_walls.append(share)
            yield scan, estimate

    @property
    def path(self) -> Array:
        """Stamp [s], x, y [m], yaw [rad] at every scan so far; between those shown, odometry."""
        done = len(self._poses)
        if not done:
            return np.empty((0, 4))
        ends = len(self._numbers)
        if done < len(self._shown):
            ends = int(self._shown[done - 1]) + 1 - self._begin
        numbers = self._numbers[:ends]
        stamps = self._log.scan_stamps[numbers]
        odometry = without_jumps(stamps, self._log.scan_odometry[numbers])
        poses = fill_rows(self._shown[:done] - self._begin, np.array(self._poses), odometry)
        return np.column_stack([stamps, poses])
