"""The wheeled base a user programs: drive, move, turn, and where it believes to be."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import cos, hypot, inf, sin
from typing import Any, Literal, overload

import numpy as np

from mecano.control.base_dynamics import BaseDynamics
from mecano.control.wheel_loop import WheelLoop
from mecano.core.arrays import Array, finite_number
from mecano.core.devices import BaseSensors, WheelDrive
from mecano.core.errors import InvalidInput
from mecano.core.messages import BaseReport, Twist
from mecano.core.notices import ask_about_degrees, say
from mecano.core.poses import Pose2
from mecano.estimation.odometry import Odometer
from mecano.estimation.pose_track import PoseTrack
from mecano.parts.base_motion import BaseMotion
from mecano.parts.base_safety import BaseSafety
from mecano.parts.base_sensing import STANDING, BaseSensing, Memory, planar_covariance
from mecano.parts.drives import STILL, Drive
from mecano.parts.drives import Twist as Speeds
from mecano.parts.follower import Follower
from mecano.parts.results import DriveResult, Outcome
from mecano.robots.mobile import WheeledBase
from mecano.session.session import LONGEST, Session

FURTHEST = 1e5
"""A move or turn by more than this is no goal but a mistake [m or rad]."""


class Base(BaseSensing, BaseSafety, Follower):
    """A base on wheels. Speeds are forward, to the left [m/s] and turning left [rad/s].

    What its sensors do by themselves:

    - A pressed bumper ends a move forward and a turn that began free, as `COLLIDED`. Commands
      forward are not obeyed while it is pressed; backing off and turning are. With `reflex` the
      base backs off on its own.
    - A cliff sensor that sees no floor does the same; the motion ends as `STOPPED`.
    - A wheel that hangs in the air stops it, whatever was asked for.
    - With `safety_zone` it slows down and stops before what its range sensors see.

    The base brakes as hard as its driver allows and no harder, so from 0.35 m/s it pushes on for a
    second. The arm and the gripper are not concerned: they go on with what they do. A program that
    wants them to stop calls `robot.stop()` when `report().bumpers` is not empty.
    """

    kind = name = "base"

    def __init__(
        self,
        session: Session,
        facts: WheeledBase,
        board: BaseSensors,
        wheels: WheelDrive,
        *,
        light: Callable[[int, str], None] = lambda number, colour: None,
        dynamics: Callable[[], BaseDynamics] | None = None,
    ) -> None:
        """Join the facts with the devices. `mecano.connect` does this.

        Args:
            session: Whose ticks it acts in.
            facts: Its wheels, limits and sensors.
            board: Its sensors.
            wheels: Its motors.
            light: Sets an LED to a colour.
            dynamics: Weighs the base as it is now; None if nobody can.
        """
        self.session, self.facts, self._board, self._wheels = session, facts, board, wheels
        self._light, self._dynamics, self._computed_torque = light, dynamics, False
        straight = self.facts.layout.rates([self.facts.limits.speed, 0.0, 0.0])
        self.fastest_wheel = self.facts.limits.wheel_speed or float(np.abs(straight).max())
        self._covariance = planar_covariance(self.facts.variances)
        drift = self.facts.drift if self.facts.variances is None else None
        self._rates_of, self._rates = STANDING, self.facts.layout.rates(STANDING)
        """Speeds, and the rates of the wheels for them [rad/s]."""
        self.motion: BaseMotion | None = None
        self.remarks: list[str] = []
        """What was done otherwise than asked, each said once."""
        self._loop: WheelLoop | None = None
        self.reflex = False
        """Whether it backs off by itself when a bumper is pressed or the floor ends."""
        noisy, clean = (
            Odometer(
                self.facts.layout, self.facts.counter.per_tick, self.facts.counter.modulo,
                report.ticks, report.stamp, report.heading, drift=drift,
                filter=self.facts.velocity_filter or 0.0, fastest=self.fastest_wheel,
            )
            for report in (board.report, board.clean)
        )  # fmt: skip
        if board.clean is board.report:
            clean = noisy
        track = PoseTrack().after(noisy.stamp, noisy.pose)
        self._memory = Memory(noisy, clean, leds=("off",) * len(self.facts.leds), track=track)
        session.steppers.append(self)

    def reset_odometry(self, pose: Pose2 | None = None) -> None:
        """Let odometry go on from another pose, by default the origin; a motion goes on too."""
        if pose is not None and not isinstance(pose, Pose2):
            raise InvalidInput(f"odometry is set to a Pose2, got {pose!r}")
        with self.session.commanding():
            before, odometer = self.pose, self._memory.odometer.reset(pose)
            clean = self._memory.clean.reset(pose)
            track = self._memory.track.moved(before, odometer.pose)
            self._memory = replace(self._memory, odometer=odometer, clean=clean, track=track)
            if self.guard is not None:
                self.guard.odometry_moved(before, odometer.pose)
            if self.motion is not None:
                self.motion.odometry_moved(before, odometer.pose)

    # --- driving

    def drive(self, speed: float = 0.0, turn: float = 0.0, *, left: float = 0.0) -> None:
        """Ask for speeds, at once. The base stops when no command comes for its watchdog's time.

        If all together are more than the wheels can do, all become less: the curve stays.

        Args:
            speed: Forward, negative for back [m/s].
            turn: Counter-clockwise [rad/s].
            left: To the left, negative for right [m/s]; not every base can.
        """
        limits = self.facts.limits
        asked = (
            finite_number(speed, name="speed [m/s]", lower=-limits.speed, upper=limits.speed),
            finite_number(left, name="left [m/s]", lower=-limits.speed, upper=limits.speed),
            finite_number(turn, name="turn [rad/s]", lower=-limits.turn, upper=limits.turn),
        )
        if left:
            self.facts.layout.require("strafe")
        with self.session.commanding():
            self._end_motion(Outcome.REPLACED, "another command came")
            able = self._within_wheels(asked)
            if hypot(*(a - b for a, b in zip(asked, able, strict=True))) > 1e-9:
                self._say_slower(asked, able)
            self._memory = replace(self._memory, asked=able, asked_at=self.session.time)

    def drive_twist(self, twist: Twist) -> None:
        """Do as a velocity message says, as far as it can: faster ones are slowed as a whole.

        `drive` refuses speeds beyond the limits; whoever publishes velocities is not asked again.
        What a base on the floor cannot do (up, down, roll, pitch) is left out.
        """
        if not isinstance(twist, Twist):
            raise InvalidInput(f"drive_twist takes a mecano.Twist, got {twist!r}")
        forward, left, turn = twist.linear[0], twist.linear[1], twist.angular[2]
        limits = self.facts.limits
        over = max(
            1.0, abs(forward) / limits.speed, abs(left) / limits.speed, abs(turn) / limits.turn
        )
        slower = (float(forward / over), float(left / over), float(turn / over))
        with self.session.commanding():
            if over > 1.0:
                asked = (float(forward), float(left), float(turn))
                self._say_slower(asked, self._within_wheels(slower))
            self.drive(slower[0], slower[2], left=slower[1])

    def _say_slower(self, asked: Speeds, able: Speeds) -> None:
        """Say that the wheels cannot do what was asked for, the first time."""
        if self.remarks:
            return
        fastest = float(np.abs(self.facts.layout.rates(asked)).max())
        told = [f"{vx:.3f}, {vy:.3f} m/s, {wz:.3f} rad/s" for vx, vy, wz in (asked, able)]
        self.remarks.append(
            f"base: {told[0]} asks a wheel for {fastest:.2f} rad/s, it can {self.fastest_wheel:.2f}"
            f" rad/s; it goes {told[1]} instead, and so from now on without a word"
        )
        say(self.remarks[-1])

    def _within_wheels(self, asked: Speeds) -> Speeds:
        """Return speeds on the same curve that no wheel is too slow for."""
        rates = self.facts.layout.rates(asked).tolist()
        over = max(1.0, max(map(abs, rates)) / self.fastest_wheel)
        return asked[0] / over, asked[1] / over, asked[2] / over

    def drive_for(
        self, seconds: float, speed: float = 0.0, turn: float = 0.0, *, left: float = 0.0
    ) -> None:
        """Drive at these speeds for a time [s], then stop; let the time pass."""
        seconds = finite_number(seconds, name="time [s]", lower=0.0, upper=LONGEST)
        until = self.session.time + seconds - 1e-9
        while self.session.time < until:
            self.drive(speed, turn, left=left)
            self.session.run_for(min(0.5 * self.facts.watchdog, until - self.session.time + 1e-9))
        self.drive()
        self.session.wait_until(self.at_rest)

    @overload
    def move(
        self,
        distance: float,
        *,
        direction: float = 0.0,
        speed: float | None = None,
        wait: Literal[True] = True,
    ) -> DriveResult: ...
    @overload
    def move(
        self,
        distance: float,
        *,
        direction: float = 0.0,
        speed: float | None = None,
        wait: Literal[False],
    ) -> Drive: ...
    def move(
        self,
        distance: float,
        *,
        direction: float = 0.0,
        speed: float | None = None,
        wait: bool = True,
    ) -> DriveResult | Drive:
        """Go straight on, or back, by odometry.

        Args:
            distance: How far; negative goes back [m].
            direction: Where to, seen from the base: 0 forward, pi/2 left [rad]; others than
                forward and back only if the base can strafe.
            speed: At most [m/s]; None takes half of what the base can.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        direction = finite_number(direction, name="direction [rad]")
        if abs(sin(direction)) > 1e-9:
            self.facts.layout.require("strafe")
        fastest = self._within_wheels(
            (
                self.facts.limits.speed * cos(direction),
                self.facts.limits.speed * sin(direction),
                0.0,
            )
        )
        most = hypot(*fastest)
        return self._start(distance, speed, most, wait, turns=False, direction=direction)

    @overload
    def turn(
        self, angle: float, *, speed: float | None = None, wait: Literal[True] = True
    ) -> DriveResult: ...
    @overload
    def turn(self, angle: float, *, speed: float | None = None, wait: Literal[False]) -> Drive: ...
    def turn(
        self, angle: float, *, speed: float | None = None, wait: bool = True
    ) -> DriveResult | Drive:
        """Turn in place by odometry.

        Args:
            angle: How far, counter-clockwise; whole turns count [rad].
            speed: At most [rad/s]; None takes half of what the base can.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        ask_about_degrees(finite_number(angle, name="angle [rad]"), "base.turn")
        return self._start(angle, speed, self.facts.limits.turn, wait, turns=True)

    def _start(
        self,
        goal: float,
        speed: float | None,
        most: float,
        wait: bool,
        *,
        turns: bool,
        direction: float = 0.0,
    ) -> DriveResult | Drive:
        what = ("angle [rad]", "turn speed [rad/s]") if turns else ("distance [m]", "speed [m/s]")
        goal = finite_number(goal, name=what[0], lower=-FURTHEST, upper=FURTHEST)
        given = 0.5 * most if speed is None else speed
        fastest = finite_number(given, name=what[1], lower=0.01, upper=most)
        with self.session.commanding():
            drive = Drive(self, goal, fastest, turns=turns, direction=direction)
            self._take_up(drive)
        return drive.wait() if wait else drive

    def stop(self, cause: str = "it was stopped") -> None:
        """Brake, as hard as the driver allows, and stand; a motion ends with this cause."""
        with self.session.lock:
            self._end_motion(Outcome.STOPPED, cause)
            self._forget_command()

    def take_up(self, motion: BaseMotion) -> None:
        """Let a motion drive the base until it ends or another command comes."""
        with self.session.commanding():
            self._take_up(motion)

    def _take_up(self, motion: BaseMotion) -> None:
        self._end_motion(Outcome.REPLACED, "another command came")
        self._forget_command()
        self.motion = motion

    def _forget_command(self) -> None:
        self._memory = replace(self._memory, asked=STANDING, asked_at=-inf)

    def _end_motion(self, outcome: Outcome, cause: str) -> None:
        if self.motion is not None and not self.motion.done:
            self.motion.end(outcome, cause)
        self.motion = None

    # --- in the tick

    def step(self, now: float) -> None:
        """Add up odometry, look at the bumpers and let the wheels turn."""
        report, memory = self._board.report, self._memory
        if report.stamp > memory.odometer.stamp:
            clean = self._board.clean
            odometer = memory.odometer.after(report.ticks, report.stamp, report.heading)
            same = clean is report and memory.clean is memory.odometer  # no noise: one is both
            self._memory = memory = memory.but(
                odometer=odometer,
                clean=odometer
                if same
                else memory.clean.after(clean.ticks, clean.stamp, clean.heading),
                track=memory.track.after(odometer.stamp, odometer.pose),
            )
        before, speed, tick = memory.speed, self._wanted(now, report), self.session.backend.tick
        if self.safety_zone and (any(speed) or any(before)):
            speed = self._guarded(now, speed, tick)
        if speed != before:
            speed = self._nearer(before, speed, tick)
        if speed is not before:  # equal ones too: the sign of a zero is part of the state
            self._memory = self._memory.but(speed=speed)
        if self._computed_torque:
            self._push_ahead(np.array(before), np.array(speed), tick)
            return
        if speed is not self._rates_of:  # the same speeds, tick after tick, have the same rates
            self._rates_of, self._rates = speed, self.facts.layout.rates(speed)
        self._turn_wheels(self._rates, tick)

    def _nearer(self, before: Speeds, wanted: Speeds, tick: float) -> Speeds:
        """Return speeds one tick nearer to the wanted ones, as the limits allow."""
        limits = self.facts.limits
        vx, vy = _ramp(before[:2], wanted[:2], limits.acceleration * tick, limits.braking * tick)
        faster, slower = limits.turn_acceleration * tick, limits.turn_braking * tick
        (wz,) = _ramp(before[2:], wanted[2:], faster, slower)
        return vx, vy, wz

    @property
    def computed_torque(self) -> bool:
        """Whether motors get the torque that a motion needs beforehand, by mass and friction.

        Off, they are told rates, and their loops find the torque by being behind. It needs to know
        the base's mass, so only a simulated one has it, and motors with loops of their own.
        """
        return self._computed_torque

    @computed_torque.setter
    def computed_torque(self, on: bool) -> None:
        if not isinstance(on, bool):
            raise InvalidInput(f"computed_torque is {on!r}, allowed: True, False")
        if on and (self._dynamics is None or self._loop is not None):
            raise InvalidInput(
                "computed_torque needs a base whose mass is known, and motors with their own loops:"
                " set wheel_loop to None, and use a simulated base"
            )
        self._computed_torque = on

    def _push_ahead(self, before: Array, speed: Array, tick: float) -> None:
        """Let the wheels turn as they should in the middle of this tick, with the torque for it."""
        assert self._dynamics is not None
        change = (speed - before) / tick
        middle = speed + 0.5 * tick * change
        torques = self._dynamics().torques(middle, change)
        self._wheels.command(self.facts.layout.rates(middle), torques=torques)

    @property
    def wheel_loop(self) -> WheelLoop | None:
        """The loop that keeps the rates of the wheels; None leaves that to the motors' own."""
        return self._loop

    @wheel_loop.setter
    def wheel_loop(self, loop: WheelLoop | None) -> None:
        if loop is not None and not isinstance(loop, WheelLoop):
            raise InvalidInput(f"wheel_loop is {loop!r}, expected a WheelLoop, or None")
        if loop is not None and self._computed_torque:
            raise InvalidInput("computed_torque is on: switch it off to use another wheel_loop")
        with self.session.commanding():
            self._loop = loop
            self._memory = replace(self._memory, loop=None)

    def _turn_wheels(self, rates: Array, tick: float) -> None:
        if self._loop is None:
            self._wheels.command(rates)
            return
        before = self._memory.loop or self._loop.begin(len(rates))
        measured = np.array(self._memory.odometer.rates)
        torques, after = self._loop.after(before, rates, measured, tick)
        self._memory = replace(self._memory, loop=after)
        self._wheels.push(torques)

    def _wanted(self, now: float, report: BaseReport) -> Speeds:
        """Return the speeds that the reflex, a motion or the last command asks for."""
        if report.wheel_drops:
            hang = "hangs" if len(report.wheel_drops) == 1 else "hang"
            self._end_motion(Outcome.STOPPED, f"{_listed(report.wheel_drops)} {hang} in the air")
            self._forget_command()
            return STANDING
        if report.bumpers or report.cliffs:
            self._heed(now, report)
        memory, back_off = self._memory, self.facts.back_off
        if self.reflex and back_off is not None and now - memory.hit_at <= back_off.time:
            return back_off.speeds.get(memory.hit, STANDING)
        if self.motion is not None:
            motion = self.motion
            try:
                wanted = self._within_wheels(motion.wanted(now))
            finally:
                if motion.done:
                    self.motion = None
            return wanted
        if now - memory.asked_at > self.facts.watchdog:
            return STANDING
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
        forward, left, turn = self._memory.asked
        asked = min(forward, 0.0), left, turn
        self._memory = replace(self._memory, hit_at=now, hit=hit, asked=asked)

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


def _ramp(now: Sequence[float], wanted: Sequence[float], faster: float, slower: float) -> Any:
    """Return a velocity one tick nearer to the wanted one; braking may be harder than the rest."""
    along = sum(a * b for a, b in zip(now, wanted, strict=True))
    most = slower if hypot(*wanted) < hypot(*now) or along < 0.0 else faster
    change = hypot(*(b - a for a, b in zip(now, wanted, strict=True)))
    if change <= most:
        return tuple(wanted)
    return tuple(a + (b - a) * (most / change) for a, b in zip(now, wanted, strict=True))


def _listed(names: frozenset[str]) -> str:
    return " and ".join(sorted(names))
