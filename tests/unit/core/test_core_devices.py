"""Devices satisfy the protocols by having the members, without inheriting."""

from dataclasses import dataclass, field

import numpy as np

from mecano.core import Actuator, LaserScan, Sensor, Twist


@dataclass(frozen=True)
class StillLidar:
    """A lidar in front of a wall."""

    name: str = "lidar"
    rate: float = 10.0

    def read(self) -> LaserScan:
        return LaserScan(
            angle_min=0.0,
            angle_max=0.0,
            angle_increment=0.0,
            range_min=0.1,
            range_max=5.0,
            ranges=np.ones(1),
        )


@dataclass
class RecordingBase:
    """A base that only remembers what it was told."""

    name: str = "base"
    commands: list[Twist] = field(default_factory=list)

    def command(self, message: Twist) -> None:
        self.commands.append(message)

    def stop(self) -> None:
        self.command(Twist())


def drive_away(lidar: Sensor[LaserScan], base: Actuator[Twist]) -> None:
    nearest = float(lidar.read().ranges.min())
    base.command(Twist.planar(vx=-nearest))
    base.stop()


def test_devices_need_not_inherit():
    base = RecordingBase()
    drive_away(StillLidar(), base)
    assert [command.linear[0] for command in base.commands] == [-1.0, 0.0]


def test_sensor_is_recognised_at_run_time():
    assert isinstance(StillLidar(), Sensor)


def test_actuator_is_recognised_at_run_time():
    assert isinstance(RecordingBase(), Actuator)


def test_sensor_is_no_actuator():
    assert not isinstance(StillLidar(), Actuator)


def test_actuator_is_no_sensor():
    assert not isinstance(RecordingBase(), Sensor)
