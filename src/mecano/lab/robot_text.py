"""What a robot says of itself: its text, and the error for a part or method it does not have."""

from typing import TYPE_CHECKING

from mecano.parts.part import MissingPart

if TYPE_CHECKING:
    from mecano.lab.robot import Robot

OPTIONAL = {"arm", "gripper", "hand", "base", "legs", "cups", "imu", "camera"}
"""Attributes that not every robot has; they are not suggested to one that lacks them."""


def robot_text(robot: "Robot") -> str:
    """Return name, kind of devices, time, parts and sensors in a line."""
    parts = ", ".join(
        name if part.encoders is None else f"{name} ({_count(len(part.encoders.names))})"
        for name, part in robot.parts.items()
    )
    sensors = {"camera": robot.cameras, "LIDAR": robot.lidars, "range sensor": robot.ranges}
    listed = [f"{kind} {name}" for kind, named in sensors.items() for name in named]
    imu = ["IMU"] if robot.has_imu else []
    state = "" if robot.name in robot.session.robots else ", closed"
    return (
        f"<Robot '{robot.name}' ({robot.family}, {robot.time:.2f} s{state}): "
        f"{', '.join([parts or 'no parts', *imu, *listed])}>"
    )


def _count(joints: int) -> str:
    return "1 joint" if joints == 1 else f"{joints} joints"


def missing_attribute(robot: "Robot", name: str) -> MissingPart:
    """Return the error for an attribute that a robot does not have, with the nearest one."""
    why = robot.parts.absent.get(name, "")
    near = () if name in OPTIONAL else _reachable(robot)
    return MissingPart(robot.name, name, tuple(robot.parts), why, near=near)


def _reachable(robot: "Robot") -> list[str]:
    """Return the public attributes that a robot does have."""
    public = {name for name in dir(robot) if not name.startswith("_")}
    kinds = {part.kind for part in robot.parts.values()}
    tables = {"arms": "arm", "grippers": "gripper", "hands": "hand"}
    empty = {table for table, kind in tables.items() if kind not in kinds}
    return sorted(public - (OPTIONAL - kinds) - empty)
