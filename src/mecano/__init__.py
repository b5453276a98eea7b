"""Mecano: five complete robots in simulation, programmed exactly like the real ones.

Importing the package loads nothing: `mecano.robots`, `mecano.kinematics` and the others are
loaded when they are first used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PACKAGES = (
    "core", "kinematics", "robots", "world", "sensors", "estimation", "perception", "planning",
    "control", "topics", "lab", "tasks", "record", "bridge", "viewer",
)  # fmt: skip
_NAMES = {
    "connect": "lab.robot",
    "connect_all": "lab.robot",
    "Place": "lab.robot",
    "Robot": "lab.robot",
    "Script": "lab.scripts",
    "attach": "lab.scripts",
    "load_scripts": "lab.script_files",
    "scripts_of": "lab.scripts",
    "TopicHub": "bridge.hub",
    "Recorder": "record.recorder",
    "Recording": "record.recording",
    "Viewer": "viewer.viewer",
}
"""What a user's program needs, and where it is."""


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"mecano.{name}")
    if name in _NAMES:
        return getattr(import_module(f"mecano.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'mecano' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PACKAGES, *_NAMES])
