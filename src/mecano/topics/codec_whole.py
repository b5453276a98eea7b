"""Messages that ROS has no ready type for, or only in packages of others: defined here."""

from typing import Any

from mecano.core import messages
from mecano.topics.codec_base import REPORT, from_report, to_report
from mecano.topics.codec_cups import STATES as CUPS
from mecano.topics.codec_cups import from_cup_states, to_cup_states
from mecano.topics.codec_joints import from_joint_state, to_joint_state
from mecano.topics.codec_motion import from_imu, from_odometry, to_imu, to_odometry
from mecano.topics.fields import from_header, to_header
from mecano.topics.store import make

STATE = "mecano_msgs/msg/RobotState"
CONTROL = "control_msgs/msg/JointControllerState"
DEFINITIONS = {
    STATE: f"""
std_msgs/Header header
sensor_msgs/JointState joints
sensor_msgs/JointState commanded
nav_msgs/Odometry[] odometry
{REPORT.replace("/msg/", "/")}[] base
sensor_msgs/Imu[] imu
{CUPS.replace("/msg/", "/")}[] cups
""",
    # The fields of control_msgs (ros-controls); gains are left at zero: they are in the settings.
    CONTROL: """
std_msgs/Header header
float64 set_point
float64 process_value
float64 process_value_dot
float64 error
float64 time_step
float64 command
float64 p
float64 i
float64 d
float64 i_clamp
bool antiwindup
""",
}


def to_robot_state(message: messages.RobotState) -> Any:
    """Return a whole robot; what it lacks is an empty list."""
    return make(
        STATE,
        header=to_header(message),
        joints=to_joint_state(message.joints),
        commanded=to_joint_state(message.commanded),
        odometry=[to_odometry(message.odometry)] if message.odometry else [],
        base=[to_report(message.base)] if message.base else [],
        imu=[to_imu(message.imu)] if message.imu else [],
        cups=[to_cup_states(message.cups)] if message.cups else [],
    )


def from_robot_state(ros: Any) -> messages.RobotState:
    """Return a whole robot."""
    return messages.RobotState(
        **from_header(ros.header),
        joints=from_joint_state(ros.joints),
        commanded=from_joint_state(ros.commanded),
        odometry=from_odometry(ros.odometry[0]) if len(ros.odometry) else None,
        base=from_report(ros.base[0]) if len(ros.base) else None,
        imu=from_imu(ros.imu[0]) if len(ros.imu) else None,
        cups=from_cup_states(ros.cups[0]) if len(ros.cups) else None,
    )


def to_joint_control(message: messages.JointControl) -> Any:
    """Return what a joint's controller does."""
    return make(
        CONTROL,
        header=to_header(message),
        set_point=message.target,
        process_value=message.position,
        process_value_dot=message.velocity,
        error=message.target - message.position,
        time_step=message.period,
        command=message.effort,
        p=0.0, i=0.0, d=0.0, i_clamp=0.0, antiwindup=False,
    )  # fmt: skip


def from_joint_control(ros: Any) -> messages.JointControl:
    """Return what a joint's controller does."""
    return messages.JointControl(
        **from_header(ros.header),
        target=ros.set_point,
        position=ros.process_value,
        velocity=ros.process_value_dot,
        effort=ros.command,
        period=ros.time_step,
    )


def to_number(message: float) -> Any:
    """Return a single number."""
    return make("std_msgs/msg/Float64", data=message)


def from_number(ros: Any) -> float:
    """Return a single number."""
    return float(ros.data)


def to_text(message: str) -> Any:
    """Return a text."""
    return make("std_msgs/msg/String", data=message)


def from_text(ros: Any) -> str:
    """Return a text."""
    return str(ros.data)


def to_nothing(message: None) -> Any:
    """Return a message that says nothing but that it came."""
    return make("std_msgs/msg/Empty", structure_needs_at_least_one_member=0)


def from_nothing(ros: Any) -> None:
    """Return None."""
