"""Compiled loops over particles and beams."""

from math import cos, exp, floor, inf, sin

import numpy as np

from mecano.core.compiled import compiled


@compiled
def sums(table, beyond, cell, poses, points):
    """Return for each pose the sum of a table at the points seen from it.

    Args:
        table: A value for every cell. Shape (height, width).
        beyond: The value outside.
        cell: Side of a cell [m].
        poses: Seen from the corner of the table. Shape (n, 3).
        points: Where readings end, seen from the pose [m]. Shape (m, 2).
    """
    height, width = table.shape
    result = np.empty(len(poses))
    for i in range(len(poses)):
        c, s = cos(poses[i, 2]) / cell, sin(poses[i, 2]) / cell
        x, y = poses[i, 0] / cell, poses[i, 1] / cell
        total = 0.0
        for k in range(len(points)):
            column = floor(x + c * points[k, 0] - s * points[k, 1])
            row = floor(y + s * points[k, 0] + c * points[k, 1])
            if 0 <= row < height and 0 <= column < width:
                total += table[row, column]
            else:
                total += beyond
        result[i] = total
    return result


@compiled
def cast(blocked, cell, x, y, angle, longest):
    """Return how far a ray goes until it enters a blocked cell [m]; `longest` if it meets none.

    Walks from cell to cell, over each border that the ray crosses; beyond the edge is nothing.

    Args:
        blocked: Above zero in cells that end a ray. Shape (height, width).
        cell: Side of a cell [m].
        x: Where it begins, from the corner of the map [m].
        y: The same.
        angle: Where it points [rad].
        longest: [m].
    """
    height, width = blocked.shape
    u, v, reach = x / cell, y / cell, longest / cell
    column, row = floor(u), floor(v)
    c, s = cos(angle), sin(angle)
    right, up = 1 if c > 0.0 else -1, 1 if s > 0.0 else -1
    per_column = 1.0 / abs(c) if c != 0.0 else inf
    per_row = 1.0 / abs(s) if s != 0.0 else inf
    next_column = ((column + 1 - u) if c > 0.0 else (u - column)) * per_column if c != 0.0 else inf
    next_row = ((row + 1 - v) if s > 0.0 else (v - row)) * per_row if s != 0.0 else inf
    gone = 0.0
    while gone < reach:
        if not (0 <= row < height and 0 <= column < width):
            return longest
        if blocked[row, column] > 0:
            return gone * cell
        if next_column < next_row:
            gone, next_column, column = next_column, next_column + per_column, column + right
        else:
            gone, next_row, row = next_row, next_row + per_row, row + up
    return longest


@compiled
def beam_sums(blocked, cell, poses, mount, beams, longest, shares, sigma, decay, cubed):
    """Return for each pose the sum over beams of the log, or the cube, of their likelihood.

    Args:
        blocked: Which cells end a ray. Shape (height, width).
        cell: Side of a cell [m].
        poses: Of the base, seen from the corner of the map. Shape (n, 3).
        mount: Of the scanner on the base: x, y [m], yaw [rad]. Shape (3,).
        beams: Direction [rad] and reading [m]; `longest` is no return. Shape (m, 2).
        longest: Of the scanner [m].
        shares: Of hit, short, max, rand. Shape (4,).
        sigma: How far a hit is off [m].
        decay: How fast short readings become rare [1/m].
        cubed: Add cubes instead of logarithms.
    """
    result = np.empty(len(poses))
    for i in range(len(poses)):
        c, s = cos(poses[i, 2]), sin(poses[i, 2])
        x = poses[i, 0] + c * mount[0] - s * mount[1]
        y = poses[i, 1] + s * mount[0] + c * mount[1]
        yaw = poses[i, 2] + mount[2]
        total = 0.0
        for k in range(len(beams)):
            reading = beams[k, 1]
            true = cast(blocked, cell, x, y, yaw + beams[k, 0], longest)
            off = (reading - true) / sigma
            p = shares[0] * exp(-0.5 * off * off)
            if reading < true:
                p += shares[1] * decay * exp(-decay * reading)
            if reading >= longest:
                p += shares[2]
            else:
                p += shares[3] / longest
            total += p * p * p if cubed else np.log(max(p, 1e-12))
        result[i] = total
    return result


@compiled
def of_known_space(state, cell, pose, beams, slack, approach):
    """Tell which readings end at what a map knows, seen from one pose.

    A reading is of unknown space if no wall lies before its end, and the last part of its way is
    mostly unknown: what it met may be the other side of a wall that the map has, or anything.

    Args:
        state: Of the cells: -1 unknown, 0 free, 1 wall. Shape (height, width).
        cell: Side of a cell [m].
        pose: Of the scanner, seen from the corner of the map. Shape (3,).
        beams: Direction [rad] and reading [m]. Shape (m, 2).
        slack: Walls so close before the end do not count [m].
        approach: Length of that last part [m].
    """
    height, width = state.shape
    result = np.ones(len(beams), dtype=np.bool_)
    for k in range(len(beams)):
        c, s = cos(pose[2] + beams[k, 0]), sin(pose[2] + beams[k, 0])
        reading = beams[k, 1]
        walls = looked = known = 0
        for i in range(int(reading / (0.5 * cell))):
            far = 0.5 * cell * i
            column, row = floor((pose[0] + far * c) / cell), floor((pose[1] + far * s) / cell)
            inside = 0 <= row < height and 0 <= column < width
            here = state[row, column] if inside else -1
            if here == 1 and far < reading - slack:
                walls += 1
            if far > reading - approach:
                looked += 1
                known += here != -1
        result[k] = walls > 0 or 2 * known >= looked
    return result


@compiled
def occluded_sums(distances, state, cell, poses, mount, beams, sigma, hit, short, long, slack):
    """Return for each pose the sum of the log likelihoods of beams that people may stand in.

    A reading that ends at no wall has met something that is not in the map, if the way there is
    free, or it went through a wall, which is much less likely.

    Args:
        distances: To the next wall [m]. Shape (height, width).
        state: Of the cells: -1 unknown, 0 free, 1 wall. Shape (height, width).
        cell: Side of a cell [m].
        poses: Of the base, seen from the corner of the map. Shape (n, 3).
        mount: Of the scanner on the base: x, y [m], yaw [rad]. Shape (3,).
        beams: Direction [rad] and reading [m]. Shape (m, 2).
        sigma: How far a hit is off [m].
        hit: Likelihood of a reading that ends on a wall,
        short: of one that ends before it,
        long: and of one that went through it.
        slack: A wall so close before the end is no contradiction [m].
    """
    height, width = distances.shape
    result = np.empty(len(poses))
    for i in range(len(poses)):
        c, s = cos(poses[i, 2]), sin(poses[i, 2])
        x = poses[i, 0] + c * mount[0] - s * mount[1]
        y = poses[i, 1] + s * mount[0] + c * mount[1]
        yaw = poses[i, 2] + mount[2]
        total = 0.0
        for k in range(len(beams)):
            angle, reading = yaw + beams[k, 0], beams[k, 1]
            column = floor((x + reading * cos(angle)) / cell)
            row = floor((y + reading * sin(angle)) / cell)
            p = 0.0
            if 0 <= row < height and 0 <= column < width:
                off = distances[row, column] / sigma
                p = hit * exp(-0.5 * off * off)
            if p < short:
                reach = reading - slack
                through = reach > 0.0 and cast(state, cell, x, y, angle, reach) < reach
                p = max(p, long if through else short)
            total += np.log(p)
        result[i] = total
    return result


@compiled
def match_step(table, cell, at, points, beams, system):
    """Add up the normal equations of moving points onto walls; return the cost.

    A point's residual is 1 minus the table at it, between the middles of cells; outside it is 1.

    Args:
        table: 1 on walls, falling to 0. Shape (height, width).
        cell: Side of a cell [m].
        at: Pose from the corner of the table, and what is added to all ranges [m, m, rad, m].
        points: Where readings end, seen from the base [m]. Shape (m, 2).
        beams: Which way they look, seen from the base: unit vectors. Shape (m, 2).
        system: The matrix (4, 4) and below it the right side; written. Shape (5, 4).
    """
    height, width = table.shape
    c, s, longer = cos(at[2]), sin(at[2]), at[3]
    system[:] = 0.0
    cost = 0.0
    slope = np.empty(4)
    for k in range(len(points)):
        bx, by = points[k, 0] + longer * beams[k, 0], points[k, 1] + longer * beams[k, 1]
        px, py = c * bx - s * by, s * bx + c * by
        u, v = (at[0] + px) / cell - 0.5, (at[1] + py) / cell - 0.5
        column, row = floor(u), floor(v)
        if not (0 <= row < height - 1 and 0 <= column < width - 1):
            cost += 1.0
            continue
        fu, fv = u - column, v - row
        a, b = table[row, column], table[row, column + 1]
        d, e = table[row + 1, column], table[row + 1, column + 1]
        value = (1.0 - fv) * ((1.0 - fu) * a + fu * b) + fv * ((1.0 - fu) * d + fu * e)
        slope[0] = ((1.0 - fv) * (b - a) + fv * (e - d)) / cell
        slope[1] = ((1.0 - fu) * (d - a) + fu * (e - b)) / cell
        slope[2] = slope[1] * px - slope[0] * py
        along_x = c * beams[k, 0] - s * beams[k, 1]
        along_y = s * beams[k, 0] + c * beams[k, 1]
        slope[3] = slope[0] * along_x + slope[1] * along_y
        left = 1.0 - value
        cost += left * left
        for i in range(4):
            system[4, i] += slope[i] * left
            for j in range(4):
                system[i, j] += slope[i] * slope[j]
    return cost
