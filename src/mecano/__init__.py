"""Mecano: complete robots in simulation, programmed exactly like the real ones.

Importing the package loads nothing: the names below, and packages such as `mecano.robots` and
`mecano.kinematics`, are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mecano.bridge.hub import TopicHub as TopicHub
    from mecano.control.tracking import Tracker as Tracker
    from mecano.core.errors import InvalidInput as InvalidInput
    from mecano.core.errors import MecanoError as MecanoError
    from mecano.core.errors import MotionFailed as MotionFailed
    from mecano.core.errors import UnknownName as UnknownName
    from mecano.core.grips import Magnet as Magnet
    from mecano.core.grips import Suction as Suction
    from mecano.core.messages import Twist as Twist
    from mecano.core.poses import Frame as Frame
    from mecano.core.poses import Pose as Pose
    from mecano.core.poses import Pose2 as Pose2
    from mecano.lab.docking import dock as dock
    from mecano.lab.robot import Place as Place
    from mecano.lab.robot import Robot as Robot
    from mecano.lab.robot import connect as connect
    from mecano.lab.robot import connect_all as connect_all
    from mecano.lab.settings import Settings as Settings
    from mecano.operate.script_files import load_scripts as load_scripts
    from mecano.operate.scripts import Script as Script
    from mecano.operate.scripts import attach as attach
    from mecano.operate.scripts import scripts_of as scripts_of
    from mecano.parts.part import MissingPart as MissingPart
    from mecano.planning.paths import PathCurve as PathCurve
    from mecano.record.recorder import Recorder as Recorder
    from mecano.record.recording import Recording as Recording
    from mecano.record.replaying import connect_replay as connect_replay
    from mecano.robots.description import RobotDescription as RobotDescription
    from mecano.runs.run import Run as Run
    from mecano.runs.run import run as run
    from mecano.runs.spec import RunSpec as RunSpec
    from mecano.runs.study import Study as Study
    from mecano.runs.sweep import sweep as sweep
    from mecano.topics.services import Answer as Answer
    from mecano.viewer.viewer import Viewer as Viewer

__version__ = "0.1.0"

_PACKAGES = (
    "core", "kinematics", "robots", "world", "sensors", "actuators", "hardware", "estimation",
    "perception", "planning", "control", "skills", "topics", "stages", "session", "parts", "lab",
    "operate", "checkup", "importing", "tasks", "record", "runs", "gym", "bridge",
    "viewer",
)  # fmt: skip
_NAMES = {
    "connect": "lab.robot",
    "connect_all": "lab.robot",
    "Place": "lab.robot",
    "Robot": "lab.robot",
    "Settings": "lab.settings",
    "RobotDescription": "robots.description",
    "Pose": "core.poses",
    "Pose2": "core.poses",
    "Twist": "core.messages",
    "MecanoError": "core.errors",
    "MissingPart": "parts.part",
    "UnknownName": "core.errors",
    "PathCurve": "planning.paths",
    "Script": "operate.scripts",
    "attach": "operate.scripts",
    "load_scripts": "operate.script_files",
    "scripts_of": "operate.scripts",
    "TopicHub": "bridge.hub",
    "Frame": "core.poses",
    "InvalidInput": "core.errors",
    "MotionFailed": "core.errors",
    "Tracker": "control.tracking",
    "dock": "lab.docking",
    "Magnet": "core.grips",
    "Suction": "core.grips",
    "Answer": "topics.services",
    "Run": "runs.run",
    "RunSpec": "runs.spec",
    "run": "runs.run",
    "Study": "runs.study",
    "sweep": "runs.sweep",
    "Recorder": "record.recorder",
    "Recording": "record.recording",
    "connect_replay": "record.replaying",
    "Viewer": "viewer.viewer",
}
"""What a user's program needs, and where it is; type checkers read the same above."""


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"mecano.{name}")
    if name in _NAMES:
        return getattr(import_module(f"mecano.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'mecano' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PACKAGES, *_NAMES])
