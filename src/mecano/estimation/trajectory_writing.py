"""The path of a base as text: `time x y theta` a line [s, m, m, rad]."""

import os
from pathlib import Path

from numpy.typing import ArrayLike

from mecano.core.arrays import read_only
from mecano.core.errors import InvalidInput


def write_trajectory(path: str | Path, rows: ArrayLike) -> None:
    """Write a path, one line per row of stamp, x, y, yaw, in the order given.

    A run that is killed meanwhile leaves the file that was there.
    """
    table = read_only(rows, name="trajectory", shape=(None, 4))
    path = Path(path)
    part = path.with_name(f".{path.name}.part{os.getpid()}")
    lines = ("{:.6f} {:.6f} {:.6f} {:.8f}\n".format(*row) for row in table.tolist())
    try:
        part.write_text("# time x y theta (s, m, m, rad)\n" + "".join(lines), encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from None
