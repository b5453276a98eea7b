"""Parameters of the navigator, under the names of move_base and Nav2."""

from dataclasses import dataclass, fields
from math import inf

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class NavigatorParameters:
    """Patience, tolerances and recoveries. Defaults are those of move_base unless stated."""

    controller_frequency: float = 20.0
    """Control cycles per second [Hz]."""
    planner_frequency: float = 1.0
    """Replanning while driving [Hz]; 0 replans only where the path is blocked. move_base has 0,
    Nav2's behaviour tree 1."""
    planner_patience: float = 5.0
    """So long the planner may fail before a recovery [s]."""
    controller_patience: float = 15.0
    """So long the controller may find no motion before a recovery [s]."""
    conservative_reset_dist: float = 3.0
    """The first reset keeps obstacles within a square of this side around the base [m]."""
    aggressive_reset_radii: float = 4.0
    """The second reset keeps them within a square of so many circumscribed radii."""
    recovery_behavior_enabled: bool = True
    """Off, a goal is aborted as soon as patience ends."""
    clearing_rotation_allowed: bool = True
    """Off, recoveries do not turn the base."""
    rotate_max_vel_theta: float = 1.0
    """Of recoveries that turn [rad/s]; the base's own limit holds too."""
    xy_goal_tolerance: float = 0.10
    """[m]."""
    yaw_goal_tolerance: float = 0.10
    """[rad]."""
    required_movement_radius: float = 0.5
    """Nav2's progress checker: at least this far [m]"""
    movement_time_allowance: float = 15.0
    """in this time [s]; else the controller counts as failed. Nav2 has 10."""
    oscillation_distance: float = 0.5
    """A base that reverses its direction again and again must get this far [m]"""
    oscillation_timeout: float = 10.0
    """in this time [s]; 0 switches the check off. move_base has 0."""
    sensor_timeout: float = 0.5
    """The base stops if the scanner is silent for longer [s]."""
    sensor_patience: float = 10.0
    """And gives up after this time [s] (ours)."""
    max_position_error: float = 0.35
    """Localization counts as lost if its stated error is larger, one sigma [m] (ours)."""
    lost_patience: float = 30.0
    """So long a lost base may search for its place before it gives up [s] (ours)."""
    moving_obstacle_speed: float = 1.2
    """How fast a moving obstacle may approach [m/s] (ours)."""
    moving_obstacle_margin: float = 0.15
    """A base that an obstacle comes nearer to than this must stand [m] (ours)."""

    def __post_init__(self) -> None:
        """Refuse what is no number, negative, or no yes or no."""
        for each in fields(self):
            value, name = getattr(self, each.name), f"NavigatorParameters.{each.name}"
            if each.type in (bool, "bool"):
                if not isinstance(value, bool):
                    raise InvalidInput(f"{name} is {value!r}, allowed: True, False")
                continue
            lower = 1e-3 if each.name in POSITIVE else 0.0
            number = finite_number(value, name=name, lower=lower, upper=inf)
            object.__setattr__(self, each.name, number)

    @property
    def period(self) -> float:
        """Time from one control cycle to the next [s]."""
        return 1.0 / self.controller_frequency


POSITIVE = (
    "controller_frequency", "xy_goal_tolerance", "yaw_goal_tolerance", "rotate_max_vel_theta",
    "sensor_timeout", "max_position_error", "moving_obstacle_speed",
)  # fmt: skip
"""Parameters that may not be zero."""
