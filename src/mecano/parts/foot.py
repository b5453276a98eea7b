"""One leg that stands on a foot without a cup: where the foot is, which joints bring it there."""

from itertools import product

import numpy as np
from scipy.spatial.transform import Rotation

from mecano.core.arrays import Array
from mecano.parts.arm import Arm

DAMPING = 1e-6
"""Of the steps to a solution [m2]."""
EXACT, ITERATIONS = 1e-5, 30
"""A foot is at a point within this [m], found in so many steps or not at all."""
BENDS = (0.2, 0.6)
"""How far the joints of a stretched leg are bent to look for a solution [rad]."""


class Foot:
    """A leg, seen from the body."""

    def __init__(self, arm: Arm, T_body_chain: Array, sole: Array, radius: float) -> None:
        """Take the leg.

        Args:
            arm: The leg.
            T_body_chain: Base of its table in the frame of the body.
            sole: What it stands on, in the frame of its tool [m]: the centre of a ball, or a point.
            radius: Of that ball, on which it rolls; 0 for a point [m].
        """
        self.arm, self._T, self._R = arm, T_body_chain, T_body_chain[:3, :3]
        self._sole, self.radius = sole, radius

    def at(self, q: Array) -> Array:
        """Return where the foot is in the frame of the body [m]. Shape (3,)."""
        T = self._T @ self.arm.chain.forward(q)
        return T[:3, 3] + T[:3, :3] @ self._sole

    def rotation(self, q: Array) -> Array:
        """Return how its last link is turned, in the frame of the body. Shape (3, 3)."""
        return self._R @ self.arm.chain.forward(q)[:3, :3]

    def rolled(self, before: Array, after: Array) -> Array:
        """Return how far the ball rolls while the link turns, without slip [m]. Shape (2,).

        Args:
            before: Rotation of the link in a level frame. Shape (3, 3).
            after: The same later.
        """
        if self.radius == 0.0:
            return np.zeros(2)
        x, y, _ = Rotation.from_matrix(after @ before.T).as_rotvec()
        return self.radius * np.array([y, -x])

    def bent(self, point: Array, start: Array) -> Array | None:
        """Return `joints`, also from a stretched leg, in which no small step bends it."""
        found = self.joints(point, start)
        chain, n = self.arm.chain.dh, len(start)
        for size in BENDS:
            for signs in product((1.0, -1.0), repeat=max(n - 1, 0)):
                if found is not None:
                    return found
                near = start + size * np.array([0.0, *signs])
                found = self.joints(point, np.clip(near, chain.lower, chain.upper))
        return found

    def joints(self, point: Array, start: Array) -> Array | None:
        """Return joint values that bring the foot to a point of the body's frame, near others.

        Args:
            point: [m]. Shape (3,).
            start: Joint values to begin from; the nearest solution is meant.

        Returns:
            None if the leg does not reach the point.
        """
        chain, q = self.arm.chain.dh, start.copy()
        for _ in range(ITERATIONS):
            off = point - self.at(q)
            if off @ off < EXACT**2:
                return q
            J = self._jacobian(q)
            step = J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(3), off)
            q = np.clip(q + np.clip(step, -0.2, 0.2), chain.lower, chain.upper)
        return None

    def load(self, q: Array, force: float) -> Array:
        """Return the joint torques with which the foot presses down on the floor [N m].

        Args:
            q: Joint values. Shape (n,).
            force: [N].
        """
        return self._jacobian(q)[2] * -force

    def pressed(self) -> float:
        """Return the force with which the foot presses down, by the motors' torques [N]."""
        q, arm = self.arm.position, self.arm
        torque = arm.effort - arm.dynamics.gravity_torque(q)
        return -float(np.linalg.lstsq(self._jacobian(q).T, torque, rcond=1e-3)[0][2])

    def _jacobian(self, q: Array) -> Array:
        """Return that of the foot in the frame of the body. Shape (3, n)."""
        chain = self.arm.chain
        linear, angular = np.split(chain.dh.jacobian(q), 2)
        lever = chain.forward(q)[:3, :3] @ self._sole
        return self._R @ (linear - np.cross(lever, angular.T).T)
