"""Joint encoders: position in ticks, velocity, and the effort the motor makes."""

from collections.abc import Sequence

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import JointState
from mecano.world.addresses import copier
from mecano.world.world import World

Reading = tuple[float, Array, Array, Array]
"""Stamp [s], positions, velocities, efforts."""

NOISE_TICKS = 1.0
"""Spread of a noisy position, in ticks of the encoder (EST)."""
NOISE_SPEED = 16.0
"""Spread of a noisy velocity, in ticks per second: the unit of XM430 servos, 0.229 rpm."""


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
        noise: np.random.Generator | None = None,
    ) -> None:
        """Look up the joints once.

        Args:
            world: Where they are.
            names: Joint names without the prefix, in the order of the readings.
            prefix: Of the robot in the world.
            rate: Readings per second [Hz].
            resolution: One tick of each encoder [rad or m].
            noise: Source of noise on the readings; None reads without.
        """
        self.name, self.rate, self.names = f"{prefix}joints", rate, tuple(names)
        joints = [world.model.joint(prefix + name) for name in names]
        self._world, self._noise = world, noise
        actuators = [world.index("actuator", prefix + name) for name in names]
        self._positions = copier(world.data.qpos, [joint.qposadr[0] for joint in joints])
        self._velocities = copier(world.data.qvel, [joint.dofadr[0] for joint in joints])
        self._efforts = copier(world.data.actuator_force, actuators)
        self._tick = np.asarray(resolution, float)
        self.zeros = np.zeros(len(names))
        """How far the encoders' zeros are off: what they read too much [rad or m]."""
        self.sample()

    def sample(self) -> None:
        """Take a new reading; it stands until the next one."""
        ticks = self._positions()
        ticks += self.zeros
        ticks /= self._tick
        velocity, effort, now = self._velocities(), self._efforts(), self._world.time
        if self._noise is not None:
            noisy = np.rint(ticks + NOISE_TICKS * self._noise.standard_normal(len(ticks)))
            shake = NOISE_SPEED * self._tick * self._noise.standard_normal(len(ticks))
            self.reading = now, noisy * self._tick, velocity + shake, effort
        np.rint(ticks, ticks)
        ticks *= self._tick
        self.clean = now, ticks, velocity, effort
        if self._noise is None:
            self.reading = self.clean

    @property
    def position(self) -> Array:
        """Joint values of the newest reading [rad or m]."""
        return self.reading[1]

    @property
    def velocity(self) -> Array:
        """Joint velocities of the newest reading [rad/s or m/s]."""
        return self.reading[2]

    @property
    def effort(self) -> Array:
        """Torques or forces of the newest reading [N m or N]."""
        return self.reading[3]

    def read(self, *, clean: bool = False) -> JointState:
        """Return the newest reading as a message; `clean` is it without noise."""
        stamp, position, velocity, effort = self.clean if clean else self.reading
        return JointState(
            stamp=stamp, name=self.names, position=position, velocity=velocity, effort=effort
        )

    def memory(self) -> tuple[Reading, Reading]:
        """Return what it must know to go on from here."""
        return self.reading, self.clean

    def recall(self, memory: tuple[Reading, Reading]) -> None:
        """Go on from there."""
        self.reading, self.clean = memory
