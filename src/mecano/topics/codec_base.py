"""The report of a wheeled base; ROS has no type for it, so it is defined here.

Nothing is lost on the way: a robot may have any number of wheels, bumpers, cliff sensors and
buttons, and what it does not measure comes back as None.
"""

from math import isnan, nan
from typing import Any

import numpy as np

from mecano.core import messages
from mecano.topics.fields import from_header, numbers, to_header
from mecano.topics.store import make

REPORT = "mecano_msgs/msg/BaseReport"
DEFINITIONS = {
    REPORT: """
# All readings of a wheeled base at one instant. Numbers that are not measured are NaN.
std_msgs/Header header
# Counters of the wheels, which wrap, and the names of the wheels in the same order
string[] wheels
int64[] ticks
# Currents of the motors [A]; empty if they are not measured
float64[] motor_currents
# Wheels that hang in the air, bumpers that are pressed, cliff sensors that see no floor
string[] wheel_drops
string[] bumpers
string[] cliffs
# How far down each cliff sensor sees the floor [m]; infinite where there is none
string[] floor_sensors
float64[] floor
# Buttons that are pressed, counted from 0
int32[] buttons
# Of the gyro [rad], [rad/s]; of the battery [V]
float64 heading
float64 turn_rate
float64 voltage
"""
}


def to_report(message: messages.BaseReport) -> Any:
    """Return the report of a base."""
    return make(
        REPORT,
        header=to_header(message),
        wheels=list(message.wheels),
        ticks=numbers(message.ticks, np.int64),
        motor_currents=numbers(message.motor_currents),
        wheel_drops=sorted(message.wheel_drops),
        bumpers=sorted(message.bumpers),
        cliffs=sorted(message.cliffs),
        floor_sensors=list(message.floor),
        floor=numbers(list(message.floor.values())),
        buttons=numbers(sorted(message.buttons), np.int32),
        heading=_number(message.heading),
        turn_rate=_number(message.turn_rate),
        voltage=_number(message.voltage),
    )


def from_report(ros: Any) -> messages.BaseReport:
    """Return the report of a base."""
    return messages.BaseReport(
        **from_header(ros.header),
        wheels=tuple(ros.wheels),
        ticks=tuple(ros.ticks.tolist()),
        motor_currents=tuple(ros.motor_currents.tolist()),
        wheel_drops=frozenset(ros.wheel_drops),
        bumpers=frozenset(ros.bumpers),
        cliffs=frozenset(ros.cliffs),
        floor=dict(zip(ros.floor_sensors, ros.floor.tolist(), strict=True)),
        buttons=frozenset(ros.buttons.tolist()),
        heading=_optional(ros.heading),
        turn_rate=_optional(ros.turn_rate),
        voltage=_optional(ros.voltage),
    )


def _number(value: float | None) -> float:
    return nan if value is None else value


def _optional(value: float) -> float | None:
    return None if isnan(value) else value
