"""What a wheeled base reports: all readings of one instant in one message."""

from dataclasses import dataclass, field

from mecano.core.messages.stamped import Stamped


@dataclass(frozen=True, eq=False, kw_only=True)
class BaseReport(Stamped):
    """The packet of a base. Names are those of its description: "left", "center", "right"."""

    ticks: tuple[int, ...]
    """Counters of the wheels; they wrap."""
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
    """Of the gyro [rad]."""
    turn_rate: float | None = None
    """Of the gyro [rad/s]."""
    voltage: float | None = None
    """Of the battery [V]."""
    motor_currents: tuple[float, ...] = ()
    """[A]."""
