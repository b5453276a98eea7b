"""Finding a robot in a map while it drives."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.belief import Belief
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.lab.listening import Listening
from mecano.lab.robot import Robot
from mecano.lab.scanners import Scanner, scanner_of

if TYPE_CHECKING:
    from mecano.estimation.localization.monte_carlo import Estimate
    from mecano.estimation.localization.settings import AmclSettings

START_DEVIATION = 0.1, 0.1
"""How uncertain a start is that a program gives: standard deviations [m], [rad] (EST)."""
TOGETHER = 3.0
"""Errors of odometry are larger over many steps than if each step erred by itself, so particles
are spread by so many times the deviation of a step (EST)."""
BY_TURNING, ASIDE = 0.01, 0.01
"""Deviations of the place by turning [m/rad] and across the path by driving [m/m] of a base whose
odometry is trusted (EST)."""


class LiveLocalization(Listening):
    """Gives the scans of a robot to a particle filter in a known map."""

    estimate: "Estimate | None" = None
    """The newest: pose, covariance, particles; None before the first scan."""

    def __init__(
        self,
        robot: Robot,
        grid: OccupancyGrid | str | Path,
        *,
        start: Pose2 | None = None,
        start_deviation: tuple[float, float] = START_DEVIATION,
        settings: "AmclSettings | None" = None,
        scanner: Scanner | None = None,
    ) -> None:
        """Take a robot that can scan, and a map.

        Args:
            robot: With wheels, and LIDARs or a depth camera.
            grid: The map, or the YAML file of one.
            start: Where the base is in the map; None if it may be anywhere.
            start_deviation: How uncertain that is: standard deviations [m], [rad].
            settings: AMCL's parameters; None takes our own, with what is known of the odometry of
                this robot.
            scanner: Where its scans come from; None looks at what the robot has.
        """
        from mecano.estimation.localization.monte_carlo import MonteCarlo
        from mecano.estimation.maps.files import load_map

        if start is not None and not isinstance(start, Pose2):
            raise InvalidInput(f"start is {start!r}, expected a mecano.Pose2, or None")
        super().__init__(robot, scanner or scanner_of(robot))
        self.grid = grid if isinstance(grid, OccupancyGrid) else load_map(grid)
        self._make_filter = partial(
            MonteCarlo, self.grid, settings or settings_for(robot), mount=self.scanner.mount,
            scanner=self.scanner.scanner_class, seed=robot.session.random.seed,
        )  # fmt: skip
        self._start, (place, turn) = start, start_deviation
        self._start_covariance = np.diag([place**2, place**2, turn**2])
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.filter = self._make_filter()
        if self._start is not None:
            self.filter.set_pose(self._start, self._start_covariance)

    def _place(self, scan: LaserScan, odometry: Pose2) -> Pose2:
        self.estimate = self.filter.update(scan, odometry)
        return self.estimate.pose

    def _believed(self, scan: LaserScan) -> Belief:
        assert self.estimate is not None
        path = np.array([(pose.x, pose.y) for pose in self.believed])
        return self.estimate.belief(scan, self.scanner.mount, self.grid, path=path)


def settings_for(robot: Robot) -> "AmclSettings":
    """Return our settings with what is known of the odometry of a robot."""
    from mecano.estimation.localization.settings import AmclSettings

    trust = robot.base.facts.odometry_trust
    if trust is None:
        return AmclSettings()
    return AmclSettings(
        odom_alpha1=(TOGETHER * trust.turn) ** 2,
        odom_alpha2=(TOGETHER * trust.turn_per_distance) ** 2,
        odom_alpha3=(TOGETHER * trust.distance) ** 2,
        odom_alpha4=BY_TURNING**2,
        odom_alpha5=ASIDE**2,
    )
