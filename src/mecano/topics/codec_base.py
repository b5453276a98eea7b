"""The packet of a Kobuki as its own ROS message, and back.

The definition of kobuki_ros_interfaces/SensorState is not among rosbags' types, so its fields are
written down here (yujinrobot/kobuki_msgs; the ROS 2 package has the same ones).
"""

from math import inf
from typing import Any

import numpy as np

from mecano.core import messages
from mecano.topics.fields import from_header, to_header
from mecano.topics.store import make

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


def to_sensor_state(message: messages.BaseReport) -> Any:
    """Return the packet; the time stamp counts milliseconds and wraps, as on the robot."""
    left, right = message.ticks if len(message.ticks) == 2 else (0, 0)
    bottom = [
        FAR if d == inf else min(FAR - 1, max(0, round(d * 1e4)))
        for d in (message.floor.get(side, inf) for side in SIDES)
    ]
    return make(
        TYPE,
        header=to_header(message),
        time_stamp=round(message.stamp * 1000.0) % 65536,
        bumper=_bits(message.bumpers, SIDES),
        wheel_drop=_bits(message.wheel_drops, WHEELS),
        cliff=_bits(message.cliffs, SIDES),
        left_encoder=left,
        right_encoder=right,
        left_pwm=0,
        right_pwm=0,
        buttons=_bits(message.buttons, BUTTONS),
        charger=0,
        battery=0 if message.voltage is None else round(message.voltage * 10.0),
        bottom=np.array(bottom, np.uint16),
        current=np.array([min(255, round(abs(i) * 100)) for i in message.motor_currents], np.uint8),
        over_current=0,
        digital_input=0,
        analog_input=np.zeros(0, np.uint16),
    )


def from_sensor_state(ros: Any) -> messages.BaseReport:
    """Return our packet; what ROS's does not carry (the gyro) is left out."""
    floor = {
        side: inf if value == FAR else value / 1e4
        for side, value in zip(SIDES, ros.bottom.tolist(), strict=False)
    }
    return messages.BaseReport(
        **from_header(ros.header),
        ticks=(int(ros.left_encoder), int(ros.right_encoder)),
        bumpers=_names(ros.bumper, SIDES),
        wheel_drops=_names(ros.wheel_drop, WHEELS),
        cliffs=_names(ros.cliff, SIDES),
        buttons=_names(ros.buttons, BUTTONS),
        floor=floor,
        voltage=ros.battery / 10.0,
        motor_currents=tuple(value / 100.0 for value in ros.current.tolist()),
    )


def _bits(which: frozenset[Any], table: dict[Any, int]) -> int:
    return sum(bit for name, bit in table.items() if name in which)


def _names(bits: int, table: dict[Any, int]) -> frozenset[Any]:
    return frozenset(name for name, bit in table.items() if bits & bit)
