"""The recovery behaviours of move_base, in its order: reset, turn, reset more, turn, give up."""

from dataclasses import dataclass
from enum import StrEnum
from math import pi, sqrt

from mecano.core.poses import Pose2, wrap_angle
from mecano.planning.navigation.contract import Costmap, VelocityLimits
from mecano.planning.navigation.footprint_check import cell_of
from mecano.skills.navigation.inputs import STILL, Surroundings, Twist
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


class Recoveries:
    """The recovery behaviours of one goal: which were run, and which comes next."""

    def __init__(
        self, surroundings: Surroundings, limits: VelocityLimits, parameters: NavigatorParameters
    ) -> None:
        """Take what they clear and how the base turns."""
        self._surroundings, self._limits, self._own = surroundings, limits, parameters
        self.restart()

    def restart(self) -> None:
        """Begin a goal."""
        self.tried: list[Tried] = []
        """Those of this goal, oldest first."""
        self._from: Pose2 | None = None
        self._next = 0
        self._rotation: Rotation | None = None

    @property
    def turn_speed(self) -> float:
        """How fast the base turns on the spot [rad/s]."""
        return min(self._own.rotate_max_vel_theta, self._limits.max_vel_theta)

    def begin(self, now: float, pose: Pose2, cause: str) -> str:
        """Begin the next one; return what to report, empty if none is left."""
        number = self._next
        if not self._own.recovery_behavior_enabled or number >= len(ORDER):
            return ""
        self._rotation, self._next = None, number + 1
        if self._from is None:
            self._from = pose
        self.tried.append(Tried(ORDER[number], now, cause))
        return f"recovery {number + 1}, {ORDER[number]}: {cause}"

    def note_progress(self, pose: Pose2) -> None:
        """Begin the list anew once the base has left the place of the last one."""
        far = self._own.required_movement_radius
        if self._from is not None and self._from.distance_to(pose) > far:
            self._from, self._next = None, 0

    def step(self, pose: Pose2) -> tuple[Twist, str]:
        """Return the next twist of the one that was begun, and what came of it once it is done."""
        kind = self.tried[-1].kind
        if kind is RecoveryKind.CLEARING_ROTATION:
            return self._turn(pose)
        side = reset_side(kind, self._own, self._surroundings.footprint.circumscribed_radius)
        cells = self._surroundings.clear(pose, side)
        return STILL, f"{kind}: forgot {cells} cells outside of {side:.2f} m"

    def _turn(self, pose: Pose2) -> tuple[Twist, str]:
        kind, allowed = RecoveryKind.CLEARING_ROTATION, self._own.clearing_rotation_allowed
        if not allowed or not can_turn(self._surroundings.around(pose), pose):
            why = "there is no room to turn" if allowed else "turning is not allowed"
            return STILL, f"{kind} left out: {why}"
        if self._rotation is None:
            self._rotation = Rotation(pose, self._limits, self.turn_speed)
        twist = self._rotation.command(pose)
        return (STILL, f"{kind}: turned by 360 deg") if twist is None else (twist, "")


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
