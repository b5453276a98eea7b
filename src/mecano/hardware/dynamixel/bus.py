"""A serial line with Dynamixel servos on it, through the vendor's own library.

Nothing above this file knows the library. What it returns as codes and raises as errors of the
operating system becomes one of ours, with the way out.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from mecano.core.errors import MissingExtra
from mecano.hardware.dynamixel.tables import ALERT, StatusError
from mecano.hardware.errors import (
    CableLost,
    GarbledAnswer,
    NoAnswer,
    NoSuchPort,
    PortForbidden,
    PortProblem,
    ServoFault,
)

BAUDS = (1_000_000, 57_600, 115_200, 2_000_000, 3_000_000, 4_000_000, 9_600)
"""Speeds of the line, those in use first [bit/s]."""
FIRMWARE = 6
"""Address of the firmware's version, the same in all servos of protocol 2.0."""
NAP = 0.001
"""How long a read may sleep for bytes [s]; the library by itself asks without end instead."""
TRIES = 3
"""How often a question is asked before its servo counts as silent."""
LATEST = 0.1
"""An answer that has not come after this time will not come [s]: nothing is asked before, or a late
answer would be taken for that to the next question."""
LONGEST_WAIT = 0.4
"""Somebody who never stops talking is not waited for any longer [s]."""
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Found:
    """A servo that answered a ping."""

    id: int
    model: int
    firmware: int


class Bus:
    """A line with servos. Only one thread may use it at a time."""

    def __init__(self, port: str, *, baud: int = BAUDS[0], protocol: float = 2.0) -> None:
        """Open a serial port; nothing is sent yet."""
        sdk = _library()
        self.port, self.baud = port, baud
        self._sdk = sdk
        self._packets = sdk.PacketHandler(protocol)
        self._line = sdk.PortHandler(port)
        self._line.baudrate = baud
        self._quiet_from = 0.0
        self._heard = False
        self._last_sync: tuple[int, int] | None = None
        _check(port)
        self._claim = _claimed(port)
        try:
            with self._errors_named("opening it"):
                if not self._line.openPort():
                    raise PortProblem(f"{port} cannot be set to {baud} bit/s")
        except BaseException:
            self.close()
            raise
        self._line.ser.timeout = NAP
        self.alerts: set[int] = set()
        """Ids that said in their last answer to `sync_read` that they have a fault."""

    def close(self) -> None:
        """Let go of the port. Servos keep doing what they were told last."""
        if self._line.is_open:
            self._line.closePort()
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None

    def __enter__(self) -> "Bus":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- one servo

    def ping(self, servo: int, *, tries: int = TRIES) -> Found | None:
        """Return what a servo is, or None if nobody answers to this id.

        Raises:
            GarbledAnswer: Somebody answers, but nothing that could be read.
        """
        results, models = [], []
        for _ in range(tries + 1):  # what is said twice is no noise
            with self._errors_named(f"asking id {servo} who it is"):
                self._await_quiet()
                model, result, _ = self._packets.ping(self._line, servo)
            if result == self._sdk.COMM_SUCCESS:
                self._heard = True
                if model in models:
                    return Found(servo, model, self.read(servo, FIRMWARE, 1)[0])
                models.append(model)
            else:
                self._expect_late()
                results.append(result)
                if len(results) == tries:
                    break
        if not models and all(result == self._sdk.COMM_RX_TIMEOUT for result in results):
            return None
        raise GarbledAnswer(
            f"id {servo} answers with garbage: two servos may have this id; unplug one of them and "
            "give the other an id of its own (with the vendor's DYNAMIXEL Wizard), or check the "
            f"cable; then: mecano doctor {self.port}"
        )

    def read(self, servo: int, address: int, size: int) -> bytes:
        """Return bytes of a servo's table."""

        def ask() -> tuple[Any, int, int]:
            data, result, error = self._packets.readTxRx(self._line, servo, address, size)
            if result == self._sdk.COMM_SUCCESS and len(data) != size and not error & 0x7F:
                return data, self._sdk.COMM_RX_CORRUPT, error
            return data, result, error

        return bytes(self._asked(ask, f"reading {size} bytes at {address} of id {servo}", servo))

    def write(self, servo: int, address: int, data: bytes) -> None:
        """Write bytes into a servo's table, and have it confirm that."""

        def ask() -> tuple[None, int, int]:
            result, error = self._packets.writeTxRx(
                self._line, servo, address, len(data), list(data)
            )
            return None, result, error

        self._asked(ask, f"writing {len(data)} bytes at {address} of id {servo}", servo)

    def reboot(self, servo: int) -> None:
        """Start a servo anew; it clears its faults and lets go of what it holds."""

        def ask() -> tuple[None, int, int]:
            result, error = self._packets.reboot(self._line, servo)
            return None, result, error

        self._asked(ask, f"starting id {servo} anew", servo)

    def _asked(self, ask: Callable[[], tuple[Answer, int, int]], what: str, servo: int) -> Answer:
        """Ask until a servo answers, at most a few times."""
        reason = ""
        for _ in range(TRIES):
            with self._errors_named(what):
                self._await_quiet()
                answer, result, error = ask()
            self._heard |= result == self._sdk.COMM_SUCCESS
            if result != self._sdk.COMM_SUCCESS:
                self._expect_late()
                reason = _said(self._packets.getTxRxResult(result))
            elif error & 0x7F == StatusError.CRC:
                reason = "it says that the question was spoilt on its way"
            elif error & 0x7F:
                refusal = _said(self._packets.getRxPacketError(error & 0x7F))
                raise ServoFault(f"id {servo} refused {what}: {refusal}")
            else:
                return answer
        raise NoAnswer(
            f"id {servo} does not answer ({what}, {TRIES} tries: {reason}); "
            f"check its power and cable, then: mecano doctor {self.port}"
        )

    # --- all at once

    def sync_read(self, ids: Sequence[int], address: int, size: int) -> dict[int, bytes]:
        """Ask several servos at once for the same bytes; return those of the ones that answered."""
        answers = {}
        with self._errors_named("reading all servos"):
            if (address, size) != self._last_sync:
                self._await_quiet()
            self._last_sync = (address, size)
            asked = self._packets.syncReadTx(self._line, address, size, [*ids], len(ids), False)
            for servo in ids if asked == self._sdk.COMM_SUCCESS else ():
                data, result, error = self._packets.readRx(self._line, servo, size)
                if result != self._sdk.COMM_SUCCESS:
                    self._expect_late()
                    break  # those behind it wait for it in vain
                self._note_alert(servo, error)
                if len(data) == size:
                    answers[servo] = bytes(data)
        return answers

    def _note_alert(self, servo: int, error: int) -> None:
        (self.alerts.add if error & ALERT else self.alerts.discard)(servo)

    def sync_write(self, address: int, size: int, data: Mapping[int, bytes]) -> None:
        """Send several servos bytes at once; nobody confirms this."""
        parameters = [byte for servo, each in data.items() for byte in (servo, *each)]
        with self._errors_named("writing to all servos"):
            self._packets.syncWriteTxOnly(self._line, address, size, parameters, len(parameters))

    # --- late answers

    def _expect_late(self) -> None:
        """Remember that an answer may still come; on a line where nobody ever spoke, none will."""
        if self._heard:
            self._quiet_from = time.monotonic() + LATEST

    def _await_quiet(self) -> None:
        """Wait until no answer can come any more, and drop what came."""
        if not self._quiet_from:
            return
        longest = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < min(self._quiet_from, longest):
            if self._line.ser.in_waiting:  # one was late, and those behind it are later still
                self._quiet_from = time.monotonic() + LATEST
                self._line.ser.reset_input_buffer()
            time.sleep(NAP)
        self._line.ser.reset_input_buffer()
        self._quiet_from = 0.0

    # --- errors

    @contextmanager
    def _errors_named(self, what: str) -> Iterator[None]:
        """Turn what the library and the system raise into errors of ours."""
        try:
            yield
        except PermissionError:
            raise PortForbidden(_forbidden(self.port)) from None
        except _system_errors() as error:
            code = getattr(error, "errno", None)
            if code == 13 or "Permission denied" in str(error):
                raise PortForbidden(_forbidden(self.port)) from None
            if not self._line.is_open:
                raise PortProblem(f"{self.port} cannot be opened: {error}") from None
            raise CableLost(
                f"{self.port} went away while {what}: is the cable still plugged in? The servos "
                "stop by themselves. Plug it in, and connect again"
            ) from None
        except (TypeError, IndexError, AttributeError) as error:  # the library met garbage
            raise GarbledAnswer(
                f"{self.port} gave bytes that are no answer while {what} ({error}); two servos "
                f"with one id, a wrong speed or a bad cable do that: mecano doctor {self.port}"
            ) from None
        finally:
            self._line.is_using = False  # the library forgets that after an exception


def _said(text: str) -> str:
    """Return what the library says without its own tag in front."""
    return text.rpartition("] ")[2].strip(" !.")


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
        raise PortProblem(
            f"{port} is in use{f' by {user}' if user else ''}; two programs on one line spoil each "
            "other's answers: end the other one first"
        ) from None
    except OSError:  # a system without such locks
        pass
    return claim


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


def _system_errors() -> tuple[type[Exception], ...]:
    """Return what a port that is gone raises, by system."""
    import serial

    try:
        import termios
    except ImportError:  # not on every system
        return (serial.SerialException, OSError)
    return (serial.SerialException, OSError, termios.error)


def _library() -> Any:
    try:
        import dynamixel_sdk
    except ImportError:
        raise MissingExtra("dynamixel-sdk", "hardware", purpose="a real arm") from None
    return dynamixel_sdk


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
