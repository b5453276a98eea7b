"""How a base that cannot strafe drives back to where its places were taught."""

from dataclasses import dataclass
from math import atan2, hypot, pi

from mecano.core.poses import Pose2, wrap_angle

FAR = 0.012
"""A base nearer than this stays where it is and only turns [m]."""
SHORT = 0.006
"""It stops this much before: what it stands beside is nearer than it can drive exactly [m]."""


@dataclass(frozen=True)
class Correction:
    """Turn, straight on, turn."""

    first: float
    """[rad]."""
    distance: float
    """Negative is backwards [m]."""
    last: float
    """[rad]."""


def correction(layout: Pose2, T_arm_base: Pose2) -> Correction:
    """Return the drive after which places are seen where they were taught.

    Args:
        layout: How the places moved, seen from the arm.
        T_arm_base: The base in the arm's frame.
    """
    goal = T_arm_base.inverse() @ layout @ T_arm_base
    far = hypot(goal.x, goal.y)
    if far < FAR:
        return Correction(0.0, 0.0, goal.yaw)
    heading = atan2(goal.y, goal.x)
    backwards = abs(heading) > pi / 2
    if backwards:
        heading = float(wrap_angle(heading + pi))
    way = far - SHORT
    return Correction(heading, -way if backwards else way, float(wrap_angle(goal.yaw - heading)))
