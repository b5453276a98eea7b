"""Odometry: where a base is, by the ticks of its wheels and, if it has one, its gyro."""

from dataclasses import dataclass, field, replace
from itertools import compress
from math import cos, exp, isfinite, sin
from operator import and_
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2, wrap_angle
from mecano.core.poses.floats import sinc
from mecano.kinematics.drift import Drift, grown_along
from mecano.kinematics.wheels import WheelLayout

Ticks = tuple[int, ...]

FILTER = 0.010
"""Time constant of filtered speeds unless asked otherwise [s]; MADAR's paper, appendix N."""
TOO_FAST = 1.5
"""A wheel that seems this many times faster than it can be has not turned: its counter jumped."""
SLACK = 8
"""A change of so many ticks is never a jump: readings shake."""


def tick_change(now: Ticks, before: Ticks, modulo: int) -> Array:
    """Return how many ticks wheels have gone on, over the wrap of their counters.

    Of the two ways round the shorter one is taken, so a counter must be read before it has gone
    half its range.
    """
    return np.array(_tick_changes(now, before, modulo))


def _tick_changes(now: Ticks, before: Ticks, modulo: int) -> list[int]:
    """Return the same as plain numbers, which are faster for a few wheels."""
    half = modulo // 2
    return [(new - old + half) % modulo - half for new, old in zip(now, before, strict=True)]


@dataclass(frozen=True)
class Jump:
    """A reading of the counters that no wheel can have made."""

    stamp: float
    """Of the reading [s]."""
    wheels: tuple[str, ...]
    """Which of them."""
    change: tuple[float, ...]
    """By how much they changed since the last good reading [rad]; NaN if that was no number."""

    def __str__(self) -> str:
        each = (f"{w} by {c:.3f} rad" for w, c in zip(self.wheels, self.change, strict=True))
        return f"encoders jumped at {self.stamp:.3f} s: {', '.join(each)}; the reading is ignored"


@dataclass(frozen=True)
class _Suspect:
    """A reading that was ignored; if the next one fits to it, the counter stays where it is."""

    ticks: Ticks
    stamp: float


@dataclass(frozen=True, eq=False)
class Odometer:
    """Adds up small arcs. It holds the state after one reading; `after` returns the next one.

    The first reading says where counters stand, so absolute encoders may begin anywhere.

    With `fastest` a reading that no wheel can make is ignored: pose, ticks and stamp stay, and it
    is counted. If the next reading is as before the jump, nothing is lost. If it fits to the jump,
    the counter has been set anew: the wheel is taken to have gone on at its last rate meanwhile.
    """

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
    filter: float = FILTER
    """Time constant of `filtered` [s]; zero is no filter."""
    filtered: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """`twist` behind a first-order filter."""
    drift: Drift | None = None
    """What makes `covariance` grow; None leaves it as it is."""
    covariance: Array = field(default_factory=lambda: np.zeros((3, 3)))
    """Of x, y [m2] and yaw [rad2] in the frame of the pose. Shape (3, 3)."""
    fastest: float | None = None
    """No wheel turns faster [rad/s]; None trusts every reading."""
    jumps: int = 0
    """So many readings were ignored."""
    jump: Jump | None = None
    """The last one of them."""
    suspect: _Suspect | None = None

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
        if not passed > 0.0:
            return self
        if ticks == self.ticks and heading == self.heading:
            return self._stood(stamp)
        if not all(map(isfinite, ticks)) or not (heading is None or isfinite(heading)):
            return self._ignoring(ticks, stamp, [not isfinite(t) for t in ticks])
        change = _tick_changes(ticks, self.ticks, self.modulo)
        if self.fastest is not None and any(jumped := self._jumped(change, passed)):
            bridged = self._bridged(ticks, stamp, change, jumped)
            if bridged is None:
                return self._ignoring(ticks, stamp, jumped)
            change = bridged
        return self._moved(change, tuple(ticks), stamp, heading)

    def _stood(self, stamp: float) -> "Odometer":
        """Return the odometer after no wheel has turned: what `_moved` gives for no motion."""
        filtered = self.filtered
        if any(filtered):
            keep, (vx, vy, wz) = self._keep(stamp - self.stamp), filtered
            filtered = (keep * vx, keep * vy, keep * wz)
        return self._but(
            stamp=stamp,
            twist=(0.0, 0.0, 0.0),
            rates=(0.0,) * len(self.ticks),
            filtered=filtered,
            suspect=None,
        )

    def _moved(
        self, change: list[int], ticks: Ticks, stamp: float, heading: float | None
    ) -> "Odometer":
        """Return the odometer after its wheels have turned by so many ticks.

        This runs in every tick of a robot: plain numbers are faster than arrays of three.
        """
        passed, turned = stamp - self.stamp, [ticks * self.per_tick for ticks in change]
        x, y, turn = self.layout.twist(turned).tolist()
        if heading is not None and self.heading is not None:
            turn = wrap_angle(heading - self.heading)
        keep = self._keep(passed)
        vx, vy, wz = x / passed, y / passed, turn / passed
        old_vx, old_vy, old_wz = self.filtered
        before, way, covariance = self.pose, _way(x, y, turn), self.covariance
        c, s = cos(before.yaw), sin(before.yaw)
        if self.drift is not None:
            covariance = grown_along(covariance, before.yaw, (x, y, turn), way, self.drift)
        return self._but(
            ticks=ticks,
            stamp=stamp,
            heading=heading,
            pose=Pose2(
                before.x + c * way[0] - s * way[1],
                before.y + s * way[0] + c * way[1],
                before.yaw + wrap_angle(turn),
            ),
            twist=(vx, vy, wz),
            turned=tuple([total + ticks for total, ticks in zip(self.turned, change, strict=True)]),
            rates=tuple([angle / passed for angle in turned]),
            filtered=(
                vx + keep * (old_vx - vx),
                vy + keep * (old_vy - vy),
                wz + keep * (old_wz - wz),
            ),
            covariance=covariance,
            suspect=None,
        )

    def _keep(self, passed: float) -> float:
        """Return the part of filtered speeds that is left after a time [s]."""
        return exp(-passed / self.filter) if self.filter > 0.0 else 0.0

    def _but(self, **changes: Any) -> "Odometer":
        """Return it with some fields changed; `replace` would look at all of them again."""
        after = object.__new__(Odometer)
        fields = after.__dict__
        fields.update(self.__dict__)
        fields.update(changes)
        return after

    def _jumped(self, change: list[int], passed: float) -> list[bool]:
        """Tell which counters changed more than their wheels can turn in a time [s]."""
        assert self.fastest is not None
        most = TOO_FAST * self.fastest * passed / self.per_tick + SLACK
        return [abs(ticks) > most for ticks in change]

    def _bridged(
        self, ticks: Ticks, stamp: float, change: list[int], jumped: list[bool]
    ) -> list[int] | None:
        """Return how far wheels turned if their counters were set anew before; None if not.

        What a wheel did from the last good reading to the one that was ignored nobody has
        measured: it went on at its last rate.
        """
        if self.suspect is None or not all(map(isfinite, self.suspect.ticks)):
            return None
        since = _tick_changes(ticks, self.suspect.ticks, self.modulo)
        again = self._jumped(since, stamp - self.suspect.stamp)
        if any(map(and_, again, jumped)):
            return None
        unseen = self.suspect.stamp - self.stamp
        return [
            round(rate * unseen / self.per_tick) + late if jump else ticks
            for rate, late, jump, ticks in zip(self.rates, since, jumped, change, strict=True)
        ]

    def _ignoring(self, ticks: Ticks, stamp: float, jumped: list[bool]) -> "Odometer":
        """Return the odometer without a reading that cannot be; it is remembered."""
        change = _tick_changes(ticks, self.ticks, self.modulo)
        return replace(
            self,
            jumps=self.jumps + 1,
            jump=Jump(
                stamp,
                tuple(compress(self.layout.names, jumped)),
                tuple(self.per_tick * ticks for ticks in compress(change, jumped)),
            ),
            suspect=_Suspect(tuple(ticks), stamp),
        )

    def reset(self, pose: Pose2 | None = None) -> "Odometer":
        """Return an odometer that goes on from another pose, by default the origin, and is sure."""
        return replace(self, pose=pose or Pose2(), covariance=np.zeros((3, 3)))


def _way(x: float, y: float, turn: float) -> tuple[float, float]:
    """Return how far an arc leads forward and to the left [m]: that of `Pose2.exp`."""
    along, across = sinc(turn), sin(0.5 * turn) * sinc(0.5 * turn)
    return along * x - across * y, across * x + along * y
