"""The robots, one folder each, found by name, by folder or as an installed plug-in.

A description is loaded when it is asked for. A package of somebody else brings a robot by an entry
point of the group `mecano.robots`, whose name is the robot's and whose value is its description:

    [project.entry-points."mecano.robots"]
    husky_ur10 = "husky_ur10.description:DESCRIPTION"
"""

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from mecano.core.errors import InvalidInput, UnknownName, UserCodeFailed
from mecano.robots.description import Erratum as Erratum
from mecano.robots.description import RobotDescription as RobotDescription
from mecano.robots.description_checks import check_kinds
from mecano.robots.own_files import load_file

GROUP = "mecano.robots"
"""Entry points of robots that other packages bring."""
LONGEST = 255
"""Bytes of a name that file systems allow."""
FILE = "description.py"
"""What makes a folder a robot: a file that says `DESCRIPTION = RobotDescription(...)`."""

_ROBOTS = {
    "open_manipulator_x": "open_manipulator_x.description:DESCRIPTION",
    "crumb": "crumb.description:DESCRIPTION",
    "crumb_mast": "crumb.variants:MAST",
    "open_manipulator_x_camera": "open_manipulator_x.variants:CAMERA",
    "youbot": "youbot.description:DESCRIPTION",
    "youbot_rollers": "youbot.variants:ROLLERS",
    "youbot_laser": "youbot.variants:LASER",
    "romerin": "romerin.description:DESCRIPTION",
    "madar": "madar.description:DESCRIPTION",
    "madar_elements": "madar.variants:ELEMENTS",
    "madar_kinematic": "madar.variants:KINEMATIC",
    "madar_base": "madar.variants:BASE",
}
_PARTS = {
    name: f"{name}.description:DESCRIPTION"
    for name in ("two_link", "widowx", "kobuki", "ur5", "allegro", "barn_base")
}
ROBOTS = tuple(_ROBOTS)
"""Complete robots of the catalogue, variants included."""
PARTS = tuple(_PARTS)
"""Parts that robots share, and chains for teaching."""


def get(robot: str | Path | RobotDescription) -> RobotDescription:
    """Return the description of a robot or part, or say which ones there are.

    Args:
        robot: Name in the catalogue or of an installed plug-in, folder with a `description.py`
            (its code is run), or a description, which is returned as it is.
    """
    if isinstance(robot, RobotDescription):
        return robot
    if not isinstance(robot, str | Path):
        raise InvalidInput(
            "a robot is a name (see `mecano list`), a folder, a URDF, xacro or MJCF file, or a "
            f"RobotDescription, not {robot!r}"
        )
    check_length(robot)
    if isinstance(robot, str):
        where = (_ROBOTS | _PARTS).get(robot)
        if where is not None:
            module, attribute = where.split(":")
            return getattr(import_module(f"mecano.robots.{module}"), attribute)
        if robot in plugins():
            return _from_plugin(plugins()[robot])
    if str(robot) and Path(robot).is_dir():
        return _from_folder(Path(robot).resolve())
    raise UnknownName("robot", str(robot), known())


def check_length(robot: str | Path) -> None:
    """Raise if a name is so long that no file system has it."""
    longest = max((len(part.encode()) for part in Path(robot).parts), default=0)
    if longest > LONGEST:
        raise InvalidInput(
            f"a robot's name or a folder of its path has {longest} bytes, at most {LONGEST} are "
            "allowed; name a robot, its folder or its file"
        )


def known() -> tuple[str, ...]:
    """Return all names: robots and parts of the catalogue, and robots of plug-ins."""
    return (*ROBOTS, *PARTS, *(name for name in plugins() if name not in _ROBOTS | _PARTS))


@cache
def plugins() -> dict[str, EntryPoint]:
    """Return the robots that installed packages bring, by name; nothing of them is loaded yet."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _from_plugin(entry: EntryPoint) -> RobotDescription:
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:  # somebody else's module: anything can be wrong
        what = f"robot '{entry.name}' ({entry.value})"
        raise UserCodeFailed(what, error, stopped=False) from error
    return _checked(found, f"entry point {entry.value}")


def _from_folder(folder: Path) -> RobotDescription:
    file = folder / FILE
    if not file.is_file():
        raise InvalidInput(
            f"{folder} has no {FILE}, so it is no robot's folder; "
            "make one of a URDF or MJCF file with `mecano import FILE --out FOLDER`"
        )
    return _checked(getattr(load_file(file), "DESCRIPTION", None), str(file))


def _checked(found: object, where: str) -> RobotDescription:
    if not isinstance(found, RobotDescription):
        raise InvalidInput(
            f"{where} gives {found!r}; it must define DESCRIPTION = RobotDescription(...)"
        )
    try:
        check_kinds(found)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    return found
