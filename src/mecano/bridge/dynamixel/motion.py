"""The arm behind the bus: a world that moves by the servos' registers, in real or virtual time."""

import threading
from collections.abc import Callable, Sequence

from mecano.bridge.dynamixel.bus import EmulatedBus
from mecano.bridge.dynamixel.faults import NOMINAL
from mecano.bridge.dynamixel.firmware import TICKS_PER_SPEED, Firmware
from mecano.bridge.dynamixel.joints import Joint
from mecano.core.clocks import VirtualClock
from mecano.core.errors import WorldBroken
from mecano.hardware.dynamixel.tables import CURRENT, HardwareError
from mecano.world.world import World

STEPS = 2
"""Physics steps between two looks at the registers."""
BEHIND = 0.1
"""A world this far behind real time does not hurry to catch up [s]."""
OVERLOAD_SHARE, OVERLOAD_TIME = 0.9, 1.0
"""A servo gives up after pushing with this share of its stall torque for this long [s] (EST)."""
LINE_LOSS = 0.15
"""What the cables take from the supply per ampere of all motors [V/A] (EST)."""
ROOM, WARMTH, WARMING_TIME = 30.0, 12.0, 60.0
"""Temperature at rest [degC], what a square ampere adds [K], time to warm up [s] (EST)."""


class Motion:
    """Steps the world on the clock of the bus.

    In real time a thread does that. No lock: registers are read and written whole. On a virtual
    clock the steps are events of the clock, in the thread of whoever waits.
    """

    def __init__(
        self,
        world: World,
        bus: EmulatedBus,
        joints: Sequence[Joint],
        on_step: Callable[[float], None],
    ) -> None:
        """Couple servos to joints; `on_step` is called with the time since the start [s]."""
        self.world, self._bus, self._on_step = world, bus, on_step
        self._axes = [_Axis(joint) for joint in joints]
        self._period = STEPS * world.timestep
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="motion", daemon=True)
        self._start = bus.clock.now()
        self._end: Callable[[], None] | None = None
        for axis in self._axes:
            axis.sense(NOMINAL)

    def start(self) -> None:
        """Let time run."""
        if isinstance(self._bus.clock, VirtualClock):
            self._end = self._bus.clock.every(self._period, self._next)
        else:
            self._thread.start()

    def close(self) -> None:
        """Stop time."""
        self._stop.set()
        if self._end is not None:
            self._end()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        clock = self._bus.clock
        due = clock.now()
        while not self._stop.wait(max(0.0, due - clock.now())):
            now = clock.now()
            due = (now if now - due > BEHIND else due) + self._period
            self._next()

    def _next(self) -> None:
        self._on_step(self._bus.clock.now() - self._start)
        self.step()

    def step(self) -> None:
        """Let the servos act for one period."""
        silence = self._bus.clock.now() - self._bus.last_heard
        faults = self._bus.faults
        amperes = sum(abs(axis.joint.current()) for axis in self._axes)
        supply = max(0.0, faults.supply - LINE_LOSS * amperes)
        for axis in self._axes:
            axis.joint.servo.check_watchdog(silence)
            axis.act(supply, self._period)
        try:
            self.world.step(STEPS)
        except WorldBroken:  # it was reset; the servos let go, and whoever drives them sees that
            for axis in self._axes:
                axis.joint.servo.fail(HardwareError.ELECTRICAL_SHOCK)
        for axis in self._axes:
            axis.sense(supply)
            axis.wear(supply, self._period)
            if axis.joint.servo.id in faults.overloaded:
                faults.overloaded.discard(axis.joint.servo.id)
                axis.joint.servo.fail(HardwareError.OVERLOAD)


class _Axis:
    """One servo and its joint."""

    def __init__(self, joint: Joint) -> None:
        self.joint = joint
        self._firmware = Firmware(joint.servo)
        self._strained, self._heat, self._age = 0.0, 0.0, 0.0

    def act(self, supply: float, dt: float) -> None:
        """Do what firmware and motor do in a time step [s]."""
        self.joint.look_at_settings()
        self.joint.obey(self._firmware.step(self.joint.ticks(), dt), supply)

    def sense(self, supply: float) -> None:
        """Write what the servo measures into its registers."""
        joint, servo, profile = self.joint, self.joint.servo, self._firmware.profile
        speed = joint.speed / abs(joint.wire.per_tick) * joint.sign / TICKS_PER_SPEED
        moving = abs(speed) > servo.get("moving_threshold")
        arrived = abs(profile.position - servo.get("goal_position")) < 1.0
        servo.show(
            (
                round(self._age * 1000) % 32768,
                int(moving),
                int(arrived) | (0 if arrived else 2),
                round(885 * joint.duty(supply)),
                round(joint.current() / CURRENT),
                round(speed),
                round(joint.ticks()),
                round(profile.velocity / TICKS_PER_SPEED),
                round(profile.position),
                round(supply * 10),
                round(ROOM + self._heat),
            )
        )

    def wear(self, supply: float, dt: float) -> None:
        """Warm up, tire under load, and notice what is wrong."""
        servo, current = self.joint.servo, self.joint.current()
        self._age += dt
        self._heat += dt / WARMING_TIME * (WARMTH * current * current - self._heat)
        strained = abs(current) >= OVERLOAD_SHARE * servo.model.stall_current
        self._strained = self._strained + dt if strained else 0.0
        if self._strained > OVERLOAD_TIME:
            self._strained = 0.0
            servo.fail(HardwareError.OVERLOAD)
        if ROOM + self._heat > servo.get("temperature_limit"):
            servo.fail(HardwareError.OVERHEATING)
        lowest, highest = servo.get("min_voltage_limit"), servo.get("max_voltage_limit")
        if not lowest <= 10 * supply <= highest:
            servo.fail(HardwareError.INPUT_VOLTAGE)
