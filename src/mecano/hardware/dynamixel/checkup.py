"""Looking at everything on a port, without moving anything."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mecano.hardware.dynamixel.bank import LOWEST_VOLTAGE
from mecano.hardware.dynamixel.bus import BAUDS, Bus, Found
from mecano.hardware.dynamixel.tables import (
    BAUD_RATES,
    HARDWARE_ERRORS,
    SERVO_MODELS,
    XM430_W350,
    HardwareError,
)
from mecano.hardware.errors import NoAnswer, ServoFault
from mecano.robots.description import RobotDescription

VOLTAGE_FAULT = HARDWARE_ERRORS[HardwareError.INPUT_VOLTAGE]
NEARBY = range(0, 21)
"""Ids that are asked beside those of the robot: a new servo has id 1."""


@dataclass(frozen=True, kw_only=True)
class Patient:
    """One servo and how it is."""

    id: int
    joint: str | None
    """What it should move; None if nobody knows it."""
    model: str
    firmware: int
    baud: int
    voltage: float
    """[V]"""
    temperature: float
    """[degree Celsius]"""
    position: float
    """Angle of its horn, zero at the middle [rad]."""
    torque: bool
    """Whether its motor is on."""
    faults: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Checkup:
    """All servos on a port, and what is wrong, a sentence each with what to do."""

    port: str
    servos: tuple[Patient, ...]
    problems: tuple[str, ...]


def examine(
    port: str,
    robot: RobotDescription,
    *,
    everywhere: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Checkup:
    """Ask who is on a port.

    Args:
        port: Serial port.
        robot: Whose servos should be there.
        everywhere: Ask all ids at all speeds, not only likely ones.
        on_progress: Told of questions asked and in all.
    """
    wanted = {wire.id: wire.joint for wire in robot.wiring}
    ids = range(253) if everywhere else sorted({*wanted, *NEARBY})
    servos: list[Patient] = []
    garbled: dict[int, str] = {}
    for number, baud in enumerate(BAUDS):
        missing = set(wanted) - {servo.id for servo in servos} - set(garbled)
        if number and not missing and not everywhere:
            break  # all are found at the right speed
        asked = ids if everywhere or not number else sorted(missing)
        with Bus(port, baud=baud) as bus:
            found, noise = _scan(bus, asked, wanted, on_progress)
            servos += [_examined(bus, each, wanted) for each in found]
            garbled |= noise
    readable = {servo: joint for servo, joint in wanted.items() if servo not in garbled}
    problems = [*garbled.values(), *_problems(port, servos, readable)]
    return Checkup(
        port=port,
        servos=tuple(sorted(servos, key=lambda each: each.id)),
        problems=tuple(problems if servos or garbled else [_silence(port)]),
    )


def _scan(
    bus: Bus, ids: Sequence[int], wanted: dict[int, str], on_progress: Callable[[int, int], None]
) -> tuple[list[Found], dict[int, str]]:
    """Return who answers, and what is wrong with those whose answers cannot be read, by id."""
    found, garbled = [], {}
    for done, servo in enumerate(ids, 1):
        try:
            answer = bus.ping(servo, tries=3 if servo in wanted else 1)
        except (NoAnswer, ServoFault) as error:
            garbled[servo] = str(error)
            answer = None
        if answer is not None:
            found.append(answer)
        on_progress(done, len(ids))
    return found, garbled


def _examined(bus: Bus, found: Found, wanted: dict[int, str]) -> Patient:
    model = SERVO_MODELS.get(found.model)
    table = model or XM430_W350

    def read(name: str) -> float:
        register = table.register(name)
        raw = register.decode(bus.read(found.id, register.address, register.size))
        return register.value(raw)

    return Patient(
        id=found.id,
        joint=wanted.get(found.id),
        model=model.name if model else f"model {found.model}",
        firmware=found.firmware,
        baud=bus.baud,
        voltage=round(read("present_input_voltage"), 1),
        temperature=read("present_temperature"),
        position=round(read("present_position"), 6),
        torque=bool(read("torque_enable")),
        faults=HardwareError(int(read("hardware_error_status"))).words,
    )


def _silence(port: str) -> str:
    tried = ", ".join(map(str, BAUDS))
    return (
        f"nobody answers on {port} (tried {tried} bit/s): is the 12 V supply on, is it the right "
        "port?"
    )


def _problems(port: str, servos: list[Patient], wanted: dict[int, str]) -> list[str]:
    """Return what is wrong, with what to do."""
    there = {servo.id for servo in servos}
    problems = [
        f"no servo with id {servo} ({joint}): check its cable, or give a servo this id"
        for servo, joint in wanted.items()
        if servo not in there
    ]
    for servo in servos:
        name = f"id {servo.id}" + (f" ({servo.joint})" if servo.joint else "")
        if servo.joint is None:
            problems.append(f"{name} is not one of the robot's: a new servo has id 1, rename it")
        if servo.joint and servo.model != XM430_W350.name:
            problems.append(
                f"{name} is a {servo.model}, expected {XM430_W350.name}: put the right servo "
                "there, or give it another id"
            )
        if servo.baud != BAUDS[0]:
            problems.append(f"{name} speaks at {servo.baud} bit/s: mecano doctor {port} --set-baud")
        problems += [
            f"{name}: {fault}; take the load off, then: mecano doctor {port} --reboot {servo.id}"
            for fault in servo.faults
            if fault != VOLTAGE_FAULT
        ]
        if servo.voltage < LOWEST_VOLTAGE or VOLTAGE_FAULT in servo.faults:
            problems.append(
                f"{name} complains about its supply: {servo.voltage:.1f} V now, needs "
                f"{LOWEST_VOLTAGE} V or more: check it, then switch it off and on"
            )
    return problems


def set_speed(port: str, checkup: Checkup) -> list[int]:
    """Set servos of another speed to the usual one; return their ids."""
    code = next(code for code, rate in BAUD_RATES.items() if rate == BAUDS[0])
    register, torque = XM430_W350.register("baud_rate"), XM430_W350.register("torque_enable")
    changed = []
    for servo in checkup.servos:
        if servo.baud != BAUDS[0]:
            with Bus(port, baud=servo.baud) as bus:
                bus.write(servo.id, torque.address, torque.encode(0))  # its memory is locked else
                bus.write(servo.id, register.address, register.encode(code))
            changed.append(servo.id)
    return changed
