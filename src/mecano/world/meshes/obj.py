"""OBJ files read.

Not by trimesh: it takes vertices with and without colours in one file for others (5.2), index 0 for
the first vertex, and negative indices always from the end, without a word.
"""

import re
from array import array
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput


def read_obj(stream: BinaryIO, file: Path) -> Array:
    """Return the corners in an OBJ [unit of the file]. Shape (m, 3, 3).

    A face of more than three corners becomes a fan.
    """
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
