"""Scans drawn into a grid of log odds, compiled."""

from math import cos, floor, inf, sin

from mecano.core.compiled import compiled


@compiled
def extent(poses, ranges, starts, beams, limits, box):
    """Write the smallest and largest column and row that scans reach [cells]. Shape (4,).

    Other arguments are those of `draw_scans`.
    """
    box[0] = box[1] = inf
    box[2] = box[3] = -inf
    for k in range(len(poses)):
        x, y, yaw = poses[k, 0], poses[k, 1], poses[k, 2]
        _widen(box, x, y)
        for i in range(starts[k], starts[k + 1]):
            r = _cleared(ranges[i], limits[k])
            if r > 0.0:
                angle = yaw + beams[k, 0] + (i - starts[k]) * beams[k, 1]
                _widen(box, x + r * cos(angle), y + r * sin(angle))


@compiled
def _widen(box, x, y):
    box[0], box[1] = min(box[0], x), min(box[1], y)
    box[2], box[3] = max(box[2], x), max(box[3], y)


@compiled
def _cleared(r, limits):
    """Return how far a beam clears its way [cells]; negative if it says nothing."""
    if r == inf:
        return limits[2]
    if limits[0] <= r <= limits[1]:
        return min(r, limits[3])
    return -1.0


@compiled
def draw_scans(cells, marks, first_mark, poses, ranges, starts, beams, limits, changes):
    """Add scans to a grid, one after the other. Within a scan a cell changes at most once.

    Args:
        cells: Log odds, NaN where unknown; changed. Shape (height, width), float32.
        marks: Which scan changed a cell last; changed. Shape (height, width), int32.
        first_mark: Of the first scan; larger than all marks.
        poses: Of the scanner: column, row [cells], yaw [rad]. Shape (n, 3).
        ranges: Of all scans, one after the other [cells].
        starts: Where the ranges of each scan begin. Shape (n + 1,).
        beams: First direction and step [rad] of each scan. Shape (n, 2).
        limits: Nearest and furthest return, how far a beam without return clears, how far any
            beam counts [cells]. Shape (n, 4).
        changes: Of a hit, of a miss, lowest and highest value. Shape (4,), float32.
    """
    hit, miss, lowest, highest = changes[0], changes[1], changes[2], changes[3]
    for k in range(len(poses)):
        mark = first_mark + k
        x, y, yaw = poses[k, 0], poses[k, 1], poses[k, 2]
        nearest, furthest, longest = limits[k, 0], limits[k, 1], limits[k, 3]
        begin, end = starts[k], starts[k + 1]
        for i in range(begin, end):
            r = ranges[i]
            if not (nearest <= r <= furthest and r <= longest):
                continue
            angle = yaw + beams[k, 0] + (i - begin) * beams[k, 1]
            column, row = floor(x + r * cos(angle)), floor(y + r * sin(angle))
            if marks[row, column] != mark:
                marks[row, column] = mark
                _change(cells, row, column, hit, lowest, highest)
        for i in range(begin, end):
            r = _cleared(ranges[i], limits[k])
            if r < 0.0:
                continue
            angle = yaw + beams[k, 0] + (i - begin) * beams[k, 1]
            _clear(cells, marks, mark, x, y, cos(angle), sin(angle), r, miss, lowest, highest)


@compiled
def _change(cells, row, column, by, lowest, highest):
    value = cells[row, column]
    if value != value:
        value = by - by
    cells[row, column] = min(max(value + by, lowest), highest)


@compiled
def _clear(cells, marks, mark, x, y, dx, dy, length, miss, lowest, highest):
    """Walk from cell to cell along a ray, over each border that it crosses, and clear them."""
    column, row = floor(x), floor(y)
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    next_x = next_y = gap_x = gap_y = inf
    if dx != 0.0:
        gap_x = abs(1.0 / dx)
        next_x = (column + (1 if dx > 0.0 else 0) - x) / dx
    if dy != 0.0:
        gap_y = abs(1.0 / dy)
        next_y = (row + (1 if dy > 0.0 else 0) - y) / dy
    while True:
        if marks[row, column] != mark:
            marks[row, column] = mark
            _change(cells, row, column, miss, lowest, highest)
        if min(next_x, next_y) >= length:
            return
        if next_x < next_y:
            column += step_x
            next_x += gap_x
        else:
            row += step_y
            next_y += gap_y
