"""The physics settings, in one place. They were chosen by measurement; change them by file.

`discrete` solves contacts and velocity servos together: with MuJoCo's other integrators driven
wheels run too fast and grasped objects slide. The elliptic cone with impratio 100 stops the sag of
a held object; engine defaults do not hold a cube at all.
"""

from dataclasses import dataclass
from typing import Literal

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput

SOLVERS = {"pgs": 0, "cg": 1, "newton": 2}
INTEGRATORS = {"euler": 0, "rk4": 1, "implicit": 2, "implicitfast": 3, "discrete": 4}
CONES = {"pyramidal": 0, "elliptic": 1}


@dataclass(frozen=True, kw_only=True)
class PhysicsSettings:
    """How MuJoCo computes a step."""

    timestep: float = 0.002
    """Length of one step [s]. 1 ms for fast manipulation."""
    integrator: Literal["euler", "rk4", "implicit", "implicitfast", "discrete"] = "discrete"
    solver: Literal["pgs", "cg", "newton"] = "newton"
    iterations: int = 100
    """Of the solver, at most; it rarely needs more than a few."""
    cone: Literal["pyramidal", "elliptic"] = "elliptic"
    impratio: float = 100.0
    """Stiffness of friction over that of normal contact."""
    gravity: float = 9.81
    """Downwards [m/s2]."""
    contact_time: float = 0.004
    """Time constant of contacts with shapes that a scene leaves at MuJoCo's default [s]. 0.02 is
    that default; wheels slide on it, see `mecano.world.contacts`."""

    def __post_init__(self) -> None:
        for name, table in (("integrator", INTEGRATORS), ("solver", SOLVERS), ("cone", CONES)):
            if getattr(self, name) not in tuple(table):
                raise InvalidInput(
                    f"physics.{name} is '{getattr(self, name)}', allowed: {', '.join(table)}"
                )
        for name, low, high in (
            ("timestep", 1e-5, 0.01), ("iterations", 1, 10_000), ("impratio", 1e-3, 1e6),
            ("gravity", 0.0, 100.0), ("contact_time", 0.001, 0.02),
        ):  # fmt: skip
            finite_number(getattr(self, name), name=f"physics.{name}", lower=low, upper=high)
        if self.iterations != int(self.iterations):
            raise InvalidInput(f"physics.iterations is {self.iterations}, expected a whole number")

    def apply(self, option) -> None:
        """Write the settings into an MjSpec's or MjModel's option."""
        option.timestep = self.timestep
        option.integrator = INTEGRATORS[self.integrator]
        option.solver = SOLVERS[self.solver]
        option.iterations = int(self.iterations)
        option.cone = CONES[self.cone]
        option.impratio = self.impratio
        option.gravity = [0.0, 0.0, -self.gravity]
