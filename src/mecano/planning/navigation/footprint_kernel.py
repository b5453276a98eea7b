"""Whether a convex footprint touches an obstacle, by the distance field, compiled."""

from math import ceil, cos, floor, inf, sin

import numpy as np

from mecano.core.compiled import compiled


@compiled
def is_free(distance, cell, normals, offsets, inscribed, circumscribed, x, y, yaw):
    """Say whether no obstacle cell has its centre inside a footprint.

    Fast where the nearest obstacle is beyond the circumscribed radius or within the inscribed one;
    else each row of the outline is scanned, with steps as long as the distance field allows. A base
    whose origin is beyond the grid is not free; parts of the outline beyond it are.

    Args:
        distance: From each cell to the nearest obstacle [m]. Shape (height, width).
        cell: Side of a cell [m].
        normals: Outward, of the sides, in the frame of the base. Shape (k, 2).
        offsets: Inside is where normal . point <= offset [m]. Shape (k,).
        inscribed: Radius [m].
        circumscribed: Radius [m].
        x: Of the base, from the corner of the grid [m].
        y: The same.
        yaw: [rad].
    """
    height, width = distance.shape
    row, column = floor(y / cell), floor(x / cell)
    if not (0 <= row < height and 0 <= column < width):
        return False
    near = distance[row, column]
    slack = 0.7072 * cell  # from the base to the centre of its cell
    if near > circumscribed + slack:
        return True
    if near <= inscribed - slack:
        return False
    c, s = cos(yaw), sin(yaw)
    first = max(0, ceil((y - circumscribed) / cell - 0.5))
    last = min(height - 1, floor((y + circumscribed) / cell - 0.5))
    for i in range(first, last + 1):
        v = (i + 0.5) * cell - y
        low, high = -inf, inf
        for k in range(len(offsets)):
            along = c * normals[k, 0] - s * normals[k, 1]
            across = offsets[k] - (s * normals[k, 0] + c * normals[k, 1]) * v
            if along > 1e-12:
                high = min(high, across / along)
            elif along < -1e-12:
                low = max(low, across / along)
            elif across < 0.0:
                low, high = inf, -inf
                break
        if not low <= high:
            continue
        j = max(0, ceil((x + low) / cell - 0.5 - 1e-9))
        end = min(width - 1, floor((x + high) / cell - 0.5 + 1e-9))
        while j <= end:
            gap = distance[i, j]
            if gap == 0.0:
                return False
            j += max(1, floor(gap / cell))
    return True


@compiled
def are_free(distance, cell, normals, offsets, inscribed, circumscribed, poses):
    """Say at which poses (n, 3), from the corner of the grid, a footprint is free."""
    result = np.empty(len(poses), np.bool_)
    for k in range(len(poses)):
        result[k] = is_free(
            distance, cell, normals, offsets, inscribed, circumscribed,
            poses[k, 0], poses[k, 1], poses[k, 2],
        )  # fmt: skip
    return result
