"""Packets of Dynamixel protocol 2.0: built, taken apart, and found in a stream of bytes.

    FF FF FD 00 | id | length (2) | instruction | parameters ... | CRC (2)

The length counts instruction, parameters and CRC. A status packet has the instruction 0x55 and an
error as its first parameter. Where FF FF FD occurs in instruction and parameters, an FD is stuffed
behind it, so that the head of a packet occurs nowhere else; length and CRC are those of the stuffed
bytes. Source: ROBOTIS e-manual, protocol 2.0.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from mecano.core.errors import InvalidInput

HEAD = b"\xff\xff\xfd\x00"
_MARK, _STUFFED = b"\xff\xff\xfd", b"\xff\xff\xfd\xfd"
BROADCAST = 254
LAST_ID = 252
LONGEST = 4096
"""A packet that says it is longer than this is garbage [bytes behind the length]."""


class Instruction(IntEnum):
    """What a packet asks for."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    FACTORY_RESET = 0x06
    REBOOT = 0x08
    CLEAR = 0x10
    STATUS = 0x55
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83
    BULK_READ = 0x92
    BULK_WRITE = 0x93


@dataclass(frozen=True)
class Packet:
    """One packet without what the wire adds: stuffing, length and CRC."""

    id: int
    instruction: int
    parameters: bytes = b""

    @property
    def is_status(self) -> bool:
        """True for an answer."""
        return self.instruction == Instruction.STATUS

    @property
    def error(self) -> int:
        """The error of an answer; 0 if it has none."""
        return self.parameters[0] if self.is_status and self.parameters else 0

    @property
    def data(self) -> bytes:
        """What an answer carries behind its error; all parameters of an instruction."""
        return self.parameters[1:] if self.is_status else self.parameters


@dataclass(frozen=True)
class WrongCrc:
    """A packet whose checksum does not fit. What it says may be wrong, its id included."""

    id: int
    instruction: int


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x8005 if crc & 0x8000 else crc << 1) & 0xFFFF
        table.append(crc)
    return tuple(table)


_CRC = _crc_table()


def crc16(data: bytes | bytearray) -> int:
    """Return the checksum of some bytes: polynomial 0x8005, start 0, not reflected."""
    crc = 0
    for byte in data:
        crc = (crc << 8 & 0xFF00) ^ _CRC[crc >> 8 ^ byte]
    return crc


def build(packet: Packet) -> bytes:
    """Return the bytes of a packet on the wire."""
    if not 0 <= packet.id <= BROADCAST:
        raise InvalidInput(f"id is {packet.id}, allowed 0 to {LAST_ID}, or {BROADCAST} for all")
    body = bytes([packet.instruction]) + packet.parameters
    if _MARK in body:
        body = body.replace(_MARK, _STUFFED)
    if len(body) + 2 > LONGEST:
        raise InvalidInput(f"a packet of {len(body) + 2} bytes is too long, allowed {LONGEST}")
    whole = HEAD + bytes([packet.id]) + (len(body) + 2).to_bytes(2, "little") + body
    return whole + crc16(whole).to_bytes(2, "little")


def build_status(servo: int, error: int, data: bytes = b"") -> bytes:
    """Return the bytes of an answer."""
    return build(Packet(servo, Instruction.STATUS, bytes([error]) + data))


class Parser:
    """Finds packets in a stream that comes in any pieces, and finds back after garbage."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._buffer = bytearray()

    def clear(self) -> None:
        """Forget a packet that has begun."""
        self._buffer.clear()

    def feed(self, data: bytes) -> Iterator[Packet | WrongCrc]:
        """Take some bytes; yield each packet that they complete.

        After a wrong CRC the search goes on behind the head of the broken packet, not behind its
        end: its length may be what is wrong.
        """
        self._buffer += data
        while (end := self._find()) is not None:
            whole = bytes(self._buffer[:end])
            if crc16(whole[:-2]) == int.from_bytes(whole[-2:], "little"):
                del self._buffer[:end]
                yield _take_apart(whole)
            else:
                del self._buffer[: len(HEAD)]
                yield WrongCrc(whole[4], whole[7])

    def _find(self) -> int | None:
        """Drop what precedes a head; return where its packet ends, or None if more must come."""
        buffer = self._buffer
        while True:
            start = buffer.find(HEAD)
            if start < 0:
                del buffer[: len(buffer) - _begun(buffer)]
                return None
            del buffer[:start]
            if len(buffer) < 7:
                return None
            length = buffer[5] | buffer[6] << 8
            if 3 <= length <= LONGEST and buffer[4] <= BROADCAST:
                return 7 + length if len(buffer) >= 7 + length else None
            del buffer[: len(HEAD)]


def _begun(buffer: bytearray) -> int:
    """Return how many of the last bytes may be the beginning of a head."""
    return next((n for n in (3, 2, 1) if buffer.endswith(HEAD[:n])), 0)


def _take_apart(whole: bytes) -> Packet:
    body = whole[7:-2]
    if _STUFFED in body:
        body = body.replace(_STUFFED, _MARK)
    return Packet(whole[4], body[0], body[1:])
