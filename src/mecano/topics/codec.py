"""Our messages as ROS 2 messages in CDR, the bytes that ROS nodes exchange, and back."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, NamedTuple

from mecano.core import messages
from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.robots.topic_facts import DriverMessage
from mecano.topics import (
    codec_base,
    codec_cups,
    codec_joints,
    codec_maps,
    codec_motion,
    codec_navigation,
    codec_sensors,
    codec_whole,
)
from mecano.topics.codec_maps import Clock as Clock
from mecano.topics.codec_maps import Numbers as Numbers
from mecano.topics.fields import from_header, to_header
from mecano.topics.store import make, register, typestore


@dataclass(frozen=True)
class Codec:
    """How one kind of message is turned into its ROS counterpart and back."""

    type_name: str
    to_ros: Callable[[Any], Any]
    from_ros: Callable[[Any], Any]


Transforms = tuple
"""Several `TransformStamped` at once are a plain tuple; in ROS a tf2_msgs/TFMessage."""

_joints, _motion = codec_joints, codec_motion
_sensors, _maps = codec_sensors, codec_maps
CODECS: dict[type, Codec] = {
    kind: Codec(type_name, to_ros, from_ros)
    for kind, type_name, to_ros, from_ros in (
        (messages.JointState, "sensor_msgs/msg/JointState",
         _joints.to_joint_state, _joints.from_joint_state),
        (messages.JointTrajectory, "trajectory_msgs/msg/JointTrajectory",
         _joints.to_trajectory, _joints.from_trajectory),
        (messages.Twist, "geometry_msgs/msg/Twist", _motion.to_twist, _motion.from_twist),
        (messages.TwistStamped, "geometry_msgs/msg/TwistStamped",
         _motion.to_twist_stamped, _motion.from_twist_stamped),
        (messages.Wrench, "geometry_msgs/msg/Wrench", _motion.to_wrench, _motion.from_wrench),
        (messages.WrenchStamped, "geometry_msgs/msg/WrenchStamped",
         _motion.to_wrench_stamped, _motion.from_wrench_stamped),
        (messages.PoseStamped, "geometry_msgs/msg/PoseStamped",
         _motion.to_pose_stamped, _motion.from_pose_stamped),
        (messages.PoseWithCovarianceStamped, "geometry_msgs/msg/PoseWithCovarianceStamped",
         _motion.to_estimated_pose, _motion.from_estimated_pose),
        (messages.TransformStamped, "geometry_msgs/msg/TransformStamped",
         _motion.to_transform, _motion.from_transform),
        (Transforms, "tf2_msgs/msg/TFMessage", _motion.to_transforms, _motion.from_transforms),
        (messages.Odometry, "nav_msgs/msg/Odometry", _motion.to_odometry, _motion.from_odometry),
        (messages.Imu, "sensor_msgs/msg/Imu", _motion.to_imu, _motion.from_imu),
        (messages.LaserScan, "sensor_msgs/msg/LaserScan", _sensors.to_scan, _sensors.from_scan),
        (messages.Joy, "sensor_msgs/msg/Joy", _sensors.to_joy, _sensors.from_joy),
        (messages.Range, "sensor_msgs/msg/Range", _sensors.to_range, _sensors.from_range),
        (messages.PointCloud, "sensor_msgs/msg/PointCloud2",
         _sensors.to_cloud, _sensors.from_cloud),
        (messages.Image, "sensor_msgs/msg/Image", _sensors.to_image, _sensors.from_image),
        (messages.CameraInfo, "sensor_msgs/msg/CameraInfo",
         _sensors.to_camera_info, _sensors.from_camera_info),
        (messages.BatteryState, "sensor_msgs/msg/BatteryState",
         _sensors.to_battery, _sensors.from_battery),
        (messages.BaseReport, codec_base.REPORT, codec_base.to_report, codec_base.from_report),
        (messages.RobotState, codec_whole.STATE,
         codec_whole.to_robot_state, codec_whole.from_robot_state),
        (messages.JointControl, codec_whole.CONTROL,
         codec_whole.to_joint_control, codec_whole.from_joint_control),
        (messages.CupStates, codec_cups.STATES,
         codec_cups.to_cup_states, codec_cups.from_cup_states),
        (messages.CupChange, codec_cups.CHANGE,
         codec_cups.to_cup_change, codec_cups.from_cup_change),
        (messages.NavigationStatus, codec_navigation.STATUS,
         codec_navigation.to_status, codec_navigation.from_status),
        (float, "std_msgs/msg/Float64", codec_whole.to_number, codec_whole.from_number),
        (str, "std_msgs/msg/String", codec_whole.to_text, codec_whole.from_text),
        (NoneType, "std_msgs/msg/Empty", codec_whole.to_nothing, codec_whole.from_nothing),
        (messages.OccupancyGrid, "nav_msgs/msg/OccupancyGrid", _maps.to_grid, _maps.from_grid),
        (messages.Path, "nav_msgs/msg/Path", _maps.to_path, _maps.from_path),
        (Numbers, "std_msgs/msg/Float64MultiArray", _maps.to_numbers, _maps.from_numbers),
        (Clock, "rosgraph_msgs/msg/Clock", _maps.to_clock, _maps.from_clock),
    )
}  # fmt: skip
BY_NAME = {codec.type_name: codec for codec in CODECS.values()}


class AsDriver(NamedTuple):
    """A message of ours that is encoded as a robot's own driver sends it."""

    message: messages.Stamped
    form: DriverMessage


@cache
def driver_codec(form: DriverMessage) -> Codec:
    """Return how our message is turned into one of a robot's own driver, and back."""
    register(form.type_name, form.definition)
    return Codec(
        form.type_name,
        lambda ours: make(form.type_name, header=to_header(ours), **form.to_fields(ours)),
        lambda ros: form.ours(**from_header(ros.header), **form.from_fields(ros)),
    )


def encode(message: Any) -> tuple[str, bytes]:
    """Return the ROS type of a message and its bytes in CDR.

    Args:
        message: One of `mecano.core.messages`, a list or tuple of `TransformStamped`, a `Numbers`,
            a `Clock`, a float, a text, None for an empty message, or one of these `AsDriver`.
    """
    codec = None
    if isinstance(message, AsDriver):
        message, codec = message.message, driver_codec(message.form)
    elif isinstance(message, list):
        message = tuple(message)
    codec = codec or CODECS.get(type(message))
    if codec is None:
        known = [kind.__name__ for kind in CODECS if kind is not Transforms]
        raise UnknownName("message that ROS has", type(message).__name__, known)
    data = typestore().serialize_cdr(codec.to_ros(message), codec.type_name)
    return codec.type_name, bytes(data)


def decode(type_name: str, data: bytes, form: DriverMessage | None = None) -> Any:
    """Return our message from the bytes of a ROS message; several transforms come as a tuple.

    Args:
        type_name: Of ROS.
        data: In CDR.
        form: The driver's own message, if the type is none that everybody has.

    Raises:
        UnknownName: We have no message of this type.
        InvalidInput: The bytes are not such a message, or its values make no sense.
    """
    codec = BY_NAME.get(type_name) if form is None else driver_codec(form)
    if codec is None:
        raise UnknownName("ROS message", type_name, BY_NAME)
    try:
        return codec.from_ros(typestore().deserialize_cdr(data, codec.type_name))
    except MecanoError:
        raise
    except Exception as error:  # rosbags raises whatever its generated code runs into
        raise InvalidInput(
            f"{len(data)} bytes are not a {type_name}: {type(error).__name__} {error}"
        ) from error
