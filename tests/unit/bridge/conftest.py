"""An emulated bus, and the vendor's own library to talk to it, on one virtual clock."""

import pytest

from mecano.bridge.dynamixel.arm import EmulatedArm
from mecano.bridge.dynamixel.bus import EmulatedBus
from mecano.bridge.dynamixel.servo import EmulatedServo
from mecano.bridge.dynamixel.virtual_port import VirtualPort
from mecano.core.clocks import VirtualClock
from mecano.hardware.dynamixel.sdk_port import SdkPort
from mecano.hardware.ports import find_port


@pytest.fixture(scope="session")
def sdk():
    return pytest.importorskip("dynamixel_sdk", reason="needs the extra 'hardware'")


class Host:
    """A program on the other end of the cable, made with the vendor's packet handler."""

    def __init__(self, sdk, port: str, baud: int = 1_000_000):
        self.sdk, self.packets = sdk, sdk.PacketHandler(2.0)
        found = find_port(port)
        self.clock, self.line = found.clock, found.open(baud)
        self.port = SdkPort(self.line, found.clock, baud)

    def close(self):
        self.line.close()

    def ping(self, servo):
        return self.packets.ping(self.port, servo)

    def read(self, servo, address, size):
        data, result, error = self.packets.readTxRx(self.port, servo, address, size)
        return bytes(data), result, error

    def write(self, servo, address, data):
        """Return the status error of the servo."""
        result, error = self.packets.writeTxRx(self.port, servo, address, len(data), list(data))
        assert result == self.sdk.COMM_SUCCESS, result
        return error


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
def servos():
    """Three servos on a bus without an arm; they do not move."""
    return [EmulatedServo({"id": n, "baud_rate": 3, "return_delay_time": 0}) for n in (1, 2, 3)]


@pytest.fixture
def bus(servos, clock):
    return EmulatedBus(servos, clock=clock)


@pytest.fixture
def port(bus):
    plugged = VirtualPort(bus)
    yield plugged
    plugged.close()


@pytest.fixture
def open_host(sdk):
    """Open ports for the vendor's packet handler; they are closed after the test."""
    hosts = []

    def open_port(port, baud=1_000_000):
        hosts.append(Host(sdk, port, baud))
        return hosts[-1]

    yield open_port
    for host in hosts:
        host.close()


@pytest.fixture
def host(port, open_host):
    return open_host(port.name)


@pytest.fixture(scope="module")
def module_arm():
    with EmulatedArm(clock=VirtualClock(), scene="empty") as arm:
        yield arm, arm.world.snapshot()


@pytest.fixture
def still_arm(module_arm):
    """A whole arm on a silent bus; its servos fresh from a reboot."""
    arm, initial = module_arm
    arm.world.restore(initial)
    for name, servo in arm.servos.items():
        servo.set("operating_mode", 5 if name == 15 else 3)
        servo.set("drive_mode", int(name == 15))
        servo.reboot(-1.0)
    arm.advance(0.004)
    return arm
