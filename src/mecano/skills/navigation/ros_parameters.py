"""Parameters of move_base and Nav2, by their own names: which of them mean something here.

A file is a tree; only the last part of a name and the part of the tree it stands in matter, so
files of move_base (`DWAPlannerROS: {max_vel_x: 0.3}`) and of Nav2 (`controller_server:
ros__parameters: FollowPath: {max_vel_x: 0.3}`) are read by the same tables. Sources: the parameter
pages of move_base, dwa_local_planner, base_local_planner, costmap_2d, navfn (wiki.ros.org), and
Nav2's configuration guide.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, MecanoError
from mecano.planning.navigation.dwa import DWAParameters
from mecano.planning.navigation.mppi import MPPIParameters
from mecano.skills.navigation.parameters import NavigatorParameters

CONTROLLERS = {
    "DWAPlannerROS": "dwa", "DWBLocalPlanner": "dwa", "MPPIController": "mppi",
    "RegulatedPurePursuitController": "pursuit", "PurePursuit": "pursuit",
}  # fmt: skip
"""Our local planner for theirs, by the class of the plug-in; others become `follow`."""
PLANNERS = ("NavfnROS", "GlobalPlanner", "NavfnPlanner", "SmacPlanner2D", "CarrotPlanner")
"""Theirs that our grid planner stands for."""
NAVIGATOR = {each.name: each.name for each in fields(NavigatorParameters)}
LIMITS = {
    "max_vel_x": "max_vel_x", "min_vel_x": "min_vel_x", "max_vel_y": "max_vel_y",
    "max_vel_theta": "max_vel_theta", "max_rot_vel": "max_vel_theta", "acc_lim_x": "acc_lim_x",
    "acc_lim_y": "acc_lim_y", "acc_lim_theta": "acc_lim_theta", "acc_lim_th": "acc_lim_theta",
    "decel_lim_x": "decel_lim_x", "vx_max": "max_vel_x", "vx_min": "min_vel_x",
    "vy_max": "max_vel_y", "wz_max": "max_vel_theta", "desired_linear_vel": "max_vel_x",
}  # fmt: skip
COSTMAP = {
    "inflation_radius": "inflation_radius", "cost_scaling_factor": "cost_scaling_factor",
    "footprint_padding": "footprint_padding", "robot_radius": "robot_radius",
    "footprint": "footprint", "obstacle_range": "obstacle_max_range",
    "obstacle_max_range": "obstacle_max_range", "raytrace_range": "raytrace_max_range",
    "raytrace_max_range": "raytrace_max_range", "obstacle_min_range": "obstacle_min_range",
    "lethal_cost_threshold": "lethal_threshold",
}  # fmt: skip
OWN = {
    "dwa": {each.name for each in fields(DWAParameters)},
    "mppi": {each.name for each in fields(MPPIParameters)} - {"seed"},
}
RENAMED = {"vtheta_samples": "vth_samples", "PathDist.scale": "path_distance_bias"}
SIGNED = ("min_vel_x",)
"""Limits that may be below 0; Nav2 writes decelerations so, too."""

Values = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class RosParameters:
    """What a file says, under our names."""

    navigator: NavigatorParameters = field(default_factory=NavigatorParameters)
    limits: Values = field(default_factory=dict)
    """Of `VelocityLimits`."""
    costmap: Values = field(default_factory=dict)
    """Of inflation, footprint and obstacle source."""
    allow_unknown: bool | None = None
    """Whether paths may lead through unknown cells; None if the file does not say."""
    controller: str = ""
    """Our local planner; empty if the file names none."""
    controller_parameters: Values = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    """Names in the file that mean nothing here, as they stand in its tree."""


def read_ros_parameters(tree: Any, source: str) -> RosParameters:
    """Return what a tree of parameters says.

    Args:
        tree: As YAML has it.
        source: Name of the file, for errors.

    Raises:
        InvalidInput: A value is of the wrong kind; it says which.
    """
    if not isinstance(tree, Mapping):
        raise InvalidInput(f"{source} holds no parameters; expected lines such as max_vel_x: 0.3")
    leaves = list(_leaves(tree, ()))
    # The costmap of the whole map counts more than the window around the base.
    leaves.sort(key=lambda leaf: "global_costmap" in leaf[0])
    controller = _controller(leaves)
    found: dict[str, dict[str, Any]] = {"navigator": {}, "limits": {}, "costmap": {}, "own": {}}
    unknown, allow_unknown = [], None
    for path, value in leaves:
        name = ".".join(path)
        group, key = _place(path, controller)
        try:
            if group == "allow_unknown":
                allow_unknown = _flag(value, name)
            elif group == "navigator":
                found[group][key] = _number_or_flag(value, name)
            elif group == "footprint":
                found["costmap"][key] = _corners(value, name)
            elif group in found:
                found[group][key] = _number(value, name, signed=key in SIGNED or "decel" in key)
            elif group != "named":
                unknown.append(name)
        except InvalidInput as error:
            raise InvalidInput(f"{source}: {error}") from None
    if "decel_lim_x" in found["limits"]:
        found["limits"]["decel_lim_x"] = abs(found["limits"]["decel_lim_x"])
    try:
        navigator = NavigatorParameters(**found["navigator"])
    except MecanoError as error:
        raise InvalidInput(f"{source}: {error}") from None
    return RosParameters(
        navigator=navigator, limits=found["limits"], costmap=found["costmap"],
        allow_unknown=allow_unknown, controller=controller, controller_parameters=found["own"],
        unused=tuple(unknown),
    )  # fmt: skip


def _leaves(
    tree: Mapping[Any, Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in tree.items():
        here = path if key == "ros__parameters" else (*path, str(key))
        if isinstance(value, Mapping):
            yield from _leaves(value, here)
        else:
            yield here, value


def _controller(leaves: list[tuple[tuple[str, ...], Any]]) -> str:
    """Return our local planner for the one that a file names; empty if it names none."""
    for path, value in leaves:
        if path[-1] == "base_local_planner" or (path[-1] == "plugin" and "FollowPath" in path):
            kind = str(value).replace("::", "/").rsplit("/", 1)[-1]
            return CONTROLLERS.get(kind, "follow")
    return "dwa" if any("DWAPlannerROS" in path for path, _ in leaves) else ""


def _place(path: tuple[str, ...], controller: str) -> tuple[str, str]:
    """Return to which of our groups a parameter belongs, and how it is called there."""
    name = RENAMED.get(path[-1], path[-1])
    in_costmap = any("costmap" in part or "inflation" in part for part in path[:-1])
    if name in ("base_local_planner", "base_global_planner", "plugin"):
        known = name == "base_local_planner" or "FollowPath" in path or "GridBased" in path
        return ("named" if known or name == "base_global_planner" else ""), name
    if name == "allow_unknown":
        return name, name
    if name == "footprint":
        return "footprint", name
    if name in COSTMAP and (in_costmap or name not in OWN.get(controller, ())):
        return "costmap", COSTMAP[name]
    if name in OWN.get(controller, ()) and name not in NAVIGATOR:
        return "own", name
    if name in NAVIGATOR:
        return "navigator", NAVIGATOR[name]
    if name in LIMITS:
        return "limits", LIMITS[name]
    return "", name


def _number(value: Any, name: str, *, signed: bool) -> float | int:
    number = finite_number(value, name=name, lower=-1e6 if signed else 0.0, upper=1e6)
    return value if isinstance(value, int) else number


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} is {value!r}, allowed: true, false")
    return value


def _number_or_flag(value: Any, name: str) -> float | bool:
    return value if isinstance(value, bool) else _number(value, name, signed=False)


def _corners(value: Any, name: str) -> list[tuple[float, float]]:
    """Return the corners of a footprint, given as a list or, as Nav2 does, as text."""
    from ast import literal_eval

    try:
        read = literal_eval(value) if isinstance(value, str) else value
        corners = [(float(x), float(y)) for x, y in read]
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise InvalidInput(
            f"{name} is {value!r}, expected corners such as [[0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2]]"
        ) from None
    for corner in corners:
        for number in corner:
            finite_number(number, name=f"a corner of {name} [m]", lower=-100.0, upper=100.0)
    return corners
