"""Paths of a base as text, plain or gzip: `time x y theta` a line [s, m, m, rad]."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses.planar_arrays import poses_at, relative_all
from mecano.core.poses.rotations import wrap_angle
from mecano.estimation.trajectory_writing import write_trajectory as write_trajectory
from mecano.record.text_files import read_table


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Where a base was, and when."""

    stamps: Array
    """Rising [s]. Shape (n,)."""
    poses: Array
    """x, y [m], yaw [rad]. Shape (n, 3)."""

    @classmethod
    def from_rows(cls, rows: ArrayLike) -> "Trajectory":
        """Put rows of stamp, x, y, yaw in order; of equal stamps the last one counts."""
        table = read_only(rows, name="trajectory", shape=(None, 4))
        table = table[np.argsort(table[:, 0], kind="stable")]
        kept = np.append(np.diff(table[:, 0]) > 0.0, True)[: len(table)]
        return cls(table[kept, 0], table[kept, 1:])


@dataclass(frozen=True, kw_only=True)
class PathErrors:
    """How far a path is from the truth after it was laid onto it as a whole."""

    poses: int
    """That were compared."""
    translation_rmse: float
    """[m]."""
    translation_max: float
    """[m]."""
    rotation_rmse: float
    """[rad]."""
    rotation_max: float
    """[rad]."""


def read_trajectory(path: str | Path) -> Trajectory:
    """Read a path; lines may be in any order.

    Raises:
        InvalidInput: There is no such file, nothing in it, or it is a table of something else.
    """
    table = read_table(path, what="path", columns=4, meaning="time x y theta [s, m, m, rad]")
    if not len(table):
        raise InvalidInput(f"the path {path} is empty")
    return Trajectory.from_rows(table)


def path_errors(path: Trajectory, truth: Trajectory) -> PathErrors:
    """Compare a path with the truth where both have poses, laid upon each other by least squares.

    Raises:
        InvalidInput: They share no time.
    """
    covered = (path.stamps >= truth.stamps[0]) & (path.stamps <= truth.stamps[-1])
    if covered.sum() < 2:
        raise InvalidInput("path and truth share no time; do they belong to the same log?")
    true = poses_at(path.stamps[covered], truth.stamps, truth.poses)
    laid = laid_upon(path.poses[covered], true)
    apart = np.hypot(*(laid[:, :2] - true[:, :2]).T)
    turned = np.abs(relative_all(true, laid)[:, 2])
    return PathErrors(
        poses=len(true),
        translation_rmse=float(np.sqrt(np.mean(apart**2))),
        translation_max=float(apart.max()),
        rotation_rmse=float(np.sqrt(np.mean(turned**2))),
        rotation_max=float(turned.max()),
    )


def laid_upon(poses: Array, truth: Array) -> Array:
    """Return the poses moved and turned as a whole to where they are nearest to the truth."""
    a, b = poses[:, 0] + 1j * poses[:, 1], truth[:, 0] + 1j * truth[:, 1]
    spin = np.vdot(a - a.mean(), b - b.mean())
    if abs(spin) < 1e-9:  # it stood still: the headings tell how it is turned
        spin = np.exp(1j * (truth[:, 2] - poses[:, 2])).sum()
    turn = spin / abs(spin)
    laid = (a - a.mean()) * turn + b.mean()
    return np.stack([laid.real, laid.imag, wrap_angle(poses[:, 2] + np.angle(turn))], axis=1)
