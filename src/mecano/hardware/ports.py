"""Serial ports: what a driver needs of one, and those of the operating system.

A `Port` is a name, a clock and a way to open it; a `Line` is a port that is open. A driver takes a
port and waits on the port's clock, so it cannot tell a cable from an emulated robot in the same
process, whose time is virtual.
"""

import os
import stat
from pathlib import Path
from typing import Any, Protocol

from mecano.core.clocks import Clock, WallClock
from mecano.core.errors import MissingExtra
from mecano.hardware.errors import NoSuchPort, PortForbidden, PortProblem

NAP = 0.001
"""How long a read waits for the bytes it wants before it returns those there are [s]."""


class Line(Protocol):
    """A port that is open. A port that has gone away raises `OSError`."""

    @property
    def waiting(self) -> int:
        """How many bytes have arrived and were not read yet."""
        ...

    def read(self, size: int) -> bytes:
        """Return bytes as soon as there are that many, or those that came within `NAP`."""
        ...

    def write(self, data: bytes) -> int:
        """Send bytes; return how many were sent."""
        ...

    def drop_input(self) -> None:
        """Forget what has arrived."""
        ...

    def close(self) -> None:
        """Release the port."""
        ...


class Port(Protocol):
    """Where a robot can be reached."""

    @property
    def name(self) -> str:
        """What a user calls it."""
        ...

    @property
    def clock(self) -> Clock:
        """Time on both ends of the cable."""
        ...

    def open(self, baud: int) -> Line:
        """Open it for this program alone, at a speed [bit/s]."""
        ...


IN_PROCESS: dict[str, Port] = {}
"""Ports of this process by name; emulated robots on a virtual clock put theirs here."""


def find_port(port: "str | Port") -> Port:
    """Return the port of a name: one of this process, else one of the operating system."""
    if not isinstance(port, str):
        return port
    return IN_PROCESS.get(port) or SerialPort(port)


class SerialPort:
    """A serial port of the operating system, in real time."""

    def __init__(self, name: str) -> None:
        """Name a port, such as `/dev/ttyUSB0`; nothing is opened yet."""
        self.name, self.clock = name, WallClock()

    def open(self, baud: int) -> "SerialLine":
        """Open it for this program alone, at a speed [bit/s]."""
        serial = _library()
        _check(self.name)
        claim = _claimed(self.name)
        try:
            return SerialLine(self._opened(serial, baud), claim)
        except BaseException:
            if claim is not None:
                os.close(claim)
            raise

    def _opened(self, serial: Any, baud: int) -> Any:
        try:
            return serial.Serial(port=self.name, baudrate=baud, timeout=NAP)
        except PermissionError:
            raise PortForbidden(_forbidden(self.name)) from None
        except ValueError:
            raise PortProblem(f"{self.name} cannot be set to {baud} bit/s") from None
        except port_errors() as error:
            if getattr(error, "errno", None) == 13 or "Permission denied" in str(error):
                raise PortForbidden(_forbidden(self.name)) from None
            raise PortProblem(f"{self.name} cannot be opened: {error}") from None


class SerialLine:
    """A serial port that is open."""

    def __init__(self, serial: Any, claim: int | None) -> None:
        """Take what the library opened, and what keeps other programs out."""
        self._serial, self._claim = serial, claim
        self._serial.reset_input_buffer()

    @property
    def waiting(self) -> int:
        """How many bytes have arrived and were not read yet."""
        return self._serial.in_waiting

    def read(self, size: int) -> bytes:
        """Return bytes as soon as there are that many, or those that came within `NAP`."""
        return self._serial.read(size)

    def write(self, data: bytes) -> int:
        """Send bytes; return how many were sent."""
        return self._serial.write(data) or 0

    def drop_input(self) -> None:
        """Forget what has arrived."""
        self._serial.reset_input_buffer()

    def close(self) -> None:
        """Release the port."""
        self._serial.close()
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None


def port_errors() -> tuple[type[Exception], ...]:
    """Return what a port that has gone away raises, by system."""
    errors: list[type[Exception]] = [OSError]
    try:
        import serial

        errors.append(serial.SerialException)
    except ImportError:  # a port of this process needs no library
        pass
    try:
        import termios

        errors.append(termios.error)
    except ImportError:  # not on every system
        pass
    return tuple(errors)


def _library() -> Any:
    try:
        import serial
    except ImportError:
        raise MissingExtra("pyserial", "hardware", purpose="a serial port") from None
    return serial


def _claimed(port: str) -> int | None:
    """Take a port for this program alone; return what keeps it, None where that is not needed."""
    try:
        import fcntl
    except ImportError:  # Windows opens a port for one program only
        return None
    claim = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        user = _user_of(os.fstat(claim).st_ino)
        os.close(claim)
        raise in_use(port, user) from None
    except OSError:  # a system without such locks
        pass
    return claim


def in_use(port: str, user: str | None = None) -> PortProblem:
    """Return the error of a port that another program has opened."""
    return PortProblem(
        f"{port} is in use{f' by {user}' if user else ''}; two programs on one line spoil each "
        "other's answers: end the other one first"
    )


def _user_of(inode: int) -> str | None:
    """Return which program has locked a file, where that can be found out."""
    try:
        for line in Path("/proc/locks").read_text().splitlines():
            words = line.split()
            if words[1] == "FLOCK" and words[5].rpartition(":")[2] == str(inode):
                name = Path(f"/proc/{words[4]}/comm").read_text().strip()
                return f"{name} (pid {words[4]})"
    except (OSError, IndexError):
        return None
    return None


def _check(port: str) -> None:
    """Say what is wrong with a port before it is opened."""
    path = Path(port)
    if os.name != "posix":
        return
    if not path.exists():
        present = sorted(str(each) for each in Path("/dev").glob("tty[UA][SC][BM]*"))
        listed = (
            f"there are: {', '.join(present)}"
            if present
            else "no serial adapter is plugged in: plug it in, and switch the arm's supply on"
        )
        raise NoSuchPort(f"there is no port {port}; {listed}")
    if not stat.S_ISCHR(path.stat().st_mode):
        raise PortProblem(f"{port} is no serial port; give one such as /dev/ttyUSB0")
    if not os.access(path, os.R_OK | os.W_OK):
        raise PortForbidden(_forbidden(port))


def _forbidden(port: str) -> str:
    import grp  # not on every system

    try:
        group = grp.getgrgid(os.stat(port).st_gid).gr_name
    except (OSError, KeyError):
        group = "dialout"
    return (
        f"you may not use {port}; it belongs to the group '{group}': "
        f"sudo usermod -aG {group} $USER, then log in again"
    )
