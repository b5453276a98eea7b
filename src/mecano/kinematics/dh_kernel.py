"""Forward kinematics and Jacobian of one posture, compiled, equal to numpy's bit for bit.

numpy multiplies 4x4 matrices by BLAS, which adds up products in their order with fused
multiply-adds. So do these. Sines and cosines come in from numpy. `dh_fast` compares both before
these are used.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from mecano.core.compiled import compiled


@intrinsic
def _fused(typingctx, a, b, c):
    """Return a * b + c, rounded once."""

    def generate(context, builder, signature, args):
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), generate


_fma: Any = _fused  # called with a, b and c: the compiler gives the first


@compiled
def _multiply(A, B, out):
    """Write A @ B for 4x4 matrices."""
    for i in range(4):
        for j in range(4):
            total = _fma(A[i, 0], B[0, j], 0.0)
            total = _fma(A[i, 1], B[1, j], total)
            total = _fma(A[i, 2], B[2, j], total)
            out[i, j] = _fma(A[i, 3], B[3, j], total)


@compiled
def _motion(turns, q, c, s, Z):
    """Write the motion of a joint along z."""
    if turns:
        Z[0, 0] = c
        Z[1, 1] = c
        Z[0, 1] = -s
        Z[1, 0] = s
        Z[2, 3] = 0.0
    else:
        Z[0, 0] = 1.0
        Z[1, 1] = 1.0
        Z[0, 1] = -0.0
        Z[1, 0] = 0.0
        Z[2, 3] = q


@compiled
def _start():
    Z = np.zeros((4, 4))
    Z[2, 2] = 1.0
    Z[3, 3] = 1.0
    return Z


@compiled
def forward(constants, revolute, q, c, s):
    """Return the pose of the tool. Shape (4, 4)."""
    Z, one, two = _start(), np.empty((4, 4)), np.empty((4, 4))
    two[:] = constants[0]
    for i in range(len(q)):
        _motion(revolute[i], q[i], c[i], s[i], Z)
        _multiply(two, Z, one)
        _multiply(one, constants[i + 1], two)
    return two


@compiled
def joint_frames(constants, revolute, q, c, s):
    """Return the frames of the joints, then the tool. Shape (n + 1, 4, 4)."""
    n = len(q)
    Z, step = _start(), np.empty((4, 4))
    frames = np.empty((n + 1, 4, 4))
    frames[0] = constants[0]
    for i in range(n):
        _motion(revolute[i], q[i], c[i], s[i], Z)
        _multiply(Z, constants[i + 1], step)
        _multiply(frames[i], step, frames[i + 1])
    return frames


@compiled
def jacobian_from_frames(frames, revolute):
    """Return the Jacobian, one row per joint. Shape (n, 6)."""
    n = len(frames) - 1
    rows = np.empty((n, 6))
    for i in range(n):
        x, y, z = frames[i, 0, 2], frames[i, 1, 2], frames[i, 2, 2]
        if revolute[i]:
            a = frames[n, 0, 3] - frames[i, 0, 3]
            b = frames[n, 1, 3] - frames[i, 1, 3]
            c = frames[n, 2, 3] - frames[i, 2, 3]
            rows[i, 0] = y * c - z * b
            rows[i, 1] = z * a - x * c
            rows[i, 2] = x * b - y * a
            rows[i, 3], rows[i, 4], rows[i, 5] = x, y, z
        else:
            rows[i, 0], rows[i, 1], rows[i, 2] = x, y, z
            rows[i, 3], rows[i, 4], rows[i, 5] = 0.0, 0.0, 0.0
    return rows


@compiled
def jacobian(constants, revolute, q, c, s):
    """Return the Jacobian, one row per joint. Shape (n, 6)."""
    return jacobian_from_frames(joint_frames(constants, revolute, q, c, s), revolute)
