"""How far a point is from many planes at once: what an edge costs that is collapsed into it."""

import numpy as np

from mecano.core.arrays import Array
from mecano.world.meshes.mesh import Indices, normals_of

Point = tuple[float, float, float]
Quadric = tuple[float, ...]
"""Sum of squared distances from planes: xx xy xz yy yz zz, x y z, 1 of a symmetric matrix."""
BORDER_WEIGHT = 100.0
"""How much more the border of an open mesh counts than its inside."""
SINGULAR = 1e-10
"""Below this determinant (of planes with a mean eigenvalue of 1) the best point is not unique."""


def quadrics_of(points: Array, triangles: Indices) -> tuple[Array, list[bool]]:
    """Return the quadric of every vertex, and which vertices are on a border."""
    corners = points[triangles]
    normals = normals_of(corners)
    areas = np.linalg.norm(normals, axis=1)
    normals = normals / np.where(areas > 0.0, areas, 1.0)[:, None]
    total = np.zeros((len(points), 10))
    rows = _plane_quadrics(normals, corners[:, 0], areas / 2.0)
    for corner in range(3):
        np.add.at(total, triangles[:, corner], rows)
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    _, edge, uses = np.unique(low * len(points) + high, return_inverse=True, return_counts=True)
    alone = np.flatnonzero(uses[edge] == 1)
    along = points[end[alone]] - points[start[alone]]
    across = np.cross(along, normals[alone // 3])
    lengths = np.linalg.norm(along, axis=1)
    across /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
    rows = _plane_quadrics(across, points[start[alone]], BORDER_WEIGHT * lengths**2)
    border = np.zeros(len(points), dtype=bool)
    for ends in (start[alone], end[alone]):
        np.add.at(total, ends, rows)
        border[ends] = True
    return total, border.tolist()


def _plane_quadrics(normals: Array, points: Array, weights: Array) -> Array:
    planes = np.column_stack([normals, -np.einsum("mi,mi->m", normals, points)])
    first, second = [0, 0, 0, 1, 1, 2, 0, 1, 2, 3], [0, 1, 2, 1, 2, 2, 3, 3, 3, 3]
    return planes[:, first] * planes[:, second] * weights[:, None]


def error_at(quadric: Quadric, point: Point) -> float:
    """Return the sum of squared distances of a point from the planes."""
    xx, xy, xz, yy, yz, zz, bx, by, bz, one = quadric
    x, y, z = point
    squares = xx * x * x + yy * y * y + zz * z * z
    return squares + 2.0 * (xy * x * y + xz * x * z + yz * y * z + bx * x + by * y + bz * z) + one


def lowest_point(quadric: Quadric, near: Point, reach: float) -> Point | None:
    """Return where a quadric is lowest; None if that is not one point, or too far (squared)."""
    xx, xy, xz, yy, yz, zz, bx, by, bz, _ = quadric
    first, second, third = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    determinant = xx * first + xy * second + xz * third
    if determinant <= SINGULAR * ((xx + yy + zz) / 3.0) ** 3:
        return None
    # Measured from the near point, so that rounding errors stay small.
    x, y, z = near
    gx = xx * x + xy * y + xz * z + bx
    gy = xy * x + yy * y + yz * z + by
    gz = xz * x + yz * y + zz * z + bz
    dx = -(first * gx + second * gy + third * gz) / determinant
    dy = -(second * gx + (xx * zz - xz * xz) * gy + (xy * xz - xx * yz) * gz) / determinant
    dz = -(third * gx + (xy * xz - xx * yz) * gy + (xx * yy - xy * xy) * gz) / determinant
    if dx * dx + dy * dy + dz * dz > reach:
        return None
    return x + dx, y + dy, z + dz
