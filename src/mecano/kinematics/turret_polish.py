"""Solutions of a turret arm brought onto a table whose axes are not exactly parallel.

The closed form takes the axes for parallel. Where a file writes pi/2 as 1.5708 its solutions are
off by micrometres; a few Newton steps on the table itself take that away.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKResult, IKTarget, ToolPose, pitch_error
from mecano.kinematics.transforms import Array

REACHED = 1e-10
"""A solution this near is kept [m and rad]."""
STEPS = 12
ALMOST = 20.0
"""A target missed by less than this many times what the axes are off is tried again by search."""


def polished(
    result: IKResult, target: IKTarget, dh: DHChain, pitch: Callable[[Array], float],
    start: Array, off: float,
) -> IKResult:  # fmt: skip
    """Return an answer of the closed form as one for the exact table.

    Args:
        result: What the closed form says.
        target: What was asked.
        dh: The exact table.
        pitch: Pitch of the tool at joint values [rad].
        start: Posture to stay near.
        off: How far the axes are from what the closed form takes them for [rad or m].
    """
    if not result.reached:
        return _missed(result, target, dh, pitch, start, off)
    wanted = result.nearest.pitch if target.pitch is None else target.pitch
    rows = [_newton(dh, q, target.position, wanted, pitch) for q in result.solutions]
    kept = [q for q in rows if q is not None]
    if not kept:
        return _searched(target, dh, start) or result
    solutions = np.array(sorted(kept, key=lambda q: float(np.linalg.norm(q - start))))
    nearest = replace(result.nearest, position=target.position, joints=solutions[0])
    return replace(result, solutions=solutions, nearest=nearest)


def _newton(
    dh: DHChain, q: Array, position: Array, wanted: float, pitch: Callable[[Array], float]
) -> Array | None:
    """Return the posture nearby that meets point and pitch inside the limits, None if none does.

    Joint 5, where there is one, keeps its value.
    """
    signs = _pitch_signs(dh, q, pitch)
    for _ in range(STEPS):
        miss = np.append(position - dh.forward(q)[:3, 3], pitch_error(pitch(q), wanted))
        if np.abs(miss).max() <= REACHED:
            inside = np.clip(q, dh.lower, dh.upper)
            return inside if np.abs(inside - q).max() <= REACHED else None
        J = np.vstack([dh.jacobian(q)[:3, :4], signs])
        step = np.linalg.lstsq(J, miss, rcond=1e-9)[0]
        q = q.copy()
        q[:4] += step * min(1.0, 0.1 / max(float(np.abs(step).max()), 1e-300))
    return None


def _pitch_signs(dh: DHChain, q: Array, pitch: Callable[[Array], float]) -> Array:
    """Return how the first four joints change the pitch: hardly, and by one turn each."""
    here, width = pitch(q), 1e-5
    rates = []
    for i in range(4):
        there = q.copy()
        there[i] += width
        rates.append(pitch_error(here, pitch(there)) / width)
    return np.array(rates)


def _missed(
    result: IKResult, target: IKTarget, dh: DHChain, pitch: Callable[[Array], float],
    start: Array, off: float,
) -> IKResult:  # fmt: skip
    """Try a target again that is missed by hardly more than the axes are off."""
    if result.excess <= ALMOST * off and target.rotation is None and not target.roll:
        found = _searched(target, dh, start)
        if found is not None:
            return found
    q = result.nearest.joints
    pose = ToolPose(dh.forward(q)[:3, 3], pitch(q), q, result.nearest.roll)
    return replace(result, nearest=pose)


def _searched(target: IKTarget, dh: DHChain, start: Array) -> IKResult | None:
    from mecano.kinematics.numerical import SolverSettings, solve_numerically

    settings = SolverSettings(every=True, position_tolerance=REACHED, angle_tolerance=REACHED)
    found = solve_numerically(dh, replace(target, roll=None), start=start, settings=settings)
    return found if found.reached else None
