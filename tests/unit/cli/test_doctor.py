"""`mecano doctor`, and runs and the shell on a real port, against an emulated bus."""

import json
import os
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("dynamixel_sdk", reason="needs the extra 'hardware'")

from mecano.bridge.dynamixel.arm import EmulatedArm
from mecano.core.clocks import VirtualClock
from mecano.hardware.dynamixel.tables import HardwareError
from mecano.record.recording import Recording

ARM = "open_manipulator_x"


@pytest.fixture
def emulated(tmp_path, monkeypatch):
    monkeypatch.setenv("MECANO_CALIBRATION", str(tmp_path / "calibration"))
    with EmulatedArm(ARM, scene="empty", clock=VirtualClock()) as arm:
        yield arm


@pytest.fixture
def until(emulated):
    """Let time pass on the clock of the bus until something becomes true."""

    def wait(condition, seconds=5.0):
        assert emulated.bus.clock.wait_for(condition, seconds), "it did not happen"

    return wait


@pytest.fixture
def terminal():
    """A port of the operating system on which nobody is."""
    ends = os.openpty()
    yield os.ttyname(ends[1])
    for end in ends:
        os.close(end)


def test_a_healthy_arm(mecano, emulated):
    answer = mecano("doctor", emulated.port)
    assert answer.code == 0 and "all is well" in answer.out and "12.0 V" in answer.out


def test_json_has_all_servos(mecano, emulated):
    answer = mecano("doctor", emulated.port, "--json")
    servos = json.loads(answer.out)["servos"]
    assert [servo["joint"] for servo in servos] == [
        "joint1", "joint2", "joint3", "joint4", "gripper",
    ]  # fmt: skip


def test_a_missing_servo_and_a_fault_are_named(mecano, emulated):
    emulated.faults.dead.add(13)
    emulated.servos[12].fail(HardwareError.OVERLOAD)
    answer = mecano("doctor", emulated.port)
    assert answer.code == 1
    assert "no servo with id 13 (joint3)" in answer.out and "--reboot 12" in answer.out


def test_reboot_clears_a_fault(mecano, emulated):
    emulated.servos[12].fail(HardwareError.OVERLOAD)
    assert mecano("doctor", emulated.port, "--reboot", "12").code == 0
    assert emulated.servos[12].get("hardware_error_status") == 0


def test_another_speed_is_found_and_set(mecano):
    with EmulatedArm(ARM, clock=VirtualClock(), baud=57_600) as emulated:
        answer = mecano("doctor", emulated.port)
        assert answer.code == 1 and "57600 bit/s" in answer.out
        assert mecano("doctor", emulated.port, "--set-baud").code == 0
        assert all(servo.get("baud_rate") == 3 for servo in emulated.servos.values())


def test_no_such_port(mecano):
    answer = mecano("doctor", "/dev/ttyNOWHERE")
    assert answer.code == 2 and "there is no port" in answer.err


# --- what may be wrong when it begins


@pytest.fixture
def forbidden(monkeypatch):
    """Nobody may use a port, and ports belong to the group that they mostly belong to."""
    monkeypatch.setattr("os.access", lambda path, mode: False)
    monkeypatch.setattr("grp.getgrgid", lambda number: SimpleNamespace(gr_name="dialout"))


MOVES = "def run(robot):\n    return robot.arm.move_joints([0.1, -1.0, 1.0, 0.0]).reached\n"


@pytest.fixture
def run_is_refused(fails_cleanly, tmp_path):
    """Run a program on a port; expect one line with some words, and no run folder."""
    program = tmp_path / "moves.py"
    program.write_text(MOVES)

    def run(port, *says, code=1):
        folder = tmp_path / "run"
        fails_cleanly("run", program, "--real", port, "--record", folder, says=says, code=code)
        assert not folder.exists()

    return run


def test_no_such_port_for_a_run(run_is_refused):
    run_is_refused("/dev/ttyNOWHERE", "there is no port /dev/ttyNOWHERE", code=2)


def test_a_forbidden_port_names_the_group(fails_cleanly, run_is_refused, terminal, forbidden):
    fails_cleanly("doctor", terminal, says=("sudo usermod -aG dialout",))
    run_is_refused(terminal, "sudo usermod -aG dialout", code=2)


def test_silence_names_the_speeds_that_were_tried(mecano, run_is_refused, emulated):
    emulated.faults.dead.update(emulated.servos)
    answer = mecano("doctor", emulated.port)
    assert answer.code == 1 and "tried 1000000, 57600, 115200" in answer.out
    assert "12 V supply" in answer.out and "id 11" not in answer.out
    run_is_refused(emulated.port, "tried 1000000, 57600, 115200", "12 V supply")


def test_another_model_is_named(mecano, run_is_refused, emulated):
    emulated.servos[12].memory[0:2] = (1030).to_bytes(2, "little")
    answer = mecano("doctor", emulated.port)
    assert answer.code == 1 and "expected XM430-W350: put the right servo there" in answer.out
    run_is_refused(emulated.port, "id 12 (joint2) is model 1030", "put the right servo there")


def test_two_servos_on_one_id_are_named(mecano, run_is_refused, emulated):
    emulated.faults.happen("duplicate=13")
    answer = mecano("doctor", emulated.port)
    assert answer.code == 1 and "id 13 answers with garbage: two servos" in answer.out
    assert "no servo with id" not in answer.out
    run_is_refused(emulated.port, "id 13 answers with garbage: two servos", "unplug one")


def test_an_id_given_twice_is_missing_elsewhere(mecano, emulated):
    emulated.servos[12].set("id", 13)
    answer = mecano("doctor", emulated.port)
    assert answer.code == 1 and "id 13 answers with garbage: two servos" in answer.out
    assert "no servo with id 12 (joint2)" in answer.out
    assert "no servo with id 13" not in answer.out


def test_a_weak_supply_is_named(mecano, run_is_refused, emulated, until):
    emulated.faults.happen("voltage=8")
    until(lambda: all(servo.alert for servo in emulated.servos.values()))
    answer = mecano("doctor", emulated.port)
    assert answer.code == 1 and "8.0 V now, needs 9.5 V or more" in answer.out
    assert "--reboot" not in answer.out
    run_is_refused(emulated.port, "8.0 V now, needs 9.5 V or more", "power supply")


# --- what may happen in mid-motion

BREAKS = """
from emulated_arm import happen, robots

def run(robot):
    robots.append(robot)
    motion = robot.arm.move_joints([1.2, -0.8, 0.6, 0.3], speed=0.3, wait=False)
    robot.wait(0.7)
    happen()
    motion.wait()
    return True
"""


@pytest.fixture
def break_run(mecano, emulated, tmp_path, monkeypatch):
    """Run a recorded program in which something happens; return answer, robot and record."""
    program, folder = tmp_path / "breaks.py", tmp_path / "run"
    program.write_text(BREAKS)

    def run(happen):
        inside = SimpleNamespace(happen=happen, robots=[])
        monkeypatch.setitem(sys.modules, "emulated_arm", inside)
        answer = mecano("run", program, "--real", emulated.port, "--record", folder)
        return answer, inside.robots[0], Recording.read(folder)

    return run


@pytest.mark.parametrize(
    ("fault", "says", "released"),
    [
        ("unplug", ["went away", "Plug it in, and connect again"], set()),
        ("overload=12", ["id 12 (joint2)", "load", "--reboot 12"], {12}),
        ("voltage=8", [" V now, needs 9.5 V or more", "power supply"], set()),
        ("dead=13", ["id 13 (joint3)", "check its cable and power"], set()),
    ],
)
def test_a_run_is_recorded_up_to_the_tick_of_a_fault(emulated, break_run, fault, says, released):
    answer, robot, recording = break_run(lambda: emulated.faults.happen(fault))
    assert answer.code == 1 and "Traceback" not in answer.err
    assert all(word in answer.err and word in recording.result["error"] for word in says)
    assert recording.result["success"] is False
    assert recording.log_problem is None and not recording.notes
    tick = recording.header["tick_s"]
    assert 0.0 <= robot.time - recording.times[-1] <= 2.0 * tick + 1e-6
    assert {name for name, servo in emulated.servos.items() if not servo.torque} == released


def test_ctrl_c_in_a_run_leaves_the_arm_holding(emulated, break_run, until):
    import signal

    answer, _, recording = break_run(lambda: signal.raise_signal(signal.SIGINT))
    assert answer.code == 130
    assert recording.result["error"] == "stopped by the user"
    assert all(servo.torque for servo in emulated.servos.values())
    until(lambda: abs(emulated.world.data.joint(f"{ARM}/joint1").qvel[0]) < 0.01)


def test_an_error_of_the_program_leaves_the_arm_holding(emulated, break_run, until):
    answer, _, recording = break_run(lambda: 1 / 0)
    assert answer.code == 2 and "ZeroDivisionError" in recording.result["error"]
    assert all(servo.torque for servo in emulated.servos.values())
    until(lambda: abs(emulated.world.data.joint(f"{ARM}/joint1").qvel[0]) < 0.01)


# --- the shell


def test_the_shell_asks_before_a_large_motion(mecano, emulated, tmp_path):
    script = tmp_path / "moves.txt"
    script.write_text("joints 0.9 -0.9 0.9 0.1\n")
    answer = mecano("shell", ARM, "--real", emulated.port, "--script", str(script))
    assert answer.code == 1 and "nobody agreed" in answer.err


def test_the_shell_moves_the_arm_on_the_port(mecano, emulated, tmp_path):
    script = tmp_path / "moves.txt"
    script.write_text("joints 0.4 -0.9 0.9 0.1\nwhere\n")
    answer = mecano("shell", ARM, "--real", emulated.port, "--yes", "--script", str(script))
    assert answer.code == 0 and "reached" in answer.out
    assert emulated.world.data.joint(f"{ARM}/joint1").qpos[0] == pytest.approx(0.4, abs=0.02)
