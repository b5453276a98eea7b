"""Arms with six joints: what their closed forms have in common, and the search between postures.

`SixJointArm` is what a closed form of six joints offers. `settle` brings the tool as near to a pose
as limits and links allow; the explanations in `six_explain` rest on it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import atan2, hypot, inf, pi, sqrt
from typing import Protocol

import numpy as np

from mecano.core.poses.floats import Vector, cross
from mecano.kinematics.transforms import Array

Joints = tuple[float, float, float, float, float, float]
Nine = Sequence[float]
"""A rotation matrix, row by row."""
Solve = Callable[[Sequence[float], Nine, Sequence[float]], list[Joints]]
"""(point, rotation row by row, start) to solutions; each joint takes the whole turn nearest to the
start."""
MARK = 1e-6
"""Two directions of a wrist nearer than this to opposite have no one axis to turn about."""

WITHOUT_END = (-inf,) * 6, (inf,) * 6
"""Limits of joints that turn for ever [rad]."""


class Branches(ABC):
    """Solutions of a six-joint arm, with and without its limits; both solvers are made once."""

    @abstractmethod
    def make_solver(self, *, limits: bool) -> Solve:
        """Return a solver with the numbers of the arm built in."""

    @cached_property
    def _inside(self) -> Solve:
        return self.make_solver(limits=True)

    @cached_property
    def _unlimited(self) -> Solve:
        return self.make_solver(limits=False)

    def branches(
        self, point: Sequence[float], rotation: Nine, start: Sequence[float]
    ) -> list[Joints]:
        """Return all solutions inside the limits, in plain floats.

        Args:
            point: Of the tool in the base frame [m].
            rotation: `R_base_tool`, row by row.
            start: Each joint takes the whole turn nearest to its value here.
        """
        return self._inside(point, rotation, start)

    def branches_without_limits(
        self, point: Sequence[float], rotation: Nine, start: Sequence[float]
    ) -> list[Joints]:
        """Return the same as if every joint could turn for ever."""
        return self._unlimited(point, rotation, start)


@dataclass(frozen=True, slots=True)
class Placed:
    """An arm in one posture, in the arm's own frame."""

    tool: Vector
    """Point of the tool [m]."""
    center: Vector
    """Wrist centre [m]."""
    triad: tuple[Vector, Vector, Vector]
    """Three directions that are fixed in the tool, as `triad_in_tool` of the arm has them."""
    axes: tuple[Vector, ...]
    """Of the six joints."""
    points: tuple[Vector, ...]
    """One point on each axis [m]."""


@dataclass(frozen=True, slots=True)
class Aim:
    """Where the tool shall be, in the arm's own frame."""

    tool: Vector
    triad: tuple[Vector, Vector, Vector]
    """As of `Placed`."""


@dataclass(frozen=True, slots=True)
class Held:
    """The nearest pose with the asked orientation, limits aside."""

    position: Array
    """Of the tool in the base frame [m]."""
    distance: float
    """From the asked point [m]."""
    stretched: bool
    """True if the arm is too short, False if it cannot fold that much."""


class SixJointArm(Protocol):
    """What a closed form of six turning joints offers."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the joints."""
        ...

    @property
    def lower(self) -> Joints:
        """Limits [rad]."""
        ...

    @property
    def upper(self) -> Joints:
        """Limits [rad]."""
        ...

    @property
    def frame(self) -> Array:
        """`T_base_arm`, the arm's own frame. Shape (4, 4)."""
        ...

    @property
    def triad_in_tool(self) -> Array:
        """Three directions at right angles, seen from the tool, as rows. Shape (3, 3)."""
        ...

    def branches(
        self, point: Sequence[float], rotation: Nine, start: Sequence[float]
    ) -> list[Joints]:
        """Return all solutions inside the limits; joints take the whole turn nearest to `start`."""
        ...

    def branches_without_limits(
        self, point: Sequence[float], rotation: Nine, start: Sequence[float]
    ) -> list[Joints]:
        """Return the same as if every joint could turn for ever."""
        ...

    def place(self, q: Sequence[float]) -> Placed:
        """Return the arm at joint values `q`."""
        ...

    def nearest_at_orientation(self, position: Array, R: Array) -> Held:
        """Return the nearest point that the tool reaches with this orientation, limits aside."""
        ...

    def within_reach(self, aim: Aim) -> bool:
        """Tell whether some orientation brings the tool to a point, limits aside."""
        ...

    def singular_notes(self, q: Joints) -> list[str]:
        """Say where branches meet, and which joint was free and stayed as in the start posture."""
        ...


def pose_of(arm: SixJointArm, placed: Placed) -> tuple[Array, Array]:
    """Return point [m] and rotation of the tool in the base frame."""
    R = arm.frame[:3, :3]
    triad = np.array(placed.triad).T
    return R @ np.array(placed.tool) + arm.frame[:3, 3], R @ triad @ arm.triad_in_tool


def aim_at(arm: SixJointArm, position: Array, R: Array) -> Aim:
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
    arm: SixJointArm, q: tuple[float, ...], aim: Aim, *, point: float, orientation: float,
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
    here, placed = q, arm.place(q)
    error, off = _error(placed, aim, weights)
    size = float(error @ error)
    unit = max(weights) ** 2
    damping = 1e-4 * unit
    for _ in range(iterations):
        there = _step(arm, here, placed, error, weights, damping)
        placed_there = arm.place(there)
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
    arm: SixJointArm, q: Sequence[float], placed: Placed, error: Array,
    weights: tuple[float, float], damping: float,
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
