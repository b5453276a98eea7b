"""The arm's world of an environment: the product's model, servos and encoders, for many states.

The physics is that of `mecano.connect("open_manipulator_x", scene="table")`; a state is one row of
numbers, as `mujoco.rollout` takes it, so that one world or a thousand are computed alike.
"""

from collections.abc import Callable
from functools import partial

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.gym.pictures import add_goal
from mecano.lab.robot import Robot, connect
from mecano.world.assembly import Change
from mecano.world.views import View

PERIOD = 0.02
"""Time between two actions [s]."""
STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
"""What a row of numbers holds: time, positions, velocities, integrators of the servos."""
ROBOT = "open_manipulator_x"
VIEW = View(look_at=np.array([0.13, 0.0, 0.1]), distance=0.75, azimuth=2.3, elevation=-0.45)


class ArmScene:
    """A compiled world with one arm, and where its numbers are in a state."""

    def __init__(
        self, changes: tuple[Change, ...] = (), prepare: Callable[[Robot], None] | None = None
    ) -> None:
        """Build the world.

        Args:
            changes: Of the scene `table`.
            prepare: Brings the robot to where episodes begin, by its own motions.
        """
        robot = connect(ROBOT, scene="table", changes=(*changes, partial(add_goal, radius=0.008)))
        if prepare is not None:
            prepare(robot)
        self.model = robot.world.model
        self.chain = robot.arm.chain
        self.speed = robot.arm.limits.velocity
        """Of each joint, max [rad/s]."""
        self.gripper = robot.description.grippers["arm"]
        self.steps = round(PERIOD / self.model.opt.timestep)
        """Of the physics between two actions."""
        self._tick = np.array(
            [robot.description.servos[name].resolution for name in self.chain.joint_names]
        )
        self._find(f"{robot.name}/")
        self.start = np.empty(mujoco.mj_stateSize(self.model, STATE))
        mujoco.mj_getState(self.model, robot.world.data, self.start, STATE)
        self.start[0] = 0.0
        self.control = robot.world.data.ctrl.copy()
        self.command = np.append(self.control[self._inputs], self.control[self._grip])
        """Setpoints at the start: joints [rad], gripper [m]."""
        robot.close()

    def _find(self, prefix: str) -> None:
        """Look up the columns of joints, cube and servos in states and controls."""
        model, names = self.model, [prefix + name for name in self.chain.joint_names]
        velocities = 1 + model.nq  # a state begins with the time, then positions, then velocities
        self._q = np.array([1 + int(model.joint(name).qposadr[0]) for name in names])
        self._v = np.array([velocities + int(model.joint(name).dofadr[0]) for name in names])
        self._finger = 1 + int(model.joint(prefix + self.gripper.joint).qposadr[0])
        self._inputs = np.array([_input(model, name) for name in names])
        self._grip = _input(model, prefix + self.gripper.joint)
        if "cube" in [model.joint(i).name for i in range(model.njnt)]:
            first = 1 + int(model.joint("cube").qposadr[0])
            self.cube = np.arange(first, first + 7)
            """Columns of the cube's position [m] and quaternion."""

    # --- what the robot's own sensors read, for many states

    def joints(self, states: Array) -> Array:
        """Return joint positions as the encoders count them [rad]. Shape (n, 4)."""
        return np.rint(states[:, self._q] / self._tick) * self._tick

    def speeds(self, states: Array) -> Array:
        """Return joint velocities [rad/s]. Shape (n, 4)."""
        return states[:, self._v]

    def tool(self, joints: Array) -> Array:
        """Return where the tool is, in the base frame, which is the world's [m]. Shape (n, 3)."""
        return self.chain.forward(joints)[:, :3, 3]

    def opening(self, states: Array) -> Array:
        """Return the position of the finger as its encoder counts it [m]. Shape (n, 1)."""
        tick = self.gripper.resolution
        return (np.rint(states[:, self._finger] / tick) * tick)[:, None]

    def cube_position(self, states: Array) -> Array:
        """Return the middle of the cube [m]. Shape (n, 3)."""
        return states[:, self.cube[:3]]

    # --- what the servos are given, for many states

    def next_commands(self, commands: Array, actions: Array) -> Array:
        """Return the setpoints after an action. Shape (n, 5).

        The first four numbers of an action are joint velocities, as parts of the max; a fifth one
        is where the gripper shall go, from closed (-1) to open (1).
        """
        after = commands.copy()
        moved = commands[:, :4] + actions[:, :4] * (self.speed * PERIOD)
        after[:, :4] = np.clip(moved, self.chain.dh.lower, self.chain.dh.upper)
        if actions.shape[1] > 4:
            closed, opened = self.gripper.closed, self.gripper.open
            after[:, 4] = closed + (actions[:, 4] + 1.0) * 0.5 * (opened - closed)
        return after

    def controls(self, before: Array, after: Array) -> Array:
        """Return what the actuators are given between two setpoints. Shape (n, controls)."""
        controls = np.repeat(self.control[None], len(after), axis=0)
        controls[:, self._inputs] = after[:, :4]
        controls[:, self._inputs + 1] = (after[:, :4] - before[:, :4]) / PERIOD
        controls[:, self._grip] = after[:, 4]
        return controls


def _input(model: mujoco.MjModel, actuator: str) -> int:
    """Return the first control of an actuator."""
    return int(model.actuator_ctrladr[model.actuator(actuator).id])
