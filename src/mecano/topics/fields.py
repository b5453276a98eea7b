"""Parts that many ROS messages share: stamps, headers, vectors, quaternions, poses.

This is the only place that knows that ROS writes quaternions `xyzw` and ours are `wxyz`.
"""

from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import Stamped
from mecano.core.poses import Pose
from mecano.topics.store import make

NANOSECONDS = 1_000_000_000
LATEST = 2**31 * NANOSECONDS
"""The seconds of a ROS stamp are 32 bits wide."""


def nanoseconds(seconds: float) -> int:
    """Return a time in whole nanoseconds, rounded."""
    return round(seconds * NANOSECONDS)


def split_time(seconds: float) -> tuple[int, int]:
    """Return a time as the two numbers of a ROS stamp; the second one is never negative."""
    total = nanoseconds(seconds)
    if not -LATEST <= total < LATEST:
        raise InvalidInput(f"the stamp {seconds:g} s does not fit into a ROS message: 68 years")
    return divmod(total, NANOSECONDS)


def to_time(seconds: float, *, kind: str = "Time") -> Any:
    """Return a ROS time or duration."""
    sec, nanosec = split_time(seconds)
    return make(f"builtin_interfaces/msg/{kind}", sec=sec, nanosec=nanosec)


def from_time(time: Any) -> float:
    """Return a ROS time or duration in seconds."""
    return (time.sec * NANOSECONDS + time.nanosec) / NANOSECONDS


def to_header(message: Stamped) -> Any:
    """Return stamp and frame of a message."""
    stamp = to_time(message.stamp)
    return make("std_msgs/msg/Header", stamp=stamp, frame_id=message.frame)


def from_header(header: Any) -> dict[str, Any]:
    """Return stamp and frame as the fields of a message of ours."""
    return {"stamp": from_time(header.stamp), "frame": header.frame_id}


def to_vector(values: Array, *, kind: str = "Vector3") -> Any:
    """Return three numbers as a ROS vector or point."""
    x, y, z = values.tolist()
    return make(f"geometry_msgs/msg/{kind}", x=x, y=y, z=z)


def from_vector(vector: Any) -> Array:
    """Return a ROS vector or point as three numbers."""
    return np.array([vector.x, vector.y, vector.z])


def to_quaternion(wxyz: Array) -> Any:
    """Return a quaternion in the order of ROS."""
    w, x, y, z = wxyz.tolist()
    return make("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)


def from_quaternion(quaternion: Any) -> Array:
    """Return a quaternion in our order."""
    return np.array([quaternion.w, quaternion.x, quaternion.y, quaternion.z])


def to_pose(pose: Pose) -> Any:
    """Return a pose as a ROS pose."""
    return make(
        "geometry_msgs/msg/Pose",
        position=to_vector(pose.position, kind="Point"),
        orientation=to_quaternion(pose.quaternion),
    )


def from_pose(pose: Any) -> Pose:
    """Return a ROS pose as ours."""
    return Pose(from_vector(pose.position), from_quaternion(pose.orientation))


def numbers(values: Any, dtype: Any = np.float64) -> Any:
    """Return values as the flat array that rosbags writes."""
    return np.ascontiguousarray(values, dtype=dtype).ravel()
