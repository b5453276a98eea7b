"""The folder that mapping leaves: path, map, picture and what came out.

Every file is replaced as a whole, so a run that is killed leaves the last ones that were written.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.messages.maps import UNKNOWN
from mecano.estimation.maps.files import save_map
from mecano.record.trajectories import write_trajectory

TRAJECTORY, MAP, RESULT, PICTURE = "trajectory.txt", "map.yaml", "result.json", "map_with_path.png"
LONGEST_SIDE, SHORTEST_SIDE = 12.0, 3.0
"""Of the picture [in]."""
MOST_PIXELS = 1200
"""Along a side of the map in it."""
PATH, NOTHING = "#d1495b", 205
"""Colour of the path, and shade of what is unknown."""


@dataclass(frozen=True)
class MapFolder:
    """Where mapping writes to."""

    folder: Path

    @classmethod
    @contextmanager
    def held(cls, folder: str | Path) -> Iterator["MapFolder"]:
        """Make the folder, and keep other mappers out of it within the block.

        Raises:
            InvalidInput: As `make`; or another mapper writes there now.
        """
        _make(Path(folder))
        handle = os.open(folder, os.O_RDONLY)
        try:
            try:
                flock(handle, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                raise InvalidInput(
                    f"another mapper is writing into {folder}; wait until it has ended, or give "
                    "another folder with --out"
                ) from None
            yield cls.make(folder)
        finally:
            os.close(handle)  # gives it free

    @classmethod
    def make(cls, folder: str | Path) -> "MapFolder":
        """Make the folder; what mapping has written there before is taken away.

        Raises:
            InvalidInput: It cannot be made, or not written to.
        """
        folder = Path(folder)
        _make(folder)
        old = (TRAJECTORY, MAP, Path(MAP).with_suffix(".pgm"), RESULT, PICTURE)
        for name in old:  # nobody shall take it for the new one
            (folder / name).unlink(missing_ok=True)
        return cls(folder)

    def write_path(self, rows: Array) -> None:
        """Write where the base was: rows of stamp [s], x, y [m], yaw [rad]."""
        write_trajectory(self.folder / TRAJECTORY, rows)

    def write_map(self, grid: OccupancyGrid) -> None:
        """Write the map as ROS has it."""
        save_map(grid, self.folder / MAP)

    def write_result(self, result: Mapping[str, Any]) -> None:
        """Write what came out, as JSON."""
        self._replace(RESULT, (json.dumps(result, indent=1) + "\n").encode())

    def draw(self, grid: OccupancyGrid, rows: Array, title: str) -> None:
        """Draw the map with the path in it."""
        from mecano.record.plots import new_figure  # here, because the robots come with it

        wide, high = grid.width * grid.resolution, grid.height * grid.resolution
        scale = LONGEST_SIDE / max(wide, high)
        figure = new_figure(
            max(wide * scale, SHORTEST_SIDE) + 0.8, max(high * scale, SHORTEST_SIDE) + 0.9
        )
        axes = figure.add_subplot()
        shades, step = _shades(grid)
        rows_drawn, columns_drawn = shades.shape
        side = step * grid.resolution
        axes.imshow(
            shades, cmap="gray", vmin=0, vmax=255, origin="lower", interpolation="nearest",
            extent=(0.0, columns_drawn * side, 0.0, rows_drawn * side),
        )  # fmt: skip
        local = grid.origin.inverse()
        path = local.transform_points(rows[:, 1:3])
        axes.plot(path[:, 0], path[:, 1], color=PATH, linewidth=0.8)
        axes.set_xlabel("x from the corner of the map [m]")
        axes.set_ylabel("y from the corner of the map [m]")
        axes.set_title(title, fontsize=11)
        figure.tight_layout()
        part = self.folder / f".{PICTURE}"
        figure.savefig(part, format="png")
        os.replace(part, self.folder / PICTURE)

    def _replace(self, name: str, data: bytes) -> None:
        part = self.folder / f".{name}.part{os.getpid()}"
        try:
            part.write_bytes(data)
            os.replace(part, self.folder / name)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise InvalidInput(
                f"{self.folder / name} cannot be written: {error.strerror}"
            ) from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InvalidInput(f"{folder} is a file; give the name of a folder") from None
    except OSError as error:
        raise InvalidInput(
            f"the folder {folder} cannot be made: {error.strerror}; give another with --out"
        ) from None
    if not os.access(folder, os.W_OK):
        raise InvalidInput(f"the folder {folder} cannot be written to; give another with --out")


def _shades(grid: OccupancyGrid) -> tuple[NDArray[np.uint8], int]:
    """Return shades of grey of the cells, several in one where there are more than are seen.

    A wall among them is kept, and floor rather than nothing.
    """
    step = max(1, -(-max(grid.data.shape) // MOST_PIXELS))
    spare = [(0, -length % step) for length in grid.data.shape]
    padded = np.pad(grid.data, spare, constant_values=UNKNOWN)
    rows, columns = padded.shape[0] // step, padded.shape[1] // step
    value = padded.reshape(rows, step, columns, step).max(axis=(1, 3))
    shades = (255 - 2.55 * value).astype(np.uint8)
    shades[value == UNKNOWN] = NOTHING
    return shades, step
