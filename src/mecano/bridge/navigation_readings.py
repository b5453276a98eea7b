"""What the topics of navigation say."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.core.messages import NavigationStatus, OccupancyGrid, Path
from mecano.core.messages.maps import UNKNOWN
from mecano.core.poses import Pose2
from mecano.lab.navigating import LiveNavigation
from mecano.lab.robot import Robot

HIGHEST = 254.0
"""Cost of an obstacle, as costmap_2d has it; 255 is unknown."""


def navigation_of(robot: Robot) -> LiveNavigation:
    """Return what navigates a robot, or say how to begin."""
    if robot.navigation is None:
        raise InvalidInput("nothing navigates the robot; begin with robot.start_navigation(MAP)")
    return robot.navigation


def _status(robot: Robot, _: str) -> NavigationStatus:
    if robot.navigation is None:
        return NavigationStatus(stamp=robot.time, frame="map", state="idle", text="not navigating")
    return robot.navigation.status


def _plan(robot: Robot, _: str) -> Path:
    return robot.navigation.plan if robot.navigation is not None else _nowhere(robot)


def _local_plan(robot: Robot, _: str) -> Path:
    return robot.navigation.local_plan if robot.navigation is not None else _nowhere(robot)


def _nowhere(robot: Robot) -> Path:
    return Path(stamp=robot.time, frame="map", poses=())


def _costmap(robot: Robot, _: str) -> OccupancyGrid:
    """Return the costs as costmap_2d publishes them: 0 free to 100 occupied, -1 unknown."""
    if robot.navigation is None:
        data = np.full((1, 1), UNKNOWN, np.int8)
        return OccupancyGrid(stamp=robot.time, frame="map", resolution=1.0, data=data)
    costmap = robot.navigation.costmap()
    shares = np.rint(100.0 * np.minimum(costmap.cost, HIGHEST) / HIGHEST).astype(np.int8)
    return OccupancyGrid(
        stamp=robot.time, frame=costmap.frame, resolution=costmap.resolution,
        origin=Pose2(*costmap.origin), data=np.where(costmap.cost == 255, np.int8(-1), shares),
    )  # fmt: skip


NAVIGATION_READINGS: dict[str, Callable[[Robot, str], Any]] = {
    "navigation status": _status,
    "plan": _plan,
    "local plan": _local_plan,
    "costmap": _costmap,
}
