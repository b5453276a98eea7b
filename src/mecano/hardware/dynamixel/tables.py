"""Control tables and codes of Dynamixel servos, as data.

Source: ROBOTIS e-manual, XM430-W350 (control table) and protocol 2.0 (status errors). Ranges that
the manual does not give are those of the register's size. A servo that speaks protocol 1.0 gets a
table of its own beside this one; nothing here depends on the protocol but `StatusError`.
"""

from enum import IntEnum, IntFlag
from math import pi

from mecano.core.errors import UnknownName
from mecano.hardware.dynamixel.registers import Access, Register, ServoModel

TICK = 2 * pi / 4096
"""One tick of the encoder [rad]."""
CENTRE = 2048
"""Tick at which the horn points straight."""
SPEED = 0.229 * 2 * pi / 60
"""Unit of velocities, 0.229 rev/min [rad/s]."""
ACCELERATION = 214.577 * 2 * pi / 3600
"""Unit of accelerations, 214.577 rev/min2 [rad/s2]."""
CURRENT = 2.69e-3
"""Unit of currents [A]."""
VOLTAGE = 0.1
"""Unit of voltages [V]."""
DUTY = 1 / 885
"""Unit of the pulse width: 885 is all of the voltage."""

BAUD_RATES = {
    0: 9_600,
    1: 57_600,
    2: 115_200,
    3: 1_000_000,
    4: 2_000_000,
    5: 3_000_000,
    6: 4_000_000,
    7: 4_500_000,
}
"""Bits per second by the code in register `baud_rate`."""


class OperatingMode(IntEnum):
    """What the goals of a servo mean."""

    CURRENT = 0
    VELOCITY = 1
    POSITION = 3
    EXTENDED_POSITION = 4
    CURRENT_BASED_POSITION = 5
    PWM = 16


class HardwareError(IntFlag):
    """Bits of register `hardware_error_status`; also those of the mask `shutdown`."""

    INPUT_VOLTAGE = 1
    OVERHEATING = 4
    ENCODER = 8
    ELECTRICAL_SHOCK = 16
    OVERLOAD = 32

    @property
    def words(self) -> tuple[str, ...]:
        """What is wrong, one phrase per bit."""
        return tuple(text for bit, text in HARDWARE_ERRORS.items() if bit & self)


HARDWARE_ERRORS = {
    HardwareError.INPUT_VOLTAGE: "the supply voltage is outside its limits",
    HardwareError.OVERHEATING: "the servo is too hot",
    HardwareError.ENCODER: "the encoder or the motor does not work",
    HardwareError.ELECTRICAL_SHOCK: "electrical shock, or too little power to run the motor",
    HardwareError.OVERLOAD: "the load was too high for too long",
}

ALERT = 0x80
"""Bit of a status error: look at `hardware_error_status`."""


class StatusError(IntEnum):
    """What a servo answers to an instruction it did not follow (protocol 2.0)."""

    NONE = 0
    RESULT_FAIL = 1
    INSTRUCTION = 2
    CRC = 3
    DATA_RANGE = 4
    DATA_LENGTH = 5
    DATA_LIMIT = 6
    ACCESS = 7

    @property
    def words(self) -> str:
        """What went wrong, as a phrase."""
        return STATUS_ERRORS[self]


STATUS_ERRORS = {
    StatusError.NONE: "done",
    StatusError.RESULT_FAIL: "the servo could not follow the instruction",
    StatusError.INSTRUCTION: "the servo does not know the instruction",
    StatusError.CRC: "the packet reached the servo with a wrong checksum",
    StatusError.DATA_RANGE: "the number is outside the range of the register",
    StatusError.DATA_LENGTH: "too few bytes for the register",
    StatusError.DATA_LIMIT: "the number is outside the limits set in the servo",
    StatusError.ACCESS: "the register cannot be written, or is locked while the torque is on",
}


def _eeprom(name: str, address: int, size: int, default: int, **more) -> Register:
    return Register(name=name, address=address, size=size, default=default, eeprom=True, **more)


def _ram(name: str, address: int, size: int, default: int = 0, **more) -> Register:
    return Register(name=name, address=address, size=size, default=default, **more)


def _present(name: str, address: int, size: int, default: int = 0, **more) -> Register:
    return _ram(name, address, size, default, access=Access.READ, **more)


def _indirect(first: int, count: int, addresses: int, data: int) -> tuple[Register, ...]:
    """Return registers that show others side by side, so that one read fetches them."""
    return (
        *(
            _ram(f"indirect_address_{first + i}", addresses + 2 * i, 2, data + i)
            for i in range(count)
        ),
        *(_ram(f"indirect_data_{first + i}", data + i, 1) for i in range(count)),
    )


_POSITION = {"signed": True, "unit": "rad", "factor": TICK, "origin": CENTRE}
_SPEED = {"signed": True, "unit": "rad/s", "factor": SPEED}
_CURRENT = {"signed": True, "unit": "A", "factor": CURRENT}
_DUTY = {"signed": True, "unit": "duty", "factor": DUTY}
_VOLTAGE = {"unit": "V", "factor": VOLTAGE}

X_TABLE = (
    _eeprom("model_number", 0, 2, 1020, access=Access.READ),
    _eeprom("model_information", 2, 4, 0, access=Access.READ),
    _eeprom("firmware_version", 6, 1, 45, access=Access.READ),
    _eeprom("id", 7, 1, 1, lowest=0, highest=252),
    _eeprom("baud_rate", 8, 1, 1, lowest=0, highest=7),
    _eeprom("return_delay_time", 9, 1, 250, unit="s", factor=2e-6, lowest=0, highest=254),
    _eeprom("drive_mode", 10, 1, 0, lowest=0, highest=13),
    _eeprom("operating_mode", 11, 1, 3, lowest=0, highest=16),
    _eeprom("secondary_id", 12, 1, 255),
    _eeprom("protocol_type", 13, 1, 2, lowest=1, highest=2),
    _eeprom(
        "homing_offset", 20, 4, 0, signed=True, unit="rad", factor=TICK,
        lowest=-1_044_479, highest=1_044_479,
    ),
    _eeprom("moving_threshold", 24, 4, 10, unit="rad/s", factor=SPEED, lowest=0, highest=1023),
    _eeprom("temperature_limit", 31, 1, 80, unit="degC", lowest=0, highest=100),
    _eeprom("max_voltage_limit", 32, 2, 160, lowest=95, highest=160, **_VOLTAGE),
    _eeprom("min_voltage_limit", 34, 2, 95, lowest=95, highest=160, **_VOLTAGE),
    _eeprom("pwm_limit", 36, 2, 885, unit="duty", factor=DUTY, lowest=0, highest=885),
    _eeprom("current_limit", 38, 2, 1193, unit="A", factor=CURRENT, lowest=0, highest=1193),
    _eeprom(
        "acceleration_limit", 40, 4, 32767, unit="rad/s2", factor=ACCELERATION,
        lowest=0, highest=32767,
    ),
    _eeprom("velocity_limit", 44, 4, 350, unit="rad/s", factor=SPEED, lowest=0, highest=1023),
    _eeprom("max_position_limit", 48, 4, 4095, lowest=0, highest=4095, **_POSITION),
    _eeprom("min_position_limit", 52, 4, 0, lowest=0, highest=4095, **_POSITION),
    _eeprom("shutdown", 63, 1, 52, lowest=0, highest=63),
    _ram("torque_enable", 64, 1, lowest=0, highest=1),
    _ram("led", 65, 1, lowest=0, highest=1),
    _ram("status_return_level", 68, 1, 2, lowest=0, highest=2),
    _present("registered_instruction", 69, 1),
    _present("hardware_error_status", 70, 1),
    _ram("velocity_i_gain", 76, 2, 1920, lowest=0, highest=16383),
    _ram("velocity_p_gain", 78, 2, 100, lowest=0, highest=16383),
    _ram("position_d_gain", 80, 2, 0, lowest=0, highest=16383),
    _ram("position_i_gain", 82, 2, 0, lowest=0, highest=16383),
    _ram("position_p_gain", 84, 2, 800, lowest=0, highest=16383),
    _ram("feedforward_2nd_gain", 88, 2, 0, lowest=0, highest=16383),
    _ram("feedforward_1st_gain", 90, 2, 0, lowest=0, highest=16383),
    # -1 reads as "it ran out"; 0 switches it off and clears that.
    _ram("bus_watchdog", 98, 1, signed=True, unit="s", factor=0.02, lowest=0, highest=127),
    _ram("goal_pwm", 100, 2, 885, **_DUTY),
    _ram("goal_current", 102, 2, 1193, **_CURRENT),
    _ram("goal_velocity", 104, 4, 0, **_SPEED),
    # Units in a profile by velocity; in one by time (drive mode, bit 2) both are milliseconds.
    _ram(
        "profile_acceleration", 108, 4, unit="rad/s2", factor=ACCELERATION,
        lowest=0, highest=32767,
    ),
    _ram("profile_velocity", 112, 4, unit="rad/s", factor=SPEED, lowest=0, highest=32767),
    _ram("goal_position", 116, 4, CENTRE, lowest=-1_048_575, highest=1_048_575, **_POSITION),
    _present("realtime_tick", 120, 2, unit="s", factor=0.001),
    _present("moving", 122, 1),
    _present("moving_status", 123, 1),
    _present("present_pwm", 124, 2, **_DUTY),
    _present("present_current", 126, 2, **_CURRENT),
    _present("present_velocity", 128, 4, **_SPEED),
    _present("present_position", 132, 4, CENTRE, **_POSITION),
    _present("velocity_trajectory", 136, 4, **_SPEED),
    _present("position_trajectory", 140, 4, CENTRE, **_POSITION),
    _present("present_input_voltage", 144, 2, 120, **_VOLTAGE),
    _present("present_temperature", 146, 1, 30, unit="degC"),
    *_indirect(1, 28, 168, 224),
    *_indirect(29, 28, 578, 634),
)  # fmt: skip

XM430_W350 = ServoModel(
    name="XM430-W350",
    number=1020,
    protocol=2,
    table=X_TABLE,
    stall_torque=4.1,  # at 12 V
    stall_current=2.3,
    idle_speed=46 * 2 * pi / 60,
    modes={mode.value: mode.name.lower().replace("_", " ") for mode in OperatingMode},
)

SERVO_MODELS = {model.number: model for model in (XM430_W350,)}
"""By the number that a ping answers."""


def servo_model(number: int) -> ServoModel:
    """Return the model with this number, or say which ones are known."""
    if number not in SERVO_MODELS:
        known = [f"{model.number} ({model.name})" for model in SERVO_MODELS.values()]
        raise UnknownName("servo model", str(number), known)
    return SERVO_MODELS[number]
