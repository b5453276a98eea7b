"""The closed-form inverse of a chain in symbols, and the postures where it breaks down."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.core.poses import wrap_angle
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain
from mecano.kinematics.symbolic_letters import (
    Expression,
    Letters,
    Row,
    Step,
    load_sympy,
    real,
    roll_symbol,
    task_symbols,
)
from mecano.kinematics.turret import TurretArm


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """The inverse of a chain as steps; empty for chains that have none."""

    steps: tuple[Step, ...] = ()
    """In the order of computation."""
    branches: tuple[tuple[int, int], ...] = ()
    """The signs (s, e) that the steps take."""
    elbow: tuple[Expression, Expression] | None = None
    """The elbow's joint variable and the angle between its links."""
    omega: Expression | None = None
    """The pitch, for turret arms."""
    distance: Expression | None = None
    """How far in front of axis 1 the tool is, for turret arms."""
    rho: Expression | None = None
    """The roll, for turret arms with a hand that rolls."""


def find_closed_form(
    chain: Chain | DHChain, table: tuple[Row, ...], letters: Letters, base: Any, q: tuple[Any, ...]
) -> ClosedForm:
    """Return the inverse of a turret arm or of a planar arm with two links, else an empty one.

    Args:
        chain: Turret arms are recognised by their solver, planar arms by their table.
        table: The rows in letters.
        letters: Gets more letters if the measures of a turret arm need them.
        base: `T_base_0` in letters.
        q: The joint variables.
    """
    if isinstance(chain, Chain) and chain.solver in ("turret", "rolling_turret"):
        arm = _TurretLetters(chain.turret, chain.dh, letters)
        turning = q[:4]
        steps, rho = list(_turret_inverse(arm, turning)), None
        if chain.hand is not None:
            sign = int(chain.hand.sign)
            rho = sign * q[4]
            steps.append(Step("q5", sign * roll_symbol(), "rolls the hand and moves nothing else"))
        return ClosedForm(
            steps=tuple(steps),
            branches=((1, -1), (1, 1), (-1, -1), (-1, 1)),
            elbow=(q[2], arm.plane_angles(turning)[2]),
            omega=arm.omega(turning),
            distance=arm.distance(turning),
            rho=rho,
        )
    if _is_planar_pair(chain.dh if isinstance(chain, Chain) else chain):
        return ClosedForm(
            steps=tuple(_planar_inverse(table, base, q)),
            branches=((1, 1), (1, -1)),
            elbow=(q[1], table[1][0]),
        )
    return ClosedForm()


# --- turret arms --------------------------------------------------------------------------------


class _TurretLetters:
    """The measures of a `TurretArm` in the letters of its table."""

    def __init__(self, arm: TurretArm, dh: DHChain, letters: Letters) -> None:
        x0, y0, z0 = (float(value) for value in dh.base[:3, 3])
        named = {str(letter.symbol): letter.symbol for letter in letters.all}
        self.axis_x = named.get("x0", 0) + letters.length(arm.axis_x - x0)
        self.axis_y = named.get("y0", 0) + letters.length(arm.axis_y - y0)
        self.z0 = named.get("z0", 0)
        self.shoulder_r = letters.length(arm.shoulder_r)
        self.shoulder_z = letters.length(arm.shoulder_z - z0)
        self.lengths = tuple(letters.length(length) for length in arm.lengths)
        self.signs = tuple(int(sign) for sign in arm.signs)
        self.offsets = tuple(letters.angle(float(wrap_angle(each))) for each in arm.offsets)
        self.tool_angle = letters.angle(float(wrap_angle(arm.tool_angle)))

    def plane_angles(self, q: tuple[Any, ...]) -> list[Any]:
        """Return heading, upper link, bend and wrist in terms of the joint variables."""
        return [s * q_i + o for s, q_i, o in zip(self.signs, q, self.offsets, strict=True)]

    def omega(self, q: tuple[Any, ...]) -> Expression:
        """Return the pitch."""
        return sum(self.plane_angles(q)[1:]) - self.tool_angle

    def distance(self, q: tuple[Any, ...]) -> Expression:
        """Return how far in front of axis 1 the tool is."""
        cos = load_sympy().cos
        L2, L3, L4 = self.lengths
        _, upper, bend, wrist = self.plane_angles(q)
        second, third = upper + bend, upper + bend + wrist
        return self.shoulder_r + L2 * cos(upper) + L3 * cos(second) + L4 * cos(third)


def _turret_inverse(arm: _TurretLetters, q: tuple[Any, ...]) -> Iterable[Step]:
    """Yield the inverse of a turret arm: the paper's, with its errors put right."""
    sympy = load_sympy()
    sin, cos, atan2, sqrt = sympy.sin, sympy.cos, sympy.atan2, sympy.sqrt
    x, y, z, omega, s, e = task_symbols()
    X, Y, Z, r, h, D, C, A = (real(name) for name in "XYZrhDCA")
    L2, L3, L4 = arm.lengths
    s1, s2, s3, s4 = arm.signs
    o1, o2, o3, o4 = arm.offsets
    nose = omega + arm.tool_angle
    yield Step("X", x - arm.axis_x, "from the base frame to axis 1")
    yield Step("Y", y - arm.axis_y, "")
    yield Step("Z", z - arm.z0, "")
    yield Step(
        "q1", s1 * (atan2(s * Y, s * X) - o1), "s = +1 faces the point, s = -1 turns its back"
    )
    r_wrist = s * sqrt(X**2 + Y**2) - arm.shoulder_r - L4 * cos(nose)
    yield Step("r", r_wrist, "the wrist, outwards from the shoulder")
    yield Step("h", arm.shoulder_z - Z - L4 * sin(nose), "the wrist, downwards from the shoulder")
    yield Step("D", sqrt(r**2 + h**2), "from the shoulder to the wrist")
    yield _triangle(D, L2, L3)
    yield Step("C", (D**2 + L2**2 - L3**2) / (2 * L2 * D), "law of cosines, angle at the shoulder")
    yield Step(
        "A",
        atan2(h, r) + e * sympy.acos(C),
        "direction of the first link; e = -1 is elbow up for r > 0",
    )
    q2, q3 = q[1], q[2]
    upper = s2 * q2 + o2
    second = upper + s3 * q3 + o3
    yield Step("q2", s2 * (A - o2), "")
    towards = atan2(h - L2 * sin(A), r - L2 * cos(A))
    yield Step("q3", s3 * (towards - upper - o3), "direction of the second link, less the first")
    yield Step("q4", s4 * (nose - second - o4), "what is missing to the asked pitch omega")


# --- planar arms --------------------------------------------------------------------------------


def _is_planar_pair(dh: DHChain) -> bool:
    """Tell whether a chain is two turning links in a plane z = const, the tool at the end."""
    flat = len(dh.joints) == 2 and all(
        joint.kind == "revolute" and joint.alpha == 0.0 and joint.a > 0.0 for joint in dh.joints
    )
    standard = dh.convention == "standard" and np.array_equal(dh.tool, np.eye(4))
    return bool(flat and standard and np.array_equal(dh.base[:3, :3], np.eye(3)))


def _planar_inverse(table: tuple[Row, ...], base: Any, q: tuple[Any, ...]) -> Iterable[Step]:
    """Yield the inverse of the planar arm with two links."""
    sympy = load_sympy()
    sin, cos, atan2 = sympy.sin, sympy.cos, sympy.atan2
    x, y, _, _, _, e = task_symbols()
    X, Y, D, C = (real(name) for name in "XYDC")
    q1, q2 = q
    (theta1, _, L1, _), (theta2, _, L2, _) = table
    yield Step("X", x - base[0, 3], "from the base frame to axis 1")
    yield Step("Y", y - base[1, 3], "")
    yield Step("D", sympy.sqrt(X**2 + Y**2), "from axis 1 to the point")
    yield _triangle(D, L1, L2)
    yield Step("C", (D**2 - L1**2 - L2**2) / (2 * L1 * L2), "law of cosines, angle at the elbow")
    yield Step("q2", e * sympy.acos(C) - (theta2 - q2), "e = +1 turns left at the elbow, -1 right")
    to_elbow = atan2(L2 * sin(theta2), L1 + L2 * cos(theta2))
    yield Step("q1", atan2(Y, X) - to_elbow - (theta1 - q1), "turn back by the angle at the base")


def _triangle(D: Any, first: Expression, second: Expression) -> Step:
    """Return the condition that two links can span the distance D."""
    sympy = load_sympy()
    reachable = sympy.And(sympy.Ge(D, abs(first - second)), sympy.Le(D, first + second))
    return Step("reachable", reachable, "else no triangle of the two links exists: stop here")


# --- singular postures --------------------------------------------------------------------------


def factored_determinant(task: list[Any], q: tuple[Any, ...]) -> Expression | None:
    """Return det J as a product of short factors, or None if J is not square.

    The first joint only turns or moves the whole arm, so det J does not depend on it and q1 = 0
    may be put in. What then factors as a polynomial in sines and cosines is shortened with the
    sum formulas, factor by factor.
    """
    sympy = load_sympy()
    from sympy.simplify.fu import TR8

    rows = [row for row in sympy.Matrix(task).jacobian(q).subs(q[0], 0).tolist() if any(row)]
    if len(rows) != len(q):
        return None
    product = sympy.factor(sympy.Matrix(rows).det(method="berkowitz"))
    short = []
    for factor in sympy.Mul.make_args(product):
        merged = TR8(factor)
        short.append(factor if merged == factor else sympy.expand(merged))
    return sympy.Mul(*short)


def singular_postures(
    determinant: Expression | None, q: tuple[Any, ...], inverse: ClosedForm
) -> Iterable[Step]:
    """Yield the determinant and the postures that make it zero; nothing if there is none."""
    if determinant is None:
        return
    sympy = load_sympy()
    R = inverse.distance
    if R is not None:
        yield Step("R", R, "distance of the tool from axis 1, in front of it positive")
        determinant = determinant.subs(R, real("R"))
    of = "of the tool's point" if R is None else "of x, y, z and omega"
    if inverse.rho is not None:
        of = "of x, y, z, omega and rho"
    yield Step("det J", determinant, f"{of}; zero in a singular posture")
    if R is not None:
        yield Step("on axis 1", sympy.Eq(real("R"), 0), "any q1 gives the same point")
    if inverse.elbow is not None:
        elbow, angle = inverse.elbow
        for name, value in ("straight", 0), ("folded", sympy.pi):
            (at,) = sympy.solve(angle - value, elbow)
            yield Step(name, sympy.Eq(elbow, at), "the tool cannot move along the two links")
        return
    for factor in sympy.Mul.make_args(determinant):
        if factor.has(*q):
            yield Step("singular", sympy.Eq(factor.as_base_exp()[0], 0), "a direction is lost")
