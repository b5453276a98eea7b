"""The nearest that an arm with six joints comes to a pose, found downhill from postures nearby.

Where the point is held and the orientation free, or a limit is in the way, no closed form tells the
nearest pose. The closed form still gives good postures to start from.
"""

from math import atan2, cos, sin

import numpy as np

from mecano.kinematics.six_motion import Aim, Joints, Settled, SixJointArm, aim_at, settle
from mecano.kinematics.transforms import Array

PRIORITY = 1000.0
"""How much more the part counts that must hold while the other is only brought near."""
LEVER = 0.1
"""What one radian counts beside one metre [m]."""
ARRIVED = 1e-8
"""A point this near is reached [m]."""


def nearest_at_point(
    arm: SixJointArm, position: Array, R: Array, seeds: list[Joints], start: list[float]
) -> Settled | None:
    """Return a posture at the point whose orientation is near to R, None if none was found.

    Looked for from the seeds, and if they lead nowhere from orientations all around.
    """
    aim = aim_at(arm, position, R)
    if not arm.within_reach(aim):
        return None
    found = [each for q in seeds if (each := _turned(arm, q, aim)) is not None]
    if not found:
        around = _around(arm, position, R, start)
        if around is None:
            return None
        found = [each for each in (_turned(arm, around, aim),) if each is not None]
    return min(found, key=lambda each: each.turn, default=None)


def _turned(arm: SixJointArm, q: Joints, aim: Aim) -> Settled | None:
    """Hold the point, bring the orientation near, from one posture; None if it misses the point."""
    there = settle(arm, q, aim, point=1.0, orientation=0.0, iterations=15)
    if there.distance > ARRIVED:
        return None
    near = settle(arm, there.q, aim, point=PRIORITY, orientation=LEVER, patience=1e-3)
    exact = settle(arm, near.q, aim, point=1.0, orientation=0.0, iterations=5)
    return exact if exact.distance <= ARRIVED and exact.turn <= there.turn else there


def _around(arm: SixJointArm, position: Array, R: Array, start: list[float]) -> Joints | None:
    """Return a posture at the point with one of 24 orientations, the nearest that there is."""
    x, y, _ = aim_at(arm, position, R).tool
    heading = atan2(y, x)
    c, s = cos(heading), sin(heading)
    facing = arm.frame[:3, :3] @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    turns = facing @ _CUBE @ arm.triad_in_tool
    order = np.argsort(-np.einsum("nij,ij->n", turns, R), kind="stable")
    point = position.tolist()
    for i in order:
        found = arm.branches(point, turns[i].ravel().tolist(), start)
        if found:
            return found[0]
    return None


def _cube() -> Array:
    """Return the 24 rotations that bring a cube back onto itself. Shape (24, 3, 3)."""
    axes = np.vstack([np.eye(3), -np.eye(3)])
    pairs = [(a, b) for a in axes for b in axes if abs(a @ b) < 0.5]
    return np.array([np.column_stack([a, b, np.cross(a, b)]) for a, b in pairs])


_CUBE = _cube()


def nearest_inside_limits(
    arm: SixJointArm, position: Array, R: Array, seeds: list[Joints]
) -> Settled:
    """Return the posture inside the limits that holds the orientation and comes nearest.

    Where limits forbid the orientation itself, both come as near as they can.
    """
    aim = aim_at(arm, position, R)
    found = [
        settle(arm, q, aim, point=1.0, orientation=PRIORITY * LEVER, patience=1e-4) for q in seeds
    ]
    return min(found, key=lambda each: (round(each.turn, 3), each.distance))


def clamped(arm: SixJointArm, q: Joints) -> Joints:
    """Return a posture brought inside the limits."""
    return tuple(map(min, map(max, q, arm.lower), arm.upper))  # type: ignore[return-value]
