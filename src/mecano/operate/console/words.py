"""What the words behind a command mean: numbers with units, points and names."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName

FARTHEST = 100.0
"""Coordinates beyond this are a slip of the keyboard [m]."""
_NUMBER = re.compile(
    r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%°]*)", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True)
class Quantity:
    """A kind of number: its units, and how an error describes it."""

    units: dict[str, float]
    """What one of each is in the first one; the empty unit stands for none."""
    needed: str

    def read(
        self, word: str, name: str, lower: float = -math.inf, upper: float = math.inf
    ) -> float:
        """Return the value of a word such as `120mm`, in the first unit."""
        number, unit = self._split(word, name)
        factor = self.units[unit]
        value = float(number) * factor
        if not lower - 1e-9 <= value <= upper + 1e-9:
            given = f"{number} {unit}".rstrip()
            allowed = f"{lower / factor:.5g} to {upper / factor:.5g} {unit}".rstrip()
            raise InvalidInput(f"{name} is {given}, allowed are {allowed}")
        return min(max(value, lower), upper)

    def _split(self, word: str, name: str) -> tuple[str, str]:
        """Return the number and the unit of a word; the first unit if it has none."""
        match = _NUMBER.fullmatch(word)
        units = {"": next(iter(self.units))} | {unit.lower(): unit for unit in self.units}
        if match is None or match[2].lower() not in units:
            comma = "; write a decimal point, and a blank between numbers" if "," in word else ""
            raise InvalidInput(f"{name} is '{word}', needed is {self.needed}{comma}")
        return match[1], units[match[2].lower()]


LENGTH = Quantity({"m": 1.0, "cm": 0.01, "mm": 0.001}, "a length like 0.2, 20cm or 200mm")
ANGLE = Quantity({"rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180}, "an angle like 0.5, 30deg")
FORCE = Quantity({"N": 1.0}, "a force like 10 or 10N")
TIME = Quantity({"s": 1.0, "ms": 0.001, "min": 60.0}, "a time like 2, 2s or 500ms")
FRACTION = Quantity({"": 1.0, "%": 0.01}, "a fraction like 0.5 or 50%")
UNITS = {u.lower() for each in (LENGTH, ANGLE, FORCE, TIME, FRACTION) for u in each.units if u}


def refuse_lone_units(words: Iterable[str]) -> None:
    """Raise if a unit stands apart from its number."""
    for number, unit in pairwise(words):
        if unit.lower() in UNITS and _NUMBER.fullmatch(number):
            raise InvalidInput(f"write a unit right behind its number: {number}{unit}")


def read_target(words: list[str]) -> tuple[Array, float | None]:
    """Read a point and, if there is a fourth word, a pitch."""
    axes = zip("xyz", words, strict=False)
    point = np.array([LENGTH.read(word, axis, -FARTHEST, FARTHEST) for axis, word in axes])
    turn = 2 * math.pi
    return point, ANGLE.read(words[3], "pitch", -turn, turn) if len(words) > 3 else None


def pick(word: str, kind: str, known: Iterable[str]) -> str:
    """Return the known name a word stands for, in whatever case it is written."""
    names = {name.lower(): name for name in known}
    if word.lower() not in names:
        raise UnknownName(kind, word, names.values())
    return names[word.lower()]


def starting(start: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin so, in whatever case they are written."""
    return [name for name in names if name.lower().startswith(start.lower())]
