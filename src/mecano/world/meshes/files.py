"""Meshes in files: STL, binary or text, and OBJ."""

import re
from array import array
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.notices import say
from mecano.world.meshes.mesh import Mesh, joined, normals_of, without_spare_vertices

FORMATS = (".stl", ".obj")
FARTHEST = 1e9
"""Larger coordinates than this are taken as a broken file."""
STL_HEADER, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL: 80 of text and a count, then 50 for each triangle."""


def read(file: Path) -> Mesh:
    """Return what is in an STL (binary or text) or OBJ file, equal vertices joined.

    Triangles with two equal corners are left out. A closed mesh that is turned inside out is
    turned back. Both are said on stderr.

    Raises:
        InvalidInput: There is no such file, or it is cut off, empty or broken.
    """
    kind = _format(file)
    try:
        with file.open("rb") as stream:
            corners = _read_obj(stream, file) if kind == ".obj" else _read_stl(stream, file)
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
    if not len(corners):
        raise InvalidInput(f"{file} has no triangles; export the part as a mesh")
    wrong = np.argwhere(~(np.abs(corners) <= FARTHEST))  # NaN is not smaller either
    if len(wrong):
        triangle, corner = wrong[0][:2]
        values = ", ".join(f"{value:g}" for value in corners[triangle, corner])
        raise InvalidInput(
            f"{file}, triangle {triangle + 1}: a corner is at ({values}); coordinates must be "
            f"numbers up to {FARTHEST:g}; export the part again"
        )
    mesh = joined(corners)
    same = mesh.triangles == np.roll(mesh.triangles, 1, axis=1)
    kept = mesh.triangles[~same.any(axis=1)]
    if len(kept) == 0 or not normals_of(mesh.vertices[kept]).any():
        raise InvalidInput(f"{file}: none of its {len(corners)} triangles has an area")
    if len(kept) < len(corners):
        say(f"{len(corners) - len(kept)} triangles with two equal corners were left out")
        mesh = without_spare_vertices(mesh.vertices, kept)
    if mesh.closed and mesh.volume < 0.0:
        say("the triangles were turned inside out; turned back")
        mesh = Mesh(mesh.vertices, mesh.triangles[:, ::-1].copy())
    return mesh


def write(mesh: Mesh, file: Path) -> None:
    """Write a mesh as OBJ, exactly, or as binary STL, whose numbers have seven digits."""
    kind = _format(file)
    try:
        if kind == ".obj":
            with file.open("w", encoding="ascii") as stream:
                stream.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist())
                stream.writelines(f"f {a} {b} {c}\n" for a, b, c in (mesh.triangles + 1).tolist())
        else:
            file.write_bytes(_stl_bytes(mesh))
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}") from None


def _format(file: Path) -> str:
    kind = file.suffix.lower()
    if kind not in FORMATS:
        raise InvalidInput(f"{file} is no mesh by its name; files must end in .stl or .obj")
    return kind


def _stl_bytes(mesh: Mesh) -> bytes:
    normals = normals_of(mesh.corners)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    records = np.zeros(len(mesh.triangles), _STL_RECORD)
    records["normal"] = normals / np.where(lengths > 0.0, lengths, 1.0)
    records["corners"] = mesh.corners
    return bytes(80) + np.uint32(len(records)).tobytes() + records.tobytes()


_STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])


def _read_stl(stream: BinaryIO, file: Path) -> Array:
    """Return the corners in an STL; its length tells the binary form, as some begin with solid."""
    head = stream.read(STL_HEADER)
    size = stream.seek(0, 2)
    count = int.from_bytes(head[80:84], "little")
    wanted = STL_HEADER + STL_TRIANGLE * count
    stream.seek(0)
    if head.lstrip()[:5].lower() == b"solid" and size != wanted:
        return _read_text_stl(stream, file)
    if size < STL_HEADER:
        raise InvalidInput(
            f"{file} has {size} bytes, an STL has at least {STL_HEADER}; it is cut off"
        )
    if size < wanted:
        raise InvalidInput(
            f"{file} is cut off or no STL: {count} triangles need {wanted} bytes, it has {size}; "
            "export or copy it again"
        )
    stream.seek(STL_HEADER)
    records = np.frombuffer(stream.read(wanted - STL_HEADER), _STL_RECORD)
    with np.errstate(invalid="ignore"):  # what is not a number is found later
        return records["corners"].astype(np.float64)


def _read_text_stl(stream: BinaryIO, file: Path) -> Array:
    values, facets, last = array("d"), 0, b""
    for number, line in enumerate(stream, 1):
        words = line.split()
        if not words:
            continue
        last = words[0].lower()
        if last == b"vertex":
            values.extend(_three(words, file, number))
        elif last == b"endfacet":
            facets += 1
            if len(values) != 9 * facets:
                raise InvalidInput(f"{file}, line {number}: a facet needs three vertices")
    if last != b"endsolid":
        raise InvalidInput(f"{file} is cut off: 'endsolid' is missing; export or copy it again")
    return np.array(values).reshape(-1, 3, 3)


def _read_obj(stream: BinaryIO, file: Path) -> Array:
    """Return the corners in an OBJ; a face of more than three corners becomes a fan."""
    values, faces = array("d"), array("q")
    for number, line in enumerate(stream, 1):
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            values.extend(_three(words, file, number))
        elif words[0] == b"f":
            corners = list(_face(words[1:], len(values) // 3, file, number))
            for b, c in pairwise(corners[1:]):
                faces.extend((corners[0], b, c))
    return np.array(values).reshape(-1, 3)[np.array(faces, dtype=np.int64).reshape(-1, 3)]


def _three(words: list[bytes], file: Path, number: int) -> tuple[float, float, float]:
    try:
        return float(words[1]), float(words[2]), float(words[3])
    except (IndexError, ValueError):
        text = b" ".join(words)[:60].decode("ascii", "replace")
        raise InvalidInput(
            f"{file}, line {number}: '{text}' should hold three numbers; export it again"
        ) from None


def _face(words: list[bytes], count: int, file: Path, number: int) -> Iterator[int]:
    """Return the vertices of a face; OBJ counts from 1, and backwards below 0."""
    if len(words) < 3:
        raise InvalidInput(f"{file}, line {number}: a face needs three corners, has {len(words)}")
    for word in words:
        match = re.match(rb"-?\d+", word)
        index = int(match[0]) if match else 0
        if not 1 <= abs(index) <= count:
            raise InvalidInput(
                f"{file}, line {number}: corner '{word[:20].decode('ascii', 'replace')}' is none "
                f"of the {count} vertices before it; it is cut off or broken"
            )
        yield index - 1 if index > 0 else count + index
