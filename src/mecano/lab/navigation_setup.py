"""What a navigator is made of for a robot: footprint, limits, scanner, planner, controller."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import OccupancyGrid
from mecano.core.notices import say
from mecano.lab.arm_outline import footprint_of
from mecano.lab.robot import Robot
from mecano.lab.scanners import Scanner, scanner_of
from mecano.planning.navigation.contract import GlobalPlanner, LocalPlanner, VelocityLimits
from mecano.planning.navigation.footprint import Footprint
from mecano.skills.navigation.costmaps import NavigationCostmaps
from mecano.skills.navigation.following import PlanFollower
from mecano.skills.navigation.law_following import LawFollower
from mecano.skills.navigation.navigator import Navigator
from mecano.skills.navigation.ros_parameters import RosParameters

SPEED_SHARE = 0.9
"""The rest of what the base can is left to keep to the path."""
FASTEST = 0.5
"""No faster than this among people [m/s] (EST)."""
BLIND_SPEED = 0.35
"""And of a robot that does not see all around [m/s] (EST)."""
CONTROLLER = "follow"
"""The local planner, if none is named."""
WITHIN = 0.6
"""The controller stops within this share of the navigator's tolerances."""
PADDING = 0.02
"""Added to the footprint on all sides [m]."""
WALL_TOLERANCE = 0.05
"""Readings this near to a wall of the map belong to it [m] (EST: error of LIDAR and pose)."""


def velocity_limits_of(robot: Robot, *, around: bool) -> VelocityLimits:
    """Return how a base is driven by the navigator.

    Args:
        robot: With wheels.
        around: Whether its scanner sees all directions: else it does not reverse.
    """
    facts, limits = robot.base.facts, robot.base.facts.limits
    strafes = "strafe" not in facts.layout.missing
    fastest = min(FASTEST if around else BLIND_SPEED, SPEED_SHARE * limits.speed)
    sideways = _sideways(robot) if strafes else 0.0
    return VelocityLimits(
        max_vel_x=fastest,
        min_vel_x=-fastest if around or strafes else 0.0,
        max_vel_y=min(fastest, SPEED_SHARE * sideways),
        max_vel_theta=min(1.0, SPEED_SHARE * limits.turn),
        acc_lim_x=limits.acceleration,
        acc_lim_y=limits.acceleration if strafes else 0.0,
        acc_lim_theta=limits.turn_acceleration,
        decel_lim_x=limits.braking,
    )


def _sideways(robot: Robot) -> float:
    """Return how fast the wheels allow a base to go to the left [m/s]."""
    per_metre = float(np.abs(robot.base.facts.layout.rates([0.0, 1.0, 0.0])).max())
    return min(robot.base.facts.limits.speed, robot.base.fastest_wheel / per_metre)


def scanner_if_any(robot: Robot) -> Scanner | None:
    """Return what a robot scans with; None if it has neither LIDAR nor depth camera.

    Raises:
        InvalidInput: It has no wheels.
    """
    if "base" not in robot.parts:
        raise InvalidInput(f"{robot.name} has no wheels, so it cannot navigate")
    return scanner_of(robot) if robot.lidars or robot.cameras else None


def make_navigator(
    robot: Robot,
    grid: OccupancyGrid | None,
    scanner: Scanner | None,
    *,
    planner: str | GlobalPlanner,
    controller: str | LocalPlanner,
    parameters: RosParameters,
) -> Navigator:
    """Return a navigator for a robot, see `LiveNavigation`."""
    footprint = given_footprint(parameters) or footprint_of(robot)
    limits = velocity_limits_of(robot, around=scanner is None or scanner.around)
    limits = _narrowed(limits, parameters.limits, strafes=limits.holonomic)
    costmaps = _costmaps(footprint, parameters, grid, 0.0 if scanner is None else scanner.height)
    own = parameters.navigator
    if not controller and robot.base.controller is not None:
        near, turned = WITHIN * own.xy_goal_tolerance, WITHIN * own.yaw_goal_tolerance
        controller = LawFollower(limits, robot.base.controller, near, turned)
    return Navigator(
        costmaps, _planner(planner, parameters, limits),
        _controller(controller, limits, parameters), limits, own, scans=scanner is not None,
    )  # fmt: skip


def _costmaps(
    footprint: Footprint, parameters: RosParameters, grid: OccupancyGrid | None, height: float
) -> NavigationCostmaps:
    from mecano.planning.navigation.costmap import CostmapSettings, Inflation
    from mecano.planning.navigation.layers import ObstacleSource

    given = dict(parameters.costmap)
    inflation = {
        "inflation_radius": footprint.circumscribed_radius + 0.3, "cost_scaling_factor": 6.0,
    }  # fmt: skip
    ranges = {"obstacle_max_range": 4.0, "raytrace_max_range": 4.5, "obstacle_min_range": 0.0}
    settings = CostmapSettings(
        footprint_padding=given.get("footprint_padding", PADDING),
        inflation=Inflation(**_over(inflation, given)),
        sources=(ObstacleSource(name="scan", **_over(ranges, given)),),
        lethal_threshold=given.get("lethal_threshold", 65),
        wall_tolerance=WALL_TOLERANCE,
    )
    return NavigationCostmaps(footprint, settings, static=grid, height=height)


def _over(ours: dict[str, float], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return our values, with those that are given in their place."""
    return {name: given.get(name, value) for name, value in ours.items()}


def given_footprint(parameters: RosParameters) -> Footprint | None:
    """Return the footprint that a file of parameters has, if it has one."""
    given = parameters.costmap
    if "footprint" in given:
        return Footprint(np.array(given["footprint"]))
    return Footprint.circle(given["robot_radius"]) if "robot_radius" in given else None


def _narrowed(
    limits: VelocityLimits, given: Mapping[str, float], *, strafes: bool
) -> VelocityLimits:
    """Return limits as a file has them; what the base cannot do stays as it is, and is said."""
    chosen, beyond = {}, []
    for name, value in given.items():
        ours = getattr(limits, name)
        if name == "max_vel_y" and not strafes:
            continue
        less = max(value, ours) if name == "min_vel_x" else min(value, ours)
        if less != value:
            beyond.append(f"{name} {value:g} becomes {less:g}")
        chosen[name] = less
    if beyond:
        say(f"the base cannot do all that the parameters ask for: {', '.join(beyond)}")
    return replace(limits, **chosen)


def _planner(
    wanted: str | GlobalPlanner, parameters: RosParameters, limits: VelocityLimits
) -> GlobalPlanner:
    """Return a global planner by name, or the one that is given."""
    from mecano.planning.navigation.lattice import LatticeSettings
    from mecano.planning.navigation.planner import GridPlanner, PlannerSettings

    if not isinstance(wanted, str):
        return wanted
    if wanted not in ("", "grid"):
        raise UnknownName("planner", wanted, ["grid"])
    moves = LatticeSettings(holonomic=limits.holonomic, reverse=limits.min_vel_x < 0.0)
    unknown = bool(parameters.allow_unknown)
    return GridPlanner(PlannerSettings(allow_unknown=unknown, lattice=moves))


def _controller(
    wanted: str | LocalPlanner, limits: VelocityLimits, parameters: RosParameters
) -> LocalPlanner:
    """Return a local planner by name, or the one that is given."""
    from mecano.planning.navigation.local_planners import LOCAL_PLANNERS, local_planner

    if not isinstance(wanted, str):
        return wanted
    own = parameters.navigator
    near, turned = WITHIN * own.xy_goal_tolerance, WITHIN * own.yaw_goal_tolerance
    name = wanted or parameters.controller or CONTROLLER
    if name == "follow":
        return PlanFollower(limits, xy_goal_tolerance=near, yaw_goal_tolerance=turned)
    if name not in LOCAL_PLANNERS:
        raise UnknownName("controller", name, ["follow", *LOCAL_PLANNERS])
    chosen: dict[str, Any] = {"xy_goal_tolerance": near, "yaw_goal_tolerance": turned}
    if limits.holonomic and name == "dwa":
        chosen["forward_point_distance"] = 0.0  # it need not face its path
    if name == parameters.controller:
        chosen |= parameters.controller_parameters
    return local_planner(name, limits, chosen)
