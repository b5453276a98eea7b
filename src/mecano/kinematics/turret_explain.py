"""Why a turret arm cannot reach a pose: the reason as a code and in numbers.

The reasons are tried in this order. If the links could form the pose, a limit is in the way. If
they cannot, but the point can be reached at another pitch, the pitch is. Otherwise the point is
too far or too close.
"""

from math import acos, atan2, cos, degrees, dist, hypot, sin

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
    branches_facing,
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
        way = "further down" if turn > 0.0 else "further up"
        hint = (
            f"the point can be reached at pitch {other:.4g} rad, {abs(degrees(turn)):.1f} deg {way}"
        )
    over = least_violation(arm, x, y, z, pitch)
    if over is not None:
        joint, excess = over
        return missed(pose, shortfall, IKReason.JOINT_LIMIT, excess, joint=joint, note=hint)
    if other is not None:
        return missed(pose, shortfall, IKReason.PITCH, abs(turn), note=hint)
    l2, l3, l4 = arm.lengths
    nose = pitch + arm.tool_angle
    sizes = [hypot(r - l4 * cos(nose), d - l4 * sin(nose)) for _, r, d in sides_of(arm, x, y, z)]
    reason = _too_far_or_close(sizes, abs(l2 - l3), l2 + l3) or IKReason.TOO_FAR
    return missed(pose, shortfall, reason, shortfall, unit="m", note="no other pitch reaches it")


def _missed_at_any_pitch(arm: TurretArm, x: float, y: float, z: float) -> IKResult:
    """Explain a point that cannot be reached at all."""
    pose = tool_pose(arm, nearest_at_any_pitch(arm, x, y, z))
    shortfall = _distance(pose.position, x, y, z)
    far = sum(arm.lengths)
    hole = max(0.0, 2.0 * max(arm.lengths) - far)
    sizes = [hypot(out, down) for _, out, down in sides_of(arm, x, y, z)]
    reason = _too_far_or_close(sizes, hole, far)
    if reason is not None:
        return missed(pose, shortfall, reason, shortfall, unit="m")
    joint = _stopping_joint(arm, pose, x, y, z)
    note = f"no pitch reaches the point, {shortfall * 1000:.1f} mm are missing"
    return missed(pose, shortfall, IKReason.JOINT_LIMIT, 0.0, joint=joint, note=note)


def _explain_orientation(arm: TurretArm, target: IKTarget, start: Array) -> IKResult:
    """A turret arm has no roll and its heading follows from the point: only the pitch is free."""
    assert target.rotation is not None
    x, y, z = target.position.tolist()
    options = sorted(_nearest_orientation(target.rotation, h) for h in _headings(arm, x, y, target))
    off, pitch, heading = options[0]
    if off <= ORIENTATION_TOLERANCE:
        found = branches_facing(arm, x, y, z, pitch, heading)
        if found:
            return _reached(arm, target, pitch, found, start)
        over = least_violation(arm, x, y, z, pitch, heading)
        if over is not None:
            pose = explain(arm, IKTarget(target.position, pitch), start).nearest
            shortfall = _distance(pose.position, x, y, z)
            return missed(pose, shortfall, IKReason.JOINT_LIMIT, over[1], joint=over[0])
    for off, pitch, heading in options:
        found = branches_facing(arm, x, y, z, pitch, heading)
        if found and off > ORIENTATION_TOLERANCE:
            note = f"at this point the arm can only pitch: {pitch:.4g} rad comes nearest"
            return missed(tool_pose(arm, found[0]), 0.0, IKReason.ORIENTATION, off, note=note)
    at_pitch = explain(arm, IKTarget(target.position, options[0][1]), start)
    if not at_pitch.reached:
        return at_pitch
    pose = at_pitch.nearest  # the same pitch, but the arm faces the other way
    heading = pose.joints[0] * arm.signs[0] + arm.offsets[0]
    off = orientation_error(target.rotation, matrix_from_rpy(np.array([0.0, pose.pitch, heading])))
    return missed(pose, 0.0, IKReason.ORIENTATION, off, note="the arm can only face away from it")


def _headings(arm: TurretArm, x: float, y: float, target: IKTarget) -> tuple[float, ...]:
    """Return the headings from which a point can be reached: to it and away from it.

    A point on the turning axis leaves the heading free; then it is the one of the orientation.
    """
    x, y = x - arm.axis_x, y - arm.axis_y
    if hypot(x, y) > ON_AXIS:
        return atan2(y, x), atan2(-y, -x)
    assert target.rotation is not None
    return (atan2(-target.rotation[0, 1], target.rotation[1, 1]),)


def _nearest_orientation(R: Array, heading: float) -> tuple[float, float, float]:
    """Return (angle to R, pitch, heading) of the orientation nearest to R in a vertical plane.

    Of the rotations Rz(heading) Ry(pitch) it is the one with the largest trace of its transpose
    times R.
    """
    (r00, r01, r02), (r10, r11, r12), (r20, _, r22) = R.tolist()
    c, s = cos(heading), sin(heading)
    sine, cosine = c * r02 + s * r12 - r20, c * r00 + s * r10 + r22
    trace = hypot(sine, cosine) + c * r11 - s * r01
    return acos(max(-1.0, min(1.0, (trace - 1.0) / 2.0))), atan2(sine, cosine), heading


def missed(
    pose: ToolPose, shortfall: float, reason: IKReason, excess: float, *,
    joint: str | None = None, unit: str = "rad", note: str = "",
) -> IKResult:  # fmt: skip
    """Return the answer without solutions that these facts make."""
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
    return dist(position.tolist(), (x, y, z))


def excess_over(angle: float, low: float, high: float) -> float:
    """Return by how much an angle misses its range, whole turns aside [rad]."""
    above = (angle - low) % TURN - (high - low)
    return max(0.0, min(above, TURN - (high - low) - above))


def least_violation(
    arm: TurretArm, x: float, y: float, z: float, pitch: float, facing: float | None = None
) -> tuple[str, float] | None:
    """Return the worst joint and its excess, in the branch where that is least.

    None if the links cannot form the pose even without limits. With `facing`, only branches with
    that heading [rad] count.
    """
    l2, l3, l4 = arm.lengths
    nose = pitch + arm.tool_angle
    best = None
    for heading, out, down in sides_of(arm, x, y, z, facing):
        out -= l4 * cos(nose)
        down -= l4 * sin(nose)
        cosine = (out * out + down * down - l2 * l2 - l3 * l3) / (2.0 * l2 * l3)
        if abs(cosine) > 1.0 + 1e-12:
            continue
        elbow = acos(max(-1.0, min(1.0, cosine)))
        for bend in (elbow, -elbow):
            upper = atan2(down, out) - atan2(l3 * sin(bend), l2 + l3 * cos(bend))
            angles = (heading, upper, bend, nose - upper - bend)
            excesses = list(map(excess_over, angles, arm.lower, arm.upper))
            worst = max(excesses)
            if best is None or worst < best[1]:
                best = (arm.names[excesses.index(worst)], worst)
    return best


def _stopping_joint(arm: TurretArm, pose: ToolPose, x: float, y: float, z: float) -> str:
    """Return the joint at a limit that would bring the tool nearest if it could go on."""
    heading, upper, bend, wrist = (
        sign * value + offset
        for sign, value, offset in zip(arm.signs, pose.joints.tolist(), arm.offsets, strict=True)
    )
    l2, l3, l4 = arm.lengths
    links = ((l2, upper), (l3, upper + bend), (l4, upper + bend + wrist))
    px, py, pz = pose.position.tolist()
    miss_r = (x - px) * cos(heading) + (y - py) * sin(heading)
    miss_d = pz - z
    sideways = (y - py) * cos(heading) - (x - px) * sin(heading)
    gains = [abs(sideways) * hypot(px - arm.axis_x, py - arm.axis_y)]
    for first in range(3):
        r = sum(length * cos(angle) for length, angle in links[first:])
        d = sum(length * sin(angle) for length, angle in links[first:])
        gains.append(abs(r * miss_d - d * miss_r))
    return arm.names[gains.index(max(gains))]


def _too_far_or_close(sizes: list[float], near: float, far: float) -> IKReason | None:
    """Return what is wrong with the side that misses a ring from `near` to `far` the least."""
    size = min(sizes, key=lambda size: max(size - far, near - size))
    if size > far:
        return IKReason.TOO_FAR
    return IKReason.TOO_CLOSE if size < near else None
