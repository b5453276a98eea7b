"""An emulated bus, and the vendor's own library to talk to it."""

import time

import pytest

from mecano.bridge.dynamixel.arm import EmulatedArm
from mecano.bridge.dynamixel.bus import EmulatedBus
from mecano.bridge.dynamixel.servo import EmulatedServo
from mecano.bridge.dynamixel.terminal import Terminal


@pytest.fixture(scope="session")
def sdk():
    return pytest.importorskip("dynamixel_sdk", reason="needs the extra 'hardware'")


class Host:
    """A program on the other end of the cable, made with the vendor's library."""

    def __init__(self, sdk, port: str, baud: int = 1_000_000):
        self.sdk, self.packets = sdk, sdk.PacketHandler(2.0)
        self.port = sdk.PortHandler(port)
        self.port.baudrate = baud
        assert self.port.openPort()

    def close(self):
        self.port.closePort()

    def ping(self, servo):
        return self.packets.ping(self.port, servo)

    def read(self, servo, address, size):
        data, result, error = self._again(self.packets.readTxRx, servo, address, size)
        return bytes(data), result, error

    def write(self, servo, address, data):
        """Return the status error of the servo."""
        result, error = self._again(self.packets.writeTxRx, servo, address, len(data), list(data))
        assert result == self.sdk.COMM_SUCCESS, result
        return error

    def _again(self, ask, *arguments):
        """Ask up to five times: on a busy machine the library gives up before we can answer."""
        answer = ask(self.port, *arguments)
        for _ in range(4):
            if answer[-2] != self.sdk.COMM_RX_TIMEOUT:
                break
            answer = ask(self.port, *arguments)
        return answer


@pytest.fixture
def servos():
    """Three servos on a bus without an arm; they do not move."""
    return [EmulatedServo({"id": n, "baud_rate": 3, "return_delay_time": 0}) for n in (1, 2, 3)]


@pytest.fixture
def bus(servos):
    return EmulatedBus(servos)


@pytest.fixture
def terminal(bus):
    opened = Terminal(bus, wire_time=False)
    yield opened
    opened.close()


@pytest.fixture
def open_host(sdk):
    """Open ports with the vendor's library; they are closed after the test."""
    hosts = []

    def open_port(port, baud=1_000_000):
        hosts.append(Host(sdk, port, baud))
        return hosts[-1]

    yield open_port
    for host in hosts:
        host.close()


@pytest.fixture
def host(terminal, open_host):
    return open_host(terminal.port)


@pytest.fixture(scope="module")
def module_arm():
    with EmulatedArm(real_time=False, scene="empty") as arm:
        yield arm, arm.world.snapshot()


@pytest.fixture
def still_arm(module_arm):
    """A whole arm whose time stands still but for `advance`; its servos fresh from a reboot."""
    arm, initial = module_arm
    arm.world.restore(initial)
    for name, servo in arm.servos.items():
        servo.set("operating_mode", 5 if name == 15 else 3)
        servo.set("drive_mode", int(name == 15))
        servo.reboot(-1.0)
    arm.advance(0.004)
    return arm


@pytest.fixture
def until():
    """Wait for something to become true."""

    def wait(condition, timeout=30.0):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.002)

    return wait
