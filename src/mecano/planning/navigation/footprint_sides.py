"""The sides of a convex outline as half planes, for compiled checks."""

import numpy as np

from mecano.core.arrays import Array


def half_planes(corners: Array) -> tuple[Array, Array]:
    """Return outward normals (n, 2) and offsets (n,) [m] of counter-clockwise corners.

    A point is inside where normal . point <= offset for all sides.
    """
    along = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([along[:, 1], -along[:, 0]])
    normals /= np.hypot(along[:, 0], along[:, 1])[:, None]
    return np.ascontiguousarray(normals), (normals * corners).sum(axis=1)
