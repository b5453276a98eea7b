"""Resuming a map of an earlier drive, in a place whose furniture may have been moved since.

A mapper maps the new drive by itself. All that it has seen so far is fitted to the walls of the old
map as one piece, again and again, and what was seen in the last metres by itself: the pose follows
the old map, whatever the errors of the two maps are. In the end the keyframes of the drive are
placed by their own edges and by their fits to the old map together, and drawn over it: what this
drive has seen replaces what was known.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.lifelong.anchoring import AnchoredDrive, place_drive
from mecano.estimation.lifelong.wall_field import WallField, WallFit
from mecano.estimation.maps.log_odds import LogOddsGrid
from mecano.estimation.maps.scoring import WALL

if TYPE_CHECKING:
    from mecano.estimation.slam.mapper import Closure, Doubt, Mapper
    from mecano.estimation.slam.pose_graph import PoseGraph

START_SIGMA = 0.10, 0.10
"""Standard deviations of the start pose that the user gives, and of the drive as a whole from one
fit to the next [m], [rad]."""
LOCAL_SIGMA = 0.15, 0.05
"""Standard deviations of a pose before the last metres were fitted [m], [rad]."""
KEPT_DISTANCE, KEPT_TURN = 0.15, 0.2
"""A scan is kept for the fits if it was taken so far from the one before [m], [rad] ..."""
KEPT_SCANS, KEPT_POINTS = 10, 60
"""... so many of them for that of the last metres, and so many points of each."""
WHOLE_POINTS = 3000
"""Points of the whole drive that are fitted at once, taken evenly."""
FIT_WHOLE_EVERY = 25
"""Scans between two fits of the whole drive."""
FIT_DISTANCE, FIT_TURN = 0.3, 0.3
"""The last metres are fitted after each so much of the drive [m], [rad]."""
BETTER = 0.05
"""The whole drive decides where the base is if so much more of the last metres lies on walls."""
OLD_TRUST = 0.8
"""Probability of what the old map says, so that two scans of this drive overrule it."""


class _Kept(NamedTuple):
    """A scan that is kept for the fits."""

    number: int
    points: Array
    """Of its returns, in the frame of the base [m]. Shape (n, 2)."""


class ResumedMapper:
    """A mapper whose map begins with that of an earlier drive."""

    def __init__(self, old: OccupancyGrid, mapper: "Mapper", mount: Pose2) -> None:
        """Take the old map.

        Args:
            old: With walls; its frame becomes that of all poses.
            mapper: For the new drive; nothing was added to it yet. Odometry begins at the pose in
                the old map at which the robot stands.
            mount: Where the scanner is on the base.
        """
        if not np.any(old.data >= WALL):
            raise InvalidInput(
                "the map to resume has no wall, so no robot can be located in it; resume another "
                "one, or map the place anew"
            )
        self._old, self._mapper, self._mount = old, mapper, mount
        self._walls = WallField(old)
        self._scans: list[LaserScan] = []
        self._poses: list[Pose2] = []
        self._kept: list[_Kept] = []
        self._window: deque[_Kept] = deque(maxlen=KEPT_SCANS)
        self._whole = Pose2()  # the frame of the drive's own map, in the old one
        self._driven = self._turned = inf  # since the last fit [m], [rad]
        self._placed: AnchoredDrive | None = None

    def add(self, scan: LaserScan, odometry: Pose2) -> Pose2:
        """Take a scan and what odometry said at its time; return the base's pose in the map."""
        self._mapper.add(scan, odometry)
        rows = self._mapper.trajectory[:, 1:]
        self._scans.append(scan)
        self._placed = None
        self._keep(scan, rows)
        if len(rows) % FIT_WHOLE_EVERY == 1:
            self._fit_whole(rows)
        if len(rows) == 1:
            self._poses.append(self._whole @ Pose2(*rows[0].tolist()))
            return self._poses[-1]
        step = relative_all(rows[-2], rows[-1])
        self._poses.append(self._poses[-1] @ Pose2(*step.tolist()))
        self._driven += float(np.hypot(*step[:2]))
        self._turned += abs(float(step[2]))
        if self._driven > FIT_DISTANCE or self._turned > FIT_TURN:
            self._driven = self._turned = 0.0
            self._poses[-1] = self._fit_last_metres(rows)
        return self._poses[-1]

    def finish(self) -> None:
        """Finish the drive's own map and place all of it in the old one."""
        self._mapper.finish()
        self._fit_whole(self._mapper.trajectory[:, 1:])
        self._poses = [Pose2(*row) for row in self._place().poses.tolist()]

    def _keep(self, scan: LaserScan, rows: Array) -> None:
        """Keep a scan for the fits if the base has moved since the last one that was kept."""
        if self._kept:
            moved = relative_all(rows[self._kept[-1].number], rows[-1])
            if np.hypot(*moved[:2]) < KEPT_DISTANCE and abs(moved[2]) < KEPT_TURN:
                return
        points = base_points(scan, self._mount)
        if len(points):
            self._kept.append(_Kept(len(rows) - 1, points))
            self._window.append(self._kept[-1])

    def _fit_whole(self, rows: Array) -> None:
        """Fit all that was seen on this drive to the old walls, as one piece."""
        if not self._kept:
            return
        every = max(1, len(self._kept) * KEPT_POINTS // WHOLE_POINTS)
        first = Pose2(*rows[0].tolist())
        points = _seen_from(rows[0], rows, self._kept[::every])
        fit = self._walls.fit(points, self._whole @ first, information(*START_SIGMA))
        self._whole = fit.pose @ first.inverse()

    def _fit_last_metres(self, rows: Array) -> Pose2:
        """Return the pose after what was seen last was fitted to the old walls."""
        pose, whole = self._poses[-1], self._whole @ Pose2(*rows[-1].tolist())
        if not self._window:
            return pose
        points = _seen_from(rows[-1], rows, self._window)
        fit, other = (self._fit_near(points, guess) for guess in (pose, whole))
        if other.share > fit.share + BETTER:
            fit, pose = other, whole
        return fit.pose if fit.is_reliable else pose

    def _fit_near(self, points: Array, guess: Pose2) -> WallFit:
        return self._walls.fit(points, guess, information(*LOCAL_SIGMA))

    def _place(self) -> AnchoredDrive:
        """Place the drive by its own edges and the walls of the old map together."""
        if self._placed is None:
            own = self._mapper.trajectory[:, 1:]
            keyframes = self._keyframes()
            self._placed = place_drive(
                self._walls, self._mapper.graph, own, keyframes,
                points=[base_points(self._scans[number], self._mount) for number in keyframes],
                guesses=(compose_all(_row(self._whole), own), self.trajectory[:, 1:]),
            )  # fmt: skip
        return self._placed

    def _keyframes(self) -> list[int]:
        """Return the numbers of the scans that are keyframes of the mapper."""
        stamps = self._mapper.trajectory[:, 0]
        return np.searchsorted(stamps, self._mapper.graph.stamps).tolist()

    @property
    def trajectory(self) -> Array:
        """Stamp [s], x, y [m], yaw [rad] of the base at every scan of this drive."""
        poses = np.array([_row(pose) for pose in self._poses]).reshape(-1, 3)
        return np.column_stack([self._mapper.trajectory[:, 0], poses])

    def grid(self, resolution: float | None = None) -> OccupancyGrid:
        """Return the old map with what the keyframes of this drive saw; its cells keep their size.

        Raises:
            InvalidInput: Cells of another size are asked for.
        """
        if resolution is not None and abs(resolution - self._old.resolution) > 1e-9:
            raise InvalidInput(
                f"the map that is resumed has cells of {self._old.resolution:g} m, "
                f"so it cannot be given with cells of {resolution:g} m"
            )
        whole = LogOddsGrid.from_grid(self._old, mount=self._mount, trust=OLD_TRUST)
        rows, keyframes = self.trajectory, self._keyframes()
        whole.insert_many([self._scans[number] for number in keyframes], rows[keyframes, 1:])
        return whole.grid()

    @property
    def graph(self) -> "PoseGraph":
        """Keyframes of this drive and what was measured between them."""
        return replace(self._mapper.graph, poses=self.trajectory[self._keyframes(), 1:])

    @property
    def loops(self) -> "Sequence[Closure]":
        """Places of this drive that were recognized."""
        return self._mapper.loops

    @property
    def doubts(self) -> "Sequence[Doubt]":
        """Stretches whose place in the map is doubtful: by the drive itself, or by the old map."""
        return (*self._mapper.doubts, *self._place().doubts(self._mapper.trajectory[:, 0]))

    @property
    def seconds(self) -> dict[str, float]:
        """Time that each stage took [s]."""
        return self._mapper.seconds


def base_points(scan: LaserScan, mount: Pose2) -> Array:
    """Return some returns of a scan, in the frame of the base [m]. Shape (n, 2)."""
    points = scan.points()
    return mount.transform_points(points[:: max(1, len(points) // KEPT_POINTS)])


def information(place: float, turn: float) -> Array:
    """Return the information of a pose by standard deviations [m], [rad]. Shape (3, 3)."""
    return np.diag([place**-2, place**-2, turn**-2])


def _seen_from(pose: Array, rows: Array, kept: "Sequence[_Kept] | deque[_Kept]") -> Array:
    """Return what was seen from some poses, in the frame of another one [m]. Shape (n, 2)."""
    placed = relative_all(pose, rows[[each.number for each in kept]]).tolist()
    return np.concatenate([
        Pose2(*row).transform_points(each.points) for row, each in zip(placed, kept, strict=True)
    ])  # fmt: skip


def _row(pose: Pose2) -> tuple[float, float, float]:
    return pose.x, pose.y, pose.yaw


def check_start(old: OccupancyGrid, start: Pose2) -> None:
    """Raise if a robot that resumes a map does not stand in it."""
    if old.contains(old.world_to_cell([start.x, start.y])):
        return
    corners = np.array([(row, column) for row in (0, old.height) for column in (0, old.width)])
    x, y = old.cell_to_world(corners - 0.5).T
    raise InvalidInput(
        f"the start ({start.x:.2f}, {start.y:.2f}) m lies outside the map to resume, which "
        f"reaches over x {x.min():.2f} to {x.max():.2f} m, y {y.min():.2f} to {y.max():.2f} m; "
        "give the pose of the robot in it with --start"
    )
