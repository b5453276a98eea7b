"""Experiments of any robot: those of its own folder, and those for all with the needed parts.

A robot's folder may hold an `experiments.py`:

    SCENE = "table.xml"                      # seen from the folder; without it the robot's own

    def pick(robot):                         # the first line of its docstring is the title
        ...
        return {"lifted_mm": 250.0}          # metrics, True or False, or a mecano.tasks.Score

    EXPERIMENTS = {"pick": pick}             # or Experiment(...), with options and more

`mecano run FOLDER/pick` runs it.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mecano import robots
from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.importing.sources import FILES, find_robot, robot_label
from mecano.robots.description import RobotDescription
from mecano.robots.own_files import own_module
from mecano.tasks.any_robot import ANY_ROBOT
from mecano.tasks.experiment import Experiment
from mecano.tasks.user_files import chosen_scene, program_of

OWN = "experiments"
"""Name of the file in a robot's folder, without its suffix."""


def find(name: str, catalogue: Iterable[str]) -> Experiment | None:
    """Return the experiment `ROBOT/EXPERIMENT`, or None if there is no such robot.

    Args:
        name: Robot and experiment.
        catalogue: Names of the experiments of the catalogue's robots.

    Raises:
        InvalidInput: Only a robot was named, or only an experiment.
        UnknownName: The robot has no such experiment.
        MissingPart: The robot lacks a part that it needs.
    """
    if name in ANY_ROBOT:
        raise InvalidInput(
            f"'{name}' is an experiment for any robot; say which: mecano run ROBOT/{name}, such as "
            f"crumb/{name}, FOLDER/{name} or my.urdf/{name}"
        )
    if is_robot(name):
        listed = ", ".join(f"{name}/{each}" for each in _names(find_robot(name), catalogue))
        raise InvalidInput(f"'{name}' is a robot; its experiments: {listed or 'none'}")
    source, _, short = name.rpartition("/")
    if not source or not is_robot(source):
        return None
    robot = find_robot(source)
    label = robot_label(source, robot)
    own = own_experiments(robot)
    if short in own:
        return own[short]
    if short in ANY_ROBOT:
        return ANY_ROBOT[short].on(robot, _lasting_source(source), label, short)
    known = [f"{source}/{each}" for each in _names(robot, catalogue)]
    raise UnknownName("experiment", name, known)


def experiments_of(robot: RobotDescription) -> tuple[str, ...]:
    """Return the experiments of a robot: its own, and those for any robot with its parts."""
    general = [name for name, each in ANY_ROBOT.items() if each.fits(robot)]
    return tuple(dict.fromkeys([*own_experiments(robot), *general]))


def own_experiments(robot: RobotDescription) -> dict[str, Experiment]:
    """Return the experiments of `experiments.py` in a robot's folder, by name.

    Raises:
        UserCodeFailed: The file raised while it was loaded.
        InvalidInput: It has no table `EXPERIMENTS`, or something else is in it.
    """
    module = own_module(robot, OWN)
    if module is None:
        return {}
    file = robot.folder / f"{OWN}.py"
    table = getattr(module, "EXPERIMENTS", None)
    if not isinstance(table, dict):
        raise InvalidInput(f'{file} must define EXPERIMENTS = {{"name": function, ...}}')
    scene = chosen_scene(module, file, robot)
    return {name: _own(robot, file, scene, name, value) for name, value in table.items()}


def _own(robot: RobotDescription, file: Path, scene: str, name: Any, value: Any) -> Experiment:
    if not isinstance(name, str) or not name or "/" in name:
        raise InvalidInput(f"EXPERIMENTS of {file} has the name {name!r}, expected a word")
    full, source = f"{robot.name}/{name}", str(robot.folder)
    if isinstance(value, Experiment):
        beside = robot.folder / value.scene
        chosen = str(beside) if beside.is_file() else value.scene
        return replace(value, name=full, robot=source, scene=chosen)
    if not callable(value):
        raise InvalidInput(
            f"EXPERIMENTS[{name!r}] of {file} is {value!r}, expected a function of the robot or an "
            "Experiment"
        )
    title = (value.__doc__ or name).strip().splitlines()[0].rstrip(".")
    where = f"experiment '{name}' of {file}"
    program = program_of(value, where)
    return Experiment(name=full, robot=source, title=title, scene=scene, run=program)


def lasting_name(name: str) -> str:
    """Return `ROBOT/EXPERIMENT` as it is found from any folder."""
    source, slash, short = name.rpartition("/")
    return f"{_lasting_source(source)}{slash}{short}" if source else name


def _lasting_source(source: str) -> str:
    """Return a robot as it is found from any folder: its name, or its path."""
    return source if source in robots.known() else str(Path(source).expanduser().absolute())


def is_robot(source: str) -> bool:
    """Tell whether a text names a robot: a name, a robot's folder or a robot's file."""
    if source in robots.known():
        return True
    try:
        robots.check_length(source)
    except MecanoError:
        return False
    path = Path(source).expanduser()
    return path.is_dir() or (path.suffix.lower() in FILES and path.is_file())


def _names(robot: RobotDescription, catalogue: Iterable[str]) -> tuple[str, ...]:
    """Return all experiments of a robot, those of the catalogue included."""
    prefix = f"{robot.name}/"
    named = [name.removeprefix(prefix) for name in catalogue if name.startswith(prefix)]
    return tuple(dict.fromkeys([*named, *experiments_of(robot)]))
