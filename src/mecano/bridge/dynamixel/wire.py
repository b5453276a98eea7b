"""The wire between a program and the servos: what comes back for bytes, and when.

Bytes take 10 bits each in both directions, and each servo makes a pause before it answers. Who
waits for those times, and on which clock, is up to the port at the end of the wire.
"""

from collections.abc import Iterator

from mecano.bridge.dynamixel.bus import EmulatedBus
from mecano.hardware.dynamixel.protocol2 import Parser

BITS_PER_BYTE = 10
"""Start, eight, stop."""
GAP = 0.02
"""A packet whose bytes stop for this long is given up [s] (EST); hosts ask again after more."""


class Wire:
    """Carries bytes to the servos and their answers back."""

    def __init__(self, bus: EmulatedBus, *, wire_time: bool = True) -> None:
        """Begin with an idle wire.

        Args:
            bus: Who answers.
            wire_time: Take the time that the bytes need on a real wire.
        """
        self._bus, self._wire_time = bus, wire_time
        self._parser, self._last = Parser(), 0.0

    def carry(self, data: bytes, baud: int, now: float) -> Iterator[tuple[float, bytes]]:
        """Let the servos hear bytes; yield each answer with the time at which it is complete.

        Args:
            data: What a program sends.
            baud: Speed of the program's end [bit/s].
            now: Time at which it begins to send [s].
        """
        if now - self._last > GAP:
            self._parser.clear()
        self._last = now
        faults = self._bus.faults
        due = now + self._duration(data, baud)
        for packet in self._parser.feed(faults.spoil(data)):
            for answer in self._bus.handle(packet, baud):
                due += faults.delay()
                due += self._duration(answer.data, baud, pause=answer.delay)
                yield due, faults.spoil(answer.data)

    def _duration(self, data: bytes, baud: int, *, pause: float = 0.0) -> float:
        return pause + BITS_PER_BYTE * len(data) / baud if self._wire_time else 0.0
