"""What a robot says of itself: its text, and the error for a part or method it does not have."""

from typing import TYPE_CHECKING

from mecano.parts.part import MissingPart, Part, SensorPart

if TYPE_CHECKING:
    from mecano.lab.robot import Robot

OPTIONAL = {"arm", "gripper", "hand", "base", "legs", "cups", "imu", "camera"}
"""Attributes that not every robot has; they are not suggested to one that lacks them."""


def robot_text(robot: "Robot") -> str:
    """Return name, kind of devices, time, parts and sensors in a line."""
    parts = ", ".join(_entry(name, part) for name, part in robot.parts.items())
    state = "" if robot.name in robot.session.robots else ", closed"
    return (
        f"<Robot '{robot.name}' ({robot.family}, {robot.time:.2f} s{state}): {parts or 'no parts'}>"
    )


def _entry(name: str, part: Part) -> str:
    """Return a part as it stands in the text of its robot."""
    if isinstance(part, SensorPart):
        return part.sensor if name == "imu" else f"{part.sensor} {part.short}"
    return name if part.encoders is None else f"{name} ({_count(len(part.encoders.names))})"


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
