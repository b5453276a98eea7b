"""Meshes cut into their connected bodies, and several put together into one."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from mecano.core.errors import InvalidInput
from mecano.world.meshes.mesh import Mesh, without_spare_vertices


def split(mesh: Mesh) -> tuple[Mesh, ...]:
    """Return the connected bodies of a mesh, the largest surface first.

    Triangles that share a vertex belong to the same body.
    """
    count = len(mesh.vertices)
    start, end = mesh.triangles[:, [0, 1]].ravel(), mesh.triangles[:, [1, 2]].ravel()
    graph = coo_matrix((np.ones(len(start), dtype=bool), (start, end)), shape=(count, count))
    body = connected_components(graph, directed=False)[1][mesh.triangles[:, 0]]
    order = np.argsort(body, kind="stable")
    cuts = np.flatnonzero(np.diff(body[order])) + 1
    parts = [
        without_spare_vertices(mesh.vertices, each)
        for each in np.split(mesh.triangles[order], cuts)
    ]
    return tuple(sorted(parts, key=lambda part: -part.area))


def merged(parts: Sequence[Mesh]) -> Mesh:
    """Return several meshes as one; bodies that touch stay bodies of their own."""
    if not parts:
        raise InvalidInput("there are no meshes to merge; give at least one")
    offsets = np.cumsum([0, *(len(part.vertices) for part in parts)])
    triangles = [part.triangles + offset for part, offset in zip(parts, offsets, strict=False)]
    return Mesh(np.vstack([part.vertices for part in parts]), np.vstack(triangles))
