"""How fast the servos of an arm are read: one function per row.

The servos are emulated, in a process of their own, behind a pseudo-terminal that takes the time
bytes need on a real wire. The peer is that wire itself: nothing can be read faster over it.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from mecano import robots
from mecano.core.results import BenchRow
from mecano.hardware.dynamixel.bank import PRESENT, SERVO, ServoBank
from mecano.hardware.dynamixel.bus import Bus
from mecano.hardware.dynamixel.protocol2 import (
    BROADCAST,
    Instruction,
    Packet,
    build,
    build_status,
)
from mecano.lab.real_robot import make_bank

ARM = "open_manipulator_x"
BITS_PER_BYTE = 10
"""Start, eight, stop."""
READS = 100
ROUNDS = 20


def sync_read() -> BenchRow:
    """One read of position, velocity and current of 5 servos at once, at 1 Mbit/s."""
    with emulated_port() as port, Bus(port) as bus:
        servos = make_bank(bus, robots.get(ARM))
        servos.power_up()
        seconds = min(_round(servos) for _ in range(ROUNDS))
        least = wire_time(servos)
        servos.power_down(limp=True)
    return BenchRow(
        name="sync_read", value=1e3 * seconds, unit="ms",
        peer=f"the wire: {len(servos.ids)} servos, {bus.baud} bit/s", peer_value=1e3 * least,
        bar="value < 5 ms",
    )  # fmt: skip


ROWS = (sync_read,)


def _round(servos: ServoBank) -> float:
    """Return the mean time of a read in which every servo answered [s]."""
    whole, began = 0, perf_counter()
    for _ in range(READS):
        whole += len(servos.bus.sync_read(servos.ids, *PRESENT)) == len(servos.ids)
    return (perf_counter() - began) / max(whole, 1)


def wire_time(servos: ServoBank) -> float:
    """Return how long question and answers are on the wire, pauses of the servos included [s]."""
    address, size = PRESENT
    question = Packet(
        BROADCAST,
        Instruction.SYNC_READ,
        address.to_bytes(2, "little") + size.to_bytes(2, "little") + bytes(servos.ids),
    )
    answers = sum(len(build_status(servo, 0, bytes(size))) for servo in servos.ids)
    delay = SERVO.register("return_delay_time")
    pauses = [servos.bus.read(servo, delay.address, delay.size) for servo in servos.ids]
    return BITS_PER_BYTE * (len(build(question)) + answers) / servos.bus.baud + sum(
        2e-6 * delay.decode(pause) for pause in pauses
    )


@contextmanager
def emulated_port() -> Iterator[str]:
    """Emulate the arm in a process of its own; give its port."""
    with tempfile.TemporaryDirectory() as folder:
        link = str(Path(folder) / "arm")
        command = [sys.executable, "-m", "mecano", "emulate", ARM, "--scene", "empty"]
        emulator = subprocess.Popen(
            [*command, "--link", link], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            assert emulator.stdout is not None
            assert emulator.stdout.readline() == f"port: {link}\n", "the emulator did not start"
            yield link
        finally:
            emulator.terminate()
            emulator.wait()
