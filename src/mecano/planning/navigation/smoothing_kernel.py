"""Straight lines across the cells of a grid, and shortcuts along them, compiled."""

from math import floor, hypot, inf

import numpy as np

from mecano.core.compiled import compiled

CORNER = 1e-9
"""Borders crossed at the same time, within this share of a line, are crossed at a corner."""


@compiled
def line_cost(free, weight, x, y, u, v):
    """Return the integral of the weight along a straight line [cells]; inf if it meets a wall.

    A line through the corner of cells needs both cells beside it free.

    Args:
        free: Which cells may be entered. Shape (height, width), bool.
        weight: Of cells. Same shape.
        x: Of its start, from the corner of the grid [cells].
        y: The same.
        u: Of its end.
        v: The same.
    """
    height, width = free.shape
    along, across = u - x, v - y
    length = hypot(along, across)
    column, row = floor(x), floor(y)
    right, up = 1 if along > 0.0 else -1, 1 if across > 0.0 else -1
    per_column = 1.0 / abs(along) if along != 0.0 else inf
    per_row = 1.0 / abs(across) if across != 0.0 else inf
    next_column = ((column + (1 if right > 0 else 0)) - x) / along if along != 0.0 else inf
    next_row = ((row + (1 if up > 0 else 0)) - y) / across if across != 0.0 else inf
    gone, total = 0.0, 0.0
    while True:
        if not (0 <= row < height and 0 <= column < width) or not free[row, column]:
            return inf
        leave = min(next_column, next_row, 1.0)
        total += (leave - gone) * length * weight[row, column]
        if leave >= 1.0:
            return total
        gone = leave
        if abs(next_column - next_row) < CORNER:
            side, over = column + right, row + up
            if not (0 <= side < width and 0 <= over < height):
                return inf
            if not (free[row, side] and free[over, column]):
                return inf
            column, row = side, over
            next_column, next_row = next_column + per_column, next_row + per_row
        elif next_column < next_row:
            next_column, column = next_column + per_column, column + right
        else:
            next_row, row = next_row + per_row, row + up


@compiled
def shortcut(free, weight, points):
    """Return which points of a path remain when it is cut short by straight lines.

    From each kept point on, the line reaches as far as it stays free and costs no more than what it
    replaces; a few blocked ends in a row end the trial.

    Args:
        free: Which cells may be entered. Shape (height, width), bool.
        weight: Of cells. Same shape.
        points: x, y from the corner of the grid [cells]. Shape (n, 2).
    """
    count = len(points)
    costs = np.zeros(count)
    for k in range(1, count):
        costs[k] = costs[k - 1] + line_cost(
            free, weight, points[k - 1, 0], points[k - 1, 1], points[k, 0], points[k, 1]
        )
    kept = np.zeros(count, np.bool_)
    kept[0] = kept[count - 1] = True
    here = 0
    while here < count - 1:
        best, misses = here + 1, 0
        for there in range(here + 2, count):
            cost = line_cost(
                free, weight, points[here, 0], points[here, 1], points[there, 0], points[there, 1]
            )
            if cost <= costs[there] - costs[here] + 1e-6:
                best, misses = there, 0
            else:
                misses += 1
                if misses > 10:
                    break
        kept[best] = True
        here = best
    return kept
