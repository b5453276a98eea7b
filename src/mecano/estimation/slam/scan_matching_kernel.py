"""Where a scan fits into a field: branch and bound, then Gauss-Newton, compiled."""

from heapq import heappop, heappush
from math import atan2, cos, floor, sin

import numpy as np

from mecano.core.compiled import compiled
from mecano.estimation.slam.surface_kernel import ALONE, CORNER, LINE


@compiled
def bound(pyramid, level, cells, row, column):
    """Return the sum of a level's values at cells moved by rows and columns."""
    rows, columns = pyramid.shape[1:]
    total = 0
    for i in range(len(cells)):
        r, k = cells[i, 0] + row, cells[i, 1] + column
        if 0 <= r < rows and 0 <= k < columns:
            total += pyramid[level, r, k]
    return total


@compiled
def penalty(low, size, centre, scale):
    """Return the least squared distance of a stretch from a centre, in units of a scale."""
    off = max(low - centre, centre - (low + size - 1), 0.0)
    return (off / scale) ** 2


@compiled
def branch(pyramid, cells, turns, window, prior, weight, apart, budget, keep):
    """Find the shifts and turns at which points meet the field best.

    Args:
        pyramid: Level l holds the maxima over 2^l by 2^l cells from each cell on. Bytes, shape
            (levels, rows, columns).
        cells: Rows and columns of the points at every turn, not shifted. Shape (turns, n, 2).
        turns: Of every row of `cells` from the expected heading, in units of its deviation.
        window: Shifts reach this many cells to all sides.
        prior: Deviation of the shift [cells]; the expected shift is zero.
        weight: Score that is lost per half squared deviation.
        apart: A second answer is this many cells or turns away from the first.
        budget: Blocks to look at before giving up the proof of the best.
        keep: A second answer with less than this share of the best score is of no interest.

    Returns:
        Score (0 to 1, less the penalty), turn, row and column of the best; then the score of
        the best one that is apart from it; then the blocks looked at.
    """
    top = pyramid.shape[0] - 1
    size = 1 << top
    count = cells.shape[1]
    unit = 1.0 / (255.0 * count)
    heap = [(0.0, 0, 0, 0, 0)]
    heap.pop()
    looked = 0
    for turn in range(len(turns)):
        for row in range(-window, window + 1, size):
            for column in range(-window, window + 1, size):
                off = penalty(row, size, 0.0, prior) + penalty(column, size, 0.0, prior)
                off += turns[turn] ** 2
                value = unit * bound(pyramid, top, cells[turn], row, column) - 0.5 * weight * off
                heappush(heap, (-value, top, turn, row, column))
                looked += 1
    best, best_turn, best_row, best_column, second = -1e9, 0, 0, 0, 0.0
    while len(heap) > 0:
        value, level, turn, row, column = heappop(heap)
        if best > -1e8 and (-value < keep * best or looked > budget):
            break
        if level == 0:
            if best <= -1e8:
                best, best_turn, best_row, best_column = -value, turn, row, column
            elif max(abs(row - best_row), abs(column - best_column)) >= apart:
                second = -value
                break
            continue
        level -= 1
        half = 1 << level
        for r in (row, row + half):
            for k in (column, column + half):
                if r > window or k > window:
                    continue
                off = penalty(r, half, 0.0, prior) + penalty(k, half, 0.0, prior)
                off += turns[turn] ** 2
                score = unit * bound(pyramid, level, cells[turn], r, k) - 0.5 * weight * off
                heappush(heap, (-score, level, turn, r, k))
                looked += 1
    return best, best_turn, best_row, best_column, second, looked


@compiled
def turned_cells(points, yaw, turns, x, y, box, cells):
    """Write the cells of points at every turn about where the scanner is expected."""
    for t in range(len(turns)):
        c, s = cos(yaw + turns[t]), sin(yaw + turns[t])
        for i in range(len(points)):
            u = c * points[i, 0] - s * points[i, 1] + x
            v = s * points[i, 0] + c * points[i, 1] + y
            cells[t, i, 0] = floor((v - box[1]) / box[2])
            cells[t, i, 1] = floor((u - box[0]) / box[2])


@compiled
def gather(index, box, known, seen, pose, gate, soft, corner, H, g):
    """Add up the normal equations of returns that lie on lines; return sum, weight and count.

    Args:
        index: Nearest known point of every cell, or -1.
        box: Corner x, y of the grid and side of a cell [m].
        known: Points, normals and kinds of the field.
        seen: Points, normals and kinds of the scan.
        pose: Of the scan: x, y [m], yaw [rad].
        gate: Pairs further apart than this do not count [m].
        soft: Distance at which a pair counts half [m].
        corner: Weight of a pair of corners, against a return on a line.
        H: Left side; written. Shape (3, 3).
        g: Right side; written. Shape (3,).
    """
    points, normals, kinds = known
    own, own_normals, own_kinds = seen
    c, s = cos(pose[2]), sin(pose[2])
    rows, columns = index.shape
    H[:] = 0.0
    g[:] = 0.0
    total, weights, count = 0.0, 0.0, 0
    for i in range(len(own)):
        u, v = c * own[i, 0] - s * own[i, 1], s * own[i, 0] + c * own[i, 1]
        x, y = u + pose[0], v + pose[1]
        r, k = floor((y - box[1]) / box[2]), floor((x - box[0]) / box[2])
        if not (0 <= r < rows and 0 <= k < columns):
            continue
        j = index[r, k]
        if j < 0:
            continue
        dx, dy = x - points[j, 0], y - points[j, 1]
        if dx * dx + dy * dy > gate * gate:
            continue
        if kinds[j] == LINE:
            nx, ny = normals[j, 0], normals[j, 1]
            if own_kinds[i] == LINE:
                mx = c * own_normals[i, 0] - s * own_normals[i, 1]
                my = s * own_normals[i, 0] + c * own_normals[i, 1]
                if nx * mx + ny * my < 0.75:
                    continue
            distance = nx * dx + ny * dy
            w = 1.0 / (1.0 + (distance / soft) ** 2)
            turn = ny * u - nx * v
            _add(H, g, nx, ny, turn, distance, w)
            total += w * distance * distance
            weights += w
        elif kinds[j] == CORNER and own_kinds[i] != ALONE:
            w = corner / (1.0 + (dx * dx + dy * dy) / (soft * soft))
            _add(H, g, 1.0, 0.0, -v, dx, w)
            _add(H, g, 0.0, 1.0, u, dy, w)
            total += w * (dx * dx + dy * dy)
            weights += w
        count += 1
    return total, weights, count


@compiled
def _add(H, g, a, b, t, r, w):
    """Add one residual with its three derivatives."""
    H[0, 0] += w * a * a
    H[0, 1] += w * a * b
    H[0, 2] += w * a * t
    H[1, 1] += w * b * b
    H[1, 2] += w * b * t
    H[2, 2] += w * t * t
    g[0] += w * a * r
    g[1] += w * b * r
    g[2] += w * t * r


@compiled
def solve(H, g, out):
    """Solve three symmetric equations by Cholesky; say whether the matrix was positive."""
    a = H[0, 0]
    if a <= 0.0:
        return False
    l00 = a**0.5
    l10, l20 = H[0, 1] / l00, H[0, 2] / l00
    b = H[1, 1] - l10 * l10
    if b <= 0.0:
        return False
    l11 = b**0.5
    l21 = (H[1, 2] - l20 * l10) / l11
    d = H[2, 2] - l20 * l20 - l21 * l21
    if d <= 0.0:
        return False
    l22 = d**0.5
    p = g[0] / l00
    q = (g[1] - l10 * p) / l11
    r = (g[2] - l20 * p - l21 * q) / l22
    out[2] = r / l22
    out[1] = (q - l21 * out[2]) / l11
    out[0] = (p - l10 * out[1] - l20 * out[2]) / l00
    return True


@compiled
def _forget_slide(H, blur):
    """Take from the least certain direction what noise of the walls' directions pretends to know.

    Args:
        H: Information; changed. Shape (3, 3).
        blur: Share of the information in the surest direction that shows up across it.
    """
    a, b, c = H[0, 0], H[0, 1], H[1, 1]
    root = (0.25 * (a - c) * (a - c) + b * b) ** 0.5
    low, high = 0.5 * (a + c) - root, 0.5 * (a + c) + root
    if low <= 0.0 or root <= 0.0:
        return
    left = max(1.0 - blur * high / low, 0.02) ** 0.5
    x, y = (b, low - a) if a > c else (low - c, b)
    size = (x * x + y * y) ** 0.5
    if size <= 0.0:
        x, y, size = (0.0, 1.0, 1.0) if a > c else (1.0, 0.0, 1.0)
    x, y = x / size, y / size
    for k in range(3):  # rows, then columns, shrink along that direction
        along = (1.0 - left) * (x * H[0, k] + y * H[1, k])
        H[0, k] -= along * x
        H[1, k] -= along * y
    for k in range(3):
        along = (1.0 - left) * (x * H[k, 0] + y * H[k, 1])
        H[k, 0] -= along * x
        H[k, 1] -= along * y


@compiled
def refine(
    index, box, known, seen, start, expected, trust, sigma, gates, soft, corner, blur, H, pose
):
    """Slide a scan onto the lines of a field by Gauss-Newton steps.

    Args:
        index: Nearest known point of every cell, or -1.
        box: Corner x, y of the grid and side of a cell [m].
        known: Points, normals and kinds of the field.
        seen: Points, normals and kinds of the scan.
        start: Where to begin: x, y [m], yaw [rad].
        expected: Where it should be by odometry.
        trust: Information of that. Shape (3, 3).
        sigma: Deviation of a return from its line [m].
        gates: Largest distance of a pair in each step [m]. Shape (steps,).
        soft: Distance at which a pair counts half [m].
        corner: Weight of a pair of corners.
        blur: Information along a wall that is only noise of its direction, per information across.
        H: Information of the scan alone, without `trust`; written. Shape (3, 3).
        pose: Where it ended; written. Shape (3,).

    Returns:
        Root mean square of the weighted distances [m] and the share of returns with a partner.
    """
    g, step, A, b = np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.zeros(3)
    pose[:] = start
    scale = 1.0 / (sigma * sigma)
    for gate in gates:
        gather(index, box, known, seen, pose, gate, soft, corner, H, g)
        off = pose[2] - expected[2]
        off = atan2(sin(off), cos(off))
        for i in range(3):
            for j in range(i, 3):
                A[i, j] = scale * H[i, j] + trust[i, j]
            b[i] = scale * g[i] + trust[i, 0] * (pose[0] - expected[0])
            b[i] += trust[i, 1] * (pose[1] - expected[1]) + trust[i, 2] * off
        if not solve(A, b, step):
            break
        pose[:] -= step
        if step[0] ** 2 + step[1] ** 2 < 1e-9 and step[2] ** 2 < 1e-9 and gate == gates[-1]:
            break
    total, weights, count = gather(index, box, known, seen, pose, gates[-1], soft, corner, H, g)
    for i in range(3):
        for j in range(i, 3):
            H[i, j] = H[j, i] = scale * H[i, j]
    _forget_slide(H, blur)
    pose[2] = atan2(sin(pose[2]), cos(pose[2]))
    return (total / max(weights, 1e-12)) ** 0.5, count / max(len(seen[0]), 1)
