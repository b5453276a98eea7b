"""Text files of numbers, plain or gzip, read as far as they go."""

import zlib
from dataclasses import dataclass
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from math import isfinite
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput

GZIP = b"\x1f\x8b"
"""How a gzip file begins."""
PIECE = 1 << 20
"""Unpacked at a time [bytes]."""
LARGEST = 1 << 30
"""More text than this is not read [bytes]: ten days of a scanner."""


@dataclass(frozen=True, eq=False)
class TextFile:
    """The lines of a file."""

    lines: list[bytes]
    """Without line ends. Numbers are read from bytes as well as from text."""
    whole: bool
    """Whether the last line has its end: a writer that was killed leaves half a line."""
    problem: str | None
    """Why there may be more lines than these; None for a file that was read to its end."""


def read_text(path: str | Path, *, what: str) -> TextFile:
    """Return the lines of a plain or gzip file; a gzip that breaks off gives what can be read.

    Args:
        path: The file. Whether it is gzip is told by its first bytes, not by its name.
        what: What it should be, for messages, for example "log".

    Raises:
        InvalidInput: There is no such file, it cannot be read, or nothing can be unpacked.
    """
    path = Path(path)
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder, expected the file of a {what}")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InvalidInput(f"there is no {what} {path}") from None
    except OSError as error:
        raise InvalidInput(f"the {what} {path} cannot be read: {error.strerror}") from None
    problem = None
    if data[:2] == GZIP:
        data, problem = _unpack(data)
        if problem is not None and not data:
            raise InvalidInput(f"nothing of the {what} {path} can be unpacked: {problem}")
    if len(data) > LARGEST:
        raise InvalidInput(
            f"the {what} {path} holds over {LARGEST >> 20} MB of text; cut it into parts"
        )
    return TextFile(data.splitlines(), not data or data[-1:] in b"\r\n", problem)


def _unpack(packed: bytes) -> tuple[bytes, str | None]:
    """Return what a gzip holds up to its end, or up to where it breaks and why it does."""
    pieces: list[bytes] = []
    size = 0
    with GzipFile(fileobj=BytesIO(packed)) as file:
        try:
            while size <= LARGEST and (piece := file.read1(PIECE)):
                pieces.append(piece)
                size += len(piece)
        except EOFError:
            return b"".join(pieces), f"its gzip is cut off after {size} bytes of text"
        except (BadGzipFile, zlib.error):
            return b"".join(pieces), f"its gzip is damaged after {size} bytes of text"
    return b"".join(pieces), None


def read_table(path: str | Path, *, what: str, columns: int, meaning: str) -> Array:
    """Return the numbers of a file, a row per line; `#` begins a comment.

    Args:
        path: Plain or gzip.
        what: What it should be, for messages.
        columns: A line has so many numbers: more or fewer are a table of something else.
        meaning: What they are, for messages.

    Raises:
        InvalidInput: There is no such file, or a line has other words than these.
    """
    text = read_text(path, what=what)
    if text.problem is not None:
        raise InvalidInput(f"the {what} {path} is not whole: {text.problem}; fetch it again")
    rows = []
    for number, line in enumerate(text.lines, 1):
        words = line.split(b"#", 1)[0].replace(b",", b" ").split()
        if not words:
            continue
        if len(words) != columns:
            raise InvalidInput(
                f"{path} is no {what}: line {number} has {len(words)} words, "
                f"expected {columns}: {meaning}"
            )
        try:
            row = [float(word) for word in words]
        except ValueError as error:
            raise InvalidInput(f"line {number} of the {what} {path}: {error}") from None
        if not all(map(isfinite, row)):
            raise InvalidInput(
                f"line {number} of the {what} {path} is {row}, "
                f"expected {columns} finite numbers: {meaning}"
            )
        rows.append(row)
    return np.array(rows, dtype=np.float64).reshape(-1, columns)
