"""Paths that a scene brings along: `<custom><text name="path_NAME" data="{...}"/></custom>`.

The text is a TOML table as `mecano.planning.path_tables.path_from_table` reads it.
"""

import tomllib

import mujoco

from mecano.core.errors import InvalidInput
from mecano.planning.path_tables import path_from_table
from mecano.planning.paths import PathCurve

PREFIX = "path_"


def scene_paths(model: mujoco.MjModel) -> dict[str, PathCurve]:
    """Return the paths of a scene by name."""
    paths = {}
    for i in range(model.ntext):
        title = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TEXT, i) or ""
        if title.startswith(PREFIX):
            name = title.removeprefix(PREFIX)
            paths[name] = _read(name, _text(model, i))
    return paths


def _text(model: mujoco.MjModel, number: int) -> str:
    start, size = model.text_adr[number], model.text_size[number]
    return bytes(model.text_data[start : start + size]).rstrip(b"\0").decode()


def _read(name: str, text: str) -> PathCurve:
    one_line = " ".join(text.split())  # MuJoCo keeps line breaks, TOML's inline tables have none
    try:
        table = tomllib.loads(f"path = {one_line}")["path"]
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(
            f"path '{name}' of the scene is not a table such as "
            f"{{kind = 'spline', points = [[0, 0], [1, 0]]}}: {error}"
        ) from None
    return path_from_table(table, name=name)
