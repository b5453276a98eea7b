"""Gamepads as Linux shows them under /dev/input: events of eight bytes, no library needed."""

import os
import select
import stat
import struct
import time
from collections.abc import Iterator
from pathlib import Path

from mecano.core.messages import Joy
from mecano.hardware.errors import NoSuchPort, PortForbidden, PortProblem

EVENT = struct.Struct("<IhBB")
"""Time [ms], value, kind, number: struct js_event of linux/joystick.h."""
BUTTON, AXIS, INITIAL = 0x01, 0x02, 0x80
FULL = 32767
"""Value of a stick at its end."""
LEAST_AXES, LEAST_BUTTONS = 6, 8
"""A pad has at least these; a recording may not name all of them at its beginning."""


class PadState:
    """Adds events up to what all sticks and buttons do."""

    def __init__(self) -> None:
        """Nothing is pressed."""
        self._axes, self._buttons = [0.0] * LEAST_AXES, [0] * LEAST_BUTTONS
        self.time = 0.0
        """Of the last event, by the kernel's clock [s]."""

    def take(self, event: bytes) -> None:
        """Take one event of eight bytes; kinds that are not known are left out."""
        milliseconds, value, kind, number = EVENT.unpack(event)
        self.time = milliseconds / 1000.0
        kind &= ~INITIAL
        if kind == AXIS:
            self._axes += [0.0] * (number + 1 - len(self._axes))
            # Left and up are negative here and positive in ROS.
            self._axes[number] = min(1.0, max(-1.0, -value / FULL)) + 0.0
        elif kind == BUTTON:
            self._buttons += [0] * (number + 1 - len(self._buttons))
            self._buttons[number] = int(value != 0)

    def joy(self, stamp: float = 0.0) -> Joy:
        """Return it as a message."""
        return Joy(stamp=stamp, axes=self._axes, buttons=tuple(self._buttons))  # type: ignore[arg-type]


class Joystick:
    """A gamepad on a device file. Use it in a `with` block.

    A plain file with recorded events (`cat /dev/input/js0 > drive.events`) is played back at its
    own pace.
    """

    def __init__(self, path: str | Path) -> None:
        """Open the device.

        Raises:
            NoSuchPort: There is no such file.
            PortForbidden: The user may not read it.
        """
        self.path = Path(path)
        try:
            self._file = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
            self._recorded = stat.S_ISREG(os.fstat(self._file).st_mode)
        except FileNotFoundError:
            pads = sorted(str(pad) for pad in Path("/dev/input").glob("js*"))
            raise NoSuchPort(
                f"there is no gamepad at {self.path}; "
                + (f"there is one at {', '.join(pads)}" if pads else "no gamepad is plugged in")
            ) from None
        except PermissionError:
            raise PortForbidden(
                f"you may not read {self.path}: add yourself to the group input and log in again"
            ) from None
        except OSError as error:
            raise PortProblem(f"{self.path} cannot be opened: {error.strerror}") from None
        self.state = PadState()
        self._rest = b""

    def __enter__(self) -> "Joystick":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the device."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def messages(self, *, every: float) -> Iterator[Joy | None]:
        """Give what the pad does after each event, and None when nothing came for a time.

        Args:
            every: None comes after so much silence [s].

        It ends when the pad is unplugged or the recording is over.
        """
        began, first = time.monotonic(), None
        while True:
            ready, _, _ = select.select([self._file], [], [], every)
            if not ready:
                yield None
                continue
            events = self._read()
            if events is None:
                return
            for event in events:
                self.state.take(event)
                if self._recorded:
                    first = self.state.time if first is None else first
                    yield from self._pause(began + self.state.time - first, every)
                yield self.state.joy(time.monotonic() - began)

    def _pause(self, until: float, every: float) -> Iterator[None]:
        while (left := until - time.monotonic()) > 0.0:
            time.sleep(min(left, every))
            yield None

    def _read(self) -> list[bytes] | None:
        """Return the whole events that are there; None when there will be no more."""
        try:
            data = os.read(self._file, 64 * EVENT.size)
        except BlockingIOError:
            return []
        except OSError:  # unplugged
            return None
        if not data:
            return None
        data = self._rest + data
        whole = len(data) // EVENT.size * EVENT.size
        self._rest = data[whole:]
        return [data[i : i + EVENT.size] for i in range(0, whole, EVENT.size)]
