"""Files that a robot's folder may hold besides its description, loaded when they are asked for."""

import importlib.util
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from mecano.core.errors import InvalidInput, UserCodeFailed
from mecano.robots.description import RobotDescription

Kind = TypeVar("Kind")


def own_value(robot: RobotDescription, name: str, function: str, kind: type[Kind]) -> Kind | None:
    """Return what a function of `NAME.py` in a robot's folder makes of it, or None without a file.

    Args:
        robot: Is given to the function; that of a variant, too.
        name: Of the file, without its suffix.
        function: Defined there.
        kind: What it must return.

    Raises:
        UserCodeFailed: The file or its function raised an error.
        InvalidInput: There is no such function, or it returns something else.
    """
    module = own_module(robot, name)
    if module is None:
        return None
    where = f"{robot.folder / name}.py"
    make = getattr(module, function, None)
    if not callable(make):
        raise InvalidInput(f"{where} must define {function}(robot) -> {kind.__name__}")
    try:
        found = make(robot)
    except (Exception, SystemExit) as error:  # perhaps a user's own file: anything can be wrong
        raise UserCodeFailed(
            f"{function}({robot.name}) of {where}", error, stopped=False
        ) from error
    if not isinstance(found, kind):
        raise InvalidInput(
            f"{function}({robot.name}) of {where} gives {found!r}, not a {kind.__name__}"
        )
    return found


def own_module(robot: RobotDescription, name: str) -> ModuleType | None:
    """Return `NAME.py` of a robot's folder as a module, or None if there is no such file.

    Raises:
        UserCodeFailed: The file is somebody else's and raised while it was loaded.
    """
    file = robot.folder / f"{name}.py"
    if not file.is_file():
        return None
    if robot.folder.parent == Path(__file__).parent:
        return import_module(f"mecano.robots.{robot.folder.name}.{name}")
    return load_file(file)


def load_file(file: Path) -> ModuleType:
    """Return a user's file as a module; its code is run once, and again after a change.

    Raises:
        UserCodeFailed: The file raised while it was loaded.
    """
    return _loaded(file.resolve(), file.stat().st_mtime_ns)


@cache
def _loaded(file: Path, changed: int) -> ModuleType:
    name = f"mecano_robot_{file.stem}_{abs(hash(file))}_{changed}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses of the file look their module up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a user's own file: anything can be wrong with it
        del sys.modules[name]
        raise UserCodeFailed(f"{file}", error, stopped=False) from error
    return module
