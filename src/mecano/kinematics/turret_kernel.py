"""The batch form of the solver in `turret`, compiled. Same steps, same order, same limits."""

from math import acos, atan2, cos, floor, pi, sin, sqrt

import numpy as np

from mecano.core.compiled import compiled
from mecano.kinematics.turret import ON_AXIS, SLACK_OF_COSINE

TURN = 2.0 * pi


@compiled
def _from(low, angle):
    """Return the angle, a whole number of turns away, that is the first at or above `low`."""
    past = angle - low
    return low + past - TURN * floor(past / TURN)


@compiled
def solve_many(positions, pitches, scalars, table):
    """Return solutions (n, 4, 4), NaN where there is none, and their number (n,)."""
    axis_x, axis_y, shoulder_r, shoulder_z = scalars[0], scalars[1], scalars[2], scalars[3]
    l2, l3, l4, tool_angle = scalars[4], scalars[5], scalars[6], scalars[7]
    tolerance, free_heading = scalars[8], scalars[9]
    signs, offsets = table[0], table[1]
    low, high = table[2] - tolerance, table[3] + tolerance
    least, most = table[4], table[5]
    sum_squares, twice_product = l2 * l2 + l3 * l3, 2.0 * l2 * l3
    slack = 1.0 + SLACK_OF_COSINE * tolerance

    n = len(positions)
    solutions = np.full((n, 4, 4), np.nan)
    count = np.zeros(n, np.int64)
    for i in range(n):
        x = positions[i, 0] - axis_x
        y = positions[i, 1] - axis_y
        nose = pitches[i] + tool_angle
        radius = sqrt(x * x + y * y)
        down = shoulder_z - positions[i, 2] - l4 * sin(nose)
        in_front = shoulder_r + l4 * cos(nose)
        on_axis = radius <= ON_AXIS
        for k in range(1 if on_axis else 2):
            side = 0.0 if on_axis else 1.0 - 2.0 * k
            out = side * radius - in_front
            cosine = (out * out + down * down - sum_squares) / twice_product
            if not abs(cosine) <= slack:
                continue
            t1 = _from(low[0], free_heading if on_axis else atan2(side * y, side * x))
            if t1 > high[0]:
                continue
            elbow = acos(max(-1.0, min(1.0, cosine)))
            direction = atan2(down, out)
            inner = atan2(l3 * sin(elbow), l2 + l3 * cos(elbow))
            for mirror in range(2 if 0.0 < elbow < pi else 1):
                sign = 1.0 - 2.0 * mirror
                bend = sign * elbow
                t3 = _from(low[2], bend)
                if t3 > high[2]:
                    continue
                upper = direction - sign * inner
                t2 = _from(low[1], upper)
                if t2 > high[1]:
                    continue
                t4 = _from(low[3], nose - upper - bend)
                if t4 > high[3]:
                    continue
                row = solutions[i, count[i]]
                row[0], row[1], row[2], row[3] = t1, t2, t3, t4
                for j in range(4):
                    value = (row[j] - offsets[j]) * signs[j]
                    row[j] = min(max(value, least[j]), most[j])
                count[i] += 1
    return solutions, count
