"""The pose that brings points onto targets, from one that is near; compiled."""

from math import sqrt

import numpy as np

from mecano.core.compiled import compiled
from mecano.estimation.attitude_kernel import turn_by

ROUNDS = 5
"""More are not needed for turns of some degrees: each squares the error."""


@compiled
def fit_from(points, targets, chosen, R, t):
    """Turn and shift a pose, in place, so that chosen points come to their targets.

    Least squares by Newton's method. With fewer than three points the pose stays.

    Args:
        points: Shape (n, 3).
        targets: Shape (n, 3).
        chosen: Which of them count.
        R: Rotation, near to the answer.
        t: Shift.
    """
    count = 0
    middle, goal, p, a = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(len(points)):
        if chosen[i]:
            count += 1
            for k in range(3):
                middle[k] += points[i, k]
                goal[k] += targets[i, k]
    if count < 3:
        return
    for k in range(3):
        middle[k] /= count
        goal[k] /= count
    spread, moment, d = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    for i in range(len(points)):
        if chosen[i]:
            square = 0.0
            for k in range(3):
                p[k] = points[i, k] - middle[k]
                square += p[k] * p[k]
            for k in range(3):
                spread[k, k] += square
                for j in range(3):
                    spread[k, j] -= p[k] * p[j]
    for _ in range(ROUNDS):
        moment[0] = moment[1] = moment[2] = 0.0
        for i in range(len(points)):
            if chosen[i]:
                for k in range(3):
                    p[k] = points[i, k] - middle[k]
                    a[k] = targets[i, k] - goal[k]
                s0 = R[0, 0] * a[0] + R[1, 0] * a[1] + R[2, 0] * a[2]
                s1 = R[0, 1] * a[0] + R[1, 1] * a[1] + R[2, 1] * a[2]
                s2 = R[0, 2] * a[0] + R[1, 2] * a[1] + R[2, 2] * a[2]
                moment[0] += p[1] * s2 - p[2] * s1
                moment[1] += p[2] * s0 - p[0] * s2
                moment[2] += p[0] * s1 - p[1] * s0
        _solve(spread, moment, d)
        turn_by(R, d[0], d[1], d[2])
        if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 1e-24:
            break
    _square_up(R)
    for i in range(3):
        t[i] = goal[i] - (R[i, 0] * middle[0] + R[i, 1] * middle[1] + R[i, 2] * middle[2])


@compiled
def _solve(A, b, x):
    """Solve three equations by Cramer's rule, into x; zeros where there is no answer."""
    c00 = A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1]
    c01 = A[1, 2] * A[2, 0] - A[1, 0] * A[2, 2]
    c02 = A[1, 0] * A[2, 1] - A[1, 1] * A[2, 0]
    det = A[0, 0] * c00 + A[0, 1] * c01 + A[0, 2] * c02
    x[0] = x[1] = x[2] = 0.0
    if abs(det) < 1e-18:
        return
    x[0] = b[0] * c00 + b[1] * (A[0, 2] * A[2, 1] - A[0, 1] * A[2, 2])
    x[0] += b[2] * (A[0, 1] * A[1, 2] - A[0, 2] * A[1, 1])
    x[1] = b[0] * c01 + b[1] * (A[0, 0] * A[2, 2] - A[0, 2] * A[2, 0])
    x[1] += b[2] * (A[0, 2] * A[1, 0] - A[0, 0] * A[1, 2])
    x[2] = b[0] * c02 + b[1] * (A[0, 1] * A[2, 0] - A[0, 0] * A[2, 1])
    x[2] += b[2] * (A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0])
    for k in range(3):
        x[k] /= det


@compiled
def _square_up(R):
    """Make the columns of a rotation unit vectors at right angles again, in place."""
    for j in range(2):
        for k in range(j):
            dot = R[0, j] * R[0, k] + R[1, j] * R[1, k] + R[2, j] * R[2, k]
            for i in range(3):
                R[i, j] -= dot * R[i, k]
        length = sqrt(R[0, j] ** 2 + R[1, j] ** 2 + R[2, j] ** 2)
        for i in range(3):
            R[i, j] /= length
    R[0, 2] = R[1, 0] * R[2, 1] - R[2, 0] * R[1, 1]
    R[1, 2] = R[2, 0] * R[0, 1] - R[0, 0] * R[2, 1]
    R[2, 2] = R[0, 0] * R[1, 1] - R[1, 0] * R[0, 1]
