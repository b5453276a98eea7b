"""Paths from tables, as scene files and TOML files have them."""

import math
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose, Pose2, matrix_from_rpy, quaternion_from_matrix
from mecano.planning.path_input import Point
from mecano.planning.paths import KINDS, PathCurve

THROUGH_KEYS = ("kind", "points", "closed", "dimensions", "heading_deg", "rpy_deg")
CIRCLE_KEYS = ("kind", "center", "radius", "start_deg", "sweep_deg", "heading_deg", "rpy_deg")


def path_from_table(table: Mapping[str, Any], *, name: str = "path") -> PathCurve:
    """Return the path of a table, for example of a `[paths.NAME]` in a TOML file.

    Through points: `points = [[x, y], ...]` or `[[x, y, heading_deg], ...]`, with `dimensions = 3`
    `[[x, y, z], ...]` or `[[x, y, z, roll_deg, pitch_deg, yaw_deg], ...]`; `kind` is "spline"
    (if left out) or "polyline"; `closed` is true or false. A circle: `kind = "circle"`, `center`
    (2 or 3 numbers), `radius`, `start_deg`, `sweep_deg`. Either may keep one orientation all the
    way: `heading_deg` on the floor, `rpy_deg = [roll, pitch, yaw]` in space. Lengths in metres.

    Args:
        table: What a TOML reader returns.
        name: How errors call the path.
    """
    try:
        return _path_from_table(table)
    except (InvalidInput, UnknownName) as error:
        raise InvalidInput(f"path '{name}': {error}") from None


def _path_from_table(table: Mapping[str, Any]) -> PathCurve:
    if not isinstance(table, Mapping):
        raise InvalidInput(f"it is {table!r}, expected a table with the key 'points'")
    kind = table.get("kind", "spline")
    if kind not in KINDS:
        raise InvalidInput(f"kind is {kind!r}, allowed: {', '.join(KINDS)}")
    known = CIRCLE_KEYS if kind == "circle" else THROUGH_KEYS
    for key in table:
        if key not in known:
            guess = get_close_matches(str(key), known, n=1)
            hint = f"; did you mean '{guess[0]}'?" if guess else ""
            raise InvalidInput(f"a {kind} has no '{key}', it has: {', '.join(known)}{hint}")
    for key in ("center", "radius") if kind == "circle" else ("points",):
        if key not in table:
            raise InvalidInput(f"'{key}' is missing; a {kind} needs it")
    keep: dict[str, Any] = {}
    if "heading_deg" in table:
        keep["heading"] = math.radians(_number(table, "heading_deg"))
    if "rpy_deg" in table:
        keep["quaternion"] = _quaternion_from_rpy_deg(_numbers(table["rpy_deg"], "rpy_deg", (3,)))
    if kind == "circle":
        center = _numbers(table["center"], "center", (2, 3))
        angles = {
            key: math.radians(_number(table, f"{key}_deg"))
            for key in ("start", "sweep")
            if f"{key}_deg" in table
        }
        return PathCurve.circle(center, _number(table, "radius"), **angles, **keep)
    closed = table.get("closed", False)
    if not isinstance(closed, bool):
        raise InvalidInput(f"closed is {closed!r}, allowed: true, false")
    points = _points_from_table(table)
    return PathCurve.through(points, kind=kind, closed=closed, **keep)


def _points_from_table(table: Mapping[str, Any]) -> list[Point]:
    dimensions = table.get("dimensions", 2)
    if dimensions not in (2, 3) or isinstance(dimensions, bool):
        raise InvalidInput(f"dimensions is {dimensions!r}, allowed: 2 (the floor), 3 (space)")
    rows = table["points"]
    if not isinstance(rows, list | tuple):
        raise InvalidInput(f"points is {rows!r}, expected a list of points [[x, y], ...]")
    points: list[Point] = []
    for i, row in enumerate(rows):
        allowed = (2, 3) if dimensions == 2 else (3, 6)
        values = _numbers(row, f"point {i + 1} of {len(rows)}", allowed)
        if len(values) == dimensions:
            points.append(values)
        elif dimensions == 2:
            points.append(Pose2(values[0], values[1], math.radians(values[2])))
        else:
            points.append(Pose(values[:3], _quaternion_from_rpy_deg(values[3:])))
    return points


def _quaternion_from_rpy_deg(rpy_deg: list[float]) -> Array:
    return quaternion_from_matrix(matrix_from_rpy(np.radians(rpy_deg)))


def _number(table: Mapping[str, Any], key: str) -> float:
    return _numbers([table[key]], key, (1,))[0]


def _numbers(values: Any, name: str, counts: tuple[int, ...]) -> list[float]:
    wanted = f"{' or '.join(map(str, counts))} finite numbers"
    if not isinstance(values, list | tuple) or len(values) not in counts:
        raise InvalidInput(f"{name} is {values!r}, expected a list of {wanted}")
    for value in values:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not math.isfinite(value):
            raise InvalidInput(f"{name} has {value!r}, expected {wanted}")
    return [float(value) for value in values]
