"""The recovery behaviours of move_base, in its order: reset, turn, reset more, turn, give up."""

from dataclasses import dataclass
from enum import StrEnum
from math import pi, sqrt

from mecano.core.poses import Pose2, wrap_angle
from mecano.planning.navigation.contract import Costmap, VelocityLimits
from mecano.planning.navigation.footprint_check import cell_of
from mecano.skills.navigation.inputs import Twist
from mecano.skills.navigation.parameters import NavigatorParameters

SLOWEST_TURN = 0.1
"""A turn does not become slower than this before its end [rad/s]."""


class RecoveryKind(StrEnum):
    """What a navigator tries when it cannot get on."""

    CONSERVATIVE_RESET = "conservative reset"
    CLEARING_ROTATION = "clearing rotation"
    AGGRESSIVE_RESET = "aggressive reset"


ORDER = (
    RecoveryKind.CONSERVATIVE_RESET, RecoveryKind.CLEARING_ROTATION,
    RecoveryKind.AGGRESSIVE_RESET, RecoveryKind.CLEARING_ROTATION,
)  # fmt: skip
"""As the paper's figure 2.4 and move_base have it; after the last one the goal is aborted."""


@dataclass(frozen=True)
class Tried:
    """A recovery that was run for a goal."""

    kind: RecoveryKind
    at: float
    """When it began [s]."""
    note: str
    """What came of it."""


def reset_side(kind: RecoveryKind, parameters: NavigatorParameters, circumscribed: float) -> float:
    """Return the side of the square in which a reset keeps obstacles [m]."""
    if kind is RecoveryKind.CONSERVATIVE_RESET:
        return parameters.conservative_reset_dist
    return parameters.aggressive_reset_radii * circumscribed


class Rotation:
    """A whole turn on the spot, so that scanners see all around."""

    def __init__(self, pose: Pose2, limits: VelocityLimits, fastest: float) -> None:
        """Begin where the base is; it turns no faster than `fastest` [rad/s]."""
        self._last, self.turned = pose.yaw, 0.0
        self._fastest = min(fastest, limits.max_vel_theta)
        self._braking = 0.7 * limits.acc_lim_theta

    def command(self, pose: Pose2) -> Twist | None:
        """Return the next twist; None when the turn is done."""
        self.turned += float(wrap_angle(pose.yaw - self._last))
        self._last = pose.yaw
        left = 2.0 * pi - self.turned
        if left <= 0.0:
            return None
        return 0.0, 0.0, max(SLOWEST_TURN, min(self._fastest, sqrt(2.0 * self._braking * left)))


def can_turn(costmap: Costmap, pose: Pose2) -> bool:
    """Tell whether the base can turn on the spot without touching anything."""
    footprint, cell = costmap.footprint, cell_of(costmap, pose.x, pose.y)
    if footprint.round:
        return True
    return cell is not None and float(costmap.distance[cell]) >= footprint.circumscribed_radius
