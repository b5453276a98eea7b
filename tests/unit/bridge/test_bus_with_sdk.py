"""The emulated bus through the vendor's library, on a virtual clock."""

import pytest

from mecano.bridge.dynamixel.bus import EmulatedBus
from mecano.bridge.dynamixel.servo import REBOOT_TIME, EmulatedServo
from mecano.bridge.dynamixel.virtual_port import VirtualPort
from mecano.core.errors import InvalidInput
from mecano.hardware.dynamixel.protocol2 import Packet, Parser, build
from mecano.hardware.dynamixel.tables import HardwareError, StatusError
from mecano.hardware.errors import NoSuchPort, PortProblem
from mecano.hardware.ports import find_port


def answers(bus, packet, baud=1_000_000):
    """Return what the bus answers to a packet, taken apart."""
    return [p for answer in bus.handle(packet, baud) for p in Parser().feed(answer.data)]


def test_ping_tells_the_model(host):
    model, result, error = host.ping(2)
    assert (model, result, error) == (1020, 0, 0)


def test_nobody_answers_for_an_id_that_is_not_there(host, sdk):
    assert host.ping(9)[1] == sdk.COMM_RX_TIMEOUT


def test_broadcast_ping_finds_all(host):
    found, result = host.packets.broadcastPing(host.port)
    assert result == 0 and sorted(found) == [1, 2, 3]


def test_what_was_written_is_read_back(host):
    assert host.write(1, 116, (1000).to_bytes(4, "little")) == 0
    assert host.read(1, 116, 4) == ((1000).to_bytes(4, "little"), 0, 0)


def test_bytes_that_look_like_a_head_survive(host, servos):
    servos[0].set("goal_position", int.from_bytes(b"\xff\xff\xfd\x00", "little"))
    assert host.read(1, 116, 4)[0] == b"\xff\xff\xfd\x00"


def test_sync_write_reaches_all(host, sdk, servos):
    writer = sdk.GroupSyncWrite(host.port, host.packets, 116, 4)
    for n in (1, 2, 3):
        writer.addParam(n, list((1000 * n).to_bytes(4, "little")))
    assert writer.txPacket() == 0
    assert host.read(3, 116, 4)[0] == (3000).to_bytes(4, "little")  # it came after the write
    assert [servo.get("goal_position") for servo in servos] == [1000, 2000, 3000]


def test_sync_read_asks_all_at_once(host, sdk, servos):
    for n, servo in enumerate(servos):
        servo.set("present_position", 2000 + n)
    reader = sdk.GroupSyncRead(host.port, host.packets, 126, 10)
    for n in (3, 1, 2):
        reader.addParam(n)
    assert reader.txRxPacket() == 0
    assert [reader.getData(n, 132, 4) for n in (1, 2, 3)] == [2000, 2001, 2002]


def test_bulk_read_asks_each_for_something_else(host, sdk, servos):
    servos[1].set("present_temperature", 41)
    reader = sdk.GroupBulkRead(host.port, host.packets)
    reader.addParam(1, 132, 4)
    reader.addParam(2, 146, 1)
    assert reader.txRxPacket() == 0
    assert reader.getData(1, 132, 4) == 2048 and reader.getData(2, 146, 1) == 41


def test_bulk_write_tells_each_something_else(host, sdk, servos):
    writer = sdk.GroupBulkWrite(host.port, host.packets)
    writer.addParam(1, 116, 4, list((1111).to_bytes(4, "little")))
    writer.addParam(2, 65, 1, [1])
    assert writer.txPacket() == 0
    host.read(2, 65, 1)
    assert servos[0].get("goal_position") == 1111 and servos[1].get("led") == 1


def test_registered_writes_happen_at_the_action(host, servos):
    for n in (1, 2):
        assert host.packets.regWriteTxRx(host.port, n, 65, 1, [1])[1] == 0
    assert [servo.get("led") for servo in servos] == [0, 0, 0]
    host.packets.action(host.port, 254)
    host.read(2, 65, 1)
    assert [servo.get("led") for servo in servos] == [1, 1, 0]


def test_eeprom_lock_is_an_access_error(host):
    assert host.write(1, 64, b"\1") == 0
    assert host.write(1, 11, b"\5") == StatusError.ACCESS


def test_a_goal_outside_the_limits_is_a_limit_error(host):
    assert host.write(1, 116, (5000).to_bytes(4, "little")) == StatusError.DATA_LIMIT


def test_reading_outside_the_table_is_an_access_error(host):
    assert host.read(1, 1000, 4)[2] == StatusError.ACCESS


def test_answers_carry_the_alert_until_a_reboot(host, servos):
    servos[0].fail(HardwareError.OVERLOAD)
    assert host.read(1, 70, 1)[2] == 0x80
    host.packets.reboot(host.port, 1)
    assert host.ping(1)[1] != 0  # deaf while it starts anew
    host.clock.sleep(REBOOT_TIME)
    assert host.read(1, 70, 1) == (b"\0", 0, 0)


def test_a_new_id_is_confirmed_by_the_old_one(host):
    assert host.write(1, 7, bytes([42])) == 0
    assert host.read(42, 0, 2)[1] == 0


def test_factory_reset_keeps_the_id(host, servos):
    result, error = host.packets.factoryReset(host.port, 2, 2)
    assert (result, error) == (0, 0)
    assert servos[1].id == 2 and servos[1].get("return_delay_time") == 250


def test_an_unknown_instruction_is_refused(bus):
    (status,) = answers(bus, Packet(1, 0x33))
    assert isinstance(status, Packet) and status.error == StatusError.INSTRUCTION


def test_a_broken_packet_is_answered_with_a_crc_error(bus):
    broken = bytearray(build(Packet(1, 1)))
    broken[-1] ^= 1
    (packet,) = Parser().feed(bytes(broken))
    (status,) = answers(bus, packet)
    assert isinstance(status, Packet) and status.error == StatusError.CRC


@pytest.mark.parametrize(
    ("level", "pings", "reads", "writes"), [(0, 1, 0, 0), (1, 1, 1, 0), (2, 1, 1, 1)]
)
def test_status_return_level_says_who_is_answered(bus, servos, level, pings, reads, writes):
    servos[0].set("status_return_level", level)
    counts = [
        len(answers(bus, packet))
        for packet in (Packet(1, 1), Packet(1, 2, bytes([132, 0, 4, 0])), Packet(1, 3, b"\x41\0\1"))
    ]
    assert counts == [pings, reads, writes]
    assert servos[0].get("led") == 1


def test_nobody_answers_a_broadcast_write(bus, servos):
    assert answers(bus, Packet(254, 3, b"\x41\0\1")) == []
    assert [servo.get("led") for servo in servos] == [1, 1, 1]


def test_behind_a_silent_servo_all_are_silent(bus, servos):
    servos[1].dead = True
    found = answers(bus, Packet(254, 0x82, bytes([132, 0, 4, 0, 1, 2, 3])))
    assert [packet.id for packet in found] == [1]


def test_two_servos_with_one_id_garble_each_other(servos):
    servos[1].set("id", 1)
    bus = EmulatedBus(servos)
    found = answers(bus, Packet(1, 1))
    assert not [packet for packet in found if isinstance(packet, Packet)]


def test_return_delay_is_told_in_seconds(bus, servos):
    servos[0].set("return_delay_time", 250)
    (answer,) = bus.handle(Packet(1, 1), 1_000_000)
    assert answer.delay == pytest.approx(500e-6)


def test_at_the_wrong_speed_nobody_understands_anything(port, open_host, sdk):
    wrong = open_host(port.name, 57_600)
    assert wrong.ping(1)[1] == sdk.COMM_RX_TIMEOUT
    wrong.close()
    assert open_host(port.name, 1_000_000).read(1, 0, 2)[1] == 0


def test_a_servo_follows_its_new_speed(port, open_host):
    slow = open_host(port.name)
    assert slow.write(1, 8, bytes([4])) == 0
    slow.close()
    assert open_host(port.name, 2_000_000).read(1, 0, 2)[1] == 0


def test_bytes_take_their_time_on_the_wire(open_host, clock):
    slow = EmulatedServo({"id": 1, "baud_rate": 0, "return_delay_time": 254})
    port = VirtualPort(EmulatedBus([slow], clock=clock))
    host = open_host(port.name, 9_600)
    assert host.read(1, 0, 100)[1] == 0
    assert clock.now() == pytest.approx((14 + 111) * 10 / 9600 + 508e-6)  # there, pause, back
    port.close()


def test_an_unplugged_port_is_an_error_to_who_has_it_open(port, host):
    port.unplug()
    with pytest.raises(OSError, match="gone"):
        host.ping(1)
    with pytest.raises(NoSuchPort):
        find_port(port.name).open(1_000_000)


def test_a_port_that_is_plugged_in_again_has_its_name_and_needs_opening(port, host, open_host):
    port.unplug()
    port.plug()
    with pytest.raises(OSError, match="gone"):
        host.line.write(b"?")
    assert open_host(port.name).read(1, 0, 2)[1] == 0


def test_a_port_is_opened_by_one_program_only(port, host):
    with pytest.raises(PortProblem, match="in use"):
        port.open(1_000_000)
    host.close()
    port.open(1_000_000)


def test_two_ports_cannot_have_one_name(bus, port):
    with pytest.raises(InvalidInput, match="another name"):
        VirtualPort(bus, link=port.name)


def test_a_bus_in_real_time_has_no_virtual_port(servos):
    with pytest.raises(InvalidInput, match="virtual clock"):
        VirtualPort(EmulatedBus(servos))
