"""Which way is up, and how far a body has turned, from turn rates and accelerations.

The gyro says how the body turns; adding that up drifts. The accelerometer says which way is up, as
long as the body is not shaken. A complementary filter takes the quick part from one and the slow
part from the other. About the vertical nothing corrects the drift but what was learned of the gyro
at rest; on a wall the vertical lies in the surface, so there the heading does not drift.
"""

import numpy as np

from mecano.core.arrays import Array

QUICKLY, SLOWLY = 5.0, 0.1
"""How fast the accelerometer corrects the tilt at the start and later [1/s]."""
LEARNING = 5.0
"""The gyro's bias is the mean over this time at rest [s]."""
SETTLING = 1.0
"""Time it corrects quickly, from the first reading on [s]."""
GRAVITY = 9.81
SHAKEN = 0.2
"""Accelerations that differ from gravity by more than this part of it are not looked at."""


class Attitude:
    """Adds up an IMU's readings. The frame it turns in is fixed; at the start it is the body's."""

    def __init__(self) -> None:
        """Begin unturned; the first acceleration says where up is."""
        from mecano.estimation.attitude_kernel import blend

        self._blend = blend
        self.rotation = np.eye(3)
        """`R_start_body`."""
        self._up, self._known = np.zeros(3), False
        self.bias = np.zeros(3)
        """What the gyro reads at rest [rad/s], as far as it is known."""
        self._age, self._still = 0.0, 0.0

    def update(
        self, turn_rate: Array, acceleration: Array, passed: float, *, still: bool = False
    ) -> None:
        """Take in one reading.

        Args:
            turn_rate: In the body's axes [rad/s].
            acceleration: In the body's axes, gravity included [m/s2].
            passed: Time since the last reading [s].
            still: Whether the body is known to be at rest; then the gyro's bias is learned.
        """
        settled = self._age > SETTLING
        learn = 0.0
        if still and settled:
            self._still = min(self._still + passed, LEARNING)
            learn = passed / self._still
        quick = 0.0 if settled else QUICKLY * passed if self._known else 1.0
        slow = SLOWLY if settled else 0.0
        self._blend(
            self.rotation, self._up, self.bias, turn_rate, acceleration, passed, learn, quick,
            slow, GRAVITY, SHAKEN,
        )  # fmt: skip
        self._known = self._known or bool(self._up.any())
        self._age += passed

    @property
    def gravity(self) -> Array | None:
        """Direction of gravity in the body's axes, of length 1; None before the first reading."""
        return -(self.rotation.T @ self._up) if self._known else None

    def memory(self) -> tuple:
        """Return what it must know to go on from here."""
        arrays = tuple(a.copy() for a in (self.rotation, self._up, self.bias))
        return arrays, self._known, self._age, self._still

    def recall(self, memory: tuple) -> None:
        """Go on from there."""
        arrays, self._known, self._age, self._still = memory
        self.rotation, self._up, self.bias = (a.copy() for a in arrays)


def rotation_of(vector: Array) -> Array:
    """Return the rotation about a vector by its length [rad]. Shape (3, 3)."""
    angle = float(np.sqrt(vector @ vector))
    x, y, z = vector
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < 1e-6:
        return np.eye(3) + K + 0.5 * K @ K
    return np.eye(3) + np.sin(angle) / angle * K + (1.0 - np.cos(angle)) / angle**2 * (K @ K)
