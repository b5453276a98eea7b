"""A chain a user can address by name: its table, its named postures and its best solver."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.errors import InvalidInput
from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKResult, IKTarget, pitch_of
from mecano.kinematics.rolling_turret import RollJoint, explain_rolling, split_roll
from mecano.kinematics.transforms import Array
from mecano.kinematics.turret import TurretArm
from mecano.kinematics.turret_explain import explain
from mecano.kinematics.ur_arm import URArm
from mecano.kinematics.ur_explain import angles_of, explain_ur


@dataclass(frozen=True, kw_only=True)
class Chain:
    """An arm or a leg: where it is, what it can do, and how its inverse kinematics is solved."""

    name: str
    dh: DHChain
    postures: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Named joint values [rad or m]."""
    solver: str = "numerical"
    """`turret` for the closed form of one joint that turns and three that tilt, with or without a
    fifth that rolls the hand; `ur` for the one of six-joint arms as Universal Robots builds them;
    else `numerical`."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joint names, base to tool."""
        return self.dh.names

    @cached_property
    def turret(self) -> TurretArm:
        """The closed form, for chains that have it: of all joints but the one that rolls."""
        if self.solver != "turret":
            raise InvalidInput(
                f"chain '{self.name}' has no closed form of a turret arm, its solver is "
                f"'{self.solver}'; use `inverse`"
            )
        return TurretArm.from_chain(self.dh if self.hand is None else split_roll(self.dh)[0])

    @cached_property
    def ur(self) -> URArm:
        """The closed form of six-joint arms of the UR kind, for chains that have it."""
        if self.solver != "ur":
            raise InvalidInput(
                f"chain '{self.name}' has no closed form of a UR arm, its solver is "
                f"'{self.solver}'; use `inverse`"
            )
        return URArm.from_chain(self.dh)

    @property
    def rolls(self) -> bool:
        """True if the tool can be rolled about its own nose: `inverse` then takes a roll."""
        return self.solver == "ur" or self.hand is not None

    @cached_property
    def hand(self) -> RollJoint | None:
        """The fifth joint of a turret arm, which rolls the tool about its own nose, or None."""
        if self.solver != "turret" or len(self.dh.joints) != 5:
            return None
        return split_roll(self.dh)[1]

    def forward(self, q: ArrayLike) -> Array:
        """Return `T_base_tool`. Shape (..., n) in, (..., 4, 4) out."""
        return self.dh.forward(q)

    def pitch(self, q: ArrayLike) -> float:
        """Return how far the tool's nose points below the horizontal [rad].

        The roll plays no part: a nose that is past the vertical has more than a quarter turn,
        however the hand is rolled. With six joints such a nose is one in front of the vertical that
        is rolled by half a turn, so the pitch goes from minus to plus a quarter turn.
        """
        if self.solver == "ur":
            return angles_of(self.forward(q)[:3, :3])[1]
        if self.hand is not None:
            q = np.append(self.dh.check(q)[:-1], 0.0)
        return pitch_of(self.forward(q)[:3, :3])

    def roll(self, q: ArrayLike) -> float | None:
        """Return how far the tool is rolled about its own nose [rad]; None if no joint does that.

        Zero is upright: the tool's y axis is horizontal, its z axis up while the nose is level.
        Six-joint arms turn by yaw about z, by pitch about y, and then by this about x. A vertical
        nose has no yaw; all of the turn about it is roll then.
        """
        q = self.dh.check(q)
        if self.solver == "ur":
            return angles_of(self.forward(q)[:3, :3])[0]
        return None if self.hand is None else self.hand.roll(float(q[-1]))

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

        Six-joint arms (`ur`) reach a point with any orientation, so what is not asked for is kept
        as it is in the start posture: with a point alone the orientation, with a pitch or a roll
        the heading of the nose and the other of the two. Each joint takes the whole turn nearest
        to the start posture.

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
        if self.solver == "ur":
            return explain_ur(self.ur, target, posture)
        if self.solver == "turret":
            if self.hand is not None:
                return explain_rolling(self.turret, self.hand, target, posture)
            return explain(self.turret, target, posture)
        from mecano.kinematics.numerical import SolverSettings, solve_numerically

        settings = SolverSettings(every=True)
        return solve_numerically(self.dh, target, start=posture, settings=settings)

    @cached_property
    def _rest(self) -> Array:
        return np.clip(np.zeros(len(self.dh.joints)), self.dh.lower, self.dh.upper)
