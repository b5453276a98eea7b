"""What a tracking law is, and that of a base which cannot strafe."""

from dataclasses import dataclass, fields
from math import copysign, cos, hypot, sin
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2, wrap_angle

MOVING = 1.0
"""From this natural frequency of the error across the path on, `turn_gain` has faded [rad/s]."""


class TrackingLaw(Protocol):
    """Turns the pose of a base and that of its target into speeds of the base."""

    def command(self, target: Pose2, target_twist: ArrayLike | None, actual: Pose2) -> Array:
        """Return the twist (vx, vy, wz) for the base, in its own frame [m/s, rad/s].

        Args:
            target: Where the base shall be, in the world.
            target_twist: How the target moves, (vx, vy, wz) in the world [m/s, rad/s]; None for a
                target at rest.
            actual: Where the base is.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class DifferentialTracker:
    """Keeps a base that cannot strafe to a target that moves along its own heading.

    The law of Kanayama (1990) in Samson's form (1993): the target's own motion is fed forward; an
    error along the heading is driven off, one across it is steered off while the base moves, in
    either direction. Linearised about the path, the error across it decays over `distance`,
    whatever the speed: up to `max_rate` the poles are scaled with it.
    """

    gain: float = 3.0
    """Of the error along the heading [1/s]."""
    turn_gain: float = 4.0
    """Of the heading at rest and in turns on the spot [1/s]; it fades as the base moves, where the
    error across the path asks for its own."""
    distance: float = 0.12
    """Over which an error across the path falls to 1 / e, about [m]."""
    damping: float = 0.9
    """Of the error across the path; 1 is critical."""
    max_rate: float = 3.0
    """Fastest natural frequency that wheels and odometry follow without swinging [rad/s]."""

    def __post_init__(self) -> None:
        """Refuse what is not positive."""
        for each in fields(self):
            value = getattr(self, each.name)
            if finite_number(value, name=f"{each.name} of the tracker") <= 0.0:
                raise InvalidInput(f"{each.name} of the tracker is {value:g}, allowed above 0")

    def command(self, target: Pose2, target_twist: ArrayLike | None, actual: Pose2) -> Array:
        """Return the twist (vx, 0, wz) for the base, see `TrackingLaw`."""
        speed, turn = 0.0, 0.0
        if target_twist is not None:
            vx, vy, turn = read_only(target_twist, name="twist of the target", shape=(3,)).tolist()
            along = vx * cos(target.yaw) + vy * sin(target.yaw)
            speed = copysign(hypot(vx, vy), along)
        c, s = cos(actual.yaw), sin(actual.yaw)
        dx, dy = target.x - actual.x, target.y - actual.y
        ahead, aside = c * dx + s * dy, c * dy - s * dx
        heading = wrap_angle(target.yaw - actual.yaw)
        rate = min(abs(speed) / self.distance, self.max_rate)
        stiffness = rate**2 / speed if speed else 0.0  # rate^2 = b speed^2, and b speed acts
        shape = sin(heading) / heading if abs(heading) > 1e-6 else 1.0
        resting = self.turn_gain * max(0.0, 1.0 - rate / MOVING)
        turn_gain = hypot(2.0 * self.damping * hypot(rate, turn), resting)
        return np.array([
            speed * cos(heading) + self.gain * ahead,
            0.0,
            turn + stiffness * shape * aside + turn_gain * heading,
        ])  # fmt: skip
