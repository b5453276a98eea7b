"""`robot.parts` is the one list: what the text of a robot shows is in it, sensors too."""

import pytest

import mecano
from mecano.parts.part import MissingPart, SensorPart

SENSORS = {
    "romerin": {"imu", "camera"},
    "madar": {"camera_right", "camera_left", "LIDAR front", "LIDAR left", "LIDAR right"},
    "youbot": {"range sensor left", "range sensor right"},
    "open_manipulator_x": set(),
}


@pytest.mark.parametrize("name", SENSORS)
def test_sensors_of_the_text_are_in_the_list(name):
    with mecano.connect(name) as robot:
        listed = {part.name for part in robot.parts.of(SensorPart)}
        assert listed == SENSORS[name] and listed <= set(robot.parts)
        text = repr(robot)
        assert all(part.name in text or part.sensor in text for part in robot.parts.of(SensorPart))
        assert text.count(",") >= len(robot.parts) - 1


def test_part_of_a_sensor_has_the_device():
    with mecano.connect("romerin") as robot:
        part = robot.parts["imu"]
        assert isinstance(part, SensorPart) and part.device is robot.imu and part.at_rest()
        assert "IMU" in repr(part)


def test_missing_part_lists_the_sensors_too():
    with mecano.connect("romerin") as robot, pytest.raises(MissingPart, match="imu, camera"):
        _ = robot.gripper
