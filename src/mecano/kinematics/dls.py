"""Damped least squares with a fixed damping and chosen joints, and a tip that follows a target.

This is the solver of the youBot paper (CoppeliaSim's DLS group): a few small steps from where the
joints are, no search. It goes as near as it can and never jumps, so it suits a target that moves
all the time. For "is there any way to reach it, and why not" see `solve_numerically`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose
from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import (
    IKReason,
    IKResult,
    IKTarget,
    ToolPose,
    orientation_error,
    pitch_error,
    pitch_of,
)
from mecano.kinematics.numerical import (
    ANGLE_WEIGHT,
    SolverSettings,
    damped_step,
    solve_numerically,
    task_error,
)
from mecano.kinematics.transforms import Array

Task = Literal["position", "pitch", "pose"]
STILL = 1e-3
"""The chain has come to rest if the next step is shorter than this part of the longest one."""


@dataclass(frozen=True, kw_only=True)
class DLSSettings:
    """How the steps are made. The defaults are those of the youBot experiment."""

    joints: tuple[str, ...] | tuple[bool, ...] | None = None
    """Only these joints move: their names, or one True or False per joint. None moves all."""
    task: Task = "position"
    """Which rows count: the point (3), the point and the nose-down angle (4), the pose (6)."""
    damping: float = 0.05
    """Larger is smoother near singular postures and slower elsewhere [m]. It stays as it is."""
    max_iterations: int = 20
    """Steps per call."""
    max_step: float = 0.1
    """No joint moves further than this in one step [rad or m]."""
    position_tolerance: float = 0.001
    """The point counts as reached within this distance [m]."""
    angle_tolerance: float = 0.01
    """Pitch or orientation count as reached within this angle [rad]."""

    def __post_init__(self) -> None:
        if self.task not in ("position", "pitch", "pose"):
            raise InvalidInput(f"the task is '{self.task}', allowed: position, pitch, pose")
        for name in ("damping", "max_step", "position_tolerance", "angle_tolerance"):
            finite_number(getattr(self, name), name=name, lower=1e-300)
        finite_number(self.max_iterations, name="max_iterations", lower=1)

    def names(self, chain: DHChain) -> tuple[str, ...]:
        """Return the names of the joints that may move, or say which there are."""
        chosen = chain.names if self.joints is None else self.joints
        if chosen and all(isinstance(each, bool | np.bool_) for each in chosen):
            if len(chosen) != len(chain.joints):
                raise InvalidInput(
                    f"{len(chosen)} joints are said to move or not, {len(chain.joints)} needed: "
                    f"{', '.join(chain.names)}"
                )
            chosen = [name for name, moves in zip(chain.names, chosen, strict=True) if moves]
        return tuple(str(name) for name in chosen)

    def search(self, chain: DHChain) -> SolverSettings:
        """Return settings for a thorough search with the same joints and tolerances."""
        return SolverSettings(
            joints=self.names(chain),
            position_tolerance=self.position_tolerance,
            angle_tolerance=self.angle_tolerance,
        )

    def aim(self, target: IKTarget | Pose) -> IKTarget:
        """Return the part of a target that counts for the task."""
        if isinstance(target, Pose):
            target = IKTarget(target.position, rotation=target.rotation_matrix())
        if self.task == "position":
            return IKTarget(target.position)
        if self.task == "pitch":
            pitch = target.pitch
            if pitch is None and target.rotation is not None:
                pitch = pitch_of(target.rotation)
            if pitch is None:
                raise InvalidInput("the task 'pitch' needs a target with a pitch or an orientation")
            return IKTarget(target.position, pitch=pitch)
        if target.rotation is None:
            raise InvalidInput("the task 'pose' needs a target with an orientation")
        return IKTarget(target.position, rotation=target.rotation)


@dataclass(frozen=True, eq=False)
class TipStep:
    """Where a few steps have brought the tip, by the kinematics."""

    joints: Array
    """Joint values to command [rad or m], inside the limits. Shape (n,)."""
    reached: bool
    """True if the target is within the tolerances."""
    position_error: float
    """Distance that is left [m]."""
    angle_error: float
    """Pitch or orientation that is left [rad]; zero if only the point counts."""
    resting: bool
    """True if further steps would not bring the tip nearer."""
    at_limit: tuple[str, ...]
    """Chosen joints that would go further if their limits let them."""
    iterations: int
    """Steps that were made."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TipFollower:
    """Keeps the tip of a chain at a target that moves: call `step` in every tick.

    It holds no state: each call goes on from the joint values it is given. Give it the values that
    were last commanded; with measured ones the lag of the servos counts as an error of the tip.
    """

    chain: DHChain
    settings: DLSSettings = field(default_factory=lambda: DLSSettings(max_iterations=3))
    """`max_iterations` steps are made per tick, so no joint moves by more than that times
    `max_step` in one tick."""

    @cached_property
    def _moving(self) -> np.ndarray:
        return self._search.moving(self.chain)

    @cached_property
    def _search(self) -> SolverSettings:
        return self.settings.search(self.chain)

    def step(self, joints: ArrayLike, target: IKTarget | Pose) -> TipStep:
        """Return joint values nearer to a target, or as near as the chosen joints come.

        At least one step is made, within the tolerances too, so the tip does not stop and go.

        Args:
            joints: Joint values to go on from [rad or m]. Shape (n,).
            target: Pose of the tip in the base frame of the chain; the settings say what counts.
        """
        chain, settings, aim = self.chain, self.settings, self.settings.aim(target)
        q = one_posture(chain, joints)
        weights = (1.0, ANGLE_WEIGHT)
        made = 0
        while True:
            error, J, reached = task_error(chain, aim, q, self._search, weights)
            step, stopped = damped_step(chain, q, error, J, self._moving, damping=settings.damping)
            longest = float(np.abs(step).max())
            resting = longest < STILL * settings.max_step
            if resting or (reached and made) or made == settings.max_iterations:
                break
            step *= min(1.0, settings.max_step / longest)
            q, made = np.clip(q + step, chain.lower, chain.upper), made + 1
        T = chain.forward(q)
        return TipStep(
            joints=q,
            reached=reached,
            position_error=float(np.linalg.norm(T[:3, 3] - aim.position)),
            angle_error=_angle_error(aim, T[:3, :3]),
            resting=reached or resting,
            at_limit=tuple(np.array(chain.names)[stopped].tolist()),
            iterations=made,
        )


def solve_dls(
    chain: DHChain,
    target: IKTarget | Pose,
    *,
    start: ArrayLike,
    settings: DLSSettings | None = None,
) -> IKResult:
    """Bring the tool to a target by damped steps of the chosen joints, or say why they do not.

    Args:
        chain: Any serial chain.
        target: Pose in the base frame; `settings.task` says which part of it counts.
        start: Joint values to begin at. Shape (n,). Joints that are not chosen stay there.
        settings: Chosen joints, rows of the task, damping, iterations, longest step.

    Returns:
        One solution, or none and the reason. `nearest` is where the steps ended. The reason comes
        from a thorough search with the chosen joints alone; if that finds a way, it is `singular`
        (the steps came to rest too early) or `not_converged` (they were too few), and a note says
        that a longer search reaches the target.
    """
    settings = settings or DLSSettings()
    begin = one_posture(chain, start)
    aim = settings.aim(target)
    end = TipFollower(chain=chain, settings=settings).step(begin, aim)
    T = chain.forward(end.joints)
    nearest = ToolPose(T[:3, 3], pitch_of(T[:3, :3]), end.joints)
    if end.reached:
        return IKResult(end.joints[None], nearest)
    search = settings.search(chain)
    answer = solve_numerically(chain, aim, start=begin, settings=search)
    held = [name for name in chain.names if name not in (search.joints or ())]
    note = f"{', '.join(held)} may not move" if held else ""
    missed = replace(
        answer, solutions=np.empty((0, len(begin))), nearest=nearest,
        shortfall=end.position_error, note=note,
    )  # fmt: skip
    if not answer.reached and answer.reason not in (IKReason.SINGULAR, IKReason.NOT_CONVERGED):
        return missed
    reason = IKReason.SINGULAR if end.resting else IKReason.NOT_CONVERGED
    left = max(end.position_error, ANGLE_WEIGHT * end.angle_error)
    note = "a longer search reaches it: allow more iterations, or start elsewhere"
    return replace(missed, reason=reason, joint=None, excess=left, unit="m", note=note)


def one_posture(chain: DHChain, joints: ArrayLike | Sequence[float]) -> Array:
    """Return one row of joint values, brought inside the limits."""
    q = chain.check(joints)
    if q.ndim != 1:
        raise InvalidInput(f"a posture is one row of joint values, got shape {q.shape}")
    return np.clip(q, chain.lower, chain.upper)


def _angle_error(aim: IKTarget, R: Array) -> float:
    """Return the pitch or orientation that is left [rad]."""
    if aim.rotation is not None:
        return orientation_error(aim.rotation, R)
    return 0.0 if aim.pitch is None else abs(pitch_error(aim.pitch, pitch_of(R)))
