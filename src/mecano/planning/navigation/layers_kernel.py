"""Marking and clearing of an obstacle layer, compiled.

A cell holds a column of 32 height bins, one bit each: a ray clears the bins that it passes, so a
scan near the floor does not clear a table top that a camera has marked.
"""

from math import floor, hypot, inf

import numpy as np

from mecano.core.compiled import compiled

BINS = 32
"""Height bins of a cell."""


@compiled
def bin_mask(low, high, thickness):
    """Return the bits of the bins between two heights [m]; 0 if both are outside."""
    first, last = floor(min(low, high) / thickness), floor(max(low, high) / thickness)
    if last < 0 or first >= BINS:
        return np.uint32(0)
    first, last = max(first, 0), min(last, BINS - 1)
    count = last - first + 1
    return np.uint32(((1 << count) - 1) << first)


@compiled
def clear_rays(columns, seen, cell, thickness, origin, ends, hits, thin):
    """Clear what rays pass, and say which cells they saw.

    Args:
        columns: Bits of the marked bins. Written. Shape (height, width), uint32.
        seen: Set where a ray passed. Written. Same shape, bool.
        cell: Side of a cell [m].
        thickness: Of a height bin [m].
        origin: Where the rays begin, from the corner of the grid and from the floor [m]. Shape (3,)
        ends: Where they end [m]. Shape (n, 3).
        hits: Whether something is there: then the last cell is left. Shape (n,), bool.
        thin: Trace one ray to each bin only, for dense clouds.
    """
    height, width = columns.shape
    traced = np.zeros((height, width) if thin else (1, 1), np.uint32)
    x, y, z = origin[0] / cell, origin[1] / cell, origin[2]
    for k in range(len(ends)):
        u, v, w = ends[k, 0] / cell - x, ends[k, 1] / cell - y, ends[k, 2] - z
        length = hypot(u, v)
        first, last = _inside(x, u, width, 0.0, 1.0)
        first, last = _inside(y, v, height, first, last)
        if length == 0.0 or not first < last:
            continue
        hit = hits[k] and last == 1.0
        row = min(max(floor(y + last * v), 0), height - 1)
        column = min(max(floor(x + last * u), 0), width - 1)
        if thin:
            bit = bin_mask(z + last * w, z + last * w, thickness)
            if traced[row, column] & bit:
                continue
            traced[row, column] |= bit
        _clear_ray(columns, seen, thickness, x, y, z, u, v, w, first, last, hit, row, column)


@compiled
def _inside(start, along, size, first, last):
    """Return the part of a ray, from 0 to 1, that is between 0 and `size` on one axis."""
    if along == 0.0:
        return (first, last) if 0.0 <= start < size else (1.0, 0.0)
    a, b = -start / along, (size - start) / along
    return max(first, min(a, b)), min(last, max(a, b))


@compiled
def _clear_ray(columns, seen, thickness, x, y, z, u, v, w, first, last, hit, end_row, end_column):
    """Walk from cell to cell over each border that a ray crosses, clearing the bins on it."""
    height, width = columns.shape
    right, up = 1 if u > 0.0 else -1, 1 if v > 0.0 else -1
    per_column = 1.0 / abs(u) if u != 0.0 else inf
    per_row = 1.0 / abs(v) if v != 0.0 else inf
    column = min(max(floor(x + first * u), 0), width - 1)
    row = min(max(floor(y + first * v), 0), height - 1)
    next_column = ((column + (1 if right > 0 else 0)) - x) / u if u != 0.0 else inf
    next_row = ((row + (1 if up > 0 else 0)) - y) / v if v != 0.0 else inf
    gone = first
    while gone < last and 0 <= row < height and 0 <= column < width:
        if hit and row == end_row and column == end_column:
            return
        leave = min(next_column, next_row, last)
        columns[row, column] &= ~bin_mask(z + gone * w, z + leave * w, thickness)
        seen[row, column] = True
        gone = leave
        if next_column < next_row:
            next_column, column = next_column + per_column, column + right
        else:
            next_row, row = next_row + per_row, row + up


@compiled
def mark_points(columns, seen, cell, thickness, points):
    """Mark the bins of points; those beyond the grid are left out.

    Args:
        columns: Bits of the marked bins. Written. Shape (height, width), uint32.
        seen: Set where a point is. Written. Same shape, bool.
        cell: Side of a cell [m].
        thickness: Of a height bin [m].
        points: From the corner of the grid and from the floor [m]. Shape (n, 3).
    """
    height, width = columns.shape
    for k in range(len(points)):
        column, row = floor(points[k, 0] / cell), floor(points[k, 1] / cell)
        if 0 <= row < height and 0 <= column < width:
            level = min(max(floor(points[k, 2] / thickness), 0), BINS - 1)
            columns[row, column] |= np.uint32(1 << level)
            seen[row, column] = True


@compiled
def clear_polygon(columns, cell, normals, offsets, rows, columns_range):
    """Clear the cells whose centres lie in a convex polygon.

    Args:
        columns: Written. Shape (height, width), uint32.
        cell: Side of a cell [m].
        normals: Outward, of its sides, from the corner of the grid. Shape (k, 2).
        offsets: Inside is where normal . point <= offset [m]. Shape (k,).
        rows: First and one after the last row to look at.
        columns_range: The same of columns.
    """
    for i in range(rows[0], rows[1]):
        for j in range(columns_range[0], columns_range[1]):
            inside = True
            for k in range(len(offsets)):
                x, y = (j + 0.5) * cell, (i + 0.5) * cell
                if normals[k, 0] * x + normals[k, 1] * y > offsets[k]:
                    inside = False
                    break
            if inside:
                columns[i, j] = 0
