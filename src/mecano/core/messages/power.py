"""The battery."""

from dataclasses import dataclass
from typing import Literal, get_args

from mecano.core.errors import UnknownName
from mecano.core.messages.stamped import Stamped, fix_number

BatteryStatus = Literal["unknown", "charging", "discharging", "not_charging", "full"]


@dataclass(frozen=True, eq=False, kw_only=True)
class BatteryState(Stamped):
    """How the battery is. None is what it does not measure."""

    voltage: float
    """[V]."""
    current: float | None = None
    """Negative while discharging [A]."""
    charge: float | None = None
    """What is left, in ampere-hours as ROS has it [A h]."""
    capacity: float | None = None
    """What it held when last full [A h]."""
    percentage: float | None = None
    """What is left, from 0 to 1."""
    temperature: float | None = None
    """In degrees Celsius, as ROS has it."""
    status: BatteryStatus = "unknown"
    present: bool = True
    """Whether there is a battery at all."""

    def __post_init__(self) -> None:
        """Refuse numbers that are not finite, and a percentage that counts to 100."""
        super().__post_init__()
        fix_number(self, "voltage")
        for name in ("current", "charge", "capacity", "temperature"):
            if getattr(self, name) is not None:
                fix_number(self, name)
        if self.percentage is not None:
            fix_number(self, "percentage", lower=0.0, upper=1.0)
        if self.status not in get_args(BatteryStatus):
            raise UnknownName("battery status", self.status, get_args(BatteryStatus))
