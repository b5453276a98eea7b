"""A second copy of a world, to look at: it is set to states and drawn, never stepped."""

import copy

import mujoco

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.world.world import STATE


class Mirror:
    """Shows states of a world without touching it: viewer, pictures and replay look here."""

    def __init__(self, model: mujoco.MjModel) -> None:
        """Copy the model, so that colours and sizes of what is drawn can be changed."""
        self.model = copy.copy(model)
        self.data = mujoco.MjData(self.model)
        self.state_size = mujoco.mj_stateSize(self.model, STATE)
        mujoco.mj_forward(self.model, self.data)

    def show(self, state: Array, *, forces: bool = False) -> None:
        """Take on a state, see `World.state`.

        Args:
            state: One row of numbers.
            forces: Compute contacts and forces too, not only poses; takes longer.
        """
        if len(state) != self.state_size:
            raise InvalidInput(
                f"a state of this world has {self.state_size} numbers, got {len(state)}"
            )
        mujoco.mj_setState(self.model, self.data, state, STATE)
        if forces:
            mujoco.mj_forward(self.model, self.data)
        else:
            mujoco.mj_kinematics(self.model, self.data)
            mujoco.mj_comPos(self.model, self.data)
            mujoco.mj_camlight(self.model, self.data)
