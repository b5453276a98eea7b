"""Why a turret arm cannot reach a pose: the reason as a code and in numbers.

The reasons are tried in this order. If the links could form the pose, a limit is in the way. If
they cannot, but the point can be reached at another pitch, the pitch is. Otherwise the point is
too far or too close.
"""

from math import acos, atan2, cos, hypot, pi, sin, sqrt

import numpy as np

from mecano.core.poses import matrix_from_rpy
from mecano.kinematics.ik import (
    IKReason,
    IKResult,
    IKTarget,
    ToolPose,
    orientation_error,
    pitch_error,
)
from mecano.kinematics.transforms import Array
from mecano.kinematics.turret import ON_AXIS, TURN, Joints, TurretArm
from mecano.kinematics.turret_nearest import (
    nearest_at_any_pitch,
    nearest_at_pitch,
    nearest_pitch,
    sides_of,
)

ORIENTATION_TOLERANCE = 1e-3
"""Quaternions typed with four digits still count as the orientation they mean [rad]."""


def explain(arm: TurretArm, target: IKTarget, start: Array) -> IKResult:
    """Return all solutions for a target, nearest to `start` first, or why there is none."""
    if target.rotation is not None:
        return _explain_orientation(arm, target, start)
    x, y, z = target.position.tolist()
    if target.pitch is None:
        pitch = nearest_pitch(arm, x, y, z, 0.0)
        if pitch is None:
            return _missed_at_any_pitch(arm, x, y, z)
        found = arm.branches_on_boundary(x, y, z, pitch)
        note = f"pitch was free, {pitch:.4g} rad used"
        return _reached(arm, target, pitch, found, start, note)
    found = arm.branches(x, y, z, target.pitch)
    if found:
        return _reached(arm, target, target.pitch, found, start)
    return _missed_at_pitch(arm, x, y, z, target.pitch)


def _reached(
    arm: TurretArm, target: IKTarget, pitch: float, found: list[Joints], start: Array,
    note: str = "",
) -> IKResult:  # fmt: skip
    if len(found) > 1:
        a, b, c, d = start.tolist()
        found.sort(
            key=lambda q: (q[0] - a) ** 2 + (q[1] - b) ** 2 + (q[2] - c) ** 2 + (q[3] - d) ** 2
        )
    solutions = np.array(found)
    x, y, _ = target.position.tolist()
    if hypot(x - arm.axis_x, y - arm.axis_y) <= ON_AXIS:
        note = f"the point lies on the axis of {arm.names[0]}, which may take any angle"
    return IKResult(solutions, ToolPose(target.position, pitch, solutions[0]), note=note)


def _missed_at_pitch(arm: TurretArm, x: float, y: float, z: float, pitch: float) -> IKResult:
    """Explain a point that no branch inside the limits reaches at this pitch."""
    other = nearest_pitch(arm, x, y, z, pitch)
    turn = 0.0 if other is None else pitch_error(pitch, other)
    nearest = nearest_at_pitch(arm, x, y, z, pitch)
    if nearest is None:
        nearest = (
            arm.branches_on_boundary(x, y, z, other)[0]
            if other is not None
            else nearest_at_any_pitch(arm, x, y, z)
        )
    pose = tool_pose(arm, nearest)
    shortfall = _distance(pose.position, x, y, z)

    hint = ""
    if other is not None:
        hint = f"the point can be reached at pitch {other:.4g} rad ({np.degrees(turn):+.1f} deg)"
    over = least_violation(arm, x, y, z, pitch)
    if over is not None:
        joint, excess = over
        return _missed(pose, shortfall, IKReason.JOINT_LIMIT, excess, joint=joint, note=hint)
    if other is not None:
        return _missed(pose, shortfall, IKReason.PITCH, abs(turn), note=hint)
    reason = IKReason.TOO_FAR if _beyond(arm, x, y, z, pitch) else IKReason.TOO_CLOSE
    return _missed(pose, shortfall, reason, shortfall, unit="m", note="no other pitch reaches it")


def _missed_at_any_pitch(arm: TurretArm, x: float, y: float, z: float) -> IKResult:
    """Explain a point that cannot be reached at all."""
    pose = tool_pose(arm, nearest_at_any_pitch(arm, x, y, z))
    shortfall = _distance(pose.position, x, y, z)
    radius, down = hypot(x - arm.axis_x, y - arm.axis_y), arm.shoulder_z - z
    sizes = [hypot(side * radius - arm.shoulder_r, down) for side in (1.0, -1.0)]
    longest = max(arm.lengths)
    far, hole = sum(arm.lengths), max(0.0, 2.0 * longest - sum(arm.lengths))
    if min(sizes) > far:
        return _missed(pose, shortfall, IKReason.TOO_FAR, shortfall, unit="m")
    if max(sizes) < hole:
        return _missed(pose, shortfall, IKReason.TOO_CLOSE, shortfall, unit="m")
    joint, excess = _least_violation_at_any_pitch(arm, x, y, z)
    return _missed(pose, shortfall, IKReason.JOINT_LIMIT, excess, joint=joint)


def _explain_orientation(arm: TurretArm, target: IKTarget, start: Array) -> IKResult:
    """A turret arm has no roll and its heading follows from the point: only the pitch is free."""
    assert target.rotation is not None
    x, y, _ = target.position.tolist()
    azimuth = atan2(y - arm.axis_y, x - arm.axis_x)
    off, pitch, heading = min(
        _nearest_orientation(target.rotation, heading) for heading in (azimuth, azimuth + pi)
    )
    at_pitch = explain(arm, IKTarget(target.position, pitch), start)
    if off > ORIENTATION_TOLERANCE:
        if not at_pitch.reached:
            return at_pitch
        note = f"at this point the arm can only pitch: {pitch:.4g} rad comes nearest"
        return _missed(at_pitch.nearest, 0.0, IKReason.ORIENTATION, off, note=note)
    if not at_pitch.reached:
        return at_pitch
    headings = at_pitch.solutions[:, 0] * arm.signs[0] + arm.offsets[0]
    same = np.cos(headings - heading) > 0.0
    if not same.any():
        joint, excess = arm.names[0], _excess(heading, arm.lower[0], arm.upper[0])
        return _missed(at_pitch.nearest, 0.0, IKReason.JOINT_LIMIT, excess, joint=joint)
    solutions = at_pitch.solutions[same]
    return IKResult(solutions, ToolPose(target.position, pitch, solutions[0]), note=at_pitch.note)


def _nearest_orientation(R: Array, heading: float) -> tuple[float, float, float]:
    """Return (angle to R, pitch, heading) of the orientation nearest to R in a vertical plane."""
    M = matrix_from_rpy(np.array([0.0, 0.0, heading])).T @ R
    pitch = atan2(M[0, 2] - M[2, 0], M[0, 0] + M[2, 2])
    return orientation_error(matrix_from_rpy(np.array([0.0, pitch, 0.0])), M), pitch, heading


def _missed(
    pose: ToolPose, shortfall: float, reason: IKReason, excess: float, *,
    joint: str | None = None, unit: str = "rad", note: str = "",
) -> IKResult:  # fmt: skip
    nothing = np.empty((0, len(pose.joints)))
    return IKResult(nothing, pose, shortfall, reason, joint, excess, unit, note)


def tool_pose(arm: TurretArm, q: Joints) -> ToolPose:
    """Return the pose that joint values give, by the same measures the solver uses."""
    heading, upper, bend, wrist = (
        sign * value + offset for sign, value, offset in zip(arm.signs, q, arm.offsets, strict=True)
    )
    nose = upper + bend + wrist
    out, down = arm.position_in_plane(upper, bend, nose)
    radius = arm.shoulder_r + out
    position = np.array(
        [
            arm.axis_x + radius * cos(heading),
            arm.axis_y + radius * sin(heading),
            arm.shoulder_z - down,
        ]
    )
    least, most = arm.joint_limits
    inside = np.array(tuple(map(min, map(max, q, least), most)))  # round-off at a limit taken off
    return ToolPose(position, pitch_error(0.0, nose - arm.tool_angle), inside)


def _distance(position: Array, x: float, y: float, z: float) -> float:
    px, py, pz = position.tolist()
    return sqrt((px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2)


def _excess(angle: float, low: float, high: float) -> float:
    """Return by how much an angle misses its range, whole turns aside [rad]."""
    above = (angle - low) % TURN - (high - low)
    return max(0.0, min(above, TURN - (high - low) - above))


def least_violation(
    arm: TurretArm, x: float, y: float, z: float, pitch: float
) -> tuple[str, float] | None:
    """Return the worst joint and its excess, in the branch where that is least.

    None if the links cannot form the pose even without limits.
    """
    l2, l3, l4 = arm.lengths
    nose = pitch + arm.tool_angle
    best = None
    for heading, out, down in sides_of(arm, x, y, z):
        out -= l4 * cos(nose)
        down -= l4 * sin(nose)
        cosine = (out * out + down * down - l2 * l2 - l3 * l3) / (2.0 * l2 * l3)
        if abs(cosine) > 1.0 + 1e-12:
            continue
        elbow = acos(max(-1.0, min(1.0, cosine)))
        for bend in (elbow, -elbow):
            upper = atan2(down, out) - atan2(l3 * sin(bend), l2 + l3 * cos(bend))
            angles = (heading, upper, bend, nose - upper - bend)
            excesses = list(map(_excess, angles, arm.lower, arm.upper))
            worst = max(excesses)
            if best is None or worst < best[1]:
                best = (arm.names[excesses.index(worst)], worst)
    return best


def _least_violation_at_any_pitch(
    arm: TurretArm, x: float, y: float, z: float
) -> tuple[str, float]:
    """Return the worst joint and its excess at the pitch where that is least, by narrowing."""

    def excess(nose: float) -> float:
        over = least_violation(arm, x, y, z, nose - arm.tool_angle)
        return TURN if over is None else over[1]

    lines = [atan2(down, out) for _, out, down in sides_of(arm, x, y, z)]
    straight = [line + turn for line in lines for turn in (0.0, pi)]
    step = TURN / 90
    best = min([*straight, *(k * step for k in range(90))], key=excess)
    while step > 1e-5:
        best = min((best - step, best - step / 2, best, best + step / 2, best + step), key=excess)
        step /= 2
    over = least_violation(arm, x, y, z, best - arm.tool_angle)
    assert over is not None  # the caller made sure that the links reach the point
    return over


def _beyond(arm: TurretArm, x: float, y: float, z: float, pitch: float) -> bool:
    """Tell whether the wrist is outside the straight arm, on the side that comes nearest to it."""
    l2, l3, l4 = arm.lengths
    nose = pitch + arm.tool_angle
    sizes = [hypot(r - l4 * cos(nose), d - l4 * sin(nose)) for _, r, d in sides_of(arm, x, y, z)]
    return min(max(size - l2 - l3, abs(l2 - l3) - size) for size in sizes) == min(
        size - l2 - l3 for size in sizes
    )
