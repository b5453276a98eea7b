"""An inertial sensor: turn rates and accelerations about three axes."""

from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import Imu
from mecano.robots.legged import ImuFacts
from mecano.world.world import World


class ImuSensor:
    """Reads a gyro and an accelerometer of the model; the gyro's bias is drawn once per run."""

    def __init__(
        self, world: World, facts: ImuFacts, *, prefix: str, noise: np.random.Generator | None
    ) -> None:
        """Look up both.

        Args:
            world: Where they are.
            facts: Their names, rate and errors.
            prefix: Of the robot in the world.
            noise: Source of the errors; None reads without.
        """
        self.name, self.rate, self.facts = f"{prefix}imu", facts.rate, facts
        self._data, self._noise = world.data, noise
        names = (facts.gyro, facts.accelerometer)
        first = [int(world.model.sensor(prefix + name).adr[0]) for name in names]
        self._gyro, self._accelerometer = (slice(a, a + 3) for a in first)
        self.bias = np.zeros(3)
        """Constant error of the turn rates [rad/s]."""
        if noise is not None:
            self.bias = facts.turn_bias * noise.standard_normal(3)
        self.sample()

    def sample(self) -> None:
        """Take a new reading; it stands until the next one."""
        rates = self._data.sensordata[self._gyro].copy()
        accelerations = self._data.sensordata[self._accelerometer].copy()
        self._clean = self._reading = self._data.time, rates, accelerations
        if self._noise is not None:
            errors = self._noise.standard_normal((2, 3))
            rates = rates + self.bias + self.facts.turn_noise * errors[0]
            accelerations = accelerations + self.facts.acceleration_noise * errors[1]
            self._reading = self._data.time, rates, accelerations

    @property
    def reading(self) -> tuple[float, Array, Array]:
        """Stamp [s], turn rates [rad/s] and accelerations [m/s2] of the newest reading."""
        return self._reading

    @property
    def turn_rate(self) -> Array:
        """Newest turn rates in the sensor's axes [rad/s]. Shape (3,)."""
        return self._reading[1]

    @property
    def acceleration(self) -> Array:
        """Newest accelerations; at rest it reads upwards by 9.81 [m/s2]. Shape (3,)."""
        return self._reading[2]

    def read(self, *, clean: bool = False) -> Imu:
        """Return the newest reading as a message; `clean` is it without noise."""
        stamp, rates, accelerations = self._clean if clean else self._reading
        return Imu(
            stamp=stamp, frame="imu", angular_velocity=rates, linear_acceleration=accelerations
        )

    def memory(self) -> Any:
        """Return what it must know to go on from here."""
        return self._reading, self._clean, self.bias

    def recall(self, memory: Any) -> None:
        """Go on from there."""
        self._reading, self._clean, self.bias = memory
