"""A log turned into a path and a map, written while it goes on."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter, process_time
from types import FrameType
from typing import TYPE_CHECKING, Any

from mecano.cli.progress import progress
from mecano.core.poses import Pose2
from mecano.estimation.slam.mapper_belief import MapperBelief

if TYPE_CHECKING:
    from mecano.core.drive_log import DriveLog
    from mecano.core.messages import OccupancyGrid
    from mecano.estimation.slam.mapper import Mapper
    from mecano.record.map_folder import MapFolder
    from mecano.viewer.map_page import MapPage

SAVE_FIRST, SAVE_EVERY = 1.0, 5.0
"""The map so far is written after this long, and then this often [s]."""
SAVING_SHARE = 0.05
"""And takes no more than this part of the time."""


class Stopping:
    """Notes Ctrl-C and SIGTERM, so that a scan in progress is finished before all is saved."""

    def __init__(self) -> None:
        self.asked = False

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Note the wish to stop within this block instead of raising it; a second one raises."""
        kinds = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(kind, self._note) for kind in kinds]
        try:
            yield
        finally:
            for kind, handler in zip(kinds, before, strict=True):
                signal.signal(kind, handler)

    def _note(self, kind: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


class Run:
    """A mapper at work on a log, and what it writes."""

    def __init__(
        self,
        log: "DriveLog",
        mapper: "Mapper",
        folder: "MapFolder",
        *,
        resolution: float,
        page: "MapPage | None" = None,
    ) -> None:
        """Begin.

        Args:
            log: What was driven.
            mapper: An empty one.
            folder: Gets the files.
            resolution: Side of the map's cells [m].
            page: Shows the map while it grows.
        """
        self.log, self.mapper, self.folder, self.page = log, mapper, folder, page
        self.no_map = ""
        """Why there is no map, if there is none."""
        self._belief = MapperBelief(mapper, log.mount)
        self.resolution = resolution
        self._begin = self._saved = perf_counter()
        self._begin_cpu = process_time()
        self._took = 0.0

    def go(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """Give all scans to the mapper; write path, map and result every few seconds.

        Args:
            about: What the result says of the log.

        Returns:
            The result, with counts and times.

        Raises:
            KeyboardInterrupt: The user stopped it; the map so far was written.
        """
        stopping = Stopping()
        with progress("mapping") as tell:
            with stopping.patient():
                for done, (scan, odometry) in enumerate(self.log, 1):
                    pose = self.mapper.add(scan, odometry)
                    tell(done, len(self.log.scans))
                    if self.page is not None and self.page.is_due():
                        self.page.show(self._belief.now(scan.stamp, pose, scan))
                    if stopping.asked:
                        break
                    if self._due():
                        self._save(about, finished=False)
                if stopping.asked:
                    self._save(about, finished=False)
                    raise KeyboardInterrupt
            if perf_counter() - self._begin > SAVE_EVERY:
                self._save(about, finished=False)
            self.mapper.finish()
            self._show_end()
            return self._save(about, finished=True)

    def _show_end(self) -> None:
        if self.page is not None and self.log.scans:
            _, x, y, yaw = self.mapper.trajectory[-1].tolist()
            scan = self.log.scans[-1]
            self.page.show(self._belief.now(scan.stamp, Pose2(x, y, yaw), scan, done=True))

    def _due(self) -> bool:
        pause = max(SAVE_EVERY, self._took / SAVING_SHARE) if self._took else SAVE_FIRST
        return perf_counter() - self._saved > pause

    def grid(self) -> "OccupancyGrid | None":
        """Return the map so far; None if there is none, see `no_map`."""
        from mecano.core.errors import InvalidInput

        try:
            return self.mapper.grid(self.resolution)
        except InvalidInput as problem:  # nothing was seen, or cells are too many
            self.no_map = str(problem)
            return None

    def _save(self, about: Mapping[str, Any], *, finished: bool) -> dict[str, Any]:
        start = perf_counter()
        grid, rows, graph = self.grid(), self.mapper.trajectory, self.mapper.graph
        drawn = perf_counter()
        spent = drawn - self._begin
        seconds = {**self.mapper.seconds, "all": spent}
        seconds["of the processor"] = process_time() - self._begin_cpu
        result = {
            **about,
            "finished": finished,
            "scans_done": len(rows),
            "keyframes": len(graph.poses),
            "edges": len(graph.edges),
            "loop_closures": len(self.mapper.loops),
            "times_real_time": round(self.log.duration / spent, 1),
            "seconds": {stage: round(value, 3) for stage, value in seconds.items()},
            "map": None if grid is None else measures(grid),
        }
        if grid is not None:
            self.folder.write_map(grid)
        self.folder.write_path(rows)
        self.folder.write_result(result)
        self._saved = perf_counter()
        self._took = self._saved - start
        return result


def measures(grid: "OccupancyGrid") -> dict[str, Any]:
    """Return the size of a map, for a result."""
    return {
        "resolution_m": grid.resolution,
        "width_cells": grid.width,
        "height_cells": grid.height,
    }
