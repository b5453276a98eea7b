"""What an arm and a gripper see of a bank of servos: the same protocols as in simulation."""

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import JointState
from mecano.hardware.dynamixel.bank import TORQUE_PER_AMPERE, ServoBank

EFFICIENCY = 0.72
"""Share of the motor's force that reaches the fingers (EST: 30 N of 42 N at 0.54 A)."""


class ServoJoints:
    """The encoders of some joints."""

    def __init__(self, bank: ServoBank, rows: slice) -> None:
        """Look at some rows of a bank."""
        self._bank, self._rows = bank, rows
        self.names = tuple(wire.joint for wire in bank.wires[rows])

    @property
    def position(self) -> Array:
        """Joint values [rad or m]."""
        return self._bank.position[self._rows]

    @property
    def velocity(self) -> Array:
        """[rad/s or m/s]."""
        return self._bank.velocity[self._rows]

    @property
    def effort(self) -> Array:
        """Torques by the motors' currents [N m]."""
        return self._bank.effort[self._rows]

    @property
    def reading(self) -> tuple[float, Array, Array, Array]:
        """Stamp [s], positions, velocities, efforts of the newest reading."""
        return (
            self._bank.stamp, self.position.copy(), self.velocity.copy(), self.effort.copy()
        )  # fmt: skip

    def read(self, *, clean: bool = False) -> JointState:
        """Return the newest reading as a message."""
        stamp, position, velocity, effort = self.reading
        return JointState(
            stamp=stamp, name=self.names, position=position, velocity=velocity, effort=effort
        )


class FingerJoint(ServoJoints):
    """The encoder of a gripper; its effort is the force of both fingers."""

    def __init__(self, bank: ServoBank, rows: slice, metres_per_radian: float) -> None:
        """Look at one row; the crank turns torque into force."""
        super().__init__(bank, rows)
        self._crank = metres_per_radian

    @property
    def velocity(self) -> Array:
        """How fast each finger moves [m/s]."""
        return self._bank.velocity[self._rows] * self._crank

    @property
    def effort(self) -> Array:
        """Force of both fingers together [N]."""
        return EFFICIENCY * self._bank.effort[self._rows] / self._crank


class FingerServo:
    """The servo of a gripper: goals with a limited current."""

    def __init__(self, bank: ServoBank, rows: slice, metres_per_radian: float) -> None:
        """Command one row of a bank."""
        self._bank, self._rows, self._crank = bank, rows, metres_per_radian
        self._goal = float(bank.position[rows][0])

    def command(self, position: float, force: float | None = None) -> None:
        """Send the fingers to a joint value [m] with at most this force each [N]."""
        self._goal = position
        if force is not None:
            torque = 2.0 * force * self._crank / EFFICIENCY
            self._bank.limit_current({self._bank.ids[self._rows.start]: torque / TORQUE_PER_AMPERE})

    def step(self) -> None:
        """Move the goal towards where the fingers were sent, as fast as they may go."""
        now = float(self._bank.goal[self._rows][0])
        reach = float(self._bank.fastest[self._rows][0]) * self._bank.tick
        step = min(max(self._goal - now, -reach), reach)
        self._bank.command(self._rows, np.array([now + step]))
