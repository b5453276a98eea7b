"""Where a posture of an arm of the UR kind brings its tool, by the measures of the closed form.

The same as `DHChain.forward`, in plain floats: several times faster for one posture, which is what
a search from posture to posture needs.
"""

from collections.abc import Sequence
from math import cos, hypot, sin
from typing import TYPE_CHECKING

from mecano.core.poses.floats import cross
from mecano.kinematics.six_motion import Placed
from mecano.kinematics.turns import LENGTH_TOLERANCE, WRIST_LOST

if TYPE_CHECKING:
    from mecano.kinematics.ur_arm import URArm


def place(arm: "URArm", q: Sequence[float]) -> Placed:
    """Return the arm at joint values `q`."""
    q1, q2, q3, q4, q5, q6 = q
    c1, s1 = cos(q1), sin(q1)
    (s3, s4), (l2, l3), (along, aside) = arm.signs, arm.lengths, arm.hand
    upper = q2 + arm.directions[0]
    fore = q2 + s3 * q3 + arm.directions[1]
    lean = q2 + s3 * q3 + s4 * q4 + arm.wrist_direction
    cos5, sin5 = cos(lean), sin(lean)
    elbow_x, elbow_z = arm.shoulder + l2 * sin(upper), l2 * cos(upper)
    wrist_x, wrist_z = elbow_x + l3 * sin(fore), elbow_z + l3 * cos(fore)
    out = wrist_x + along * sin5 + aside * cos5
    height = wrist_z + along * cos5 - aside * sin5
    center = (c1 * out - s1 * arm.beside, s1 * out + c1 * arm.beside, height)
    across = (-s1, c1, 0.0)
    axis5 = (c1 * sin5, s1 * sin5, cos5)
    twist = q5 + arm.wrist_angle
    ct, st = cos(twist), sin(twist)
    n = (-ct * s1 - st * cos5 * c1, ct * c1 - st * cos5 * s1, st * sin5)
    side = cross(n, axis5)
    c6, s6 = cos(q6), sin(q6)
    k = (
        c6 * axis5[0] + s6 * side[0],
        c6 * axis5[1] + s6 * side[1],
        c6 * axis5[2] + s6 * side[2],
    )
    m = cross(n, k)
    a, b, c = arm.center_in_triad
    tool = (
        center[0] - a * n[0] - b * k[0] - c * m[0],
        center[1] - a * n[1] - b * k[1] - c * m[1],
        center[2] - a * n[2] - b * k[2] - c * m[2],
    )
    third, fourth = (-s3 * s1, s3 * c1, 0.0), (-s4 * s1, s4 * c1, 0.0)
    shoulder = (c1 * arm.shoulder, s1 * arm.shoulder, 0.0)
    elbow = (c1 * elbow_x, s1 * elbow_x, elbow_z)
    wrist = (c1 * wrist_x, s1 * wrist_x, wrist_z)
    return Placed(
        tool, center, (n, k, m),
        ((0.0, 0.0, 1.0), across, third, fourth, axis5, n),
        ((0.0, 0.0, 0.0), shoulder, elbow, wrist, center, center),
    )  # fmt: skip


def elbow_of(arm: "URArm", q: Sequence[float]) -> float:
    """Return the bend of the forearm against the upper arm, zero when stretched [rad]."""
    return arm.signs[0] * q[2] + arm.directions[1] - arm.directions[0]


def singular_notes(arm: "URArm", q: Sequence[float]) -> list[str]:
    """Say where branches meet, and which joint was free and stayed as in the start posture."""
    notes, names = [], arm.names
    x, y, _ = place(arm, q).center
    if abs(sin(q[4] + arm.wrist_angle)) <= 2.0 * WRIST_LOST:
        notes.append(
            f"{names[3]} and {names[5]} turn about parallel axes: {names[5]} was free and kept"
        )
    if hypot(x, y) <= 2.0 * LENGTH_TOLERANCE:
        notes.append(f"the wrist lies on the axis of {names[0]}, which was free and kept")
    elif abs(cos(q[0]) * x + sin(q[0]) * y) <= 1e-6 * abs(arm.beside):
        notes.append(f"the wrist is as near to the axis of {names[0]} as it comes")
    if abs(sin(elbow_of(arm, q))) < 1e-9:
        if cos(elbow_of(arm, q)) > 0.0:
            notes.append("the elbow is stretched")
        elif abs(arm.lengths[0] - arm.lengths[1]) <= LENGTH_TOLERANCE:
            notes.append(f"the elbow is folded: {names[1]} was free and kept")
        else:
            notes.append("the elbow is folded")
    return notes
