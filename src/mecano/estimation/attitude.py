"""Which way is up, and how far a body has turned, from turn rates and accelerations.

The gyro says how the body turns; adding that up drifts. The accelerometer says which way is up, as
long as the body is not shaken. A complementary filter takes the quick part from one and the slow
part from the other. About the vertical nothing corrects the drift; on a wall the vertical lies in
the surface, so there the heading does not drift.
"""

import numpy as np

from mecano.core.arrays import Array

QUICKLY, SLOWLY = 5.0, 0.1
"""How fast the accelerometer corrects the tilt at the start and later [1/s]."""
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
        self._age = 0.0

    def update(self, turn_rate: Array, acceleration: Array, passed: float) -> None:
        """Take in one reading.

        Args:
            turn_rate: In the body's axes [rad/s].
            acceleration: In the body's axes, gravity included [m/s2].
            passed: Time since the last reading [s].
        """
        turn = np.asarray(turn_rate, float) * passed
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
                turn = turn + SLOWLY * passed * (self.rotation.T @ np.cross(seen, self.up))
        self._age += passed
        self.rotation = self.rotation @ rotation_of(turn)

    @property
    def gravity(self) -> Array | None:
        """Direction of gravity in the body's axes, of length 1; None before the first reading."""
        return None if self.up is None else -(self.rotation.T @ self.up)

    def memory(self) -> tuple:
        """Return what it must know to go on from here."""
        return self.rotation, self.up, self._age

    def recall(self, memory: tuple) -> None:
        """Go on from there."""
        self.rotation, self.up, self._age = memory


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
