"""Scenes as MJCF files, found by name or by path, with a format version.

A scene is plain MJCF, or a URDF: a robot of others, whose joints then are in the world. Sites
named `mount`, `mount_2`, ... say where robots are bolted down. Texts `path_NAME` in `<custom>` are
paths. The number `mecano_scene_format` there is the version of these conventions; a file without it
is taken as version 1. When a convention changes, the version goes up and `_MIGRATIONS` gets a step
that turns the older form into the newer one, so that old files keep loading.
"""

from collections.abc import Callable
from pathlib import Path

import mujoco

from mecano.core.errors import InvalidInput, UnknownName

FORMAT = 1
_MIGRATIONS: dict[int, Callable[[mujoco.MjSpec], None]] = {}
"""From version n to n + 1."""
_FOLDER = Path(__file__).parent
TITLES = {
    "carry": "two tables 3 m apart and a box of 1 kg on the first one, for MADAR",
    "ceiling": "a ceiling that climbers begin on, hanging, 1.5 m above the floor",
    "corner": "a floor, a wall and a ceiling; climbers begin on the floor, facing the wall",
    "corridor": "two rooms joined by a corridor 1.5 m wide, for navigation",
    "empty": "a floor",
    "find_and_place": "three tables around CRUMB, boxes that a camera must find",
    "gap": "two rooms joined by a gap between shelves in which a youBot cannot turn",
    "hall": "CRUMB's walled area for mapping: a hall with doors, a closed room, an L-shaped wall",
    "laboratory": "MADAR's laboratory, 5.5 x 11.8 m: door, windows, tables, desks, shelves, chairs",
    "pick_and_place": "three tables around CRUMB, two boxes, three places",
    "shaker": "a plate on springs with an arm and a cube on it",
    "shaker_crumb": "a plate on springs with CRUMB, a table and a box on it",
    "table": "a table with three marked places and a cube of 30 mm",
    "transport": "a floor of 5 x 10 m, two tables, a cube, three routes for the youBot",
    "wall": "a wall that climbers begin on, head up, 1.5 m above the floor",
}
"""What is in each scene, in a line."""


def names() -> tuple[str, ...]:
    """Return the names of the scenes that come with Mecano."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.xml")))


def load(scene: str | Path) -> mujoco.MjSpec:
    """Return the scene with this name, or the one in this MJCF or URDF file."""
    text = str(scene)
    if text in names():
        file = _FOLDER / f"{text}.xml"
    elif text.endswith((".xml", ".urdf")) or "/" in text or "\\" in text:
        file = Path(scene)
        if not file.is_file():
            raise InvalidInput(f"there is no scene file {file}; known scenes: {', '.join(names())}")
    else:
        raise UnknownName("scene", text, names())
    try:
        spec = mujoco.MjSpec.from_file(str(file))
    except (ValueError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"{file} is not a scene MuJoCo can read: {reason}") from None
    spec.compiler.discardvisual = False  # the default of a URDF, and it would hold for robots too
    _migrate(spec, file)
    return spec


def _migrate(spec: mujoco.MjSpec, file: Path) -> None:
    number = spec.numeric("mecano_scene_format")
    version = int(number.data[0]) if number is not None else 1
    if not 1 <= version <= FORMAT:
        raise InvalidInput(
            f"{file} has scene format {version}, this Mecano reads 1 to {FORMAT}; update Mecano"
        )
    for step in range(version, FORMAT):
        _MIGRATIONS[step](spec)
