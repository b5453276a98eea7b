"""One emulated servo: the memory of its registers and the rules by which it lets them be written.

It knows no physics. Whoever moves it reads the goals here and writes what the encoder sees.
One thread may talk to it and another move it: each touches whole registers, in one step.
"""

from collections.abc import Mapping
from struct import Struct

from mecano.hardware.dynamixel.registers import Access, Register, ServoModel
from mecano.hardware.dynamixel.tables import (
    ALERT,
    XM430_W350,
    HardwareError,
    OperatingMode,
    StatusError,
)

EEPROM_END = 64
"""Where the registers begin that are lost without power."""
GOALS = {"goal_pwm", "goal_current", "goal_velocity", "goal_position"}
LIMITED_BY = {
    "goal_pwm": "pwm_limit",
    "goal_current": "current_limit",
    "goal_velocity": "velocity_limit",
}
MEASURED = (
    "realtime_tick", "moving", "moving_status", "present_pwm", "present_current",
    "present_velocity", "present_position", "velocity_trajectory", "position_trajectory",
    "present_input_voltage", "present_temperature",
)  # fmt: skip
"""Registers that lie side by side and change all the time."""
RAN_OUT = -1
"""What the watchdog reads after it ran out."""
REBOOT_TIME = 0.1
"""A servo that starts anew is deaf for this long [s] (EST)."""


def _reader(*registers: Register) -> Struct:
    """Return what packs and unpacks neighbouring registers."""
    codes = {1: "b", 2: "h", 4: "i"}
    letters = (codes[r.size] if r.signed else codes[r.size].upper() for r in registers)
    return Struct("<" + "".join(letters))


class EmulatedServo:
    """A servo on the bus."""

    def __init__(
        self, settings: Mapping[str, int] | None = None, *, model: ServoModel = XM430_W350
    ) -> None:
        """Take it out of the box, with some registers set: raw numbers by name."""
        self.model = model
        self.memory = bytearray(model.size)
        self._readers = {each.name: (_reader(each), each.address) for each in model.table}
        for register in model.table:
            self.set(register.name, register.default)
        for name, raw in (settings or {}).items():
            self.set(name, raw)
        self.goals = 0
        """How many goals were written; a new profile begins with each."""
        self.dead = False
        """True if it has no power or a broken cable."""
        self.deaf_until = 0.0
        """It starts anew until then, on the clock of the bus [s]."""
        measured = [model.register(name) for name in MEASURED]
        self._measured, self._measured_at = _reader(*measured), measured[0].address
        self._staged: tuple[int, bytes] | None = None
        self._by_address = {register.address: register for register in model.table}
        self._pointers = {
            model.registers[f"indirect_data_{n}"].address: f"indirect_address_{n}"
            for n in range(1, 57)
            if f"indirect_data_{n}" in model.registers
        }
        self._plain = min(self._pointers, default=model.size)

    # --- registers by name, for the inside of the servo

    def get(self, name: str) -> int:
        """Return the raw number of a register."""
        reader, address = self._readers[name]
        return reader.unpack_from(self.memory, address)[0]

    def show(self, numbers: tuple[int, ...]) -> None:
        """Write what the servo measures, `MEASURED`, in one piece: nobody reads half of it."""
        self._measured.pack_into(self.memory, self._measured_at, *numbers)

    def set(self, name: str, raw: int) -> None:
        """Write a register past all rules."""
        register = self.model.register(name)
        self.memory[register.address : register.end] = register.encode(raw)

    @property
    def id(self) -> int:
        """Its address on the bus."""
        return self.memory[self.model.registers["id"].address]

    @property
    def torque(self) -> bool:
        """True while the motor is on."""
        return bool(self.get("torque_enable"))

    @property
    def alert(self) -> int:
        """The bit that every answer carries while there is a hardware error."""
        return ALERT if self.get("hardware_error_status") else 0

    @property
    def stopped_by_watchdog(self) -> bool:
        """True after the bus was silent for too long, until the watchdog is cleared."""
        return self.get("bus_watchdog") == RAN_OUT

    def fail(self, error: HardwareError) -> None:
        """Report a hardware error; the motor goes off if the shutdown mask names it."""
        self.set("hardware_error_status", self.get("hardware_error_status") | error)
        if error & self.get("shutdown"):
            self.set("torque_enable", 0)

    def check_watchdog(self, silence: float) -> None:
        """Stop if the bus was silent for longer than the watchdog allows [s]."""
        limit = self.get("bus_watchdog")
        if limit > 0 and self.torque and silence > 0.02 * limit:
            self.set("bus_watchdog", RAN_OUT)

    # --- instructions

    def read(self, address: int, size: int) -> tuple[int, bytes]:
        """Return status error and bytes of the table; gaps between registers read as zero."""
        end = address + size
        if size == 0 or end > self.model.size:
            return StatusError.ACCESS, b""
        if end <= self._plain:
            return StatusError.NONE, bytes(self.memory[address:end])
        return StatusError.NONE, bytes(self.memory[a] for a in self._places(address, size))

    def write(self, address: int, data: bytes) -> int:
        """Write bytes into the table, all or none; return the status error."""
        if not data or address + len(data) > self.model.size:
            return StatusError.ACCESS
        changes, error = self._registers(self._places(address, len(data)), data)
        error = error or next(filter(None, (self._refusal(*each) for each in changes)), 0)
        if not error:
            for register, raw in changes:
                self._change(register, raw)
        return error

    def stage(self, address: int, data: bytes) -> int:
        """Keep bytes until `act`; return the status error."""
        if not data or address + len(data) > self.model.size:
            return StatusError.ACCESS
        self._staged = (address, data)
        self.set("registered_instruction", 1)
        return StatusError.NONE

    def act(self) -> int:
        """Write what was staged; return the status error."""
        staged, self._staged = self._staged, None
        self.set("registered_instruction", 0)
        return self.write(*staged) if staged else StatusError.RESULT_FAIL

    def reboot(self, now: float) -> None:
        """Start anew: what is not in the EEPROM is lost, hardware errors are cleared."""
        present = self.get("present_position")
        for register in self.model.table:
            if register.address >= EEPROM_END:
                self.set(register.name, register.default)
        self.set("present_position", present)
        self.set("goal_position", present)
        self._staged = None
        self.deaf_until = now + REBOOT_TIME

    def factory_reset(self, scope: int, now: float) -> int:
        """Set all but the id (1), or all but id and baud rate (2), as it left the factory.

        To reset everything (255) is refused: several servos would end up with id 1.
        """
        if scope not in (1, 2) or self.torque:
            return StatusError.RESULT_FAIL
        kept = ("id", "baud_rate")[:scope]
        for register in self.model.table:
            if register.address < EEPROM_END and register.name not in kept:
                self.set(register.name, register.default)
        self.reboot(now)
        return StatusError.NONE

    # --- rules

    def _places(self, address: int, size: int) -> list[int]:
        """Return where bytes really lie: an indirect one is another of the table."""
        asked = range(address, address + size)
        return [self.get(self._pointers[a]) if a in self._pointers else a for a in asked]

    def _registers(
        self, places: list[int], data: bytes
    ) -> tuple[list[tuple[Register, int]], StatusError]:
        """Split bytes into the registers they are for."""
        changes, i = [], 0
        while i < len(places):
            register = self._by_address.get(places[i])
            if register is None:
                return [], StatusError.ACCESS
            stop = i + register.size
            if places[i:stop] != list(range(register.address, register.end)):
                return [], StatusError.DATA_LENGTH
            changes.append((register, register.decode(data[i:stop])))
            i = stop
        return changes, StatusError.NONE

    def _refusal(self, register: Register, raw: int) -> StatusError:
        """Return why a register may not become a number, or no error."""
        name, (lowest, highest) = register.name, register.range
        if register.access is Access.READ or (register.eeprom and self.torque):
            return StatusError.ACCESS
        if not lowest <= raw <= highest or not self._makes_sense(name, raw):
            return StatusError.DATA_RANGE
        if name in LIMITED_BY and abs(raw) > self.get(LIMITED_BY[name]):
            return StatusError.DATA_LIMIT
        if name == "goal_position" and self.get("operating_mode") == OperatingMode.POSITION:
            inside = self.get("min_position_limit") <= raw <= self.get("max_position_limit")
            return StatusError.NONE if inside else StatusError.DATA_LIMIT
        return StatusError.NONE

    def _makes_sense(self, name: str, raw: int) -> bool:
        if name in GOALS:
            return not self.stopped_by_watchdog
        if name == "operating_mode":
            return raw in self.model.modes
        if name.startswith("indirect_address"):
            return raw < self.model.size
        return True

    def _change(self, register: Register, raw: int) -> None:
        """Write a register, with what the firmware does at the same time."""
        if register.name == "torque_enable" and raw and not self.torque:
            if self.get("hardware_error_status") & self.get("shutdown"):
                return  # it stays off until it is rebooted
            self._take_over()
        self.set(register.name, raw)
        if register.name == "operating_mode":
            self._begin_mode(raw)
        elif register.name in GOALS:
            self.goals += 1

    def _take_over(self) -> None:
        """Make the goals those that leave the servo where it is."""
        mode = self.get("operating_mode")
        self.set("goal_position", self.get("present_position"))
        self.set("goal_velocity", 0)
        if mode == OperatingMode.CURRENT:
            self.set("goal_current", 0)
        if mode == OperatingMode.PWM:
            self.set("goal_pwm", 0)
        self.goals += 1

    def _begin_mode(self, mode: int) -> None:
        """Set gains, profile and goals as the firmware does when the mode changes."""
        for name in (
            "position_p_gain", "position_i_gain", "position_d_gain",
            "velocity_p_gain", "velocity_i_gain",
            "feedforward_1st_gain", "feedforward_2nd_gain",
            "profile_velocity", "profile_acceleration",
        ):  # fmt: skip
            self.set(name, self.model.registers[name].default)
        self.set("goal_pwm", 0 if mode == OperatingMode.PWM else self.get("pwm_limit"))
        self.set("goal_current", 0 if mode == OperatingMode.CURRENT else self.get("current_limit"))
