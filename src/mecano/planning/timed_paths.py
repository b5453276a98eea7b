"""A path with its times: where an object on it shall be when, and what slowed it down."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses import wrap_angle
from mecano.planning.path_facings import turned
from mecano.planning.path_parts import Kink, single_pose
from mecano.planning.path_shapes import PlanarOrSpatial
from mecano.planning.paths import PathCurve

Mode = Literal["position", "position and orientation"]
"""What of a path is followed: "position" leaves the orientation of the object alone."""
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True)
class Slowing:
    """Where and why the asked speed was not possible; as text, a sentence for the user."""

    s: float
    """How far along the path [m]."""
    speed: float
    """What is possible there [m/s]; 0 is a stop."""
    reason: str
    verb: str = "slows to"

    def __str__(self) -> str:
        does = f"{self.verb} {self.speed:.3g} m/s" if self.speed > 0.0 else "stops"
        return f"{does} at {self.s:.2f} m along: {self.reason}"


@dataclass(frozen=True, eq=False, kw_only=True)
class TimedPoint:
    """Where an object shall be at a time and how it moves, in the frame of the path.

    Each field has the shape of the asked times in front.
    """

    s: Array
    """How far along the path [m]."""
    speed: Array
    """Along the path [m/s]."""
    along: Array
    """Acceleration along the path [m/s2]."""
    position: Array
    """[m]. Shape (..., 2) on the floor, (..., 3) in space."""
    velocity: Array
    """[m/s]."""
    acceleration: Array
    """[m/s2]; with what the bends of the path add, without the jumps at corners."""
    orientation: Array | None
    """As in `PathPoint`; None if only the position is followed."""
    turn_rate: Array | None
    """[rad/s]. Shape (...) on the floor, (..., 3) in space."""

    @property
    def pose(self) -> PlanarOrSpatial:
        """The pose at a single time."""
        return single_pose(self.position, self.orientation)

    @property
    def twist(self) -> Array:
        """On the floor: (vx, vy, wz) in the frame of the path [m/s, rad/s]. Shape (..., 3).

        With only the position followed, wz is zero.
        """
        if self.position.shape[-1] != 2:
            raise InvalidInput("a path in space has no planar twist; take velocity and turn_rate")
        rate = np.zeros_like(self.speed) if self.turn_rate is None else self.turn_rate
        return np.concatenate([self.velocity, rate[..., None]], axis=-1)


@dataclass(frozen=True, eq=False, kw_only=True)
class TimedPath:
    """A path with its times, made by `pace_path`: phases of constant acceleration."""

    path: PathCurve
    mode: Mode
    slowed: tuple[Slowing, ...]
    """Where the asked speed was not possible, in order."""
    starts: Array
    """Time at which each phase begins, and the end [s]. Shape (n + 1,)."""
    s: Array
    """Arc length at the start of each phase, and at the end [m]. Shape (n + 1,)."""
    speeds: Array
    """Speed at the start of each phase [m/s]. Shape (n,)."""
    accelerations: Array
    """Along the path, in each phase [m/s2]. Shape (n,)."""
    turns: tuple["TurnOnTheSpot", ...] = ()

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.starts[-1])

    @property
    def top_speed(self) -> float:
        """The highest speed on the way [m/s]."""
        return float(self.speeds.max())

    def at(self, time: ArrayLike) -> TimedPoint:
        """Return where to be at times since the start [s]; before and after, the ends at rest."""
        time = read_only(time, name="time [s]")
        moving = (time >= 0.0) & (time < self.duration)
        phase = np.searchsorted(self.starts[1:-1], time, side="right")
        since = np.clip(time, 0.0, self.duration) - self.starts[phase]
        along = np.where(moving, self.accelerations[phase], 0.0)
        speed = np.where(moving, np.maximum(self.speeds[phase] + along * since, 0.0), 0.0)
        s = self.s[phase] + (self.speeds[phase] + 0.5 * along * since) * since
        # Short of the next phase, so that round-off never looks around a corner too early.
        s = np.minimum(s, np.nextafter(self.s[phase + 1], 0.0))
        s = np.where(time >= self.duration, self.path.length, s)
        point = self.path.at(s)
        orientation, rate = None, None
        if self.mode != "position" and point.orientation is not None and point.turning is not None:
            in_space = () if self.path.planar else (1,)
            orientation = np.array(point.orientation)
            rate = np.array(speed.reshape(speed.shape + in_space) * point.turning)
            for turn in self.turns:
                turn.apply(time, orientation, rate)
        return TimedPoint(
            s=s,
            speed=speed,
            along=along,
            position=point.position,
            velocity=speed[..., None] * point.tangent,
            acceleration=along[..., None] * point.tangent + speed[..., None] ** 2 * point.bending,
            orientation=orientation,
            turn_rate=rate,
        )


@dataclass(frozen=True, eq=False)
class TurnOnTheSpot:
    """A turn at a place where the orientation jumps: speeding up, even, braking."""

    kink: Kink
    start: float
    """[s]."""
    duration: float
    """[s]."""
    acceleration: float
    """[rad/s2]."""

    def apply(self, time: Array, orientation: Array, rate: Array) -> None:
        """Write orientation and rate at the times that fall into the turn."""
        now = (time >= self.start) & (time < self.start + self.duration)
        before = self.kink.before.orientation
        if before is None or not now.any():
            return
        angle = float(np.linalg.norm(self.kink.turn))
        since = time[now] - self.start
        left = self.duration - since
        # An even trapezoid of height w lasts angle / w + w / acceleration.
        a, T = self.acceleration, self.duration
        ramp = 0.5 * (T - math.sqrt(max(T * T - 4.0 * angle / a, 0.0)))
        speed = a * np.minimum(np.minimum(since, left), ramp)
        done = np.where(since < ramp, 0.5 * a * since**2, a * ramp * (since - 0.5 * ramp))
        done = np.where(left < ramp, angle - 0.5 * a * left**2, done)
        if self.kink.before.planar:
            orientation[now] = wrap_angle(before + self.kink.turn / angle * done)
            rate[now] = self.kink.turn / angle * speed
        else:
            axis = self.kink.turn / angle
            orientation[now] = turned(before, done[:, None] * axis)
            rate[now] = speed[:, None] * axis
