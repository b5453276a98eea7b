"""What an arm with six joints answers: its solutions, or why it cannot take a pose, in numbers.

Six joints give every orientation, so what a target leaves open is kept as it is in the start
posture: the whole orientation, or the heading of the nose and the roll about it.

If the links could form the pose, a limit is in the way. If they cannot, but the point can be
reached with another orientation, the orientation is. Otherwise the point is too far or too close.
"""

from dataclasses import dataclass
from math import atan2, cos, degrees, dist, hypot, sin

import numpy as np

from mecano.core.poses import matrix_from_rpy
from mecano.core.poses.floats import rpy_from_rows
from mecano.kinematics.ik import IKReason, IKResult, IKTarget, ToolPose
from mecano.kinematics.six_motion import Joints, Settled, SixJointArm, pose_of
from mecano.kinematics.six_nearest import (
    ARRIVED,
    clamped,
    nearest_at_point,
    nearest_inside_limits,
)
from mecano.kinematics.transforms import Array
from mecano.kinematics.turret_explain import excess_over, missed

STEEP = 1e-3
"""A nose this near to the vertical has no heading of its own: length of its horizontal part."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A target with nothing left open."""

    target: IKTarget
    R: Array
    kept: str
    """What was taken from the start posture, in words; empty if nothing was."""


def explain_six(arm: SixJointArm, target: IKTarget, start: Array) -> IKResult:
    """Return all solutions for a target, nearest to `start` first, or why there is none."""
    near = start.tolist()
    asked = _complete(arm, target, near)
    found = arm.branches(target.position.tolist(), asked.R.ravel().tolist(), near)
    if found:
        return _reached(arm, asked, found, near)
    return _missed(arm, asked, near)


def angles_of(R: Array) -> tuple[float, float, float]:
    """Return roll, pitch and yaw of the tool [rad]: the turns about x, y and z, z first."""
    return rpy_from_rows(R.tolist())


def _complete(arm: SixJointArm, target: IKTarget, start: list[float]) -> _Asked:
    """Fill in from the start posture what a target leaves open."""
    if target.rotation is not None:
        return _Asked(target, target.rotation, "")
    _, R = pose_of(arm, arm.place(start))
    if target.pitch is None and target.roll is None:
        return _Asked(target, R, "the orientation")
    roll, pitch, yaw = angles_of(R)
    kept = ["the heading"]
    if target.pitch is None:
        kept.append("the pitch")
    else:
        pitch = target.pitch
    if target.roll is None:
        kept.append("the roll")
    else:
        roll = target.roll
    tilted = matrix_from_rpy(np.array([roll, pitch, 0.0]))
    if hypot(R[0, 0], R[1, 0]) < STEEP:  # the heading that leaves the tool as it is, if any does
        M = R @ tilted.T
        yaw = atan2(M[1, 0] - M[0, 1], M[0, 0] + M[1, 1])
    c, s = cos(yaw), sin(yaw)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ tilted
    return _Asked(target, turned, " and ".join(kept))


def _reached(arm: SixJointArm, asked: _Asked, found: list[Joints], start: list[float]) -> IKResult:
    if len(found) > 1:
        found.sort(key=lambda q: dist(q, start))
    solutions = np.array(found)
    roll, pitch, _ = angles_of(asked.R)
    pitch = pitch if asked.target.pitch is None else asked.target.pitch
    roll = roll if asked.target.roll is None else asked.target.roll
    notes = [f"{asked.kept} kept as in the start posture"] if asked.kept else []
    notes += arm.singular_notes(found[0])
    pose = ToolPose(asked.target.position, pitch, solutions[0], roll)
    return IKResult(solutions, pose, note="; ".join(notes))


def _missed(arm: SixJointArm, asked: _Asked, start: list[float]) -> IKResult:
    position, R = asked.target.position, asked.R
    free = arm.branches_without_limits(position.tolist(), R.ravel().tolist(), start)
    if free:
        return _missed_by_limit(arm, asked, free, start)
    held = arm.nearest_at_orientation(position, R)
    rows = R.ravel().tolist()
    inside = arm.branches(held.position.tolist(), rows, start)
    seeds = inside or [
        clamped(arm, q)
        for q in arm.branches_without_limits(held.position.tolist(), rows, start)
    ]  # fmt: skip
    seeds = sorted(seeds, key=lambda q: dist(q, start)) or [clamped(arm, tuple(start))]  # type: ignore[arg-type]
    other = nearest_at_point(arm, position, R, seeds[:1], start)
    if other is not None:
        note = _hint(arm, asked, other)
        if inside:
            note += f"; with this orientation the tool stays {held.distance * 1000:.1f} mm short"
        return _missed_at(arm, asked, other, IKReason.ORIENTATION, other.turn, note=note)
    if inside:
        nearest = Settled(seeds[0], held.distance, 0.0)
    else:
        nearest = nearest_inside_limits(arm, position, R, seeds[:3])
    reason = IKReason.TOO_FAR if held.stretched else IKReason.TOO_CLOSE
    notes = [f"{asked.kept} kept as in the start posture"] if asked.kept else []
    notes.append("no other orientation reaches it")
    return _missed_at(
        arm, asked, nearest, reason, nearest.distance, unit="m", note="; ".join(notes)
    )


def _missed_by_limit(
    arm: SixJointArm, asked: _Asked, free: list[Joints], start: list[float]
) -> IKResult:
    """Explain a pose that the links could form."""
    excesses = [list(map(excess_over, q, arm.lower, arm.upper)) for q in free]
    order = sorted(range(len(free)), key=lambda i: max(excesses[i]))
    least = excesses[order[0]]
    joint, over = arm.names[least.index(max(least))], max(least)
    seeds = [clamped(arm, free[i]) for i in order[:2]]
    position = asked.target.position
    nearest = nearest_at_point(arm, position, asked.R, seeds, start)
    if nearest is None:
        nearest = nearest_inside_limits(arm, position, asked.R, seeds)
        note = f"{asked.kept} kept as in the start posture" if asked.kept else ""
    else:
        note = _hint(arm, asked, nearest)
    return _missed_at(arm, asked, nearest, IKReason.JOINT_LIMIT, over, joint=joint, note=note)


def _hint(arm: SixJointArm, asked: _Asked, other: Settled) -> str:
    """Say with which orientation the point can be reached."""
    _, R = pose_of(arm, arm.place(other.q))
    roll, pitch, yaw = (round(angle, 6) + 0.0 for angle in angles_of(R))
    kept = f"{asked.kept} kept as in the start posture; " if asked.kept else ""
    return (
        f"{kept}the point can be reached with another orientation, {degrees(other.turn):.1f} deg "
        f"from this one: roll {roll:.4g} rad, pitch {pitch:.4g} rad, yaw {yaw:.4g} rad"
    )


def _missed_at(
    arm: SixJointArm, asked: _Asked, nearest: Settled, reason: IKReason, excess: float, *,
    joint: str | None = None, unit: str = "rad", note: str = "",
) -> IKResult:  # fmt: skip
    """Return the answer for the nearest posture."""
    point, R = pose_of(arm, arm.place(nearest.q))
    roll, pitch, _ = angles_of(R)
    shortfall = dist(point.tolist(), asked.target.position.tolist())
    if shortfall <= ARRIVED:
        shortfall = 0.0
    pose = ToolPose(point, pitch, np.array(nearest.q), roll)
    return missed(pose, shortfall, reason, excess, joint=joint, unit=unit, note=note)
