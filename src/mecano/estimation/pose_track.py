"""Where a base was a moment ago: poses of odometry, and arcs between them."""

from bisect import bisect_right
from collections.abc import Sequence
from math import cos, sin
from operator import le

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.core.poses.floats import sinc

FORGOTTEN = 1000
"""Lists with more poses than this that nobody needs any more are cut."""


class PoseTrack:
    """Poses of the last second. It holds the state after one pose; `after` returns the next one.

    Before its first pose the base is taken to have stood there. After its last one it goes on as
    it did, for at most `ahead`, because scans may be a little newer than odometry.

    A track that goes on shares its lists with the one before and writes only behind that one's
    end, so a pose more costs the same however many there are.
    """

    def __init__(
        self,
        stamps: Sequence[float] = (),
        poses: Sequence[Pose2] = (),
        span: float = 1.0,
        ahead: float = 0.1,
    ) -> None:
        """Begin with some poses, or none.

        Args:
            stamps: Of the poses, rising [s].
            poses: As many.
            span: Poses that are older than this are forgotten [s].
            ahead: It looks no further into the future than this [s].
        """
        if len(stamps) != len(poses):
            raise InvalidInput(f"{len(stamps)} stamps for {len(poses)} poses of a track")
        if any(map(le, stamps[1:], stamps)):
            raise InvalidInput(f"stamps of a track must rise, got {stamps}")
        self.span, self.ahead = span, ahead
        self._stamps, self._poses = list(stamps), list(poses)
        self._first, self._end = 0, len(stamps)
        """Its own part of the lists."""

    @property
    def stamps(self) -> tuple[float, ...]:
        """Rising [s]."""
        return tuple(self._stamps[self._first : self._end])

    @property
    def poses(self) -> tuple[Pose2, ...]:
        """One for each stamp."""
        return tuple(self._poses[self._first : self._end])

    def after(self, stamp: float, pose: Pose2) -> "PoseTrack":
        """Return the track after one more pose; one that is no newer changes nothing."""
        stamps, first, end = self._stamps, self._first, self._end
        if end > first and stamp <= stamps[end - 1]:
            return self
        after = object.__new__(PoseTrack)  # it rises: nothing to look at again
        after.span, after.ahead, after._poses = self.span, self.ahead, self._poses
        if end != len(stamps) or first > FORGOTTEN:  # another track has gone on from here
            stamps, after._poses = stamps[first:end], self._poses[first:end]
            first, end = 0, end - first
        stamps.append(stamp)
        after._poses.append(pose)
        after._stamps, after._end = stamps, end + 1
        after._first = bisect_right(stamps, stamp - self.span, first)
        return after

    def moved(self, before: Pose2, now: Pose2) -> "PoseTrack":
        """Return the track after odometry was set from one pose to another: its shape stays."""
        shift = now @ before.inverse()
        poses = [shift @ pose for pose in self.poses]
        return PoseTrack(self.stamps, poses, self.span, self.ahead)

    def at(self, stamp: float) -> Pose2:
        """Return the pose at a time [s]."""
        x, y, yaw = self.at_times(np.array([stamp]))[0].tolist()
        return Pose2(x, y, yaw)

    def at_times(self, stamps: Array) -> Array:
        """Return x, y [m] and yaw [rad] at some times, on arcs between the poses. Shape (n, 3)."""
        known, poses = self.stamps, self.poses
        if not poses:
            raise InvalidInput("the track is empty: no pose is known; add one with `after`")
        if len(poses) == 1:
            only = poses[0]
            return np.tile([only.x, only.y, only.yaw], (len(stamps), 1))
        latest = known[-1] + self.ahead
        result = []
        part, start, vx, vy, turn, c, s = -1, poses[0], 0.0, 0.0, 0.0, 1.0, 0.0
        for stamp in np.asarray(stamps, float).tolist():
            time = min(max(stamp, known[0]), latest)
            after = min(bisect_right(known, time), len(known) - 1)
            if after - 1 != part:  # beams come in order: one arc serves many
                part = after - 1
                start = poses[part]
                vx, vy, turn = (start.inverse() @ poses[after]).log().tolist()
                c, s = cos(start.yaw), sin(start.yaw)
            passed = (time - known[part]) / (known[after] - known[part])
            angle = turn * passed
            along = passed * sinc(angle)
            across = passed * sin(0.5 * angle) * sinc(0.5 * angle)
            x, y = along * vx - across * vy, across * vx + along * vy
            result.append((start.x + c * x - s * y, start.y + s * x + c * y, start.yaw + angle))
        return np.array(result)
