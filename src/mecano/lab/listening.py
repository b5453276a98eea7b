"""An estimator that listens to a robot: every scan is taken as soon as it comes.

As an observer of the session it only reads: the robot drives as it would without it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

from mecano.core.belief import Belief
from mecano.core.messages import LaserScan
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.lab.scanners import Scanner


class Listening(ABC):
    """What mapping and localization of a running robot share. Use it in a `with` block.

    If the robot goes back in time, by `reset` or `restore`, both begin anew.
    """

    def __init__(self, robot: Robot, scanner: Scanner) -> None:
        """Take a robot; it listens from the beginning of the block on."""
        self.robot, self.scanner = robot, scanner
        self.stamps: list[float] = []
        """Of the scans [s]."""
        self.odometry: list[Pose2] = []
        """At each scan."""
        self.believed: list[Pose2] = []
        """Poses in the map at each scan, as they were believed at that time."""
        self.truth: list[Pose2] = []
        """At each scan, in the world; nothing on a real robot."""
        self.on_scan: Callable[[LaserScan], None] | None = None
        """Told of every scan after the estimator."""
        self.scan: LaserScan | None = None
        """The newest."""
        self._truth_now: Pose2 | None = None

    @abstractmethod
    def _place(self, scan: LaserScan, odometry: Pose2) -> Pose2:
        """Give a scan to the estimator; return the base's pose in the map."""

    @abstractmethod
    def _begin_anew(self) -> None:
        """Forget all scans: the robot has gone back in time."""

    @abstractmethod
    def _believed(self, scan: LaserScan) -> Belief:
        """Return what is believed after some scans, the newest of which is given."""

    def __enter__(self):
        """Begin to listen, and let the view see what is believed."""
        self.robot.session.require_open()
        self._look_at_truth()
        self.robot.session.observers.append(self.look)
        self.robot.estimator = self
        return self

    def __exit__(self, *raised: object) -> None:
        """Listen no longer; what was learnt stays."""
        self.robot.session.observers.remove(self.look)

    def look(self, session: object) -> None:
        """Take the scan that has come in this tick, if there is one."""
        scan = self.scanner.newest()
        if scan is not None:
            self._take(scan)
        self._look_at_truth()

    def _look_at_truth(self) -> None:
        """Keep where the base is now: the next tick's scans are of this instant."""
        if not self.robot.real:
            self._truth_now = self.robot.truth.base_pose()

    def _take(self, scan: LaserScan) -> None:
        if self.stamps and scan.stamp < self.stamps[-1]:  # a reset: what was seen is still to come
            for kept in (self.stamps, self.odometry, self.believed, self.truth):
                kept.clear()
            self._begin_anew()
        odometry = self.robot.base.track.at(scan.stamp)
        self.believed.append(self._place(scan, odometry))
        self.stamps.append(scan.stamp)
        self.odometry.append(odometry)
        if self._truth_now is not None:
            self.truth.append(self._truth_now)
        self.scan = scan
        if self.on_scan is not None:
            self.on_scan(scan)

    @property
    def pose(self) -> Pose2:
        """Where the base is in the map now: by the last scan, and odometry since."""
        return self.map_to_odom @ self.robot.base.pose

    @property
    def map_to_odom(self) -> Pose2:
        """Where the frame of odometry lies in the map: what corrects its drift."""
        if not self.believed:
            return Pose2()
        return self.believed[-1] @ self.odometry[-1].inverse()

    def belief(self) -> Belief:
        """Return what the view may draw."""
        with self.robot.session.lock:
            if self.scan is None:
                return Belief(stamp=self.robot.time, pose=self.pose, text="no scan yet")
            return self._believed(self.scan)
