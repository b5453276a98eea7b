"""Tasks of the OpenMANIPULATOR-X on its table: what is observed, rewarded and drawn at random.

All methods take many worlds at once, one per row, and use nothing but arithmetic of each row: one
world and a thousand give the same bits.
"""

from abc import ABC, abstractmethod
from functools import cache
from math import cos, sin

import mujoco
import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.gym.arm_scene import ArmScene
from mecano.gym.signals import Signal
from mecano.lab.robot import Robot

BASE_X = 0.012
"""The turning axis of the arm, in the world [m]."""
CUBE_HEIGHT = 0.01495
"""Of the middle of a cube that rests on the table [m]."""
REACHED = 0.01
"""A tool this near to the goal has reached it [m]."""
PLACED = 0.02
"""A cube this near to the goal is there [m]."""
GAIN = 10.0
"""Of the reward [1/m]."""
DOWN = 1.45
"""Pitch of a tool that works on the table: nearly straight down [rad]."""

ACTIONS = (
    Signal("joint velocity", 4, -1.0, 1.0, "2.4 rad/s", "of joint1 to joint4, held for 20 ms"),
)
GRIP = Signal("gripper", 1, -1.0, 1.0, "1", "where the fingers go: -1 closed, 1 open (80 mm)")
ARM = (
    Signal("joint position", 4, -3.0, 3.0, "rad", "by the encoders, 4096 ticks per turn"),
    Signal("joint velocity", 4, -10.0, 10.0, "rad/s", "of the joints"),
    Signal("setpoint", 4, -3.0, 3.0, "rad", "what the servos were given last"),
    Signal("tool", 3, -1.0, 1.0, "m", "by forward kinematics of the encoders, in the base frame"),
)
CUBE = Signal("cube", 3, -1.0, 1.0, "m", "middle of the cube in the base frame, ground truth")
GOAL = Signal("goal", 3, -1.0, 1.0, "m", "in the base frame")


def point(radius: float, azimuth: float, height: float) -> Array:
    """Return a point around the turning axis of the arm, in the base frame [m]."""
    return np.array([BASE_X + radius * cos(azimuth), radius * sin(azimuth), height])


def distance(a: Array, b: Array) -> Array:
    """Return how far points are apart, row by row [m]. Shape (n,)."""
    x, y, z = (a[:, i] - b[:, i] for i in range(3))
    return np.sqrt(x * x + y * y + z * z)


class ArmTask(ABC):
    """One task; the scene is built once per process."""

    actions: tuple[Signal, ...] = ACTIONS
    observations: tuple[Signal, ...]
    episode_steps: int
    """Until an episode is truncated, 20 ms each."""

    @property
    @abstractmethod
    def scene(self) -> ArmScene:
        """The world it happens in."""

    @abstractmethod
    def begin(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw an episode: the state it begins in, and its goal in the base frame [m]."""

    @abstractmethod
    def observe(self, states: Array, commands: Array, goals: Array) -> Array:
        """Return the numbers of `observations`. Shape (n, size)."""

    @abstractmethod
    def score(self, states: Array, goals: Array) -> tuple[Array, Array, Mask]:
        """Return rewards, distances to the goal [m], and whether it is reached. Shape (n,) each."""

    def ended(self, states: Array) -> Mask:
        """Tell which episodes cannot go on. Shape (n,)."""
        return np.zeros(len(states), bool)

    def _arm(self, states: Array, commands: Array) -> list[Array]:
        joints = self.scene.joints(states)
        speeds, tool = self.scene.speeds(states), self.scene.tool(joints)
        return [joints, speeds, commands[:, :4], tool]


class Reach(ArmTask):
    """Bring the tool to a point in front of the arm."""

    observations = (*ARM, GOAL)
    episode_steps = 100

    @property
    def scene(self) -> ArmScene:
        """A table without the cube."""
        return _reach_scene()

    def begin(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw a goal that the inverse kinematics reaches."""
        while True:
            goal = point(rng.uniform(0.14, 0.28), rng.uniform(-1.4, 1.4), rng.uniform(0.05, 0.28))
            if self.scene.chain.inverse(goal).reached:
                return self.scene.start, goal

    def observe(self, states: Array, commands: Array, goals: Array) -> Array:
        """Return arm and goal."""
        return np.concatenate([*self._arm(states, commands), goals], axis=1)

    def score(self, states: Array, goals: Array) -> tuple[Array, Array, Mask]:
        """Reward -10 per metre of distance, and 1 more at the goal."""
        away = distance(self.scene.tool(self.scene.joints(states)), goals)
        reached = away < REACHED
        return reached - GAIN * away, away, reached


class Push(ArmTask):
    """Push the cube over the table to a goal, with closed fingers."""

    observations = (*ARM, CUBE, GOAL)
    episode_steps = 250

    @property
    def scene(self) -> ArmScene:
        """The table and its cube; the fingers are closed and point down."""
        return _push_scene()

    def begin(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw the cube, turned anyhow, and a goal 50 to 100 mm away from it."""
        cube = point(rng.uniform(0.17, 0.23), rng.uniform(-0.6, 0.6), CUBE_HEIGHT)
        state = _with_cube(self.scene, cube, rng.uniform(-np.pi, np.pi))
        while True:
            goal = point(rng.uniform(0.17, 0.23), rng.uniform(-0.9, 0.9), CUBE_HEIGHT)
            if 0.05 <= float(np.hypot(*(goal - cube)[:2])) <= 0.10:
                return state, goal

    def observe(self, states: Array, commands: Array, goals: Array) -> Array:
        """Return arm, cube and goal."""
        cube = self.scene.cube_position(states)
        return np.concatenate([*self._arm(states, commands), cube, goals], axis=1)

    def score(self, states: Array, goals: Array) -> tuple[Array, Array, Mask]:
        """Reward -10 per metre from cube to goal, -2 per metre from tool to cube, 1 at the goal."""
        cube = self.scene.cube_position(states)
        away = distance(cube, goals)
        near = distance(self.scene.tool(self.scene.joints(states)), cube)
        placed = away < PLACED
        return placed - GAIN * away - 0.2 * GAIN * near, away, placed

    def ended(self, states: Array) -> Mask:
        """Tell which cubes have fallen off the table."""
        return states[:, self.scene.cube[2]] < -CUBE_HEIGHT


class PickAndPlace(Push):
    """Grasp the cube and bring it to a goal on the table or above it."""

    actions = (*ACTIONS, GRIP)
    observations = (
        *ARM,
        Signal("finger", 1, -0.02, 0.03, "m", "of the driven finger by its encoder, from centre"),
        CUBE,
        Signal("cube turned", 4, -1.0, 1.0, "1", "quaternion w x y z of the cube, ground truth"),
        GOAL,
    )
    episode_steps = 400

    @property
    def scene(self) -> ArmScene:
        """The table and its cube; the fingers are open and point down."""
        return _pick_scene()

    def begin(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw the cube, turned to the arm within 0.2 rad, and a goal up to 0.1 m high."""
        azimuth = rng.uniform(-0.8, 0.8)
        cube = point(rng.uniform(0.17, 0.22), azimuth, CUBE_HEIGHT)
        state = _with_cube(self.scene, cube, azimuth + rng.uniform(-0.2, 0.2))
        while True:
            lift = max(0.0, rng.uniform(-0.1, 0.1))
            goal = point(rng.uniform(0.17, 0.22), rng.uniform(-0.8, 0.8), CUBE_HEIGHT + lift)
            if float(np.hypot(*(goal - cube)[:2])) >= 0.06:
                return state, goal

    def observe(self, states: Array, commands: Array, goals: Array) -> Array:
        """Return arm, finger, cube and goal."""
        scene, arm = self.scene, self._arm(states, commands)
        return np.concatenate([*arm, scene.opening(states), states[:, scene.cube], goals], axis=1)


@cache
def _reach_scene() -> ArmScene:
    def without_cube(spec: mujoco.MjSpec) -> None:
        spec.delete(spec.body("cube"))

    return ArmScene((without_cube,))


@cache
def _push_scene() -> ArmScene:
    def prepare(robot: Robot) -> None:
        robot.gripper.close()
        robot.arm.move_to([0.17, 0.0, 0.10], pitch=DOWN)

    return ArmScene(prepare=prepare)


@cache
def _pick_scene() -> ArmScene:
    def prepare(robot: Robot) -> None:
        robot.arm.move_to([0.20, 0.0, 0.10], pitch=DOWN)

    return ArmScene(prepare=prepare)


def _with_cube(scene: ArmScene, position: Array, yaw: float) -> Array:
    """Return the start state with the cube at rest in another place."""
    state = scene.start.copy()
    state[scene.cube] = [*position, cos(yaw / 2), 0.0, 0.0, sin(yaw / 2)]
    return state
