"""Gaps of a path, bridged by what odometry saw in between."""

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses.planar_arrays import compose_all, poses_at, relative_all

Places = NDArray[np.intp]
CHANGE_OF_MIND, CHANGE_OF_MIND_TURN = 0.5, 0.5
"""Odometry does not miss a pose by more than this within a scan or two [m], [rad] (EST): the path
jumps there, because what made it thought better of it."""


def fill_with_odometry(
    stamps: Array, poses: Array, odometry_stamps: Array, odometry: Array
) -> tuple[Array, Array]:
    """Bridge the gaps of a sparse path with what odometry saw in between.

    Odometry is laid in from each pose on; how far it misses the next one is spread evenly over
    the gap. Before the first and after the last pose, odometry goes on alone.

    Args:
        stamps: Of the path, rising [s]. Shape (n,).
        poses: x, y [m], yaw [rad]. Shape (n, 3).
        odometry_stamps: Rising [s]. Shape (m,).
        odometry: In a frame of its own. Shape (m, 3).

    Returns:
        Stamps of both together, and the path there.
    """
    check_path(stamps, poses, "path")
    check_path(odometry_stamps, odometry, "odometry")
    every = np.union1d(stamps, odometry_stamps)
    before, share = _shares(every, stamps)
    seen, seen_at_poses = (poses_at(when, odometry_stamps, odometry) for when in (every, stamps))
    step, missed = _laid_in(poses, seen_at_poses, seen, before)
    return every, compose_all(step, missed * share[:, None])


def fill_rows(known: Places, poses: Array, odometry: Array) -> Array:
    """Return a whole row of poses of which some are known, with odometry in between.

    How far odometry misses the next known pose is spread evenly over the rows between, unless the
    path jumps there.

    Args:
        known: Which rows are known, rising. Shape (n,).
        poses: Of those: x, y [m], yaw [rad]. Shape (n, 3).
        odometry: Of all rows, in a frame of its own. Shape (m, 3).
    """
    before, share = _shares(np.arange(len(odometry)), known)
    step, missed = _laid_in(poses, odometry[known], odometry, before)
    jumps = np.hypot(missed[:, 0], missed[:, 1]) > CHANGE_OF_MIND
    share[jumps | (np.abs(missed[:, 2]) > CHANGE_OF_MIND_TURN)] = 0.0
    rows = compose_all(step, missed * share[:, None])
    rows[known] = poses
    return rows


def check_path(stamps: Array, poses: Array, name: str) -> None:
    """Require two poses or more, with stamps that rise."""
    if len(stamps) < 2 or poses.shape != (len(stamps), 3):
        raise InvalidInput(
            f"the {name} has {len(stamps)} stamps and poses of shape {poses.shape}; "
            "expected two or more, and (n, 3)"
        )
    if np.any(np.diff(stamps) <= 0.0):
        raise InvalidInput(f"the stamps of the {name} must rise")


def _shares(every: Array | Places, known: Array | Places) -> tuple[Places, Array]:
    """Return after which known place each one lies, and how far on the way to the next, 0 to 1."""
    before = np.clip(np.searchsorted(known, every, side="right") - 1, 0, len(known) - 1)
    after = np.minimum(before + 1, len(known) - 1)
    gap = np.where(after > before, known[after] - known[before], 1.0)
    return before, np.clip((every - known[before]) / gap, 0.0, 1.0)


def _laid_in(
    poses: Array, seen_at_poses: Array, seen: Array, before: Places
) -> tuple[Array, Array]:
    """Return where odometry leads from the pose before, and how far it misses the next one."""
    after = np.minimum(before + 1, len(poses) - 1)
    step = relative_all(seen_at_poses[before], seen)
    whole = relative_all(seen_at_poses[before], seen_at_poses[after])
    missed = relative_all(compose_all(poses[before], whole), poses[after])
    return compose_all(poses[before], step), missed
