"""Meshes written as OBJ or binary STL."""

from pathlib import Path

import trimesh
from trimesh.exchange.stl import export_stl

from mecano.core.errors import InvalidInput
from mecano.world.meshes.mesh import Mesh

WRITABLE = (".obj", ".stl")


def write(mesh: Mesh, file: Path) -> None:
    """Write a mesh as OBJ, exactly, or as binary STL, whose numbers have seven digits."""
    kind = file.suffix.lower()
    if kind not in WRITABLE:
        raise InvalidInput(f"{file} is no mesh that is written; it must end in .obj or .stl")
    try:
        if kind == ".obj":
            # trimesh writes eight decimals, which is too few for small parts
            with file.open("w", encoding="ascii") as stream:
                stream.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist())
                stream.writelines(f"f {a} {b} {c}\n" for a, b, c in (mesh.triangles + 1).tolist())
        else:
            body = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
            file.write_bytes(export_stl(body))
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}") from None
