"""Simple shapes around a mesh: a box, a cylinder, a sphere."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import trimesh

from mecano.core.arrays import Array
from mecano.core.errors import UnknownName
from mecano.world.meshes.mesh import Mesh

ITERATIONS = 1000
"""Steps towards the centre of the smallest ball."""
GROWN = 1.0 + 1e-12
"""Sizes are this much larger, so that rounding leaves no vertex outside."""


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
    """Return a small box, cylinder or sphere around a mesh; a flat mesh has none and raises."""
    if kind not in FITS:
        raise UnknownName("fit", kind, FITS)
    hull = mesh.hull()
    middle = hull.vertices.mean(axis=0)
    size = float(np.abs(hull.vertices - middle).max())  # tolerances of trimesh are absolute
    shape = FITS[kind](trimesh.Trimesh((hull.vertices - middle) / size, hull.triangles))
    return Shape(
        kind=kind,
        size=tuple(size * each for each in shape.size),
        position=size * shape.position + middle,
        axes=shape.axes,
    )


def _sphere(hull: trimesh.Trimesh) -> Shape:
    centre, radius = _ball(np.asarray(hull.vertices))
    return Shape(kind="sphere", size=(radius,), position=centre, axes=np.eye(3))


def _cylinder(hull: trimesh.Trimesh) -> Shape:
    found = trimesh.bounds.minimum_cylinder(hull)
    size = (float(found["radius"]) * GROWN, float(found["height"]) / 2.0 * GROWN)
    return _placed("cylinder", size, np.asarray(found["transform"], dtype=np.float64))


def _box(hull: trimesh.Trimesh) -> Shape:
    low, high = np.asarray(hull.bounds)
    frame, edges = trimesh.bounds.oriented_bounds(hull)
    if np.prod(high - low) <= np.prod(edges) * (1.0 + 1e-6):  # as small, and easier to read
        frame, edges = np.eye(4), high - low
        frame[:3, 3] = -(low + high) / 2.0
    size = tuple(float(each) / 2.0 * GROWN for each in edges)
    return _placed("box", size, np.linalg.inv(frame).astype(np.float64))


def _placed(kind: str, size: tuple[float, ...], T_mesh_shape: Array) -> Shape:
    return Shape(kind=kind, size=size, position=T_mesh_shape[:3, 3], axes=T_mesh_shape[:3, :3])


FITS: dict[str, Callable[[trimesh.Trimesh], Shape]] = {
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
}


def _ball(points: Array) -> tuple[Array, float]:
    """Return centre and radius of a ball around points.

    Badoiu and Clarkson, "Smaller core-sets for balls", SODA 2003: a step towards the farthest
    point, each shorter than the one before. It begins in the middle of the box around the points,
    which is the answer for most parts that have an axis. (The sphere of trimesh 5.2 is up to 50 %
    too large around parts that are no balls.)
    """
    centre = (points.min(axis=0) + points.max(axis=0)) / 2.0
    best, radius = centre, np.inf
    for step in range(1, ITERATIONS):
        gaps = np.linalg.norm(points - centre, axis=1)
        farthest = int(gaps.argmax())
        if gaps[farthest] < radius:
            best, radius = centre, float(gaps[farthest])
        centre = centre + (points[farthest] - centre) / (step + 1.0)
    return best, radius * GROWN
