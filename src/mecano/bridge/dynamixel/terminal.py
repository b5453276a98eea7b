"""A pseudo-terminal with the emulated bus behind it: to a program it is a serial port.

Bytes travel through it at once, so the time they take on a real wire is waited for. The speed is
what the program has set its end to; servos that are set to another one hear nothing.
"""

import fcntl
import os
import select
import struct
import termios
import threading
import time
import tty
from contextlib import suppress
from pathlib import Path

from mecano.bridge.dynamixel.bus import EmulatedBus
from mecano.bridge.dynamixel.wire import Wire
from mecano.core.errors import InvalidInput

BURST = 0.001
"""Answers closer together than this are handed over together, when the last is due [s]."""
SPIN = 0.0001
"""The last part of a wait is not left to the system's timer, which is late [s]."""
_TCGETS2, _TERMIOS2 = 0x802C542A, struct.Struct("4I20B2I")
"""Linux: asks a terminal for its settings with the speed in bits per second."""


class Terminal:
    """The port of an emulated bus, and the thread that answers there."""

    def __init__(
        self, bus: EmulatedBus, *, wire_time: bool = True, link: str | Path | None = None
    ) -> None:
        """Open the port.

        Args:
            bus: Who answers.
            wire_time: Take the time that the bytes need on a real wire.
            link: Name under which the port shall be found as well; it stays the same when the
                cable is plugged in again.
        """
        self._bus, self._wire_time = bus, wire_time
        self._link = None if link is None else Path(link)
        self._lock = threading.Lock()  # of plugging, not of traffic
        self._thread: threading.Thread | None = None
        self.plug()

    @property
    def port(self) -> str:
        """Where a program opens it."""
        return self._name if self._link is None else str(self._link)

    def plug(self) -> None:
        """Plug the cable in: the port appears."""
        with self._lock:
            if self._thread is not None:
                return
            self._master, self._slave = os.openpty()
            os.set_blocking(self._master, False)  # a program that never reads must not stop us
            tty.setraw(self._slave)
            self._name = os.ttyname(self._slave)
            self._bell, self._rope = os.pipe()  # the rope rings the bell: stop
            if self._link is not None:
                _point(self._link, self._name)
            self._thread = threading.Thread(target=self._serve, name="bus", daemon=True)
            self._thread.start()

    def unplug(self) -> None:
        """Pull the cable out: the port vanishes, and whoever has it open gets an error."""
        with self._lock:
            if self._thread is None:
                return
            os.write(self._rope, b"!")
            self._thread.join()
            self._thread = None
            if self._link is not None:
                self._link.unlink(missing_ok=True)
            for end in (self._master, self._slave, self._bell, self._rope):
                os.close(end)

    close = unplug

    def _serve(self) -> None:
        """Read and answer until the bell rings."""
        wire = Wire(self._bus, wire_time=self._wire_time)
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        poll.register(self._bell, select.POLLIN)
        while all(end != self._bell for end, _ in poll.poll()):
            data = os.read(self._master, 4096)
            self._answer(wire, data, _baud(self._master))

    def _answer(self, wire: Wire, data: bytes, baud: int) -> None:
        """Hand over the answers when they are due, those close together at once."""
        waiting, due = b"", 0.0
        for due, answer in wire.carry(data, baud, time.perf_counter()):
            waiting += answer
            if due - time.perf_counter() > BURST:
                self._hand_over(waiting, due)
                waiting = b""
        if waiting:
            self._hand_over(waiting, due)

    def _hand_over(self, data: bytes, due: float) -> None:
        _wait_until(due)
        with suppress(BlockingIOError):  # nobody reads: the bytes are lost, as on a wire
            os.write(self._master, data)


def _wait_until(due: float) -> None:
    while (left := due - time.perf_counter()) > 0.0:
        time.sleep(left - SPIN if left > SPIN else 0.0)


def _baud(end: int) -> int:
    """Return the speed to which the other end is set [bit/s]."""
    try:
        settings = fcntl.ioctl(end, _TCGETS2, bytes(_TERMIOS2.size))
        return max(1, _TERMIOS2.unpack(settings)[-1])
    except OSError:  # not Linux: there the usual question has a plain answer
        return max(1, termios.tcgetattr(end)[5])


def _point(link: Path, target: str) -> None:
    if link.exists() and not link.is_symlink():
        raise InvalidInput(f"{link} is there already and no link; give --link another name")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(target)
