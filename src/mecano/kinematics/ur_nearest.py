"""The nearest that an arm of the UR kind comes to a pose that it cannot take.

With the orientation held, everything follows from the plane of the arm. In one plane axis 5 has one
of two directions, and the wrist centre can lie on a ring: between the circles of the stretched and
of the folded links, about the shoulder moved by the hand. So the distance from the asked point is a
function of the angle of joint 1 alone, and the least of it is looked for there.

With the point held and the orientation free, or with a limit in the way, there is no such short
cut: see `six_nearest`.
"""

from collections.abc import Callable
from math import cos, dist, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING

import numpy as np

from mecano.kinematics.six_motion import Aim, Held, aim_at
from mecano.kinematics.transforms import Array
from mecano.kinematics.turns import TURN

if TYPE_CHECKING:
    from mecano.kinematics.ur_arm import URArm

_PLANES = np.linspace(-pi, pi, 48, endpoint=False).tolist()
"""Angles of joint 1 that are looked at before the best are refined [rad]."""
_TURNS = np.linspace(-pi, pi, 96, endpoint=False)
"""Of each wrist joint, looked at to tell whether a point can be reached at all [rad]."""
GOLDEN = 0.5 * (sqrt(5.0) - 1.0)
GRID_ERROR = 2e-4
"""How much nearer the tool may come between those turns [m]."""
FAR = 1e6
"""Points beyond this many times the arm's reach are pulled in to it: nothing nearby changes."""


def reach_of(arm: "URArm") -> float:
    """Return a distance from the arm's frame beyond which nothing can be reached [m]."""
    hand = hypot(*arm.hand) + hypot(*arm.center_in_triad)
    return abs(arm.shoulder) + sum(arm.lengths) + abs(arm.beside) + hand


def nearest_at_orientation(arm: "URArm", position: Array, R: Array) -> Held:
    """Return the nearest point that the tool reaches with this orientation, limits aside."""
    aim = aim_at(arm, position, R)
    scale = min(1.0, FAR * reach_of(arm) / max(hypot(*aim.tool), 1e-300))
    a, b, c = arm.center_in_triad
    offset = [a * n + b * k + c * m for n, k, m in zip(*aim.triad, strict=True)]
    x, y, z = (scale * t + o for t, o in zip(aim.tool, offset, strict=True))
    miss = _make_miss(arm, x, y, z, aim.triad[0])
    slope = hypot(x, y) + hypot(*arm.hand)
    _, q1, flip = min(_refined(miss, *valley) for valley in _valleys(miss, slope))
    _, out, height, stretched = miss(q1, flip)
    c1, s1 = cos(q1), sin(q1)
    center = (c1 * out - s1 * arm.beside, s1 * out + c1 * arm.beside, height)
    tool = np.array(center) - np.array(offset)
    point = arm.frame[:3, :3] @ tool + arm.frame[:3, 3]
    return Held(point, dist(point.tolist(), position.tolist()), stretched)


_Miss = Callable[[float, float], tuple[float, float, float, bool]]


def _make_miss(arm: "URArm", x: float, y: float, z: float, axis6: tuple[float, ...]) -> _Miss:
    """Return a function of the plane and the flip of the wrist.

    It gives the distance of the wrist centre from (x, y, z), where it is in the plane (out, up),
    and whether the links are stretched there.
    """
    n_x, n_y, n_z = axis6
    (l2, l3), (along, aside), shoulder, beside = arm.lengths, arm.hand, arm.shoulder, arm.beside
    most, least = l2 + l3, abs(l2 - l3)

    def miss(q1: float, flip: float) -> tuple[float, float, float, bool]:
        c1, s1 = cos(q1), sin(q1)
        out, across = c1 * x + s1 * y, c1 * y - s1 * x
        n_out = c1 * n_x + s1 * n_y
        sine = sqrt(n_out * n_out + n_z * n_z)
        cos5, sin5 = (-n_out / sine, n_z / sine) if sine > 1e-12 else (1.0, 0.0)
        middle_x = shoulder + flip * (along * sin5 + aside * cos5)
        middle_z = flip * (along * cos5 - aside * sin5)
        to_x, to_z = out - middle_x, z - middle_z
        radius = sqrt(to_x * to_x + to_z * to_z)
        if least <= radius <= most:
            return abs(across - beside), out, z, False
        edge = most if radius > most else least
        if radius < 1e-12:
            to_x, to_z, radius = 1.0, 0.0, 1.0
        share = edge / radius
        distance = hypot(across - beside, radius - edge)
        return distance, middle_x + share * to_x, middle_z + share * to_z, edge == most

    return miss


def _valleys(miss: _Miss, slope: float) -> list[tuple[float, float]]:
    """Return joint 1 and flip of the wrist around which the distance is least, three at most.

    `slope` says how much the distance changes with the angle of joint 1 [m/rad].
    """
    found = []
    for flip in (1.0, -1.0):
        sizes = [miss(angle, flip)[0] for angle in _PLANES]
        for i, angle in enumerate(_PLANES):
            if sizes[i - 1] >= sizes[i] <= sizes[i + 1 - len(sizes)]:
                found.append((sizes[i], angle, flip))
    found.sort()
    hopeless = found[0][0] + slope * TURN / len(_PLANES)
    return [(angle, flip) for size, angle, flip in found[:3] if size <= hopeless]


def _refined(miss: _Miss, middle: float, flip: float) -> tuple[float, float, float]:
    """Return the least distance near an angle, that angle, and the flip: golden section."""
    low, high = middle - TURN / len(_PLANES), middle + TURN / len(_PLANES)
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_a, at_b = miss(a, flip)[0], miss(b, flip)[0]
    while high - low > 1e-7:
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - GOLDEN * (high - low)
            at_a = miss(a, flip)[0]
        else:
            low, a, at_a = a, b, at_b
            b = low + GOLDEN * (high - low)
            at_b = miss(b, flip)[0]
    return min((at_a, a, flip), (at_b, b, flip))


def within_reach(arm: "URArm", aim: Aim) -> bool:
    """Tell whether some orientation brings the tool to a point, limits aside.

    The hand turns the tool about axes 5 and 6. Seen from axis 4 that puts it beside the plane and
    away in it, and the plane and the links must meet that. All turns are looked at in small steps;
    `GRID_ERROR` allows for what lies between them.
    """
    x, y, z = aim.tool
    if hypot(x, y, z) > reach_of(arm):
        return False
    along6, *beside6 = arm.center_in_triad
    off6 = hypot(*beside6)
    turn6 = _TURNS[:, None] if off6 > 1e-9 else _TURNS[:1, None]
    long = np.hypot(along6, off6 * np.sin(turn6))
    away = np.hypot(arm.hand[0] + off6 * np.cos(turn6), arm.hand[1] + long * np.sin(_TURNS[None]))
    across = arm.beside + long * np.cos(_TURNS[None])
    square = x * x + y * y - across**2
    ahead = np.sqrt(np.maximum(square, 0.0))
    most, least = sum(arm.lengths), abs(arm.lengths[0] - arm.lengths[1])
    hole = np.maximum(least - away, away - most)
    too_near = np.abs(across) - hypot(x, y)
    for side in (ahead, -ahead):
        radius = np.hypot(side - arm.shoulder, z)
        gap = np.maximum(np.maximum(radius - most - away, hole - radius), too_near)
        if gap.min() <= GRID_ERROR:
            return True
    return False
