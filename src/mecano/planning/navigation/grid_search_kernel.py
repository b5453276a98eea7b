"""A* on a grid with eight neighbours and without corner cutting, compiled.

The open list is an array of buckets, each a doubly linked list through the cells, of which the last
cell added is expanded first. Within a bucket the order is not that of the costs, so a cell may be
expanded again; the search ends when no bucket is left that could lead to a better path, so the
result is optimal, and it is the same in every run.
"""

from math import sqrt

import numpy as np

from mecano.core.compiled import compiled

DIAGONAL = sqrt(2.0)
SEARCH, PARENT = 0, 1
BUCKET = 0.5
"""Range of costs in one bucket [cells]."""


@compiled
def search(free, weight, stride, start, goal, largest, links, cost, number):
    """Reach the goal, or all cells, at the least cost; return how many cells were expanded.

    Args:
        free: Which cells may be entered, with a border of blocked ones. Flat, uint8.
        weight: Cost of a cell per length, at least 1; of length 1 if it is 1 everywhere. Flat.
        stride: Cells from one row to the next.
        start: Index of a free cell.
        goal: Index of a free cell, or -1 to reach all cells.
        largest: Of the weights.
        links: Written; needs no clearing from one search to the next. In rows `SEARCH` the number
            of the last search that reached a cell, `PARENT` the cell before it (its own for the
            start), then what the open list needs. Shape (5, cells), int32.
        cost: Of each reached cell [cells]. Written. Flat, float32.
        number: Of this search; no earlier one with these arrays had it.
    """
    search_of, parent, after, before, bucket = links[0], links[1], links[2], links[3], links[4]
    count = int(2.0 * DIAGONAL * (largest + 1.0) / BUCKET) + 3
    heads = np.full(count, -1, np.int32)
    uniform = len(weight) == 1
    goal_row, goal_column = goal // stride, goal % stride
    steps = np.array([1, -1, stride, -stride, stride + 1, stride - 1, 1 - stride, -stride - 1])
    row_steps = np.array([0, 0, 1, -1, 1, 1, -1, -1])
    column_steps = np.array([1, -1, 0, 0, 1, -1, 1, -1])
    best = np.float32(0.0 if start == goal else np.inf)
    search_of[start], parent[start], cost[start] = number, start, 0.0
    level = int(_octile(start // stride - goal_row, start % stride - goal_column, goal) / BUCKET)
    slot = level % count
    heads[slot], after[start], before[start], bucket[start] = start, -1, -1, slot
    waiting, expanded = 1, 0
    while waiting > 0 and level * BUCKET < best:
        here = heads[level % count]
        if here < 0:
            level += 1
            continue
        heads[level % count] = after[here]
        if after[here] >= 0:
            before[after[here]] = -1
        bucket[here] = -1
        waiting -= 1
        expanded += 1
        row, column = here // stride, here % stride
        base = cost[here]
        mine = np.float32(1.0) if uniform else weight[here]
        east, west = free[here + 1], free[here - 1]
        north, south = free[here + stride], free[here - stride]
        for k in range(8):
            there = here + steps[k]
            if free[there] == 0:
                continue
            if k >= 4:
                if k == 4 and not (east and north):
                    continue
                if k == 5 and not (west and north):
                    continue
                if k == 6 and not (east and south):
                    continue
                if k == 7 and not (west and south):
                    continue
            length = np.float32(1.0) if k < 4 else np.float32(DIAGONAL)
            if not uniform:
                length *= np.float32(0.5) * (mine + weight[there])
            reached = base + length
            known = search_of[there] == number
            if known and reached >= cost[there] - np.float32(1e-5):
                continue
            ahead = _octile(
                row + row_steps[k] - goal_row, column + column_steps[k] - goal_column, goal
            )
            if reached + ahead >= best:
                continue
            search_of[there], parent[there], cost[there] = number, here, reached
            if there == goal:
                best = reached
                continue
            slot = int((reached + ahead) / BUCKET) % count
            old = bucket[there] if known else -1
            if old == slot:
                continue
            if old >= 0:
                if before[there] >= 0:
                    after[before[there]] = after[there]
                else:
                    heads[old] = after[there]
                if after[there] >= 0:
                    before[after[there]] = before[there]
                waiting -= 1
            first = heads[slot]
            after[there], before[there], bucket[there] = first, -1, slot
            if first >= 0:
                before[first] = there
            heads[slot] = there
            waiting += 1
    return expanded


@compiled
def _octile(rows, columns, goal):
    """Return the least cost of a path across rows and columns; 0 without a goal."""
    if goal < 0:
        return np.float32(0.0)
    rows, columns = abs(rows), abs(columns)
    if rows < columns:
        rows, columns = columns, rows
    return np.float32(rows) + np.float32(DIAGONAL - 1.0) * np.float32(columns)


@compiled
def bordered(cells):
    """Return cells (height, width) flat, with a border of zeros around them."""
    height, width = cells.shape
    result = np.zeros((height + 2) * (width + 2), cells.dtype)
    for i in range(height):
        start = (i + 1) * (width + 2) + 1
        for j in range(width):
            result[start + j] = cells[i, j]
    return result


@compiled
def trace(parent, stride, start, goal):
    """Return the cells (row, column) from start to a goal that was reached, without the border."""
    count, here = 1, goal
    while here != start:
        here = parent[here]
        count += 1
    result = np.empty((count, 2), np.int64)
    here = goal
    for k in range(count - 1, -1, -1):
        result[k, 0], result[k, 1] = here // stride - 1, here % stride - 1
        here = parent[here]
    return result
