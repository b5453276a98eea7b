"""The safety zone of a base: it drives no faster than it can stop before what it sees.

A commanded twist is rolled out from the present speed: the base takes it up for the reaction time
and then brakes as hard as its driver allows. The largest share of the twist with which no obstacle
comes nearer to the outline than its margin is let through. So the zone grows with the speed, bends
with the turn, slows the base down before it stops it, and leaves every motion free that does not
come nearer: along a wall, and away from it.
"""

from dataclasses import dataclass
from math import hypot

import numpy as np

from mecano.core.arrays import Array
from mecano.core.compiled import first_call_notice

Twist = tuple[float, float, float]
"""vx, vy [m/s], wz [rad/s], in the frame of the base."""
REACTION = 0.10
"""From a command to the wheels that follow it, at most [s] (EST)."""
TRUSTED = 0.9
"""Share of the stated braking that is counted on: wheels lag and slip a little."""
STEP = 0.02
"""Of the rollout [s]: 16 mm at 0.8 m/s."""
HALVINGS = 7
"""The share is found to 1 / 128."""

SLOWEST, SLOWEST_TURN = 0.01, 0.05
"""A zone that leaves less than this of a command leaves nothing [m/s], [rad/s]."""


@dataclass(frozen=True, kw_only=True)
class BrakingLimits:
    """How fast the driver of a base changes its speed."""

    acceleration: float
    """[m/s2]."""
    braking: float
    """[m/s2]."""
    turn_acceleration: float
    """[rad/s2]."""
    turn_braking: float
    """[rad/s2]."""

    def stopping_distance(self, speed: Twist) -> float:
        """Return how far the middle of the base gets, at most, after the command to stop [m]."""
        fast = hypot(speed[0], speed[1])
        return fast * REACTION + fast**2 / (2.0 * TRUSTED * self.braking)


@dataclass(frozen=True)
class Allowance:
    """What a zone lets through of a twist."""

    share: float
    """From 0, stand, to 1, all of it."""
    obstacle: int = -1
    """Which of the points is in the way; -1 if none."""


def allowance(
    corners: Array,
    points: Array,
    margins: Array,
    speed: Twist,
    command: Twist,
    limits: BrakingLimits,
) -> Allowance:
    """Return how much of a commanded twist a base may take up.

    If something is nearer than its margin already, nothing must come nearer than that.

    Args:
        corners: Convex outline of the base in its own frame, counter-clockwise [m]. Shape (k, 2).
        points: Of obstacles, in the same frame [m]. Shape (n, 2).
        margins: How near each may come [m]. Shape (n,).
        speed: Of the base, as it is commanded now.
        command: What it shall take up.
        limits: Of its driver.
    """
    reach = float(np.hypot(corners[:, 0], corners[:, 1]).max())
    fastest = (max(hypot(*speed[:2]), hypot(*command[:2])), 0.0, 0.0)
    far = reach + limits.stopping_distance(fastest) + STEP * fastest[0]
    near = np.hypot(points[:, 0], points[:, 1]) <= far + margins
    if not near.any():
        return Allowance(1.0)
    from mecano.control.safety_kernel import allowed_share, clearance

    some = np.ascontiguousarray(points[near])
    with first_call_notice(clearance):
        now = np.array([clearance(corners, x, y) for x, y in some])
    allowed = np.minimum(np.minimum(margins[near], now), max(float(now.min()), 0.0))
    changes = (
        limits.acceleration, TRUSTED * limits.braking, limits.turn_acceleration,
        TRUSTED * limits.turn_braking,
    )  # fmt: skip
    with first_call_notice(allowed_share):
        share, point = allowed_share(
            corners, reach, some, allowed, speed, command, changes, REACTION, STEP, HALVINGS,
        )  # fmt: skip
    if point < 0:
        return Allowance(1.0)
    creeps = share * hypot(*command[:2]) < SLOWEST and share * abs(command[2]) < SLOWEST_TURN
    return Allowance(0.0 if creeps else share, int(np.flatnonzero(near)[point]))
