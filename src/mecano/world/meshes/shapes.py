"""Simple shapes around a mesh: a box, a cylinder, a sphere."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import UnknownName
from mecano.world.meshes.mesh import Mesh, normals_of

LARGEST_FACES = 200
"""Faces of the hull that a box is laid along."""
ROUNDS = 1000
"""Steps towards the centre of the smallest ball."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """A box, cylinder or sphere that holds every vertex of a mesh."""

    kind: str
    size: tuple[float, ...]
    """As MJCF has it [m]: half edges; radius and half length; radius."""
    position: Array
    """Of its middle, in the frame of the mesh [m]."""
    axes: Array
    """Its x, y and z axis as columns. Shape (3, 3)."""

    @property
    def lowest(self) -> float:
        """The smallest z that it reaches in the frame of the mesh [m]."""
        upward = np.abs(self.axes[2])  # how much each of its axes points up or down
        if self.kind == "box":
            reach = upward @ np.array(self.size)
        elif self.kind == "cylinder":
            reach = np.hypot(upward[0], upward[1]) * self.size[0] + upward[2] * self.size[1]
        else:
            reach = self.size[0]
        return float(self.position[2] - reach)

    @property
    def volume(self) -> float:
        """[m3]."""
        if self.kind == "box":
            return 8.0 * float(np.prod(self.size))
        if self.kind == "cylinder":
            return 2.0 * np.pi * self.size[0] ** 2 * self.size[1]
        return 4.0 / 3.0 * np.pi * self.size[0] ** 3


def fit(mesh: Mesh, kind: str) -> Shape:
    """Return a small box, cylinder or sphere around a mesh; of those tried, the smallest.

    Boxes are tried along the axes, along the main axes of inertia and along faces of the hull,
    cylinders along the first two.
    """
    if kind not in FITS:
        raise UnknownName("fit", kind, FITS)
    return FITS[kind](mesh.hull())


def _sphere(hull: Mesh) -> Shape:
    centre, radius = _ball(hull.vertices)
    return Shape(kind="sphere", size=(radius,), position=centre, axes=np.eye(3))


def _cylinder(hull: Mesh) -> Shape:
    found = []
    for frame in (np.eye(3), _main_axes(hull)):
        for turn in range(3):
            axes = np.roll(frame, turn, axis=1)
            places = hull.vertices @ axes
            centre, radius = _ball(places[:, :2])
            low, high = places[:, 2].min(), places[:, 2].max()
            position = axes @ np.array([*centre, (low + high) / 2.0])
            size = (radius, float(high - low) / 2.0)
            found.append(Shape(kind="cylinder", size=size, position=position, axes=axes))
    return min(found, key=lambda shape: shape.volume)


def _box(hull: Mesh) -> Shape:
    frames = [np.eye(3), _main_axes(hull)]
    corners, normals = hull.corners, normals_of(hull.corners)
    areas = np.linalg.norm(normals, axis=1)
    for face in np.argsort(-areas)[:LARGEST_FACES]:
        up = normals[face] / areas[face]
        for k in range(3):
            along = corners[face, k] - corners[face, k - 1]
            along = along / np.linalg.norm(along)
            frames.append(np.column_stack([along, np.cross(up, along), up]))
    found = []
    for axes in frames:
        places = hull.vertices @ axes
        low, high = places.min(axis=0), places.max(axis=0)
        size = tuple(((high - low) / 2.0).tolist())
        position = axes @ (low + high) / 2.0
        found.append(Shape(kind="box", size=size, position=position, axes=axes))
    smallest = min(shape.volume for shape in found)
    return next(shape for shape in found if shape.volume <= smallest * (1.0 + 1e-6))


FITS: dict[str, Callable[[Mesh], Shape]] = {"box": _box, "cylinder": _cylinder, "sphere": _sphere}


def _main_axes(hull: Mesh) -> Array:
    """Return the main axes of inertia as columns, right-handed."""
    axes = np.linalg.eigh(hull.mass_properties(1.0).inertia)[1]
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return axes


def _ball(points: Array) -> tuple[Array, float]:
    """Return centre and radius of a ball around points, in the plane or in space.

    Badoiu and Clarkson, "Smaller core-sets for balls", SODA 2003: a step towards the farthest
    point, each shorter than the one before. It begins in the middle of the box around the points,
    which is the answer for most parts that have an axis.
    """
    centre = (points.min(axis=0) + points.max(axis=0)) / 2.0
    best, radius = centre, np.inf
    for step in range(1, ROUNDS):
        gaps = np.linalg.norm(points - centre, axis=1)
        farthest = int(gaps.argmax())
        if gaps[farthest] < radius:
            best, radius = centre, float(gaps[farthest])
        centre = centre + (points[farthest] - centre) / (step + 1.0)
    return best, radius * (1.0 + 1e-12)
