"""Joint encoders: position in ticks, velocity, and the effort the motor makes."""

from collections.abc import Sequence
from typing import Any

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
        effort_noise: tuple[Array, np.random.Generator] | None = None,
    ) -> None:
        """Look up the joints once.

        Args:
            world: Where they are.
            names: Joint names without the prefix, in the order of the readings.
            prefix: Of the robot in the world.
            rate: Readings per second [Hz].
            resolution: One tick of each encoder [rad or m].
            noise: Source of noise on positions and velocities; None reads without.
            effort_noise: Spread of the efforts [N m or N] and its source; None reads without.
        """
        self.name, self.rate, self.names = f"{prefix}joints", rate, tuple(names)
        joints = [world.model.joint(prefix + name) for name in names]
        self._world, self._noise, self._effort_noise = world, noise, effort_noise
        actuators = [world.motor(prefix + name) for name in names]
        self._positions = copier(world.data.qpos, [joint.qposadr[0] for joint in joints])
        self._velocities = copier(world.data.qvel, [joint.dofadr[0] for joint in joints])
        self._efforts = copier(world.data.actuator_force, actuators)
        if (world.model.actuator_gear[actuators, 0] != 1.0).any():  # geared: torque at the joint
            dofs = [joint.dofadr[0] for joint in joints]
            self._efforts = copier(world.data.qfrc_actuator, dofs)
        self._tick = np.asarray(resolution, float)
        self.zeros = np.zeros(len(names))
        """How far the encoders' zeros are off: what they read too much [rad or m]."""
        self._taken: Any = None
        """What the joints did at the newest reading, their zeros then, and errors drawn for it."""
        self._counted: tuple[Any, Any] = None, None
        """That, and what was read."""
        self.sample()

    def sample(self) -> None:
        """Take a new reading; it stands until the next one, and is counted when it is looked at."""
        errors = None if self._noise is None else self._noise.standard_normal((2, len(self.names)))
        position, velocity, effort = self._positions(), self._velocities(), self._efforts()
        wrong = 0.0
        if self._effort_noise is not None:
            spread, source = self._effort_noise
            wrong = spread * source.standard_normal(len(spread))
        self._taken = self._world.time, position, velocity, effort, self.zeros, errors, wrong

    def _count(self) -> tuple[Reading, Reading]:
        """Return the newest reading, and the same without noise."""
        taken, counted = self._taken, self._counted
        if taken is not counted[0]:  # not a flag: a thread may look while another one samples
            now, position, velocity, effort, zeros, errors, wrong = taken
            ticks = (position + zeros) / self._tick
            reading = clean = now, np.rint(ticks) * self._tick, velocity, effort
            if errors is not None:
                noisy = np.rint(ticks + NOISE_TICKS * errors[0])
                shake = NOISE_SPEED * self._tick * errors[1]
                reading = now, noisy * self._tick, velocity + shake, effort + wrong
            self._counted = counted = taken, (reading, clean)
        return counted[1]

    @property
    def reading(self) -> Reading:
        """The newest reading; devices that read otherwise set it."""
        return self._count()[0]

    @reading.setter
    def reading(self, reading: Reading) -> None:
        self._counted = self._taken, (reading, reading)

    @property
    def clean(self) -> Reading:
        """The newest reading without noise."""
        return self._count()[1]

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

    def memory(self) -> Any:
        """Return what it must know to go on from here."""
        return self._taken

    def recall(self, memory: Any) -> None:
        """Go on from there."""
        self._taken = memory
