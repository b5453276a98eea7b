"""Forward and inverse kinematics of all legs at once, compiled. Same steps as `LegSolver`."""

from math import acos, atan2, cos, pi, sin, sqrt

import numpy as np

from mecano.core.compiled import compiled

AXIS_X, AXIS_Y, BESIDE, COXA, HEIGHT, THIGH, SHIN = range(7)
"""Columns of the table of measures."""


@compiled
def tips_of(q, measures, signs, offsets):
    """Return where the tips are. Shape (legs, 3)."""
    points = np.empty((len(q), 3))
    for i in range(len(q)):
        m = measures[i]
        heading = signs[i, 0] * q[i, 0] + offsets[i, 0]
        raised = signs[i, 1] * q[i, 1] + offsets[i, 1]
        shin = raised + signs[i, 2] * q[i, 2] + offsets[i, 2]
        front = m[COXA] + m[THIGH] * cos(raised) + m[SHIN] * cos(shin)
        c, s = cos(heading), sin(heading)
        points[i, 0] = m[AXIS_X] + front * c + m[BESIDE] * s
        points[i, 1] = m[AXIS_Y] + front * s - m[BESIDE] * c
        points[i, 2] = m[HEIGHT] + m[THIGH] * sin(raised) + m[SHIN] * sin(shin)
    return points


@compiled
def joints_at(points, measures, signs, offsets, lower, upper, side, bend):
    """Return joint values that bring the tips to points; NaN rows where a leg cannot.

    `side` and `bend` choose the branch: signs of the way in front of the hip and of the knee.
    """
    q = np.empty((len(points), 3))
    row = np.empty(3)
    for i in range(len(points)):
        for j in range(3):
            q[i, j] = np.nan
        m = measures[i]
        x, y = points[i, 0] - m[AXIS_X], points[i, 1] - m[AXIS_Y]
        z = points[i, 2] - m[HEIGHT]
        square = x * x + y * y - m[BESIDE] * m[BESIDE]
        if not square >= 0.0:
            continue
        front = side * sqrt(square)
        out = front - m[COXA]
        cosine = (out * out + z * z - m[THIGH] ** 2 - m[SHIN] ** 2) / (2.0 * m[THIGH] * m[SHIN])
        if not abs(cosine) <= 1.0:
            continue
        knee = bend * acos(cosine)
        raised = atan2(z, out) - atan2(m[SHIN] * sin(knee), m[THIGH] + m[SHIN] * cos(knee))
        heading = atan2(y, x) + atan2(m[BESIDE], front)
        inside = True
        for j, angle in enumerate((heading, raised, knee)):
            value = (angle - offsets[i, j]) * signs[i, j]
            value = (value + pi) % (2.0 * pi) - pi
            inside = inside and lower[i, j] <= value <= upper[i, j]
            row[j] = value
        if inside:
            for j in range(3):
                q[i, j] = row[j]
    return q
