"""The kinematics of a chain in symbols: what a student would derive by hand, from the same table.

`derive_chain` reads the DH table of any chain and gives every length and odd angle a letter. The
step matrices and their products follow by algebra. Angles about parallel axes are added before a
sine or cosine is taken, so the closed forms come out short: `cos(q2 + q3)`, never the expansion.

Turret arms (and planar arms of two links) also get their inverse, as the list of steps one would
compute with a pocket calculator. Needs sympy, which is imported when a derivation is asked for.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.errors import InvalidInput, MissingExtra
from mecano.core.poses import wrap_angle
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import Array
from mecano.kinematics.turret import TurretArm

if TYPE_CHECKING:
    from sympy import ImmutableMatrix, Symbol

Expression = Any
"""A sympy expression. Its operators are too dynamic for a type checker."""
SAME = 1e-10
"""Table numbers this near to each other are one number [m or rad]."""


@dataclass(frozen=True)
class Letter:
    """A number of the table that the derivation writes as a letter."""

    symbol: "Symbol"
    value: float
    unit: str


@dataclass(frozen=True)
class Step:
    """One line of a derivation: a name, what it is equal to (or the condition), and why."""

    name: str
    expression: Expression
    remark: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Derivation:
    """The kinematics of one chain in symbols. Build it with `derive_chain`."""

    chain: DHChain
    q: "tuple[Symbol, ...]"
    """The joint variables q1 ... qn."""
    letters: tuple[Letter, ...]
    """What the other symbols stand for, in the order of the table."""
    table: tuple[tuple[Expression, Expression, Expression, Expression], ...]
    """Rows (theta, d, a, alpha), with the joint variable in its place."""
    steps: "tuple[ImmutableMatrix, ...]"
    """Step matrices T_0_1, T_1_2, ..."""
    products: "tuple[ImmutableMatrix, ...]"
    """Products T_0_1, T_0_2, ..., the last one T_0_n."""
    base: "ImmutableMatrix"
    """`T_base_0`."""
    tool: "ImmutableMatrix"
    """`T_n_tool`."""
    pose: "ImmutableMatrix"
    """Closed form of `T_base_tool`."""
    jacobian: "ImmutableMatrix"
    """Derivative of x, y, z (and the pitch, for turret arms) by the joint variables."""
    determinant: Expression | None
    """Determinant of the rows of the Jacobian that are not zero; None if they are not square."""
    singularities: tuple[Step, ...] = ()
    """The determinant and where it is zero."""
    inverse_steps: tuple[Step, ...] = ()
    """The closed-form inverse, in the order of computation; empty if there is none."""
    branches: tuple[tuple[int, int], ...] = ()
    """The signs (s, e) that the inverse takes: front or back, and which elbow."""
    omega: Expression | None = None
    """The pitch as a function of the joint variables, for turret arms."""

    @cached_property
    def values(self) -> "dict[Symbol, float]":
        """The numbers of all letters [m or rad]."""
        return {letter.symbol: letter.value for letter in self.letters}

    @property
    def closed_form(self) -> "ImmutableMatrix":
        """Closed form of T_0_n, the product of all steps."""
        return self.products[-1]

    @property
    def position(self) -> Any:
        """The position function P(q): the tool in the base frame. Shape (3, 1)."""
        return self.pose[:3, 3]

    def evaluate(self, expression: Expression, q: ArrayLike) -> Array:
        """Return the numbers of an expression or matrix at joint values `q`. Shape (n,)."""
        q = self.chain.check(q)
        return np.array(self.compiled(expression)(*q), dtype=float)

    def compiled(self, expression: Expression) -> Callable[..., Any]:
        """Return an expression as a function of the joint values q1, ..., qn."""
        return _sympy().lambdify(self.q, expression.subs(self.values), "numpy")

    def follow_inverse(
        self, position: ArrayLike, pitch: float = 0.0, *, s: int = 1, e: int = -1
    ) -> dict[str, float]:
        """Compute the inverse step by step and return every number on the way.

        Args:
            position: Point of the tool in the base frame [m]. Shape (3,).
            pitch: The angle omega, nose down [rad]. Planar arms do not use it.
            s: +1 faces the point, -1 reaches over the back.
            e: Which of the two elbows, -1 or +1. Turret arms: -1 is elbow up.

        Returns:
            The steps by name. Out of reach the list ends with `reachable` at 0. Angles of joints
            lie in (-pi, pi]. Joint limits are not looked at.
        """
        if not self.inverse_steps:
            raise InvalidInput("this chain has no closed-form inverse; use the numerical solver")
        x, y, z = np.asarray(position, dtype=float)
        known = [float(x), float(y), float(z), float(pitch), float(s), float(e)]
        numbers: dict[str, float] = {}
        for name, function in self._inverse_functions:
            value = float(function(*known))
            if (
                name == "reachable" and not value
            ):  # D, the number before it, may be off by round-off
                value = float(
                    any(function(*known[:-1], known[-1] * (1 + r)) for r in (-SAME, SAME))
                )
            if name.startswith("q"):
                value = float(wrap_angle(value))
            numbers[name] = value
            if name == "reachable" and not value:
                break
            known.append(min(1.0, max(-1.0, value)) if name == "C" else value)
        return numbers

    @cached_property
    def _inverse_functions(self) -> list[tuple[str, Callable[..., float]]]:
        sympy = _sympy()
        known = list(_task_symbols())
        functions = []
        for step in self.inverse_steps:
            expression = step.expression.subs(self.values)
            functions.append((step.name, sympy.lambdify(known, expression, "math")))
            known.append(_real(step.name))
        return functions


def derive_chain(chain: Chain | DHChain) -> Derivation:
    """Derive the kinematics of a chain in symbols.

    Lengths become L1, L2, ... in the order of the table; equal ones share a letter. Angles that
    are no multiple of pi/2 become phi, phi2, ... (joint offsets) or alpha, alpha2, ... (twists).
    The place of DH frame 0 in the base frame is (x0, y0, z0).

    Args:
        chain: A chain with its solver, or only a table. Turret arms are recognised by their
            solver, so a bare table gets no turret inverse.
    """
    sympy = _sympy()
    dh = chain.dh if isinstance(chain, Chain) else chain
    q = tuple(_real(f"q{i + 1}") for i in range(len(dh.joints)))
    letters = _Letters()
    table = tuple(_row(joint, letters, q_i) for joint, q_i in zip(dh.joints, q, strict=True))
    motions = [_motions(row, dh.convention) for row in table]
    products = [_product(sum(motions[: i + 1], ())) for i in range(len(motions))]
    base, tool = letters.matrix(dh.base, "0"), letters.matrix(dh.tool, "t")
    T_0_tool = products[-1] * tool
    pose = base * T_0_tool

    turret = isinstance(chain, Chain) and chain.solver == "turret"
    plane = _TurretLetters(chain.turret, dh, letters) if turret else None  # type: ignore[union-attr]
    task = list(pose[:3, 3]) + ([plane.omega(q)] if plane else [])
    determinant = _determinant(list(T_0_tool[:3, 3]) + task[3:], q)
    inverse, branches, bend = (), (), None
    if plane:
        inverse, bend = _turret_inverse(plane, q), (q[2], plane.plane_angles(q)[2])
        branches = ((1, -1), (1, 1), (-1, -1), (-1, 1))
    elif _is_planar_pair(dh):
        inverse, bend = _planar_inverse(table, base, q), (q[1], table[1][0])
        branches = ((1, 1), (1, -1))
    return Derivation(
        chain=dh,
        q=q,
        letters=tuple(letters.all),
        table=table,
        steps=tuple(_product(motion) for motion in motions),
        products=tuple(products),
        base=base,
        tool=tool,
        pose=pose,
        jacobian=sympy.ImmutableMatrix(task).jacobian(q),
        determinant=determinant,
        singularities=tuple(
            _singularities(determinant, q, plane.distance(q) if plane else None, bend)
        ),
        inverse_steps=tuple(inverse),
        branches=branches,
        omega=plane.omega(q) if plane else None,
    )


# --- letters ------------------------------------------------------------------------------------


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise MissingExtra("sympy", "teach", purpose="the symbolic derivation") from None
    return sympy


def _real(name: str) -> Any:
    return _sympy().Symbol(name, real=True)


def _task_symbols() -> tuple[Any, ...]:
    """Return x, y, z, omega and the two signs."""
    return tuple(_real(name) for name in ("x", "y", "z", "omega", "s", "e"))


@cache
def _offset_class() -> Any:
    """Return a symbol that sorts after q1, q2, ..., so that sympy writes q2 - phi, not phi - q2."""
    Symbol = _sympy().Symbol

    class OffsetAngle(Symbol):
        def sort_key(self, order: str | None = None) -> Any:
            return Symbol(f"~{self.name}", real=True).sort_key(order)

    return OffsetAngle


class _Letters:
    """Gives numbers their letters, and the same number the same letter."""

    def __init__(self) -> None:
        self.all: list[Letter] = []

    def length(self, value: float) -> Expression:
        """Return 0, or +-L for a length of the table."""
        if abs(value) < SAME:
            return _sympy().S.Zero
        for letter in self.all:
            is_length = letter.unit == "m" and str(letter.symbol) not in ("x0", "y0", "z0")
            if is_length and abs(letter.value - abs(value)) < SAME:
                return letter.symbol if value > 0 else -letter.symbol
        count = sum(str(letter.symbol).startswith("L") for letter in self.all)
        symbol = _sympy().Symbol(f"L{count + 1}", positive=True)
        self.all.append(Letter(symbol, abs(value), "m"))
        return symbol if value > 0 else -symbol

    def angle(self, value: float, name: str = "phi") -> Expression:
        """Return quarter turns as they are, and other angles as quarter turns +- a letter."""
        quarter = _sympy().pi / 2
        quarters = sorted(range(-4, 5), key=abs)
        for k in quarters:
            if abs(value - k * math.pi / 2) < SAME:
                return k * quarter
        angles = [letter for letter in self.all if letter.unit == "rad"]
        for k in quarters:
            for letter in angles:
                for sign in (1, -1):
                    if abs(value - k * math.pi / 2 - sign * letter.value) < SAME:
                        return k * quarter + sign * letter.symbol
        count = sum(str(letter.symbol).startswith(name) for letter in angles)
        symbol = _offset_class()(name + (str(count + 1) if count else ""), real=True)
        self.all.append(Letter(symbol, abs(value), "rad"))
        return symbol if value > 0 else -symbol

    def matrix(self, T: Array, suffix: str) -> Any:
        """Return a constant pose: a turn in exact numbers if it is simple, a shift in letters."""
        sympy = _sympy()
        M = sympy.eye(4)
        for i in range(3):
            for j in range(3):
                M[i, j] = _exact(float(T[i, j]))
            if abs(T[i, 3]) >= SAME:
                symbol = _real("xyz"[i] + suffix)
                self.all.append(Letter(symbol, float(T[i, 3]), "m"))
                M[i, 3] = symbol
        return sympy.ImmutableMatrix(M)


def _exact(value: float) -> Expression:
    """Return the sine or cosine of a common angle exactly, any other number as it is."""
    sympy = _sympy()
    for known in (0, 1, sympy.Rational(1, 2), sympy.sqrt(2) / 2, sympy.sqrt(3) / 2):
        if abs(abs(value) - float(known)) < SAME:
            return known if value > 0 else -known
    return sympy.Float(value, 17)


# --- forward ------------------------------------------------------------------------------------


def _row(joint: DHJoint, letters: _Letters, q_i: Any) -> tuple[Any, Any, Any, Any]:
    theta, d = letters.angle(joint.theta), letters.length(joint.d)
    a, alpha = letters.length(joint.a), letters.angle(joint.alpha, "alpha")
    if joint.kind == "prismatic":
        return theta, d + q_i, a, alpha
    return theta + q_i, d, a, alpha


def _motions(row: tuple[Any, Any, Any, Any], convention: str) -> tuple[tuple[str, Any], ...]:
    theta, d, a, alpha = row
    if convention == "standard":
        return ("turn_z", theta), ("move_z", d), ("move_x", a), ("turn_x", alpha)
    return ("turn_x", alpha), ("move_x", a), ("turn_z", theta), ("move_z", d)


def _product(motions: Iterable[tuple[str, Any]]) -> Any:
    """Multiply elementary motions. Turns about parallel axes are added up, not multiplied out.

    As long as no twist but half a turn comes between, all motion is a turn about one z axis and a
    shift. A real twist closes such a group, and the groups are multiplied as matrices.
    """
    sympy = _sympy()
    done = sympy.eye(4)
    turn, flip = sympy.S.Zero, 1
    shift = [sympy.S.Zero] * 3

    def group() -> Any:
        c, s = sympy.cos(turn), sympy.sin(turn)
        rows = [[c, -flip * s, 0], [s, flip * c, 0], [0, 0, flip]]
        return sympy.Matrix(
            [[*row, p] for row, p in zip(rows, shift, strict=True)] + [[0, 0, 0, 1]]
        )

    for kind, value in motions:
        if kind == "turn_z":
            turn += flip * value
        elif kind == "move_z":
            shift[2] += flip * value
        elif kind == "move_x":
            shift[0] += value * sympy.cos(turn)
            shift[1] += value * sympy.sin(turn)
        elif sympy.sin(value) == 0:
            flip *= int(sympy.cos(value))
        else:
            c, s = sympy.cos(value), sympy.sin(value)
            twist = sympy.Matrix([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])
            done, turn, flip, shift = done * group() * twist, sympy.S.Zero, 1, [sympy.S.Zero] * 3
    return sympy.ImmutableMatrix(done * group())


# --- singular postures --------------------------------------------------------------------------


def _determinant(task: list[Any], q: tuple[Any, ...]) -> Expression | None:
    """Return det J as a product of short factors, or None if J is not square.

    The first joint only turns or moves the whole arm, so det J does not depend on it and q1 = 0
    may be put in. What then factors as a polynomial in sines and cosines is shortened with the
    sum formulas, factor by factor.
    """
    sympy = _sympy()
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


def _singularities(
    determinant: Expression | None, q: tuple[Any, ...], R: Expression | None, bend: Any
) -> Iterable[Step]:
    """Yield the determinant and the postures that make it zero.

    Args:
        determinant: As `_determinant` gives it.
        q: The joint variables.
        R: Distance of the tool from axis 1, for turret arms.
        bend: The elbow's joint variable and the angle between its links, where there is an elbow.
    """
    sympy = _sympy()
    if determinant is None:
        return
    if R is not None:
        yield Step("R", R, "distance of the tool from axis 1, in front of it positive")
        determinant = determinant.subs(R, _real("R"))
    of = "of the tool's point" if R is None else "of x, y, z and omega"
    yield Step("det J", determinant, f"{of}; zero in a singular posture")
    if R is not None:
        yield Step("on axis 1", sympy.Eq(_real("R"), 0), "any q1 gives the same point")
    if bend is not None:
        elbow, angle = bend
        for name, value in ("straight", 0), ("folded", sympy.pi):
            (at,) = sympy.solve(angle - value, elbow)
            yield Step(name, sympy.Eq(elbow, at), "the tool cannot move along the two links")
        return
    for factor in sympy.Mul.make_args(determinant):
        if factor.has(*q):
            yield Step("singular", sympy.Eq(factor.as_base_exp()[0], 0), "a direction is lost")


# --- inverse ------------------------------------------------------------------------------------


class _TurretLetters:
    """The measures of a `TurretArm` in the letters of its table."""

    def __init__(self, arm: TurretArm, dh: DHChain, letters: _Letters) -> None:
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
        cos = _sympy().cos
        L2, L3, L4 = self.lengths
        _, upper, bend, wrist = self.plane_angles(q)
        second, third = upper + bend, upper + bend + wrist
        return self.shoulder_r + L2 * cos(upper) + L3 * cos(second) + L4 * cos(third)


def _turret_inverse(arm: _TurretLetters, q: tuple[Any, ...]) -> Iterable[Step]:
    """Yield the inverse of a turret arm: the paper's, with its errors put right."""
    sympy = _sympy()
    sin, cos, atan2, sqrt = sympy.sin, sympy.cos, sympy.atan2, sympy.sqrt
    x, y, z, omega, s, e = _task_symbols()
    X, Y, Z, r, h, D, C, A = (_real(name) for name in "XYZrhDCA")
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
    reachable = sympy.And(sympy.Ge(D, abs(L2 - L3)), sympy.Le(D, L2 + L3))
    yield Step("reachable", reachable, "else no triangle of the two links exists: stop here")
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


def _is_planar_pair(dh: DHChain) -> bool:
    """Tell whether a chain is two turning links in a plane z = const, the tool at the end."""
    flat = len(dh.joints) == 2 and all(
        joint.kind == "revolute" and joint.alpha == 0.0 and joint.a > 0.0 for joint in dh.joints
    )
    standard = dh.convention == "standard" and np.array_equal(dh.tool, np.eye(4))
    return bool(flat and standard and np.array_equal(dh.base[:3, :3], np.eye(3)))


def _planar_inverse(table: tuple, base: Any, q: tuple[Any, ...]) -> Iterable[Step]:
    """Yield the inverse of the planar arm with two links."""
    sympy = _sympy()
    sin, cos, atan2 = sympy.sin, sympy.cos, sympy.atan2
    x, y, _, _, _, e = _task_symbols()
    X, Y, D, C = (_real(name) for name in "XYDC")
    q1, q2 = q
    (theta1, _, L1, _), (theta2, _, L2, _) = table
    yield Step("X", x - base[0, 3], "from the base frame to axis 1")
    yield Step("Y", y - base[1, 3], "")
    yield Step("D", sympy.sqrt(X**2 + Y**2), "from axis 1 to the point")
    reachable = sympy.And(sympy.Ge(D, abs(L1 - L2)), sympy.Le(D, L1 + L2))
    yield Step("reachable", reachable, "else no triangle of the two links exists: stop here")
    yield Step("C", (D**2 - L1**2 - L2**2) / (2 * L1 * L2), "law of cosines, angle at the elbow")
    yield Step("q2", e * sympy.acos(C) - (theta2 - q2), "e = +1 turns left at the elbow, -1 right")
    to_elbow = atan2(L2 * sin(theta2), L1 + L2 * cos(theta2))
    yield Step("q1", atan2(Y, X) - to_elbow - (theta1 - q1), "turn back by the angle at the base")
