"""Odometry: where a base is, by the ticks of its wheels and, if it has one, its gyro."""

from dataclasses import dataclass, field, replace

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.kinematics.wheels import WheelLayout

Ticks = tuple[int, ...]


def tick_change(now: Ticks, before: Ticks, modulo: int) -> Array:
    """Return how many ticks wheels have gone on, over the wrap of their counters.

    Of the two ways round the shorter one is taken, so a counter must be read before it has gone
    half its range.
    """
    change = np.subtract(now, before)
    half = modulo // 2
    return (change + half) % modulo - half


@dataclass(frozen=True, eq=False)
class Odometer:
    """Adds up small arcs. It holds the state after one reading; `after` returns the next one."""

    layout: WheelLayout
    per_tick: float
    """What one tick of an encoder is at its wheel [rad]."""
    modulo: int
    """The counters begin anew after this many ticks."""
    ticks: Ticks
    stamp: float
    """Of the reading [s]."""
    heading: float | None = None
    """Of the gyro at that time [rad]; None turns by the wheels alone."""
    pose: Pose2 = field(default_factory=Pose2)
    twist: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """vx, vy [m/s], wz [rad/s], over the last interval."""
    turned: Ticks = ()
    """How far the wheels have turned since the start; it does not wrap [ticks]."""
    rates: tuple[float, ...] = ()
    """Of the wheels, over the last interval [rad/s]."""

    def __post_init__(self) -> None:
        if not self.turned:
            object.__setattr__(self, "turned", (0,) * len(self.ticks))
            object.__setattr__(self, "rates", (0.0,) * len(self.ticks))

    def after(self, ticks: Ticks, stamp: float, heading: float | None = None) -> "Odometer":
        """Return the odometer after one more reading.

        Args:
            ticks: Counters of all wheels, in the order of the layout.
            stamp: When they were read [s]; at the same time as the last one, nothing has moved.
            heading: Of the gyro [rad], if it has one: it slips less than wheels do.
        """
        if len(ticks) != len(self.ticks):
            raise InvalidInput(f"{len(ticks)} counters were read, {len(self.ticks)} are needed")
        passed = stamp - self.stamp
        if passed <= 0.0:
            return self
        change = tick_change(ticks, self.ticks, self.modulo)
        turned = change * self.per_tick
        step = self.layout.twist(turned)
        if heading is not None and self.heading is not None:
            step[2] = Pose2(yaw=heading - self.heading).yaw
        return replace(
            self,
            ticks=tuple(ticks),
            stamp=stamp,
            heading=heading,
            pose=self.pose @ Pose2.exp(step),
            twist=tuple((step / passed).tolist()),
            turned=tuple(np.add(self.turned, change).tolist()),
            rates=tuple((turned / passed).tolist()),
        )

    def reset(self, pose: Pose2 | None = None) -> "Odometer":
        """Return an odometer that goes on from another pose, by default the origin."""
        return replace(self, pose=pose or Pose2())
