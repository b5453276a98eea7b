"""Where a base was a moment ago: poses of odometry, and arcs between them."""

from bisect import bisect_right
from dataclasses import dataclass, replace
from math import cos, sin
from operator import le

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.core.poses.floats import sinc


@dataclass(frozen=True, eq=False)
class PoseTrack:
    """Poses of the last second. It holds the state after one pose; `after` returns the next one.

    Before its first pose the base is taken to have stood there. After its last one it goes on as
    it did, for at most `ahead`, because scans may be a little newer than odometry.
    """

    stamps: tuple[float, ...] = ()
    """Rising [s]."""
    poses: tuple[Pose2, ...] = ()
    span: float = 1.0
    """Older poses are forgotten [s]."""
    ahead: float = 0.1
    """It looks no further into the future than this [s]."""

    def __post_init__(self) -> None:
        if len(self.stamps) != len(self.poses):
            raise InvalidInput(f"{len(self.stamps)} stamps for {len(self.poses)} poses of a track")
        if any(map(le, self.stamps[1:], self.stamps)):
            raise InvalidInput(f"stamps of a track must rise, got {self.stamps}")

    def after(self, stamp: float, pose: Pose2) -> "PoseTrack":
        """Return the track after one more pose; one that is no newer changes nothing."""
        if self.stamps and stamp <= self.stamps[-1]:
            return self
        first = bisect_right(self.stamps, stamp - self.span)
        after = object.__new__(PoseTrack)  # it rises: nothing to look at again
        after.__dict__.update(
            self.__dict__, stamps=(*self.stamps[first:], stamp), poses=(*self.poses[first:], pose)
        )
        return after

    def moved(self, before: Pose2, now: Pose2) -> "PoseTrack":
        """Return the track after odometry was set from one pose to another: its shape stays."""
        shift = now @ before.inverse()
        return replace(self, poses=tuple(shift @ pose for pose in self.poses))

    def at(self, stamp: float) -> Pose2:
        """Return the pose at a time [s]."""
        x, y, yaw = self.at_times(np.array([stamp]))[0].tolist()
        return Pose2(x, y, yaw)

    def at_times(self, stamps: Array) -> Array:
        """Return x, y [m] and yaw [rad] at some times, on arcs between the poses. Shape (n, 3)."""
        if not self.poses:
            raise InvalidInput("the track is empty: no pose is known; add one with `after`")
        if len(self.poses) == 1:
            only = self.poses[0]
            return np.tile([only.x, only.y, only.yaw], (len(stamps), 1))
        known, latest = self.stamps, self.stamps[-1] + self.ahead
        result = []
        part, start, vx, vy, turn, c, s = -1, self.poses[0], 0.0, 0.0, 0.0, 1.0, 0.0
        for stamp in np.asarray(stamps, float).tolist():
            time = min(max(stamp, known[0]), latest)
            after = min(bisect_right(known, time), len(known) - 1)
            if after - 1 != part:  # beams come in order: one arc serves many
                part = after - 1
                start = self.poses[part]
                vx, vy, turn = (start.inverse() @ self.poses[after]).log().tolist()
                c, s = cos(start.yaw), sin(start.yaw)
            passed = (time - known[part]) / (known[after] - known[part])
            angle = turn * passed
            along = passed * sinc(angle)
            across = passed * sin(0.5 * angle) * sinc(0.5 * angle)
            x, y = along * vx - across * vy, across * vx + along * vy
            result.append((start.x + c * x - s * y, start.y + s * x + c * y, start.yaw + angle))
        return np.array(result)
