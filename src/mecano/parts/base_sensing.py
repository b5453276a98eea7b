"""Where a base is and what its sensors say: odometry, packet, gyro, LEDs, buttons."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np

from mecano.control.wheel_loop import LoopState
from mecano.core.arrays import Array
from mecano.core.devices import BaseSensors
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import BaseReport, Imu, JointState, Odometry, Twist
from mecano.core.poses import Pose, Pose2
from mecano.estimation.odometry import Jump, Odometer
from mecano.estimation.pose_track import PoseTrack
from mecano.parts.drives import Twist as Speeds
from mecano.parts.part import Part
from mecano.robots.mobile import WheeledBase
from mecano.session.session import Session

UNKNOWN = 1e6
"""Variance of what a base on wheels cannot know: height, roll and pitch [m2, rad2]."""
STANDING: Speeds = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Memory:
    """All that the base must know to go on from here."""

    odometer: Odometer
    clean: Odometer
    """The same by readings without noise; on a real base, the same."""
    speed: Speeds = STANDING
    """As commanded to the wheels now."""
    asked: Speeds = STANDING
    """What the last command asked for."""
    asked_at: float = -inf
    """When it came [s]."""
    hit_at: float = -inf
    """When a bumper was last pressed, or the floor last missing [s]."""
    hit: str = ""
    """On which side."""
    leds: tuple[str, ...] = field(default=())
    track: PoseTrack = field(default_factory=PoseTrack)
    """Where it believed to be in the last second."""
    loop: LoopState | None = None
    """Of the loop that keeps the rates of the wheels; None if the motors do that themselves."""

    def but(self, **changes: Any) -> "Memory":
        """Return it with some fields changed: what `replace` does, several times faster."""
        after = object.__new__(Memory)
        fields = after.__dict__
        fields.update(self.__dict__)
        fields.update(changes)
        return after


class BaseSensing(Part):
    """Where a base is and what it reads. Users have a `Base`, which also drives."""

    session: Session
    facts: WheeledBase
    _board: BaseSensors
    _memory: Memory
    _covariance: Array
    """Of the pose, where the facts give it."""
    _light: Callable[[int, str], None]

    # --- where it is

    def summary(self) -> str:
        """Return wheels and estimated pose in a line."""
        pose, wheels = self.pose, ", ".join(self.facts.layout.names)
        return (
            f"wheels {wheels}, odometry x {pose.x:.3f} m, y {pose.y:.3f} m, "
            f"heading {pose.yaw:.3f} rad"
        )

    @property
    def pose(self) -> Pose2:
        """Where it believes to be since the start, by wheels and gyro."""
        return self._memory.odometer.pose

    @property
    def stamp(self) -> float:
        """Of the reading that the pose is by [s]."""
        return self._memory.odometer.stamp

    @property
    def speed(self) -> Speeds:
        """What the wheels are told now: forward, to the left [m/s], turning [rad/s]."""
        return self._memory.speed

    def odometry(self, *, clean: bool = False) -> Odometry:
        """Return pose and speed by wheels and gyro; `clean` is it by readings without noise."""
        odometer = self._memory.clean if clean else self._memory.odometer
        x, y, yaw = odometer.pose.x, odometer.pose.y, odometer.pose.yaw
        vx, vy, wz = odometer.twist if self.facts.velocity_filter is None else odometer.filtered
        covariance = self._covariance
        if odometer.drift is not None:
            covariance = _on_the_floor(odometer.covariance)
        return Odometry(
            stamp=odometer.stamp, frame="odom", child_frame=self.facts.frame,
            pose=Pose.from_xyz_rpy([x, y, 0.0], [0.0, 0.0, yaw]),
            twist=Twist.planar(vx, vy, wz), pose_covariance=covariance,
        )  # fmt: skip

    @property
    def track(self) -> PoseTrack:
        """Where it believed to be in the last second, to place scans by."""
        return self._memory.track

    @property
    def encoder_jumps(self) -> int:
        """How many readings of the wheel counters were ignored, since no wheel can have made them.

        `last_jump` tells the newest. Odometry goes on, see `Odometer`.
        """
        return self._memory.odometer.jumps

    @property
    def last_jump(self) -> Jump | None:
        """The newest reading of the wheel counters that was ignored."""
        return self._memory.odometer.jump

    def wheels(self) -> JointState:
        """Return how far the wheels have turned since the start, and how fast, by their ticks."""
        odometer = self._memory.odometer
        return JointState(
            stamp=odometer.stamp, name=self.facts.layout.names,
            position=np.array(odometer.turned) * odometer.per_tick,
            velocity=np.array(odometer.rates),
        )  # fmt: skip

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

    def jump_encoder(self, wheel: str, ticks: float) -> None:
        """Simulation only: let the counter of a wheel jump, see `encoder_jumps`.

        Args:
            wheel: Its name, as `facts.layout.names` has it.
            ticks: By how much; they stay.
        """
        with self.session.commanding():
            self._board.jump(wheel, ticks)

    def set_led(self, number: int, colour: str) -> None:
        """Light an LED, counted from 1, in one of `facts.led_colours`."""
        if not isinstance(colour, str) or colour not in self.facts.led_colours:
            raise UnknownName("colour", colour, self.facts.led_colours)
        _check_number("LED", number, 1, len(self.facts.leds))
        with self.session.commanding():
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


def planar_covariance(variances: tuple[float, float, float] | None) -> Array:
    """Return the covariance of a pose on the floor; what a base cannot know is very uncertain."""
    if variances is None:
        return np.zeros((6, 6))
    x, y, yaw = variances
    return np.diag([x, y, UNKNOWN, UNKNOWN, UNKNOWN, yaw])


def _on_the_floor(covariance: Array) -> Array:
    """Return the covariance of a pose from that of x, y and yaw; the rest is very uncertain."""
    whole = np.diag([0.0, 0.0, UNKNOWN, UNKNOWN, UNKNOWN, 0.0])
    rows = np.array([0, 1, 5])
    whole[np.ix_(rows, rows)] = covariance
    return whole


def _check_number(what: str, number: int, least: int, most: int) -> None:
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or not least <= number <= most:
        raise InvalidInput(f"there is no {what} {number!r}, allowed {least} to {most}")
