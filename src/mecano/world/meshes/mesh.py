"""A surface of triangles: size, volume, mass, convex hull."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput

Indices = NDArray[np.int64]
Tell = Callable[[int, int], None]
"""Is told how much is done, of how much."""
FLAT = 1e-9
"""A mesh thinner than this share of its size has no inside."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MassProperties:
    """What a body of even density weighs, and where."""

    mass: float
    """[kg]."""
    centre: Array
    """Centre of mass in the frame of the mesh [m]. Shape (3,)."""
    inertia: Array
    """About the centre of mass, along the axes of the mesh [kg m2]. Shape (3, 3)."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles that share vertices. Immutable: build another one to change it."""

    vertices: Array
    """[m]. Shape (n, 3)."""
    triangles: Indices
    """Numbers of vertices. Shape (m, 3)."""

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
        return float(np.linalg.norm(normals_of(self.corners), axis=1).sum() / 2.0)

    @cached_property
    def open_edges(self) -> int:
        """Edges without a neighbour that runs along them the other way; none in a closed mesh."""
        count = len(self.vertices)
        start, end = self.triangles.ravel(), np.roll(self.triangles, -1, axis=1).ravel()
        low, high = np.minimum(start, end), np.maximum(start, end)
        _, edge = np.unique(low * count + high, return_inverse=True)
        return int(np.count_nonzero(np.bincount(edge, weights=np.where(start < end, 1.0, -1.0))))

    @property
    def closed(self) -> bool:
        """Whether it has an inside and an outside."""
        return self.open_edges == 0

    @property
    def volume(self) -> float:
        """Inside a closed mesh [m3]; negative if its triangles are turned inside out."""
        return float(_six_volumes(self.corners - self.vertices.mean(axis=0)).sum() / 6.0)

    def scaled(self, factor: float) -> "Mesh":
        """Return it `factor` times as large; 0.001 makes metres of millimetres."""
        factor = finite_number(factor, name="scale", lower=1e-9, upper=1e9)
        return Mesh(self.vertices * factor, self.triangles)

    def mass_properties(self, density: float) -> MassProperties:
        """Return mass, centre and inertia of a closed mesh filled with `density` [kg/m3]."""
        density = finite_number(density, name="density [kg/m3]", lower=1e-3, upper=1e5)
        if not self.closed or self.volume <= 0.0:
            raise InvalidInput(
                f"the mesh is not closed ({self.open_edges} open edges, volume "
                f"{self.volume:.3g} m3), so it has no mass; close it, or take its hull"
            )
        middle = self.vertices.mean(axis=0)
        corners = self.corners - middle
        weights = _six_volumes(corners)
        volume, sums = weights.sum() / 6.0, corners.sum(axis=1)
        centre = weights @ sums / 24.0 / volume
        # The integral of x x^T over a tetrahedron with one corner in the origin.
        spread = np.einsum("m,mki,mkj->ij", weights, corners, corners)
        spread += np.einsum("m,mi,mj->ij", weights, sums, sums)
        spread = spread / 120.0 - volume * np.outer(centre, centre)
        spread = (spread + spread.T) / 2.0
        inertia = density * (np.trace(spread) * np.eye(3) - spread)
        return MassProperties(mass=float(density * volume), centre=centre + middle, inertia=inertia)

    def hull(self) -> "Mesh":
        """Return the smallest convex mesh around it; a flat mesh has none and raises."""
        middle = self.vertices.mean(axis=0)
        points = self.vertices - middle
        size = float(np.abs(points).max())
        thickness = np.linalg.svd(np.linalg.qr(points, mode="r"), compute_uv=False)[-1]
        thickness /= np.sqrt(len(points))
        try:
            if thickness <= FLAT * size:
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


def normals_of(corners: Array) -> Array:
    """Return normals of triangles, twice as long as the area is large."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _six_volumes(corners: Array) -> Array:
    """Return six times the volume between each triangle and the origin."""
    return np.einsum("mi,mi->m", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))


def without_spare_vertices(vertices: Array, triangles: Indices) -> Mesh:
    """Return a mesh of the vertices that triangles use."""
    used, numbers = np.unique(triangles, return_inverse=True)
    return Mesh(vertices[used], numbers.reshape(-1, 3).astype(np.int64))


def joined(corners: Array) -> Mesh:
    """Return a mesh in which equal points are one vertex."""
    points = corners.reshape(-1, 3) + 0.0  # -0 becomes 0
    order = np.lexsort(points.T[::-1])
    ordered = points[order]
    first = np.ones(len(points), dtype=bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    numbers = np.empty(len(points), dtype=np.int64)
    numbers[order] = np.cumsum(first) - 1
    return Mesh(ordered[first], numbers.reshape(-1, 3))
