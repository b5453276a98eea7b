"""Devices satisfy the protocols by having the members, without inheriting."""

from dataclasses import dataclass

import numpy as np

from mecano.core import LaserScan, Sensor


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


def nearest(lidar: Sensor[LaserScan]) -> float:
    return float(lidar.read().ranges.min())


def test_devices_need_not_inherit():
    assert nearest(StillLidar()) == 1.0


def test_sensor_is_recognised_at_run_time():
    assert isinstance(StillLidar(), Sensor)


def test_what_cannot_be_read_is_no_sensor():
    assert not isinstance(object(), Sensor)
