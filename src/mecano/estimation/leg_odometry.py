"""Where a body on legs is, from its joints and the feet that hold.

A foot that takes hold stays where it is: its *anchor*. All anchors are points of one frame, the
surface's, which is the body's frame at the start. The pose of the body is the one that brings the
measured tips of the holding legs onto their anchors, in the sense of least squares. A new anchor is
put where the foot really is by that pose, not where it was planned to be.

What the legs cannot see (servo zeros that are off) adds up over the steps. A heading measured
otherwise can be given (`turn_towards`): the anchors are then turned about the body, slowly.
"""

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.errors import InvalidInput


class LegOdometry:
    """Anchors of feet and the pose of the body among them."""

    def __init__(self, tips: Array) -> None:
        """Begin with all feet where they are; the surface's frame is the body's.

        Args:
            tips: Measured, in the body's frame [m]. Shape (legs, 3).
        """
        from mecano.estimation.leg_odometry_kernel import fit_from

        self._fit = fit_from
        self.anchors = np.array(tips, float)
        """Where the tips of holding legs are, in the surface's frame [m]. Shape (legs, 3)."""
        self.rotation, self.position = np.eye(3), np.zeros(3)
        """`R_surface_body` and the body's origin [m]."""

    def update(self, tips: Array, holding: Mask) -> None:
        """Find the pose from the measured tips of the legs that hold.

        With two or fewer feet the pose is not determined, and the last one stands.
        """
        self._fit(tips, self.anchors, holding, self.rotation, self.position)

    def anchor(self, leg: int, tip: Array) -> None:
        """Note that a foot has taken hold where its tip is now; `leg` counts from 0."""
        self.anchors[leg] = self.place(tip)

    def place(self, points: Array) -> Array:
        """Return points of the body's frame in the surface's [m]. Shape (..., 3)."""
        return points @ self.rotation.T + self.position

    def seen(self, points: Array) -> Array:
        """Return points of the surface's frame in the body's [m]. Shape (..., 3)."""
        return (points - self.position) @ self.rotation

    @property
    def yaw(self) -> float:
        """How far the body has turned about the normal of the surface's frame [rad]."""
        return float(np.arctan2(self.rotation[1, 0], self.rotation[0, 0]))

    def turn_by(self, angle: float) -> None:
        """Turn what was estimated so far about the body's place, by an angle about z [rad]."""
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        self.anchors = (self.anchors - self.position) @ R.T + self.position
        self.rotation = R @ self.rotation

    def plane(self, holding: Mask) -> tuple[Array, Array]:
        """Return the unit normal of the plane through the anchors, and a point of it [m]."""
        points = self.anchors[holding]
        if len(points) < 3:
            raise InvalidInput(f"a plane needs 3 feet that hold, there are {len(points)}")
        middle = points.mean(axis=0)
        _, _, axes = np.linalg.svd(points - middle)
        return axes[2] * np.sign(axes[2, 2]), middle

    def memory(self) -> tuple:
        """Return what it must know to go on from here."""
        return self.anchors.copy(), self.rotation.copy(), self.position.copy()

    def recall(self, memory: tuple) -> None:
        """Go on from there."""
        self.anchors, self.rotation, self.position = (each.copy() for each in memory)


def fit_pose(points: Array, targets: Array) -> tuple[Array, Array]:
    """Return rotation and shift that bring points onto targets, in least squares.

    The rotation comes from the singular value decomposition of their covariance, without mirroring.
    """
    middle, goal = points.mean(axis=0), targets.mean(axis=0)
    U, _, Vt = np.linalg.svd((points - middle).T @ (targets - goal))
    turn = np.diag([1.0, 1.0, np.sign(np.linalg.det(Vt.T @ U.T))])
    R = Vt.T @ turn @ U.T
    return R, goal - R @ middle
