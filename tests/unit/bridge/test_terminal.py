"""The pseudo-terminal of an emulated bus, in real time: the vendor's library as it comes."""

import os
import termios
import time

import pytest

from mecano.bridge.dynamixel.arm import EmulatedArm
from mecano.bridge.dynamixel.bus import EmulatedBus
from mecano.bridge.dynamixel.servo import EmulatedServo
from mecano.bridge.dynamixel.terminal import Terminal
from mecano.core.errors import InvalidInput

PATIENCE = 60.0
"""How long something may take that is done at once on an idle machine [s]."""


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.002)


class Program:
    """A program that knows nothing of Mecano: the vendor's own port and packets."""

    def __init__(self, sdk, port: str, baud: int = 1_000_000):
        self.packets, self.port = sdk.PacketHandler(2.0), sdk.PortHandler(port)
        self.port.baudrate = baud
        assert self.port.openPort()

    def read(self, servo, address, size):
        """Ask until there is an answer: the library gives up after 34 ms."""
        data, result, error = [], -1, 0

        def answered():
            nonlocal data, result, error
            data, result, error = self.packets.readTxRx(self.port, servo, address, size)
            return result == 0

        until(answered)
        assert error == 0
        return bytes(data)

    def write(self, servo, address, data):
        """Write until it is confirmed."""
        until(
            lambda: (
                self.packets.writeTxRx(self.port, servo, address, len(data), list(data)) == (0, 0)
            )
        )


@pytest.fixture
def program(sdk):
    programs = []

    def opened(port, baud=1_000_000):
        programs.append(Program(sdk, port, baud))
        return programs[-1]

    yield opened
    for each in programs:
        each.port.closePort()


@pytest.fixture
def real_bus(servos):
    return EmulatedBus(servos)


@pytest.fixture
def terminal(real_bus):
    opened = Terminal(real_bus, wire_time=False)
    yield opened
    opened.close()


@pytest.mark.realtime
def test_a_program_of_the_vendors_library_reads_and_writes(terminal, program):
    host = program(terminal.port)
    host.write(1, 116, (1000).to_bytes(4, "little"))
    assert host.read(1, 116, 4) == (1000).to_bytes(4, "little")


@pytest.mark.realtime
def test_the_terminal_knows_the_speed_of_the_other_end(terminal, program, sdk):
    host = program(terminal.port, 57_600)
    assert host.packets.ping(host.port, 1)[1] == sdk.COMM_RX_TIMEOUT
    host.port.closePort()
    assert program(terminal.port).read(1, 0, 2) == b"\xfc\x03"


@pytest.mark.realtime
def test_bytes_take_their_time_in_a_terminal(program):
    slow = EmulatedServo({"id": 1, "baud_rate": 0, "return_delay_time": 254})
    port = Terminal(EmulatedBus([slow]), wire_time=True)
    try:
        host = program(port.port, 9_600)
        start = host.port.getCurrentTime()
        host.read(1, 0, 100)
        # 14 bytes there, 508 us, 111 bytes back; the last one the library need not wait for
        assert host.port.getCurrentTime() - start > (14 + 111 - 1) * 10 / 9.6 + 0.508
    finally:
        port.close()


def test_an_unplugged_terminal_is_an_error_to_who_has_it_open(terminal, program):
    serial = pytest.importorskip("serial", reason="needs the extra 'hardware'")
    host = program(terminal.port)
    terminal.unplug()
    with pytest.raises((serial.SerialException, OSError, termios.error)):
        host.packets.ping(host.port, 1)


@pytest.mark.realtime
def test_a_link_names_the_terminal_before_and_after(tmp_path, real_bus, program):
    link = tmp_path / "arm"
    port = Terminal(real_bus, wire_time=False, link=link)
    try:
        assert port.port == str(link)
        program(port.port)
        port.unplug()
        assert not link.exists() and not link.is_symlink()
        port.plug()
        program(port.port).read(1, 0, 2)
    finally:
        port.close()
    assert not os.path.lexists(link)


def test_a_link_never_replaces_a_file(tmp_path, real_bus):
    file = tmp_path / "precious"
    file.write_text("data")
    with pytest.raises(InvalidInput, match="no link"):
        Terminal(real_bus, link=file)
    assert file.read_text() == "data"


@pytest.mark.realtime
def test_a_whole_arm_in_real_time_reaches_its_goal_over_the_wire(program):
    with EmulatedArm(scene="empty") as arm:
        host = program(arm.port)
        host.write(11, 82, (100).to_bytes(2, "little"))
        host.write(11, 64, b"\1")
        host.write(11, 116, (2300).to_bytes(4, "little"))
        until(lambda: abs(int.from_bytes(host.read(11, 132, 4), "little") - 2300) <= 2)


@pytest.mark.realtime
def test_in_real_time_silence_stops_a_servo(program):
    with EmulatedArm(scene="empty", wire_time=False) as arm:
        host = program(arm.port)
        host.write(11, 64, b"\1")
        host.write(11, 98, bytes([5]))  # a tenth of a second
        until(lambda: arm.servos[11].stopped_by_watchdog)


@pytest.mark.realtime
def test_a_cable_comes_and_goes_by_plan_in_real_time(tmp_path, program):
    link = tmp_path / "arm"
    plan = ["unplug@0.2", "replug@0.4"]
    with EmulatedArm(faults=plan, wire_time=False, scene="empty", link=link) as arm:
        until(lambda: not link.exists())
        until(link.exists)
        assert program(arm.port).read(13, 0, 2) == b"\xfc\x03"
