"""A serial line with Dynamixel servos on it, through the vendor's own library.

Nothing above this file knows the library. What it returns as codes and raises as errors of the
operating system becomes one of ours, with the way out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from mecano.core.errors import MissingExtra
from mecano.hardware.dynamixel.sdk_port import SdkPort
from mecano.hardware.dynamixel.tables import ALERT, StatusError
from mecano.hardware.errors import CableLost, GarbledAnswer, NoAnswer, ServoFault
from mecano.hardware.ports import NAP, Port, find_port, port_errors

BAUDS = (1_000_000, 57_600, 115_200, 2_000_000, 3_000_000, 4_000_000, 9_600)
"""Speeds of the line, those in use first [bit/s]."""
FIRMWARE = 6
"""Address of the firmware's version, the same in all servos of protocol 2.0."""
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

    def __init__(self, port: str | Port, *, baud: int = BAUDS[0], protocol: float = 2.0) -> None:
        """Open a port, by name or as an object; nothing is sent yet."""
        sdk = _library()
        found = find_port(port)
        self.port, self.clock, self.baud = found.name, found.clock, baud
        self._sdk = sdk
        self._packets = sdk.PacketHandler(protocol)
        self._quiet_from = 0.0
        self._heard = False
        self._last_sync: tuple[int, int] | None = None
        self._line = SdkPort(found.open(baud), found.clock, baud)
        self.alerts: set[int] = set()
        """Ids that said in their last answer to `sync_read` that they have a fault."""

    def close(self) -> None:
        """Release the port. Servos keep doing what they were commanded last."""
        self._line.line.close()

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
            self._quiet_from = self.clock.now() + LATEST

    def _await_quiet(self) -> None:
        """Wait until no answer can come any more, and drop what came."""
        if not self._quiet_from:
            return
        longest = self.clock.now() + LONGEST_WAIT
        while self.clock.now() < min(self._quiet_from, longest):
            if self._line.line.waiting:  # one was late, and those behind it are later still
                self._quiet_from = self.clock.now() + LATEST
                self._line.line.drop_input()
            self.clock.sleep(NAP)
        self._line.line.drop_input()
        self._quiet_from = 0.0

    # --- errors

    @contextmanager
    def _errors_named(self, what: str) -> Iterator[None]:
        """Turn what the library and the system raise into errors of ours."""
        try:
            yield
        except port_errors():
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


def _library() -> Any:
    try:
        import dynamixel_sdk
    except ImportError:
        raise MissingExtra("dynamixel-sdk", "hardware", purpose="a real arm") from None
    return dynamixel_sdk
