"""Experiments, found by name through one lazy table, by robot, or in a user's own file."""

from importlib import import_module

from mecano.core.errors import UnknownName
from mecano.tasks.experiment import Experiment as Experiment
from mecano.tasks.experiment import RunResult as RunResult
from mecano.tasks.experiment import Score as Score
from mecano.tasks.experiment import run_experiment as run_experiment
from mecano.tasks.robot_experiments import experiments_of as experiments_of
from mecano.tasks.robot_experiments import find, lasting_name
from mecano.tasks.user_files import from_file

EXPERIMENTS = {
    "crumb/drive-test": "mecano.tasks.drive_test",
    "crumb/sensor-card": "mecano.tasks.sensor_card",
    "crumb/pick-and-place": "mecano.tasks.pick_and_place",
    "crumb/find-and-place": "mecano.tasks.find_and_place",
    "crumb/grasp-card": "mecano.tasks.grasp_card_crumb",
    "crumb/map": "mecano.tasks.crumb_map",
    "crumb/map-and-navigate": "mecano.tasks.crumb_navigate",
    "youbot/navigate": "mecano.tasks.youbot_navigate",
    "youbot/transport": "mecano.tasks.transport",
    "youbot/wheel-card": "mecano.tasks.wheel_card",
    "youbot_rollers/wheel-card": "mecano.tasks.wheel_card:ROLLERS",
    "madar/arms": "mecano.tasks.arms_and_hands",
    "madar/base-kinematics": "mecano.tasks.base_kinematics",
    "madar_elements/base-kinematics": "mecano.tasks.base_kinematics:ELEMENTS",
    "madar/carry": "mecano.tasks.carry",
    "madar/crossing": "mecano.tasks.crossing",
    "madar/figure-eight": "mecano.tasks.figure_eight",
    "madar/map-lab": "mecano.tasks.map_lab",
    "madar/navigate": "mecano.tasks.madar_navigate",
    "madar/recovery": "mecano.tasks.madar_recovery",
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
    """Return an experiment by name, by robot, or from a user's file.

    `ROBOT/EXPERIMENT` takes any robot (name, folder, URDF, xacro or MJCF file) and one of the
    experiments of its own folder (`experiments.py`), or one for any robot that has the parts:
    `crumb/drive`, `my_robot/reach`, `my.urdf/hold`.

    A file holds an `EXPERIMENT`, or just a function `run(robot)`, which returns a `Score`, a
    dictionary of metrics, or whether it succeeded (True or False). It gets the arm on its
    table, or what the file chooses: `ROBOT = "crumb"`, and `SCENE = "empty"` or the path of an
    MJCF file, seen from the file's folder. Without `SCENE` it is the robot's own.
    """
    if name in EXPERIMENTS:
        module, _, attribute = EXPERIMENTS[name].partition(":")
        return getattr(import_module(module), attribute or "EXPERIMENT")
    if name.endswith(".py"):
        return from_file(name, EXPERIMENTS)
    experiment = find(name, EXPERIMENTS)
    if experiment is None:
        raise UnknownName("experiment", name, EXPERIMENTS)
    return experiment


def lasting(name: str) -> str:
    """Return the name of an experiment as it is found from any folder."""
    return name if name in EXPERIMENTS or name.endswith(".py") else lasting_name(name)
