"""Where a scan fits into a field: branch and bound, then Gauss-Newton, compiled."""

from heapq import heappop, heappush
from math import atan2, cos, floor, sin

import numpy as np

from mecano.core.compiled import compiled
from mecano.estimation.slam.surface_kernel import ALONE, CORNER, LINE

STRETCH = 16
"""Points that are added up before a sum is given up that cannot become large enough."""


@compiled
def bound(layer, cells, row, column, enough):
    """Return the sum of a layer's values at cells moved by rows and columns.

    Where the sum cannot reach `enough`, something that is less than `enough` comes back.
    """
    rows, columns = np.uint64(layer.shape[0]), np.uint64(layer.shape[1])
    count = len(cells)
    total, begin = 0, 0
    while begin < count:
        end = min(begin + STRETCH, count)
        for i in range(begin, end):
            r, k = cells[i, 0] + row, cells[i, 1] + column
            if np.uint64(r) < rows and np.uint64(k) < columns:  # negative ones are huge
                total += layer[np.uint64(r), np.uint64(k)]
        if total + 255 * (count - end) < enough:
            return total + 255 * (count - end)
        begin = end
    return total


@compiled
def penalty(low, size, centre, scale):
    """Return the least squared distance of a stretch from a centre, in units of a scale."""
    off = max(low - centre, centre - (low + size - 1), 0.0)
    return (off / scale) ** 2


@compiled
def score(pyramid, level, cells, turns, turn, row, column, prior, weight, least):
    """Return the best score that a block of shifts may have, or one below `least` if it is lower.

    Other arguments are those of `branch`.
    """
    size = 1 << level
    off = penalty(row, size, 0.0, prior) + penalty(column, size, 0.0, prior)
    off += turns[turn] ** 2
    unit = 1.0 / (255.0 * cells.shape[1])
    enough = (least + 0.5 * weight * off) / unit - 1.0
    return unit * bound(pyramid[level], cells[turn], row, column, enough) - 0.5 * weight * off


@compiled
def branch(pyramid, cells, turns, window, prior, weight, apart, budget, keep, floor):
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
        floor: Nor is any answer with a lower score than this.

    Returns:
        Score (0 to 1, less the penalty), turn, row and column of the best; then the score of
        the best one that is apart from it; then the blocks looked at. If no score reaches the
        floor, the first is very negative.
    """
    top = pyramid.shape[0] - 1
    size = 1 << top
    heap = [(0.0, 0, 0, 0, 0)]
    heap.pop()
    value = score(pyramid, 0, cells, turns, 0, 0, 0, prior, weight, -1e9)
    least = max(
        floor, min(value, keep * value)
    )  # what is below is neither the best nor worth naming
    looked = 0
    for turn in range(len(turns)):
        for row in range(-window, window + 1, size):
            for column in range(-window, window + 1, size):
                value = score(pyramid, top, cells, turns, turn, row, column, prior, weight, least)
                looked += 1
                if value >= least:
                    heappush(heap, (-value, top, turn, row, column))
                    if top == 0:
                        least = max(least, min(value, keep * value))
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
                value = score(pyramid, level, cells, turns, turn, r, k, prior, weight, least)
                looked += 1
                if value >= least:
                    heappush(heap, (-value, level, turn, r, k))
                    if level == 0:
                        least = max(least, min(value, keep * value))
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
        H: Left side, upper triangle; written. Shape (3, 3).
        g: Right side; written. Shape (3,).
    """
    points, normals, kinds = known
    own, own_normals, own_kinds = seen
    c, s = cos(pose[2]), sin(pose[2])
    rows, columns = np.uint64(index.shape[0]), np.uint64(index.shape[1])
    per_metre = 1.0 / box[2]
    xx = xy = xt = yy = yt = tt = gx = gy = gt = 0.0  # in registers, not in H and g
    total, weights, count = 0.0, 0.0, 0
    for i in range(len(own)):
        u, v = c * own[i, 0] - s * own[i, 1], s * own[i, 0] + c * own[i, 1]
        x, y = u + pose[0], v + pose[1]
        r = np.uint64(floor((y - box[1]) * per_metre))  # negative ones become huge
        k = np.uint64(floor((x - box[0]) * per_metre))
        if not (r < rows and k < columns):
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
            t = ny * u - nx * v
            wx, wy, wt = w * nx, w * ny, w * t
            xx, xy, xt = xx + wx * nx, xy + wx * ny, xt + wx * t
            yy, yt, tt = yy + wy * ny, yt + wy * t, tt + wt * t
            gx, gy, gt = gx + wx * distance, gy + wy * distance, gt + wt * distance
            total += w * distance * distance
            weights += w
        elif kinds[j] == CORNER and own_kinds[i] != ALONE:
            w = corner / (1.0 + (dx * dx + dy * dy) / (soft * soft))
            wu, wv = w * u, w * v
            xx, xt, yy, yt = xx + w, xt - wv, yy + w, yt + wu
            tt = tt + wv * v + wu * u
            gx, gy, gt = gx + w * dx, gy + w * dy, gt - wv * dx + wu * dy
            total += w * (dx * dx + dy * dy)
            weights += w
        count += 1
    H[0, 0], H[0, 1], H[0, 2], H[1, 1], H[1, 2], H[2, 2] = xx, xy, xt, yy, yt, tt
    g[0], g[1], g[2] = gx, gy, gt
    return total, weights, count


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
