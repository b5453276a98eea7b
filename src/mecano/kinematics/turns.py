"""Whole turns and tolerances that the closed forms of arms with six joints share."""

from math import ceil, floor, pi

TURN = 2.0 * pi
LIMIT_TOLERANCE = 1e-9
"""How far round-off may carry a solution over a limit before it is dropped [rad]."""
LENGTH_TOLERANCE = 1e-10
"""How far a pose may lie beyond the reach of the links and still count as reached [m]."""
MERGED = 1e-13
"""Two branches that meet to this part of their measures are one."""
WRIST_LOST = 1e-10
"""Sine between axes 6 and 4 below which they are parallel: joints 4 and 6 then turn the same."""
ROUND_UP = 0.5 - 1e-9
"""Added before turns are rounded down: half a turn on either side is equally near, and round-off
must not choose."""


def nearest_turn(angle: float, wanted: float, low: float, high: float) -> float | None:
    """Return the angle nearest to `wanted` that is whole turns away and from `low` to `high`.

    None if no turn brings it there. Round-off over a limit is taken off.
    """
    angle -= TURN * floor((angle - wanted) / TURN + ROUND_UP)
    if low <= angle <= high:
        return angle
    if angle < low:
        angle += TURN * ceil((low - angle - LIMIT_TOLERANCE) / TURN)
    else:
        angle -= TURN * ceil((angle - high - LIMIT_TOLERANCE) / TURN)
    if low - LIMIT_TOLERANCE <= angle <= high + LIMIT_TOLERANCE:
        return min(max(angle, low), high)
    return None
