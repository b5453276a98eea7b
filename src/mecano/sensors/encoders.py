"""Joint encoders: position in ticks, velocity, and the effort the motor makes."""

from collections.abc import Sequence

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import JointState
from mecano.world.world import World


class JointEncoders:
    """The encoders of some joints, read together."""

    def __init__(
        self,
        world: World,
        names: Sequence[str],
        *,
        prefix: str = "",
        rate: float,
        resolution: Array,
    ) -> None:
        """Look up the joints once.

        Args:
            world: Where they are.
            names: Joint names without the prefix, in the order of the readings.
            prefix: Of the robot in the world.
            rate: Readings per second [Hz].
            resolution: One tick of each encoder [rad or m]; zero reads exactly.
        """
        self.name, self.rate, self.names = f"{prefix}joints", rate, tuple(names)
        joints = [world.model.joint(prefix + name) for name in names]
        self._world = world
        self._positions = np.array([joint.qposadr[0] for joint in joints])
        self._velocities = np.array([joint.dofadr[0] for joint in joints])
        self._actuators = np.array([world.index("actuator", prefix + name) for name in names])
        self._resolution = np.asarray(resolution, float)
        self._ticks = np.where(self._resolution > 0.0, self._resolution, 1.0)
        self._exact = not (self._resolution > 0.0).any()
        self.sample()

    def sample(self) -> None:
        """Take a new reading; `read` and the arrays give it until the next one."""
        data = self._world.data
        self.stamp = data.time
        position = data.qpos[self._positions]
        if not self._exact:
            in_ticks = np.rint(position / self._ticks) * self._ticks
            position = np.where(self._resolution > 0.0, in_ticks, position)
        self.position = position
        self.velocity = data.qvel[self._velocities]
        self.effort = data.actuator_force[self._actuators]

    def read(self) -> JointState:
        """Return the newest reading as a message."""
        return JointState(
            stamp=self.stamp,
            name=self.names,
            position=self.position,
            velocity=self.velocity,
            effort=self.effort,
        )
