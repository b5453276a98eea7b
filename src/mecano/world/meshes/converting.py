"""Mesh files of others made into files that MuJoCo loads: scaled, with a limit of faces."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mecano.world.meshes.components import merged
from mecano.world.meshes.decomposing import decompose
from mecano.world.meshes.mesh import Mesh
from mecano.world.meshes.reading import Colour, load
from mecano.world.meshes.simplifying import simplify
from mecano.world.meshes.writing import write

MAX_FACES = 200_000
"""MuJoCo refuses an STL with more (user_mesh.cc), and nobody sees the difference."""
MAX_COLOURS = 16
"""Meshes that one file is cut into at most, by the colour of its materials."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ConvertedMesh:
    """A mesh file written for MuJoCo."""

    file: Path
    mesh: Mesh
    """What is in it [m]."""
    faces_before: int
    """Triangles of the original."""
    colour: Colour | None = None
    """Of the material, where the original has one."""
    remarks: tuple[str, ...] = ()
    """What was repaired or left out."""


def convert(
    source: Path,
    target: Path,
    *,
    scale: float | Sequence[float] = 1.0,
    max_faces: int = MAX_FACES,
) -> ConvertedMesh:
    """Write an STL, OBJ, DAE or PLY file as OBJ or STL, simplified to at most `max_faces`.

    Args:
        source: What is read; a DAE with its nodes and its unit.
        target: What is written, ending in .obj or .stl.
        scale: One for all axes, or one for each; negative ones mirror, as URDF allows.
        max_faces: A mesh with more is simplified.

    Raises:
        InvalidInput: The file is missing, broken or too large, or cannot be written.
    """
    found = load(source)
    colour = found.colours[0][0] if len(found.colours) == 1 else None
    mesh, remarks = _limited(found.mesh.scaled(scale), max_faces)
    write(mesh, target)
    return ConvertedMesh(
        file=target, mesh=mesh, faces_before=len(found.mesh.triangles), colour=colour,
        remarks=found.remarks + remarks,
    )  # fmt: skip


def convert_by_colour(
    source: Path,
    target: Path,
    *,
    scale: float | Sequence[float] = 1.0,
    max_faces: int = MAX_FACES,
) -> tuple[ConvertedMesh, ...]:
    """Do as `convert`, with one file for each colour of the materials: name_0.obj, name_1.obj.

    A file of one colour is written as `target`. Of more than `MAX_COLOURS` the largest are kept
    and the last file holds the rest.
    """
    found = load(source)
    if len(found.colours) == 1:
        return (convert(source, target, scale=scale, max_faces=max_faces),)
    parts = sorted(found.colours, key=lambda each: -each[1].area)
    kept, rest = parts[: MAX_COLOURS - 1], parts[MAX_COLOURS - 1 :]
    if rest:
        kept.append((rest[0][0], merged([mesh for _, mesh in rest])))
    share = max_faces / max(1, sum(len(mesh.triangles) for _, mesh in kept))
    written: list[ConvertedMesh] = []
    for number, (colour, whole) in enumerate(kept):
        limit = max(100, int(share * len(whole.triangles)))
        mesh, remarks = _limited(whole.scaled(scale), limit)
        file = target.with_name(f"{target.stem}_{number}{target.suffix}")
        write(mesh, file)
        written.append(ConvertedMesh(
            file=file, mesh=mesh, faces_before=len(whole.triangles), colour=colour,
            remarks=found.remarks + remarks if number == 0 else remarks,
        ))  # fmt: skip
    return tuple(written)


def convert_hull(
    source: Path,
    target: Path,
    *,
    scale: float | Sequence[float] = 1.0,
    max_faces: int = 2_000,
) -> ConvertedMesh:
    """Write the convex hull of a mesh file, with at most `max_faces`.

    Raises:
        InvalidInput: As in `convert`, or the mesh is flat and has no hull.
    """
    found = load(source)
    hull, remarks = _limited(found.mesh.scaled(scale).hull(), max_faces)
    hull = hull.hull() if remarks else hull  # simplified, it may have become concave
    write(hull, target)
    return ConvertedMesh(
        file=target, mesh=hull, faces_before=len(found.mesh.triangles),
        remarks=found.remarks + remarks,
    )  # fmt: skip


def convert_pieces(
    source: Path,
    target: Path,
    *,
    scale: float | Sequence[float] = 1.0,
    concavity: float = 0.05,
    max_pieces: int | None = None,
    seed: int = 0,
) -> tuple[ConvertedMesh, ...]:
    """Write convex pieces of a mesh file, name_0.obj, name_1.obj and so on; see `decompose`."""
    found = load(source)
    mesh = found.mesh.scaled(scale)
    pieces = decompose(mesh, concavity=concavity, max_pieces=max_pieces, seed=seed)
    written: list[ConvertedMesh] = []
    for number, piece in enumerate(pieces):
        file = target.with_name(f"{target.stem}_{number}{target.suffix}")
        write(piece, file)
        written.append(ConvertedMesh(file=file, mesh=piece, faces_before=len(mesh.triangles)))
    return tuple(written)


def _limited(mesh: Mesh, max_faces: int) -> tuple[Mesh, tuple[str, ...]]:
    """Return it with at most `max_faces`, and what to say about it."""
    count = len(mesh.triangles)
    if count <= max_faces:
        return mesh, ()
    fewer = simplify(mesh, max_faces)
    return fewer, (f"simplified from {count:,} to {len(fewer.triangles):,} triangles",)
