"""What the parts of navigation hand to each other: costmap, plan, command.

    layers -> Costmap -> GlobalPlanner -> Plan -> LocalPlanner -> Command

A global planner sees the whole map and is asked once per goal and again when the path is blocked; a
local planner sees the costmap around the base and is asked at every control cycle. Both are pure
functions of what they are given: the same call gives the same answer.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.poses import Pose2
from mecano.planning.navigation.footprint import Footprint

LETHAL, INSCRIBED, NO_INFORMATION = 254, 253, 255
"""Costs of cells, as costmap_2d and Nav2 have them: an obstacle; the centre of the base there
means contact; unknown. 0 is free; between, the nearer to an obstacle the higher."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Costmap:
    """Costs of the floor for the centre of a base. Cell (row, column) is `column` along x."""

    resolution: float
    """Side of a cell [m]."""
    origin: tuple[float, float]
    """Outer corner of cell (0, 0) [m]; rows go along y, columns along x."""
    cost: NDArray[np.uint8]
    """0 free to 252, `INSCRIBED`, `LETHAL`, `NO_INFORMATION`. Shape (height, width)."""
    distance: NDArray[np.float32]
    """From the centre of each cell to that of the nearest lethal one [m]; exact. Same shape."""
    footprint: Footprint
    """Of the base that it was made for, padding included."""
    frame: str = "map"
    stamp: float = 0.0
    """[s]."""


@dataclass(frozen=True, kw_only=True)
class VelocityLimits:
    """What a base may be commanded, in its own frame; names as DWA and Nav2 have them."""

    max_vel_x: float
    """[m/s]."""
    min_vel_x: float = 0.0
    """Below 0 it may reverse [m/s]."""
    max_vel_y: float = 0.0
    """To both sides; above 0 it can strafe [m/s]."""
    max_vel_theta: float = 1.0
    """To both sides [rad/s]."""
    acc_lim_x: float = 1.0
    """[m/s2]."""
    acc_lim_y: float = 0.0
    """[m/s2]."""
    acc_lim_theta: float = 2.0
    """[rad/s2]."""
    decel_lim_x: float | None = None
    """Braking, a positive number [m/s2]; None is `acc_lim_x`."""

    @property
    def holonomic(self) -> bool:
        """Whether the base can strafe."""
        return self.max_vel_y > 0.0


class PlanOutcome(StrEnum):
    """How a search ended."""

    FOUND = "found"
    START_BLOCKED = "start blocked"
    GOAL_BLOCKED = "goal blocked"
    GOAL_UNKNOWN = "goal in unknown space"
    OUTSIDE = "outside the map"
    NO_ROUTE = "no route"
    PLANNER_FAILED = "planner failed"
    """A user's own planner hung, raised or returned a path through a wall."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """A path through the map, or why there is none."""

    outcome: PlanOutcome
    poses: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """x, y [m] and yaw [rad] from start to goal; empty if none. Shape (n, 3)."""
    length: float = 0.0
    """[m]."""
    reason: str = ""
    """A sentence for people if there is no path: what is blocked, where, and by how much."""
    gap: tuple[float, float, float] | None = None
    """With no route: where it closes, x, y [m], and how wide the gap is there [m]."""
    nearest: Pose2 | None = None
    """The reachable pose nearest to the goal, if the goal itself is not."""

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return self.outcome is PlanOutcome.FOUND


class GlobalPlanner(Protocol):
    """Finds a path through a costmap."""

    def plan(self, costmap: Costmap, start: Pose2, goal: Pose2) -> Plan:
        """Return a path, or why there is none."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalView:
    """What a local planner is given at a control cycle."""

    pose: Pose2
    """Of the base, in the frame of the costmap."""
    speed: tuple[float, float, float]
    """Of the base now: vx, vy [m/s], wz [rad/s], in its own frame."""
    costmap: Costmap
    """Around the base."""
    path: Array
    """The global plan from the base on, same frame: x, y [m], yaw [rad]. Shape (n, 3)."""
    goal: Pose2
    """Where it ends; the heading counts."""
    period: float
    """Until the next call [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Command:
    """What a local planner answers."""

    twist: tuple[float, float, float]
    """vx, vy [m/s], wz [rad/s], in the frame of the base."""
    blocked: str = ""
    """Why no motion is possible, for people; then the twist is zero."""
    trajectory: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """What it expects to drive: x, y [m], yaw [rad]; for the view. Shape (n, 3)."""


class LocalPlanner(Protocol):
    """Chooses the next twist of a base along a path, around obstacles."""

    def command(self, view: LocalView) -> Command:
        """Return the twist for the next control cycle."""
        ...

    def reset(self) -> None:
        """Forget what belongs to the last goal."""
        ...
