"""Building a map while a robot drives: every scan goes to a mapper as soon as it comes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.core.belief import Belief
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot
from mecano.tasks.scanners import Scanner

if TYPE_CHECKING:
    from mecano.estimation.slam.mapper import Mapper

REDRAW = 2.0
"""The map that a viewer draws is this old at most [s]."""
RESOLUTION = 0.05
"""Side of the map's cells [m]."""


@dataclass
class LiveMapping:
    """Listens to a session. Its map begins where odometry says that the robot is.

    As an observer it only reads: the robot drives as it would without it.
    """

    robot: Robot
    mapper: "Mapper"
    scanner: Scanner
    stamps: list[float] = field(default_factory=list)
    """Of the scans [s]."""
    odometry: list[Pose2] = field(default_factory=list)
    """At each scan."""
    believed: list[Pose2] = field(default_factory=list)
    """At each scan, as the mapper said at that time."""
    truth: list[Pose2] = field(default_factory=list)
    """At each scan, in the world; nothing on a real robot."""
    on_scan: Callable[[LaserScan], None] | None = None
    """Told of every scan after the mapper."""
    _truth_now: tuple[float, Pose2] | None = None
    _grid: tuple[float, OccupancyGrid] | None = None
    _scan: LaserScan | None = None

    def __enter__(self) -> "LiveMapping":
        """Begin to listen, and let the viewer see the map."""
        self._look_at_truth()
        self.robot.session.observers.append(self.look)
        self.robot.estimator = self
        return self

    def __exit__(self, *raised: object) -> None:
        """Listen no longer; what was built stays."""
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
            self._truth_now = self.robot.time, self.robot.truth.base_pose()

    def _take(self, scan: LaserScan) -> None:
        odometry = self.robot.base.track.at(scan.stamp)
        self.believed.append(self.mapper.add(scan, odometry))
        self.stamps.append(scan.stamp)
        self.odometry.append(odometry)
        if self._truth_now is not None:
            self.truth.append(self._truth_now[1])
        self._scan = scan
        if self.on_scan is not None:
            self.on_scan(scan)

    @property
    def pose(self) -> Pose2:
        """Where the base is in the map now: the last match, and odometry since."""
        if not self.believed:
            return self.robot.base.pose
        since = self.odometry[-1].inverse() @ self.robot.base.pose
        return self.believed[-1] @ since

    def grid(self) -> OccupancyGrid:
        """Return the map as it is now."""
        return self.mapper.grid(RESOLUTION)

    def belief(self) -> Belief:
        """Return what a viewer may draw."""
        with self.robot.session.lock:
            now = self.robot.time
            if not self.stamps:
                return Belief(stamp=now, pose=self.pose, text="no scan yet")
            if self._grid is None or now - self._grid[0] > REDRAW:
                self._grid = now, self.grid()
            trajectory = self.mapper.trajectory
            loops = self.mapper.loops
            return Belief(
                stamp=now, pose=self.pose, grid=self._grid[1], scan=self._scan_points(),
                path=trajectory[:, 1:3], loops=self._loop_places(),
                text=f"{len(self.stamps)} scans, {len(loops)} loops closed",
            )  # fmt: skip

    def _scan_points(self) -> Array:
        assert self._scan is not None
        return (self.believed[-1] @ self.scanner.mount).transform_points(self._scan.points())

    def _loop_places(self) -> Array:
        poses = self.mapper.graph.poses[:, :2]
        pairs = [(poses[loop.old], poses[loop.new]) for loop in self.mapper.loops]
        return np.array(pairs).reshape(-1, 2, 2)

    def save(self, folder: Path) -> None:
        """Write map.yaml with its picture, and trajectory.txt, into a folder."""
        from mecano.estimation.maps.files import save_map

        with self.robot.session.lock:
            if not self.stamps:
                return
            grid, trajectory = self.grid(), self.mapper.trajectory
        folder.mkdir(parents=True, exist_ok=True)
        save_map(grid, folder / "map.yaml")
        write_trajectory(trajectory, folder / "trajectory.txt")


def write_trajectory(trajectory: Array, path: Path) -> None:
    """Write stamps and poses as lines of `time x y theta` [s, m, m, rad]."""
    lines = [f"{t:.6f} {x:.6f} {y:.6f} {yaw:.6f}" for t, x, y, yaw in trajectory.tolist()]
    path.write_text("\n".join(lines) + "\n", "utf-8")
