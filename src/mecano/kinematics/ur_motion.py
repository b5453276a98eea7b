"""Where a posture of an arm of the UR kind brings its tool, and how each joint moves it.

The same as `DHChain.forward` and `jacobian`, by the measures that the closed form uses and in plain
floats: several times faster for one posture, which is what a search from posture to posture needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np

from mecano.core.poses.floats import Vector, cross
from mecano.kinematics.transforms import Array
from mecano.kinematics.ur_arm import URArm

MARK = 1e-6
"""Two directions of a wrist nearer than this to opposite have no one axis to turn about."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An arm in one posture, in the arm's own frame."""

    tool: Vector
    """Point of the tool [m]."""
    center: Vector
    """Wrist centre [m]."""
    triad: tuple[Vector, Vector, Vector]
    """Axis 6, the tool's mark for axis 5, and the vector product of both."""
    out: float
    """The wrist centre from axis 1 within the plane, signed [m]."""
    axes: tuple[Vector, ...]
    """Of the six joints."""
    points: tuple[Vector, ...]
    """One point on each axis [m]."""


def place(arm: URArm, q: Sequence[float]) -> Placed:
    """Return the arm at joint values `q`."""
    q1, q2, q3, q4, q5, q6 = q
    c1, s1 = cos(q1), sin(q1)
    (s3, s4), (l2, l3), (along, aside) = arm.signs, arm.lengths, arm.hand
    upper = q2 + arm.directions[0]
    fore = q2 + s3 * q3 + arm.directions[1]
    lean = q2 + s3 * q3 + s4 * q4 + arm.wrist_direction
    cos5, sin5 = cos(lean), sin(lean)
    elbow_x, elbow_z = arm.shoulder + l2 * sin(upper), l2 * cos(upper)
    wrist_x, wrist_z = elbow_x + l3 * sin(fore), elbow_z + l3 * cos(fore)
    out = wrist_x + along * sin5 + aside * cos5
    height = wrist_z + along * cos5 - aside * sin5
    center = (c1 * out - s1 * arm.beside, s1 * out + c1 * arm.beside, height)
    across = (-s1, c1, 0.0)
    axis5 = (c1 * sin5, s1 * sin5, cos5)
    twist = q5 + arm.wrist_angle
    ct, st = cos(twist), sin(twist)
    n = (-ct * s1 - st * cos5 * c1, ct * c1 - st * cos5 * s1, st * sin5)
    side = cross(n, axis5)
    c6, s6 = cos(q6), sin(q6)
    k = (
        c6 * axis5[0] + s6 * side[0],
        c6 * axis5[1] + s6 * side[1],
        c6 * axis5[2] + s6 * side[2],
    )
    m = cross(n, k)
    a, b, c = arm.center_in_triad
    tool = (
        center[0] - a * n[0] - b * k[0] - c * m[0],
        center[1] - a * n[1] - b * k[1] - c * m[1],
        center[2] - a * n[2] - b * k[2] - c * m[2],
    )
    third, fourth = (-s3 * s1, s3 * c1, 0.0), (-s4 * s1, s4 * c1, 0.0)
    shoulder = (c1 * arm.shoulder, s1 * arm.shoulder, 0.0)
    elbow = (c1 * elbow_x, s1 * elbow_x, elbow_z)
    wrist = (c1 * wrist_x, s1 * wrist_x, wrist_z)
    return Placed(
        tool, center, (n, k, m), out,
        ((0.0, 0.0, 1.0), across, third, fourth, axis5, n),
        ((0.0, 0.0, 0.0), shoulder, elbow, wrist, center, center),
    )  # fmt: skip


def pose_of(arm: URArm, placed: Placed) -> tuple[Array, Array]:
    """Return point [m] and rotation of the tool in the base frame."""
    R = arm.frame[:3, :3]
    triad = np.array(placed.triad).T
    return R @ np.array(placed.tool) + arm.frame[:3, 3], R @ triad @ arm.triad_in_tool


@dataclass(frozen=True, slots=True)
class Aim:
    """Where the tool shall be, in the arm's own frame."""

    tool: Vector
    triad: tuple[Vector, Vector, Vector]
    """As of `Placed`."""


def aim_at(arm: URArm, position: Array, R: Array) -> Aim:
    """Return a pose of the tool in the base frame as the arm sees it."""
    seen = arm.frame[:3, :3].T
    triad = (arm.triad_in_tool @ R.T @ arm.frame[:3, :3]).tolist()
    return Aim(tuple((seen @ (position - arm.frame[:3, 3])).tolist()), tuple(map(tuple, triad)))  # type: ignore[arg-type]


def turn_to(placed: Placed, aim: Aim) -> tuple[Vector, float]:
    """Return the turn to the asked orientation: axis times angle, and the angle [rad]."""
    (n, k, m), (wanted_n, wanted_k, wanted_m) = placed.triad, aim.triad
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (
        cross(n, wanted_n), cross(k, wanted_k), cross(m, wanted_m),
    )  # fmt: skip
    x, y, z = 0.5 * (ax + bx + cx), 0.5 * (ay + by + cy), 0.5 * (az + bz + cz)
    trace = _dot(n, wanted_n) + _dot(k, wanted_k) + _dot(m, wanted_m)
    sine = sqrt(x * x + y * y + z * z)
    angle = atan2(sine, 0.5 * (trace - 1.0))
    if sine > MARK:
        scale = angle / sine
        return (x * scale, y * scale, z * scale), angle
    if trace > 1.0:
        return (x, y, z), angle
    return _half_turn(placed, aim), angle


def _half_turn(placed: Placed, aim: Aim) -> Vector:
    """Return the turn between opposite orientations: about what lies between a pair of axes."""
    best, longest = (pi, 0.0, 0.0), 0.0
    for (ax, ay, az), (bx, by, bz) in zip(placed.triad, aim.triad, strict=True):
        x, y, z = ax + bx, ay + by, az + bz
        length = hypot(x, y, z)
        if length > longest:
            best, longest = (pi * x / length, pi * y / length, pi * z / length), length
    return best


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@dataclass(frozen=True, slots=True)
class Settled:
    """Where a search ended."""

    q: tuple[float, ...]
    """Joint values inside the limits [rad]."""
    distance: float
    """From the asked point [m]."""
    turn: float
    """From the asked orientation [rad]."""


def settle(
    arm: URArm, q: tuple[float, ...], aim: Aim, *, point: float, orientation: float,
    iterations: int = 40, patience: float = 1e-6,
) -> Settled:  # fmt: skip
    """Bring the tool as near to a pose as limits and links allow, from one posture downhill.

    Levenberg-Marquardt; a joint at its limit is held there while the error pushes it outwards.

    Args:
        arm: The arm.
        q: Joint values to begin at, inside the limits [rad].
        aim: The pose.
        point: What one metre off the point counts.
        orientation: What one radian off the orientation counts.
        iterations: At most so many steps are tried.
        patience: It ends when a step takes off less than this part of the squared error.
    """
    weights = (point, orientation)
    here, placed = q, place(arm, q)
    error, off = _error(placed, aim, weights)
    size = float(error @ error)
    unit = max(weights) ** 2
    damping = 1e-4 * unit
    for _ in range(iterations):
        there = _step(arm, here, placed, error, weights, damping)
        placed_there = place(arm, there)
        error_there, off_there = _error(placed_there, aim, weights)
        size_there = float(error_there @ error_there)
        if size_there < size:
            gain = 1.0 - size_there / size
            here, placed, error, off, size = there, placed_there, error_there, off_there, size_there
            damping = max(0.1 * damping, 1e-12 * unit)
            if gain < patience or size < 1e-24 * unit:
                break
        else:
            damping *= 8.0
            if damping > 1e3 * unit:
                break
    return Settled(here, _apart(placed.tool, aim.tool), off)


def _step(
    arm: URArm, q: Sequence[float], placed: Placed, error: Array, weights: tuple[float, float],
    damping: float,
) -> tuple[float, ...]:  # fmt: skip
    """Return the next posture: a damped least-squares step, no longer than 0.5 rad in a joint."""
    J = _jacobian(placed, weights)
    gradient = J.T @ error
    pushes = zip(q, gradient.tolist(), arm.lower, arm.upper, strict=True)
    for i, (value, push, low, high) in enumerate(pushes):
        if (value <= low and push < 0.0) or (value >= high and push > 0.0):
            J[:, i] = gradient[i] = 0.0
    normal = J.T @ J
    normal.flat[::7] += damping
    step = np.linalg.solve(normal, gradient).tolist()
    part = min(1.0, 0.5 / max(max(step), -min(step), 1e-300))
    return tuple(
        min(max(value + part * way, low), high)
        for value, way, low, high in zip(q, step, arm.lower, arm.upper, strict=True)
    )


def _error(placed: Placed, aim: Aim, weights: tuple[float, float]) -> tuple[Array, float]:
    (x, y, z), off = turn_to(placed, aim)
    (ax, ay, az), (bx, by, bz), (point, turn) = aim.tool, placed.tool, weights
    return np.array(
        (point * (ax - bx), point * (ay - by), point * (az - bz), turn * x, turn * y, turn * z)
    ), off


def _jacobian(placed: Placed, weights: tuple[float, float]) -> Array:
    (tx, ty, tz), (point, turn) = placed.tool, weights
    columns = []
    for (x, y, z), (px, py, pz) in zip(placed.axes, placed.points, strict=True):
        ax, ay, az = point * (tx - px), point * (ty - py), point * (tz - pz)
        columns.append(
            (y * az - z * ay, z * ax - x * az, x * ay - y * ax, turn * x, turn * y, turn * z)
        )
    return np.array(columns).T


def _apart(a: Vector, b: Vector) -> float:
    return hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])


def elbow_of(arm: URArm, q: tuple[float, ...]) -> float:
    """Return the bend of the forearm against the upper arm, zero when stretched [rad]."""
    return arm.signs[0] * q[2] + arm.directions[1] - arm.directions[0]
