"""What `start_navigation` is given: values of the right kind, or an error that says which are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.skills.navigation.parameters import NavigatorParameters
from mecano.skills.navigation.ros_parameters import RosParameters


def checked_map(grid: Any) -> OccupancyGrid | None:
    """Return a map, loaded if a file is named; None stays none."""
    from mecano.estimation.maps.files import load_map

    if grid is None or isinstance(grid, OccupancyGrid):
        return grid
    if isinstance(grid, str | Path):
        return load_map(grid)
    raise InvalidInput(f"the map is {grid!r}, expected an OccupancyGrid, a map's YAML file or None")


def checked_start(start: Any) -> Pose2 | None:
    """Return a start pose, or say what one is."""
    if start is None or isinstance(start, Pose2):
        return start
    raise InvalidInput(f"start is {start!r}, expected a mecano.Pose2, or None")


def checked_stations(stations: Any) -> dict[str, Pose2]:
    """Return poses by name, or say what stations are."""
    if stations is None:
        return {}
    if not isinstance(stations, Mapping):
        raise InvalidInput(f"stations are {stations!r}, {STATIONS}")
    for name, pose in stations.items():
        if not isinstance(name, str) or not isinstance(pose, Pose2):
            raise InvalidInput(f"stations hold {name!r}: {pose!r}, {STATIONS}")
    return dict(stations)


STATIONS = 'expected poses by name such as {"bench": mecano.Pose2(3.0, 1.0, 0.0)}'


def checked_stage(stage: Any, role: str, *methods: str) -> Any:
    """Return the name of a planner or controller, or an object that has its methods."""
    if stage is None or isinstance(stage, type):
        missing = list(methods)
    else:
        missing = [name for name in methods if not callable(getattr(stage, name, None))]
    if isinstance(stage, str) or not missing:
        return stage
    needed = ", ".join(f"{name}()" for name in missing)
    raise InvalidInput(
        f"the {role} is {stage!r}, which lacks {needed}; expected a name, or an object with "
        f"{' and '.join(f'{name}()' for name in methods)}"
    )


def checked_parameters(parameters: Any) -> RosParameters:
    """Return the parameters of a navigation, of a file if one is named, or say what they are."""
    if parameters is None:
        return RosParameters()
    if isinstance(parameters, NavigatorParameters):
        return RosParameters(navigator=parameters)
    if isinstance(parameters, RosParameters):
        return parameters
    if isinstance(parameters, str | Path):
        from mecano.lab.navigation_files import load_navigation_parameters

        return load_navigation_parameters(parameters)
    raise InvalidInput(
        f"parameters are {parameters!r}, expected NavigatorParameters(...), the YAML file of "
        "move_base or Nav2, or None for ours"
    )
