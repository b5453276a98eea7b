"""Numbers and comments as a person would write them in Python."""

from math import pi

DIGITS = 15
"""Decimals of lengths and angles [m, rad]."""
FRACTIONS = (1, 2, 3, 4, 6)


def comment(text: str) -> list[str]:
    """Return a comment in lines of at most 99 characters."""
    lines, line = [], "#"
    for word in text.split():
        if len(line) + 1 + len(word) > 99:
            lines.append(line)
            line = "#"
        line += f" {word}"
    return [*lines, line]


def angle(value: float) -> str:
    """Return a number, in pi where it is a simple share of it."""
    value = float(value)
    for below in FRACTIONS:
        times = value * below / pi
        whole = round(times)
        if whole and abs(whole) <= 12 and abs(times - whole) < 1e-13:
            factor = {1: "pi", -1: "-pi"}.get(whole, f"{whole} * pi")
            return factor if below == 1 else f"{factor} / {below}"
    return repr(round(value, DIGITS) + 0.0)
