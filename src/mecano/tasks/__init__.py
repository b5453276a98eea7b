"""Experiments, found by name through one lazy table; a user's own file works too."""

import importlib.util
import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from mecano.core.errors import InvalidInput, MecanoError, UnknownName, UserCodeFailed
from mecano.tasks.experiment import Experiment as Experiment
from mecano.tasks.experiment import RunResult as RunResult
from mecano.tasks.experiment import Score as Score
from mecano.tasks.experiment import run_experiment as run_experiment

EXPERIMENTS = {
    "crumb/drive-test": "mecano.tasks.drive_test",
    "crumb/sensor-card": "mecano.tasks.sensor_card",
    "crumb/pick-and-place": "mecano.tasks.pick_and_place",
    "crumb/find-and-place": "mecano.tasks.find_and_place",
    "crumb/map": "mecano.tasks.crumb_map",
    "youbot/transport": "mecano.tasks.transport",
    "youbot/wheel-card": "mecano.tasks.wheel_card",
    "youbot_rollers/wheel-card": "mecano.tasks.wheel_card:ROLLERS",
    "madar/arms": "mecano.tasks.arms_and_hands",
    "madar/base-kinematics": "mecano.tasks.base_kinematics",
    "madar_elements/base-kinematics": "mecano.tasks.base_kinematics:ELEMENTS",
    "madar/carry": "mecano.tasks.carry",
    "madar/figure-eight": "mecano.tasks.figure_eight",
    "madar/map-lab": "mecano.tasks.map_lab",
    "madar/teleop": "mecano.tasks.madar_teleop",
    "romerin/climb": "mecano.tasks.climb",
    "romerin/corner": "mecano.tasks.corner",
    "romerin/reach": "mecano.tasks.leg_reach",
    "romerin/release-card": "mecano.tasks.release_card",
    "romerin/walk": "mecano.tasks.hexapod_walk",
    "romerin/wall-release": "mecano.tasks.wall_release",
    "romerin/workspace": "mecano.tasks.leg_workspace",
    "open_manipulator_x/move-cube": "mecano.tasks.move_cube",
    "open_manipulator_x/grasp-card": "mecano.tasks.grasp_card",
    "open_manipulator_x/turning-creep": "mecano.tasks.turning_creep",
    "open_manipulator_x/overweight": "mecano.tasks.overweight",
    "open_manipulator_x/identify": "mecano.tasks.identify",
}


def get(name: str) -> Experiment:
    """Return an experiment by name, or from a user's file.

    A file holds an `EXPERIMENT`, or just a function `run(robot)`, which returns a `Score`, a
    dictionary of metrics, or whether it succeeded (True or False). It gets the arm on its
    table, or what the file chooses: `ROBOT = "crumb"`, and `SCENE = "empty"` or the path of an
    MJCF file, seen from the file's folder. Without `SCENE` it is the robot's own.
    """
    if name.endswith(".py"):
        return _from_file(Path(name))
    if name not in EXPERIMENTS:
        raise UnknownName("experiment", name, EXPERIMENTS)
    module, _, attribute = EXPERIMENTS[name].partition(":")
    return getattr(import_module(module), attribute or "EXPERIMENT")


def _from_file(file: Path) -> Experiment:
    if not file.is_file():
        raise InvalidInput(f"there is no file {file}; known experiments: {', '.join(EXPERIMENTS)}")
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
    takes_rng = len(inspect.signature(run).parameters) > 1

    def program(robot, rng) -> Score:
        try:
            answer = run(robot, rng) if takes_rng else run(robot)
        except MecanoError:
            raise
        except SystemExit as error:
            raise InvalidInput(
                f"run() in {file.name} called sys.exit({error.code!r}); "
                "return True or False instead"
            ) from None
        except Exception as error:
            raise UserCodeFailed(f"run() in {file.name}", error) from error
        if isinstance(answer, Score):
            return answer
        if isinstance(answer, dict):
            return Score(success=True, metrics=answer)
        if isinstance(answer, bool | np.bool_):
            return Score(success=bool(answer))
        what = "nothing" if answer is None else repr(answer)
        raise InvalidInput(
            f"run() in {file.name} returned {what}; return True or False (such as "
            "robot.arm.home().reached), a dictionary of metrics, or a mecano.tasks.Score"
        )

    return Experiment(
        name=file.stem,
        title=(module.__doc__ or file.stem).strip().splitlines()[0],
        robot=robot,
        scene=scene,
        run=program,
    )


def _robot_and_scene(module: ModuleType, file: Path) -> tuple[str, str]:
    """Return what a user's file chooses, or say which choices there are."""
    from mecano import robots
    from mecano.importing.sources import find_robot
    from mecano.world import scenes

    robot = getattr(module, "ROBOT", "open_manipulator_x")
    if not isinstance(robot, str):
        raise InvalidInput(f"ROBOT in {file.name} is {robot!r}, expected a name such as 'crumb'")
    try:
        description = find_robot(robot)
    except MecanoError as error:
        raise InvalidInput(f"ROBOT in {file.name}: {error}") from None
    if not description.has_model:
        raise InvalidInput(
            f"ROBOT in {file.name} is '{robot}', which has no model to simulate; "
            f"take one of: {', '.join(robots.ROBOTS)}"
        )
    scene = getattr(module, "SCENE", description.scene)
    if not isinstance(scene, str | Path):
        raise InvalidInput(f"SCENE in {file.name} is {scene!r}, expected a name such as 'empty'")
    beside = file.resolve().parent / scene
    chosen = str(beside if beside.is_file() else scene)
    try:
        scenes.load(chosen)
    except MecanoError as error:
        raise InvalidInput(f"SCENE in {file.name}: {error}") from None
    return robot, chosen
