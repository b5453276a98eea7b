"""Robots of others: a folder from a URDF, xacro or MJCF file, and what is wrong with the file."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mecano.importing.findings import Finding as Finding
from mecano.importing.findings import UnreadableRobot as UnreadableRobot

if TYPE_CHECKING:
    from mecano.importing.importer import Imported as Imported
    from mecano.importing.importer import import_robot as import_robot
    from mecano.importing.skid_track import turn_on_the_spot as turn_on_the_spot
    from mecano.importing.urdf import read_urdf as read_urdf

_LAZY = {
    "Imported": "importer",
    "import_robot": "importer",
    "read_urdf": "urdf",
    "turn_on_the_spot": "skid_track",
}
"""Loaded when they are first used: the process that expands xacro files needs none of them."""


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"mecano.importing.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'mecano.importing' has no attribute '{name}'")
