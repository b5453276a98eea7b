"""Numerical inverse kinematics for any chain: damped least squares, or plain Newton-Raphson.

The damped solver only accepts steps that bring the tool nearer and adapts its damping as it goes
(Levenberg-Marquardt), so it stays calm where the target is out of reach or a direction is lost.
A joint at its limit is held there while the error pushes it outwards. Newton-Raphson is the
textbook method, kept for comparison; it needs a good start.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.ik import (
    IKReason,
    IKResult,
    IKTarget,
    ToolPose,
    orientation_error,
    pitch_error,
    pitch_of,
)
from mecano.kinematics.transforms import Array
from mecano.kinematics.turns import TURN, nearest_turn


@dataclass(frozen=True, kw_only=True)
class SolverSettings:
    """How the numerical solver searches."""

    method: Literal["damped", "newton"] = "damped"
    position_tolerance: float = 1e-7
    """The point counts as reached within this distance [m]."""
    angle_tolerance: float = 1e-6
    """Pitch or orientation count as reached within this angle [rad]."""
    damping: float = 1e-3
    """First damping; it then adapts [m]. Larger is smoother near singular postures."""
    max_step: float = 0.5
    """No joint moves further than this in one iteration [rad or m]: the linear model is only
    good nearby."""
    max_iterations: int = 100
    """Per start."""
    restarts: int = 20
    """Further starts, drawn at random inside the limits, when the first one fails."""
    every: bool = False
    """Use all starts and return all different solutions found, not only the first."""
    seed: int = 0
    """Of the random starts: the same seed gives the same answer."""
    joints: tuple[str, ...] | None = None
    """Only these joints move, the others stay as in the start posture; None moves all."""

    def __post_init__(self) -> None:
        if self.method not in ("damped", "newton"):
            raise InvalidInput(f"the method is '{self.method}', allowed: damped, newton")
        for name in ("position_tolerance", "angle_tolerance", "damping", "max_step"):
            finite_number(getattr(self, name), name=name, lower=1e-300)
        for name, least in (("max_iterations", 1), ("restarts", 0)):
            finite_number(getattr(self, name), name=name, lower=least)

    def moving(self, chain: DHChain) -> np.ndarray:
        """Return which joints of the chain may move. Shape (n,), bool."""
        if self.joints is None:
            return np.ones(len(chain.joints), bool)
        for name in self.joints:
            if name not in chain.names:
                raise UnknownName("joint", name, chain.names)
        if not self.joints:
            raise InvalidInput(f"no joint may move; name some of {', '.join(chain.names)}")
        return np.array([name in self.joints for name in chain.names])


ANGLE_WEIGHT = 0.1
"""What one radian of error counts beside one metre, while both are being reduced [m/rad]."""
PRIORITY = 100.0
"""How much more the part counts that must hold while the other is only brought near."""


def solve_numerically(
    chain: DHChain,
    target: IKTarget,
    *,
    start: Array,
    settings: SolverSettings | None = None,
) -> IKResult:
    """Find joint values that bring the tool to a target, or say what stands in the way.

    Args:
        chain: Any serial chain.
        target: Point, point and pitch, or full pose, in the base frame.
        start: Joint values to begin at. Shape (n,). Solutions are ordered by distance to it.
        settings: Tolerances, damping, restarts, which joints may move.

    Returns:
        The solutions found. A numerical search cannot promise that it found them all. If none was
        found, the reason rests on searches with the limits or the orientation given up, so it is
        as good as those searches.
    """
    if target.roll is not None:
        raise InvalidInput("the numerical solver takes no roll; give the whole orientation")
    settings = settings or SolverSettings()
    search = partial(_search, start=np.clip(start, chain.lower, chain.upper), settings=settings)
    attempts = search(chain, target)
    solutions = _distinct([_near_turns(chain, a.q, start) for a in attempts if a.reached])
    if solutions:
        order = np.argsort([np.linalg.norm(q - start) for q in solutions], kind="stable")
        found = np.array(solutions)[order]
        pose = ToolPose(target.position, chain_pitch(chain, found[0]), found[0])
        return IKResult(found, pose)
    return _explain(chain, target, attempts, settings, search)


def chain_pitch(chain: DHChain, q: Array) -> float:
    """Return the tool's nose-down angle [rad] at joint values `q`."""
    return pitch_of(chain.forward(q)[:3, :3])


@dataclass(frozen=True, eq=False)
class _Attempt:
    """Where one start ended."""

    q: Array
    error: float
    """Length of the weighted error [m]."""
    reached: bool
    stalled: bool
    """True if it could not get nearer, False if it ran out of iterations."""


def _search(
    chain: DHChain,
    target: IKTarget,
    *,
    start: Array,
    settings: SolverSettings,
    weights: tuple[float, float] = (1.0, ANGLE_WEIGHT),
) -> list[_Attempt]:
    """Run from the start posture, then from random ones; end at success unless all are wanted."""
    rng = np.random.default_rng(settings.seed)
    moving = settings.moving(chain)
    attempts = []
    for k in range(settings.restarts + 1):
        begin = start if k == 0 else np.where(moving, rng.uniform(chain.lower, chain.upper), start)
        descend = _newton if settings.method == "newton" else _descend
        attempts.append(descend(chain, target, begin, moving, settings, weights))
        if attempts[-1].reached and not settings.every:
            break
    return attempts


def _descend(
    chain: DHChain, target: IKTarget, q: Array, moving: np.ndarray,
    settings: SolverSettings, weights: tuple[float, float],
) -> _Attempt:  # fmt: skip
    """Reduce the error by damped least squares until it is small or does not shrink any more."""
    damping = settings.damping
    error, J, reached = task_error(chain, target, q, settings, weights)
    for _ in range(settings.max_iterations):
        if reached:
            return _Attempt(q, float(np.linalg.norm(error)), True, True)
        step, _ = damped_step(chain, q, error, J, moving, damping=damping)
        step *= min(1.0, settings.max_step / max(np.abs(step).max(), 1e-300))
        q_new = np.clip(q + step, chain.lower, chain.upper)
        error_new, J_new, reached_new = task_error(chain, target, q_new, settings, weights)
        if np.linalg.norm(error_new) < np.linalg.norm(error) or reached_new:
            gain = 1.0 - np.linalg.norm(error_new) / np.linalg.norm(error)
            q, error, J, reached = q_new, error_new, J_new, reached_new
            damping = max(damping * 0.3, 1e-6)
            if gain < 1e-8 and not reached:
                return _Attempt(q, float(np.linalg.norm(error)), False, True)
        elif damping > 1e3:
            return _Attempt(q, float(np.linalg.norm(error)), False, True)
        else:
            damping *= 4.0
    return _Attempt(q, float(np.linalg.norm(error)), reached, False)


def damped_step(
    chain: DHChain, q: Array, error: Array, J: Array, moving: np.ndarray, *, damping: float
) -> tuple[Array, np.ndarray]:
    """Return the damped least-squares step, and which joints their limits keep from taking part.

    A joint at its limit is held there while the error pushes it outwards.
    """
    gradient = J.T @ error
    pushed_down, pushed_up = gradient < 0.0, gradient > 0.0
    stopped = ((q <= chain.lower) & pushed_down) | ((q >= chain.upper) & pushed_up)
    held = ~moving | stopped
    J_free = np.where(held, 0.0, J)
    normal = J_free.T @ J_free
    normal[np.diag_indices(len(q))] += damping**2 + 1e-13 * np.trace(normal)
    return np.linalg.solve(normal, np.where(held, 0.0, gradient)), stopped & moving


def _newton(
    chain: DHChain, target: IKTarget, q: Array, moving: np.ndarray,
    settings: SolverSettings, weights: tuple[float, float],
) -> _Attempt:  # fmt: skip
    """Step to where the linear model is zero, again and again; keep the best posture passed."""
    best = _Attempt(q, float("inf"), False, False)
    for _ in range(settings.max_iterations):
        error, J, reached = task_error(chain, target, q, settings, weights)
        size = float(np.linalg.norm(error))
        if size < best.error:
            best = _Attempt(q, size, reached, False)
        if reached:
            return best
        step = np.linalg.pinv(np.where(moving, J, 0.0), rcond=1e-10) @ error
        longest = np.abs(step).max()
        if longest < 1e-12:  # a direction is lost: Newton has no step to offer
            return replace(best, stalled=True)
        step *= min(1.0, settings.max_step / longest)
        q = np.clip(q + step, chain.lower, chain.upper)
    return best


def task_error(
    chain: DHChain, target: IKTarget, q: Array, settings: SolverSettings,
    weights: tuple[float, float],
) -> tuple[Array, Array, bool]:  # fmt: skip
    """Return the weighted error to the target, its Jacobian, and whether it is within tolerance."""
    frames = chain.joint_frames(q)
    T = frames[-1]
    J = chain.jacobian_from_frames(frames)
    offset = target.position - T[:3, 3]
    near = float(np.linalg.norm(offset)) <= settings.position_tolerance
    if target.rotation is not None:
        angle = _rotation_vector(target.rotation @ T[:3, :3].T)
        J_angle = J[3:]
    elif target.pitch is not None:
        angle = np.array([pitch_error(pitch_of(T[:3, :3]), target.pitch)])
        J_angle = (_pitch_axis(T[:3, :3]) @ J[3:])[None]
    else:
        return weights[0] * offset, weights[0] * J[:3], near
    aligned = float(np.linalg.norm(angle)) <= settings.angle_tolerance
    error = np.concatenate([weights[0] * offset, weights[1] * angle])
    return error, np.concatenate([weights[0] * J[:3], weights[1] * J_angle]), near and aligned


def _pitch_axis(R: Array) -> Array:
    """Return the horizontal axis about which the nose goes down."""
    flat = np.array([R[0, 0], R[1, 0]])
    if np.hypot(*flat) > 1e-6:
        axis = np.array([-flat[1], flat[0], 0.0]) * (1.0 if R[2, 2] >= 0.0 else -1.0)
    else:  # nose straight up or down: its side axis tells the plane
        axis = np.array([R[0, 1], R[1, 1], 0.0])
    return axis / max(float(np.linalg.norm(axis)), 1e-12)


def _rotation_vector(R: Array) -> Array:
    """Return axis times angle of a rotation [rad]."""
    angle = orientation_error(np.eye(3), R)
    vector = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    length = np.linalg.norm(vector)
    if length > 1e-9:
        return vector * float(angle / length)
    if angle < 1.0:
        return vector / 2.0
    k = int(np.argmax(np.diag(R)))  # half a turn: the axis is a column of R + 1
    axis = R[:, k] + np.eye(3)[k]
    return axis * float(angle / np.linalg.norm(axis))


def _near_turns(chain: DHChain, q: Array, start: Array) -> Array:
    """Return a posture whose joints take the whole turn nearest to the start.

    Postures that differ by whole turns only are one solution, not several.
    """
    turned = q.copy()
    for i, joint in enumerate(chain.joints):
        if joint.kind == "revolute" and joint.upper - joint.lower >= TURN:
            near = nearest_turn(float(q[i]), float(start[i]), joint.lower, joint.upper)
            turned[i] = q[i] if near is None else near
    return turned


def _distinct(postures: list[Array], apart: float = 1e-3) -> list[Array]:
    """Return the postures without those that repeat an earlier one [rad or m]."""
    kept: list[Array] = []
    for q in postures:
        if all(np.abs(q - other).max() > apart for other in kept):
            kept.append(q)
    return kept


def _explain(
    chain: DHChain, target: IKTarget, attempts: list[_Attempt], settings: SolverSettings, search
) -> IKResult:
    """Find out what stands in the way by giving up one demand after the other."""
    thorough = replace(
        settings,
        method="damped",
        restarts=max(settings.restarts, 12),
        max_iterations=max(settings.max_iterations, 100),
    )
    search = partial(search, settings=thorough)
    point_only = IKTarget(target.position)
    has_angle = target.pitch is not None or target.rotation is not None
    at_point = search(chain, point_only)
    point_reached = any(a.reached for a in at_point)
    pose = _nearest(chain, target, search, attempts, point_reached)
    shortfall = float(np.linalg.norm(pose.position - target.position))
    nothing = np.empty((0, len(chain.joints)))
    missed = partial(IKResult, nothing, pose, shortfall)

    if any(a.reached for a in _search(chain, target, start=attempts[0].q, settings=thorough)):
        best = min(attempts, key=lambda a: a.error)
        reason = IKReason.SINGULAR if best.stalled else IKReason.NOT_CONVERGED
        note = "a longer search reaches it: allow more restarts or iterations"
        return missed(reason, excess=best.error, unit="m", note=note)
    unlimited = _search_without_limits(chain, target, search, thorough)
    over = _least_excess(chain, unlimited)
    if over is not None:
        joint, excess = over
        return missed(IKReason.JOINT_LIMIT, joint.name, excess, joint.unit)
    if has_angle and point_reached:
        angle = _angle_between(chain, target, pose.joints)
        reason = IKReason.ORIENTATION if target.rotation is not None else IKReason.PITCH
        if shortfall > settings.position_tolerance:  # the nearest pose keeps the pitch instead
            angle = min(_angle_between(chain, target, a.q) for a in _turned(chain, target, search))
        return missed(reason, excess=angle)
    stretched = min(unlimited, key=lambda a: a.error).q
    reason = IKReason.TOO_FAR if _points_outwards(chain, target, stretched) else IKReason.TOO_CLOSE
    return missed(reason, excess=shortfall, unit="m")


def _points_outwards(chain: DHChain, target: IKTarget, q: Array) -> bool:
    """Tell whether the way that is missing at the nearest posture leads away from the shoulder.

    The shoulder is the second joint of an arm that first turns about another axis, else the first.
    While an angle is held the hand only moves along, so the wrist counts in the place of the tool.
    """
    frames = chain.joint_frames(q)
    turns_first = len(q) > 2 and abs(frames[0, :3, 2] @ frames[1, :3, 2]) < 0.5
    holds_angle = target.pitch is not None or target.rotation is not None
    end = frames[-2] if holds_angle and len(q) > 2 else frames[-1]
    reach = end[:3, 3] - frames[1 if turns_first else 0, :3, 3]
    missing = target.position - frames[-1, :3, 3]
    sideways = 0.05 * np.linalg.norm(missing) * np.linalg.norm(reach)  # off the plane of a flat arm
    return bool(missing @ reach >= -sideways)


def _turned(chain: DHChain, target: IKTarget, search) -> list[_Attempt]:
    """Return where the point is held and the angle brought as near as it goes."""
    held = search(chain, target, weights=(PRIORITY, ANGLE_WEIGHT))
    best = min(held, key=lambda a: a.error).error
    return [a for a in held if a.error <= best * (1 + 1e-6) + 1e-9]


def _nearest(
    chain: DHChain, target: IKTarget, search, attempts: list[_Attempt], point_reached: bool
) -> ToolPose:
    """Return the nearest point at the asked pitch; failing that, the nearest pitch at the point."""
    if target.pitch is not None:
        held = search(chain, target, weights=(1.0, PRIORITY))
        best = min(held, key=lambda a: a.error)
        if abs(_angle_between(chain, target, best.q)) < 1e-3:
            return _pose(chain, best.q)
    if target.rotation is not None or (target.pitch is not None and point_reached):
        return _pose(chain, min(_turned(chain, target, search), key=lambda a: a.error).q)
    return _pose(chain, min(attempts, key=lambda a: a.error).q)


def _pose(chain: DHChain, q: Array) -> ToolPose:
    T = chain.forward(q)
    return ToolPose(T[:3, 3], pitch_of(T[:3, :3]), q)


def _angle_between(chain: DHChain, target: IKTarget, q: Array) -> float:
    """Return how far the tool's pitch or orientation at `q` is from the asked one [rad]."""
    R = chain.forward(q)[:3, :3]
    if target.rotation is not None:
        return orientation_error(target.rotation, R)
    assert target.pitch is not None
    return abs(pitch_error(target.pitch, pitch_of(R)))


def _search_without_limits(
    chain: DHChain, target: IKTarget, search, settings: SolverSettings
) -> list[_Attempt]:
    """Search with every joint free to go anywhere."""
    free = chain.with_limits(
        {
            joint.name: (-np.pi, np.pi) if joint.kind == "revolute" else (-10.0, 10.0)
            for joint in chain.joints
        }
    )
    return search(free, target, settings=replace(settings, every=True))


def _least_excess(chain: DHChain, attempts: list[_Attempt]) -> tuple[DHJoint, float] | None:
    """Return the joint furthest over its limit in the solution that breaks them least, or None."""
    best = None
    for attempt in attempts:
        if not attempt.reached:
            continue
        over = np.maximum(np.maximum(attempt.q - chain.upper, chain.lower - attempt.q), 0.0)
        worst = int(np.argmax(over))
        if best is None or over[worst] < best[1]:
            best = (chain.joints[worst], float(over[worst]))
    return best
