"""What runs inside a servo: from goals and profile to what its motor shall do now.

Everything here is in the servo's own units: ticks, and ticks per second.
"""

from dataclasses import dataclass
from math import copysign, inf, sqrt

from mecano.bridge.dynamixel.servo import EmulatedServo
from mecano.hardware.dynamixel.tables import ACCELERATION, SPEED, TICK, OperatingMode

TIME_BASED = 4
"""Bit of the drive mode: profile velocity and acceleration are durations [ms]."""
STREAMING = 0.05
"""Goals that follow each other faster than this are one motion [s]."""
LEASH = 0.25 / TICK
"""A velocity goal pulls its position at most this far ahead of a blocked horn [ticks] (EST)."""
TICKS_PER_SPEED = SPEED / TICK
"""One unit of velocity [ticks/s]."""
TICKS_PER_ACCELERATION = ACCELERATION / TICK
"""One unit of acceleration [ticks/s2]."""


@dataclass(frozen=True)
class Order:
    """What the motor shall do: hold a position, push, or nothing."""

    position: float
    """[ticks]"""
    velocity: float = 0.0
    """With which the position moves [ticks/s]."""
    holds: bool = False
    """True if the position is controlled."""
    own_gains: bool = False
    """True to control it with the motor's best gains, not those of the registers."""
    current: float = inf
    """Most current while it holds; the current to push with if not. Raw units."""
    duty: float | None = None
    """Share of the voltage to put on the motor, from -1 to 1."""


@dataclass
class Profile:
    """A point that goes to a goal with limited speed and acceleration."""

    position: float
    velocity: float = 0.0
    speed: float = inf
    """[ticks/s]"""
    acceleration: float = inf
    """[ticks/s2]"""

    def rest_at(self, position: float) -> None:
        """Stand still somewhere."""
        self.position, self.velocity = position, 0.0

    def step(self, goal: float, dt: float) -> None:
        """Go on towards the goal for some time [s]: speed up, cruise, brake in time."""
        way = goal - self.position
        fastest = min(self.speed, abs(way) / dt)
        if self.acceleration < inf:
            # half a step ahead, so that braking does not come a step too late
            slower = self.acceleration * dt / 2
            brake = sqrt(slower * slower + 2 * self.acceleration * abs(way)) - slower
            wanted = copysign(min(fastest, brake), way)
            change = self.acceleration * dt
            self.velocity = min(max(wanted, self.velocity - change), self.velocity + change)
        else:
            self.velocity = copysign(fastest, way)
        self.position += self.velocity * dt
        close = self.acceleration * dt * dt if self.acceleration < inf else 1e-6
        if abs(goal - self.position) <= close and abs(self.velocity) * dt <= 1.01 * close:
            self.rest_at(goal)


class Stream:
    """How fast goals run that come one after the other.

    The derivative of a servo's PID acts on the error, not on the horn's speed (e-manual, position
    control mode), so goals that run ahead push the horn along.
    """

    def __init__(self, goal: float) -> None:
        """Begin at rest."""
        self.velocity = 0.0
        """[ticks/s]."""
        self._goal, self._age, self._interval = goal, inf, 0.0

    def take(self, goal: float) -> None:
        """Take a new goal [ticks]."""
        streams = self._age < STREAMING
        self.velocity = (goal - self._goal) / self._age if streams and self._age > 0.0 else 0.0
        self._goal, self._interval, self._age = goal, self._age, 0.0

    def step(self, dt: float) -> None:
        """Let time pass [s]; a stream that dries up stands still."""
        self._age += dt
        if self._age > 2.0 * self._interval:
            self.velocity = 0.0


class Firmware:
    """The control loop of one servo, above its gains."""

    def __init__(self, servo: EmulatedServo) -> None:
        """Run in a servo."""
        self.servo = servo
        self.profile = Profile(servo.get("present_position"))
        self._goals = servo.goals
        self._stream = Stream(servo.get("goal_position"))
        self._was_on = False

    def step(self, present: float, dt: float) -> Order:
        """Return what the motor shall do for the next time step [s], from where the horn is."""
        servo, on = self.servo, self.servo.torque
        started, self._was_on = on and not self._was_on, on
        if not on or started:
            self.profile.rest_at(present)
        if not on:
            return Order(present, current=0.0)
        if servo.stopped_by_watchdog:
            self._freeze()
        match servo.get("operating_mode"):
            case OperatingMode.CURRENT:
                return Order(present, current=servo.get("goal_current"))
            case OperatingMode.PWM:
                return Order(present, duty=servo.get("goal_pwm") / 885)
            case OperatingMode.VELOCITY:
                return self._turn(present, dt)
            case mode:
                limit = servo.get("goal_current") if mode == 5 else inf
                return self._go(dt, abs(limit))

    def _freeze(self) -> None:
        """Stop where it is: goals become those of standing still."""
        servo = self.servo
        if servo.get("operating_mode") in (OperatingMode.CURRENT, OperatingMode.PWM):
            servo.set("goal_current", 0)
            servo.set("goal_pwm", 0)
        servo.set("goal_velocity", 0)
        if servo.get("goal_position") != round(self.profile.position):
            servo.set("goal_position", round(self.profile.position))
            self._goals = servo.goals
            self.profile.speed = self.profile.acceleration = inf

    def _go(self, dt: float, current: float) -> Order:
        """Follow the profile to the goal position."""
        goal, profile = self.servo.get("goal_position"), self.profile
        self._stream.step(dt)
        if self.servo.goals != self._goals:
            self._goals = self.servo.goals
            self._stream.take(goal)
            self._plan(goal)
        if profile.speed == inf and profile.acceleration == inf:
            profile.rest_at(goal)
            profile.velocity = self._stream.velocity
        else:
            profile.step(goal, dt)
        return Order(profile.position, profile.velocity, holds=True, current=current)

    def _plan(self, goal: float) -> None:
        """Take speed and acceleration for a new goal from the registers; zero is no limit."""
        velocity = self.servo.get("profile_velocity")
        acceleration = self.servo.get("profile_acceleration")
        profile = self.profile
        if self.servo.get("drive_mode") & TIME_BASED:
            whole, ramp = velocity / 1000, min(acceleration, velocity / 2) / 1000
            profile.speed = abs(goal - profile.position) / (whole - ramp) if whole else inf
            profile.acceleration = max(profile.speed, 1.0) / ramp if ramp else inf
        else:
            profile.speed = velocity * TICKS_PER_SPEED or inf
            profile.acceleration = acceleration * TICKS_PER_ACCELERATION or inf

    def _turn(self, present: float, dt: float) -> Order:
        """Turn with the goal velocity: a position that runs ahead, on a leash."""
        wanted = self.servo.get("goal_velocity") * TICKS_PER_SPEED
        limit = self.servo.get("profile_acceleration") * TICKS_PER_ACCELERATION * dt or inf
        profile = self.profile
        profile.velocity += min(max(wanted - profile.velocity, -limit), limit)
        ahead = profile.position + profile.velocity * dt
        profile.position = min(max(ahead, present - LEASH), present + LEASH)
        return Order(profile.position, profile.velocity, holds=True, own_gains=True)
