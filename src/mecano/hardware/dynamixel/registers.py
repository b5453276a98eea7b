"""What a control table is made of: registers, and the servo models that have them."""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from mecano.core.errors import InvalidInput, UnknownName


class Access(StrEnum):
    """What may be done to a register from outside."""

    READ = "R"
    READ_WRITE = "RW"


@dataclass(frozen=True, kw_only=True)
class Register:
    """One entry of a control table: where it lies, and what its number means.

    A register holds a whole number (raw); what it means is `(raw - origin) * factor` units.
    """

    name: str
    address: int
    size: int
    """Bytes: 1, 2 or 4."""
    signed: bool = False
    """Two's complement."""
    unit: str = ""
    """SI unit of the value; empty for codes, flags and gains."""
    factor: float = 1.0
    """Units of the value per count."""
    origin: int = 0
    """Raw number at which the value is zero."""
    access: Access = Access.READ_WRITE
    eeprom: bool = False
    """Survives power off, and is locked while the torque is on."""
    default: int = 0
    """As the servo leaves the factory, or after it was switched on."""
    lowest: int | None = None
    """Smallest raw number that is accepted; None is all that the size can hold."""
    highest: int | None = None

    @property
    def end(self) -> int:
        """The address behind its last byte."""
        return self.address + self.size

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest raw number that is accepted."""
        bits = 8 * self.size
        least, most = (
            (-(1 << bits - 1), (1 << bits - 1) - 1) if self.signed else (0, (1 << bits) - 1)
        )
        return (
            least if self.lowest is None else self.lowest,
            most if self.highest is None else self.highest,
        )

    def encode(self, raw: int) -> bytes:
        """Return the bytes of a raw number, little end first."""
        try:
            return raw.to_bytes(self.size, "little", signed=self.signed)
        except OverflowError:
            lower, upper = self.range
            raise InvalidInput(
                f"{self.name} is {raw}, which does not fit its {self.size} bytes; "
                f"allowed [{lower}, {upper}]"
            ) from None

    def decode(self, data: bytes | bytearray | memoryview) -> int:
        """Return the raw number of some bytes."""
        if len(data) != self.size:
            raise InvalidInput(f"{self.name} has {self.size} bytes, got {len(data)}")
        return int.from_bytes(data, "little", signed=self.signed)

    def value(self, raw: int) -> float:
        """Return what a raw number means, in the register's unit."""
        return (raw - self.origin) * self.factor

    def raw(self, value: float) -> int:
        """Return the raw number nearest to a value in the register's unit."""
        return round(value / self.factor) + self.origin


@dataclass(frozen=True, kw_only=True)
class ServoModel:
    """A kind of servo: its number, its control table and what its motor can do."""

    name: str
    number: int
    """Model number, as a ping answers it."""
    protocol: int
    """Version of the protocol it speaks from the factory: 1 or 2."""
    table: tuple[Register, ...]
    """By address."""
    ticks_per_turn: int = 4096
    stall_torque: float = 0.0
    """[N m] at the nominal voltage."""
    stall_current: float = 0.0
    """[A] at the nominal voltage."""
    idle_speed: float = 0.0
    """Speed without load [rad/s] at the nominal voltage."""
    voltage: float = 12.0
    """Nominal [V]."""
    modes: dict[int, str] = field(default_factory=dict)
    """Operating modes by code."""

    @cached_property
    def registers(self) -> dict[str, Register]:
        """The registers by name."""
        return {register.name: register for register in self.table}

    @cached_property
    def size(self) -> int:
        """Bytes from address zero to the end of the last register."""
        return max(register.end for register in self.table)

    def register(self, name: str) -> Register:
        """Return the register called `name`, or say which ones there are."""
        if name not in self.registers:
            raise UnknownName("register", name, self.registers)
        return self.registers[name]

    def span(self, first: str, last: str) -> tuple[int, int]:
        """Return address and size of the block from one register to another, both included."""
        start, stop = self.register(first), self.register(last)
        if stop.end <= start.address:
            raise InvalidInput(f"{last} lies before {first}; give them by address")
        return start.address, stop.end - start.address
