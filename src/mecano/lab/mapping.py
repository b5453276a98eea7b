"""Building a map while a robot drives."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

from mecano.core.belief import Belief
from mecano.core.errors import InvalidInput, MecanoError
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.saving_pace import SavingPace
from mecano.lab.listening import Listening
from mecano.lab.robot import Robot
from mecano.lab.scanners import Scanner, scanner_of
from mecano.robots.mobile import OdometryTrust

if TYPE_CHECKING:
    from mecano.estimation.slam.mapper import Mapper
    from mecano.estimation.slam.settings import SlamSettings

SAVE_EVERY = 5.0
"""The map so far is saved this often [s of real time]."""
SAVING_SHARE = 0.05
"""And that takes no more than this part of the time."""


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
        super().__init__(robot, scanner or scanner_of(robot))
        mapper = mapper or mapper_for(robot, self.scanner.mount)
        self._empty = deepcopy(mapper)
        self.origin = Pose2()
        """The map's frame in the scene, if odometry is right now; nothing on a real robot."""
        if not robot.real:  # drawn where odometry began, so that drift is seen
            self.origin = robot.truth.base_pose() @ robot.base.pose.inverse()
        self._begin(mapper)

    def __enter__(self) -> "LiveMapping":
        """Begin to listen.

        Raises:
            InvalidInput: Another one listens to this robot: two maps of one drive contradict
                each other, and only one could correct its odometry.
        """
        listeners = (getattr(each, "__self__", None) for each in self.robot.session.observers)
        if any(isinstance(each, LiveMapping) and each.robot is self.robot for each in listeners):
            raise InvalidInput(
                "a map is being built with this robot already; end that `with` block first"
            )
        return super().__enter__()

    def _begin(self, mapper: "Mapper") -> None:
        from mecano.estimation.slam.mapper_belief import MapperBelief

        self.mapper = mapper
        self._look = MapperBelief(mapper, self.scanner.mount, origin=self.origin)

    def _begin_anew(self) -> None:
        self._begin(deepcopy(self._empty))

    def _place(self, scan: LaserScan, odometry: Pose2) -> Pose2:
        return self.mapper.add(scan, odometry)

    def _believed(self, scan: LaserScan) -> Belief:
        return self._look.now(self.robot.time, self.pose, scan)

    def grid(self) -> OccupancyGrid:
        """Return the map as it is now."""
        return self.mapper.grid()

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


class MapKeeper:
    """Saves the map so far now and then, so that a program that is killed leaves it."""

    def __init__(self, folder: str | Path, warn: Callable[[str], None]) -> None:
        """Begin.

        Args:
            folder: Gets the files of `LiveMapping.save`.
            warn: Told in a sentence, once, if they cannot be written.
        """
        self._folder, self._warn, self._warned = Path(folder), warn, False
        self._pace, self._saved = SavingPace(SAVE_EVERY, share=SAVING_SHARE), 0

    def look(self, mapping: LiveMapping) -> None:
        """Save the map if it is time and there are new scans."""
        if self._pace.is_due and len(mapping.stamps) != self._saved:
            self.save(mapping)

    def save(self, mapping: LiveMapping) -> None:
        """Save the map now; one that cannot be saved stops nothing."""
        self._saved = len(mapping.stamps)
        with self._pace.saving():
            try:
                mapping.save(self._folder)
            except (MecanoError, OSError) as error:
                if not self._warned:
                    self._warn(f"the map so far is not saved: {error}")
                self._warned = True


def mapper_for(robot: Robot, mount: Pose2) -> "Mapper":
    """Return our mapper, which knows how far this robot's odometry can be trusted."""
    from mecano.estimation.slam.graph_mapper import GraphMapper

    settings = slam_settings(robot.base.facts.odometry_trust)
    return GraphMapper(settings, mount=mount)


def slam_settings(trust: OdometryTrust | None) -> "SlamSettings":
    """Return settings of our mapper for a base; None is one with wheels alone."""
    from mecano.estimation.slam.settings import SlamSettings

    if trust is None:
        return SlamSettings()
    return SlamSettings(
        slip=trust.distance, skid=trust.turn, skid_by_way=trust.turn_per_distance,
        odometry_floor=trust.floor,
    )  # fmt: skip
