"""Maps of many particles in shared tiles, and scans matched to them; compiled.

A tile holds SIDE x SIDE cells of four numbers: returns in the cell, beams that crossed or ended in
it, and the sums of the returns' places [cells]. `table[p, row, column]` says which tile of the pool
particle p has there, -1 for none. Copies of a particle share its tiles until one of them writes.
"""

from math import cos, exp, floor, inf, sin

import numpy as np

from mecano.core.compiled import compiled

SIDE, SHIFT, REST = 32, 5, 31
"""Cells along a tile; a cell's tile is its number >> SHIFT, its place in it number & REST."""
HITS, VISITS, SUM_X, SUM_Y = 0, 1, 2, 3
FULL = 0.1
"""A cell with a larger share of returns is occupied: beams that graze it cross it too."""
CLIMBING = 90
"""Returns that the search for the best pose uses, evenly taken, or up to twice as many; the weight
uses all."""
AROUND = 1
"""Cells around the end of a beam that are looked at, to each side."""


@compiled
def _is_full(pool, table, row, column):
    """Tell whether enough beams ended in a cell; not so where nothing is known."""
    tile_row, tile_column = row >> SHIFT, column >> SHIFT
    if not (0 <= tile_row < table.shape[0] and 0 <= tile_column < table.shape[1]):
        return False
    tile = table[tile_row, tile_column]
    if tile < 0:
        return False
    r, c = row & REST, column & REST
    return pool[tile, r, c, HITS] > FULL * pool[tile, r, c, VISITS]


@compiled
def _squared_miss(pool, table, x, y, dx, dy):
    """Return how far a return is from the nearest known one around it, squared [cells2].

    Only cells count whose neighbour towards the scanner is not occupied: the front of a wall.
    Infinite if there is none.
    """
    best = inf
    column, row = floor(x), floor(y)
    before_column, before_row = floor(x - 1.5 * dx) - column, floor(y - 1.5 * dy) - row
    for r in range(row - AROUND, row + AROUND + 1):
        for c in range(column - AROUND, column + AROUND + 1):
            if not _is_full(pool, table, r, c):
                continue
            tile, i, j = table[r >> SHIFT, c >> SHIFT], r & REST, c & REST
            hits = pool[tile, i, j, HITS]
            off_x = x - pool[tile, i, j, SUM_X] / hits
            off_y = y - pool[tile, i, j, SUM_Y] / hits
            miss = off_x * off_x + off_y * off_y
            if miss < best and not _is_full(pool, table, r + before_row, c + before_column):
                best = miss
    return best


@compiled
def fit(pool, table, pose, points, sigma):
    """Return how well a scan fits a map at a pose of the scanner: score, log likelihood, share.

    Args:
        pool: Tiles of all particles. Shape (n, SIDE, SIDE, 4).
        table: Tiles of this particle. Shape (rows, columns).
        pose: Of the scanner: column, row [cells], yaw [rad].
        points: Returns seen from the scanner [cells]. Shape (m, 2).
        sigma: Of a return [cells].
    """
    x, y, c, s = pose[0], pose[1], cos(pose[2]), sin(pose[2])
    score, likelihood, met = 0.0, 0.0, 0
    worst = -0.5 * ((AROUND + 1.0) / sigma) ** 2
    for k in range(len(points)):
        along, aside = points[k, 0], points[k, 1]
        dx, dy = c * along - s * aside, s * along + c * aside
        reach = (dx * dx + dy * dy) ** 0.5
        miss = _squared_miss(pool, table, x + dx, y + dy, dx / reach, dy / reach)
        if miss == inf:
            likelihood += worst
            continue
        met += 1
        likelihood += max(worst, -0.5 * miss / (sigma * sigma))
        score += exp(-0.5 * miss / (sigma * sigma))
    return score, likelihood, met / max(1, len(points))


@compiled
def climb(pool, table, pose, points, sigma, step, turn, refinements):
    """Move a pose uphill in the score, six directions at a time, with halved steps; in place."""
    best = fit(pool, table, pose, points, sigma)[0]
    trial, chosen = pose.copy(), pose.copy()
    for _ in range(refinements):
        climbing = True
        while climbing:
            climbing = False
            chosen[:] = pose
            for direction in range(6):
                axis, by = direction // 2, 1.0 - 2.0 * (direction % 2)
                trial[:] = pose
                trial[axis] += by * (turn if axis == 2 else step)
                score = fit(pool, table, trial, points, sigma)[0]
                if score > best + 1e-9:
                    best, climbing = score, True
                    chosen[:] = trial
            pose[:] = chosen
        step, turn = 0.5 * step, 0.5 * turn


@compiled
def match_all(pool, tables, poses, points, sigma, step, turn, refinements, min_share, answers):
    """Match a scan to the maps of all particles.

    Args:
        pool: Tiles.
        tables: Of all particles. Shape (n, rows, columns).
        poses: Of the scanner: column, row [cells], yaw [rad]; moved. Shape (n, 3).
        points: Returns seen from the scanner [cells]. Shape (m, 2).
        sigma: Of a return [cells].
        step: First step [cells].
        turn: First turn [rad].
        refinements: Times that both are halved.
        min_share: A match that explains a smaller share of the returns is not used.
        answers: Log likelihood and share of each; written. Shape (n, 2).
    """
    few = points[:: max(1, len(points) // CLIMBING)].copy()
    for p in range(len(poses)):
        trial = poses[p].copy()
        climb(pool, tables[p], trial, few, sigma, step, turn, refinements)
        _, likelihood, share = fit(pool, tables[p], trial, points, sigma)
        if share >= min_share:
            poses[p] = trial
        else:
            _, likelihood, share = fit(pool, tables[p], poses[p], points, sigma)
        answers[p, 0], answers[p, 1] = likelihood, share


@compiled
def _writable(pool, references, free, count, table, row, column):
    """Return the tile of a cell for writing: made if there is none, copied if it is shared."""
    tile_row, tile_column = row >> SHIFT, column >> SHIFT
    tile = table[tile_row, tile_column]
    if tile >= 0 and references[tile] == 1:
        return tile
    count[0] -= 1
    new = free[count[0]]
    if tile < 0:
        pool[new] = 0.0
    else:
        pool[new] = pool[tile]
        references[tile] -= 1
    references[new] = 1
    table[tile_row, tile_column] = new
    return new


@compiled
def draw(pool, references, free, count, table, pose, points, first):
    """Draw returns from a pose of the scanner into a map; return where it ran out of tiles.

    Each beam counts in every cell that it crosses, and as a return in the one where it ends. A beam
    is begun only if there are tiles for all cells it may cross; call again with more.

    Args:
        pool: Tiles.
        references: How many particles have each tile. Shape (n,).
        free: Numbers of unused tiles; the first `count[0]`.
        count: Shape (1,).
        table: Tiles of this particle. Shape (rows, columns).
        pose: Of the scanner: column, row [cells], yaw [rad].
        points: Returns seen from the scanner [cells]. Shape (m, 2).
        first: Beam to begin with.
    """
    x, y, c, s = pose[0], pose[1], cos(pose[2]), sin(pose[2])
    for k in range(first, len(points)):
        along, aside = points[k, 0], points[k, 1]
        dx, dy = c * along - s * aside, s * along + c * aside
        reach = max(abs(dx), abs(dy))
        if count[0] < 2 * (reach / SIDE + 2):
            return k
        end_x, end_y = x + dx, y + dy
        steps = int(reach) + 1
        last_row, last_column = floor(end_y), floor(end_x)
        row, column = -1, -1
        for i in range(steps):
            part = i / steps
            next_row, next_column = floor(y + part * dy), floor(x + part * dx)
            if next_row == last_row and next_column == last_column:
                break
            if next_row == row and next_column == column:
                continue
            row, column = next_row, next_column
            tile = _writable(pool, references, free, count, table, row, column)
            pool[tile, row & REST, column & REST, VISITS] += np.float32(1.0)
        tile = _writable(pool, references, free, count, table, last_row, last_column)
        cell = pool[tile, last_row & REST, last_column & REST]
        cell[HITS] += np.float32(1.0)
        cell[VISITS] += np.float32(1.0)
        cell[SUM_X] += np.float32(end_x)
        cell[SUM_Y] += np.float32(end_y)
    return len(points)
