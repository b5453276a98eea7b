"""A chain a user can address by name: its table, its named postures and its best solver."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.errors import InvalidInput
from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKResult, IKTarget, pitch_of
from mecano.kinematics.transforms import Array
from mecano.kinematics.turret import TurretArm
from mecano.kinematics.turret_explain import explain


@dataclass(frozen=True, kw_only=True)
class Chain:
    """An arm or a leg: where it is, what it can do, and how its inverse kinematics is solved."""

    name: str
    dh: DHChain
    postures: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Named joint values [rad or m]."""
    solver: str = "numerical"
    """`turret` for the closed form, else `numerical`."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joint names, base to tool."""
        return self.dh.names

    @cached_property
    def turret(self) -> TurretArm:
        """The closed form, for chains that have it."""
        if self.solver != "turret":
            raise InvalidInput(f"chain '{self.name}' has no closed form; use the numerical solver")
        return TurretArm.from_chain(self.dh)

    def forward(self, q: ArrayLike) -> Array:
        """Return `T_base_tool`. Shape (..., n) in, (..., 4, 4) out."""
        return self.dh.forward(q)

    def pitch(self, q: ArrayLike) -> float:
        """Return how far the tool's nose points below the horizontal [rad]."""
        return pitch_of(self.forward(q)[:3, :3])

    def inverse(
        self,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        quaternion: Sequence[float] | None = None,
        start: ArrayLike | None = None,
    ) -> IKResult:
        """Return all joint values that bring the tool to a pose, or why there are none.

        Args:
            position: Point in the base frame [m]. Shape (3,).
            pitch: Nose-down angle [rad]; None leaves it free. Not together with `quaternion`.
            quaternion: Full orientation, w x y z; None leaves it free.
            start: Posture to stay near: solutions are ordered by their distance to it, and the
                numerical solver starts there. Default: zero, brought inside the limits.
        """
        target = IKTarget.checked(position, pitch=pitch, quaternion=quaternion)
        posture = self._rest if start is None else self.dh.check(start)
        if posture.ndim != 1:
            raise InvalidInput(
                f"a start posture is one row of joint values, got {len(posture)} rows"
            )
        if self.solver == "turret":
            return explain(self.turret, target, posture)
        from mecano.kinematics.numerical import SolverSettings, solve_numerically

        settings = SolverSettings(every=True)
        return solve_numerically(self.dh, target, start=posture, settings=settings)

    @cached_property
    def _rest(self) -> Array:
        return np.clip(np.zeros(len(self.dh.joints)), self.dh.lower, self.dh.upper)
