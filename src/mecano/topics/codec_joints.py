"""States and trajectories of joints, to ROS and back."""

from typing import Any

from mecano.core import messages
from mecano.topics.fields import from_header, from_time, numbers, to_header, to_time
from mecano.topics.store import make


def to_joint_state(message: messages.JointState) -> Any:
    """Return the state of joints."""
    return make(
        "sensor_msgs/msg/JointState",
        header=to_header(message),
        name=list(message.name),
        position=numbers(message.position),
        velocity=numbers(message.velocity),
        effort=numbers(message.effort),
    )


def from_joint_state(ros: Any) -> messages.JointState:
    """Return the state of joints."""
    return messages.JointState(
        **from_header(ros.header),
        name=tuple(ros.name),
        position=ros.position,
        velocity=ros.velocity,
        effort=ros.effort,
    )


def to_trajectory(message: messages.JointTrajectory) -> Any:
    """Return a trajectory of joints."""
    points = [
        make(
            "trajectory_msgs/msg/JointTrajectoryPoint",
            positions=numbers(point.positions),
            velocities=numbers(point.velocities),
            accelerations=numbers(point.accelerations),
            effort=numbers(point.effort),
            time_from_start=to_time(point.time_from_start, kind="Duration"),
        )
        for point in message.points
    ]
    return make(
        "trajectory_msgs/msg/JointTrajectory",
        header=to_header(message),
        joint_names=list(message.joint_names),
        points=points,
    )


def from_trajectory(ros: Any) -> messages.JointTrajectory:
    """Return a trajectory of joints."""
    points = tuple(
        messages.JointTrajectoryPoint(
            time_from_start=from_time(point.time_from_start),
            positions=point.positions,
            velocities=point.velocities,
            accelerations=point.accelerations,
            effort=point.effort,
        )
        for point in ros.points
    )
    names = tuple(ros.joint_names)
    return messages.JointTrajectory(**from_header(ros.header), joint_names=names, points=points)
