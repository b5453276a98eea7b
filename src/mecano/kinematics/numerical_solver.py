"""The numerical search as a solver: for chains that no closed form fits."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKResult, IKTarget, pitch_of
from mecano.kinematics.transforms import Array
from mecano.kinematics.upright import upright_chain


@dataclass(frozen=True, eq=False)
class NumericalSolver:
    """Damped least squares from many starts. It cannot promise to find every solution."""

    dh: DHChain
    reason: str
    """Why no closed form fits."""
    kind: ClassVar[str] = "numerical"
    rolls: ClassVar[bool] = False

    @cached_property
    def upright(self) -> DHChain:
        """The chain with a tool that tells a nose past the vertical: pitch is measured on it."""
        return upright_chain(self.dh)

    def pitch(self, q: Array) -> float:
        """Return how far the tool's nose points below the horizontal [rad]."""
        return pitch_of(self.upright.forward(q)[:3, :3])

    def roll(self, q: Array) -> float | None:
        """A roll is no target here; a whole orientation is."""
        return None

    def inverse(self, target: IKTarget, start: Array) -> IKResult:
        """Return the solutions found, nearest to `start` first, or what stands in the way."""
        from mecano.kinematics.numerical import SolverSettings, solve_numerically

        settings = SolverSettings(every=True)
        chain = self.upright if target.rotation is None else self.dh
        return solve_numerically(chain, target, start=start, settings=settings)
