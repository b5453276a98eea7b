"""A chain a user can address by name: its table, its named postures and its solver."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.errors import InvalidInput
from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKResult, IKTarget
from mecano.kinematics.rolling_turret import RollJoint
from mecano.kinematics.six_solver import URSolver, WristSolver
from mecano.kinematics.solver import Solver
from mecano.kinematics.solvers import solver_for
from mecano.kinematics.transforms import Array
from mecano.kinematics.turret import TurretArm
from mecano.kinematics.turret_solver import RollingTurretSolver, TurretSolver
from mecano.kinematics.ur_arm import URArm
from mecano.kinematics.wrist_arm import WristArm


@dataclass(frozen=True, kw_only=True)
class Chain:
    """An arm or a leg: where it is, what it can do, and how its inverse kinematics is solved."""

    name: str
    dh: DHChain
    postures: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Named joint values [rad or m]."""
    role: str = "arm"
    """What it is on its robot: arm, leg, torso, head, finger or joints. `robot.arm` is the first
    whose role is arm."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joint names, base to tool."""
        return self.dh.names

    @cached_property
    def inverse_solver(self) -> Solver:
        """What solves its inverse kinematics: the closed form that fits the table, or a search."""
        return solver_for(self.dh)

    @property
    def solver(self) -> str:
        """Kind of the solver: `turret`, `rolling_turret`, `ur`, `spherical_wrist`, `numerical`."""
        return self.inverse_solver.kind

    @property
    def solver_reason(self) -> str:
        """Why this solver fits, in plain words."""
        return self.inverse_solver.reason

    @property
    def turret(self) -> TurretArm:
        """The closed form of a turret arm, of all joints but the one that rolls."""
        if isinstance(self.inverse_solver, TurretSolver | RollingTurretSolver):
            return self.inverse_solver.arm
        raise self._no_closed_form("a turret arm")

    @property
    def ur(self) -> URArm:
        """The closed form of six-joint arms of the UR kind."""
        if isinstance(self.inverse_solver, URSolver):
            return self.inverse_solver.arm
        raise self._no_closed_form("a UR arm")

    @property
    def wrist(self) -> WristArm:
        """The closed form of six-joint arms with a spherical wrist."""
        if isinstance(self.inverse_solver, WristSolver):
            return self.inverse_solver.arm
        raise self._no_closed_form("an arm with a spherical wrist")

    def _no_closed_form(self, kind: str) -> InvalidInput:
        return InvalidInput(
            f"chain '{self.name}' has no closed form of {kind}, its solver is '{self.solver}' "
            f"({self.solver_reason}); use `inverse`"
        )

    @property
    def rolls(self) -> bool:
        """True if the tool can be rolled about its own nose: `inverse` then takes a roll."""
        return self.inverse_solver.rolls

    @property
    def hand(self) -> RollJoint | None:
        """The fifth joint of a turret arm, which rolls the tool about its own nose, or None."""
        solver = self.inverse_solver
        return solver.hand if isinstance(solver, RollingTurretSolver) else None

    def forward(self, q: ArrayLike) -> Array:
        """Return `T_base_tool`. Shape (..., n) in, (..., 4, 4) out."""
        return self.dh.forward(q)

    def pitch(self, q: ArrayLike) -> float:
        """Return how far the tool's nose points below the horizontal [rad].

        The roll plays no part: a nose that is past the vertical has more than a quarter turn,
        however the hand is rolled. With six joints such a nose is one in front of the vertical that
        is rolled by half a turn, so the pitch goes from minus to plus a quarter turn.
        """
        return self.inverse_solver.pitch(self.dh.check(q))

    def roll(self, q: ArrayLike) -> float | None:
        """Return how far the tool is rolled about its own nose [rad]; None if no joint does that.

        Zero is upright: the tool's y axis is horizontal, its z axis up while the nose is level.
        Six-joint arms turn by yaw about z, by pitch about y, and then by this about x. A vertical
        nose has no yaw; all of the turn about it is roll then.
        """
        return self.inverse_solver.roll(self.dh.check(q))

    def inverse(
        self,
        position: ArrayLike,
        *,
        pitch: float | None = None,
        roll: float | None = None,
        quaternion: Sequence[float] | None = None,
        start: ArrayLike | None = None,
    ) -> IKResult:
        """Return all joint values that bring the tool to a pose, or why there are none.

        Six-joint arms with a closed form reach a point with any orientation, so what is not asked
        for is kept as it is in the start posture: with a point alone the orientation, with a pitch
        or a roll the heading of the nose and the other of the two. Each joint takes the whole turn
        nearest to the start posture.

        Args:
            position: Point in the base frame [m]. Shape (3,).
            pitch: Nose-down angle [rad]; None leaves it free. Not together with `quaternion`.
            roll: Turn of the tool about its own nose [rad]; None is upright. Only for arms that
                can (`rolls`), and not together with `quaternion`. `roll(q)` gives it back.
            quaternion: Full orientation, w x y z; None leaves it free.
            start: Posture to stay near: solutions are ordered by their distance to it, and the
                numerical solver starts there. Default: zero, brought inside the limits.
        """
        target = IKTarget.checked(position, pitch=pitch, roll=roll, quaternion=quaternion)
        if target.roll and not self.rolls:
            raise InvalidInput(
                f"no joint of chain '{self.name}' rolls the tool about its nose; leave the roll out"
            )
        posture = self._rest if start is None else self.dh.check(start)
        if posture.ndim != 1:
            raise InvalidInput(
                f"a start posture is one row of joint values, got {len(posture)} rows"
            )
        return self.inverse_solver.inverse(target, posture)

    @cached_property
    def _rest(self) -> Array:
        return np.clip(np.zeros(len(self.dh.joints)), self.dh.lower, self.dh.upper)
