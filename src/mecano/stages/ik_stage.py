"""A user's inverse kinematics: used in the place of ours, and judged like ours."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.core.errors import InvalidInput, StageFailed
from mecano.kinematics.chain import Chain
from mecano.kinematics.ik import IKReason, IKResult, ToolPose, pitch_error
from mecano.kinematics.transforms import Array
from mecano.stages.user_stage import UserStage

POSITION_TOLERANCE = 1e-4
"""A solution is right if the tool comes this near to the point [m]."""
PITCH_TOLERANCE = 1e-3
"""And its pitch this near to the asked one [rad]."""


def postures_of(value: Any, chain: Chain, stage: UserStage) -> Array:
    """Return a stage's answer as rows of joint values, or say what is wrong with its shape."""
    names = chain.joint_names
    wanted = f"a list of solutions with {len(names)} joint values each ({', '.join(names)})"

    def wrong(problem: str) -> StageFailed:
        return StageFailed(stage.contract.name, stage.source, f"{problem}; it must return {wanted}")

    if value is None:
        raise wrong("returned None (is a `return` missing?)")
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise wrong(f"returned {_short(value)}") from None
    if array.size == 0:
        return np.empty((0, len(names)))
    if array.ndim == 1 and len(array) == len(names):
        array = array[None]
    if array.ndim != 2 or array.shape[1] != len(names):
        raise wrong(f"returned numbers of shape {array.shape}")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise wrong(f"returned {array[row, column]} for {names[column]} in solution {row + 1}")
    return array[[not _contains(array[:i], q, 1e-9) for i, q in enumerate(array)]]


def _short(value: Any) -> str:
    text = repr(value)
    return f"a {type(value).__name__}, {text if len(text) < 60 else text[:57] + '...'}"


def solve_with_stage(
    stage: UserStage, chain: Chain, position: Array, pitch: float | None, start: Array | None = None
) -> IKResult:
    """Ask the user's stage and check its answer; ours explains where there is none.

    A solution counts if it brings the tool to the target and keeps the limits. The result's note
    says what is wrong with the ones that do not.
    """
    if pitch is None:
        raise InvalidInput("a user's ik stage needs a pitch: its contract is solve(x, y, z, pitch)")
    ours = chain.inverse(position, pitch=pitch, start=start)
    postures = postures_of(stage.call(*position.tolist(), pitch), chain, stage)
    faults = [fault_of(chain, q, position, pitch) for q in postures]
    good = postures[[fault is None for fault in faults]] if len(postures) else postures
    note = next((f"solution {i + 1} {fault}" for i, fault in enumerate(faults) if fault), "")
    if len(good):
        return IKResult(good, ToolPose(position, pitch, good[0]), note=note)
    if not ours.reached:
        return ours
    missing = note or f"it returned none, there are {len(ours.solutions)}"
    return IKResult(good, ours.nearest, reason=IKReason.WRONG_ANSWER, note=missing)


def fault_of(chain: Chain, q: Array, position: Array, pitch: float) -> str | None:
    """Say in words what is wrong with one solution, or return None."""
    return _beside(chain, q, position, pitch) or _outside(chain, q)


def _beside(chain: Chain, q: Array, position: Array, pitch: float) -> str | None:
    """Say how far a solution is from its target, if it is not there."""
    T = chain.forward(q)
    miss = float(np.linalg.norm(T[:3, 3] - position))
    if miss > POSITION_TOLERANCE:
        return f"brings the tool {miss * 1000:.1f} mm beside the target"
    turn = abs(pitch_error(pitch, chain.pitch(q)))
    if turn > PITCH_TOLERANCE:
        return f"has the pitch off by {math.degrees(turn):.1f} deg"
    return None


def _outside(chain: Chain, q: Array) -> str | None:
    """Say which joint of a solution is over its limit, if one is."""
    over = np.maximum(q - chain.dh.upper, chain.dh.lower - q)
    if over.max() > 1e-6:
        joint = chain.joint_names[int(over.argmax())]
        return f"has {joint} over its limit by {over.max():.3f} rad"
    return None


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    claim: str
    held: bool
    detail: str = ""
    """What was seen, with numbers."""


@dataclass(frozen=True)
class Verdict:
    """What the checker found."""

    checks: tuple[Check, ...]
    hint: str = ""
    """The mistake that would explain the wrong answers, if one of the usual ones does."""

    @property
    def passed(self) -> bool:
        """True if every check held."""
        return all(check.held for check in self.checks)


def judge_ik(
    stage: UserStage,
    chain: Chain,
    *,
    samples: int = 200,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Try a user's inverse kinematics on poses of known answer and tell what is wrong with it.

    Args:
        stage: The user's function.
        chain: The arm it is for.
        samples: Random reachable poses; a quarter as many unreachable ones are added.
        seed: Of the random poses.
        on_progress: Called with (calls done, calls in all).
    """
    targets = list(_targets(chain, samples, np.random.default_rng(seed)))
    answers = []
    for done, (position, pitch, _) in enumerate(targets):
        try:
            answers.append(postures_of(stage.call(*position.tolist(), pitch), chain, stage))
        except StageFailed as failure:
            return Verdict(
                (Check("answers every target with joint values", False, failure.problem),)
            )
        if on_progress is not None:
            on_progress(done + 1, len(targets))
    answered = Check("answers every target with joint values", True, f"{len(targets)} targets")
    right, hint = _check_right(chain, targets, answers)
    return Verdict((answered, right, *_check_complete(targets, answers)), hint)


Target = tuple[Array, float, IKResult]


def _targets(chain: Chain, samples: int, rng: np.random.Generator) -> Iterator[Target]:
    """Yield (position, pitch, our answer): first targets within reach, then some out of it."""
    q = rng.uniform(chain.dh.lower, chain.dh.upper, (samples, len(chain.joint_names)))
    q[: samples // 10, 0] = 0.0
    for posture in q:
        position, pitch = chain.forward(posture)[:3, 3], chain.pitch(posture)
        yield position, pitch, chain.inverse(position, pitch=pitch)
    reach = np.abs([chain.forward(posture)[:3, 3] for posture in q]).max(axis=0)
    missing = max(1, samples // 4)
    while missing:
        position, pitch = rng.uniform(-2 * reach, 2 * reach), float(rng.uniform(-np.pi, np.pi))
        ours = chain.inverse(position, pitch=pitch)
        if not ours.reached:
            missing -= 1
            yield position, pitch, ours


def _check_right(chain: Chain, targets: list[Target], answers: list[Array]) -> tuple[Check, str]:
    """Every solution given must be one."""
    wrong = []
    for (position, pitch, _), postures in zip(targets, answers, strict=True):
        for q in postures:
            fault = fault_of(chain, q, position, pitch)
            if fault is not None:
                wrong.append((position, pitch, q, fault))
    total = sum(len(postures) for postures in answers)
    claim = "every solution reaches its target inside the limits"
    if not wrong:
        return Check(claim, True, f"{total} solutions"), ""
    position, pitch, q, fault = wrong[0]
    detail = (
        f"{len(wrong)} of {total} do not; for example for {_pose(position, pitch)} the answer "
        f"{np.round(q, 4).tolist()} {fault}"
    )
    return Check(claim, False, detail), _usual_mistake(chain, wrong)


def _check_complete(targets: list[Target], answers: list[Array]) -> Iterator[Check]:
    """A target within reach must be answered with all branches, one out of reach with none."""
    unanswered, missed_branches, example = 0, 0, ""
    branches = 0
    invented = 0
    for (position, pitch, ours), postures in zip(targets, answers, strict=True):
        if not ours.reached:
            invented += len(postures) > 0
            continue
        branches += len(ours.solutions)
        found = sum(_contains(postures, q) for q in ours.solutions)
        missed_branches += len(ours.solutions) - found
        if not len(postures):
            unanswered += 1
            example = example or f"; for example {_pose(position, pitch)}"
    reachable = sum(ours.reached for _, _, ours in targets)
    yield Check(
        "answers every target that can be reached",
        not unanswered,
        f"{unanswered} of {reachable} left without an answer{example}"
        if unanswered
        else f"{reachable} targets",
    )
    yield Check(
        "finds every branch (front and back, elbow up and down)",
        not missed_branches,
        f"{missed_branches} of {branches} missed" if missed_branches else f"{branches} branches",
    )
    refused = len(targets) - reachable
    yield Check(
        "returns an empty list where there is no solution",
        not invented,
        f"{invented} of {refused} got an answer" if invented else f"{refused} targets",
    )


def _contains(postures: Array, q: Array, apart: float = 1e-3) -> bool:
    return bool(len(postures)) and bool((np.abs(postures - q).max(axis=1) < apart).any())


def _pose(position: Array, pitch: float) -> str:
    x, y, z = position
    return f"({x:.4f}, {y:.4f}, {z:.4f}) m, pitch {pitch:.4f} rad"


def _usual_mistake(chain: Chain, wrong: list) -> str:
    """Return the usual mistake that explains most of the wrong answers, if there is one."""
    base = chain.dh.base[:3, 3]

    suspects = {
        "the angles seem to be in degrees; return radians": lambda q, p, w: (np.radians(q), p, w),
        "the pitch seems to have the wrong sign; positive is nose down": lambda q, p, w: (q, p, -w),
        f"the base offset {np.round(base, 4).tolist()} m seems to be forgotten; subtract it from "
        "the point first": lambda q, p, w: (q, p + base, w),
        "the solutions are right but outside the joint limits; leave those out": lambda q, p, w: (
            q, p, w,
        ),
        "joint1 seems to be half a turn off; use atan2(y, x), not atan(y / x)": lambda q, p, w: (
            q + np.eye(len(q))[0] * np.pi, p, w,
        ),
    }  # fmt: skip
    for hint, mended in suspects.items():
        explained = sum(
            _beside(chain, *mended(q, position, pitch)) is None for position, pitch, q, _ in wrong
        )
        if explained > 0.8 * len(wrong):
            return hint
    return ""
