"""Mesh files looked at before a parser of others sees them: size, cut off, traps."""

import re
from io import BytesIO
from itertools import islice
from pathlib import Path

from mecano.core.errors import InvalidInput

MAX_FILE_BYTES = 200_000_000
"""Larger files are refused: four million triangles as binary STL."""
MAX_DAE_BODIES = 10_000
"""Nodes of a DAE may place the same geometry many times; more than this is a trap."""
STL_HEADER, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL: 80 of text and a count, then 50 for each triangle."""


def checked_bytes(file: Path, kind: str) -> bytes:
    """Return the bytes of a mesh file that is worth parsing.

    Raises:
        InvalidInput: It is missing, too large, cut off, or holds what no mesh needs.
    """
    try:
        size = file.stat().st_size
        if size > MAX_FILE_BYTES:
            raise InvalidInput(
                f"{file} has {size / 1e6:,.0f} MB, allowed are {MAX_FILE_BYTES / 1e6:,.0f} MB; "
                "export it with fewer triangles"
            )
        data = file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
    if kind == ".stl":
        return _checked_stl(data, file)
    if kind == ".dae":
        _check_dae(data, file)
    return data


def _checked_stl(data: bytes, file: Path) -> bytes:
    """Return an STL without bytes after its last triangle; its length tells the binary form."""
    count = int.from_bytes(data[80:84], "little")
    wanted = STL_HEADER + STL_TRIANGLE * count
    if data.lstrip()[:5].lower() == b"solid" and len(data) != wanted:
        if b"endsolid" not in data[-1000:].lower():
            raise InvalidInput(f"{file} is cut off: 'endsolid' is missing; export or copy it again")
        return data
    if len(data) < STL_HEADER:
        raise InvalidInput(
            f"{file} has {len(data)} bytes, an STL has at least {STL_HEADER}; it is cut off"
        )
    if len(data) < wanted:
        raise InvalidInput(
            f"{file} is cut off or no STL: {count} triangles need {wanted} bytes, it has "
            f"{len(data)}; export or copy it again"
        )
    return data[:wanted]


def _check_dae(data: bytes, file: Path) -> None:
    if b"<COLLADA" not in data:
        raise InvalidInput(f"{file} is no COLLADA file (UTF-8, not packed); export it again")
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise InvalidInput(f"{file} defines entities, which no mesh needs; export it again")
    if b"instance_node" in data:
        _count_bodies(data, file)


def _count_bodies(data: bytes, file: Path) -> None:
    """Refuse nodes that place each other so often that no memory would hold the result."""
    from collada import Collada
    from collada.common import DaeError

    try:
        scene = Collada(BytesIO(data), ignore=[DaeError]).scene
        found = () if scene is None else scene.objects("geometry")
        bodies = sum(1 for _ in islice(found, MAX_DAE_BODIES + 1))
    except Exception as error:  # any: as in reading
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InvalidInput(f"{file} is broken: {reason}; export it again") from None
    if bodies > MAX_DAE_BODIES:
        raise InvalidInput(
            f"{file} places more than {MAX_DAE_BODIES:,} bodies by nodes that name each other; "
            "export it as one mesh"
        )


def line_at_fault(data: bytes, kind: str) -> str:
    """Return ", line 4: ..." for the first vertex of a text STL that does not hold its numbers."""
    if kind != ".stl":
        return ""
    number = rb"\s+[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    good = re.compile(rb"\s*vertex" + 3 * number + rb"\s*$", re.IGNORECASE)
    for count, line in enumerate(BytesIO(data), 1):
        if line.lstrip()[:6].lower() == b"vertex" and not good.match(line):
            text = line.strip()[:60].decode("ascii", "replace")
            return f", line {count}: '{text}' should hold three numbers; it"
    return ""
