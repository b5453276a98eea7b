"""Paths of the tool: from points in space to postures of the arm."""

from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.kinematics.chain import Chain
from mecano.planning.paths import PathCurve
from mecano.planning.speed_profiles import PathLimits, pace_path
from mecano.planning.timed_paths import Mode, Slowing
from mecano.planning.trajectories import Bounds, LinePlan, Solve, evenly, solve_along

AT_START = 5e-4
"""A path that begins nearer to the tool than this begins where it is [m]."""


def plan_path(
    chain: Chain,
    start: Array,
    path: PathCurve,
    limits: PathLimits,
    bounds: Bounds,
    *,
    mode: Mode = "position",
    goal_pitch: float | None = None,
    goal_roll: float | None = None,
    period: float = 0.01,
    solve: Solve,
) -> tuple[LinePlan, tuple[Slowing, ...]]:
    """Plan the tool's way along a path; if it is not at its beginning, straight there first.

    Args:
        chain: The arm.
        start: Posture at the start [rad].
        path: In the base frame, in space.
        limits: How fast the tool goes along it.
        bounds: Limits of the joints; the whole is slowed down where they cannot keep up.
        mode: "position" turns the tool evenly to the pitch and roll at the end; "position and
            orientation" takes the path's own.
        goal_pitch: [rad]; None keeps it.
        goal_roll: [rad]; None keeps it.
        period: Time between two samples [s].
        solve: Inverse kinematics.

    Returns:
        The plan, and where the asked speed was not possible.
    """
    if path.planar:
        raise InvalidInput("the tool follows paths in space; this one is on the floor")
    tool = chain.forward(start)[:3, 3]
    ahead = float(np.linalg.norm(np.asarray(path.at(0.0).position) - tool))
    parts = [path]
    if ahead > AT_START:
        first = path.at(0.0).position
        parts.insert(0, PathCurve.through([tool, first], kind="polyline"))
    if mode != "position" and len(parts) > 1:
        raise InvalidInput(
            f"the path begins {1000 * ahead:.1f} mm from the tool; move the tool to its first pose "
            "before following its orientation"
        )
    timed = [pace_path(part, limits, mode=mode) for part in parts]
    starts = np.cumsum([0.0] + [each.duration for each in timed])
    lengths = np.cumsum([0.0] + [part.length for part in parts])
    turning = None
    if mode == "position":
        turning = evenly(chain, start, goal_pitch, goal_roll)[1]

    def along(time: float) -> tuple[float, Array, dict[str, Any]]:
        i = int(np.searchsorted(starts[1:-1], time))
        point = timed[i].at(time - starts[i])
        # By the way done and not by the time: so the turn begins and ends at rest, too.
        done = float((lengths[i] + point.s) / lengths[-1])
        if turning is not None:
            return done, point.position, turning(done)
        return done, point.position, {"quaternion": np.asarray(point.orientation)}

    plan = solve_along(start, along, float(starts[-1]), bounds, period=period, solve=solve)
    return plan, tuple(slowing for each in timed for slowing in each.slowed)
