"""A surface of triangles: size, volume, mass, convex hull. The geometry is trimesh's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput

Indices = NDArray[np.int64]
Tell = Callable[[int, int], None]
"""Is given how much is done, of how much."""
FLAT = 1e-9
"""A mesh thinner than this share of its size has no inside."""
MERGE_DIGITS = 11
"""Points that agree in this many digits of the mesh's size are one vertex."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MassProperties:
    """Mass, centre and inertia of a body of uniform density."""

    mass: float
    """[kg]."""
    centre: Array
    """Centre of mass in the frame of the mesh [m]. Shape (3,)."""
    inertia: Array
    """About the centre of mass, along the axes of the mesh [kg m2]. Shape (3, 3)."""
    of_hull: bool = False
    """Whether the mesh was not closed and its convex hull was taken instead."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles that share vertices. Immutable: build another one to change it."""

    vertices: Array
    """[m]. Shape (n, 3)."""
    triangles: Indices
    """Indices of vertices, counter-clockwise seen from outside. Shape (m, 3)."""

    @property
    def corners(self) -> Array:
        """The points of every triangle [m]. Shape (m, 3, 3)."""
        return self.vertices[self.triangles]

    @property
    def bounds(self) -> tuple[Array, Array]:
        """The lowest and the highest coordinates [m]."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    @property
    def area(self) -> float:
        """Of the surface [m2]."""
        return float(trimesh.triangles.area(self.corners).sum())

    @cached_property
    def open_edges(self) -> int:
        """Edges without a neighbour that runs along them the other way; none in a closed mesh.

        Unlike trimesh's `is_watertight` this accepts two bodies that touch along an edge.
        """
        start, end = self.triangles.ravel(), np.roll(self.triangles, -1, axis=1).ravel()
        low, high = np.minimum(start, end), np.maximum(start, end)
        _, edge = np.unique(low * len(self.vertices) + high, return_inverse=True)
        return int(np.count_nonzero(np.bincount(edge, weights=np.where(start < end, 1.0, -1.0))))

    @property
    def closed(self) -> bool:
        """Whether it has an inside and an outside."""
        return self.open_edges == 0

    @cached_property
    def volume(self) -> float:
        """Inside a closed mesh [m3]; negative if its triangles are turned inside out."""
        corners = self.corners - self.vertices.mean(axis=0)  # far from the origin digits are lost
        origin = np.zeros(3)  # or else it divides by the volume
        found = trimesh.triangles.mass_properties(corners, center_mass=origin, skip_inertia=True)
        return float(found.volume)

    def scaled(self, factor: float | Sequence[float]) -> "Mesh":
        """Return it `factor` times as large; 0.001 makes metres of millimetres.

        Args:
            factor: One for all axes, or one for each; negative ones mirror.
        """
        if isinstance(factor, (int, float)):
            factors = np.full(3, finite_number(factor, name="scale", lower=1e-9, upper=1e9))
        else:
            factors = np.array([finite_number(each, name="scale") for each in factor])
            if factors.shape != (3,) or not ((np.abs(factors) >= 1e-9).all()):
                raise InvalidInput(f"scale is {list(factor)}, expected three numbers other than 0")
        triangles = self.triangles[:, ::-1].copy() if factors.prod() < 0.0 else self.triangles
        return Mesh(self.vertices * factors, triangles)

    def mass_properties(self, density: float) -> MassProperties:
        """Return mass, centre and inertia of a closed mesh filled with `density` [kg/m3]."""
        density = finite_number(density, name="density [kg/m3]", lower=1e-3, upper=1e5)
        if not self.closed or self.volume <= 0.0:
            raise InvalidInput(
                f"the mesh is not closed ({self.open_edges} open edges, volume "
                f"{self.volume:.3g} m3), so it has no mass; close it, or take its hull"
            )
        middle = self.vertices.mean(axis=0)
        found = trimesh.triangles.mass_properties(self.corners - middle, density=density)
        centre, inertia = np.asarray(found.center_mass) + middle, np.asarray(found.inertia)
        return MassProperties(mass=float(found.mass), centre=centre, inertia=inertia)

    def hull(self) -> "Mesh":
        """Return the smallest convex mesh around it; a flat mesh has none and raises."""
        middle = self.vertices.mean(axis=0)
        points = self.vertices - middle
        size = float(np.abs(points).max())
        thickness = np.linalg.svd(np.linalg.qr(points, mode="r"), compute_uv=False)[-1]
        thickness /= np.sqrt(len(points))
        try:
            if len(points) < 4 or thickness <= FLAT * size:
                raise QhullError
            found = ConvexHull(points / size)
        except QhullError:
            raise InvalidInput(
                "the mesh is flat: all its vertices lie in one plane, so it has no convex hull "
                "and no inside; give the part a thickness where it was drawn"
            ) from None
        triangles = found.simplices.astype(np.int64)
        inward = np.einsum("mi,mi->m", normals_of(points[triangles]), found.equations[:, :3]) < 0.0
        triangles[inward] = triangles[inward][:, ::-1]
        return without_spare_vertices(self.vertices, triangles)


def mass_properties(mesh: Mesh, density: float = 1.0) -> MassProperties:
    """Return mass, centre and inertia of a mesh, or of its hull where it is not closed.

    Raises:
        InvalidInput: The mesh is not closed, and flat, so it has no hull either.
    """
    if mesh.closed and mesh.volume > 0.0:
        return mesh.mass_properties(density)
    found = mesh.hull().mass_properties(density)
    return MassProperties(mass=found.mass, centre=found.centre, inertia=found.inertia, of_hull=True)


def normals_of(corners: Array) -> Array:
    """Return normals of triangles, twice as long as the area is large."""
    return trimesh.triangles.cross(corners)


def without_spare_vertices(vertices: Array, triangles: Indices) -> Mesh:
    """Return a mesh of the vertices that triangles use."""
    used, numbers = np.unique(triangles, return_inverse=True)
    return Mesh(vertices[used], numbers.reshape(-1, 3).astype(np.int64))


def joined(corners: Array) -> Mesh:
    """Return a mesh in which equal points are one vertex. Shape of `corners` (m, 3, 3)."""
    points = corners.reshape(-1, 3)
    size = float(np.abs(points).max(initial=0.0)) or 1.0
    rows, numbers = trimesh.grouping.unique_rows(points / size, digits=MERGE_DIGITS)
    return Mesh(points[rows], numbers.reshape(-1, 3).astype(np.int64))
