"""What a trajectory is worth: errors, false loops, and whether the mapper doubted itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from mecano.core.poses.planar_arrays import poses_at, relative_all
from mecano.estimation.gaps import fill_with_odometry
from mecano.estimation.relations import Relations, relation_errors
from mecano.record.trajectories import Trajectory, laid_upon

BROKEN = 0.5
"""A drive is broken if its mean position error after alignment is above this [m], or if poses at
one place, taken on different visits, are wrong to each other by more than this."""
ONE_PLACE = 1.0
"""Poses of two visits that are no further apart than this are compared [m] ..."""
VISITS_APART = 10.0
"""... if the base drove so far in between [m]."""
FALSE_LOOP = (0.5, np.deg2rad(10.0))
"""A loop closure is false if it is wrong by more than this [m], [rad] ..."""
CLAIMED = 16.0
"""... and says by its own covariance that it is not: so many variances. Along a bare corridor a
closure may be wrong as long as it claims to know nothing of that direction."""


def path_error(rows: Array, reference: Array) -> float:
    """Return the mean distance from a reference after alignment, over the scans it covers [m].

    Args:
        rows: Stamp [s], x, y [m], yaw [rad]. Shape (n, 4).
        reference: The same of another path. Shape (m, 4).
    """
    path, other = Trajectory.from_rows(rows), Trajectory.from_rows(reference)
    covered = (path.stamps >= other.stamps[0]) & (path.stamps <= other.stamps[-1])
    true = poses_at(path.stamps[covered], other.stamps, other.poses)
    laid = laid_upon(path.poses[covered], true)
    return float(np.mean(np.hypot(*(laid - true)[:, :2].T)))


def relations_error(rows: Array, relations: Relations, log: DriveLog) -> float:
    """Return the mean error of the relations' translation [m]."""
    path = Trajectory.from_rows(rows)
    if len(log.odometry_stamps) == len(log.scans):  # nothing between the scans
        return relation_errors(path.stamps, path.poses, relations, max_gap=1.5).translation.mean
    filled = fill_with_odometry(path.stamps, path.poses, log.odometry_stamps, log.odometry)
    return relation_errors(*filled, relations).translation.mean


def revisit_error(poses: Array, truth: Array) -> float:
    """Return the largest error between poses of two visits to one place [m]; 0 without any.

    Args:
        poses: Estimated: x, y [m], yaw [rad]. Shape (n, 3).
        truth: Where they were. Shape (n, 3).
    """
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(truth[:, :2], axis=0).T))])
    picked = np.unique(np.searchsorted(way, np.arange(0.0, way[-1], 0.5)))
    pairs = picked[KDTree(truth[picked, :2]).query_pairs(ONE_PLACE, output_type="ndarray")]
    pairs = pairs[np.abs(way[pairs[:, 0]] - way[pairs[:, 1]]) > VISITS_APART]
    if not len(pairs):
        return 0.0
    a, b = pairs.T
    wrong = relative_all(relative_all(truth[a], truth[b]), relative_all(poses[a], poses[b]))
    return float(np.hypot(wrong[:, 0], wrong[:, 1]).max())


def false_loops(mapper: Any, stamps: Array, truth: Array) -> int:
    """Return how many loop closures of a mapper the ground truth contradicts."""
    if not mapper.loops:
        return 0
    nodes = poses_at(mapper.graph.stamps, stamps, truth)
    ends = np.array([(loop.old, loop.new) for loop in mapper.loops])
    measured = np.array([loop.measured for loop in mapper.loops])
    wrong = relative_all(relative_all(nodes[ends[:, 0]], nodes[ends[:, 1]]), measured)
    far = np.hypot(wrong[:, 0], wrong[:, 1]) > FALSE_LOOP[0]
    far |= np.abs(wrong[:, 2]) > FALSE_LOOP[1]
    known = np.array([loop.information for loop in mapper.loops])
    return int(np.sum(far & (np.einsum("mi,mij,mj->m", wrong, known, wrong) > CLAIMED)))


@dataclass(frozen=True)
class Doubts:
    """What a mapper says of itself."""

    stretches: int
    share: float
    """Of the drive's time: a mapper that doubts everything says nothing."""

    @classmethod
    def of(cls, mapper: Any, stamps: Array) -> "Doubts | None":
        """Return what a mapper doubts of a drive; None if it cannot tell."""
        doubts = getattr(mapper, "doubts", None)
        if doubts is None:
            return None
        inside = np.zeros(len(stamps), dtype=bool)
        for doubt in doubts:
            inside |= (stamps >= doubt.start) & (stamps <= doubt.end)
        return cls(len(doubts), float(inside.mean()))


def nees_of(mapper: Any, stamps: Array, truth: Array) -> float | None:
    """Return the normalized estimation error squared; None while mappers state no covariance."""
    return None
