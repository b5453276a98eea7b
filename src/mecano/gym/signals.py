"""What an observation or action is made of: names, bounds and units, and the space they make."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from gymnasium.spaces import Box

from mecano.core.arrays import Array


@dataclass(frozen=True)
class Signal:
    """One named piece of an observation or action, in its order."""

    name: str
    size: int
    """How many numbers."""
    low: float
    high: float
    unit: str
    """Of the numbers: "rad", "m/s"; "1" if they have none."""
    text: str
    """What it is, in a sentence."""


def space_of(signals: Sequence[Signal]) -> Box:
    """Return the space of the numbers of some signals, one after the other."""
    low = np.concatenate([np.full(each.size, each.low, np.float32) for each in signals])
    high = np.concatenate([np.full(each.size, each.high, np.float32) for each in signals])
    return Box(low, high, dtype=np.float32)


def observed(values: Array, space: Box) -> np.ndarray:
    """Return values as an observation: single precision, clipped to the bounds of the space."""
    return np.clip(values.astype(np.float32), space.low, space.high)


def table_of(signals: Sequence[Signal]) -> str:
    """Return the signals as a table in Markdown; the pages of the docs show it."""
    rows = ["| numbers | signal | range | unit | what it is |", "|---|---|---|---|---|"]
    first = 0
    for each in signals:
        last = first + each.size - 1
        numbers = f"{first}" if last == first else f"{first}-{last}"
        span = f"{each.low:g} to {each.high:g}"
        rows.append(f"| {numbers} | {each.name} | {span} | {each.unit} | {each.text} |")
        first = last + 1
    return "\n".join(rows)
