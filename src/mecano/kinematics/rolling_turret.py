"""Turret arms with a fifth joint that rolls the hand about its own nose, such as the Widow-X.

The roll moves neither the tool's point nor its nose. So the first four joints are solved as a
turret arm, and the fifth takes what is left: the roll.

Five joints do not give every pose. The turning axis, the tool's point and its nose always lie in
one vertical plane. At a given point the plane is given too, and of all orientations those are
possible whose nose lies in it. On the turning axis every plane holds the point, so any will do.

A possible orientation can be read in two ways, `Rz(heading) Ry(pitch) Rx(roll)` with the heading of
the point, or with the opposite one, the pitch beyond the vertical and the roll half a turn further.
The first is the arm that faces the point, the second the one that reaches over its back.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import asin, atan2, ceil, cos, degrees, dist, floor, hypot, pi, sin

import numpy as np

from mecano.core.poses import matrix_from_rpy, wrap_angle
from mecano.kinematics.dh import DHChain
from mecano.kinematics.ik import IKReason, IKResult, IKTarget, ToolPose, orientation_error
from mecano.kinematics.solver import Misfit
from mecano.kinematics.transforms import Array
from mecano.kinematics.turret import (
    LIMIT_TOLERANCE,
    ON_AXIS,
    TABLE_TOLERANCE,
    TURN,
    Joints,
    TurretArm,
)
from mecano.kinematics.turret_explain import (
    ORIENTATION_TOLERANCE,
    excess_over,
    explain,
    least_violation,
    missed,
    tool_pose,
)
from mecano.kinematics.turret_nearest import branches_facing, nearest_in, nearest_pitch

UPRIGHT_NOSE = 1e-9
"""A nose this near to the vertical has no heading: length of its horizontal part."""


@dataclass(frozen=True)
class RollJoint:
    """The joint that rolls the hand: roll = sign * joint value."""

    name: str
    sign: float
    lower: float
    """Limits of the joint value [rad]."""
    upper: float
    off: float = 0.0
    """How far the table is from a joint that rolls the tool and nothing else [rad or m]."""

    def value(self, roll: float, near: float = 0.0) -> float | None:
        """Return the joint value nearest to `near` that gives a roll, None if no turn allows it."""
        angle = self.sign * roll
        least = ceil((self.lower - LIMIT_TOLERANCE - angle) / TURN)
        most = floor((self.upper + LIMIT_TOLERANCE - angle) / TURN)
        if least > most:
            return None
        turns = min(max(round((near - angle) / TURN), least), most)
        return min(max(angle + TURN * turns, self.lower), self.upper)

    def nearest(self, roll: float) -> float:
        """Return the allowed joint value that comes nearest to a roll."""
        return nearest_in(self.sign * roll, self.lower, self.upper)

    def excess(self, roll: float) -> float:
        """Return by how much a roll misses the limits, whole turns aside [rad]."""
        return excess_over(self.sign * roll, self.lower, self.upper)

    def roll(self, value: float) -> float:
        """Return the roll at a joint value [rad]."""
        return self.sign * value


def split_roll(
    chain: DHChain, *, angle: float = TABLE_TOLERANCE, length: float = TABLE_TOLERANCE
) -> tuple[DHChain, RollJoint]:
    """Return the chain without its last joint, and that joint; or say why it is no roll.

    Args:
        chain: The arm.
        angle: How far the joint's axis may be from the tool's x axis [rad].
        length: How far the tool's point may lie beside the joint's axis [m].
    """
    *others, last = chain.joints
    frames = chain.joint_frames(np.zeros(len(chain.joints)))
    axis, nose, arm = frames[-2, :3, 2], frames[-1, :3, 0], frames[-1, :3, 3] - frames[-2, :3, 3]
    askew, beside = np.abs(np.cross(axis, nose)).max(), np.abs(np.cross(axis, arm)).max()
    if last.kind != "revolute" or askew > angle or beside > length:
        raise Misfit(
            "a turret arm that rolls its hand",
            f"{last.name} must turn about the tool's x axis, and the tool's point must lie on that "
            f"axis; they are off by {asin(min(1.0, askew)):.3g} rad and {beside * 1000:.3g} mm",
        )
    tool = chain.step(len(others), 0.0) @ chain.tool
    sign = float(round(float(axis @ nose)))
    joint = RollJoint(last.name, sign, last.lower, last.upper, off=float(max(askew, beside)))
    return replace(chain, joints=tuple(others), tool=tool), joint


def explain_rolling(arm: TurretArm, hand: RollJoint, target: IKTarget, start: Array) -> IKResult:
    """Return all solutions for a target, nearest to `start` first, or why there is none.

    Args:
        arm: The first four joints.
        hand: The fifth.
        target: A point, with a pitch and a roll (zero if not given) or a whole orientation.
        start: Five joint values.
    """
    if target.rotation is not None:
        return _explain_orientation(arm, hand, target, target.rotation, start)
    result = explain(arm, IKTarget(target.position, target.pitch), start[:4])
    return _with_roll(result, hand, target.roll or 0.0, float(start[4]))


def _with_roll(result: IKResult, hand: RollJoint, roll: float, near: float) -> IKResult:
    """Return the answer for four joints as one for five, with this roll."""
    value = hand.value(roll, near)
    pose = _rolled(result.nearest, hand, hand.nearest(roll) if value is None else value)
    if value is None:
        over = hand.excess(roll)
        if result.reached or (result.reason is IKReason.JOINT_LIMIT and 0.0 < result.excess < over):
            note = f"the hand can roll from {_range(hand)} rad"
            return missed(
                pose, result.shortfall, IKReason.JOINT_LIMIT, over, joint=hand.name, note=note
            )
    solutions = np.empty((len(result.solutions), 5))
    solutions[:, :4], solutions[:, 4] = result.solutions, value
    return replace(result, solutions=solutions, nearest=pose)


def _range(hand: RollJoint) -> str:
    low, high = sorted((hand.roll(hand.lower), hand.roll(hand.upper)))
    return f"{low:.4g} to {high:.4g}"


def _rolled(pose: ToolPose, hand: RollJoint, value: float) -> ToolPose:
    joints = np.array([*pose.joints.tolist(), value])
    return ToolPose(pose.position, pose.pitch, joints, hand.roll(value))


# --- whole orientations ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Facing:
    """An orientation as an arm with this heading sees it."""

    heading: float
    pitch: float
    """Of the nearest orientation whose nose lies in the plane of the heading [rad]."""
    roll: float
    off: float
    """How far that one is from the asked one [rad]."""


def _explain_orientation(
    arm: TurretArm, hand: RollJoint, target: IKTarget, R: Array, start: Array
) -> IKResult:
    x, y, z = target.position.tolist()
    facings = _facings(arm, x, y, R)
    possible = facings[0].off <= ORIENTATION_TOLERANCE
    if possible:
        found = _branches(arm, hand, (x, y, z), facings, start)
        if found:
            return _reached(arm, hand, target, found, start)
    pose = _nearest_orientation(arm, hand, (x, y, z), R, facings)
    if pose is None:  # no orientation reaches the point
        facing = facings[0]
        at_pitch = explain(arm, IKTarget(target.position, facing.pitch), start[:4])
        rolled = _with_roll(at_pitch, hand, facing.roll, float(start[4]))
        if not rolled.reached:
            return rolled
        pose = rolled.nearest  # on the turning axis, with a heading that joint 1 allows
    shortfall = dist(pose.position.tolist(), (x, y, z))
    over = _least_violation(arm, hand, (x, y, z), facings) if possible else None
    if over is not None:
        return missed(pose, shortfall, IKReason.JOINT_LIMIT, over[1], joint=over[0])
    heading = float(wrap_angle(_heading_of(arm, pose)))
    off = orientation_error(R, _rotation(heading, pose.pitch, pose.roll))
    pitch, roll = (round(angle, 6) + 0.0 for angle in (pose.pitch, pose.roll))
    comes = f"pitch {pitch:.4g} rad and roll {roll:.4g} rad come nearest"
    if possible:
        return missed(pose, shortfall, IKReason.PITCH, off, note=f"at this point {comes}")
    note = (
        f"at this point the nose must lie in the vertical plane of heading {degrees(heading):.1f} "
        f"deg, at any pitch and roll that the joints allow: {comes}"
    )
    return missed(pose, shortfall, IKReason.ORIENTATION, off, note=note)


def _facings(arm: TurretArm, x: float, y: float, R: Array) -> tuple[_Facing, _Facing]:
    """Return an orientation as seen from the heading of the point, and from the opposite one."""
    x, y = x - arm.axis_x, y - arm.axis_y
    if hypot(x, y) > ON_AXIS:
        heading = atan2(y, x)
    elif hypot(R[0, 0], R[1, 0]) > UPRIGHT_NOSE:
        heading = atan2(R[1, 0], R[0, 0])  # on the turning axis: the plane of the nose
    else:  # the nose lies on the turning axis: joint 1 and the roll share the turn about it
        whole = atan2(-R[0, 1], R[1, 1]) - arm.free_heading
        heading = arm.free_heading + float(wrap_angle(whole)) / 2.0
    return _seen_from(R, heading), _seen_from(R, heading + pi)


def _seen_from(R: Array, heading: float) -> _Facing:
    """Return the orientation nearest to R whose nose lies in the plane of a heading.

    It is R, turned until its nose lies in the plane and no further.
    """
    nose_x, nose_y, nose_z = R[:, 0].tolist()
    c, s = cos(heading), sin(heading)
    along, beside = c * nose_x + s * nose_y, c * nose_y - s * nose_x
    pitch = atan2(-nose_z, along)
    off = atan2(abs(beside), hypot(along, nose_z))
    return _Facing(heading, pitch, _nearest_roll(R, heading, pitch), off)


def _nearest_roll(R: Array, heading: float, pitch: float) -> float:
    """Return the roll with which heading and pitch come nearest to R [rad]."""
    (_, r01, r02), (_, r11, r12), (_, r21, r22) = R.tolist()
    c, s, cp, sp = cos(heading), sin(heading), cos(pitch), sin(pitch)
    side_y, side_z = c * r11 - s * r01, c * r12 - s * r02  # along y of the hand before it rolls
    top_y = sp * (c * r01 + s * r11) + cp * r21  # along its z
    top_z = sp * (c * r02 + s * r12) + cp * r22
    return atan2(top_y - side_z, side_y + top_z)


def _pitch_at_roll(R: Array, heading: float, roll: float) -> float:
    """Return the pitch with which heading and roll come nearest to R [rad]."""
    M = _rotation(heading, 0.0, 0.0).T @ R @ _rotation(0.0, 0.0, roll).T
    return atan2(M[0, 2] - M[2, 0], M[0, 0] + M[2, 2])


def _rotation(heading: float, pitch: float, roll: float) -> Array:
    return matrix_from_rpy(np.array([roll, pitch, heading]))


def _heading_of(arm: TurretArm, pose: ToolPose) -> float:
    return float(pose.joints[0]) * arm.signs[0] + arm.offsets[0]


_Found = tuple[tuple[float, ...], float]
"""Five joint values and the pitch they give."""


def _branches(
    arm: TurretArm, hand: RollJoint, point: tuple[float, float, float],
    facings: tuple[_Facing, ...], start: Array,
) -> list[_Found]:  # fmt: skip
    """Return the solutions of both facings."""
    found = []
    for facing in facings:
        value = hand.value(facing.roll, float(start[4]))
        if value is not None:
            for q in branches_facing(arm, *point, facing.pitch, facing.heading):
                found.append(((*q, value), facing.pitch))
    return found


def _reached(
    arm: TurretArm, hand: RollJoint, target: IKTarget, found: list[_Found], start: Array
) -> IKResult:
    wanted = start.tolist()
    found.sort(key=lambda each: dist(each[0], wanted))
    solutions = np.array([q for q, _ in found])
    x, y, _ = target.position.tolist()
    note = ""
    if hypot(x - arm.axis_x, y - arm.axis_y) <= ON_AXIS:
        note = f"the point lies on the axis of {arm.names[0]}, so any heading is possible"
    first, pitch = found[0]
    return IKResult(
        solutions, ToolPose(target.position, pitch, solutions[0], hand.roll(first[4])), note=note
    )


def _nearest_orientation(
    arm: TurretArm, hand: RollJoint, point: tuple[float, float, float], R: Array,
    facings: tuple[_Facing, ...],
) -> ToolPose | None:  # fmt: skip
    """Return the pose at the point whose orientation is nearest to R, None if none reaches it."""
    best, best_pose = float("inf"), None
    for facing, wanted, roll in _wanted(R, hand, facings):
        pitch = nearest_pitch(arm, *point, wanted, facing.heading)
        if pitch is None:
            continue
        q = _first_facing(arm, point, pitch, facing.heading)
        best_roll = _nearest_roll(R, facing.heading, pitch) if roll is None else roll
        pose = _rolled(tool_pose(arm, q), hand, hand.nearest(best_roll))
        off = orientation_error(R, _rotation(facing.heading, pitch, pose.roll))
        if off < best:
            best, best_pose = off, pose
    return best_pose


def _wanted(
    R: Array, hand: RollJoint, facings: tuple[_Facing, ...]
) -> Iterator[tuple[_Facing, float, float | None]]:
    """Yield (facing, pitch, roll) among which the nearest orientation is; a roll of None is free.

    With the roll stopped at a limit, another pitch than that of the asked nose may come nearer.
    """
    for facing in facings:
        yield facing, facing.pitch, None
        if hand.value(facing.roll) is None:
            for limit in (hand.lower, hand.upper):
                roll = hand.roll(limit)
                yield facing, _pitch_at_roll(R, facing.heading, roll), roll


def _first_facing(
    arm: TurretArm, point: tuple[float, float, float], pitch: float, heading: float
) -> Joints:
    """Return one posture for a pitch that `nearest_pitch` gave."""
    found = branches_facing(arm, *point, pitch, heading)
    return (found or branches_facing(arm, *point, pitch, heading, edge=True))[0]


def _least_violation(
    arm: TurretArm, hand: RollJoint, point: tuple[float, float, float], facings: tuple[_Facing, ...]
) -> tuple[str, float] | None:
    """Return the worst joint and its excess, in the branch where that is least, None if none is."""
    worst = []
    for facing in facings:
        over = least_violation(arm, *point, facing.pitch, facing.heading)
        if over is not None:
            rolled = (hand.name, hand.excess(facing.roll))
            worst.append(max(over, rolled, key=lambda each: each[1]))
    return min(worst, key=lambda each: each[1], default=None)
