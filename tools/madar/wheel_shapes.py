"""Shapes of the free elements of MADAR's spherical wheels, by their formulas [mm].

A wheel is a ball of radius 100. Two large elements are zones of it; four rollers, on axes 70 from
its middle, are barrels whose outside follows it. All are surfaces of revolution about z.
"""

from collections.abc import Iterable
from math import asin, cos, pi, sin

BALL, REACH = 100.0, 70.0
"""Radius of a wheel, and where the axes of its rollers are."""
ZONE = (18.0, 88.8)
"""Where a large element begins and ends."""
MINI, MEDIUM = 41.9, 17.0
"""Half the lengths of the small and the medium rollers."""

Points = list[tuple[float, float, float]]


def _revolved(rows: Iterable[tuple[float, float]], sides: int) -> Points:
    turn = 2 * pi / sides
    return [(r * cos(k * turn), r * sin(k * turn), h) for r, h in rows for k in range(sides)]


def zone(*, rings: int, sides: int) -> Points:
    """Return points of a large element, evenly along the ball's meridian."""
    low, high = (asin(height / BALL) for height in ZONE)
    angles = (low + (high - low) * k / rings for k in range(rings + 1))
    return _revolved(((BALL * cos(a), BALL * sin(a)) for a in angles), sides)


def barrel(half: float, *, rings: int, sides: int) -> Points:
    """Return points of a roller that is twice `half` long."""
    most = asin(half / BALL)
    angles = (most * (2 * k / rings - 1) for k in range(rings + 1))
    return _revolved(((BALL * cos(a) - REACH, BALL * sin(a)) for a in angles), sides)
