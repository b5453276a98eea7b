"""A* over cells and headings with the outline of a base, compiled."""

from math import ceil, hypot, inf, pi

import numpy as np

from mecano.core.compiled import compiled
from mecano.planning.navigation.footprint_kernel import is_free
from mecano.planning.navigation.heap_kernel import pop, push

FREE, BLOCKED = 1, 2


@compiled
def stands(state, fits, distance, cell, headings, normals, offsets, inscribed, circumscribed):
    """Say whether the outline is free at a state, and remember it in `fits`."""
    if fits[state] == 0:
        place, heading = state // headings, state % headings
        width = distance.shape[1]
        x, y = (place % width + 0.5) * cell, (place // width + 0.5) * cell
        free = is_free(
            distance, cell, normals, offsets, inscribed, circumscribed,
            x, y, heading * 2.0 * pi / headings,
        )  # fmt: skip
        fits[state] = FREE if free else BLOCKED
    return fits[state] == FREE


@compiled
def turn_is_free(
    distance, cell, normals, offsets, inscribed, circumscribed, x, y, yaw, turn
):  # fmt: skip
    """Say whether the outline is free while the base turns on the spot by an angle."""
    count = max(1, ceil(abs(turn) * circumscribed / cell))
    for k in range(1, count + 1):
        if not is_free(
            distance, cell, normals, offsets, inscribed, circumscribed, x, y, yaw + turn * k / count
        ):  # fmt: skip
            return False
    return True


@compiled
def search_states(
    free, weight, ahead, distance, cell, normals, offsets, inscribed, circumscribed,
    moves, factors, headings, turn_cost, seeds, goals, parent, cost, fits,
):  # fmt: skip
    """Reach a goal from some states at the least cost; return it, or -1.

    Args:
        free: Which cells the base's centre may be in. Shape (height, width), bool.
        weight: Cost of cells per length. Same shape.
        ahead: Least cost from each cell to the goal [cells]; infinite if it cannot be reached.
        distance: To the nearest obstacle [m]. Same shape.
        cell: Side of a cell [m].
        normals: Of the outline, see `is_free`.
        offsets: Of the outline.
        inscribed: Its radius [m].
        circumscribed: Its radius [m].
        moves: Rows and columns by which a base moves at each heading. Shape (headings, m, 2).
        factors: Cost of each move over its length; 0 where there is none. Shape (headings, m).
        headings: How many.
        turn_cost: Of a turn from one heading to the next [cells].
        seeds: States to start from.
        goals: States to reach.
        parent: State before each, plus 1; 0 is not reached, its own for seeds. Written.
        cost: Of each reached state. Written.
        fits: 0 unknown, else whether the outline is free. Written.
    """
    height, width = free.shape
    keys, values = np.empty(1024, np.float32), np.empty(1024, np.int64)
    count = 0
    for seed in seeds:
        parent[seed], cost[seed] = seed + 1, 0.0
        place = seed // headings
        keys, values = push(keys, values, count, ahead[place // width, place % width], seed)
        count += 1
    while count > 0:
        key, state = keys[0], values[0]
        pop(keys, values, count)
        count -= 1
        for goal in goals:
            if state == goal:
                return state
        place, heading = state // headings, state % headings
        row, column = place // width, place % width
        base = cost[state]
        if key > base + ahead[row, column] + np.float32(1e-3):
            continue  # an older entry
        for k in range(moves.shape[1] + 2):
            if k < moves.shape[1]:
                if factors[heading, k] == 0.0:
                    continue
                i, j = row + moves[heading, k, 0], column + moves[heading, k, 1]
                if not (0 <= i < height and 0 <= j < width) or not free[i, j]:
                    continue
                there = (i * width + j) * headings + heading
                length = hypot(moves[heading, k, 0], moves[heading, k, 1]) * factors[heading, k]
                reached = base + length * 0.5 * (weight[row, column] + weight[i, j])
            else:
                side = 1 if k == moves.shape[1] else headings - 1
                i, j = row, column
                there = place * headings + (heading + side) % headings
                reached = base + turn_cost
            if ahead[i, j] == inf:
                continue
            if parent[there] != 0 and reached >= cost[there] - 1e-4:
                continue
            if not stands(
                there, fits, distance, cell, headings, normals, offsets, inscribed, circumscribed
            ):  # fmt: skip
                continue
            if distance[row, column] <= circumscribed + 2.0 * cell and not _sweep_is_free(
                distance, cell, normals, offsets, inscribed, circumscribed,
                row, column, i, j, heading, headings, k - moves.shape[1],
            ):  # fmt: skip
                continue
            parent[there], cost[there] = state + 1, reached
            keys, values = push(keys, values, count, np.float32(reached + ahead[i, j]), there)
            count += 1
    return -1


@compiled
def _sweep_is_free(
    distance, cell, normals, offsets, inscribed, circumscribed,
    row, column, i, j, heading, headings, turn,
):  # fmt: skip
    """Say whether the outline is free between two neighbouring states; the ends are known."""
    step = 2.0 * pi / headings
    yaw = heading * step
    x, y = (column + 0.5) * cell, (row + 0.5) * cell
    if turn >= 0:
        return turn_is_free(
            distance, cell, normals, offsets, inscribed, circumscribed,
            x, y, yaw, step if turn == 0 else -step,
        )  # fmt: skip
    if abs(i - row) < 2 and abs(j - column) < 2:
        return True
    return is_free(
        distance, cell, normals, offsets, inscribed, circumscribed,
        0.5 * (x + (j + 0.5) * cell), 0.5 * (y + (i + 0.5) * cell), yaw,
    )  # fmt: skip
