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
        self.rotation = np.eye(3)
        """`R_start_body`."""
        self.up: Array | None = None
        """In the start's frame, of length 1; None before the first reading."""
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
        if still and self._age > SETTLING:
            self._still = min(self._still + passed, LEARNING)
            self.bias = self.bias + (turn_rate - self.bias) * (passed / self._still)
        turn = (turn_rate - self.bias) * passed
        size = float(np.linalg.norm(acceleration))
        steady = abs(size - GRAVITY) < SHAKEN * GRAVITY
        if steady:
            seen = self.rotation @ (acceleration / size)
            if self.up is None:
                self.up = seen
            quick = self._age < SETTLING
            if quick:  # standing still: what is seen as up is averaged
                self.up = self.up + QUICKLY * passed * (seen - self.up)
                self.up = self.up / np.linalg.norm(self.up)
            else:
                turn = turn + SLOWLY * passed * (self.rotation.T @ _cross(seen, self.up))
        self._age += passed
        self.rotation = self.rotation @ rotation_of(turn)

    @property
    def gravity(self) -> Array | None:
        """Direction of gravity in the body's axes, of length 1; None before the first reading."""
        return None if self.up is None else -(self.rotation.T @ self.up)

    def memory(self) -> tuple:
        """Return what it must know to go on from here."""
        return self.rotation, self.up, self.bias, self._age, self._still

    def recall(self, memory: tuple) -> None:
        """Go on from there."""
        self.rotation, self.up, self.bias, self._age, self._still = memory


def _cross(a: Array, b: Array) -> Array:
    """Return the cross product; numpy's takes five times as long for one pair."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def rotation_of(vector: Array) -> Array:
    """Return the rotation about a vector by its length [rad]. Shape (3, 3)."""
    angle = float(np.sqrt(vector @ vector))
    x, y, z = vector
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < 1e-6:
        return np.eye(3) + K + 0.5 * K @ K
    return (
        np.eye(3) + np.sin(angle) / angle * K + (1.0 - np.cos(angle)) / angle**2 * (K @ K)
    )
