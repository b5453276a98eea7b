"""How wheels err: noise and drift of every drive, and five kinds of faults.

All work on steps, the motion from one reading to the next seen from the first: x, y [m], yaw [rad].
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses.planar_arrays import relative_all
from mecano.core.poses.rotations import wrap_angle

Fault = Literal["none", "unsigned", "blocked", "frozen", "jumps", "turn"]
FAULTS: tuple[Fault, ...] = ("unsigned", "blocked", "frozen", "jumps", "turn")


def steps_of(poses: Array) -> Array:
    """Return the motions between poses. Shape (n - 1, 3)."""
    return relative_all(poses[:-1], poses[1:])


def strung(start: Array, steps: Array) -> Array:
    """Return the poses that steps lead to, with the start. Shape (n + 1, 3)."""
    yaw = start[2] + np.concatenate([[0.0], np.cumsum(steps[:, 2])])
    c, s = np.cos(yaw[:-1]), np.sin(yaw[:-1])
    x = start[0] + np.concatenate([[0.0], np.cumsum(c * steps[:, 0] - s * steps[:, 1])])
    y = start[1] + np.concatenate([[0.0], np.cumsum(s * steps[:, 0] + c * steps[:, 1])])
    return np.column_stack([x, y, wrap_angle(yaw)])


@dataclass(frozen=True, kw_only=True)
class WheelNoise:
    """How the odometry of one base errs without any fault."""

    scale: float
    """Share by which distances are wrong."""
    drift: float
    """Turn that a straight seems to make [rad/m]."""
    along: float = 0.02
    """Standard deviation of the distance after one metre [m]."""
    turn_by_distance: float = 0.015
    """Standard deviation of the turn after one metre [rad]."""
    turn_by_turn: float = 0.03
    """Standard deviation of the turn after one radian [rad]."""

    @classmethod
    def random(cls, rng: np.random.Generator) -> "WheelNoise":
        """Return the noise of some base (EST: of public logs, without their faults)."""
        return cls(scale=0.015 * rng.normal(), drift=0.01 * rng.normal())

    def apply(self, steps: Array, rng: np.random.Generator) -> Array:
        """Return what wheels make of true steps; a base that stands still errs nowhere."""
        way, turn = np.hypot(steps[:, 0], steps[:, 1]), np.abs(steps[:, 2])
        noise = rng.normal(size=(3, len(steps)))
        forward = steps[:, 0] * (1.0 + self.scale) + self.along * np.sqrt(way) * noise[0]
        skid = self.turn_by_distance * np.sqrt(way) * noise[1]
        skid += self.turn_by_turn * np.sqrt(turn) * noise[2]
        yaw = steps[:, 2] + self.drift * way + skid
        return np.column_stack([forward, steps[:, 1], yaw])


def unsigned(steps: Array) -> Array:
    """Count reversing as driving forward."""
    return np.column_stack([np.abs(steps[:, 0]), steps[:, 1:]])


def scaled_turn(steps: Array, factor: float = 1.1) -> Array:
    """Count turns too large."""
    return steps * (1.0, 1.0, factor)


def drifting(steps: Array, rate: float = np.deg2rad(5.0)) -> Array:
    """Turn slowly on every straight [rad/m]."""
    way = np.hypot(steps[:, 0], steps[:, 1])
    return np.column_stack([steps[:, :2], steps[:, 2] + rate * way])


def stretches(
    steps: Array, length: float, count: int, rng: np.random.Generator, allowed: Array
) -> list[slice]:
    """Return stretches of a drive that do not touch each other.

    Args:
        steps: Of the base.
        length: Way of a stretch [m].
        count: Stretches wanted; there may be fewer.
        rng: Source of randomness.
        allowed: Steps that a stretch may consist of. Shape (n,), booleans.
    """
    ways = np.concatenate([[0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))])
    found: list[slice] = []
    for _ in range(60 * count):
        begin = rng.uniform(0.1, 0.9) * ways[-1]
        first, last = np.searchsorted(ways, (begin, begin + length)).tolist()
        apart = all(last < each.start - 5 or first > each.stop + 5 for each in found)
        if last < len(steps) and apart and allowed[first:last].all():
            found.append(slice(first, last))
        if len(found) == count:
            break
    return found
