"""What is logged of a wheeled base, packet by packet.

The report goes into every log in one form for all bases, which loses nothing. What the robot's own
driver calls its packet and its gyro comes from the robot's own table of topics.
"""

from typing import Any

import numpy as np

from mecano.core.messages import PoseStamped
from mecano.lab.robot import Robot
from mecano.topics.codec import AsDriver
from mecano.topics.robot_tables import table_of
from mecano.topics.tables import BASE_IMU, BASE_REPORT, ODOMETRY, TRUE_POSE


class BaseChannels:
    """The messages of one robot's base."""

    def __init__(self, robot: Robot) -> None:
        """Look up once what the robot's own driver calls what is logged."""
        self._robot, self._stamp = robot, -np.inf
        table = table_of(robot.description)
        own = {row.what: row for row in table.topics if row.way == "out"}
        self._imu = own["imu"].name if "imu" in own else BASE_IMU
        form = table.message(own["core"].type_name) if "core" in own else None
        self._packet = None if form is None else (own["core"].name, form)

    def packets(self) -> list[tuple[str, Any]]:
        """Return what the base says, if it has sent a new packet."""
        base, report = self._robot.base, self._robot.base.report()
        if report.stamp == self._stamp:
            return []
        self._stamp = report.stamp
        messages: list[tuple[str, Any]] = [(ODOMETRY, base.odometry()), (BASE_REPORT, report)]
        if self._packet is not None:
            topic, form = self._packet
            messages.append((topic, AsDriver(report, form)))
        if report.turn_rate is not None:
            messages.append((self._imu, base.imu()))
        if not self._robot.real:
            messages.append((TRUE_POSE, self._true_pose(report.stamp)))
        return messages

    def _true_pose(self, stamp: float) -> PoseStamped:
        body = f"{self._robot.name}/{self._robot.base.facts.frame}"
        return PoseStamped(stamp=stamp, frame="world", pose=self._robot.truth.body_pose(body))
