"""Random fields of cylinders, and the shortest path through one."""

from math import hypot

import numpy as np
from scipy import ndimage
from scipy.spatial import KDTree

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.planning.navigation.costmap import make_costmap
from mecano.planning.navigation.footprint import Footprint
from mecano.tasks.barn.route import ClearanceRoute

CELL = 0.15
"""Side of a cell of the field: the diameter of a cylinder [m]."""
LEFT, LOW, COLUMNS, ROWS = -4.5, 4.5, 30, 34
"""Outer corner of the field [m] and its size [cells]; walls stand beside and behind the start."""
SMOOTHING = 3
"""Times that the field is smoothed."""


def cylinder_field(rng: np.random.Generator, fill: float) -> Array:
    """Return centres of cylinders: walls, and a random field between them [m]. Shape (n, 2)."""
    cells = rng.random((ROWS, COLUMNS)) < fill
    for _ in range(SMOOTHING):
        near = ndimage.convolve(cells.astype(int), np.ones((3, 3), int), mode="constant") - cells
        cells = (cells & (near >= 1)) | (near >= 5)
    row, column = np.nonzero(cells)
    field = np.column_stack([LEFT + (column + 0.5) * CELL, LOW + (row + 0.5) * CELL])
    y = np.arange(0.5 * CELL, LOW + ROWS * CELL, CELL)
    x = np.arange(LEFT + 0.5 * CELL, LEFT + COLUMNS * CELL, CELL)
    right = LEFT + (COLUMNS - 0.5) * CELL
    walls = [np.column_stack([np.full(len(y), at), y]) for at in (LEFT + 0.5 * CELL, right)]
    back = np.column_stack([x, np.full(len(x), 0.5 * CELL)])
    return np.unique(np.round(np.vstack([*walls, back, field]), 6), axis=0)


def shortest_length(
    obstacles: Array, radius: float, start: Pose2, goal: tuple[float, float], *, half_width: float
) -> float | None:
    """Return the length of the shortest path that keeps away from cylinders; None without one [m].

    Args:
        obstacles: Centres [m].
        radius: Of the cylinders [m].
        start: [m].
        goal: [m].
        half_width: The path stays this far from every cylinder [m].
    """
    step, corner = 0.05, (LEFT - 1.0, -1.0)
    shape = (round(16.0 / step), round((COLUMNS * CELL + 2.0) / step))
    y, x = np.meshgrid(*((np.arange(n) + 0.5) * step for n in shape), indexing="ij")
    away, _ = KDTree(obstacles).query(np.stack([x + corner[0], y + corner[1]], axis=-1))
    lethal = np.asarray(away) <= radius
    costmap = make_costmap(lethal, Footprint.circle(half_width), resolution=step, origin=corner)
    plan = ClearanceRoute(radii=(half_width,), weight=0.0).plan(
        costmap, start, Pose2(*goal, start.yaw)
    )
    if not plan.found:
        return None
    return float(sum(hypot(*d) for d in np.diff(plan.poses[:, :2], axis=0).tolist()))
