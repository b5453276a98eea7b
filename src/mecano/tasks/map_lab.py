"""MADAR maps its laboratory: along a tour, with LIDARs that err and wheels that slip.

The base is led by the pose that the mapper believes, so that drift of odometry does not lead it
into furniture. The map begins at the true start pose. In the end poses are compared with the truth
and walls with the floor plan of the scene at the height of the LIDARs.
"""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, MecanoError
from mecano.core.poses import Pose2
from mecano.lab.mapping import LiveMapping, mapper_for
from mecano.lab.robot import Robot
from mecano.lab.scanners import scanner_of
from mecano.lab.wheel_slip import SlipFacts, add_slip
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.mapping_score import evaluate, score
from mecano.tasks.tours import Pace, Where, follow_tour, look_around, tour_of
from mecano.world.floor_plan import floor_plan

if TYPE_CHECKING:
    from mecano.estimation.slam.mapper import Mapper

Engine = Callable[[Robot, Pose2], "Mapper"]
"""Makes a mapper for a robot whose scanner is at a pose on the base."""
SETTLE = 0.5
"""The base stands for this long before odometry begins [s]."""
HINTS = {"slip": "how much wheels slip: 0 not at all, 1 about 1.5 % of the way and 2 deg per turn"}


def run(robot: Robot, rng: np.random.Generator, *, slip: str) -> Score:
    """Drive the tour and build the map.

    Args:
        robot: At the mount of its scene, at rest.
        rng: Not used: noise and slip come from the session's seed.
        slip: Strength of the slip, see `SlipFacts.times`.
    """
    return map_scene(robot, "MADAR in its laboratory", slip)


def map_scene(robot: Robot, title: str, slip: str, *, looks: Collection[int] = ()) -> Score:
    """Drive along the tour of a scene, build the map and score it.

    Args:
        robot: At the mount of its scene, at rest.
        title: Of reports and pictures.
        slip: Strength of the slip, as the user wrote it.
        looks: Points of the tour at which it looks around, counted from 0.
    """
    mapping = begin_mapping(robot, strength=slip_strength(slip))
    problems: list[str] = []
    with mapping:
        try:
            drive_tour(robot, mapping, pace_of(robot), looks=looks)
        except MecanoError as error:
            problems.append(str(error))
    mapping.finish()
    plan = floor_plan(robot.world.model, mapping.scanner.height)
    return score(evaluate(mapping, plan), title, problems)


def begin_mapping(
    robot: Robot, *, strength: float, start: Pose2 | None = None, engine: Engine | None = None
) -> LiveMapping:
    """Let a robot settle, its wheels slip and its odometry begin; return what will listen.

    Args:
        robot: At rest.
        strength: Of the slip.
        start: Where it is, in the frame of the map; None takes the true pose in the scene.
        engine: Makes the mapper; None takes ours.
    """
    robot.wait(SETTLE)
    if strength > 0.0:
        add_slip(robot, SlipFacts().times(strength))
    robot.base.reset_odometry(robot.truth.base_pose() if start is None else start)
    scanner = scanner_of(robot)
    mapper = (engine or mapper_for)(robot, scanner.mount)
    return LiveMapping(robot, mapper, scanner)


def pace_of(robot: Robot) -> Pace:
    """Return how a base is led by its map: not faster than it and its wheels can."""
    limits = robot.base.facts.limits
    return Pace(speed=min(0.3, 0.8 * limits.speed), turn=min(0.8, 0.55 * limits.turn))


def drive_tour(
    robot: Robot,
    mapping: LiveMapping,
    pace: Pace,
    *,
    looks: Collection[int] = (),
    where: Where | None = None,
    on_point: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Drive along the tour of the scene by the pose in the map.

    Args:
        robot: At the beginning of the tour.
        mapping: Listens to it.
        pace: How it drives.
        looks: Points of the tour at which it looks around, counted from 0.
        where: Returns its pose in the scene; None takes that in the map: their frames are one.
        on_point: Told of every point that is reached, how many they are, and how many in all.
    """
    points, where = tour_of(robot), where or (lambda: mapping.pose)
    for number in follow_tour(robot, points, where, pace):
        on_point(number + 1, len(points))
        if number in looks:
            look_around(robot, where, pace)


def pose_in_scene(mapping: LiveMapping) -> Pose2:
    """Return where the base is believed to be in the scene, whatever the frame of its map.

    The two frames are tied where the drive began: there the pose in the scene is known.
    """
    if not mapping.truth:
        return mapping.origin @ mapping.pose
    begun = Pose2(*mapping.mapper.trajectory[0, 1:].tolist())
    return mapping.truth[0] @ begun.inverse() @ mapping.pose


def looks_of(mapping: LiveMapping, points: int) -> range:
    """Return the points of a tour at which a robot that does not see all round looks around."""
    return range(0) if mapping.scanner.around else range(1, points, 3)


def slip_strength(slip: str) -> float:
    """Return the strength of the slip that a user wrote."""
    try:
        strength = float(slip)
    except ValueError:
        raise InvalidInput(f"slip is {slip!r}, expected a number such as 1.0") from None
    return finite_number(strength, name="slip", lower=0.0, upper=20.0)


EXPERIMENT = Experiment(
    name="madar/map-lab",
    title="map the laboratory along a tour: LIDARs with noise, wheels that slip",
    robot="madar",
    scene="laboratory",
    run=run,
    noise=True,
    options={"slip": "1.0"},
    hints=HINTS,
)
