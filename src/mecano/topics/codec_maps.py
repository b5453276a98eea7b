"""Maps and paths, to ROS and back; and the plain numbers and clock of a log."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.core import messages
from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.topics.fields import (
    from_header,
    from_pose,
    from_time,
    numbers,
    to_header,
    to_pose,
    to_time,
)
from mecano.topics.store import make


@dataclass(frozen=True, eq=False)
class Numbers:
    """A row of numbers without a meaning of their own, bit for bit; std_msgs/Float64MultiArray."""

    values: Array


@dataclass(frozen=True)
class Clock:
    """The time of the session [s]; rosgraph_msgs/Clock."""

    time: float


def to_grid(message: messages.OccupancyGrid) -> Any:
    """Return a map."""
    info = make(
        "nav_msgs/msg/MapMetaData",
        map_load_time=to_time(message.stamp),
        resolution=message.resolution,
        width=message.width,
        height=message.height,
        origin=to_pose(message.origin.to_pose()),
    )
    data = numbers(message.data, np.int8)
    return make("nav_msgs/msg/OccupancyGrid", header=to_header(message), info=info, data=data)


def from_grid(ros: Any) -> messages.OccupancyGrid:
    """Return a map; its resolution is rounded to 32 bits."""
    height, width = ros.info.height, ros.info.width
    if len(ros.data) != height * width:
        raise InvalidInput(f"a map of {height} x {width} cells holds {len(ros.data)} values")
    return messages.OccupancyGrid(
        **from_header(ros.header),
        resolution=ros.info.resolution,
        origin=Pose2.from_pose(from_pose(ros.info.origin)),
        data=np.asarray(ros.data).reshape(height, width),
    )


def to_path(message: messages.Path) -> Any:
    """Return a path; every pose gets the header of the whole."""
    header = to_header(message)
    poses = [
        make("geometry_msgs/msg/PoseStamped", header=header, pose=to_pose(pose))
        for pose in message.poses
    ]
    return make("nav_msgs/msg/Path", header=header, poses=poses)


def from_path(ros: Any) -> messages.Path:
    """Return a path; headers of single poses are left out."""
    poses = tuple(from_pose(stamped.pose) for stamped in ros.poses)
    return messages.Path(**from_header(ros.header), poses=poses)


def to_numbers(message: Numbers) -> Any:
    """Return plain numbers."""
    layout = make("std_msgs/msg/MultiArrayLayout", dim=[], data_offset=0)
    return make("std_msgs/msg/Float64MultiArray", layout=layout, data=numbers(message.values))


def from_numbers(ros: Any) -> Numbers:
    """Return plain numbers."""
    return Numbers(np.array(ros.data))


def to_clock(message: Clock) -> Any:
    """Return the time."""
    return make("rosgraph_msgs/msg/Clock", clock=to_time(message.time))


def from_clock(ros: Any) -> Clock:
    """Return the time."""
    return Clock(from_time(ros.clock))
