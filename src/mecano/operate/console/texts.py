"""How numbers are written in a reply, and as plain values beside it."""

import math
from collections.abc import Iterable


def rounded(value: float, digits: int) -> float:
    """Round, and take the sign from a zero."""
    return round(float(value), digits) + 0.0


def fixed(value: float, digits: int = 4) -> str:
    """Write a number with so many digits behind the point, and no minus before a zero."""
    return f"{rounded(value, digits):.{digits}f}"


def listed(values: Iterable[float]) -> str:
    """Write numbers with commas between."""
    return ", ".join(fixed(value) for value in values)


def columns(values: Iterable[float], digits: int = 4, *, wide: int = 9) -> str:
    """Write numbers so that they stand below each other, each `wide` letters wide."""
    return " ".join(f"{fixed(value, digits):>{wide}}" for value in values)


def point_text(position: Iterable[float]) -> str:
    """Write a point, given in metres."""
    return f"({listed(position)}) m"


def angle_text(value: float) -> str:
    """Write an angle, given in radians, also in degrees."""
    return f"{fixed(value)} rad ({fixed(math.degrees(value), 1)} deg)"


def joint_text(value: float, unit: str) -> str:
    """Write the value of a turning or sliding joint."""
    return angle_text(value) if unit == "rad" else f"{fixed(value)} {unit}"


def floats(values: Iterable[float]) -> list[float]:
    """Return plain numbers, as JSON needs them."""
    return [float(value) for value in values]
