"""`mecano doctor`, and the shell on a real port, against an emulated bus."""

import json

import pytest

pytest.importorskip("dynamixel_sdk", reason="needs the extra 'hardware'")

from mecano.bridge.dynamixel.arm import EmulatedArm
from mecano.hardware.dynamixel.tables import HardwareError

ARM = "open_manipulator_x"


@pytest.fixture
def emulated():
    with EmulatedArm(ARM, scene="empty", wire_time=False) as arm:
        yield arm


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
    with EmulatedArm(ARM, wire_time=False, baud=57_600) as emulated:
        answer = mecano("doctor", emulated.port)
        assert answer.code == 1 and "57600 bit/s" in answer.out
        assert mecano("doctor", emulated.port, "--set-baud").code == 0
        assert all(servo.get("baud_rate") == 3 for servo in emulated.servos.values())


def test_no_such_port(mecano):
    answer = mecano("doctor", "/dev/ttyNOWHERE")
    assert answer.code == 2 and "there is no port" in answer.err


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
