"""Building a map while a robot drives."""

from pathlib import Path
from typing import TYPE_CHECKING

from mecano.core.belief import Belief
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.lab.listening import Listening
from mecano.lab.robot import Robot
from mecano.lab.scanners import Scanner, scanner_of

if TYPE_CHECKING:
    from mecano.estimation.slam.mapper import Mapper

RESOLUTION = 0.05
"""Side of the map's cells [m]."""


class LiveMapping(Listening):
    """Gives the scans of a robot to a mapper. The map begins where odometry says that it is."""

    def __init__(
        self, robot: Robot, mapper: "Mapper | None" = None, scanner: Scanner | None = None
    ) -> None:
        """Take a robot that can scan.

        Args:
            robot: With wheels, and LIDARs or a depth camera.
            mapper: An empty one; None takes ours.
            scanner: Where its scans come from; None looks at what the robot has.
        """
        from mecano.estimation.slam.mapper_belief import MapperBelief

        super().__init__(robot, scanner or scanner_of(robot))
        self.mapper = mapper or mapper_for(robot, self.scanner.mount)
        self.origin = Pose2()
        """The map's frame in the scene, if odometry is right now; nothing on a real robot."""
        if not robot.real:  # drawn where odometry began, so that drift is seen
            self.origin = robot.truth.base_pose() @ robot.base.pose.inverse()
        self._look = MapperBelief(self.mapper, self.scanner.mount, origin=self.origin)

    def _place(self, scan: LaserScan, odometry: Pose2) -> Pose2:
        return self.mapper.add(scan, odometry)

    def _believed(self, scan: LaserScan) -> Belief:
        return self._look.now(self.robot.time, self.pose, scan)

    def grid(self) -> OccupancyGrid:
        """Return the map as it is now."""
        return self.mapper.grid(RESOLUTION)

    def finish(self) -> None:
        """Use all the time it takes to make the map as good as it gets."""
        self.mapper.finish()

    def save(self, folder: str | Path) -> None:
        """Write map.yaml with its picture, and trajectory.txt, into a folder."""
        from mecano.estimation.maps.files import save_map
        from mecano.estimation.trajectory_writing import write_trajectory

        with self.robot.session.lock:
            if not self.stamps:
                return
            grid, trajectory = self.grid(), self.mapper.trajectory
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        save_map(grid, folder / "map.yaml")
        write_trajectory(folder / "trajectory.txt", trajectory)


def mapper_for(robot: Robot, mount: Pose2) -> "Mapper":
    """Return our mapper, which knows how far this robot's odometry can be trusted."""
    from mecano.estimation.slam.graph_mapper import GraphMapper
    from mecano.estimation.slam.settings import SlamSettings

    settings = SlamSettings()  # they are for wheels alone
    if robot.base.facts.gyro is not None:  # off by 0.35 % of a turn, facts of the Kobuki
        settings = SlamSettings(slip=0.02, skid=0.006, skid_by_way=0.002, odometry_floor=0.0003)
    return GraphMapper(settings, mount=mount, seed=robot.session.random.seed)
