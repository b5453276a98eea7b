"""The distance between two meshes.

The queries of trimesh need the library rtree; a KD-tree of scipy does it without.
"""

import numpy as np
import trimesh
from scipy.spatial import KDTree

from mecano.core.arrays import Array
from mecano.world.meshes.mesh import Mesh, Tell

NEAR = 16
"""Triangles that are looked at first for the distance of a point."""
PAIRS = 500_000
"""Points times triangles that are worked out at once."""


def largest_distance(one: Mesh, other: Mesh, *, tell: Tell | None = None) -> float:
    """Return the largest distance between two surfaces [m] (Hausdorff).

    Measured both ways, at vertices and at the middles of triangles; between these it may be a
    little more.
    """
    tell = tell or (lambda done, total: None)
    size = float(np.abs(np.vstack([one.vertices, other.vertices])).max()) or 1.0
    one, other = (
        Mesh(one.vertices / size, one.triangles),
        Mesh(other.vertices / size, other.triangles),
    )
    return size * max(_farthest(one, other, tell), _farthest(other, one, tell))


def _farthest(source: Mesh, surface: Mesh, tell: Tell) -> float:
    """Return the largest distance of points of one mesh from the surface of another [m].

    A few triangles near each point give an upper bound; only points whose bound is above the
    largest distance known so far are compared with all triangles.
    """
    points = np.vstack([source.vertices, source.corners.mean(axis=1)])
    corners = surface.corners
    corners = corners[trimesh.triangles.area(corners) > 0.0]  # those without are edges of others
    near = min(NEAR, len(corners))
    _, found = KDTree(corners.mean(axis=1)).query(points, k=near)
    found = found.reshape(len(points), near)
    bounds = np.concatenate([
        _distances(points[i : i + PAIRS // near, None], corners[found[i : i + PAIRS // near]])
        .min(axis=1)
        for i in range(0, len(points), PAIRS // near)
    ])  # fmt: skip
    order = np.argsort(-bounds)
    largest, step = 0.0, max(1, PAIRS // len(corners))
    for start in range(0, len(order), step):
        some = order[start : start + step]
        if bounds[some[0]] <= largest:
            break
        exact = _distances(points[some, None], corners[None]).min(axis=1)
        largest = max(largest, float(exact.max()))
        tell(start, len(order))
    return largest


def _distances(points: Array, corners: Array) -> Array:
    """Return distances of points (..., 3) from triangles (..., 3, 3), which are broadcast."""
    shape = np.broadcast_shapes(points.shape[:-1], corners.shape[:-2])
    points = np.broadcast_to(points, (*shape, 3)).reshape(-1, 3)
    corners = np.broadcast_to(corners, (*shape, 3, 3)).reshape(-1, 3, 3)
    nearest = trimesh.triangles.closest_point(corners, points)
    return np.linalg.norm(points - nearest, axis=1).reshape(shape)
