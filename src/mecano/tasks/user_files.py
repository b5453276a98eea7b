"""A user's own experiment: a file with an `EXPERIMENT` or a function `run(robot)`."""

import importlib.util
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from mecano import robots
from mecano.core.errors import InvalidInput, MecanoError, UserCodeFailed
from mecano.importing.sources import find_robot
from mecano.lab.robot import Robot
from mecano.robots.description import RobotDescription
from mecano.tasks.experiment import Experiment, Score
from mecano.world import scenes


def from_file(name: str, known: Iterable[str]) -> Experiment:
    """Return the experiment of a user's file; `known` are those with a name, for the message."""
    file = Path(name)
    if not file.is_file():
        raise InvalidInput(f"there is no file {file}; known experiments: {', '.join(known)}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InvalidInput(
            f"{file} could not be imported: {type(error).__name__}: {error}"
        ) from error
    experiment = getattr(module, "EXPERIMENT", None)
    if isinstance(experiment, Experiment):
        return experiment
    run = getattr(module, "run", None)
    if not callable(run):
        raise InvalidInput(f"{file} has neither an EXPERIMENT nor a function run(robot)")
    robot, scene = _robot_and_scene(module, file)
    return Experiment(
        name=file.stem,
        title=(module.__doc__ or file.stem).strip().splitlines()[0],
        robot=robot,
        scene=scene,
        run=program_of(run, f"run() in {file.name}"),
    )


def program_of(run: Callable[..., Any], where: str) -> Callable[..., Score]:
    """Return a user's function as the program of an experiment; `where` names it in messages."""
    takes_rng = len(inspect.signature(run).parameters) > 1

    def program(robot: Robot, rng: np.random.Generator) -> Score:
        try:
            answer = run(robot, rng) if takes_rng else run(robot)
        except MecanoError:
            raise
        except SystemExit as error:
            raise InvalidInput(
                f"{where} called sys.exit({error.code!r}); return True or False instead"
            ) from None
        except Exception as error:
            raise UserCodeFailed(where, error) from error
        if isinstance(answer, Score):
            return answer
        if isinstance(answer, dict):
            return Score(success=True, metrics=answer)
        if isinstance(answer, bool | np.bool_):
            return Score(success=bool(answer))
        what = "nothing" if answer is None else repr(answer)
        raise InvalidInput(
            f"{where} returned {what}; return True or False (such as "
            "robot.arm.home().reached), a dictionary of metrics, or a mecano.tasks.Score"
        )

    return program


def _robot_and_scene(module: ModuleType, file: Path) -> tuple[str, str]:
    """Return what a user's file chooses, or say which choices there are."""
    robot = getattr(module, "ROBOT", "open_manipulator_x")
    if not isinstance(robot, str):
        raise InvalidInput(f"ROBOT in {file.name} is {robot!r}, expected a name such as 'crumb'")
    beside = file.resolve().parent / robot
    if robot and robot not in robots.known() and beside.exists():
        robot = str(beside)
    try:
        description = find_robot(robot)
    except MecanoError as error:
        raise InvalidInput(f"ROBOT in {file.name}: {error}") from None
    if not description.has_model:
        raise InvalidInput(
            f"ROBOT in {file.name} is '{robot}', which has no model to simulate; "
            f"take one of: {', '.join(robots.ROBOTS)}"
        )
    return robot, chosen_scene(module, file, description)


def chosen_scene(module: ModuleType, file: Path, robot: RobotDescription) -> str:
    """Return the scene that a user's file chooses by `SCENE`, or else the robot's own."""
    scene = getattr(module, "SCENE", robot.scene)
    if not isinstance(scene, str | Path):
        raise InvalidInput(f"SCENE in {file.name} is {scene!r}, expected a name such as 'empty'")
    beside = file.resolve().parent / scene
    chosen = str(beside if beside.is_file() else scene)
    try:
        scenes.load(chosen)
    except MecanoError as error:
        raise InvalidInput(f"SCENE in {file.name}: {error}") from None
    return chosen
