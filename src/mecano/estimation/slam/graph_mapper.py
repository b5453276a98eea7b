"""Graph SLAM: scans matched to local maps, loops found and verified, all poses optimized.

Every scan gets a pose. Scans that moved on become keyframes, the nodes of the graph; the others
keep their place relative to a keyframe and follow it when the map moves.
"""

from collections.abc import Sequence
from math import hypot, isfinite

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all
from mecano.estimation.maps.log_odds import LogOddsGrid
from mecano.estimation.slam.back_end import BackEnd
from mecano.estimation.slam.clouds import Cloud, cloud_of, grown
from mecano.estimation.slam.doubts import CONTRADICTED, OVERRULED, UNMATCHED, Marks, find_doubts
from mecano.estimation.slam.front_end import FrontEnd, link
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.mapper import Closure, Doubt
from mecano.estimation.slam.odometer import Odometer
from mecano.estimation.slam.pose_graph import PoseGraph
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import compose, relative
from mecano.estimation.slam.stop_watch import StopWatch

CELL = 0.05
"""Side of the map's cells if nobody asks for another [m]."""


CHANGED, CHANGED_FAR, CHANGED_SHARE = 0.15, 0.02, 0.1
"""A beam changed if its range did by so much [m] and so much per distance; if so large a share of
beams did, the base moved, whatever odometry says."""


class GraphMapper:
    """Maps with a graph of keyframes; a `Mapper`. Nothing in it is random.

    The map begins where odometry begins, so the two frames agree until odometry drifts.
    """

    def __init__(self, settings: SlamSettings | None = None, mount: Pose2 | None = None) -> None:
        """Begin an empty map.

        Args:
            settings: One set serves all robots.
            mount: Where the scanner sits on the base.
        """
        self.settings = settings or SlamSettings()
        self.mount = mount or Pose2()
        self._watch = StopWatch()
        self._keyframes = Keyframes(self.settings)
        self._front_end = FrontEnd(self._keyframes, self.settings)
        self._back_end = BackEnd(self._keyframes, self.settings, self._watch)
        self._key_scans: list[LaserScan] = []
        self._rows = np.zeros((256, 5))
        self._count = 0
        self._said = np.zeros(3)  # odometry at the last scan that was placed
        self._seen: LaserScan | None = None  # that scan
        self._ahead = np.zeros(3)  # where that was, seen from the last keyframe
        self._odometer = Odometer(self.settings)
        self._unmatched: Marks = {}
        self._overruled: Marks = {}

    # --- scans

    def add(self, scan: LaserScan, odometry: Pose2) -> Pose2:
        """Take a scan and what odometry said at its time; return the base's pose in the map.

        A scan without returns gets its pose by odometry. Scans of any geometry may follow each
        other. Where odometry jumps, the robot is taken to be about where it was.

        Raises:
            InvalidInput: The scan is older than the one before.
        """
        self._check_time(scan.stamp)
        said = np.array([odometry.x, odometry.y, odometry.yaw])
        moved = relative(self._said, said)
        still = self._count > 0 and self._hardly_moved(moved)
        if still and self._looks_the_same(scan):
            return self._note(scan.stamp, compose(self._ahead, moved))
        with self._watch.time("points"):
            cloud = cloud_of(scan, self.mount, self.settings)
        self._said, self._seen = said, scan
        if not self._count:
            self._keep(scan, cloud, said)
        else:
            self._odometer.go(moved)
            self._place(scan, cloud, dead=still)
        return self._note(scan.stamp, self._ahead)

    def finish(self) -> None:
        """Optimize all, match all neighbours in space again and optimize once more.

        More scans may follow; then call it again.
        """
        self._require_scans("finish the map")
        self._back_end.finish()
        self._front_end.forget_map()

    # --- what is believed now

    @property
    def trajectory(self) -> Array:
        """Stamp [s], x, y [m], yaw [rad] of the base at every scan. Shape (n, 4)."""
        rows = self._rows[: self._count]
        if not len(rows):
            return np.zeros((0, 4))
        poses = compose_all(self._keyframes.poses[rows[:, 1].astype(np.int64)], rows[:, 2:])
        return np.column_stack([rows[:, 0], poses])

    def grid(self, resolution: float | None = None) -> OccupancyGrid:
        """Return the map, with cells of that side [m] or of 0.05 m, drawn from the keyframes."""
        self._require_scans("draw a map")
        with self._watch.time("grid"):
            grid = LogOddsGrid(CELL if resolution is None else resolution, mount=self.mount)
            grid.insert_many(self._key_scans, self._keyframes.poses)
            return grid.grid()

    @property
    def graph(self) -> PoseGraph:
        """Keyframes and what was measured between them."""
        return self._back_end.graph

    @property
    def loops(self) -> Sequence[Closure]:
        """Places that were recognized while driving."""
        return tuple(self._back_end.closures)

    @property
    def doubts(self) -> Sequence[Doubt]:
        """Stretches whose place in the map is doubtful; takes some tenths of a second."""
        with self._watch.time("doubts"):
            marks = (
                (UNMATCHED, self._unmatched), (OVERRULED, self._overruled),
                (CONTRADICTED, self._back_end.doubted),
            )  # fmt: skip
            return find_doubts(self._keyframes, self._keyframes.edges.all, marks)

    @property
    def seconds(self) -> dict[str, float]:
        """Time that each stage took [s]."""
        return dict(self._watch.seconds)

    # --- parts of `add`

    def _place(self, scan: LaserScan, cloud: Cloud, *, dead: bool) -> None:
        """Find where a scan was taken, and keep it if it is far from the last keyframe."""
        odometer = self._odometer
        with self._watch.time("match"):
            placed = self._front_end.place(cloud, odometer, dead=dead)
        self._ahead = relative(self._keyframes.poses[-1], placed.pose)
        if placed.doubted:
            odometer.correct(self._ahead)
        if not len(cloud) or not self._is_far(self._ahead):
            return
        odometer.learn(self._ahead, doubted=placed.doubted)
        new = self._keep(scan, cloud, placed.pose)
        link(self._keyframes, new, placed)
        if placed.information is None:
            self._unmatched[new] = placed.step.off
        elif placed.doubted:
            self._overruled[new] = hypot(self._ahead[0], self._ahead[1])
        self._ahead = np.zeros(3)
        odometer.reset()
        self._front_end.extend_map(new)
        if self._back_end.follow(new):
            self._front_end.forget_map()

    def _check_time(self, stamp: float) -> None:
        last = self._rows[self._count - 1, 0] if self._count else -np.inf
        if not isfinite(stamp) or stamp < last:
            raise InvalidInput(
                f"a scan of {stamp:.3f} s came after one of {last:.3f} s; "
                "scans must come in the order of time: sort them first"
            )

    def _hardly_moved(self, moved: Array) -> bool:
        way, turn = hypot(moved[0], moved[1]), abs(moved[2])
        return way < self.settings.still_distance and turn < self.settings.still_turn

    def _looks_the_same(self, scan: LaserScan) -> bool:
        """Tell whether a scan shows what the last placed one showed; else odometry may be dead."""
        before = self._seen
        if before is None or len(before.ranges) != len(scan.ranges):
            return False
        both = np.isfinite(scan.ranges) & np.isfinite(before.ranges)
        here, there = scan.ranges[both], before.ranges[both]
        changed = np.abs(here - there) > CHANGED + CHANGED_FAR * there
        return bool(np.sum(changed) < CHANGED_SHARE * len(scan.ranges))

    def _is_far(self, ahead: Array) -> bool:
        if not len(self._keyframes.store[len(self._keyframes) - 1]):
            return True  # the first scan saw nothing
        way, turn = hypot(ahead[0], ahead[1]), abs(ahead[2])
        return way >= self.settings.key_distance or turn >= self.settings.key_turn

    def _keep(self, scan: LaserScan, cloud: Cloud, pose: Array) -> int:
        self._key_scans.append(scan)
        return self._keyframes.append(scan.stamp, cloud, pose)

    def _note(self, stamp: float, ahead: Array) -> Pose2:
        """Remember where a scan was, seen from the last keyframe; return where that is."""
        if self._count == len(self._rows):
            self._rows = grown(self._rows, 2 * self._count)
        last = len(self._keyframes) - 1
        self._rows[self._count] = stamp, last, *ahead
        self._count += 1
        return Pose2(*compose(self._keyframes.poses[last], ahead).tolist())

    def _require_scans(self, what: str) -> None:
        if not self._count:
            raise InvalidInput(f"there is no scan yet to {what} from; add some first")
