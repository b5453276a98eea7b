"""How a map is resumed after furniture was rearranged: poses, new and old furniture, walls.

All is compared in the frame of the old map. Where that is itself wrong by some centimetres, the
second visit must follow it, or walls are doubled: so ground truth is taken into the map by the pose
of the first visit that was nearest.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from mecano.core.arrays import Array
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.core.poses.planar_arrays import compose_all, relative_all
from mecano.estimation.lifelong.resumed_mapper import ResumedMapper
from mecano.estimation.maps.log_odds import LogOddsGrid
from mecano.estimation.slam.graph_mapper import GraphMapper
from slam_corpus.cases import map_log
from slam_corpus.visits import Visits, began_at

START_ERROR = Pose2(0.05, -0.05, 0.03)
"""By which the start on the second visit is given wrongly."""
NEAR = 0.10
"""A cell shows a surface that is no further away than this [m]."""
ELSEWHERE = 0.2
"""Old furniture counts as gone if nothing new stands nearer than this [m]."""


class FirstMap:
    """The map of the first visit, and how it bends the ground truth."""

    def __init__(self, visits: Visits) -> None:
        """Map the first visit, from its true start."""
        self.visits, before = visits, visits.before
        start = Pose2(*before.truth[0].tolist())
        mapper, _ = map_log(began_at(before.log, start))
        self.grid, self._poses = mapper.grid(), mapper.trajectory[:, 1:]
        self._nearest = KDTree(before.truth[:, :2])

    def poses(self, true: Array) -> Array:
        """Return true poses as they are in the map. Shape (n, 3)."""
        k = self._nearest.query(true[:, :2])[1]
        return compose_all(self._poses[k], relative_all(self.visits.before.truth[k], true))

    def points(self, true: Array) -> Array:
        """Return true points as they are in the map. Shape (n, 2)."""
        return self.poses(np.column_stack([true, np.zeros(len(true))]))[:, :2]


@dataclass(frozen=True, eq=False, kw_only=True)
class Resumed:
    """What came out of a second visit. Shares are in [0, 1], NaN if there is nothing to count."""

    error: Array
    """Of the positions in the end [m]. Shape (scans,)."""
    live_error: Array
    """Of the positions while driving [m]. Shape (scans,)."""
    shown: float
    """Share of the new furniture that was in sight and is in the map."""
    cleared: float
    """Share of the old furniture whose place was seen empty and is empty in the map."""
    ghosts: float
    """Share of the map's occupied cells, where the second visit saw, that no surface is near to:
    doubled walls and old furniture."""


def resume(first: FirstMap, *, engine: Any = ResumedMapper, error: Pose2 = START_ERROR) -> Resumed:
    """Resume the map of a first visit on the second one, and compare.

    Args:
        first: The old map.
        engine: Makes the mapper, as `ResumedMapper`.
        error: Of the start, seen from the true one.
    """
    after = first.visits.after
    expected = first.poses(after.truth)
    log = began_at(after.log, Pose2(*expected[0].tolist()) @ error)
    mapper = engine(first.grid, GraphMapper(None, mount=log.mount), log.mount)
    live = [mapper.add(scan, odometry) for scan, odometry in log]
    mapper.finish()
    driven = np.array([(pose.x, pose.y) for pose in live])
    return Resumed(
        error=np.hypot(*(mapper.trajectory[:, 1:3] - expected[:, :2]).T),
        live_error=np.hypot(*(driven - expected[:, :2]).T),
        **_shares(first, mapper.grid()),
    )


def _shares(first: FirstMap, grid: OccupancyGrid) -> dict[str, float]:
    visits, seen = first.visits, _seen(first.visits)
    occupied = _occupied(grid)
    now = KDTree(occupied)
    surfaces = KDTree(visits.surfaces)
    fresh = visits.fresh[KDTree(_occupied(seen)).query(visits.fresh)[0] < 0.5 * NEAR]
    was_there = KDTree(_occupied(first.grid)).query(first.points(visits.gone))[0] < 0.5 * NEAR
    gone = visits.gone[was_there & (surfaces.query(visits.gone)[0] > ELSEWHERE)]
    gone = gone[seen.values_at(gone) == 0]
    in_sight = KDTree(first.points(seen.cell_to_world(np.argwhere(seen.data >= 0))))
    known = occupied[in_sight.query(occupied)[0] < grid.resolution]
    far = KDTree(first.points(visits.surfaces)).query(known)[0] > NEAR + 0.01
    return {
        "shown": _mean(now.query(first.points(fresh))[0] < NEAR) if len(fresh) else np.nan,
        "cleared": _mean(now.query(first.points(gone))[0] > 0.075) if len(gone) else np.nan,
        "ghosts": _mean(far),
    }


def _seen(visits: Visits) -> OccupancyGrid:
    """Return the map that the second visit would draw without any error."""
    after = visits.after
    ranges = after.interior.ranges(after.scanner, after.truth, after.visits, None)
    ranges[ranges >= after.scanner.reach] = np.inf
    drawn = LogOddsGrid(mount=after.scanner.mount)
    scans = [after.scanner.scan(float(k), row) for k, row in enumerate(ranges)]
    drawn.insert_many(scans, after.truth)
    return drawn.grid()


def _occupied(grid: OccupancyGrid) -> Array:
    return grid.cell_to_world(np.argwhere(grid.data >= 50))


def _mean(values: Any) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
