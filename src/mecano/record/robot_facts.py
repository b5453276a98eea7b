"""What the header of a record says of its robots besides their joints.

That is where they come from, and facts that readers of the log need without the robot at hand.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mecano import robots
from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.robots.description import RobotDescription
from mecano.robots.mobile import OdometryTrust

FOLDERS, ODOMETRY = "robot_folders", "odometry_trust"
"""Keys of the header."""


def robot_facts(descriptions: Mapping[str, RobotDescription]) -> dict[str, Any]:
    """Return what the header says of some robots, by the name that each has in the session."""
    folders = {name: _own_folder(robot) for name, robot in descriptions.items()}
    return {
        FOLDERS: {name: folder for name, folder in folders.items() if folder is not None},
        ODOMETRY: {
            name: None if robot.base.odometry_trust is None else asdict(robot.base.odometry_trust)
            for name, robot in descriptions.items()
            if robot.base is not None
        },
    }


def _own_folder(robot: RobotDescription) -> str | None:
    """Return the folder of a robot that is not of the catalogue."""
    known = robot.name in (*robots.ROBOTS, *robots.PARTS)
    if known and robots.get(robot.name).folder == robot.folder:
        return None
    return str(robot.folder.resolve())


def described_robot(header: Mapping[str, Any], name: str) -> RobotDescription:
    """Return the description of a robot of a record.

    Args:
        header: Of the record.
        name: That the robot had in the session.

    Raises:
        InvalidInput: It is a robot of somebody's own, and its folder is not there any more.
        UnknownName: No robot of the record has this name.
    """
    if name not in header["robots"]:
        raise UnknownName("robot of this record", name, header["robots"])
    kind, folder = header["robots"][name], header.get(FOLDERS, {}).get(name)
    if not isinstance(kind, str) or not isinstance(folder, str | None):
        raise InvalidInput(f"the header is damaged: robot {name} is {kind!r} of folder {folder!r}")
    wanted = f"it was recorded with the robot '{kind}'"
    try:
        if folder is None or kind in robots.plugins():
            return robots.get(kind)
    except UnknownName as error:
        raise InvalidInput(f"{wanted}, which is neither in the catalogue nor installed") from error
    if not Path(folder).is_dir():
        raise InvalidInput(
            f"{wanted} of the folder {folder}, which is not there; put the robot's folder back, "
            f"or write where it is now under {FOLDERS} in the record's run.json"
        )
    try:
        found = robots.get(Path(folder))
    except MecanoError as error:
        raise InvalidInput(f"{wanted} of the folder {folder}: {error}") from error
    if found.name != kind:
        raise InvalidInput(f"{wanted}, but the folder {folder} now holds '{found.name}'")
    return found


def trust_of(header: Mapping[str, Any], name: str) -> OdometryTrust | None:
    """Return how far the odometry of a robot of a record can be trusted; None if nothing is said.

    Raises:
        InvalidInput: The header is damaged there.
    """
    told = header.get(ODOMETRY, {}).get(name)
    if told is None:
        return None
    try:
        return OdometryTrust(**told)
    except TypeError as error:
        raise InvalidInput(f"the header is damaged: {ODOMETRY} of {name} is {told!r}") from error
