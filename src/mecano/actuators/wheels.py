"""Driven wheels: motors that keep a rate, as far as their torque allows."""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.world.world import World


class Wheels:
    """The driven wheels of a base, commanded together. A command holds until the next one."""

    def __init__(self, world: World, names: Sequence[str], *, prefix: str = "") -> None:
        """Look up the motors once; they stand still."""
        self.name, self.names, self._world = f"{prefix}wheels", tuple(names), world
        motors = np.array([world.index("actuator", prefix + name) for name in names])
        self._controls = world.model.actuator_ctrladr[motors]

    def command(self, rates: Array) -> None:
        """Let the wheels turn at these rates [rad/s]."""
        rates = np.asarray(rates, float)
        if rates.shape != self._controls.shape or not isfinite(rates.dot(rates)):
            raise InvalidInput(
                f"{len(self.names)} finite wheel rates are needed [rad/s], got {rates.tolist()}"
            )
        self._world.data.ctrl[self._controls] = rates

    def stop(self) -> None:
        """Let the wheels stand still."""
        self.command(np.zeros(len(self.names)))
