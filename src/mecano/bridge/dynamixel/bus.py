"""The emulated bus: which servos hear an instruction, what they do, and who answers in what order.

Two things the manual leaves open are decided here. In a sync or bulk read each servo waits for the
answer of the one before it, so the servos behind a silent one stay silent too. The watchdog of a
servo is fed by every intact packet that it hears, whomever it is for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mecano.bridge.dynamixel.faults import Faults
from mecano.bridge.dynamixel.servo import EmulatedServo
from mecano.core.clocks import Clock, WallClock
from mecano.hardware.dynamixel.protocol2 import (
    BROADCAST,
    Instruction,
    Packet,
    WrongCrc,
    build_status,
)
from mecano.hardware.dynamixel.tables import BAUD_RATES, StatusError

CLEAR_TURNS = bytes.fromhex("01 44 58 4c 22")
"""Parameters of the instruction that forgets whole turns (protocol 2.0, clear)."""
PING, READING, ALL = 0, 1, 2
"""Which answers a servo gives, by its `status_return_level`."""


@dataclass(frozen=True)
class Answer:
    """What goes back on the wire."""

    data: bytes
    delay: float
    """Pause of the servo before it answers [s]."""


class EmulatedBus:
    """Servos on one wire."""

    def __init__(
        self,
        servos: Sequence[EmulatedServo],
        *,
        faults: Faults | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Wire up servos; their ids and baud rates are what their registers say at any time.

        Args:
            servos: Who is on the wire.
            faults: What goes wrong; None for nothing.
            clock: Time of the servos; None for the wall clock.
        """
        self.servos = tuple(servos)
        self.clock: Clock = WallClock() if clock is None else clock
        self.faults = Faults() if faults is None else faults
        self.last_heard = self.clock.now()
        """When the last intact packet came [s]."""

    def handle(self, packet: Packet | WrongCrc, baud: int) -> Iterator[Answer]:
        """Let the servos that listen at this speed do what a packet says; yield their answers."""
        listening = [servo for servo in self.servos if self._hears(servo, baud)]
        if isinstance(packet, WrongCrc):
            for servo in _called(packet.id, listening):
                yield from self._reply(servo, StatusError.CRC)
            return
        if not listening or packet.instruction == Instruction.STATUS:
            return
        self.last_heard = self.clock.now()
        several = _SEVERAL.get(packet.instruction)
        if several is not None:
            yield from several(self, packet.parameters, listening)
            return
        for servo in _called(packet.id, listening):
            answers = list(self._single(servo, packet))  # it acts even if it does not answer
            if packet.id != BROADCAST or packet.instruction == Instruction.PING:
                yield from answers

    def _hears(self, servo: EmulatedServo, baud: int) -> bool:
        return (
            BAUD_RATES[servo.get("baud_rate")] == baud
            and servo.id not in self.faults.dead
            and not servo.dead
            and self.clock.now() >= servo.deaf_until
        )

    def _reply(
        self,
        servo: EmulatedServo,
        error: int,
        data: bytes = b"",
        *,
        level: int = ALL,
        name: int | None = None,
    ) -> Iterator[Answer]:
        """Yield a servo's answer, if it gives answers of this level at all."""
        if servo.get("status_return_level") < level:
            return
        name = servo.id if name is None else name
        status = build_status(name, error | servo.alert, data)
        crowd = sum(other.id == name for other in self.servos)
        if crowd > 1 or name in self.faults.duplicate:
            status = self.faults.garble(status)
        yield Answer(status, 2e-6 * servo.get("return_delay_time"))

    # --- instructions for one servo

    def _single(self, servo: EmulatedServo, packet: Packet) -> Iterator[Answer]:
        parameters = packet.parameters
        match packet.instruction:
            case Instruction.PING:
                yield from self._reply(servo, 0, servo.read(0, 2)[1] + servo.read(6, 1)[1], level=0)
            case Instruction.READ if len(parameters) == 4:
                yield from self._read(servo, _word(parameters, 0), _word(parameters, 2))
            case Instruction.WRITE | Instruction.REG_WRITE if len(parameters) >= 3:
                yield from self._write(servo, packet)
            case Instruction.ACTION:
                yield from self._reply(servo, servo.act())
            case Instruction.FACTORY_RESET if len(parameters) == 1:
                yield from self._reply(servo, servo.factory_reset(parameters[0], self.clock.now()))
            case Instruction.REBOOT:
                yield from self._reply(servo, 0)
                servo.reboot(self.clock.now())
            case Instruction.CLEAR:
                known = parameters == CLEAR_TURNS
                yield from self._reply(servo, 0 if known else StatusError.RESULT_FAIL)
            case _:
                yield from self._reply(servo, StatusError.INSTRUCTION)

    def _read(self, servo: EmulatedServo, address: int, size: int) -> Iterator[Answer]:
        error, data = servo.read(address, size)
        yield from self._reply(servo, error, data, level=READING)

    def _write(self, servo: EmulatedServo, packet: Packet) -> Iterator[Answer]:
        address, data = _word(packet.parameters, 0), packet.parameters[2:]
        if packet.instruction == Instruction.REG_WRITE:
            yield from self._reply(servo, servo.stage(address, data))
            return
        name = servo.id  # even a new id is confirmed by the old one
        yield from self._reply(servo, servo.write(address, data), name=name)

    # --- instructions for several servos

    def _sync_read(self, parameters: bytes, listening: list[EmulatedServo]) -> Iterator[Answer]:
        if len(parameters) < 5:
            return
        address, size = _word(parameters, 0), _word(parameters, 2)
        yield from self._in_turn([(servo, address, size) for servo in parameters[4:]], listening)

    def _bulk_read(self, parameters: bytes, listening: list[EmulatedServo]) -> Iterator[Answer]:
        entries = [
            (parameters[i], _word(parameters, i + 1), _word(parameters, i + 3))
            for i in range(0, len(parameters) - 4, 5)
        ]
        yield from self._in_turn(entries, listening)

    def _in_turn(
        self, entries: list[tuple[int, int, int]], listening: list[EmulatedServo]
    ) -> Iterator[Answer]:
        for name, address, size in entries:
            answers = [
                answer
                for servo in listening
                if servo.id == name
                for answer in self._read(servo, address, size)
            ]
            if not answers:
                return  # the next one waits for this one in vain
            yield answers[0]

    def _sync_write(self, parameters: bytes, listening: list[EmulatedServo]) -> Iterator[Answer]:
        address, size = _word(parameters, 0), _word(parameters, 2)
        for i in range(4, len(parameters) - size, size + 1):
            for servo in listening:
                if servo.id == parameters[i]:
                    servo.write(address, parameters[i + 1 : i + 1 + size])
        yield from ()

    def _bulk_write(self, parameters: bytes, listening: list[EmulatedServo]) -> Iterator[Answer]:
        i = 0
        while i + 5 < len(parameters):
            address, size = _word(parameters, i + 1), _word(parameters, i + 3)
            for servo in listening:
                if servo.id == parameters[i]:
                    servo.write(address, parameters[i + 5 : i + 5 + size])
            i += 5 + size
        yield from ()


_SEVERAL: dict[int, Callable[[EmulatedBus, bytes, list[EmulatedServo]], Iterator[Answer]]] = {
    Instruction.SYNC_READ: EmulatedBus._sync_read,
    Instruction.SYNC_WRITE: EmulatedBus._sync_write,
    Instruction.BULK_READ: EmulatedBus._bulk_read,
    Instruction.BULK_WRITE: EmulatedBus._bulk_write,
}


def _word(data: bytes, place: int) -> int:
    return int.from_bytes(data[place : place + 2], "little")


def _called(name: int, servos: list[EmulatedServo]) -> list[EmulatedServo]:
    """Return the servos an id speaks to, by rising id."""
    if name == BROADCAST:
        return sorted(servos, key=lambda servo: servo.id)
    return [servo for servo in servos if servo.id == name]
