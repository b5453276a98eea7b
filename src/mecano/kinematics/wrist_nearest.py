"""How near the wrist centre of an arm with a spherical wrist comes to a point.

The last three joints turn the tool any way, so with the orientation held only the wrist centre
counts: its distance from axis 1 and its height, which joints 2 and 3 make. With the orientation
free the wrist centre may lie anywhere on a ball about the tool's point. The three joints can turn
for ever, so the distance from that point takes every value between its least and its greatest.
"""

from collections.abc import Sequence
from math import hypot, pi

import numpy as np

from mecano.kinematics.dh import DHChain
from mecano.kinematics.six_motion import Held
from mecano.kinematics.transforms import Array
from mecano.kinematics.turns import LENGTH_TOLERANCE, WRIST_LOST
from mecano.kinematics.wrist_region import Region

STEPS = 72
"""Angles of joints 2 and 3 that are looked at before the best is refined, per turn."""
GRID_ERROR = 1e-3
"""How much further the wrist may go between those angles [size of the arm]."""
FAR = 1e6
"""Points beyond this many times the arm's size are pulled in to it: nothing nearby changes."""


def nearest_at_orientation(region: Region, position: Array, arm: Array) -> Held:
    """Return the nearest point that the tool reaches, limits aside, its orientation held.

    Args:
        region: The first three joints.
        position: Asked point of the tool in the base frame [m].
        arm: From the tool to the wrist centre, in the base frame [m].
    """
    R, origin = region.origin[:3, :3], region.origin[:3, 3]
    x, y, z = (R.T @ (position + arm - origin) / region.size).tolist()
    pull = min(1.0, FAR / max(hypot(x, y, z), 1e-300))
    x, y, z = pull * x, pull * y, pull * z
    out = hypot(x, y)
    q2, q3 = _closest(region, out, z)
    at, height, _, _ = region.at(q2, q3)
    c, s = (x / out, y / out) if out > 0.0 else (1.0, 0.0)
    center = R @ (np.array([c * at, s * at, height]) * region.size) + origin
    point = center - arm
    shoulder, level = hypot(region.step[0, 3], region.step[1, 3]), region.step[2, 3]
    stretched = hypot(out - shoulder, z - level) >= hypot(at - shoulder, height - level)
    return Held(point, float(np.linalg.norm(point - position)), stretched)


def within_reach(region: Region, point: Sequence[float], ball: float) -> bool:
    """Tell whether the wrist centre can be at a distance from a point of the base frame.

    Args:
        region: The first three joints.
        point: In the base frame [m].
        ball: The distance [m].
    """
    R, origin = region.origin[:3, :3], region.origin[:3, 3]
    x, y, z = (R.T @ (np.array(point) - origin) / region.size).tolist()
    out, ball = hypot(x, y), ball / region.size
    if hypot(out, z) > FAR:
        return False
    at, height, _, _ = region.at(*_closest(region, out, z))
    least = hypot(at - out, height - z)
    outs, heights = _grid(region)
    most = float(np.hypot(outs + out, heights - z).max())
    return least - LENGTH_TOLERANCE / region.size <= ball <= most + GRID_ERROR


def _grid(region: Region) -> tuple[Array, Array]:
    """Return distance from axis 1 and height of the wrist for all angles of joints 2 and 3."""
    cached = region.__dict__.get("_grid")
    if cached is None:
        q2, q3 = np.meshgrid(*[np.linspace(-pi, pi, STEPS, endpoint=False)] * 2, indexing="ij")
        f = region.wrist @ np.array([np.ones_like(q3), np.cos(q3), np.sin(q3)]).reshape(3, -1)
        c, s = np.cos(q2).ravel(), np.sin(q2).ravel()
        g = region.step[:3, :3] @ np.array([c * f[0] - s * f[1], s * f[0] + c * f[1], f[2]])
        g += region.step[:3, 3:4]
        cached = region.__dict__["_grid"] = (np.hypot(g[0], g[1]), g[2])
    return cached


def _closest(region: Region, out: float, height: float) -> tuple[float, float]:
    """Return joints 2 and 3 with which the wrist comes nearest to a distance and a height."""
    outs, heights = _grid(region)
    best = np.argpartition((outs - out) ** 2 + (heights - height) ** 2, 3)[:3]
    ends = []
    for index in best.tolist():
        q2, q3 = (2.0 * pi * i / STEPS - pi for i in divmod(index, STEPS))
        ends.append(_downhill(region, q2, q3, out, height))
    _, q2, q3 = min(ends)
    return q2, q3


def _downhill(
    region: Region, q2: float, q3: float, out: float, height: float
) -> tuple[float, float, float]:
    """Return the least distance near a posture, and joints 2 and 3 there: Levenberg-Marquardt."""
    damping = 1e-3
    at, z, _, ((r2, _, _, z2), (r3, _, _, z3)) = region.at(q2, q3)
    size = hypot(out - at, height - z)
    for _ in range(60):
        miss, lift = out - at, height - z
        a, b, c = r2 * r2 + z2 * z2 + damping, r2 * r3 + z2 * z3, r3 * r3 + z3 * z3 + damping
        d, e = r2 * miss + z2 * lift, r3 * miss + z3 * lift
        det = a * c - b * b
        step2, step3 = (c * d - b * e) / det, (a * e - b * d) / det
        there = region.at(q2 + step2, q3 + step3)
        size_there = hypot(out - there[0], height - there[1])
        if size_there < size:
            gain = size - size_there
            q2, q3, size = q2 + step2, q3 + step3, size_there
            at, z, _, ((r2, _, _, z2), (r3, _, _, z3)) = there
            damping = max(0.2 * damping, 1e-12)
            if gain < 1e-13 or size < 1e-15:
                break
        else:
            damping *= 8.0
            if damping > 1e6:
                break
    return size, q2, q3


def singular_notes(chain: DHChain, region: Region, q: Sequence[float]) -> list[str]:
    """Say where branches meet, and which joint was free and stayed as in the start posture."""
    notes, names = [], chain.names
    frames = chain.joint_frames(np.asarray(q))
    if float(np.linalg.norm(np.cross(frames[3, :3, 2], frames[5, :3, 2]))) <= 2.0 * WRIST_LOST:
        notes.append(
            f"{names[3]} and {names[5]} turn about parallel axes: {names[3]} was free and kept"
        )
    out, _, _, ((r2, _, _, z2), (r3, _, _, z3)) = region.at(q[1], q[2])
    if out * region.size <= 2.0 * LENGTH_TOLERANCE:
        notes.append(f"the wrist lies on the axis of {names[0]}, which was free and kept")
    elif abs(r2 * z3 - r3 * z2) <= 1e-8:
        notes.append("the arm is stretched or folded: two solutions meet here")
    return notes
