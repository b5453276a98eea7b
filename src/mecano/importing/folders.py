"""A folder that a user names as a robot: whether it is one, and which robots are inside it."""

import re
from pathlib import Path

from mecano import robots
from mecano.core.errors import InvalidInput

ROBOT_FILES = ("*.urdf", "*.xacro")
JOINTS = re.compile(rb"<(joint|include|attach|composite|replicate|robot|!DOCTYPE|!ENTITY)\b")
"""What a file with a robot has; a file that is read further decides."""
MAX_BYTES = 20_000_000
SCENE_HINT = (
    "A scene is no robot: give it to one, connect(ROBOT, scene=FILE) or mecano view ROBOT --scene "
    "FILE"
)
SHOWN = 5
"""Robots inside a folder that are named."""


def is_models_folder(path: Path) -> bool:
    """Tell whether a folder holds MJCF files and no description."""
    return path.is_dir() and not (path / robots.FILE).is_file() and any(path.glob("*.xml"))


def robots_inside(folder: Path) -> list[Path]:
    """Return robots' folders one or two levels below a folder, and URDF and xacro files in it."""
    deep = ("*", "*/*")
    found = [file.parent for level in deep for file in folder.glob(f"{level}/{robots.FILE}")]
    return sorted(found) + sorted(file for kind in ROBOT_FILES for file in folder.glob(kind))


def check_folder(folder: Path) -> None:
    """Raise if a folder is no robot, with the robots that are in it.

    A folder with an MJCF file that has joints is one, unless there are robots' folders in it.

    Args:
        folder: That is there.
    """
    if (folder / robots.FILE).is_file():
        return
    inside, models = robots_inside(folder), sorted(folder.glob("*.xml"))
    if any(_has_joints(file) for file in models) and not any(each.is_dir() for each in inside):
        return
    if inside:
        named = ", ".join(str(each) for each in inside[:SHOWN])
        more = f" and {len(inside) - SHOWN} more" if len(inside) > SHOWN else ""
        raise InvalidInput(
            f"{folder} is no robot's folder, it has no {robots.FILE}; name a robot that is in it: "
            f"{named}{more}"
        )
    if models:
        raise InvalidInput(f"{folder} holds no robot: {models[0].name} has no joints. {SCENE_HINT}")


def _has_joints(file: Path) -> bool:
    """Tell whether an MJCF file may be a robot: it has joints, or takes in other files."""
    try:
        return bool(JOINTS.search(file.read_bytes()[:MAX_BYTES]))
    except OSError:
        return True  # reading it says why it cannot be read
