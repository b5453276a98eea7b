"""What a wheeled base reports: all readings of one instant in one message."""

from dataclasses import dataclass, field
from math import isnan

from mecano.core.errors import InvalidInput
from mecano.core.messages.stamped import Stamped, fix_number

LARGEST_COUNT = 2**63
"""Counters are 64 bits wide in a log."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BaseReport(Stamped):
    """Readings of a base with any number of wheels. Names are those of its description."""

    ticks: tuple[int, ...]
    """Counters of the wheels; they wrap."""
    wheels: tuple[str, ...] = ()
    """Names of the wheels, in the order of `ticks`; empty where the sender does not name them."""
    bumpers: frozenset[str] = frozenset()
    """Those that are pressed."""
    cliffs: frozenset[str] = frozenset()
    """Those that see no floor."""
    floor: dict[str, float] = field(default_factory=dict)
    """How far down each cliff sensor sees the floor [m]; infinite where there is none."""
    wheel_drops: frozenset[str] = frozenset()
    """Wheels that hang in the air."""
    buttons: frozenset[int] = frozenset()
    """Those that are pressed, counted from 0."""
    heading: float | None = None
    """Of the gyro [rad]; None without a gyro."""
    turn_rate: float | None = None
    """Of the gyro [rad/s]; None without a gyro."""
    voltage: float | None = None
    """Of the battery [V]; None if it is not measured."""
    motor_currents: tuple[float, ...] = ()
    """[A]; empty if they are not measured."""

    def __post_init__(self) -> None:
        """Refuse counters that do not fit, wheels without a counter, and numbers that are none."""
        super().__post_init__()
        for count in self.ticks:
            if not isinstance(count, int) or not -LARGEST_COUNT <= count < LARGEST_COUNT:
                raise InvalidInput(f"BaseReport.ticks has {count!r}, expected integers of 64 bits")
        if self.wheels and len(self.wheels) != len(self.ticks):
            raise InvalidInput(
                f"BaseReport names {len(self.wheels)} wheels for {len(self.ticks)} counters"
            )
        for name in ("heading", "turn_rate", "voltage"):
            if getattr(self, name) is not None:
                fix_number(self, name)
        if any(isnan(value) for value in (*self.floor.values(), *self.motor_currents)):
            raise InvalidInput("BaseReport has a distance or a current that is not a number")
