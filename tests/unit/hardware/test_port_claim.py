"""One program per port, and late answers that are not believed."""

import os
import subprocess
import sys

import pytest

from mecano.bridge.dynamixel import EmulatedArm
from mecano.core.clocks import VirtualClock
from mecano.hardware.dynamixel.bus import Bus
from mecano.hardware.errors import NoAnswer, PortProblem
from mecano.hardware.ports import IN_PROCESS


@pytest.fixture
def terminal():
    """A port of the operating system on which nobody is."""
    ends = os.openpty()
    yield os.ttyname(ends[1])
    for end in ends:
        os.close(end)


@pytest.fixture
def emulated():
    with EmulatedArm("open_manipulator_x", clock=VirtualClock()) as arm:
        yield arm


def test_a_port_in_use_is_refused_and_its_user_named(terminal):
    with Bus(terminal), pytest.raises(PortProblem, match=r"in use by .*\(pid \d+\)"):
        Bus(terminal)


def test_a_port_that_was_closed_is_free_again(terminal):
    for _ in range(3):
        Bus(terminal).close()


def test_closing_twice_is_closing_once(terminal):
    bus = Bus(terminal)
    bus.close()
    bus.close()
    Bus(terminal).close()


def test_an_impossible_speed_leaves_the_port_free(terminal):
    with pytest.raises(PortProblem, match="-5 bit/s"):
        Bus(terminal, baud=-5)
    Bus(terminal).close()


def test_a_program_that_was_killed_leaves_the_port_free(terminal):
    program = (
        "import sys\nfrom mecano.hardware.dynamixel.bus import Bus\n"
        "bus = Bus(sys.argv[1])\nprint('open', flush=True)\nsys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program, terminal],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None and other.stdout.readline() == "open\n"
    with pytest.raises(PortProblem, match=f"pid {other.pid}"):
        Bus(terminal)
    other.kill()
    other.communicate()
    Bus(terminal).close()


def test_a_late_answer_is_not_taken_for_that_to_the_next_question(emulated):
    emulated.faults.late = 0.3
    wrong = 0
    with Bus(emulated.port) as bus:
        for _ in range(40):
            try:
                voltage = int.from_bytes(bus.read(11, 144, 2), "little")
                temperature = bus.read(12, 146, 1)[0]
            except NoAnswer:
                continue
            wrong += not (110 <= voltage <= 130 and 20 <= temperature <= 60)
    assert wrong == 0


def test_a_bus_takes_a_port_or_its_name(emulated):
    port = IN_PROCESS[emulated.port]
    with Bus(port) as bus:
        assert bus.port == emulated.port and bus.ping(11) is not None
    with Bus(emulated.port) as bus:
        assert bus.clock is port.clock and bus.ping(11) is not None


def test_starting_a_servo_anew_that_is_not_there_is_no_success(emulated):
    with Bus(emulated.port) as bus, pytest.raises(NoAnswer, match="id 99"):
        bus.reboot(99)
