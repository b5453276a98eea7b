"""One step of the complementary filter in `attitude`, compiled."""

from math import cos, sin, sqrt

import numpy as np

from mecano.core.compiled import compiled


@compiled
def turn_by(R, x, y, z):
    """Turn a rotation, in place, by a vector in its own axes [rad]; keep it a rotation."""
    angle = sqrt(x * x + y * y + z * z)
    a = 1.0 if angle < 1e-6 else sin(angle) / angle
    b = 0.5 if angle < 1e-6 else (1.0 - cos(angle)) / (angle * angle)
    T = np.empty((3, 3))
    T[0, 0] = 1.0 - b * (y * y + z * z)
    T[0, 1] = b * x * y - a * z
    T[0, 2] = b * x * z + a * y
    T[1, 0] = b * x * y + a * z
    T[1, 1] = 1.0 - b * (x * x + z * z)
    T[1, 2] = b * y * z - a * x
    T[2, 0] = b * x * z - a * y
    T[2, 1] = b * y * z + a * x
    T[2, 2] = 1.0 - b * (x * x + y * y)
    for i in range(3):
        row = (R[i, 0], R[i, 1], R[i, 2])
        for j in range(3):
            R[i, j] = row[0] * T[0, j] + row[1] * T[1, j] + row[2] * T[2, j]


@compiled
def blend(R, up, bias, rate, acceleration, passed, learn, quick, slow, gravity, shaken):
    """Take in one reading: learn the bias, average or correct what is up, and turn.

    Args:
        R: Rotation from the body to the start, changed.
        up: In the start's frame, changed.
        bias: Of the gyro [rad/s], changed.
        rate: Turn rates [rad/s].
        acceleration: [m/s2].
        passed: Time since the last reading [s].
        learn: Part of the way that the bias goes towards the reading.
        quick: Part of the way that `up` goes towards what is seen; 0 leaves it.
        slow: How fast what is seen corrects the rotation [1/s]; 0 does not.
        gravity: [m/s2].
        shaken: Part of gravity by which an acceleration may differ from it.
    """
    turn = np.empty(3)
    for i in range(3):
        bias[i] += learn * (rate[i] - bias[i])
        turn[i] = (rate[i] - bias[i]) * passed
    size = sqrt(acceleration[0] ** 2 + acceleration[1] ** 2 + acceleration[2] ** 2)
    if abs(size - gravity) < shaken * gravity:
        seen = np.empty(3)
        for i in range(3):
            seen[i] = (
                R[i, 0] * acceleration[0] + R[i, 1] * acceleration[1] + R[i, 2] * acceleration[2]
            ) / size
        if quick > 0.0:
            length = 0.0
            for i in range(3):
                up[i] += quick * (seen[i] - up[i])
                length += up[i] * up[i]
            for i in range(3):
                up[i] /= sqrt(length)
        c0 = seen[1] * up[2] - seen[2] * up[1]
        c1 = seen[2] * up[0] - seen[0] * up[2]
        c2 = seen[0] * up[1] - seen[1] * up[0]
        for i in range(3):
            turn[i] += slow * passed * (R[0, i] * c0 + R[1, i] * c1 + R[2, i] * c2)
    turn_by(R, turn[0], turn[1], turn[2])
