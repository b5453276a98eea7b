"""The letters of a symbolic derivation, and the matrices that a DH table makes of them.

A number of the table becomes a letter, the same number the same letter. Rows of letters become
elementary motions, and `multiply` makes one matrix of as many motions as one likes.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from mecano.core.errors import InvalidInput, MissingExtra
from mecano.kinematics.dh import DHJoint
from mecano.kinematics.transforms import Array

if TYPE_CHECKING:
    from sympy import Symbol

Expression = Any
"""A sympy expression. Its operators are too dynamic for a type checker."""
Row = tuple[Expression, Expression, Expression, Expression]
"""Theta, d, a and alpha of one joint."""
Motion = tuple[str, Expression]
"""Which elementary motion, and by how much."""
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


def load_sympy() -> Any:
    """Return sympy, or say how to install it."""
    try:
        import sympy
    except ImportError:
        raise MissingExtra("sympy", "teach", purpose="the symbolic derivation") from None
    return sympy


def real(name: str) -> Any:
    """Return a symbol for a real number."""
    return load_sympy().Symbol(name, real=True)


def task_symbols() -> tuple[Any, ...]:
    """Return x, y, z, omega and the two signs."""
    return tuple(real(name) for name in ("x", "y", "z", "omega", "s", "e"))


def roll_symbol() -> Any:
    """Return rho, the roll of a hand."""
    return real("rho")


@cache
def _offset_class() -> Any:
    """Return a symbol that sorts after q1, q2, ..., so that sympy writes q2 - phi, not phi - q2."""
    Symbol = load_sympy().Symbol

    class OffsetAngle(Symbol):
        def sort_key(self, order: str | None = None) -> Any:
            return Symbol(f"~{self.name}", real=True).sort_key(order)

    return OffsetAngle


# --- letters ------------------------------------------------------------------------------------


class Letters:
    """Gives numbers their letters, and the same number the same letter."""

    def __init__(self) -> None:
        self.all: list[Letter] = []

    def length(self, value: float) -> Expression:
        """Return 0, or +-L for a length of the table."""
        if abs(value) < SAME:
            return load_sympy().S.Zero
        for letter in self.all:
            is_length = letter.unit == "m" and str(letter.symbol) not in ("x0", "y0", "z0")
            if is_length and abs(letter.value - abs(value)) < SAME:
                return letter.symbol if value > 0 else -letter.symbol
        count = sum(str(letter.symbol).startswith("L") for letter in self.all)
        symbol = load_sympy().Symbol(f"L{count + 1}", positive=True)
        self.all.append(Letter(symbol, abs(value), "m"))
        return symbol if value > 0 else -symbol

    def angle(self, value: float, name: str = "phi") -> Expression:
        """Return quarter turns as they are, and other angles as quarter turns +- a letter."""
        quarter = load_sympy().pi / 2
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
        sympy = load_sympy()
        M = sympy.eye(4)
        for i in range(3):
            for j in range(3):
                M[i, j] = _exact(float(T[i, j]))
            if abs(T[i, 3]) >= SAME:
                symbol = real("xyz"[i] + suffix)
                self.all.append(Letter(symbol, float(T[i, 3]), "m"))
                M[i, 3] = symbol
        return sympy.ImmutableMatrix(M)


def _exact(value: float) -> Expression:
    """Return the sine or cosine of a common angle exactly, any other number as it is."""
    sympy = load_sympy()
    for known in (0, 1, sympy.Rational(1, 2), sympy.sqrt(2) / 2, sympy.sqrt(3) / 2):
        if abs(abs(value) - float(known)) < SAME:
            return known if value > 0 else -known
    return sympy.Float(value, 17)


# --- matrices -----------------------------------------------------------------------------------


def table_row(joint: DHJoint, letters: Letters, q_i: Any) -> Row:
    """Return the row of a joint in letters, with the joint variable `q_i` in its place."""
    if joint.beta:
        raise InvalidInput(
            f"joint '{joint.name}' has beta = {joint.beta:.3g} rad: its axis and the next are only "
            "nearly parallel, and such a table is not derived in symbols; set beta to 0"
        )
    theta, d = letters.angle(joint.theta), letters.length(joint.d)
    a, alpha = letters.length(joint.a), letters.angle(joint.alpha, "alpha")
    if joint.kind == "prismatic":
        return theta, d + q_i, a, alpha
    return theta + q_i, d, a, alpha


def motions_of(row: Row, convention: str) -> tuple[Motion, ...]:
    """Return the four motions of a row in the order of the convention."""
    theta, d, a, alpha = row
    if convention == "standard":
        return ("turn_z", theta), ("move_z", d), ("move_x", a), ("turn_x", alpha)
    return ("turn_x", alpha), ("move_x", a), ("turn_z", theta), ("move_z", d)


def multiply(motions: Iterable[Motion]) -> Any:
    """Multiply elementary motions. Turns about parallel axes are added up, not multiplied out.

    As long as no twist but half a turn comes between, all motion is a turn about one z axis and a
    shift. A real twist closes such a group, and the groups are multiplied as matrices.
    """
    sympy = load_sympy()
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
