"""What a path is made of, shapes with their facings, and the places on it."""

import math
from dataclasses import dataclass, replace

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, Pose2, quaternion_conjugate, quaternion_multiply
from mecano.planning.path_facings import Facing, rotation_vector, short_way
from mecano.planning.path_shapes import PlanarOrSpatial, Segments, Shape

SMOOTH = math.radians(0.5)
"""Corners and jumps of the heading below this are taken as round-off of the points [rad]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PathPoint:
    """A place on a path, or many: each field has the shape of the asked arc lengths in front."""

    s: Array
    """Arc length from the start [m]. Shape (...)."""
    position: Array
    """[m]. Shape (..., 2) on the floor, (..., 3) in space."""
    tangent: Array
    """Unit vector along the path; at a corner, the one after it."""
    bending: Array
    """How fast the tangent turns: points to the centre of the curve, 1 / radius long [1/m]."""
    orientation: Array | None
    """Headings in (-pi, pi] [rad], shape (...), on the floor; quaternions wxyz, shape (..., 4), in
    space. None: not asked for."""
    turning: Array | None
    """How fast the orientation turns [rad/m]: counter-clockwise on the floor, shape (...); as a
    vector in the frame of the path in space, shape (..., 3)."""

    @property
    def planar(self) -> bool:
        """Whether it lies on the floor."""
        return self.position.shape[-1] == 2

    @property
    def pose(self) -> PlanarOrSpatial:
        """The pose of a single place."""
        return single_pose(self.position, self.orientation)


@dataclass(frozen=True, eq=False)
class Kink:
    """A corner, or a place where the orientation jumps."""

    s: float
    """[m]."""
    before: PathPoint
    after: PathPoint

    @property
    def angle(self) -> float:
        """Between the tangents, from 0 to pi [rad]."""
        gap = np.linalg.norm(self.before.tangent - self.after.tangent)
        total = np.linalg.norm(self.before.tangent + self.after.tangent)
        return 2.0 * math.atan2(gap, total)

    @property
    def turn(self) -> Array:
        """How the orientation jumps, the short way [rad]: counter-clockwise on the floor, shape ();
        as a rotation vector in space, shape (3,). A half turn on the floor is counter-clockwise."""
        a, b = self.before.orientation, self.after.orientation
        if a is None or b is None:
            return np.zeros(())
        if self.before.planar:
            return short_way(b - a)
        return rotation_vector(quaternion_multiply(b, quaternion_conjugate(a)))


@dataclass(frozen=True, eq=False)
class Part:
    """A shape and the orientations along it."""

    shape: Shape
    facing: Facing

    def at(self, s: Array) -> PathPoint:
        """Return the places at arc lengths (n,) from the start of this part [m]."""
        return self._point(s, *self.shape.locate(s))

    def _point(self, s: Array, position: Array, tangent: Array, bending: Array) -> PathPoint:
        orientation, turning = self.facing.at(s, tangent, bending)
        return PathPoint(
            s=s, position=position, tangent=tangent, bending=bending,
            orientation=orientation, turning=turning,
        )  # fmt: skip

    def corners(self) -> list[tuple[float, PathPoint, PathPoint]]:
        """Return arc length and the places before and after each inner point of a polyline."""
        if not isinstance(self.shape, Segments):
            return []
        s = self.shape.breaks
        position, tangent, bending = self.shape.locate(s)
        rows = [slice(i, i + 1) for i in range(len(s))]
        return [
            (
                float(s[i]),
                self._point(s[rows[i]], position[rows[i]], tangent[rows[i - 1]], bending[rows[i]]),
                self._point(s[rows[i]], position[rows[i]], tangent[rows[i]], bending[rows[i]]),
            )
            for i in range(1, len(s) - 1)
        ]

    def reversed(self) -> "Part":
        """Return the way back."""
        return Part(self.shape.reversed(), self.facing.reversed(self.shape.length))

    def moved(self, pose: PlanarOrSpatial) -> "Part":
        """Return it in another frame."""
        return Part(self.shape.moved(pose), self.facing.moved(pose))


def kink_between(s: float, before: PathPoint, after: PathPoint) -> Kink:
    """Return what happens at an arc length [m] between two places, each given as a list of one."""

    def alone(point: PathPoint) -> PathPoint:
        names = ("position", "tangent", "bending", "orientation", "turning")
        values = {name: getattr(point, name) for name in names}
        single = {name: None if value is None else value[0] for name, value in values.items()}
        return replace(point, s=np.array(s), **single)

    return Kink(s, alone(before), alone(after))


def single_pose(position: Array, orientation: Array | None) -> PlanarOrSpatial:
    """Return the pose of one position and its orientation."""
    if position.ndim != 1:
        raise InvalidInput(f"there are {position.size // position.shape[-1]} places, not one pose")
    if orientation is None:
        raise InvalidInput("this path has positions only; give its points as poses for a pose")
    if len(position) == 2:
        return Pose2(position[0], position[1], float(orientation))
    return Pose(position, orientation)
