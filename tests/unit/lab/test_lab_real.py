"""The real arm's driver against an emulated bus: the same program, and what may go wrong.

Driver and bus share a virtual clock, so nothing here depends on how busy the machine is. The few
tests that are marked `realtime` talk through a pseudo-terminal, with all threads.
"""

import importlib.util
import runpy
import time
from pathlib import Path

import numpy as np
import pytest

# ruff: noqa: PT012  (a robot is used in a block, and what it raises comes out of that block)
pytest.importorskip("dynamixel_sdk", reason="needs the extra 'hardware'")

from mecano.bridge.dynamixel.arm import EmulatedArm
from mecano.core.clocks import VirtualClock
from mecano.core.errors import InvalidInput, MecanoError
from mecano.hardware.dynamixel.bus import Bus
from mecano.hardware.dynamixel.tables import HardwareError
from mecano.hardware.errors import (
    CableLost,
    NoAnswer,
    PortProblem,
    ServoFault,
    UnsafeCommand,
    WrongServo,
)
from mecano.lab.robot import Robot, connect
from mecano.record.recorder import Recorder
from mecano.record.recording import Recording

ARM = "open_manipulator_x"
EXAMPLE = Path(__file__).parents[3] / "examples" / "02_sim_or_real.py"


@pytest.fixture
def emulated():
    with EmulatedArm(ARM, scene="empty", clock=VirtualClock()) as arm:
        yield arm


@pytest.fixture
def on_a_terminal():
    """The same arm in real time."""
    with EmulatedArm(ARM, scene="empty", wire_time=False) as arm:
        yield arm


@pytest.fixture
def real(emulated):
    with connect(ARM, real=emulated.port, calibration=False) as robot:
        yield robot


def program():
    spec = importlib.util.spec_from_file_location("sim_or_real", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def until(condition, seconds: float = 60.0) -> bool:
    """Wait for something in real time, with patience for a busy machine."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def bank(robot: Robot):
    return robot.session.backend.bank  # pyright: ignore[reportAttributeAccessIssue]


# --- the same program


def test_the_same_program_runs_in_simulation_and_on_the_bus(real):
    with connect(ARM, scene="empty") as simulated:
        assert program()(simulated)
        there = simulated.arm.position
    assert program()(real)
    np.testing.assert_allclose(real.arm.position, there, atol=0.01)


@pytest.mark.parametrize("where", ["simulated", "on the bus"])
def test_the_identical_script_file_runs(emulated, monkeypatch, where):
    port = [] if where == "simulated" else [emulated.port]
    monkeypatch.setattr("sys.argv", [str(EXAMPLE), *port])
    monkeypatch.setenv("MECANO_CALIBRATION", "none")
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert ended.value.code == 0


def test_the_arm_is_where_its_encoders_say(real, emulated):
    assert real.arm.move_joints([0.3, -0.9, 0.7, 0.2]).reached  # pyright: ignore
    truth = [emulated.world.data.joint(f"{ARM}/joint{i}").qpos[0] for i in range(1, 5)]
    np.testing.assert_allclose(real.arm.position, truth, atol=0.006)


def test_nothing_moves_when_it_connects(emulated):
    with connect(ARM, real=emulated.port, calibration=False) as robot:
        first = bank(robot).goal.copy()
        robot.wait(0.3)
        np.testing.assert_allclose(bank(robot).goal, first, atol=1e-12)


def test_it_is_recorded_like_a_simulated_one(real, tmp_path):
    with Recorder(real, tmp_path / "run"):
        real.arm.move_joints([0.2, -0.9, 0.8, 0.1])
    joints = Recording.open(tmp_path / "run").joints[ARM]
    assert joints.names[-1] == "gripper"
    assert joints.real[-1, 0] == pytest.approx(0.2, abs=0.01)


def test_what_only_a_simulation_knows_is_refused(real):
    with pytest.raises(InvalidInput, match="simulation only"):
        real.truth.tool_pose()
    with pytest.raises(InvalidInput, match="cannot be set back"):
        real.reset()
    with pytest.raises(InvalidInput, match="takes positions"):
        real.arm.command_torque([0.0, 0.0, 0.0, 0.0])


# --- the guard


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        ([9.0, 0.0, 0.0, 0.0], "allowed"),
        ([float("nan"), 0.0, 0.0, 0.0], "finite"),
    ],
)
def test_a_goal_outside_the_limits_is_never_sent(real, goal, says):
    before = bank(real).goal.copy()
    with real.session.lock, pytest.raises(UnsafeCommand, match=says):
        bank(real).command(slice(0, 4), np.array(goal))
    np.testing.assert_array_equal(bank(real).goal, before)


def test_a_jump_is_never_sent(real):
    away = bank(real).goal[:4] + np.array([0.5, 0.0, 0.0, 0.0])
    with real.session.lock, pytest.raises(UnsafeCommand, match="in one tick"):
        bank(real).command(slice(0, 4), away)


def test_the_servos_know_the_limits_too(real, emulated):
    chain = real.arm.chain.dh
    servo = emulated.servos[12]
    assert servo.get("max_position_limit") == pytest.approx(
        2048 + chain.upper[1] * 4096 / (2 * np.pi), abs=2
    )


# --- the end


@pytest.mark.parametrize("limp", [False, True])
def test_it_ends_in_the_state_that_was_asked_for(emulated, limp):
    with connect(ARM, real=emulated.port, limp=limp, calibration=False):
        assert all(servo.get("torque_enable") for servo in emulated.servos.values())
    assert all(bool(s.get("torque_enable")) is not limp for s in emulated.servos.values())
    assert all(servo.get("bus_watchdog") == 0 for servo in emulated.servos.values())


def test_an_error_in_the_program_brakes_and_holds(emulated):
    with (
        pytest.raises(ZeroDivisionError),
        connect(ARM, real=emulated.port, calibration=False) as robot,
    ):
        robot.arm.move_joints([1.0, -0.8, 0.6, 0.3], wait=False)
        robot.wait(0.4)
        _ = 1 / 0
    assert all(servo.get("torque_enable") for servo in emulated.servos.values())
    emulated.advance(0.5)
    assert float(np.abs(emulated.world.data.qvel[:4]).max()) < 0.05


def test_a_program_that_is_held_up_finds_servos_that_stopped_by_themselves(emulated):
    robot = connect(ARM, real=emulated.port, calibration=False)
    robot.arm.move_joints([1.2, -0.8, 0.6, 0.3], speed=0.3, wait=False)
    robot.wait(0.5)
    emulated.advance(0.49)
    assert emulated.servos[11].get("bus_watchdog") > 0
    emulated.advance(0.02)
    assert emulated.servos[11].get("bus_watchdog") < 0
    with pytest.raises(ServoFault, match="stopped by itself"):
        robot.wait(30.0)
    robot.close()


def test_the_same_program_takes_the_same_time_to_the_last_bit():
    """On a virtual clock a run repeats, whatever else the machine does."""
    ends = []
    for _ in range(2):
        with (
            EmulatedArm(ARM, scene="empty", faults=["crc=0.02"], clock=VirtualClock()) as emulated,
            connect(ARM, real=emulated.port, calibration=False) as robot,
        ):
            assert robot.arm.move_joints([0.4, -0.9, 0.7, 0.2]).reached  # pyright: ignore
            ends.append((emulated.bus.clock.now(), robot.time, emulated.world.state_hash()))
    assert ends[0] == ends[1]


# --- in real time, with threads


@pytest.mark.realtime
def test_a_program_in_real_time_moves_the_arm_behind_a_terminal(on_a_terminal):
    with connect(ARM, real=on_a_terminal.port, calibration=False) as robot:
        assert robot.arm.move_joints([0.3, -0.9, 0.7, 0.2]).reached  # pyright: ignore
        np.testing.assert_allclose(robot.arm.position, [0.3, -0.9, 0.7, 0.2], atol=0.01)
    assert all(servo.get("torque_enable") for servo in on_a_terminal.servos.values())


@pytest.mark.realtime
def test_a_program_that_dies_leaves_servos_that_stop_by_themselves(on_a_terminal):
    robot = connect(ARM, real=on_a_terminal.port, calibration=False)
    robot.arm.move_joints([1.2, -0.8, 0.6, 0.3], speed=0.3, wait=False)
    robot.wait(0.5)
    robot.session.pace.pause()  # pyright: ignore  # as if it had been killed: no more commands
    assert until(lambda: on_a_terminal.servos[11].get("bus_watchdog") < 0)
    robot.session.pace.resume()  # pyright: ignore
    with pytest.raises(MecanoError):
        robot.wait(30.0)
    robot.close()


@pytest.mark.realtime
def test_a_cable_that_is_pulled_in_real_time_is_named(on_a_terminal):
    with (
        pytest.raises(CableLost, match="went away"),
        connect(ARM, real=on_a_terminal.port, calibration=False) as robot,
    ):
        motion = robot.arm.move_joints([1.2, -0.8, 0.6, 0.3], speed=0.3, wait=False)
        robot.wait(0.2)
        on_a_terminal.unplug()
        motion.wait()  # pyright: ignore[reportAttributeAccessIssue]


# --- faults


def test_a_pulled_cable_in_mid_motion_is_named_and_the_record_is_whole(emulated, tmp_path):
    at = 0.0
    with (
        pytest.raises(CableLost, match="went away"),
        connect(ARM, real=emulated.port, calibration=False) as robot,
        Recorder(robot, tmp_path / "run"),
    ):
        motion = robot.arm.move_joints([1.2, -0.8, 0.6, 0.3], speed=0.3, wait=False)
        robot.wait(0.5)
        at = robot.time
        emulated.unplug()
        motion.wait()  # pyright: ignore[reportAttributeAccessIssue]
    recording = Recording.open(tmp_path / "run")
    assert recording.times[-1] >= at - 0.05
    assert "went away" in (recording.result or {})["error"]


def test_a_dead_servo_is_named(emulated):
    with (
        pytest.raises(NoAnswer, match=r"13 \(joint3\)"),
        connect(ARM, real=emulated.port, calibration=False) as robot,
    ):
        robot.wait(0.2)
        emulated.faults.dead.add(13)
        robot.wait(30.0)


def test_an_overload_in_mid_motion_is_named(emulated):
    with (
        pytest.raises(ServoFault, match="load"),
        connect(ARM, real=emulated.port, calibration=False) as robot,
    ):
        robot.wait(0.2)
        emulated.servos[12].fail(HardwareError.OVERLOAD)
        robot.wait(30.0)


def test_lost_bytes_and_wrong_checksums_do_not_stop_a_motion():
    with (
        EmulatedArm(
            ARM,
            scene="empty",
            faults=["lost=0.0005", "crc=0.01"],
            seed=4,
            clock=VirtualClock(),
        ) as emulated,
        connect(ARM, real=emulated.port, calibration=False) as robot,
    ):
        assert robot.arm.move_joints([0.4, -0.9, 0.7, 0.2]).reached  # pyright: ignore


# --- connecting


def test_a_port_that_does_not_exist():
    with pytest.raises(PortProblem, match="there is no port"):
        connect(ARM, real="/dev/ttyNOWHERE")


def test_a_file_is_no_port(tmp_path):
    file = tmp_path / "port"
    file.write_text("")
    with pytest.raises(PortProblem, match="no serial port"):
        Bus(str(file))


def test_nobody_answers():
    with EmulatedArm(ARM, clock=VirtualClock()) as emulated:
        emulated.faults.dead.update(emulated.servos)
        with pytest.raises(NoAnswer, match="57600"):
            connect(ARM, real=emulated.port)


def test_another_speed_is_found():
    with (
        EmulatedArm(ARM, clock=VirtualClock(), baud=57_600) as emulated,
        pytest.raises(NoAnswer, match="answer at 57600"),
    ):
        connect(ARM, real=emulated.port)


def test_another_model_on_an_id(emulated):
    emulated.servos[12].memory[0:2] = (1060).to_bytes(2, "little")
    with pytest.raises(WrongServo, match="model 1060"):
        connect(ARM, real=emulated.port, calibration=False)


def test_a_robot_without_servos_has_no_port(emulated):
    with pytest.raises(InvalidInput, match="no servos"):
        connect("two_link", real=emulated.port)


# --- many faults


def test_ten_thousand_spoilt_transactions_neither_hang_nor_move_the_arm_out_of_its_limits():
    """Read and command through a bad line; every command that gets through is inside the limits."""
    faults = ["lost=0.002", "crc=0.02", "late=0.002"]
    clock = VirtualClock()
    with EmulatedArm(ARM, scene="empty", faults=faults, seed=7, clock=clock) as emulated:
        bus = Bus(emulated.port)
        servos = _patient_bank(bus)
        rng = np.random.default_rng(7)
        outcomes = {"done": 0, "refused": 0, "failed": 0}
        goals = []
        for _ in range(5_000):  # each asks once and tells once
            try:
                servos.sense()
                step = rng.normal(0.0, 0.01, 4) * (1.0 if rng.random() > 0.01 else 100.0)
                servos.command(slice(0, 4), servos.goal[:4] + step)
                servos.send()
                outcomes["done"] += 1
            except UnsafeCommand:
                outcomes["refused"] += 1
            except (NoAnswer, ServoFault):
                outcomes["failed"] += 1
            goals.append([emulated.servos[i].get("goal_position") for i in range(11, 15)])
        bus.close()
    angles = (np.array(goals) - 2048) * 2 * np.pi / 4096
    assert (angles >= servos.lower[:4] - 0.003).all() and (angles <= servos.upper[:4] + 0.003).all()
    assert outcomes["done"] > 4_000 and outcomes["refused"] > 10


def _patient_bank(bus: Bus):
    """Return a bank that holds, over a line on which even that may take several tries."""
    from mecano import robots
    from mecano.lab.real_robot import make_bank

    for _ in range(50):
        try:
            servos = make_bank(bus, robots.get(ARM))
            servos.power_up()
        except (NoAnswer, ServoFault):
            continue
        return servos
    raise AssertionError("the line is too bad to connect at all")
