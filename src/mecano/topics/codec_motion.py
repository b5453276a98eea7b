"""Poses, velocities, forces and inertial measurements, to ROS and back."""

from typing import Any

import numpy as np

from mecano.core import messages
from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose
from mecano.topics.fields import (
    from_header,
    from_pose,
    from_quaternion,
    from_vector,
    numbers,
    to_header,
    to_pose,
    to_quaternion,
    to_vector,
)
from mecano.topics.store import make

NOT_MEASURED = -1.0
"""ROS says with the first number of a covariance that a quantity is not measured."""


def to_twist(message: messages.Twist) -> Any:
    """Return a velocity."""
    linear, angular = to_vector(message.linear), to_vector(message.angular)
    return make("geometry_msgs/msg/Twist", linear=linear, angular=angular)


def from_twist(ros: Any) -> messages.Twist:
    """Return a velocity."""
    return messages.Twist(linear=from_vector(ros.linear), angular=from_vector(ros.angular))


def to_twist_stamped(message: messages.TwistStamped) -> Any:
    """Return a velocity with its time."""
    twist = to_twist(message.twist)
    return make("geometry_msgs/msg/TwistStamped", header=to_header(message), twist=twist)


def from_twist_stamped(ros: Any) -> messages.TwistStamped:
    """Return a velocity with its time."""
    return messages.TwistStamped(**from_header(ros.header), twist=from_twist(ros.twist))


def to_wrench(message: messages.Wrench) -> Any:
    """Return a force and a torque."""
    force, torque = to_vector(message.force), to_vector(message.torque)
    return make("geometry_msgs/msg/Wrench", force=force, torque=torque)


def from_wrench(ros: Any) -> messages.Wrench:
    """Return a force and a torque."""
    return messages.Wrench(force=from_vector(ros.force), torque=from_vector(ros.torque))


def to_wrench_stamped(message: messages.WrenchStamped) -> Any:
    """Return a force and a torque with their time."""
    wrench = to_wrench(message.wrench)
    return make("geometry_msgs/msg/WrenchStamped", header=to_header(message), wrench=wrench)


def from_wrench_stamped(ros: Any) -> messages.WrenchStamped:
    """Return a force and a torque with their time."""
    return messages.WrenchStamped(**from_header(ros.header), wrench=from_wrench(ros.wrench))


def to_pose_stamped(message: messages.PoseStamped) -> Any:
    """Return a pose with its time."""
    pose = to_pose(message.pose)
    return make("geometry_msgs/msg/PoseStamped", header=to_header(message), pose=pose)


def from_pose_stamped(ros: Any) -> messages.PoseStamped:
    """Return a pose with its time."""
    return messages.PoseStamped(**from_header(ros.header), pose=from_pose(ros.pose))


def _with_covariance(pose: Pose, covariance: Array) -> Any:
    return make(
        "geometry_msgs/msg/PoseWithCovariance", pose=to_pose(pose), covariance=numbers(covariance)
    )


def to_estimated_pose(message: messages.PoseWithCovarianceStamped) -> Any:
    """Return a pose with its time and covariance."""
    return make(
        "geometry_msgs/msg/PoseWithCovarianceStamped",
        header=to_header(message),
        pose=_with_covariance(message.pose, message.covariance),
    )


def from_estimated_pose(ros: Any) -> messages.PoseWithCovarianceStamped:
    """Return a pose with its time and covariance."""
    return messages.PoseWithCovarianceStamped(
        **from_header(ros.header),
        pose=from_pose(ros.pose.pose),
        covariance=ros.pose.covariance.reshape(6, 6),
    )


def to_transform(message: messages.TransformStamped) -> Any:
    """Return where a frame lies in another."""
    transform = make(
        "geometry_msgs/msg/Transform",
        translation=to_vector(message.transform.position),
        rotation=to_quaternion(message.transform.quaternion),
    )
    return make(
        "geometry_msgs/msg/TransformStamped",
        header=to_header(message),
        child_frame_id=message.child_frame,
        transform=transform,
    )


def from_transform(ros: Any) -> messages.TransformStamped:
    """Return where a frame lies in another."""
    pose = Pose(from_vector(ros.transform.translation), from_quaternion(ros.transform.rotation))
    return messages.TransformStamped(
        **from_header(ros.header), child_frame=ros.child_frame_id, transform=pose
    )


def to_transforms(message: tuple[messages.TransformStamped, ...]) -> Any:
    """Return several transforms as one message."""
    for each in message:
        if not isinstance(each, messages.TransformStamped):
            raise InvalidInput(f"a list of messages holds TransformStamped, got {each!r}")
    return make("tf2_msgs/msg/TFMessage", transforms=[to_transform(each) for each in message])


def from_transforms(ros: Any) -> tuple[messages.TransformStamped, ...]:
    """Return the transforms of a message."""
    return tuple(from_transform(each) for each in ros.transforms)


def to_odometry(message: messages.Odometry) -> Any:
    """Return where a base believes to be."""
    twist = make(
        "geometry_msgs/msg/TwistWithCovariance",
        twist=to_twist(message.twist),
        covariance=numbers(message.twist_covariance),
    )
    return make(
        "nav_msgs/msg/Odometry",
        header=to_header(message),
        child_frame_id=message.child_frame,
        pose=_with_covariance(message.pose, message.pose_covariance),
        twist=twist,
    )


def from_odometry(ros: Any) -> messages.Odometry:
    """Return where a base believes to be."""
    return messages.Odometry(
        **from_header(ros.header),
        child_frame=ros.child_frame_id,
        pose=from_pose(ros.pose.pose),
        twist=from_twist(ros.twist.twist),
        pose_covariance=ros.pose.covariance.reshape(6, 6),
        twist_covariance=ros.twist.covariance.reshape(6, 6),
    )


def to_imu(message: messages.Imu) -> Any:
    """Return an inertial measurement; what is None is marked as not measured."""
    turned, pushed = message.orientation, message.linear_acceleration
    return make(
        "sensor_msgs/msg/Imu",
        header=to_header(message),
        orientation=to_quaternion(np.array([1.0, 0, 0, 0]) if turned is None else turned),
        orientation_covariance=_marked(message.orientation_covariance, turned is None),
        angular_velocity=to_vector(message.angular_velocity),
        angular_velocity_covariance=numbers(message.angular_velocity_covariance),
        linear_acceleration=to_vector(np.zeros(3) if pushed is None else pushed),
        linear_acceleration_covariance=_marked(
            message.linear_acceleration_covariance, pushed is None
        ),
    )


def from_imu(ros: Any) -> messages.Imu:
    """Return an inertial measurement; what is marked as not measured is None."""
    values: dict[str, Any] = {
        "orientation": from_quaternion(ros.orientation),
        "angular_velocity": from_vector(ros.angular_velocity),
        "linear_acceleration": from_vector(ros.linear_acceleration),
    }
    for name in ("orientation", "linear_acceleration"):
        covariance = getattr(ros, f"{name}_covariance").reshape(3, 3)
        if covariance[0, 0] == NOT_MEASURED:
            values[name] = None
        else:
            values[f"{name}_covariance"] = covariance
    values["angular_velocity_covariance"] = ros.angular_velocity_covariance.reshape(3, 3)
    return messages.Imu(**from_header(ros.header), **values)


def _marked(covariance: Array, missing: bool) -> Array:
    flat = numbers(covariance).copy()
    if missing:
        flat[0] = NOT_MEASURED
    return flat
