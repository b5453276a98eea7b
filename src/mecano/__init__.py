"""Mecano: five complete robots in simulation, programmed exactly like the real ones.

Importing the package loads nothing: `mecano.robots`, `mecano.kinematics` and the others are
loaded when they are first used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PACKAGES = ("core", "kinematics", "robots", "world", "planning", "lab", "tasks")
_LAB = ("connect", "connect_all", "Place", "Robot")


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"mecano.{name}")
    if name in _LAB:
        return getattr(import_module("mecano.lab.robot"), name)
    raise AttributeError(f"module 'mecano' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PACKAGES, *_LAB])
