"""Meshes read from files of others by trimesh, with limits and with errors that explain.

Files have no unit, except DAE: what is read is taken as metres. The `up_axis` of a DAE is not
applied, as RViz and Gazebo do not apply it either when a URDF names the file.
"""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import trimesh
from collada.common import DaeError

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.notices import say
from mecano.world.meshes.checks import checked_bytes, line_at_fault
from mecano.world.meshes.mesh import Mesh, joined, normals_of, without_spare_vertices
from mecano.world.meshes.obj import read_obj

READABLE = (".stl", ".obj", ".dae", ".ply")
MAX_COORDINATE = 1e9
"""Larger coordinates than this are taken as a broken file."""

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity from 0 to 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshFile:
    """What is in a mesh file."""

    mesh: Mesh
    """All of it, in one mesh, in metres."""
    colours: tuple[tuple[Colour | None, Mesh], ...]
    """The same, cut by the colour of the material; None where the file has none."""
    remarks: tuple[str, ...]
    """What was repaired while reading."""


def read(file: Path) -> Mesh:
    """Return what is in an STL, OBJ, DAE or PLY file, equal vertices joined, in metres.

    Repairs are reported on stderr; see `load`.
    """
    found = load(file)
    for remark in found.remarks:
        say(remark)
    return found.mesh


def load(file: Path) -> MeshFile:
    """Return what is in an STL (binary or text), OBJ, DAE or PLY file.

    Nodes of a DAE are moved to their places and its unit is applied. Triangles with two equal
    corners are left out. A closed mesh that is turned inside out is turned back.

    Raises:
        InvalidInput: There is no such file, it is too large, cut off, empty or broken.
    """
    kind = file.suffix.lower()
    if kind not in READABLE:
        raise InvalidInput(
            f"{file} is no mesh by its name; files must end in {', '.join(READABLE)}"
        )
    data, remarks = checked_bytes(file, kind), list[str]()
    try:
        bodies = _bodies(data, kind, file, remarks)
    except InvalidInput:
        raise
    except Exception as error:  # any: the parsers of others raise whatever they stumble over
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        reason = f"unknown word {reason}" if isinstance(error, KeyError) else reason
        where = line_at_fault(data, kind)
        raise InvalidInput(f"{file}{where} is broken: {reason}; export it again") from None
    corners = np.concatenate([each for _, each in bodies]) if bodies else np.zeros((0, 3, 3))
    _check(corners, file, remarks)
    mesh = _repaired(joined(corners), file, remarks)
    colours = _by_colour(bodies) if len(bodies) > 1 else ((bodies[0][0], mesh),)
    return MeshFile(mesh=mesh, colours=colours, remarks=tuple(remarks))


def _bodies(
    data: bytes, kind: str, file: Path, remarks: list[str]
) -> list[tuple[Colour | None, Array]]:
    """Return colour and corners [m] of every body, where its node puts it."""
    if kind == ".obj":
        return [(None, read_obj(BytesIO(data), file))]
    scene = _dae_scene(data, remarks) if kind == ".dae" else _scene(data, kind)
    found: list[tuple[Colour | None, Array]] = []
    for body in scene.dump():
        if not isinstance(body, trimesh.Trimesh):
            continue  # lines or points
        vertices, faces = np.asarray(body.vertices), np.asarray(body.faces)
        if len(faces) and not 0 <= faces.min() <= faces.max() < len(vertices):
            raise ValueError("a face names a vertex that is not there")
        metres = trimesh.units.unit_conversion(body.units, "meters") if body.units else 1.0
        found.append((_colour(body), vertices[faces].astype(np.float64) * metres))
    return found


def _scene(data: bytes, kind: str, *, ignore_broken: bool = True) -> trimesh.Scene:
    with warnings.catch_warnings(), np.errstate(all="ignore"), _without_log():
        # numpy only warns when it stops reading numbers at something that is none
        warnings.filterwarnings("error", message="string or file could not be read to its end")
        return trimesh.load_scene(
            BytesIO(data), file_type=kind[1:], process=False, ignore_broken=ignore_broken
        )


@contextmanager
def _without_log() -> Iterator[None]:
    """Keep tracebacks of trimesh about what it can do without from the terminal."""
    log = logging.getLogger("trimesh")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _dae_scene(data: bytes, remarks: list[str]) -> trimesh.Scene:
    """Return the scene of a DAE; a body whose material is broken would be left out with it."""
    try:
        return _scene(data, ".dae", ignore_broken=False)
    except DaeError as error:
        remarks.append(f"read without its colours: {' '.join(str(error).split())[:100]}")
        bare = re.sub(rb"<bind_material>.*?</bind_material>", b"", data, flags=re.DOTALL)
        return _scene(bare, ".dae")


def _colour(body: trimesh.Trimesh) -> Colour | None:
    """Return the colour of the material of a body; textures are not looked at."""
    material = getattr(body.visual, "material", None)
    if material is None:
        return None
    red, green, blue, opacity = (float(each) / 255.0 for each in material.main_color)
    return red, green, blue, opacity if opacity > 0.0 else 1.0  # exporters differ about "opaque"


def _by_colour(
    bodies: list[tuple[Colour | None, Array]],
) -> tuple[tuple[Colour | None, Mesh], ...]:
    colours = list(dict.fromkeys(colour for colour, _ in bodies))
    return tuple(
        (colour, joined(np.concatenate([each for of, each in bodies if of == colour])))
        for colour in colours
    )


def _check(corners: Array, file: Path, remarks: list[str]) -> None:
    if not len(corners):
        why = "".join(f" ({remark})" for remark in remarks)
        raise InvalidInput(f"{file} has no triangles{why}; export the part as a mesh")
    wrong = np.argwhere(~(np.abs(corners) <= MAX_COORDINATE))  # NaN is not smaller either
    if len(wrong):
        triangle, corner = wrong[0][:2]
        values = ", ".join(f"{value:g}" for value in corners[triangle, corner])
        raise InvalidInput(
            f"{file}, triangle {triangle + 1}: a corner is at ({values}); coordinates must be "
            f"numbers up to {MAX_COORDINATE:g}; export the part again"
        )


def _repaired(mesh: Mesh, file: Path, remarks: list[str]) -> Mesh:
    """Return it without triangles that are none, its faces outward."""
    count = len(mesh.triangles)
    same = mesh.triangles == np.roll(mesh.triangles, 1, axis=1)
    kept = mesh.triangles[~same.any(axis=1)]
    if len(kept) == 0 or not normals_of(mesh.vertices[kept]).any():
        raise InvalidInput(f"{file}: none of its {count} triangles has an area")
    if len(kept) < count:
        remarks.append(f"{count - len(kept)} triangles with two equal corners were left out")
        mesh = without_spare_vertices(mesh.vertices, kept)
    if mesh.closed and mesh.volume < 0.0:
        remarks.append("the triangles were turned inside out; turned back")
        mesh = Mesh(mesh.vertices, mesh.triangles[:, ::-1].copy())
    return mesh
