"""Grid maps and problems of the MovingAI benchmarks (Sturtevant 2012), plain or gzipped.

Format: https://movingai.com/benchmarks/formats.html. `x` is the column and `y` the row, both from 0
at the top left.
"""

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mecano.core.errors import InvalidInput

FREE = ".GS"
"""Cells that may be entered; all others are blocked."""
MAX_SIDE = 20_000
"""Of a map [cells]."""


@dataclass(frozen=True, kw_only=True)
class GridProblem:
    """Start, goal and the length of the shortest path."""

    bucket: int
    start: tuple[int, int]
    """Row and column."""
    goal: tuple[int, int]
    """Row and column."""
    optimal: float
    """[cells]."""


def read_map(path: Path) -> NDArray[np.bool_]:
    """Return which cells of a `.map` file are free. Shape (height, width)."""
    lines = _lines(path)
    header: dict[str, str] = {}
    while len(header) < 4 and len(lines) > len(header):
        word, _, value = lines[len(header)].partition(" ")
        if word not in ("type", "height", "width", "map") or word in header:
            break
        header[word] = value.strip()
    if list(header)[-1:] != ["map"] or not {"height", "width"} <= header.keys():
        raise InvalidInput(
            f"{path} is no map of MovingAI: it must begin with the lines 'type octile', "
            f"'height N', 'width N', 'map', and begins with {lines[0][:40]!r}"
        )
    height, width = (_side(path, name, header[name]) for name in ("height", "width"))
    rows = lines[len(header) : len(header) + height]
    if len(rows) < height:
        raise InvalidInput(f"{path} has {len(rows)} rows of cells, its header says {height}")
    for number, row in enumerate(rows):
        if len(row) != width:
            raise InvalidInput(
                f"row {number} of {path} has {len(row)} cells, its header says {width}"
            )
    cells = np.array([list(row) for row in rows])
    return np.isin(cells, list(FREE))


def read_problems(path: Path, shape: tuple[int, int]) -> list[GridProblem]:
    """Return the problems of a `.scen` file, which must be of a map of this shape."""
    lines = _lines(path)
    if not lines[0].startswith("version"):
        raise InvalidInput(
            f"{path} is no scenario of MovingAI: it must begin with 'version 1', and begins with "
            f"{lines[0][:40]!r}"
        )
    numbered = [(number, line) for number, line in enumerate(lines[1:], 2) if line.strip()]
    problems = [_problem(path, number, line, shape) for number, line in numbered]
    if not problems:
        raise InvalidInput(f"{path} has no problems")
    return problems


def _problem(path: Path, number: int, line: str, shape: tuple[int, int]) -> GridProblem:
    where = f"line {number} of {path}"
    words = line.split()  # a map's name may have spaces: the numbers are counted from the end
    if len(words) < 9:
        raise InvalidInput(f"{where} has {len(words)} columns, expected 9: {line[:60]!r}")
    try:
        bucket, width, height, x, y, u, v = map(int, [words[0], *words[-7:-1]])
        optimal = float(words[-1])
    except ValueError:
        raise InvalidInput(f"{where} has a column that is no number: {line[:60]!r}") from None
    if (height, width) != shape:
        raise InvalidInput(
            f"{where} is for a map of {width} x {height} cells, this one has {shape[1]} x "
            f"{shape[0]}; give the scenario of this map"
        )
    for name, column, row in (("start", x, y), ("goal", u, v)):
        if not (0 <= column < width and 0 <= row < height):
            raise InvalidInput(f"{where} has its {name} ({column}, {row}) outside of the map")
    return GridProblem(bucket=bucket, start=(y, x), goal=(v, u), optimal=optimal)


def _side(path: Path, name: str, text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MAX_SIDE:
        raise InvalidInput(f"{name} of {path} is {text!r}, expected a number in 1..{MAX_SIDE}")
    return int(text)


def _lines(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        text = data.decode("ascii")
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from None
    except (EOFError, zlib.error):
        raise InvalidInput(f"{path} is a damaged gzip file; download it again") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is no text; give a .map or .scen file of MovingAI") from None
    lines = text.splitlines()
    if not lines:
        raise InvalidInput(f"{path} is empty")
    return lines
