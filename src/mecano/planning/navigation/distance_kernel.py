"""Exact distances to the nearest obstacle of a grid, and costs of them, compiled.

The distance transform follows Meijster, Roerdink and Hesselink, "A general algorithm for computing
distance transforms in linear time" (2000): nearest obstacle of each column, then the lower envelope
of parabolas along each row. All in whole numbers, so that it is exact.
"""

from math import sqrt

import numpy as np

from mecano.core.compiled import compiled


@compiled
def squared_distances(lethal):
    """Return the squared distance from each cell to the nearest lethal one [cells^2].

    With no lethal cell at all it is the square of height + width everywhere.

    Args:
        lethal: Which cells are. Shape (height, width), bool.
    """
    height, width = lethal.shape
    far = height + width
    column = np.empty((height, width), np.int32)
    for j in range(width):
        column[0, j] = 0 if lethal[0, j] else far
    for i in range(1, height):
        for j in range(width):
            column[i, j] = 0 if lethal[i, j] else min(column[i - 1, j] + 1, far)
    for i in range(height - 2, -1, -1):
        for j in range(width):
            column[i, j] = min(column[i, j], column[i + 1, j] + 1)
    result = np.empty((height, width), np.int32)
    vertex, begin = np.empty(width, np.int32), np.empty(width, np.int32)
    for i in range(height):
        _lower_envelope(column[i], far, vertex, begin, result[i])
    return result


@compiled
def _lower_envelope(column, far, vertex, begin, result):
    """Write the minimum over u of (j - u)^2 + column[u]^2 for all j of a row."""
    width = len(column)
    last = -1
    for u in range(width):
        if column[u] >= far:
            continue
        height = np.int64(column[u]) * column[u] + np.int64(u) * u
        start = np.int64(0)
        while last >= 0:
            v = np.int64(vertex[last])
            below = np.int64(column[v]) * column[v] + v * v
            # From here on u is nearer than v.
            start = (height - below) // (2 * (u - v)) + 1
            if start > begin[last]:
                break
            last -= 1
        if last < 0:
            start = np.int64(0)
        if start < width:
            last += 1
            vertex[last], begin[last] = u, start
    if last < 0:
        for j in range(width):
            result[j] = far * far
        return
    for k in range(last + 1):
        end = begin[k + 1] if k < last else width
        u, rise = vertex[k], column[vertex[k]] * column[vertex[k]]
        for j in range(begin[k], end):
            result[j] = (j - u) * (j - u) + rise


@compiled
def distances_and_costs(squared, unknown, resolution, table, inscribed, no_information):
    """Return distances [m] and costs of cells.

    Args:
        squared: Squared distance to the nearest lethal cell [cells^2]. Shape (height, width).
        unknown: Which cells are. Same shape, bool.
        resolution: Side of a cell [m].
        table: Cost by squared distance; 0 beyond its end. Shape (n,), uint8.
        inscribed: Unknown cells keep their cost unless it is at least this.
        no_information: Cost of unknown cells.
    """
    height, width = squared.shape
    distance = np.empty((height, width), np.float32)
    cost = np.empty((height, width), np.uint8)
    end = len(table)
    for i in range(height):
        for j in range(width):
            d = squared[i, j]
            distance[i, j] = sqrt(d) * resolution
            value = table[d] if d < end else 0
            if unknown[i, j] and value < inscribed:
                value = no_information
            cost[i, j] = value
    return distance, cost
