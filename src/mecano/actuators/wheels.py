"""Driven wheels: motors that keep a rate, as far as their torque allows; or give a torque."""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.world.addresses import addresses
from mecano.world.world import World


class Wheels:
    """The driven wheels of a base, commanded together. A command holds until the next one."""

    def __init__(self, world: World, names: Sequence[str], *, prefix: str = "") -> None:
        """Look up the motors once; they stand still."""
        self.name, self.names, self._world = f"{prefix}wheels", tuple(names), world
        self._motors = np.array([world.index("actuator", prefix + name) for name in names])
        self._controls = world.model.actuator_ctrladr[self._motors]
        self._places = addresses(self._controls.tolist())
        self._gains = world.model.actuator_gainprm[self._motors, 0]
        self._first, self._first_gain = (int(self._motors[0]), 0), float(self._gains[0])
        self._loops = memoryview(world.model.actuator_gainprm)
        self._commands, self._shape = world.data.ctrl, self._controls.shape

    @property
    def gains(self) -> Array:
        """Torque for a rate that is not kept, by the motors' own loops [N m s/rad]. Shape (n,)."""
        return self._gains.copy()

    def command(self, rates: Array, *, torques: Array | None = None) -> None:
        """Let the wheels turn at these rates [rad/s].

        Args:
            rates: One per wheel. Shape (n,).
            torques: Given on top of what the loops give [N m]; None is nothing. Shape (n,).
        """
        rates = self._checked(rates, "wheel rates are needed [rad/s]")
        if self._loops[self._first] != self._first_gain:
            self._set_loops(self._gains, -self._gains)
        if torques is not None:
            rates = rates + self._checked(torques, "torques are needed [N m]") / self._gains
        self._commands[self._places] = rates

    def push(self, torques: Array) -> None:
        """Let the motors give these torques [N m], within their limits; their loops are off."""
        torques = self._checked(torques, "torques are needed [N m]")
        # The engine limits commands to the fastest rate: at that number the motor gives its most.
        scale = self._most_torque() / self._world.model.actuator_ctrlrange[self._controls, 1]
        if self._loops[self._first] != scale[0]:
            self._set_loops(scale, np.zeros(len(scale)))
        self._commands[self._places] = torques / scale

    def _most_torque(self) -> Array:
        model = self._world.model
        if not (
            model.actuator_forcelimited[self._motors].all()
            and model.actuator_ctrllimited[self._controls].all()
        ):
            raise InvalidInput(
                f"the motors of {self.name} have no limits of torque and rate in the model, so "
                "they cannot be driven by torque; command rates"
            )
        return model.actuator_forcerange[self._motors, 1]

    def _set_loops(self, gains: Array, feedback: Array) -> None:
        model = self._world.model
        model.actuator_gainprm[self._motors, 0] = gains
        model.actuator_biasprm[self._motors, 2] = feedback

    def _checked(self, values: Array, what: str) -> Array:
        values = np.asarray(values, float)
        if values.shape != self._shape or not isfinite(sum(values.tolist())):
            raise InvalidInput(f"{len(self.names)} finite {what}, got {values.tolist()}")
        return values

    def stop(self) -> None:
        """Let the wheels stand still."""
        self.command(np.zeros(len(self.names)))
