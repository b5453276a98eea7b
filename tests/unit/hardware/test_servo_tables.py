"""Control tables: numbers of the manual, and conversions that come back."""

from math import pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput, UnknownName
from mecano.hardware.dynamixel.registers import Access
from mecano.hardware.dynamixel.tables import (
    BAUD_RATES,
    HARDWARE_ERRORS,
    STATUS_ERRORS,
    XM430_W350,
    HardwareError,
    StatusError,
    servo_model,
)

registers = st.sampled_from(XM430_W350.table)


def test_no_two_registers_overlap():
    ends = 0
    for register in sorted(XM430_W350.table, key=lambda each: each.address):
        assert register.address >= ends, register.name
        ends = register.end


@given(register=registers, data=st.data())
def test_a_register_decodes_what_it_encoded(register, data):
    raw = data.draw(st.integers(*register.range))
    assert register.decode(register.encode(raw)) == raw


@given(register=registers, data=st.data())
def test_a_value_comes_back_as_the_same_raw_number(register, data):
    raw = data.draw(st.integers(*register.range))
    assert register.raw(register.value(raw)) == raw


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("present_position", 2048, 0.0),
        ("present_position", 3072, pi / 2),
        ("goal_position", 0, -pi),
        ("present_velocity", -1, -0.229 * 2 * pi / 60),
        ("present_current", 200, 0.538),
        ("present_input_voltage", 120, 12.0),
        ("present_temperature", 31, 31.0),
        ("return_delay_time", 250, 500e-6),
        ("bus_watchdog", 50, 1.0),
        ("profile_acceleration", 1, 214.577 * 2 * pi / 3600),
        ("homing_offset", 1024, pi / 2),
    ],
)
def test_raw_numbers_mean_what_the_manual_says(name, raw, value):
    assert XM430_W350.register(name).value(raw) == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "address", "size", "default"),
    [
        ("model_number", 0, 2, 1020),
        ("id", 7, 1, 1),
        ("current_limit", 38, 2, 1193),
        ("velocity_limit", 44, 4, 350),
        ("shutdown", 63, 1, 52),
        ("torque_enable", 64, 1, 0),
        ("position_p_gain", 84, 2, 800),
        ("goal_position", 116, 4, 2048),
        ("present_temperature", 146, 1, 30),
        ("indirect_address_28", 222, 2, 251),
        ("indirect_data_56", 661, 1, 0),
    ],
)
def test_registers_lie_where_the_manual_has_them(name, address, size, default):
    register = XM430_W350.register(name)
    assert (register.address, register.size, register.default) == (address, size, default)


def test_negative_numbers_are_twos_complement_with_the_little_end_first():
    assert XM430_W350.register("goal_current").encode(-2) == b"\xfe\xff"


def test_eeprom_ends_where_the_torque_begins():
    assert all(each.eeprom == (each.address < 64) for each in XM430_W350.table)


def test_what_the_servo_measures_is_read_only():
    for register in XM430_W350.table:
        if register.name.startswith("present_"):
            assert register.access is Access.READ


def test_the_block_of_present_values_is_ten_bytes():
    assert XM430_W350.span("present_current", "present_position") == (126, 10)


def test_a_span_against_the_order_is_refused():
    with pytest.raises(InvalidInput, match="lies before"):
        XM430_W350.span("present_position", "goal_position")


def test_a_number_that_does_not_fit_names_the_register():
    with pytest.raises(InvalidInput, match=r"torque_enable is 256.*allowed \[0, 1\]"):
        XM430_W350.register("torque_enable").encode(256)


def test_an_unknown_register_is_guessed_at():
    with pytest.raises(UnknownName, match="did you mean 'goal_position'"):
        XM430_W350.register("goal_positon")


def test_an_unknown_model_lists_the_known_ones():
    with pytest.raises(UnknownName, match="1020 \\(XM430-W350\\)"):
        servo_model(9)
    assert servo_model(1020) is XM430_W350


def test_hardware_errors_are_told_in_words():
    both = HardwareError(0b100001)
    assert both.words == (
        HARDWARE_ERRORS[HardwareError.INPUT_VOLTAGE],
        HARDWARE_ERRORS[HardwareError.OVERLOAD],
    )
    assert (
        int(HardwareError.OVERLOAD | HardwareError.ELECTRICAL_SHOCK | HardwareError.OVERHEATING)
        == 52
    )


def test_every_status_error_has_words():
    assert set(STATUS_ERRORS) == set(StatusError)
    assert StatusError.ACCESS == 7 and "torque is on" in StatusError.ACCESS.words


def test_baud_codes():
    assert BAUD_RATES[3] == 1_000_000 and BAUD_RATES[1] == 57_600 and len(BAUD_RATES) == 8
