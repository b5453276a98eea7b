"""The robots, one folder each, found by name. A description is loaded when it is asked for."""

from importlib import import_module

from mecano.core.errors import UnknownName
from mecano.robots.description import Erratum as Erratum
from mecano.robots.description import RobotDescription as RobotDescription

ROBOTS = (
    "open_manipulator_x", "crumb", "crumb_mast", "youbot", "youbot_rollers", "romerin",
    "madar", "madar_elements", "madar_kinematic", "madar_base",
)  # fmt: skip
"""Complete robots."""
PARTS = ("two_link", "widowx", "kobuki", "ur5", "allegro")
"""Parts that robots share, and chains for teaching."""


def get(name: str) -> RobotDescription:
    """Return the description of a robot or part, or say which ones there are."""
    if name not in ROBOTS + PARTS:
        raise UnknownName("robot", name, ROBOTS + PARTS)
    return import_module(f"mecano.robots.{name}.description").DESCRIPTION
