"""Packets of protocol 2.0: laws, the manual's examples, and the vendor's library as witness."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput
from mecano.hardware.dynamixel.protocol2 import (
    Instruction,
    Packet,
    Parser,
    WrongCrc,
    build,
    build_status,
    crc16,
)

# Payloads made of what is hard: heads, half heads and stuffed bytes.
pieces = st.sampled_from([b"\xff", b"\xfd", b"\x00", b"\xff\xff\xfd", b"\xff\xff\xfd\x00"])
payloads = st.lists(pieces | st.binary(max_size=4), max_size=12).map(b"".join)
packets = st.builds(
    Packet,
    id=st.integers(0, 252) | st.just(254),
    instruction=st.sampled_from(list(Instruction)).map(int),
    parameters=payloads,
)


def parse(data: bytes) -> list[Packet | WrongCrc]:
    return list(Parser().feed(data))


@given(packet=packets)
@example(packet=Packet(1, 3, b"\xff\xff\xfd\xff\xff\xfd\xfd\xff\xff\xfd\x00"))
def test_parsing_what_was_built_gives_the_packet(packet):
    assert parse(build(packet)) == [packet]


@given(packet=packets)
def test_no_head_occurs_inside_a_packet(packet):
    assert build(packet)[4:].find(b"\xff\xff\xfd\x00", 0, -2) < 0


@given(several=st.lists(packets, max_size=4), data=st.data())
def test_packets_may_come_in_any_pieces(several, data):
    stream = b"".join(map(build, several))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    parser, found = Parser(), []
    for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += parser.feed(stream[start:stop])
    assert found == several


garbage = st.binary(max_size=12).filter(lambda data: b"\xff\xff\xfd" not in data)


@given(several=st.lists(st.tuples(garbage, packets), max_size=4))
def test_packets_are_found_between_garbage(several):
    stream = b"".join(noise + build(packet) for noise, packet in several)
    assert parse(stream) == [packet for _, packet in several]


@given(packet=packets, after=packets, data=st.data())
def test_a_flipped_bit_behind_the_length_is_a_wrong_crc(packet, after, data):
    good = build(packet)
    place = data.draw(st.integers(7, len(good) - 1))
    bad = bytearray(good)
    bad[place] ^= 1 << data.draw(st.integers(0, 7))
    found = parse(bytes(bad) + build(after))
    assert isinstance(found[0], WrongCrc) and found[0].id == packet.id
    assert found[-1] == after


@given(packet=packets, after=packets, data=st.data())
def test_a_lost_byte_costs_no_packet_but_its_own(packet, after, data):
    good = build(packet)
    place = data.draw(st.integers(0, len(good) - 1))
    # a lost byte of the length may wait for more than the next packet brings
    found = parse(good[:place] + good[place + 1 :] + build(after) + bytes(5000))
    assert after in found


def test_garbage_without_end_is_not_kept():
    parser = Parser()
    for _ in range(100):
        assert list(parser.feed(bytes(range(256)))) == []
    assert len(parser._buffer) < 4


@pytest.mark.parametrize(
    ("packet", "wire"),
    [
        (Packet(1, Instruction.PING), "FF FF FD 00 01 03 00 01 19 4E"),
        (
            Packet(1, Instruction.STATUS, bytes([0, 0x06, 0x04, 0x26])),
            "FF FF FD 00 01 07 00 55 00 06 04 26 65 5D",
        ),
        (
            Packet(1, Instruction.READ, bytes([0x84, 0, 4, 0])),
            "FF FF FD 00 01 07 00 02 84 00 04 00 1D 15",
        ),
        (
            Packet(1, Instruction.WRITE, bytes([0x74, 0, 0, 2, 0, 0])),
            "FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89",
        ),
    ],
)
def test_examples_of_the_manual(packet, wire):
    assert build(packet) == bytes.fromhex(wire)
    assert parse(bytes.fromhex(wire)) == [packet]


def test_a_status_carries_its_error_before_its_data():
    (status,) = parse(build_status(7, 0x84, b"ab"))
    assert isinstance(status, Packet)
    assert status.is_status and status.error == 0x84 and status.data == b"ab"


@pytest.mark.parametrize("wrong", [-1, 255])
def test_an_impossible_id_is_refused(wrong):
    with pytest.raises(InvalidInput, match="allowed 0 to 252"):
        build(Packet(wrong, Instruction.PING))


def test_a_packet_may_not_be_endless():
    with pytest.raises(InvalidInput, match="too long"):
        build(Packet(1, Instruction.WRITE, bytes(5000)))


@given(packet=packets)
def test_the_vendors_library_builds_the_same_bytes(packet):
    # Its `addStuffing` and `updateCRC`; its `txPacket` (4.1.0) throws the stuffed bytes away.
    sdk = pytest.importorskip("dynamixel_sdk", reason="needs the extra 'hardware'")
    handler, length = sdk.PacketHandler(2.0), len(packet.parameters) + 3
    head = [0xFF, 0xFF, 0xFD, 0, packet.id, length & 255, length >> 8, packet.instruction]
    wire = handler.addStuffing([*head, *packet.parameters, 0, 0])[:-2]
    crc = handler.updateCRC(0, wire, len(wire))
    assert build(packet) == bytes([*wire, crc & 255, crc >> 8])


@given(data=st.binary(max_size=64))
def test_the_vendors_library_has_the_same_checksum(data):
    sdk = pytest.importorskip("dynamixel_sdk", reason="needs the extra 'hardware'")
    assert sdk.PacketHandler(2.0).updateCRC(0, data, len(data)) == crc16(data)
