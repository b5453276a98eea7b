"""A port in this process with the emulated bus behind it, on a virtual clock.

No pseudo-terminal, no thread and no waiting: what a program sends is heard at once, and what comes
back is an event of the clock. A program finds the port by its name, as it finds a serial port.
"""

from itertools import count
from pathlib import Path

from mecano.bridge.dynamixel.bus import EmulatedBus
from mecano.bridge.dynamixel.wire import Wire
from mecano.core.clocks import VirtualClock
from mecano.core.errors import InvalidInput
from mecano.hardware.ports import IN_PROCESS, NAP, in_use

_NUMBERS = count(1)


class VirtualPort:
    """The port of an emulated bus on a virtual clock."""

    def __init__(
        self,
        bus: EmulatedBus,
        *,
        wire_time: bool = True,
        link: str | Path | None = None,
    ) -> None:
        """Plug the cable in.

        Args:
            bus: Who answers; its clock must be virtual.
            wire_time: Take the time that the bytes need on a real wire.
            link: Name of the port; None for one of its own, such as `emulated:1`.
        """
        if not isinstance(bus.clock, VirtualClock):
            raise InvalidInput("a virtual port needs a bus with a virtual clock")
        self.bus, self.clock = bus, bus.clock
        self.name = f"emulated:{next(_NUMBERS)}" if link is None else str(link)
        self._wire_time = wire_time
        self._line: VirtualLine | None = None
        self.plug()

    @property
    def port(self) -> str:
        """Where a program opens it."""
        return self.name

    def plug(self) -> None:
        """Plug the cable in: the port appears."""
        if IN_PROCESS.setdefault(self.name, self) is not self:
            raise InvalidInput(f"there is a port {self.name} already; give it another name")

    def unplug(self) -> None:
        """Pull the cable out: the port vanishes, and whoever has it open gets an error."""
        if IN_PROCESS.get(self.name) is self:
            del IN_PROCESS[self.name]
        if self._line is not None:
            self._line.gone = True
            self._line = None

    close = unplug

    def open(self, baud: int) -> "VirtualLine":
        """Open it for one program alone, at a speed [bit/s]."""
        if self._line is not None and not self._line.closed:
            raise in_use(self.name, "this program")
        self._line = VirtualLine(Wire(self.bus, wire_time=self._wire_time), self.clock, baud)
        return self._line


class VirtualLine:
    """A virtual port that is open."""

    def __init__(self, wire: Wire, clock: VirtualClock, baud: int) -> None:
        """Open it at a speed [bit/s]."""
        self._wire, self._clock, self._baud = wire, clock, baud
        self._arrived = bytearray()
        self.gone = False
        """True after the cable was pulled out."""
        self.closed = False
        """True after the program released it."""

    @property
    def waiting(self) -> int:
        """How many bytes have arrived and were not read yet."""
        self._check()
        return len(self._arrived)

    def read(self, size: int) -> bytes:
        """Return bytes as soon as there are that many, or those that came within `NAP`."""
        self._clock.wait_for(lambda: len(self._arrived) >= size or self.gone, NAP)
        self._check()
        data = bytes(self._arrived[:size])
        del self._arrived[:size]
        return data

    def write(self, data: bytes) -> int:
        """Send bytes; return how many were sent."""
        self._check()
        now = self._clock.now()
        for due, answer in self._wire.carry(data, self._baud, now):
            if due <= now:
                self._arrived += answer
            else:
                self._clock.at(due, lambda answer=answer: self._arrived.extend(answer))
        return len(data)

    def drop_input(self) -> None:
        """Forget what has arrived."""
        self._check()
        self._arrived.clear()

    def close(self) -> None:
        """Release the port."""
        self.closed = True

    def _check(self) -> None:
        if self.gone or self.closed:
            raise OSError("the port is gone")
