"""The wheeled base a user programs: drive, move, turn, and where it believes to be."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import copysign, inf, sqrt
from typing import Any, Protocol

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import BaseReport, Imu, JointState, Odometry, Twist
from mecano.core.poses import Pose, Pose2, wrap_angle
from mecano.estimation.odometry import Odometer
from mecano.lab.results import DriveResult, Outcome
from mecano.lab.session import Session
from mecano.robots.mobile import WheeledBase

UNKNOWN = 1e6
"""Variance of what a base on wheels cannot know: height, roll and pitch [m2, rad2]."""
STILL = 0.005
"""A base slower than this has come to rest [m/s or rad/s]."""
CLOSE = 0.002, 0.005
"""A move or turn ends this near to its goal [m], [rad]."""
HOLD_HEADING = 2.0
"""While it moves straight, how much of a heading error is turned back per second [1/s]."""
LED_COLOURS = ("off", "green", "orange", "red")
BACK_OFF = {
    # Kobuki's own safety controller: back at 0.1 m/s, turning away from what was hit.
    "center": (-0.1, 0.0), "left": (-0.1, -0.4), "right": (-0.1, 0.4),
}  # fmt: skip
BACK_OFF_TIME = 0.2
"""How long it goes on after the bumper is free [s]; the mux's timeout of that controller."""


class WheelDrive(Protocol):
    """What drives the wheels."""

    def command(self, rates: Array) -> None:
        """Let the wheels turn at these rates [rad/s]."""
        ...


class BaseBoard(Protocol):
    """What reads the sensors on the board."""

    facts: WheeledBase
    report: BaseReport
    """The newest packet."""
    clean: BaseReport
    """The same without noise; on a real base, the same."""
    buttons: frozenset[int]


@dataclass(frozen=True, eq=False)
class Memory:
    """All that the base must know to go on from here."""

    odometer: Odometer
    speed: tuple[float, float] = (0.0, 0.0)
    """Forward [m/s] and turning [rad/s], as commanded to the wheels now."""
    asked: tuple[float, float] = (0.0, 0.0)
    """What the last command asked for."""
    asked_at: float = -inf
    """When it came [s]."""
    hit_at: float = -inf
    """When a bumper was last pressed, or the floor last missing [s]."""
    hit: str = ""
    """On which side."""
    leds: tuple[str, ...] = field(default=())


class Drive:
    """The handle of a move or turn."""

    def __init__(self, base: "Base", goal: float, fastest: float, *, turns: bool) -> None:
        """Begin where the base is; `goal` is the way to go [m or rad]."""
        self.base, self.goal, self.turns = base, goal, turns
        self.started = base.session.time
        self._from = base.pose
        self._turned = 0.0
        self._heading = base.pose.yaw
        report = base.report()
        self._began_free = not (report.bumpers or report.cliffs)
        self._fastest = fastest
        limits = base.facts.limits
        self._braking = 0.7 * (limits.turn_braking if turns else limits.braking)
        self._patience = 2.0 * abs(goal) / fastest + 5.0
        self.result: DriveResult | None = None

    @property
    def done(self) -> bool:
        """True when it has ended, in whatever way."""
        return self.result is not None

    def wait(self, timeout: float | None = None) -> DriveResult | None:
        """Let time pass until it has ended; return the result, or None at the timeout [s]."""
        self.base.session.wait_until(lambda: self.done, timeout=timeout)
        return self.result

    def stop(self) -> None:
        """End it here: the base brakes."""
        if not self.done:
            self.base.stop()

    @property
    def heeds_obstacles(self) -> bool:
        """True if what is in front ends it: a way forward, or a turn that began free."""
        return self._began_free if self.turns else self.goal > 0.0

    @property
    def gone(self) -> float:
        """How far it has got, by odometry [m or rad]."""
        if self.turns:
            return self._turned
        passed = self._from.inverse() @ self.base.pose
        return passed.x

    def wanted(self, now: float) -> tuple[float, float]:
        """Return the speeds that bring it on: forward [m/s] and turning [rad/s]."""
        heading = self.base.pose.yaw
        self._turned += float(wrap_angle(heading - self._heading))
        self._heading = heading
        left = self.goal - self.gone
        close = CLOSE[1] if self.turns else CLOSE[0]
        at_rest = max(map(abs, self.base.speed)) < STILL
        if abs(left) < close and at_rest:
            self.end(Outcome.REACHED)
        elif now - self.started > self._patience:
            self.end(Outcome.TIMED_OUT)
        # The speed from which it can still brake to stand at the goal.
        speed = copysign(min(self._fastest, sqrt(2.0 * self._braking * abs(left))), left)
        if abs(left) < close:
            speed = 0.0
        if self.turns:
            return 0.0, speed
        off = (self._from.inverse() @ self.base.pose).yaw
        most = self.base.facts.limits.turn
        return speed, min(max(-HOLD_HEADING * off, -most), most) if speed else 0.0

    def odometry_moved(self, before: Pose2, after: Pose2) -> None:
        """Go on from here although odometry calls the same place another pose now."""
        self._from = after @ before.inverse() @ self._from
        self._heading += after.yaw - before.yaw

    def end(self, outcome: Outcome, cause: str = "") -> None:
        """Give it its result."""
        self.result = DriveResult(
            outcome=outcome, goal=self.goal, gone=self.gone, turned=self.turns,
            duration=self.base.session.time - self.started, cause=cause,
        )  # fmt: skip


class Base:
    """A base on wheels. Speeds are forward [m/s] and turning, counter-clockwise [rad/s].

    What its sensors do by themselves:

    - A pressed bumper ends a move forward and a turn that began free, as `COLLIDED`. Commands
      forward are not obeyed while it is pressed; backing off and turning are. With `reflex` the
      base backs off on its own.
    - A cliff sensor that sees no floor does the same; the motion ends as `STOPPED`.
    - A wheel that hangs in the air stops it, whatever was asked for.

    The base brakes as hard as its driver allows and no harder, so from 0.35 m/s it pushes on for a
    second. The arm and the gripper are not concerned: they go on with what they do. A program that
    wants them to stop calls `robot.stop()` when `report().bumpers` is not empty.
    """

    def __init__(
        self,
        session: Session,
        board: BaseBoard,
        wheels: WheelDrive,
        *,
        light: Callable[[int, str], None] = lambda number, colour: None,
    ) -> None:
        """Join the facts with the devices. `mecano.connect` does this.

        Args:
            session: Whose ticks it acts in.
            board: Its sensors.
            wheels: Its motors.
            light: Sets an LED to a colour.
        """
        self.session, self.facts, self._board, self._wheels = session, board.facts, board, wheels
        self._light = light
        straight = self.facts.layout.rates([self.facts.limits.speed, 0.0, 0.0])
        self._fastest_wheel = float(np.abs(straight).max())
        self._covariance = _planar_covariance(self.facts.variances)
        self.motion: Drive | None = None
        self.reflex = False
        """Whether it backs off by itself when a bumper is pressed or the floor ends."""
        report = board.report
        odometer = Odometer(
            self.facts.layout, self.facts.counter.per_tick, self.facts.counter.modulo,
            report.ticks, report.stamp, report.heading,
        )  # fmt: skip
        self._memory = Memory(odometer, leds=("off",) * len(self.facts.leds))
        session.steppers.append(self)

    # --- where it is

    @property
    def pose(self) -> Pose2:
        """Where it believes to be since the start, by wheels and gyro."""
        return self._memory.odometer.pose

    @property
    def speed(self) -> tuple[float, float]:
        """What the wheels are told now: forward [m/s], turning [rad/s]."""
        return self._memory.speed

    def odometry(self) -> Odometry:
        """Return pose and speed by wheels and gyro."""
        odometer = self._memory.odometer
        x, y, yaw = odometer.pose.x, odometer.pose.y, odometer.pose.yaw
        vx, vy, wz = odometer.twist
        return Odometry(
            stamp=odometer.stamp, frame="odom", child_frame=self.facts.frame,
            pose=Pose.from_xyz_rpy([x, y, 0.0], [0.0, 0.0, yaw]),
            twist=Twist.planar(vx, vy, wz), pose_covariance=self._covariance,
        )  # fmt: skip

    def wheels(self) -> JointState:
        """Return how far the wheels have turned since the start, and how fast, by their ticks."""
        odometer = self._memory.odometer
        return JointState(
            stamp=odometer.stamp, name=self.facts.layout.names,
            position=np.array(odometer.turned) * odometer.per_tick,
            velocity=np.array(odometer.rates),
        )  # fmt: skip

    def reset_odometry(self, pose: Pose2 | None = None) -> None:
        """Let odometry go on from another pose, by default the origin; a motion goes on too."""
        if pose is not None and not isinstance(pose, Pose2):
            raise InvalidInput(f"odometry is set to a Pose2, got {pose!r}")
        with self.session.lock:
            before, odometer = self.pose, self._memory.odometer.reset(pose)
            self._memory = replace(self._memory, odometer=odometer)
            if self.motion is not None:
                self.motion.odometry_moved(before, odometer.pose)

    # --- its sensors

    def report(self, *, clean: bool = False) -> BaseReport:
        """Return the newest packet of all sensors on the board; `clean` is it without noise."""
        return self._board.clean if clean else self._board.report

    def imu(self, *, clean: bool = False) -> Imu:
        """Return what the gyro reads; `clean` is it without noise."""
        report = self.report(clean=clean)
        if report.turn_rate is None or report.heading is None:
            raise InvalidInput("this base has no gyro")
        half = 0.5 * report.heading
        return Imu(
            stamp=report.stamp, frame=self.facts.gyro.site if self.facts.gyro else "",
            angular_velocity=np.array([0.0, 0.0, report.turn_rate]),
            orientation=np.array([np.cos(half), 0.0, 0.0, np.sin(half)]),
        )  # fmt: skip

    def set_led(self, number: int, colour: str) -> None:
        """Light an LED, counted from 1: off, green, orange or red."""
        if colour not in LED_COLOURS:
            raise UnknownName("colour", colour, LED_COLOURS)
        _check_number("LED", number, 1, len(self.facts.leds))
        with self.session.lock:
            leds = list(self._memory.leds)
            leds[number - 1] = colour
            self._memory = replace(self._memory, leds=tuple(leds))
            self._light(number, colour)

    @property
    def leds(self) -> tuple[str, ...]:
        """Colours of the LEDs."""
        return self._memory.leds

    def press_buttons(self, *numbers: int) -> None:
        """Simulation only: press some buttons, counted from 0, and let go of the others."""
        for number in numbers:
            _check_number("button", number, 0, self.facts.buttons - 1)
        self._board.buttons = frozenset(numbers)

    # --- driving

    def drive(self, speed: float = 0.0, turn: float = 0.0) -> None:
        """Ask for speeds, at once. The base stops when no command comes for its watchdog's time.

        If both together are more than the wheels can do, both become less: the curve stays.

        Args:
            speed: Forward, negative for back [m/s].
            turn: Counter-clockwise [rad/s].
        """
        limits = self.facts.limits
        asked = (
            finite_number(speed, name="speed [m/s]", lower=-limits.speed, upper=limits.speed),
            finite_number(turn, name="turn [rad/s]", lower=-limits.turn, upper=limits.turn),
        )
        with self.session.lock:
            self._end_motion(Outcome.REPLACED, "another command came")
            asked = self._within_wheels(asked)
            self._memory = replace(self._memory, asked=asked, asked_at=self.session.time)

    def _within_wheels(self, asked: tuple[float, float]) -> tuple[float, float]:
        """Return speeds on the same curve that no wheel is too slow for."""
        rates = self.facts.layout.rates([asked[0], 0.0, asked[1]])
        over = max(1.0, float(np.abs(rates).max()) / self._fastest_wheel)
        return asked[0] / over, asked[1] / over

    def drive_for(self, seconds: float, speed: float = 0.0, turn: float = 0.0) -> None:
        """Drive at these speeds for a time [s], then stop; let the time pass."""
        until = self.session.time + finite_number(seconds, name="time [s]", lower=0.0) - 1e-9
        while self.session.time < until:
            self.drive(speed, turn)
            self.session.run_for(min(0.5 * self.facts.watchdog, until - self.session.time + 1e-9))
        self.drive()
        self.session.wait_until(self.at_rest)

    def move(
        self, distance: float, *, speed: float | None = None, wait: bool = True
    ) -> DriveResult | Drive:
        """Go straight on, or back, by odometry.

        Args:
            distance: How far; negative goes back [m].
            speed: At most [m/s]; None takes half of what the base can.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        return self._start(distance, speed, self.facts.limits.speed, wait, turns=False)

    def turn(
        self, angle: float, *, speed: float | None = None, wait: bool = True
    ) -> DriveResult | Drive:
        """Turn in place by odometry.

        Args:
            angle: How far, counter-clockwise; whole turns count [rad].
            speed: At most [rad/s]; None takes half of what the base can.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        return self._start(angle, speed, self.facts.limits.turn, wait, turns=True)

    def _start(
        self, goal: float, speed: float | None, most: float, wait: bool, *, turns: bool
    ) -> DriveResult | Drive:
        what = ("angle [rad]", "turn speed [rad/s]") if turns else ("distance [m]", "speed [m/s]")
        goal = finite_number(goal, name=what[0])
        given = 0.5 * most if speed is None else speed
        fastest = finite_number(given, name=what[1], lower=0.01, upper=most)
        with self.session.lock:
            self._end_motion(Outcome.REPLACED, "another command came")
            self._forget_command()
            self.motion = drive = Drive(self, goal, fastest, turns=turns)
        if not wait:
            return drive
        self.session.wait_until(lambda: drive.done)
        assert drive.result is not None
        return drive.result

    def stop(self) -> None:
        """Brake, as hard as the driver allows, and stand."""
        with self.session.lock:
            self._end_motion(Outcome.STOPPED, "it was stopped")
            self._forget_command()

    def _forget_command(self) -> None:
        self._memory = replace(self._memory, asked=(0.0, 0.0), asked_at=-inf)

    def _end_motion(self, outcome: Outcome, cause: str) -> None:
        if self.motion is not None and not self.motion.done:
            self.motion.end(outcome, cause)
        self.motion = None

    # --- in the tick

    def step(self, now: float) -> None:
        """Add up odometry, look at the bumpers and let the wheels turn."""
        report = self._board.report
        memory = replace(
            self._memory,
            odometer=self._memory.odometer.after(report.ticks, report.stamp, report.heading),
        )
        self._memory = memory
        wanted = self._wanted(now, report)
        limits, tick = self.facts.limits, self.session.backend.tick
        speed = (
            _ramp(memory.speed[0], wanted[0], limits.acceleration * tick, limits.braking * tick),
            _ramp(
                memory.speed[1], wanted[1],
                limits.turn_acceleration * tick, limits.turn_braking * tick,
            ),
        )  # fmt: skip
        self._memory = replace(self._memory, speed=speed)
        self._wheels.command(self.facts.layout.rates([speed[0], 0.0, speed[1]]))

    def _wanted(self, now: float, report: BaseReport) -> tuple[float, float]:
        """Return the speeds that the reflex, a motion or the last command asks for."""
        if report.wheel_drops:
            hang = "hangs" if len(report.wheel_drops) == 1 else "hang"
            self._end_motion(Outcome.STOPPED, f"{_listed(report.wheel_drops)} {hang} in the air")
            self._forget_command()
            return 0.0, 0.0
        if report.bumpers or report.cliffs:
            self._heed(now, report)
        memory = self._memory
        if self.reflex and now - memory.hit_at <= BACK_OFF_TIME:
            return BACK_OFF.get(memory.hit, (0.0, 0.0))
        if self.motion is not None:
            wanted = self.motion.wanted(now)
            if self.motion.done:
                self.motion = None
            return wanted
        if now - memory.asked_at > self.facts.watchdog:
            return 0.0, 0.0
        return memory.asked

    def _heed(self, now: float, report: BaseReport) -> None:
        """Give up what leads into an obstacle or over an edge."""
        if self.motion is not None and self.motion.heeds_obstacles:
            if report.bumpers:
                cause = f"the {_listed(report.bumpers)} bumper was hit"
                self._end_motion(Outcome.COLLIDED, cause)
            else:
                cause = f"the {_listed(report.cliffs)} cliff sensor sees no floor"
                self._end_motion(Outcome.STOPPED, cause)
        where = report.bumpers | report.cliffs
        hit = min(where) if len(where) == 1 else "center"
        forward, turn = self._memory.asked
        self._memory = replace(self._memory, hit_at=now, hit=hit, asked=(min(forward, 0.0), turn))

    def at_rest(self) -> bool:
        """Tell whether it stands and nothing is commanded."""
        return self.motion is None and max(map(abs, self._memory.speed)) < STILL

    def memory(self) -> Any:
        """Return what the base must know to go on: odometry, speeds, the last command, LEDs."""
        return self._memory

    def recall(self, memory: Any) -> None:
        """Go on from there; a motion in progress ends."""
        self._end_motion(Outcome.STOPPED, "the session was set back")
        self._memory = memory
        for number, colour in enumerate(memory.leds, start=1):
            self._light(number, colour)


def _planar_covariance(variances: tuple[float, float, float] | None) -> Array:
    """Return the covariance of a pose on the floor; what a base cannot know is very uncertain."""
    if variances is None:
        return np.zeros((6, 6))
    x, y, yaw = variances
    return np.diag([x, y, UNKNOWN, UNKNOWN, UNKNOWN, yaw])


def _ramp(now: float, wanted: float, faster: float, slower: float) -> float:
    """Return a speed one tick nearer to the wanted one; braking may be harder than speeding up."""
    most = slower if abs(wanted) < abs(now) or wanted * now < 0.0 else faster
    return now + min(max(wanted - now, -most), most)


def _listed(names: frozenset[str]) -> str:
    return " and ".join(sorted(names))


def _check_number(what: str, number: int, least: int, most: int) -> None:
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or not least <= number <= most:
        raise InvalidInput(f"there is no {what} {number!r}, allowed {least} to {most}")
