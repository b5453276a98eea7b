"""A DH table from joint axes: what a URDF or MJCF file gives, as the chain that solvers read.

A file places each joint by an axis and a point on it, in any frames it likes. The standard table
that moves the same way is found joint by joint: x along the common normal of one axis and the next.

- **Axes that meet**: the normal has two directions; the one with the smaller `theta` is taken.
- **Parallel axes** have many common normals; the one without a shift along z is taken, so that `d`
  is zero and the last of several parallel joints carries the whole offset (as UR's own tables).
- **Nearly parallel axes** (pi/2 written as 1.5708) have a common normal far away, and a table of
  kilometres that cancel. There the row gets a fifth number, Hayati's `beta`, a small turn about y
  in the place of `d`. The table stays exact to the file with numbers as large as the arm.
- **Sliding joints** have a direction but no place: theirs is put through the origin before.

Numbers that are zero or a quarter turn but for round-off are made so. What that changes is taken up
by the next row, as each row is fitted to the frames that the rows before it really give.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, atan2, hypot, isfinite, pi
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.errors import InvalidInput
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import Array, invert

Kind = Literal["revolute", "prismatic"]
NEARLY_PARALLEL = 0.02
"""Axes with a smaller sine between them get `beta` in the place of `d`. Above, the common normal is
at most some fifty times further away than the axes are apart, and costs no more than two digits."""
COINCIDENT = 1e-13
"""Axes nearer than this are one line, where they are parallel [m]."""
DIGITS = 14
"""Lengths are rounded to so many decimals of a metre: far below what a file or a float holds."""
QUARTER_TURN = 1e-13
"""Angles this near to a multiple of a quarter turn are made one [rad]."""
ENDLESS = 2.0 * pi
"""Limit either way that a turning joint without limits gets [rad]: one turn more than it needs, so
that a motion can stay near its start."""


def fit_dh(
    axes: ArrayLike,
    anchors: ArrayLike,
    kinds: Sequence[Kind],
    names: Sequence[str],
    limits: Sequence[tuple[float, float]],
    tool: ArrayLike,
) -> DHChain:
    """Return the standard DH table of a chain given by its joint axes in the zero posture.

    Args:
        axes: Direction of each joint's axis in the base frame; its length does not matter but must
            not be zero. Shape (n, 3).
        anchors: A point on each axis in the base frame [m]. Shape (n, 3).
        kinds: `revolute` or `prismatic`, one per joint.
        names: Of the joints.
        limits: Lower and upper limit of each joint [rad or m]. A turning joint may have infinite
            ones, it then gets one turn either way.
        tool: `T_base_tool` in the zero posture. Shape (4, 4).

    Returns:
        A chain whose forward kinematics is that of the joints, to some 1e-13 m.
    """
    directions, points, T_tool = _checked(axes, anchors, kinds, names, limits, tool)
    base = _first_frame(directions[0], points[0])
    frame, rows = base, []
    for i in range(len(names) - 1):
        point = points[i + 1] if kinds[i + 1] == "revolute" else frame[:3, 3]
        row = _row(frame, directions[i + 1], point)
        rows.append(row)
        frame = frame @ row.matrix
    last = _last_row(invert(frame) @ T_tool)
    rows.append(last)
    T_n_tool = invert(frame @ last.matrix) @ T_tool
    joints = tuple(
        DHJoint(
            name=name, theta=row.theta, d=row.d, a=row.a, alpha=row.alpha, beta=row.beta,
            kind=kind, lower=low, upper=high,
        )
        for name, row, kind, (low, high) in zip(
            names, rows, kinds, map(_finite_limits, names, kinds, limits), strict=True
        )
    )  # fmt: skip
    return DHChain(joints=joints, base=_clean(base), tool=_clean(T_n_tool))


@dataclass(frozen=True)
class _Row:
    """The numbers of one row."""

    theta: float = 0.0
    d: float = 0.0
    a: float = 0.0
    alpha: float = 0.0
    beta: float = 0.0

    @property
    def matrix(self) -> Array:
        """The step of the row in the zero posture."""
        joint = DHJoint(
            name="", theta=self.theta, d=self.d, a=self.a, alpha=self.alpha, beta=self.beta
        )
        return DHChain(joints=(joint,)).step(0, 0.0)


def _checked(
    axes: ArrayLike, anchors: ArrayLike, kinds: Sequence[Kind], names: Sequence[str],
    limits: Sequence[tuple[float, float]], tool: ArrayLike,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return unit axes, points and tool as arrays of finite numbers, or say what is wrong."""
    count = len(names)
    if count == 0:
        raise InvalidInput("a chain needs at least one joint, none was given")
    if len(kinds) != count or len(limits) != count:
        raise InvalidInput(
            f"{count} names, {len(kinds)} kinds and {len(limits)} limits given; give one per joint"
        )
    for name, kind in zip(names, kinds, strict=True):
        if kind not in ("revolute", "prismatic"):
            raise InvalidInput(f"joint '{name}' is '{kind}', allowed: revolute, prismatic")
    arrays = []
    for what, values, shape in (
        ("axes", axes, (count, 3)), ("anchors", anchors, (count, 3)), ("tool", tool, (4, 4)),
    ):  # fmt: skip
        array = np.asarray(values, dtype=float)
        if array.shape != shape:
            raise InvalidInput(f"{what} must have shape {shape}, got {array.shape}")
        if not np.isfinite(array).all():
            raise InvalidInput(f"{what} must be finite, got {array.tolist()}")
        arrays.append(array)
    directions, points, T_tool = arrays
    lengths = np.linalg.norm(directions, axis=1)
    for name, length in zip(names, lengths.tolist(), strict=True):
        if length < 1e-9:
            raise InvalidInput(f"the axis of joint '{name}' has length {length:.3g}; give a unit")
    R = T_tool[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0.0:
        raise InvalidInput(
            "the tool's pose has no rotation matrix: its axes must be at right angles"
        )
    return directions / lengths[:, None], points, T_tool


def _finite_limits(name: str, kind: Kind, limits: tuple[float, float]) -> tuple[float, float]:
    low, high = map(float, limits)
    if isfinite(low) and isfinite(high):
        return low, high
    if kind == "prismatic" or low != low or high != high:
        raise InvalidInput(f"joint '{name}' has limits {low:g} to {high:g}; they must be finite")
    return (low if isfinite(low) else -ENDLESS), (high if isfinite(high) else ENDLESS)


def _first_frame(z: Array, point: Array) -> Array:
    """Return a frame on axis 1: nearest to the base's origin, its x along the base's x if it can.

    For an axis along z through the base's origin it is the base frame itself.
    """
    origin = point - z * float(point @ z)
    x = np.array([1.0, 0.0, 0.0]) - z * z[0]
    if float(x @ x) < 1e-4:
        x = np.array([0.0, 1.0, 0.0]) - z * z[1]
    x /= np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    T[:3, 3] = origin
    return T


def _row(frame: Array, direction: Array, point: Array) -> _Row:
    """Return the row that leads from a frame to the next axis, seen in the base frame."""
    R = frame[:3, :3]
    k = R.T @ direction
    p = R.T @ (point - frame[:3, 3])
    sine = hypot(k[0], k[1])
    return _row_at_an_angle(k, p, sine) if sine > NEARLY_PARALLEL else _parallel_row(k, p)


def _row_at_an_angle(k: Array, p: Array, sine: float) -> _Row:
    """Return the row to an axis k through p, seen from a frame whose z is the joint's axis."""
    x, y = -k[1] / sine, k[0] / sine  # along z x k
    a = x * p[0] + y * p[1]
    # The foot of the normal on k: there it has no part along k in the plane.
    along = (k[0] * p[0] + k[1] * p[1]) / (sine * sine)
    d = p[2] - along * k[2]
    theta, alpha = atan2(y, x), atan2(sine, k[2])
    if _turns_less(theta, a):
        theta, a, alpha = atan2(-y, -x), -a, -alpha
    return _Row(_angle(theta), _length(d), _length(a), _angle(alpha))


def _parallel_row(k: Array, p: Array) -> _Row:
    """Return the row to an axis k through p that is parallel to z, or nearly so."""
    x, y = p[0] - k[0] / k[2] * p[2], p[1] - k[1] / k[2] * p[2]  # where it crosses z = 0
    a = hypot(x, y)
    theta = 0.0
    if a <= COINCIDENT:
        a = 0.0
    else:
        theta = atan2(y, x)
        if _turns_less(theta, a):
            theta, a = atan2(-y, -x), -a
    theta = _angle(theta)
    c, s = np.cos(theta), np.sin(theta)
    kx, ky = c * k[0] + s * k[1], c * k[1] - s * k[0]
    alpha, beta = atan2(-ky, k[2]), asin(max(-1.0, min(1.0, kx)))
    return _Row(theta, 0.0, _length(a), _angle(alpha), _angle(beta))


def _turns_less(theta: float, a: float) -> bool:
    """Tell whether the opposite direction of x needs less of a turn; a tie is for a positive a."""
    beyond = abs(theta) - pi / 2
    if abs(beyond) > 1e-9:
        return beyond > 0.0
    return a < -COINCIDENT or (abs(a) <= COINCIDENT and theta < 0.0)


def _last_row(T: Array) -> _Row:
    """Return the last row: it takes what the tool has along the last axis."""
    theta = 0.0
    if hypot(T[0, 2], T[1, 2]) <= QUARTER_TURN and T[2, 2] > 0.0:
        theta = atan2(T[1, 0], T[0, 0])
    return _Row(_angle(theta), _length(T[2, 3]))


def _length(value: float) -> float:
    return round(float(value), DIGITS) + 0.0


def _angle(value: float) -> float:
    turns = round(value / (pi / 2))
    if abs(value - turns * (pi / 2)) <= QUARTER_TURN:
        return turns * (pi / 2) + 0.0
    return float(value)


def _clean(T: Array) -> Array:
    """Return a pose with round-off taken off its zeros and ones."""
    whole = np.round(T)
    clean = np.where(np.abs(T - whole) <= 1e-15, whole, T) + 0.0
    clean[3] = 0.0, 0.0, 0.0, 1.0
    return clean
