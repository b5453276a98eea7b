"""Services of the robots: a request, an answer. Names and types in one table.

`/dynamic_map`, `/static_map` and `/global_localization` are those of gmapping, map_server and AMCL;
names that only a simulation has begin with `/simulation`, the others are ours.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from mecano.core.messages import OccupancyGrid
from mecano.robots.description import RobotDescription


class Answer(NamedTuple):
    """Whether something was done, and a sentence about it, as `std_srvs` has it."""

    success: bool
    message: str = ""


class ServiceType(NamedTuple):
    """What a kind of service is asked and answers; nothing is None."""

    request: type
    answer: type


EMPTY, TRIGGER, SET_BOOL, GET_MAP = (
    "std_srvs/srv/Empty", "std_srvs/srv/Trigger", "std_srvs/srv/SetBool", "nav_msgs/srv/GetMap",
)  # fmt: skip
TYPES: dict[str, ServiceType] = {
    EMPTY: ServiceType(type(None), type(None)),
    TRIGGER: ServiceType(type(None), Answer),
    SET_BOOL: ServiceType(bool, Answer),
    GET_MAP: ServiceType(type(None), OccupancyGrid),
}


@dataclass(frozen=True, kw_only=True)
class Service:
    """One service of a robot."""

    name: str
    type_name: str
    """Of ROS 2."""
    what: str
    """Which part of the robot it is about; see `mecano.bridge.services`."""
    of: str = ""
    """Name of the LIDAR, where there are several."""
    simulated: bool = False
    """Whether only a simulation has it."""


def services_of(robot: RobotDescription) -> tuple[Service, ...]:
    """Return the services of a robot, by what it has."""
    services = [Service(name="/stop", type_name=TRIGGER, what="stop")]
    if robot.base is not None:
        services += [
            Service(name="/dynamic_map", type_name=GET_MAP, what="map being built"),
            Service(name="/static_map", type_name=GET_MAP, what="map being used"),
            Service(name="/global_localization", type_name=EMPTY, what="start anywhere"),
        ]
        services += [
            Service(name=f"{lidar.topic}/enable", type_name=SET_BOOL, what="lidar", of=lidar.name)
            for lidar in robot.base.lidars
        ]
    return (
        *services,
        Service(name="/simulation/reset", type_name=EMPTY, what="reset", simulated=True),
    )


def fits(value: Any, kind: type) -> bool:
    """Tell whether a request or an answer is what its type says."""
    return value is None if kind is type(None) else isinstance(value, kind)
