"""A pose graph optimized, and its scans drawn into a map."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from mecano.cli.progress import progress
from mecano.cli.slam import Kernel
from mecano.record.log_mapping import measures

if TYPE_CHECKING:
    from mecano.core.arrays import Array
    from mecano.core.messages import LaserScan
    from mecano.core.poses import Pose2
    from mecano.estimation.slam.pose_graph import PoseGraph
    from mecano.record.map_folder import MapFolder

MOST_DOUBTED = 0.5
"""If more of the loops than this are doubted, their information is too sure of itself."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphRun:
    """A graph from files, and how to optimize it."""

    graph: "PoseGraph"
    scans: "tuple[LaserScan, ...] | None"
    kernel: Kernel
    own_loops: bool
    mount: "Pose2"
    resolution: float

    def go(self, about: dict[str, Any], folder: "MapFolder") -> "tuple[dict[str, Any], Array]":
        """Optimize, draw and write; return the result and rows of stamp, x, y, yaw."""
        begin = perf_counter()
        poses, result = self._loops_of_our_own() if self.own_loops else self._given_edges()
        rows = np.column_stack([self.graph.stamps, poses])
        folder.write_path(rows)
        seconds = result.pop("seconds", None) or {"optimize": perf_counter() - begin}
        if self.scans is not None:
            start = perf_counter()
            result["map"] = self._draw(rows, folder, about["source"])
            seconds["draw map"] = perf_counter() - start
        seconds["all"] = perf_counter() - begin
        result = {**about, "finished": True, **result}
        result["seconds"] = {stage: round(value, 3) for stage, value in seconds.items()}
        folder.write_result(result)
        return result, rows

    def _given_edges(self) -> "tuple[Array, dict[str, Any]]":
        from mecano.estimation.slam.graph_start import optimize_from_edges
        from mecano.estimation.slam.pose_graph import RobustKernel

        graph, notes = self.graph, []
        found = None
        if self.kernel != "none":
            found = optimize_from_edges(graph, RobustKernel(self.kernel))
            doubted = float(np.mean(found.weights[graph.loop] < 0.5)) if graph.loop.any() else 0.0
            if doubted > MOST_DOUBTED:
                notes.append(
                    f"{100 * doubted:.0f} % of the loops contradict the rest, so their "
                    "information is too sure: all edges were trusted alike instead"
                )
                found = None
        if found is None:
            found = optimize_from_edges(graph, None)
        return found.poses, {
            "iterations": found.iterations,
            "converged": found.converged,
            "cost_before": found.costs[0],
            "cost": found.costs[-1],
            "loop_closures": int(graph.loop.sum()),
            "doubted_edges": int(np.sum(found.weights < 0.5)),
            "notes": [*notes, *found.notes],
        }

    def _loops_of_our_own(self) -> "tuple[Array, dict[str, Any]]":
        from mecano.core.errors import InvalidInput
        from mecano.estimation.slam.given_graph import close_loops
        from mecano.estimation.slam.stop_watch import StopWatch

        if self.scans is None:
            raise InvalidInput("loops are found by scans: give them with --scans FILE")
        watch = StopWatch()
        with progress("searching loops") as tell:
            scans = _Told(self.scans, tell)
            found = close_loops(self.graph, scans, mount=self.mount, watch=watch)
        loops = int(found.loop.sum())
        return found.poses, {
            "loop_closures": loops, "edges": len(found.edges), "seconds": watch.seconds, "notes": []
        }  # fmt: skip

    def _draw(self, rows: "Array", folder: "MapFolder", source: str) -> dict[str, Any]:
        from mecano.core.errors import InvalidInput
        from mecano.estimation.maps.log_odds import LogOddsGrid

        assert self.scans is not None
        if len(self.scans) != len(rows):
            raise InvalidInput(
                f"there are {len(self.scans)} scans for {len(rows)} nodes; each node needs one"
            )
        drawn = LogOddsGrid(self.resolution, mount=self.mount)
        drawn.insert_many(self.scans, rows[:, 1:])
        grid = drawn.grid()
        folder.write_map(grid)
        folder.draw(grid, rows, Path(source).name)
        return measures(grid)


class _Told(Sequence):
    """Scans that tell how far they have been gone through."""

    def __init__(self, scans: "Sequence[LaserScan]", tell: Callable[[int, int], None]) -> None:
        self._scans, self._tell = scans, tell

    def __len__(self) -> int:
        return len(self._scans)

    @overload
    def __getitem__(self, index: int) -> "LaserScan": ...
    @overload
    def __getitem__(self, index: slice) -> "Sequence[LaserScan]": ...
    def __getitem__(self, index: int | slice) -> "LaserScan | Sequence[LaserScan]":
        return self._scans[index]

    def __iter__(self) -> "Iterator[LaserScan]":
        for done, scan in enumerate(self._scans):
            self._tell(done, len(self._scans))
            yield scan
