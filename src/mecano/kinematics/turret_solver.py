"""Turret arms as solvers: one joint turns, three tilt, and perhaps one rolls the hand."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKResult, IKTarget, pitch_of
from mecano.kinematics.rolling_turret import RollJoint, explain_rolling, split_roll
from mecano.kinematics.solver import ANGLE_TOLERANCE, EXACT, LENGTH_TOLERANCE
from mecano.kinematics.transforms import Array
from mecano.kinematics.turret import TurretArm
from mecano.kinematics.turret_explain import explain
from mecano.kinematics.turret_polish import polished


@dataclass(frozen=True, eq=False)
class TurretSolver:
    """Four joints: a point and a pitch, at most four solutions."""

    dh: DHChain
    arm: TurretArm
    joints: ClassVar[int] = 4
    kind: ClassVar[str] = "turret"
    rolls: ClassVar[bool] = False

    @classmethod
    def fit(cls, dh: DHChain) -> "TurretSolver":
        """Return the solver of a chain, or say why it is not a turret arm."""
        return cls(dh, TurretArm.from_chain(dh, angle=ANGLE_TOLERANCE, length=LENGTH_TOLERANCE))

    @property
    def reason(self) -> str:
        """Why it fits."""
        text = "joint 1 turns about the vertical, joints 2, 3 and 4 tilt about parallel axes"
        return text + polish_remark(self.arm.off)

    def pitch(self, q: Array) -> float:
        """Return how far the tool's nose points below the horizontal [rad]."""
        return pitch_of(self.dh.forward(q)[:3, :3])

    def roll(self, q: Array) -> float | None:
        """No joint rolls the tool."""
        return None

    def inverse(self, target: IKTarget, start: Array) -> IKResult:
        """Return all solutions, nearest to `start` first, or why there is none."""
        result = explain(self.arm, target, start)
        if self.arm.off <= EXACT:
            return result
        return polished(result, target, self.dh, self.pitch, start, self.arm.off)


@dataclass(frozen=True, eq=False)
class RollingTurretSolver:
    """Five joints: a point, a pitch and a roll, at most four solutions."""

    dh: DHChain
    arm: TurretArm
    """The first four joints."""
    hand: RollJoint
    joints: ClassVar[int] = 5
    kind: ClassVar[str] = "rolling_turret"
    rolls: ClassVar[bool] = True

    @classmethod
    def fit(cls, dh: DHChain) -> "RollingTurretSolver":
        """Return the solver of a chain, or say why it is not a turret arm that rolls its hand."""
        first, hand = split_roll(dh, angle=ANGLE_TOLERANCE, length=LENGTH_TOLERANCE)
        arm = TurretArm.from_chain(first, angle=ANGLE_TOLERANCE, length=LENGTH_TOLERANCE)
        return cls(dh, arm, hand)

    @property
    def reason(self) -> str:
        """Why it fits."""
        text = (
            "joint 1 turns about the vertical, joints 2, 3 and 4 tilt about parallel axes, "
            "joint 5 rolls the tool about its x axis"
        )
        return text + polish_remark(max(self.arm.off, self.hand.off))

    def pitch(self, q: Array) -> float:
        """Return how far the tool's nose points below the horizontal [rad]; the roll plays no part.

        A nose that is past the vertical has more than a quarter turn, however the hand is rolled.
        """
        return pitch_of(self.dh.forward(np.append(q[:-1], 0.0))[:3, :3])

    def roll(self, q: Array) -> float | None:
        """Return how far the tool is rolled about its own nose [rad]."""
        return self.hand.roll(float(q[-1]))

    def inverse(self, target: IKTarget, start: Array) -> IKResult:
        """Return all solutions, nearest to `start` first, or why there is none."""
        result = explain_rolling(self.arm, self.hand, target, start)
        off = max(self.arm.off, self.hand.off)
        if off <= EXACT:
            return result
        return polished(result, target, self.dh, self.pitch, start, off)


def polish_remark(off: float) -> str:
    """Say that solutions are polished, if they are."""
    if off <= EXACT:
        return ""
    return f" (to {off:.1g}; solutions are polished on the exact table)"
