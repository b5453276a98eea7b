"""A serial line under the names by which the vendor's library calls it."""

from mecano.core.clocks import Clock
from mecano.hardware.ports import Line

BITS_PER_BYTE = 10
"""Start, eight, stop."""
ADAPTER_LATENCY = 16.0
"""How long a USB adapter may keep bytes back [ms], as the vendor's library has it."""


class SdkPort:
    """In the place of the library's own port, which has the system's port and date built in.

    The packet handlers of the library call these methods, and measure their timeouts here.
    """

    def __init__(self, line: Line, clock: Clock, baud: int) -> None:
        """Take an open line, its clock and its speed [bit/s]."""
        self.line, self._clock, self._baud = line, clock, baud
        self.is_using = False
        """True from a question to the end of its answer; the library sets it."""
        self._timeout, self._since = 0.0, 0.0

    def clearPort(self) -> None:
        """Forget what has arrived."""
        self.line.drop_input()

    def readPort(self, length: int) -> bytes:
        """Return bytes that have arrived, or come in a short while."""
        return self.line.read(length)

    def writePort(self, packet: list[int]) -> int:
        """Send a packet; return how many bytes were sent."""
        return self.line.write(bytes(packet))

    def getBytesAvailable(self) -> int:
        """Return how many bytes have arrived."""
        return self.line.waiting

    def getBaudRate(self) -> int:
        """Return the speed [bit/s]."""
        return self._baud

    def getCurrentTime(self) -> float:
        """Return the time [ms]."""
        return 1000.0 * self._clock.now()

    def setPacketTimeout(self, packet_length: int) -> None:
        """Begin to wait for an answer of some bytes."""
        on_the_wire = 1000.0 * BITS_PER_BYTE * packet_length / self._baud
        self.setPacketTimeoutMillis(on_the_wire + 2.0 * ADAPTER_LATENCY + 2.0)

    def setPacketTimeoutMillis(self, msec: float) -> None:
        """Begin to wait for some milliseconds."""
        self._since, self._timeout = self.getCurrentTime(), msec

    def isPacketTimeout(self) -> bool:
        """Tell whether the answer did not come in time."""
        if self.getCurrentTime() - self._since > self._timeout:
            self._timeout = 0.0
            return True
        return False
