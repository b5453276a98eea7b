"""Arms with six joints as solvers: the UR kind, and those with a spherical wrist."""

from dataclasses import dataclass
from typing import ClassVar

from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKResult, IKTarget
from mecano.kinematics.six_explain import angles_of, explain_six
from mecano.kinematics.six_motion import SixJointArm
from mecano.kinematics.six_polish import PolishedArm
from mecano.kinematics.solver import ANGLE_TOLERANCE, LENGTH_TOLERANCE, ROUND_OFF
from mecano.kinematics.transforms import Array
from mecano.kinematics.turret_solver import polish_remark
from mecano.kinematics.ur_arm import URArm
from mecano.kinematics.wrist_arm import WristArm


@dataclass(frozen=True, eq=False)
class SixJointSolver:
    """Six joints reach a point with any orientation, so what a target leaves open is kept."""

    dh: DHChain
    exact: SixJointArm
    """The closed form; polished where the table's axes are not exactly as it takes them."""
    joints: ClassVar[int] = 6
    rolls: ClassVar[bool] = True

    def pitch(self, q: Array) -> float:
        """Return how far the nose points below the horizontal, at most a quarter turn [rad].

        A nose past the vertical is one in front of it that is rolled by half a turn.
        """
        return angles_of(self.dh.forward(q)[:3, :3])[1]

    def roll(self, q: Array) -> float | None:
        """Return the turn about the nose after yaw about z and pitch about y [rad].

        A vertical nose has no yaw; all of the turn about it is roll then.
        """
        return angles_of(self.dh.forward(q)[:3, :3])[0]

    def inverse(self, target: IKTarget, start: Array) -> IKResult:
        """Return all solutions, nearest to `start` first, or why there is none."""
        return explain_six(self.exact, target, start)


@dataclass(frozen=True, eq=False)
class URSolver(SixJointSolver):
    """A turn, three parallel tilts, a wrist whose last two axes cross."""

    arm: URArm
    kind: ClassVar[str] = "ur"

    @classmethod
    def fit(cls, dh: DHChain) -> "URSolver":
        """Return the solver of a chain, or say why it is not of the UR kind."""
        arm = URArm.from_chain(dh, angle=ANGLE_TOLERANCE, length=LENGTH_TOLERANCE)
        return cls(dh, arm if arm.off <= ROUND_OFF else PolishedArm(dh, arm), arm)

    @property
    def reason(self) -> str:
        """Why it fits."""
        text = "axes 2, 3 and 4 are parallel, axes 5 and 6 cross at right angles"
        return text + polish_remark(self.arm.off)


@dataclass(frozen=True, eq=False)
class WristSolver(SixJointSolver):
    """Any three joints that carry a wrist whose axes meet in a point."""

    arm: WristArm
    kind: ClassVar[str] = "spherical_wrist"

    @classmethod
    def fit(cls, dh: DHChain) -> "WristSolver":
        """Return the solver of a chain, or say why it has no spherical wrist."""
        arm = WristArm.from_chain(dh, length=LENGTH_TOLERANCE)
        return cls(dh, arm if arm.off <= ROUND_OFF else PolishedArm(dh, arm), arm)

    @property
    def reason(self) -> str:
        """Why it fits."""
        return "axes 4, 5 and 6 meet in one point" + polish_remark(self.arm.off)
