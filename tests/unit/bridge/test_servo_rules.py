"""One emulated servo: what may be written when, and what else changes with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.bridge.dynamixel.servo import EmulatedServo
from mecano.hardware.dynamixel.tables import XM430_W350, HardwareError, StatusError

TABLE = XM430_W350.registers
WRITABLE = [each for each in XM430_W350.table if each.access == "RW"]


def write(servo: EmulatedServo, name: str, raw: int) -> int:
    return servo.write(TABLE[name].address, TABLE[name].encode(raw))


@pytest.fixture
def servo():
    return EmulatedServo()


def test_it_leaves_the_factory_with_the_numbers_of_the_manual(servo):
    assert {name: servo.get(name) for name in TABLE} == {
        name: register.default for name, register in TABLE.items()
    }


@given(address=st.integers(0, 700), data=st.binary(max_size=12))
def test_no_write_breaks_a_servo(address, data):
    servo = EmulatedServo()
    before = bytes(servo.memory)
    if servo.write(address, data):
        assert bytes(servo.memory) == before
    for register in WRITABLE:
        lowest, highest = register.range
        assert lowest <= servo.get(register.name) <= highest


@pytest.mark.parametrize("name", ["model_number", "present_position", "hardware_error_status"])
def test_what_is_read_only_stays(servo, name):
    assert write(servo, name, 5) == StatusError.ACCESS


def test_eeprom_is_locked_while_the_torque_is_on(servo):
    assert write(servo, "return_delay_time", 0) == 0
    assert write(servo, "torque_enable", 1) == 0
    assert write(servo, "return_delay_time", 9) == StatusError.ACCESS
    assert write(servo, "led", 1) == 0
    assert servo.get("return_delay_time") == 0


@pytest.mark.parametrize(
    ("name", "raw", "error"),
    [
        ("torque_enable", 2, StatusError.DATA_RANGE),
        ("operating_mode", 2, StatusError.DATA_RANGE),
        ("baud_rate", 8, StatusError.DATA_RANGE),
        ("goal_position", 4096, StatusError.DATA_LIMIT),
        ("goal_position", -1, StatusError.DATA_LIMIT),
        ("goal_current", 1194, StatusError.DATA_LIMIT),
        ("goal_velocity", -351, StatusError.DATA_LIMIT),
        ("goal_pwm", 886, StatusError.DATA_LIMIT),
        ("indirect_address_1", 700, StatusError.DATA_RANGE),
    ],
)
def test_numbers_outside_range_or_limit_are_refused(servo, name, raw, error):
    before = servo.get(name)
    assert write(servo, name, raw) == error
    assert servo.get(name) == before


def test_narrowed_limits_count(servo):
    assert write(servo, "max_position_limit", 3000) == 0
    assert write(servo, "goal_position", 3001) == StatusError.DATA_LIMIT
    assert write(servo, "goal_position", 3000) == 0


def test_extended_mode_knows_no_position_limit(servo):
    assert write(servo, "operating_mode", 4) == 0
    assert write(servo, "goal_position", 100_000) == 0


def test_too_few_bytes_are_a_length_error(servo):
    assert servo.write(TABLE["goal_position"].address, b"\0\0") == StatusError.DATA_LENGTH


@pytest.mark.parametrize("address", [14, 66, 117, 147, 9999])
def test_nothing_can_be_written_where_no_register_begins(servo, address):
    assert servo.write(address, b"\0") == StatusError.ACCESS


def test_neighbours_are_written_together_or_not_at_all(servo):
    start = TABLE["goal_velocity"].address
    good = b"".join(
        TABLE[name].encode(raw) for name, raw in [("goal_velocity", 7), ("profile_acceleration", 8)]
    )
    assert servo.write(start, good) == 0
    assert (servo.get("goal_velocity"), servo.get("profile_acceleration")) == (7, 8)
    bad = good[:4] + TABLE["profile_acceleration"].encode(40_000)
    bad = TABLE["goal_velocity"].encode(9) + bad[4:]
    assert servo.write(start, bad) == StatusError.DATA_RANGE
    assert servo.get("goal_velocity") == 7


def test_reading_past_the_table_is_refused(servo):
    assert servo.read(660, 4) == (StatusError.ACCESS, b"")
    assert servo.read(0, 147)[0] == 0


def test_indirect_data_show_other_registers(servo):
    for n, place in enumerate(range(132, 136), 1):
        assert write(servo, f"indirect_address_{n}", place) == 0
    servo.set("present_position", 1234)
    assert servo.read(224, 4) == (0, TABLE["present_position"].encode(1234))


def test_writing_indirect_data_writes_the_other_register(servo):
    for n, place in enumerate(range(116, 120), 29):
        assert write(servo, f"indirect_address_{n}", place) == 0
    assert servo.write(634, TABLE["goal_position"].encode(1000)) == 0
    assert servo.get("goal_position") == 1000


def test_switching_on_takes_over_where_the_horn_is(servo):
    servo.set("present_position", 1500)
    assert write(servo, "goal_position", 3000) == 0
    write(servo, "torque_enable", 1)
    assert servo.get("goal_position") == 1500


def test_a_new_mode_sets_gains_and_profile_back(servo):
    write(servo, "position_i_gain", 100)
    write(servo, "profile_velocity", 50)
    write(servo, "operating_mode", 5)
    assert servo.get("position_i_gain") == 0 and servo.get("profile_velocity") == 0
    assert servo.get("goal_current") == servo.get("current_limit")


def test_the_watchdog_runs_out_and_locks_the_goals(servo):
    write(servo, "torque_enable", 1)
    write(servo, "bus_watchdog", 5)
    servo.check_watchdog(0.099)
    assert not servo.stopped_by_watchdog
    servo.check_watchdog(0.101)
    assert servo.stopped_by_watchdog and servo.get("bus_watchdog") == -1
    assert write(servo, "goal_position", 2000) == StatusError.DATA_RANGE
    assert write(servo, "bus_watchdog", 0) == 0
    assert write(servo, "goal_position", 2000) == 0


def test_the_watchdog_sleeps_while_the_torque_is_off(servo):
    write(servo, "bus_watchdog", 5)
    servo.check_watchdog(10.0)
    assert not servo.stopped_by_watchdog


def test_a_shutdown_error_switches_off_until_a_reboot(servo):
    write(servo, "torque_enable", 1)
    servo.fail(HardwareError.OVERLOAD)
    assert not servo.torque and servo.alert
    write(servo, "torque_enable", 1)
    assert not servo.torque
    servo.reboot(0.0)
    assert not servo.alert
    write(servo, "torque_enable", 1)
    assert servo.torque


def test_an_error_outside_the_shutdown_mask_leaves_the_torque_on(servo):
    write(servo, "torque_enable", 1)
    servo.fail(HardwareError.INPUT_VOLTAGE)
    assert servo.torque and servo.alert


def test_a_reboot_keeps_the_eeprom_only(servo):
    write(servo, "return_delay_time", 7)
    write(servo, "led", 1)
    servo.reboot(0.0)
    assert servo.get("return_delay_time") == 7 and servo.get("led") == 0


@pytest.mark.parametrize(("scope", "id_after", "baud_after"), [(1, 9, 1), (2, 9, 3)])
def test_a_partial_factory_reset_keeps_the_id(scope, id_after, baud_after):
    servo = EmulatedServo({"id": 9, "baud_rate": 3, "return_delay_time": 0})
    assert servo.factory_reset(scope, 0.0) == 0
    assert servo.id == id_after and servo.get("baud_rate") == baud_after
    assert servo.get("return_delay_time") == 250


def test_a_complete_factory_reset_is_refused(servo):
    assert servo.factory_reset(255, 0.0) == StatusError.RESULT_FAIL


def test_staged_bytes_wait_for_the_action(servo):
    assert servo.stage(65, b"\1") == 0
    assert servo.get("led") == 0 and servo.get("registered_instruction") == 1
    assert servo.act() == 0
    assert servo.get("led") == 1 and servo.get("registered_instruction") == 0
    assert servo.act() == StatusError.RESULT_FAIL
