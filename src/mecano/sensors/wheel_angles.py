"""How far the wheels of a base have turned."""

from collections.abc import Sequence

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.world.world import World

DRAWN = "_turn"
"""A ball wheel `left` is drawn by a body on a hinge `left_turn`."""


class WheelAngles:
    """Angles of driven wheels: those of their hinges.

    A ball that is driven about one axis and free about another has no angle to read. After every
    step its rate is given to the hinge of what is drawn of it, so that the wheel is seen turning,
    and the hinge's angle, which is part of the world's state, is the encoder's.
    """

    def __init__(self, world: World, names: Sequence[str], *, prefix: str) -> None:
        """Look up joints and motors; both have the names of the wheels."""
        model, data = world.model, world.data
        joints = [model.joint(prefix + name) for name in names]
        if any(int(joint.type[0]) == mujoco.mjtJoint.mjJNT_BALL for joint in joints):
            joints = [model.joint(prefix + name + DRAWN) for name in names]
            self._rates = np.array([joint.dofadr[0] for joint in joints])
            self._motors = np.array([world.index("actuator", prefix + name) for name in names])
            self._speeds, self._motor_speeds = data.qvel, data.actuator_velocity
            world.after_step.append(self._turn)
        self._values = data.qpos
        self._angles = np.array([joint.qposadr[0] for joint in joints])

    def _turn(self) -> None:
        self._speeds[self._rates] = self._motor_speeds[self._motors]

    def read(self) -> Array:
        """Return the angles since the start [rad]; they do not wrap."""
        return self._values[self._angles]
