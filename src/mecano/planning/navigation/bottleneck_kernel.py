"""The narrowest place of the widest route between two cells, compiled."""

import numpy as np

from mecano.core.compiled import compiled


@compiled
def bottleneck(clearance, order, start_row, start_column, goal_row, goal_column):
    """Return the index of the cell that joins start and goal when cells open from wide to narrow.

    Cells join their four neighbours: eight neighbours without corner cutting reach the same cells.
    -1 if the two stay apart.

    Args:
        clearance: Of cells; below 0 they never open. Shape (height, width).
        order: Flat indices from the largest clearance to the smallest.
        start_row: Of one cell.
        start_column: Of it.
        goal_row: Of the other.
        goal_column: Of it.
    """
    height, width = clearance.shape
    start, goal = start_row * width + start_column, goal_row * width + goal_column
    leader = np.full(height * width, -1, np.int64)
    for here in order:
        row, column = here // width, here % width
        if clearance[row, column] < 0:
            return -1
        leader[here] = here
        for k in range(4):
            i, j = row + (k == 0) - (k == 1), column + (k == 2) - (k == 3)
            if 0 <= i < height and 0 <= j < width and leader[i * width + j] >= 0:
                a, b = _root(leader, here), _root(leader, i * width + j)
                if a != b:
                    leader[a] = b
        both = leader[start] >= 0 and leader[goal] >= 0
        if both and _root(leader, start) == _root(leader, goal):
            return here
    return -1


@compiled
def _root(leader, here):
    """Return the leader of a cell's group, shortening the chain to it."""
    while leader[here] != here:
        leader[here] = leader[leader[here]]
        here = leader[here]
    return here
