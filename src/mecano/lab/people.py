"""People who walk through a simulated scene, and objects that are put there while it runs.

A person is a capsule of 75 kg that slides over the floor. It keeps its speed with a limited force,
as somebody who looks at a telephone: it does not see robots and does not yield, and pushes what it
walks into with at most `PUSH`. An object is a box without joints that is moved at once to a place,
as by somebody while nobody looks; robots cannot push it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.world.assembly import Change

if TYPE_CHECKING:
    from mecano.lab.robot import Robot

RADIUS, HEIGHT, MASS = 0.22, 1.70, 75.0
"""Of a person [m], [m], [kg] (EST)."""
WALKING = 1.2
"""Speed of a person [m/s], as the task has it."""
PUSH = 150.0
"""What a person pushes with at most [N] (EST)."""
STRENGTH = 600.0
"""Force per lack of speed [N s/m]."""
NEAR = 0.10
"""A person turns to the next point this near to one [m]."""
AWAY = (-50.0, -50.0)
"""Where an object waits before it is placed [m]."""

Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Walk:
    """How one person walks: from point to point at one speed, then it stands."""

    points: tuple[Point, ...]
    """The first is where the person starts [m]."""
    speed: float = WALKING
    """[m/s]."""
    begins: float = 0.0
    """Time of the session at which the person starts [s]."""
    again: bool = False
    """Whether it walks back to the first point and goes on for ever."""

    def __post_init__(self) -> None:
        """Check the numbers."""
        if len(self.points) < 1:
            raise InvalidInput("a walk needs at least one point: where the person stands")
        for x, y in self.points:
            finite_number(x, name="x of a walk [m]")
            finite_number(y, name="y of a walk [m]")
        finite_number(self.speed, name="speed of a person [m/s]", lower=0.0, upper=3.0)
        finite_number(self.begins, name="begin of a walk [s]", lower=0.0)


def random_walk(
    rng: np.random.Generator,
    lower: Point,
    upper: Point,
    *,
    points: int = 50,
    speed: float = WALKING,
) -> Walk:
    """Return a walk between random points of a rectangle that is free of obstacles [m]."""
    drawn = rng.uniform(lower, upper, size=(points, 2))
    return Walk(points=tuple((float(x), float(y)) for x, y in drawn), speed=speed, again=True)


def with_people(starts: Sequence[Point]) -> Change:
    """Return the change of a scene that puts people at points [m]; `add_walks` lets them go."""

    def change(spec: mujoco.MjSpec) -> None:
        for number, (x, y) in enumerate(starts, start=1):
            _add_person(spec, f"person_{number}", x, y)

    return change


def _add_person(spec: mujoco.MjSpec, name: str, x: float, y: float) -> None:
    half = 0.5 * HEIGHT - RADIUS
    body = spec.worldbody.add_body(name=name, pos=[x, y, 0.5 * HEIGHT + 0.02])
    for axis, direction in (("x", [1.0, 0.0, 0.0]), ("y", [0.0, 1.0, 0.0])):
        joint = f"{name}_{axis}"
        body.add_joint(name=joint, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=direction)
        motor = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_velocity(kv=STRENGTH)
        motor.forcelimited, motor.forcerange = 1, [-PUSH, PUSH]
    body.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[RADIUS, half, 0.0], mass=MASS,
        rgba=[0.85, 0.45, 0.25, 1.0], solref=[0.004, 1.0], friction=[0.4, 0.005, 0.0001],
    )  # fmt: skip


class People:
    """Lets the people of a scene walk, tick by tick."""

    def __init__(self, robot: "Robot", walks: Sequence[Walk]) -> None:
        """Find the people; `add_walks` lets them act."""
        world = robot.world
        known = [name for name in world.names("body") if name.startswith("person_")]
        if len(walks) > len(known):
            raise InvalidInput(
                f"{len(walks)} walks for {len(known)} people in the scene; add them with "
                "connect(changes=[with_people(...)])"
            )
        self.walks = tuple(walks)
        self.names = tuple(f"person_{i + 1}" for i in range(len(walks)))
        self._data = world.data
        self._bodies = [world.index("body", f"person_{i + 1}") for i in range(len(walks))]
        self._motors = [
            [world.index("actuator", f"person_{i + 1}_{axis}") for axis in "xy"]
            for i in range(len(walks))
        ]
        self._next = [1] * len(walks)

    def positions(self) -> list[Point]:
        """Return where the people are [m]."""
        return [(float(x), float(y)) for x, y in self._data.xpos[self._bodies, :2]]

    def step(self, now: float) -> None:
        """Let everybody walk towards the next point."""
        for i, walk in enumerate(self.walks):
            vx, vy = self._velocity(i, walk, now)
            self._data.ctrl[self._motors[i][0]] = vx
            self._data.ctrl[self._motors[i][1]] = vy

    def _velocity(self, i: int, walk: Walk, now: float) -> Point:
        if now < walk.begins:
            return 0.0, 0.0
        x, y = self._data.xpos[self._bodies[i], :2].tolist()
        while self._next[i] < len(walk.points):
            to_x, to_y = walk.points[self._next[i]]
            far = hypot(to_x - x, to_y - y)
            if far > NEAR:
                return walk.speed * (to_x - x) / far, walk.speed * (to_y - y) / far
            self._next[i] += 1
            if walk.again and self._next[i] == len(walk.points):
                self._next[i] = 0
                return 0.0, 0.0
        return 0.0, 0.0

    def stop(self) -> None:
        """Nothing: people do not heed the robot's stop."""

    def at_rest(self) -> bool:
        """Tell that nothing of the robot is commanded to move."""
        return True

    def memory(self) -> Any:
        """Return what it must know to go on from here."""
        return list(self._next)

    def recall(self, memory: Any) -> None:
        """Go on from there."""
        self._next = list(memory)


def add_walks(robot: "Robot", walks: Sequence[Walk]) -> People:
    """Let the people of a scene walk from now on; see `with_people`."""
    with robot.session.lock:
        people = People(robot, walks)
        robot.session.steppers.append(people)
        robot.session.mark_initial()
    return people


def with_boxes(sizes: dict[str, tuple[float, float, float]]) -> Change:
    """Return the change of a scene that keeps boxes ready, by name: length, width, height [m]."""

    def change(spec: mujoco.MjSpec) -> None:
        for number, (name, (length, width, height)) in enumerate(sizes.items()):
            body = spec.worldbody.add_body(
                name=name, mocap=True, pos=[AWAY[0] - 2.0 * number, AWAY[1], 0.5 * height]
            )
            body.add_geom(
                name=name, type=mujoco.mjtGeom.mjGEOM_BOX,
                size=[0.5 * length, 0.5 * width, 0.5 * height], rgba=[0.75, 0.55, 0.30, 1.0],
                solref=[0.004, 1.0],
            )  # fmt: skip

    return change


def put_box(robot: "Robot", name: str, pose: Pose2) -> None:
    """Put a box of the scene to a place, at once; see `with_boxes`."""
    world = robot.world
    body = world.index("body", name)
    number = int(world.model.body_mocapid[body])
    if number < 0:
        known = [b for b in world.names("body") if world.model.body(b).mocapid[0] >= 0]
        raise UnknownName("box that can be put somewhere", name, known)
    with robot.session.commanding():
        world.data.mocap_pos[number, :2] = pose.x, pose.y
        world.data.mocap_quat[number] = np.cos(0.5 * pose.yaw), 0.0, 0.0, np.sin(0.5 * pose.yaw)
        mujoco.mj_kinematics(world.model, world.data)
