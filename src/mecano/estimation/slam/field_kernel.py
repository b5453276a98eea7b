"""Points drawn into grids that are looked up: the nearest point, and how near it is, compiled."""

from math import cos, floor, inf, sin

import numpy as np

from mecano.core.compiled import compiled


@compiled
def extent(points, starts, members, poses, box):
    """Write the smallest and largest x and y of some clouds at their poses [m]. Shape (4,)."""
    box[0] = box[1] = inf
    box[2] = box[3] = -inf
    for m in range(len(members)):
        c, s = cos(poses[m, 2]), sin(poses[m, 2])
        for i in range(starts[members[m]], starts[members[m] + 1]):
            x = c * points[i, 0] - s * points[i, 1] + poses[m, 0]
            y = s * points[i, 0] + c * points[i, 1] + poses[m, 1]
            box[0], box[2] = min(box[0], x), max(box[2], x)
            box[1], box[3] = min(box[1], y), max(box[3], y)


@compiled
def thin(points, normals, kinds, starts, members, poses, grid, box, kept, count):
    """Move clouds to their poses and keep the first return in every cell; return how many.

    A return of a better kind is also kept where so far there is one of a worse.

    Args:
        points: Of all clouds [m]. Shape (n, 2).
        normals: Shape (n, 2).
        kinds: Line, corner or alone. Shape (n,), bytes.
        starts: Where each cloud begins, and where the last one ends.
        members: Clouds to take, the most trusted first.
        poses: Of those: x, y [m], yaw [rad]. Shape (members, 3).
        grid: One more than the kind of return that a cell has, or 0; changed.
        box: Corner x, y of the grid and side of a cell [m].
        kept: Points, normals and kinds; written.
        count: Points that are kept already.
    """
    out, out_normals, out_kinds = kept
    rows, columns = grid.shape
    for m in range(len(members)):
        c, s = cos(poses[m, 2]), sin(poses[m, 2])
        for i in range(starts[members[m]], starts[members[m] + 1]):
            x = c * points[i, 0] - s * points[i, 1] + poses[m, 0]
            y = s * points[i, 0] + c * points[i, 1] + poses[m, 1]
            row, column = floor((y - box[1]) / box[2]), floor((x - box[0]) / box[2])
            if not (0 <= row < rows and 0 <= column < columns):
                continue
            rank = kinds[i] + 1
            if grid[row, column] >= rank:
                continue
            grid[row, column] = rank
            out[count, 0], out[count, 1] = x, y
            out_normals[count, 0] = c * normals[i, 0] - s * normals[i, 1]
            out_normals[count, 1] = s * normals[i, 0] + c * normals[i, 1]
            out_kinds[count] = kinds[i]
            count += 1
    return count


@compiled
def draw_nearest(index, near, points, first, box, reach):
    """Note in every cell the point nearest to its middle, if one is near.

    Args:
        index: Row of the point, or -1; changed. Shape (rows, columns).
        near: Squared distance of that point [cells]; infinite where there is none; changed.
        points: Shape (n, 2) [m].
        first: Points before this one are drawn already.
        box: Corner x, y of the grid and side of a cell [m].
        reach: How many cells away a point is still noted.
    """
    rows, columns = index.shape
    across = np.empty(2 * reach + 1)
    for i in range(first, len(points)):
        x, y = (points[i, 0] - box[0]) / box[2] - 0.5, (points[i, 1] - box[1]) / box[2] - 0.5
        row, column = round(y), round(x)
        low, high = max(column - reach, 0), min(column + reach + 1, columns)
        for k in range(low, high):
            across[k - low] = (x - k) * (x - k)
        for r in range(max(row - reach, 0), min(row + reach + 1, rows)):
            v = (y - r) * (y - r)
            near_row, index_row = near[r, low:high], index[r, low:high]
            for k in range(len(near_row)):  # without branches, so that several cells go at once
                away = np.float32(across[k] + v)
                nearer = away < near_row[k]
                near_row[k] = away if nearer else near_row[k]
                index_row[k] = i if nearer else index_row[k]


@compiled
def erase(index, near, points, box, reach):
    """Undo `draw_nearest`."""
    rows, columns = index.shape
    for i in range(len(points)):
        row = round((points[i, 1] - box[1]) / box[2] - 0.5)
        column = round((points[i, 0] - box[0]) / box[2] - 0.5)
        low, high = max(column - reach, 0), min(column + reach + 1, columns)
        for r in range(max(row - reach, 0), min(row + reach + 1, rows)):
            near_row, index_row = near[r, low:high], index[r, low:high]
            for k in range(len(near_row)):
                near_row[k], index_row[k] = inf, -1


@compiled
def draw_likelihood(field, points, first, box, table, fine, reach):
    """Raise cells near points to how likely a return is there, 0 to 255.

    Args:
        field: Changed. Shape (rows, columns), bytes.
        points: Shape (n, 2) [m].
        first: Points before this one are drawn already.
        box: Corner x, y of the grid and side of a cell [m].
        table: Likelihood by squared distance, falling. Shape (m,), bytes; zero at its end, which is
            beyond the corners of the cells that are looked at.
        fine: Entries of the table per squared cell.
        reach: How many cells away a point still counts.
    """
    rows, columns = field.shape
    across = np.empty(2 * reach + 1)
    for i in range(first, len(points)):
        x, y = (points[i, 0] - box[0]) / box[2], (points[i, 1] - box[1]) / box[2]
        row, column = floor(y), floor(x)
        low, high = max(column - reach, 0), min(column + reach + 1, columns)
        for k in range(low, high):
            across[k - low] = (x - k - 0.5) ** 2
        for r in range(max(row - reach, 0), min(row + reach + 1, rows)):
            v = (y - r - 0.5) ** 2
            field_row = field[r, low:high]
            for k in range(len(field_row)):
                field_row[k] = max(field_row[k], table[np.uint32(fine * (across[k] + v))])


@compiled
def pool(field, span, pooled):
    """Write the maximum of the two by two cells that lie `span` apart, from each cell on."""
    rows, columns = field.shape
    inner = max(columns - span, 0)
    for r in range(rows):
        upper, lower, out = field[r], field[min(r + span, rows - 1)], pooled[r]
        upper_right, lower_right = upper[columns - inner :], lower[columns - inner :]
        for k in range(inner):
            out[k] = max(max(upper[k], upper_right[k]), max(lower[k], lower_right[k]))
        last = max(upper[columns - 1], lower[columns - 1])
        for k in range(inner, columns):
            out[k] = max(max(upper[k], lower[k]), last)
