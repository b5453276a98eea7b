"""The kinematics of a chain in symbols: what a student would derive by hand, from the same table.

`derive_chain` reads the DH table of any chain and gives every length and odd angle a letter. The
step matrices and their products follow by algebra. Angles about parallel axes are added before a
sine or cosine is taken, so the closed forms come out short: `cos(q2 + q3)`, never the expansion.

Turret arms (and planar arms of two links) also get their inverse, as the list of steps one would
compute with a pocket calculator. Needs sympy, which is imported when a derivation is asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.errors import InvalidInput
from mecano.core.poses import wrap_angle
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain
from mecano.kinematics.symbolic_inverse import (
    factored_determinant,
    find_closed_form,
    singular_postures,
)
from mecano.kinematics.symbolic_letters import (
    SAME,
    Expression,
    Letter,
    Letters,
    Row,
    Step,
    load_sympy,
    motions_of,
    multiply,
    real,
    roll_symbol,
    table_row,
    task_symbols,
)
from mecano.kinematics.transforms import Array

if TYPE_CHECKING:
    from sympy import ImmutableMatrix, Symbol


@dataclass(frozen=True, eq=False, kw_only=True)
class Derivation:
    """The kinematics of one chain in symbols. Build it with `derive_chain`."""

    chain: DHChain
    q: "tuple[Symbol, ...]"
    """The joint variables q1 ... qn."""
    letters: tuple[Letter, ...]
    """What the other symbols stand for, in the order of the table."""
    table: tuple[Row, ...]
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
    """Derivative of x, y, z (and the pitch and roll, for turret arms) by the joint variables."""
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
    rho: Expression | None = None
    """The roll as a function of the joint variables, for turret arms with a hand that rolls."""

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
        return load_sympy().lambdify(self.q, expression.subs(self.values), "numpy")

    def follow_inverse(
        self, position: ArrayLike, pitch: float = 0.0, roll: float = 0.0, *, s: int = 1, e: int = -1
    ) -> dict[str, float]:
        """Compute the inverse step by step and return every number on the way.

        Args:
            position: Point of the tool in the base frame [m]. Shape (3,).
            pitch: The angle omega, nose down [rad]. Planar arms do not use it.
            roll: The angle rho, about the nose [rad]. Only arms that roll their hand use it.
            s: +1 faces the point, -1 reaches over the back.
            e: Which of the two elbows, -1 or +1. Turret arms: -1 is elbow up.

        Returns:
            The steps by name. Out of reach the list ends with `reachable` at 0. Angles of joints
            lie in (-pi, pi]. Joint limits are not looked at.
        """
        if not self.inverse_steps:
            raise InvalidInput("this chain has no closed-form inverse; use the numerical solver")
        x, y, z = np.asarray(position, dtype=float)
        known = [float(x), float(y), float(z), float(pitch), float(s), float(e), float(roll)]
        numbers: dict[str, float] = {}
        for name, function in self._inverse_functions:
            value = float(function(*known))
            if name == "reachable" and not value:
                # The number before it, D, may be off by round-off.
                near = (known[-1] * (1 + r) for r in (-SAME, SAME))
                value = float(any(function(*known[:-1], D) for D in near))
            if name.startswith("q"):
                value = float(wrap_angle(value))
            numbers[name] = value
            if name == "reachable" and not value:
                break
            known.append(min(1.0, max(-1.0, value)) if name == "C" else value)
        return numbers

    @cached_property
    def _inverse_functions(self) -> list[tuple[str, Callable[..., float]]]:
        sympy = load_sympy()
        known = [*task_symbols(), roll_symbol()]
        functions = []
        for step in self.inverse_steps:
            expression = step.expression.subs(self.values)
            functions.append((step.name, sympy.lambdify(known, expression, "math")))
            known.append(real(step.name))
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
    sympy = load_sympy()
    dh = chain.dh if isinstance(chain, Chain) else chain
    q = tuple(real(f"q{i + 1}") for i in range(len(dh.joints)))
    letters = Letters()
    table = tuple(table_row(joint, letters, q_i) for joint, q_i in zip(dh.joints, q, strict=True))
    motions = [motions_of(row, dh.convention) for row in table]
    products = [multiply(sum(motions[: i + 1], ())) for i in range(len(motions))]
    base, tool = letters.matrix(dh.base, "0"), letters.matrix(dh.tool, "t")
    T_0_tool = products[-1] * tool
    pose = base * T_0_tool

    inverse = find_closed_form(chain, table, letters, base, q)
    angles = [angle for angle in (inverse.omega, inverse.rho) if angle is not None]
    determinant = factored_determinant([*T_0_tool[:3, 3], *angles], q)
    return Derivation(
        chain=dh,
        q=q,
        letters=tuple(letters.all),
        table=table,
        steps=tuple(multiply(motion) for motion in motions),
        products=tuple(products),
        base=base,
        tool=tool,
        pose=pose,
        jacobian=sympy.ImmutableMatrix([*pose[:3, 3], *angles]).jacobian(q),
        determinant=determinant,
        singularities=tuple(singular_postures(determinant, q, inverse)),
        inverse_steps=inverse.steps,
        branches=inverse.branches,
        omega=inverse.omega,
        rho=inverse.rho,
    )
