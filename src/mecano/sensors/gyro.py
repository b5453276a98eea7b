"""A gyro on a base: its rate of turning, and the heading that this adds up to.

Errors of the real one: every reading is a little off, the rate at rest is not quite zero and
wanders, and the scale is not quite one. Bias and scale are drawn once per run.
"""

from dataclasses import dataclass
from math import atan2, sqrt

import mujoco
import numpy as np

from mecano.core.poses import wrap_angle
from mecano.robots.mobile import GyroFacts
from mecano.world.world import World


@dataclass(frozen=True)
class GyroReading:
    """What a gyro says at one instant."""

    rate: float = 0.0
    """[rad/s]."""
    heading: float = 0.0
    """Since the start; it is not wrapped [rad]."""


@dataclass(frozen=True)
class GyroMemory:
    """All that the next reading depends on."""

    stamp: float
    """Of the last reading [s]."""
    bias: float
    """Rate at rest [rad/s]."""
    scale: float
    """Error of scale."""
    drift: float = 0.0
    """What the errors have added up to in the heading [rad]."""
    clean: GyroReading = GyroReading()
    """The last reading as it should be."""
    reading: GyroReading = GyroReading()
    """The last reading as it is."""


class Gyro:
    """Reads how a site turns about its own z axis."""

    def __init__(
        self, world: World, facts: GyroFacts, *, prefix: str, noise: np.random.Generator | None
    ) -> None:
        """Look up the site; with noise, draw bias and scale."""
        self._world, self._facts, self._noise = world, facts, noise
        self._site = world.index("site", prefix + facts.site)
        bias, scale = (0.0, 0.0) if noise is None else noise.standard_normal(2).tolist()
        self._refresh()
        self._start = self._true_yaw()
        self.memory = GyroMemory(world.time, bias * facts.bias, scale * facts.scale)

    @property
    def reading(self) -> GyroReading:
        """The newest reading."""
        return self.memory.reading

    @property
    def clean(self) -> GyroReading:
        """The same without any error."""
        return self.memory.clean

    def sample(self) -> None:
        """Take a new reading."""
        self._refresh()
        last, now = self.memory, self._world.time
        rate, passed = self._true_rate(), now - last.stamp
        heading = last.clean.heading + wrap_angle(
            self._true_yaw() - self._start - last.clean.heading
        )
        bias, error = last.bias, 0.0
        if self._noise is not None:
            white, walk = self._noise.standard_normal(2).tolist()
            bias += walk * self._facts.wander * sqrt(max(passed, 0.0))
            error = bias + last.scale * rate + white * self._facts.noise
        drift = last.drift + error * passed
        self.memory = GyroMemory(
            now, bias, last.scale, drift,
            clean=GyroReading(rate, heading),
            reading=self._digital(rate + error, heading + drift),
        )  # fmt: skip

    def _refresh(self) -> None:
        """Bring poses and velocities up to the state: a step leaves those of the one before."""
        model, data = self._world.model, self._world.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)

    def _true_yaw(self) -> float:
        turned = self._world.data.site_xmat[self._site]
        return atan2(turned[3], turned[0])

    def _true_rate(self) -> float:
        velocity = np.empty(6)
        mujoco.mj_objectVelocity(
            self._world.model, self._world.data, mujoco.mjtObj.mjOBJ_SITE, self._site, velocity, 1
        )
        return float(velocity[2])

    def _digital(self, rate: float, heading: float) -> GyroReading:
        """Round to the digits of the sensor; a faster turn than it reads is cut off."""
        facts = self._facts
        rate = min(max(rate, -facts.fastest), facts.fastest)
        return GyroReading(
            round(rate / facts.resolution) * facts.resolution,
            round(heading / facts.heading_resolution) * facts.heading_resolution,
        )
