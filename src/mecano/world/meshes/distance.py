"""How far two meshes are apart."""

import numpy as np
from scipy.spatial import KDTree

from mecano.core.arrays import Array
from mecano.world.meshes.mesh import Mesh, Tell

NEAR = 16
"""Triangles that are looked at first for the distance of a point."""
PAIRS = 500_000
"""Points times triangles that are worked out at once."""


def largest_distance(one: Mesh, other: Mesh, *, tell: Tell | None = None) -> float:
    """Return how far two surfaces are apart at most [m].

    Measured both ways, at vertices and at the middles of triangles; between these it may be a
    little more.
    """
    tell = tell or (lambda done, total: None)
    return max(_farthest(one, other, tell), _farthest(other, one, tell))


def _farthest(source: Mesh, surface: Mesh, tell: Tell) -> float:
    """Return the largest distance of points of one mesh from the surface of another [m].

    A few triangles near each point give an upper bound; only points whose bound is above the
    largest distance known so far are compared with all triangles.
    """
    points = np.vstack([source.vertices, source.corners.mean(axis=1)])
    corners = surface.corners
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
    normal = np.cross(
        corners[..., 1, :] - corners[..., 0, :], corners[..., 2, :] - corners[..., 0, :]
    )
    area = np.linalg.norm(normal, axis=-1)
    unit = normal / np.where(area > 0.0, area, 1.0)[..., None]
    height = np.abs(((points - corners[..., 0, :]) * unit).sum(axis=-1))
    above = np.broadcast_to(area > 0.0, height.shape).copy()
    beside = np.full(height.shape, np.inf)
    for k in range(3):
        start = corners[..., k, :]
        edge, gap = corners[..., (k + 1) % 3, :] - start, points - start
        square = (edge * edge).sum(axis=-1)
        share = np.clip((gap * edge).sum(axis=-1) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
        beside = np.minimum(beside, np.linalg.norm(gap - share[..., None] * edge, axis=-1))
        above &= (np.cross(edge, gap) * unit).sum(axis=-1) >= 0.0
    return np.where(above, height, beside)
