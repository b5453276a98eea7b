"""Everything that may go wrong with a real arm: the error, the way out, and how the arm is left."""

import os
from types import SimpleNamespace

import numpy as np
import pytest

# ruff: noqa: PT012  (a robot is used in a block, and what it raises comes out of that block)
pytest.importorskip("dynamixel_sdk", reason="needs the extra 'hardware'")

import mecano
from mecano.bridge.dynamixel.arm import EmulatedArm
from mecano.core.clocks import VirtualClock
from mecano.hardware.errors import (
    CableLost,
    GarbledAnswer,
    NoAnswer,
    NoSuchPort,
    Overloaded,
    PortForbidden,
    WrongServo,
    WrongVoltage,
)
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording

ARM = "open_manipulator_x"


@pytest.fixture
def emulated():
    with EmulatedArm(ARM, scene="empty", clock=VirtualClock()) as arm:
        yield arm


def connect(emulated: EmulatedArm, *, limp: bool = False) -> mecano.Robot:
    return mecano.connect(ARM, real=emulated.port, limp=limp, calibration=False)


def until(emulated: EmulatedArm, condition, seconds: float = 5.0) -> bool:
    """Let time pass on the clock of the bus."""
    clock = emulated.bus.clock
    assert isinstance(clock, VirtualClock)
    return clock.wait_for(condition, seconds)


def motors(emulated: EmulatedArm) -> dict[int, bool]:
    return {name: servo.torque for name, servo in emulated.servos.items()}


def turning(emulated: EmulatedArm) -> float:
    return abs(float(emulated.world.data.joint(f"{ARM}/joint1").qvel[0]))


# --- the port


def test_a_port_that_is_not_there_says_what_to_plug_in():
    with pytest.raises(NoSuchPort, match=r"no port /dev/ttyNOWHERE; (there are|.*plug it in)"):
        mecano.connect(ARM, real="/dev/ttyNOWHERE")


@pytest.fixture
def of_dialout(monkeypatch):
    """The group that serial ports belong to on most systems."""
    monkeypatch.setattr("grp.getgrgid", lambda number: SimpleNamespace(gr_name="dialout"))


@pytest.fixture
def terminal():
    """A port of the operating system on which nobody is."""
    ends = os.openpty()
    yield os.ttyname(ends[1])
    for end in ends:
        os.close(end)


def test_a_forbidden_port_names_the_group(terminal, of_dialout, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(PortForbidden, match=r"'dialout': sudo usermod -aG dialout \$USER"):
        mecano.connect(ARM, real=terminal)


def test_a_port_that_the_system_forbids_to_open_names_the_group(terminal, of_dialout, monkeypatch):
    import serial

    def forbidden(self):
        raise serial.SerialException(13, f"could not open port {self.port}: Permission denied")

    monkeypatch.setattr(serial.Serial, "open", forbidden)
    with pytest.raises(PortForbidden, match="sudo usermod -aG dialout"):
        mecano.connect(ARM, real=terminal)


# --- what is on it


def nobody(emulated):
    emulated.faults.dead.update(emulated.servos)


def another_model(emulated):
    emulated.servos[12].memory[0:2] = (1030).to_bytes(2, "little")


def one_too_many(emulated):
    emulated.faults.happen("duplicate=13")


def a_wrong_id(emulated):
    emulated.servos[12].set("id", 13)


def weak_supply(emulated):
    emulated.faults.happen("voltage=8")
    assert until(emulated, lambda: all(servo.alert for servo in emulated.servos.values()))


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        (nobody, NoAnswer, ["tried 1000000, 57600, 115200", "9600 bit/s", "12 V supply"]),
        (another_model, WrongServo, ["id 12 (joint2) is model 1030", "XM430-W350", "another id"]),
        (one_too_many, GarbledAnswer, ["id 13", "two servos", "unplug one", "own"]),
        (a_wrong_id, GarbledAnswer, ["id 13", "two servos", "unplug one", "own"]),
        (weak_supply, WrongVoltage, [" V now", "9.5 V or more", "power supply"]),
    ],
)
@pytest.mark.parametrize("on", [False, True], ids=["limp", "holding"])
def test_an_arm_that_is_refused_is_left_as_it_was(emulated, fault, error, says, on):
    for servo in emulated.servos.values():
        assert servo.write(64, bytes([on])) == 0
    fault(emulated)
    with pytest.raises(error) as raised:
        connect(emulated)
    assert all(word in str(raised.value) for word in says), raised.value
    assert set(motors(emulated).values()) == {on}


def test_an_arm_that_falls_silent_while_it_is_switched_on_does_not_hide_why(emulated, monkeypatch):
    def silent(bank):
        emulated.faults.dead.update(emulated.servos)
        bank.bus.read(11, 0, 2)

    monkeypatch.setattr("mecano.hardware.dynamixel.bank.ServoBank.power_up", silent)
    with pytest.raises(NoAnswer, match="reading 2 bytes"):
        connect(emulated)


# --- in mid-motion

MID_MOTION = [
    ("unplug", CableLost, ["went away", "Plug it in, and connect again"]),
    ("overload=12", Overloaded, ["id 12 (joint2)", "load", "--reboot 12"]),
    ("voltage=8", WrongVoltage, [" V now", "9.5 V or more", "power supply"]),
    ("dead=13", NoAnswer, ["id 13 (joint3)", "cable and power", "mecano doctor"]),
]


def break_in_mid_motion(emulated, fault, error, folder, *, limp: bool = False):
    """Let something go wrong while the arm moves and is recorded; return robot and message."""
    with (
        pytest.raises(error) as raised,
        connect(emulated, limp=limp) as robot,
        Recorder(robot, folder),
    ):
        motion = robot.arm.move_joints([1.2, -0.8, 0.6, 0.3], speed=0.3, wait=False)
        robot.wait(0.5)
        emulated.faults.happen(fault)
        motion.wait()  # pyright: ignore[reportAttributeAccessIssue]
    return robot, str(raised.value)


@pytest.mark.parametrize(("fault", "error", "says"), MID_MOTION)
def test_a_fault_in_mid_motion_is_named_and_recorded(emulated, tmp_path, fault, error, says):
    robot, message = break_in_mid_motion(emulated, fault, error, tmp_path / "run")
    assert all(word in message for word in says), message
    recording, tick = Recording.read(tmp_path / "run"), robot.session.backend.tick
    assert recording.log_problem is None and not recording.notes
    assert (recording.result or {})["error"] == message
    assert 0.0 <= robot.time - recording.times[-1] <= 2.0 * tick + 1e-6  # the tick of the fault
    assert np.diff(recording.times).max() <= 2.0 * tick + 1e-6


@pytest.mark.parametrize("limp", [False, True])
def test_a_pulled_cable_leaves_servos_that_stop_and_hold(emulated, tmp_path, limp):
    break_in_mid_motion(emulated, "unplug", CableLost, tmp_path / "run", limp=limp)
    assert until(
        emulated, lambda: all(servo.stopped_by_watchdog for servo in emulated.servos.values())
    )
    assert until(emulated, lambda: turning(emulated) < 0.01)
    assert all(motors(emulated).values())


def test_after_a_pulled_cable_the_arm_is_there_again(emulated, tmp_path):
    break_in_mid_motion(emulated, "unplug", CableLost, tmp_path / "run")
    emulated.replug()
    with connect(emulated) as robot:
        assert robot.arm.move_joints([0.1, -0.9, 0.7, 0.2]).reached  # pyright: ignore


@pytest.mark.parametrize("limp", [False, True])
def test_an_overloaded_servo_lets_go_and_the_others_do_as_asked(emulated, tmp_path, limp):
    break_in_mid_motion(emulated, "overload=12", Overloaded, tmp_path / "run", limp=limp)
    assert motors(emulated) == {name: name != 12 and not limp for name in emulated.servos}
    assert all(servo.get("bus_watchdog") == 0 for servo in emulated.servos.values())


def test_an_overload_is_seen_in_the_answers_not_only_at_the_next_look(emulated):
    with pytest.raises(Overloaded), connect(emulated) as robot:
        bank = robot.session.backend.bank  # pyright: ignore[reportAttributeAccessIssue]
        bank._next_health = np.inf
        emulated.faults.happen("overload=12")
        robot.wait(30.0)


@pytest.mark.parametrize("limp", [False, True])
def test_a_weak_supply_in_mid_motion_ends_as_asked(emulated, tmp_path, limp):
    break_in_mid_motion(emulated, "voltage=8", WrongVoltage, tmp_path / "run", limp=limp)
    assert set(motors(emulated).values()) == {not limp}


@pytest.mark.parametrize("limp", [False, True])
def test_a_silent_servo_is_no_reason_to_forget_the_others(emulated, tmp_path, limp):
    break_in_mid_motion(emulated, "dead=13", NoAnswer, tmp_path / "run", limp=limp)
    assert until(emulated, lambda: emulated.servos[13].stopped_by_watchdog)
    assert motors(emulated) == {name: name == 13 or not limp for name in emulated.servos}
    others = [servo for name, servo in emulated.servos.items() if name != 13]
    assert all(servo.get("bus_watchdog") == 0 for servo in others)


def test_connecting_again_does_not_let_go_of_an_arm_that_holds(emulated, monkeypatch):
    connect(emulated).close()
    let_go, write = [], emulated.servos[12].write

    def noted(address, data):
        let_go.extend([address] if (address, data) == (64, b"\0") else [])
        return write(address, data)

    monkeypatch.setattr(emulated.servos[12], "write", noted)
    with connect(emulated):
        assert emulated.servos[12].torque and not let_go


# --- the program


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("limp", [False, True])
def test_a_program_that_breaks_off_leaves_the_arm_as_asked(emulated, error, limp):
    with pytest.raises(error), connect(emulated, limp=limp) as robot:
        robot.arm.move_joints([1.2, -0.8, 0.6, 0.3], speed=0.3, wait=False)
        robot.wait(0.5)
        raise error
    assert set(motors(emulated).values()) == {not limp}
    assert limp or until(emulated, lambda: turning(emulated) < 0.01)
