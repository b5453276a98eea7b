"""Checks of a footprint against the obstacles of a costmap."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Costmap
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.footprint_sides import half_planes


def free_poses(
    costmap: Costmap, poses: ArrayLike, footprint: Footprint | None = None
) -> NDArray[np.bool_]:
    """Say at which poses no obstacle cell has its centre inside the footprint.

    Poses outside of the costmap are not free. Unknown cells are no obstacles here.

    Args:
        costmap: Has the obstacles.
        poses: x, y [m], yaw [rad], in the frame of the costmap. Shape (n, 3).
        footprint: Another one than the costmap's.
    """
    from mecano.planning.navigation.footprint_kernel import are_free

    shape = footprint or costmap.footprint
    given = np.array(poses, dtype=np.float64).reshape(-1, 3)
    given[:, :2] -= costmap.origin
    return are_free(
        costmap.distance, costmap.resolution, *half_planes(shape.corners),
        shape.inscribed_radius, shape.circumscribed_radius, given,
    )  # fmt: skip


def is_pose_free(costmap: Costmap, pose: Pose2, footprint: Footprint | None = None) -> bool:
    """Say whether a base stands free at a pose."""
    return bool(free_poses(costmap, [[pose.x, pose.y, pose.yaw]], footprint)[0])


def cell_of(costmap: Costmap, x: float, y: float) -> tuple[int, int] | None:
    """Return the (row, column) of a point [m], None if it is outside."""
    column = int(np.floor((x - costmap.origin[0]) / costmap.resolution))
    row = int(np.floor((y - costmap.origin[1]) / costmap.resolution))
    height, width = costmap.cost.shape
    return (row, column) if 0 <= row < height and 0 <= column < width else None


def centre_of(costmap: Costmap, row: int, column: int) -> tuple[float, float]:
    """Return the centre of a cell [m]."""
    x, y = costmap.origin
    return x + (column + 0.5) * costmap.resolution, y + (row + 0.5) * costmap.resolution
