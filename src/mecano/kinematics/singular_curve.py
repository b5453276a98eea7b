"""Solutions where branches meet: found by following the motion that hardly moves the tool.

In a singular posture one motion of the joints leaves the tool where it is. Near it that motion
moves the tool hardly, and in one direction only. So along it all of the error but one number can be
kept at zero, and solutions lie where that number changes its sign or comes near to zero.
"""

from collections.abc import Callable

import numpy as np

from mecano.kinematics.transforms import Array

LONGEST = 0.12
"""Longest step along the curve [rad]."""
GROWTH = 1.4
"""From one step to the next."""
LENGTH = 3.3
"""How far the curve is followed either way: half a turn of a joint, and a little [rad]."""
WAY_OFF = 0.02
"""It ends where the error is this large: there is no solution near [m and rad]."""

Miss = Callable[[Array], tuple[Array, Array]]
"""Joint values to the missing shift and turn, and the Jacobian."""


def crossings(miss: Miss, q: Array, *, fine: float) -> list[Array]:
    """Return postures on the curve through `q` next to which there may be solutions.

    Args:
        miss: The error and its Jacobian at joint values.
        q: A nearly singular posture next to a solution. Shape (6,).
        fine: First step along the curve [rad].
    """
    found: list[Array] = []
    for way in (1.0, -1.0):
        found += _follow(miss, q, way, fine)
    return found


def _follow(miss: Miss, q: Array, way: float, step: float) -> list[Array]:
    """Follow the curve one way."""
    motion, direction, rest = _split(miss, q)
    motion, gone, found = way * motion, 0.0, []
    history: list[tuple[Array, float]] = [(q, rest)]
    while gone < LENGTH:
        there = q + step * motion
        for _ in range(2):  # all of the error but its one direction is taken off
            there = _corrected(miss, there)
        motion_there, direction_there, rest_there = _split(miss, there)
        if motion_there @ motion < 0.0:
            motion_there = -motion_there
        if direction_there @ direction < 0.0:
            direction_there, rest_there = -direction_there, -rest_there
        if abs(rest_there) > WAY_OFF:
            break
        history.append((there, rest_there))
        if rest * rest_there <= 0.0:
            share = rest / (rest - rest_there) if rest != rest_there else 0.5
            found.append(q + share * (there - q))
        elif len(history) > 2 and abs(history[-3][1]) >= abs(rest) <= abs(rest_there):
            found.append(q)
        q, motion, direction, rest = there, motion_there, direction_there, rest_there
        gone += step
        step = min(GROWTH * step, LONGEST)
    return found


def _split(miss: Miss, q: Array) -> tuple[Array, Array, float]:
    """Return the motion that hardly moves the tool, where it moves it, and the error there."""
    error, J = miss(q)
    directions, _, motions = np.linalg.svd(J)
    return motions[-1], directions[:, -1], float(directions[:, -1] @ error)


def _corrected(miss: Miss, q: Array) -> Array:
    """Return joint values with less error, but for the part that they hardly change."""
    error, J = miss(q)
    directions, sizes, motions = np.linalg.svd(J)
    parts = directions.T @ error
    parts[-1] = 0.0
    step = motions.T @ (parts / np.maximum(sizes, 1e-6))
    return q + step * min(1.0, 0.3 / max(float(np.abs(step).max()), 1e-300))
