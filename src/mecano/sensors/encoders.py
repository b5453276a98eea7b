"""Joint encoders: position in ticks, velocity, and the effort the motor makes."""

from collections.abc import Sequence

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import JointState
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
        self._positions = np.array([joint.qposadr[0] for joint in joints])
        self._velocities = np.array([joint.dofadr[0] for joint in joints])
        self._actuators = np.array([world.index("actuator", prefix + name) for name in names])
        self._tick = np.asarray(resolution, float)
        self.zeros = np.zeros(len(names))
        """How far the encoders' zeros are off: what they read too much [rad or m]."""
        self.sample()

    def sample(self) -> None:
        """Take a new reading; it stands until the next one."""
        data = self._world.data
        ticks = (data.qpos[self._positions] + self.zeros) / self._tick
        velocity = data.qvel[self._velocities]
        effort = data.actuator_force[self._actuators]
        self.clean = self.reading = data.time, np.rint(ticks) * self._tick, velocity, effort
        if self._noise is not None:
            ticks = ticks + NOISE_TICKS * self._noise.standard_normal(len(ticks))
            spread = NOISE_SPEED * self._tick
            velocity = velocity + spread * self._noise.standard_normal(len(ticks))
            self.reading = data.time, np.rint(ticks) * self._tick, velocity, effort

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
