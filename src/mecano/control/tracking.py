"""How a base that can drive in any direction keeps up with a moving target."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2, wrap_angle


@dataclass(frozen=True, kw_only=True)
class Tracker:
    """Drives towards the target, in proportion to the error, on top of the target's own motion.

    Without that feed-forward the base follows behind by speed / gain, see `lag`. The command has
    no limit: slow it down as a whole by `WheelLayout.scaled`.
    """

    gain: float = 3.0
    """Of the position [1/s]; below 1 / period of the calls, or it overshoots."""
    turn_gain: float | None = None
    """Of the heading [1/s]; None takes `gain`."""
    feed_forward: bool = True
    """Whether the target's own motion is added."""
    half_turn: int = 1
    """Which way round when the target looks backwards: 1 counter-clockwise, -1 clockwise."""
    half_turn_band: float = 0.05
    """How near to a half turn that choice holds, so that noise does not change it [rad]."""

    def __post_init__(self) -> None:
        for name in ("gain", "turn_gain"):
            value = getattr(self, name)
            if (
                value is not None
                and finite_number(value, name=f"{name} of the tracker [1/s]") <= 0.0
            ):
                raise InvalidInput(f"{name} of the tracker is {value:g} 1/s, allowed above 0")
        if self.half_turn not in (1, -1):
            raise InvalidInput(
                f"half_turn is {self.half_turn!r}, allowed: 1 (counter-clockwise), -1 (clockwise)"
            )
        finite_number(self.half_turn_band, name="half_turn_band [rad]", lower=0.0, upper=math.pi)

    def command(
        self, target: Pose2, target_twist: ArrayLike | None, actual: Pose2, *, turn: bool = True
    ) -> Array:
        """Return the twist (vx, vy, wz) for the base, in its own frame [m/s, rad/s].

        Args:
            target: Where the base shall be, in the world.
            target_twist: How the target moves, (vx, vy, wz) in the world [m/s, rad/s], as
                `TimedPoint.twist` has it; None for a target at rest. Not used without feed-forward.
            actual: Where the base is.
            turn: Whether the heading is followed too; if not, wz is zero.
        """
        error = np.array([target.x - actual.x, target.y - actual.y, 0.0])
        command = self.gain * error
        command[2] = (self.turn_gain or self.gain) * self.heading_error(target.yaw, actual.yaw)
        if target_twist is not None:
            ahead = read_only(target_twist, name="twist of the target", shape=(3,))
            if self.feed_forward:
                command += ahead
        command[:2] = actual.rotation_matrix().T @ command[:2]
        if not turn:
            command[2] = 0.0
        return command

    def heading_error(self, target: float, actual: float) -> float:
        """Return the angle to turn by [rad]: the short way; near a half turn, as chosen."""
        error = wrap_angle(target - actual)
        if self.half_turn * error < self.half_turn_band - math.pi:
            error += self.half_turn * math.tau
        return error

    def lag(self, speed: float) -> float:
        """Return how far behind a target of constant velocity it stays, in theory [m].

        With a command every T seconds, the distance is this just before a step of the base and
        (1 - gain T) of it just after.
        """
        return 0.0 if self.feed_forward else speed / self.gain
