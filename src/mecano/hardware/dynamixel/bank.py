"""The servos of one robot on one bus: one question and one command per tick, with a guard between.

`sense` asks all servos at once where they are. `send` tells all of them where to go, after the
guard has looked at it: inside the limits, and no further from the last goal than the fastest move
allows. A bus watchdog in every servo stops it where it is when commands stop coming, whatever
became of this program or its cable.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.hardware.dynamixel.bus import Bus
from mecano.hardware.dynamixel.tables import (
    CURRENT,
    SERVO_MODELS,
    SPEED,
    VOLTAGE,
    XM430_W350,
    HardwareError,
)
from mecano.hardware.errors import (
    NoAnswer,
    Overloaded,
    ServoFault,
    UnsafeCommand,
    WrongServo,
    WrongVoltage,
)
from mecano.robots.description import ServoWire

SERVO = XM430_W350
"""What all servos of a bank are; the Widow-X's older ones will be another table."""
PRESENT = SERVO.span("present_current", "present_position")
SUPPLY = SERVO.span("present_input_voltage", "present_temperature")
TORQUE_PER_AMPERE = SERVO.stall_torque / SERVO.stall_current  # N m/A
REVERSE = 1
"""Bit of the drive mode: the servo counts the other way round."""
PROFILE = {"profile_acceleration": 0, "profile_velocity": 0}
"""None: the goals we send are smooth already."""
GAINS = {"position_p_gain": 800, "position_i_gain": 100, "position_d_gain": 100}
"""Of the servos' controllers, as the vendor's ROS 2 driver sets them (ros2_control file)."""
SILENCE = 0.5
"""A servo that says nothing for this long is lost [s]."""
HEALTH_EVERY = 1.0
"""Time between two looks at faults, voltage and temperature [s]."""
LOWEST_VOLTAGE = 9.5
"""Below this the servos give up [V]."""


@dataclass(frozen=True)
class Health:
    """How a servo is."""

    voltage: float
    """[V]"""
    temperature: float
    """[degree Celsius]"""
    fault: HardwareError
    """What is wrong with it, if anything."""

    @property
    def good(self) -> bool:
        """True if it can go on."""
        return not self.fault and self.voltage >= LOWEST_VOLTAGE


def _health(fault: bytes, supply: bytes) -> "Health":
    voltage, temperature = struct.unpack("<HB", supply)
    return Health(voltage * VOLTAGE, float(temperature), HardwareError(fault[0]))


class ServoBank:
    """All servos of a robot. It knows nothing of arms; joints are rows of arrays."""

    def __init__(
        self,
        bus: Bus,
        wires: Sequence[ServoWire],
        *,
        lower: Array,
        upper: Array,
        fastest: Array,
        tick: float,
        watchdog: float = 0.5,
    ) -> None:
        """Find the servos and read where they are; nothing moves.

        Args:
            bus: The line.
            wires: Which servo moves which joint.
            lower: Smallest values of the joints [rad or m].
            upper: Largest values [rad or m].
            fastest: Largest speeds that may be commanded [rad/s or m/s].
            tick: Time between two commands [s].
            watchdog: A servo stops when it heard nothing for this long [s]; 0 turns that off.
        """
        self.bus, self.wires, self.tick = bus, tuple(wires), tick
        self.ids = [wire.id for wire in self.wires]
        self.lower, self.upper, self.fastest = lower, upper, fastest
        self._watchdog = min(127, ceil(watchdog / 0.02))
        self._per_tick = np.array([wire.per_tick for wire in self.wires])
        self._zero = np.array([wire.zero for wire in self.wires])
        self.position, self.velocity, self.effort = (np.zeros(len(self.wires)) for _ in range(3))
        self.time = 0.0
        """When the newest reading was taken, on the clock of the bus [s]."""
        self.stamp = 0.0
        """The same on the session's clock [s]; the session sets it."""
        self.health: dict[int, Health] = {}
        self._heard = dict.fromkeys(self.ids, self.bus.clock.now())
        self._next_health = 0.0
        self.holds = False
        """True while the motors are on."""
        self._check_models()
        self.sense()
        self.goal = self.position.copy()

    # --- connecting

    def _check_models(self) -> None:
        """Make sure that every servo is there, is the right model and has the right mode."""
        answers = [self.bus.ping(wire.id) for wire in self.wires]  # two on one id: said first
        for wire, found in zip(self.wires, answers, strict=True):
            if found is None:
                raise NoAnswer(
                    f"no servo with id {wire.id} ({wire.joint}) answers on {self.bus.port} at "
                    f"{self.bus.baud} bit/s; is the 12 V supply on? mecano doctor {self.bus.port}"
                )
            if found.model != SERVO.number:
                known = SERVO_MODELS.get(found.model)
                raise WrongServo(
                    f"id {wire.id} ({wire.joint}) is model {found.model}"
                    f"{f' ({known.name})' if known else ''}, expected {SERVO.number} "
                    f"({SERVO.name}): put the right servo there, or give it another id; see who "
                    f"is there with: mecano doctor {self.bus.port}"
                )

    def power_up(self, grip_current: float = 0.5) -> None:
        """Set modes and limits, take over where the servos are, and switch the motors on.

        A motor that holds goes on holding, unless something must be set that it locks.
        """
        self._tell_each("bus_watchdog", 0)
        self.look_after_health()
        for row, wire in enumerate(self.wires):
            self._set_up(row, wire)
        self.sense()
        self.goal = self.position.copy()
        self.limit_current({wire.id: grip_current for wire in self.wires if wire.mode == 5})
        self._send_goals()
        self._tell_each("torque_enable", 1)
        self.holds = True
        self._tell_each("bus_watchdog", self._watchdog)

    def _set_up(self, row: int, wire: ServoWire) -> None:
        ends = sorted((wire.tick(self.lower[row]), wire.tick(self.upper[row])))
        wanted = {
            "operating_mode": wire.mode,
            "min_position_limit": max(0, ends[0] - 1),
            "max_position_limit": min(4095, ends[1] + 1),
            "return_delay_time": 0,
        }
        now = self._ask(wire.id, "drive_mode")
        wanted["drive_mode"] = now & ~REVERSE | (REVERSE if wire.reverse else 0)
        wrong = {name: value for name, value in wanted.items() if self._ask(wire.id, name) != value}
        if wrong:
            self._tell(wire.id, "torque_enable", 0)
        for name, value in wrong.items():  # that memory wears out: only what is needed
            self._tell(wire.id, name, value)
        for name, value in (PROFILE | GAINS).items():
            self._tell(wire.id, name, value)

    def limit_current(self, amperes: dict[int, float]) -> None:
        """Let servos in mode 5 push with at most this current [A]."""
        register = SERVO.register("goal_current")
        data = {
            servo: register.encode(max(1, register.raw(value))) for servo, value in amperes.items()
        }
        if data:
            self.bus.sync_write(register.address, register.size, data)

    def power_down(self, *, limp: bool) -> None:
        """End in a defined state: the motors hold where they are, or let go.

        A servo that does not answer is no reason to forget the others; it raises at the end.
        """
        self.holds = self.holds and not limp
        problems = []
        for servo in self.ids:
            try:
                self._tell(servo, "bus_watchdog", 0)
                if limp:
                    self._tell(servo, "torque_enable", 0)
            except MecanoError as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    def _ask(self, servo: int, name: str) -> int:
        register = SERVO.register(name)
        return register.decode(self.bus.read(servo, register.address, register.size))

    def _tell(self, servo: int, name: str, raw: int) -> None:
        register = SERVO.register(name)
        self.bus.write(servo, register.address, register.encode(raw))

    def _tell_each(self, name: str, raw: int) -> None:
        """Write a register of every servo, one by one: each confirms it."""
        for servo in self.ids:
            self._tell(servo, name, raw)

    # --- every tick

    def sense(self) -> None:
        """Read all servos; a servo that is silent for several ticks is an error."""
        answers = self.bus.sync_read(self.ids, *PRESENT)
        for row, wire in enumerate(self.wires):
            data = answers.get(wire.id)
            if data is None:
                self._note_silence(wire)
                continue
            self._heard[wire.id] = self.bus.clock.now()
            current, velocity, position = struct.unpack("<hii", data)
            self.position[row] = wire.value(position)
            self.velocity[row] = velocity * SPEED * np.sign(wire.per_tick)
            self.effort[row] = current * CURRENT * TORQUE_PER_AMPERE * np.sign(wire.per_tick)
        self.time = self.bus.clock.now()
        if self.bus.alerts or self.time >= self._next_health:
            self.look_after_health()

    def _note_silence(self, wire: ServoWire) -> None:
        if self.bus.clock.now() - self._heard[wire.id] > SILENCE:
            raise NoAnswer(
                f"id {wire.id} ({wire.joint}) has said nothing for {SILENCE} s; check its cable "
                f"and power, then: mecano doctor {self.bus.port}"
            )

    def look_after_health(self) -> None:
        """Read faults, voltages and temperatures; raise if a servo has a fault."""
        self._next_health = self.bus.clock.now() + HEALTH_EVERY
        error = SERVO.register("hardware_error_status")
        faults = self.bus.sync_read(self.ids, error.address, error.size)
        supplies = self.bus.sync_read(self.ids, *SUPPLY)
        if self.holds:  # before, they may have run out in another program: that is cleared
            self._look_after_watchdogs()
        for wire in self.wires:
            if wire.id not in faults or wire.id not in supplies:
                continue
            health = _health(faults[wire.id], supplies[wire.id])
            if not health.good:  # a late answer to another question looks like that: ask again
                fault = self.bus.read(wire.id, error.address, error.size)
                health = _health(fault, self.bus.read(wire.id, *SUPPLY))
            self.health[wire.id] = health
            self._complain(wire, health)

    def _look_after_watchdogs(self) -> None:
        register = SERVO.register("bus_watchdog")
        answers = self.bus.sync_read(self.ids, register.address, register.size)
        for wire in self.wires:
            if wire.id in answers and register.decode(answers[wire.id]) < 0:
                again = self.bus.read(wire.id, register.address, register.size)
                if register.decode(again) < 0:
                    raise ServoFault(
                        f"id {wire.id} ({wire.joint}) has stopped by itself, because no command "
                        f"came for {self._watchdog * register.factor:.2f} s: this computer was "
                        "held up. Connect again"
                    )

    def _complain(self, wire: ServoWire, health: Health) -> None:
        if health.good:
            return
        name = f"id {wire.id} ({wire.joint})"
        if not health.fault or health.fault & HardwareError.INPUT_VOLTAGE:
            raise WrongVoltage(
                f"{name} complains about its supply: {health.voltage:.1f} V now, needs "
                f"{LOWEST_VOLTAGE} V or more, 12 V is right. Check the power supply and its plug, "
                "then switch it off and on: that clears the servos"
            )
        overloaded = bool(health.fault & HardwareError.OVERLOAD)
        raise (Overloaded if overloaded else ServoFault)(
            f"{name} has a fault: {', '.join(health.fault.words)}; it has let go. Take the "
            "load off, wait if it is hot, then clear it with: "
            f"mecano doctor {self.bus.port} --reboot {wire.id}"
        )

    def command(self, rows: slice, values: Array) -> None:
        """Set goals of some joints; they are sent with the next `send`."""
        goal = self.goal.copy()
        goal[rows] = values
        self._guard(goal)
        self.goal = goal

    def _guard(self, goal: Array) -> None:
        """Refuse a goal that must not be sent."""
        if not np.isfinite(goal).all():
            raise UnsafeCommand(f"a goal is not a finite number: {goal.tolist()}")
        outside = self._outside(goal)
        outside[outside <= self._outside(self.goal)] = 0.0  # from outside it may come in
        row = int(outside.argmax())
        if outside[row] > 1.5 * abs(self._per_tick[row]):
            raise UnsafeCommand(
                f"{self.wires[row].joint} was sent to {goal[row]:.4f}, allowed "
                f"[{self.lower[row]:.4f}, {self.upper[row]:.4f}]; nothing was sent"
            )
        step = np.abs(goal - self.goal) / (self.fastest * self.tick)
        row = int(step.argmax())
        if step[row] > 3.0:
            raise UnsafeCommand(
                f"{self.wires[row].joint} was sent {abs(goal[row] - self.goal[row]):.4f} away in "
                f"one tick, allowed {3.0 * self.fastest[row] * self.tick:.4f}; nothing was sent"
            )

    def _outside(self, goal: Array) -> Array:
        """Return how far goals are outside the limits [rad or m]."""
        return np.maximum(0.0, np.maximum(self.lower - goal, goal - self.upper))

    def send(self) -> None:
        """Send all goals at once."""
        if self.holds:
            self._send_goals()

    def _send_goals(self) -> None:
        ticks = np.rint(self.goal / self._per_tick).astype(int) + self._zero
        goal = SERVO.register("goal_position")
        data = {
            servo: goal.encode(int(value)) for servo, value in zip(self.ids, ticks, strict=True)
        }
        self.bus.sync_write(goal.address, goal.size, data)
