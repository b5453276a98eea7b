"""Topics of the Kobuki's own driver, and its packet as its own ROS message.

Sources: yujinrobot/kobuki (names, rates) and yujinrobot/kobuki_msgs (the packet; the ROS 2 package
kobuki_ros_interfaces has the same fields). The definition is not among those that readers bring.
"""

from math import inf
from typing import Any

import numpy as np

from mecano.core.messages import BaseReport
from mecano.robots.description import RobotDescription
from mecano.robots.topic_facts import (
    EMPTY,
    IMU,
    JOINTS,
    ODOMETRY,
    ROBOT_STATE,
    SLOW_RATE,
    TWIST,
    DriverMessage,
    Topic,
    TopicTable,
    command,
    reading,
    simulation_topics,
)

RATE = 50.0
"""Of the packet and all that is made from it [Hz]."""
TYPE = "kobuki_ros_interfaces/msg/SensorState"
DEFINITION = """
std_msgs/Header header
uint16 time_stamp
uint8 bumper
uint8 wheel_drop
uint8 cliff
uint16 left_encoder
uint16 right_encoder
int8 left_pwm
int8 right_pwm
uint8 buttons
uint8 charger
uint8 battery
uint16[] bottom
uint8[] current
uint8 over_current
uint16 digital_input
uint16[] analog_input
"""
SIDES = {"right": 1, "center": 2, "left": 4}
"""Bits of bumpers and cliff sensors; the paper's simulator had left and right exchanged."""
WHEELS = {"wheel_right_joint": 1, "wheel_left_joint": 2}
BUTTONS = {0: 1, 1: 2, 2: 4}
FAR = 65535
"""In the place of a distance, where a cliff sensor sees no floor; else a tenth of a millimetre."""


def to_fields(message: BaseReport) -> dict[str, Any]:
    """Return the packet; the time stamp counts milliseconds and wraps, as on the robot."""
    left, right = message.ticks
    bottom = [
        FAR if d == inf else min(FAR - 1, max(0, round(d * 1e4)))
        for d in (message.floor.get(side, inf) for side in SIDES)
    ]
    currents = [min(255, round(abs(i) * 100)) for i in message.motor_currents]
    return {
        "time_stamp": round(message.stamp * 1000.0) % 65536,
        "bumper": _bits(message.bumpers, SIDES),
        "wheel_drop": _bits(message.wheel_drops, WHEELS),
        "cliff": _bits(message.cliffs, SIDES),
        "left_encoder": left,
        "right_encoder": right,
        "left_pwm": 0,
        "right_pwm": 0,
        "buttons": _bits(message.buttons, BUTTONS),
        "charger": 0,
        "battery": 0 if message.voltage is None else round(message.voltage * 10.0),
        "bottom": np.array(bottom, np.uint16),
        "current": np.array(currents, np.uint8),
        "over_current": 0,
        "digital_input": 0,
        "analog_input": np.zeros(0, np.uint16),
    }


def from_fields(ros: Any) -> dict[str, Any]:
    """Return the fields of a report; what the packet does not carry (the gyro) is left out."""
    floor = {
        side: inf if value == FAR else value / 1e4
        for side, value in zip(SIDES, ros.bottom.tolist(), strict=False)
    }
    return {
        "ticks": (int(ros.left_encoder), int(ros.right_encoder)),
        "wheels": ("wheel_left_joint", "wheel_right_joint"),
        "bumpers": _names(ros.bumper, SIDES),
        "wheel_drops": _names(ros.wheel_drop, WHEELS),
        "cliffs": _names(ros.cliff, SIDES),
        "buttons": _names(ros.buttons, BUTTONS),
        "floor": floor,
        "voltage": ros.battery / 10.0,
        "motor_currents": tuple(value / 100.0 for value in ros.current.tolist()),
    }


def _bits(which: frozenset[Any], table: dict[Any, int]) -> int:
    return sum(bit for name, bit in table.items() if name in which)


def _names(bits: int, table: dict[Any, int]) -> frozenset[Any]:
    return frozenset(name for name, bit in table.items() if bits & bit)


SENSOR_STATE = DriverMessage(
    type_name=TYPE,
    definition=DEFINITION,
    ours=BaseReport,
    to_fields=to_fields,
    from_fields=from_fields,
)


def base_topics() -> list[Topic]:
    """Return the topics of the base, for all robots that drive on it."""
    base = "/mobile_base"
    return [
        command(f"{base}/commands/velocity", TWIST, "velocity"),
        command(f"{base}/commands/reset_odometry", EMPTY, "reset odometry"),
        reading("/odom", ODOMETRY, "odometry", RATE),
        reading(f"{base}/sensors/core", TYPE, "core", RATE),
        reading(f"{base}/sensors/imu_data", IMU, "imu", RATE),
    ]


def table(robot: RobotDescription) -> TopicTable:
    """Return the topics of a Kobuki alone."""
    topics = [
        reading("/joint_states", JOINTS, "joints", RATE),
        reading("/robot_state", ROBOT_STATE, "whole", SLOW_RATE),
        *base_topics(),
        *simulation_topics(RATE),
    ]
    return TopicTable(topics=tuple(topics), messages=(SENSOR_STATE,))
