"""A log turned into a path and a map, written while it goes on."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from mecano.core.drive_log import DriveLog
from mecano.core.errors import InvalidInput
from mecano.core.messages import LaserScan, OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.saving_pace import SavingPace
from mecano.record.map_folder import MapFolder

if TYPE_CHECKING:
    from mecano.estimation.slam.mapper import Mapper

SAVE_FIRST, SAVE_EVERY = 1.0, 5.0
"""The map so far is written after this long, and then this often [s]."""
SAVING_SHARE = 0.05
"""And takes no more than this part of the time."""


class LogMapping:
    """A mapper at work on a log, and what it writes."""

    def __init__(
        self, log: DriveLog, mapper: "Mapper", folder: MapFolder, about: Mapping[str, Any], *,
        resolution: float,
    ) -> None:  # fmt: skip
        """Begin.

        Args:
            log: What was driven.
            mapper: An empty one.
            folder: Gets the files.
            about: What the result says of the log.
            resolution: Side of the map's cells [m].
        """
        self.log, self.mapper, self.folder, self._about = log, mapper, folder, dict(about)
        self.no_map = ""
        """Why there is no map, if there is none."""
        self._resolution = resolution
        self._begin, self._begin_cpu = perf_counter(), process_time()
        self._pace = SavingPace(SAVE_EVERY, share=SAVING_SHARE, first=SAVE_FIRST)

    def add_scans(self, go_on: Callable[[int, LaserScan, Pose2], bool]) -> bool:
        """Give all scans to the mapper; write path, map and result every few seconds.

        Args:
            go_on: Called after each scan with how many are done, the scan and where it was taken;
                if it says no, what there is so far is written and no more is added.

        Returns:
            Whether all scans were added.
        """
        for done, (scan, odometry) in enumerate(self.log, 1):
            if not go_on(done, scan, self.mapper.add(scan, odometry)):
                self._save(finished=False)
                return False
            if self._pace.is_due:
                self._save(finished=False)
        return True

    def finish(self) -> dict[str, Any]:
        """Make the map as good as it gets, write all and return the result."""
        if perf_counter() - self._begin > SAVE_EVERY:
            self._save(finished=False)
        self.mapper.finish()
        self._about["doubts"] = [asdict(doubt) for doubt in self.mapper.doubts]
        return self._save(finished=True)

    def grid(self) -> OccupancyGrid | None:
        """Return the map so far; None if there is none, see `no_map`."""
        try:
            return self.mapper.grid(self._resolution)
        except InvalidInput as problem:  # nothing was seen, or cells are too many
            self.no_map = str(problem)
            return None

    def _save(self, *, finished: bool) -> dict[str, Any]:
        with self._pace.saving():
            grid, rows = self.grid(), self.mapper.trajectory
            result = {**self._about, "finished": finished, "scans_done": len(rows)}
            result |= self._counts() | {"map": None if grid is None else measures(grid)}
            if grid is not None:
                self.folder.write_map(grid)
            self.folder.write_path(rows)
            self.folder.write_result(result)
        return result

    def _counts(self) -> dict[str, Any]:
        graph, spent = self.mapper.graph, perf_counter() - self._begin
        seconds = {**self.mapper.seconds, "all": spent}
        seconds["of the processor"] = process_time() - self._begin_cpu
        return {
            "keyframes": len(graph.poses),
            "edges": len(graph.edges),
            "loop_closures": len(self.mapper.loops),
            "times_real_time": round(self.log.duration / spent, 1),
            "seconds": {stage: round(value, 3) for stage, value in seconds.items()},
        }


def measures(grid: OccupancyGrid) -> dict[str, Any]:
    """Return the size of a map, for a result."""
    return {
        "resolution_m": grid.resolution,
        "width_cells": grid.width,
        "height_cells": grid.height,
    }
