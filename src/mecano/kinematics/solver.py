"""What a solver of inverse kinematics offers, whichever way it solves.

A closed form is one file with a class that has these members and a classmethod `fit`, and one line
in `solvers.FORMS`.
"""

from typing import ClassVar, Protocol

from mecano.core.errors import InvalidInput
from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKResult, IKTarget
from mecano.kinematics.transforms import Array

ANGLE_TOLERANCE = 5e-3
"""How far axes may be from parallel, or from a right angle, for a closed form to be taken [rad].
Files write pi/2 as 1.5708 (3.7e-6 off) or 1.57 (8e-4 off); three of the latter in a row are 2.4e-3
off. An angle that somebody chose is larger."""
LENGTH_TOLERANCE = 2e-4
"""How far axes may miss a common point for a closed form to be taken [m]: what rounding to a tenth
of a millimetre leaves. Offsets that somebody built are larger."""
EXACT = 1e-10
"""Axes this exact need no polishing: the closed form meets the table to about as much [m or rad].
Beyond, its solutions are brought onto the table by Newton steps."""
ROUND_OFF = 1e-13
"""Axes of six joints this exact are left as they are. Between this and EXACT (1.57079632679 for
pi/2 is 5e-12 off) single solutions are polished: near singular postures 5e-12 are 5e-5 rad of a
joint. No others are looked for."""


class Solver(Protocol):
    """Inverse kinematics of one chain."""

    kind: ClassVar[str]
    """The closed form by name, or `numerical`."""
    rolls: ClassVar[bool]
    """True if the tool can be rolled about its own nose: a target may have a roll."""

    @property
    def reason(self) -> str:
        """Why this solver fits the chain, in plain words."""
        ...

    def pitch(self, q: Array) -> float:
        """Return how far the tool's nose points below the horizontal [rad]."""
        ...

    def roll(self, q: Array) -> float | None:
        """Return how far the tool is rolled about its own nose [rad]; None if no joint does."""
        ...

    def inverse(self, target: IKTarget, start: Array) -> IKResult:
        """Return all solutions, nearest to `start` first, or why there is none."""
        ...


class ClosedForm(Solver, Protocol):
    """A solver by formula, for chains of one geometry."""

    joints: ClassVar[int]
    """How many joints such a chain has."""

    @classmethod
    def fit(cls, dh: DHChain) -> "ClosedForm":
        """Return the solver of a chain, or raise `Misfit`."""
        ...


class Misfit(InvalidInput):
    """A chain does not have the geometry that a closed form needs."""

    def __init__(self, kind: str, why: str) -> None:
        self.kind, self.why = kind, why
        super().__init__(f"not {kind}: {why}; use the numerical solver")
