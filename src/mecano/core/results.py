"""What a measurement answers: the row that `mecano bench` prints, stable for scripts."""

import operator
from dataclasses import dataclass
from typing import Any

_RELATIONS = {">=": operator.ge, "<=": operator.le, "<": operator.lt}


@dataclass(frozen=True, kw_only=True)
class BenchRow:
    """One thing measured: ours, the peer's in the same run, and the bar it has to clear."""

    name: str
    value: float
    """What ours takes."""
    unit: str
    """Unit of `value` and `peer_value`."""
    peer: str | None = None
    """What ours is measured against."""
    peer_value: float | None = None
    """What the peer takes; None if it is not installed."""
    bar: str | None = None
    """`ratio >= 10`, `ratio <= 3` or `value < 200 us`; None if nothing is asked of this row."""

    @property
    def ratio(self) -> float | None:
        """Peer over ours: how many times faster we are. None without a peer.

        Under a bar `ratio <= ...` it is ours over peer: how many times as long we take.
        """
        if self.peer_value is None:
            return None
        if self.bar is not None and self.bar.startswith("ratio <"):
            return self.value / self.peer_value
        return self.peer_value / self.value

    @property
    def held(self) -> bool | None:
        """True if the bar is cleared, None if there is none or its number is missing."""
        if self.bar is None:
            return None
        subject, relation, limit = self.bar.split()[:3]
        number = {"ratio": self.ratio, "value": self.value}[subject]
        return None if number is None else _RELATIONS[relation](number, float(limit))

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain values; numbers keep four digits, more would be noise."""
        return {
            "name": self.name,
            "value": _four_digits(self.value),
            "unit": self.unit,
            "peer": self.peer,
            "peer_value": _four_digits(self.peer_value),
            "ratio": _four_digits(self.ratio),
            "bar": self.bar,
            "held": self.held,
        }


def _four_digits(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.4g}")
