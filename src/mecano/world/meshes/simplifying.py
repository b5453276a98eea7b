"""Fewer triangles: quadric edge collapse by fast_simplification."""

import fast_simplification
import numpy as np
from scipy.spatial.transform import Rotation

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.world.meshes.mesh import Indices, Mesh, without_spare_vertices

MIN_TRIANGLES = 4
"""Triangles of the smallest closed mesh, a tetrahedron."""
GENTLE = (0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
"""Thresholds of the library for small meshes, in order: what costs nothing is collapsed first."""
FAST = (3.0, 5.0, 7.0)
"""Thresholds for large meshes, where each pass takes seconds."""
LARGE = 20_000
"""Triangles from which a mesh counts as large."""
GRIDS = (2000, 1000, 500, 250, 120, 60, 30)
"""Cells along the size of a mesh. Where faces that touch or repeat each other block every collapse,
vertices in one cell become one."""
MIN_VOLUME_SHARE = 0.01
"""A closed mesh that keeps less of its volume than this has collapsed."""
SKEW = Rotation.from_rotvec([0.4, 0.8, 1.2]).as_matrix()
"""Any oblique rotation: in flat faces along the axes the library's linear systems are singular,
and it stops too early (a finely cut cube ends with 18 triangles, turned with 12)."""


def simplify(mesh: Mesh, triangles: int) -> Mesh:
    """Return a mesh of at most `triangles`, by collapsing the edges that matter least.

    Raises:
        InvalidInput: Fewer than 4 are asked for, or a closed mesh would collapse.
    """
    if triangles < MIN_TRIANGLES:
        raise InvalidInput(f"triangles is {triangles}, expected {MIN_TRIANGLES} or more")
    if triangles >= len(mesh.triangles):
        return mesh
    middle = mesh.vertices.mean(axis=0)
    size = float(np.abs(mesh.vertices - middle).max())
    points, faces = _collapsed((mesh.vertices - middle) / size @ SKEW, mesh.triangles, triangles)
    for cells in GRIDS:
        if len(faces) > triangles:
            points, faces = _collapsed(*_clustered(points, faces, cells), triangles)
    if not 0 < len(faces) <= triangles:
        raise _too_few(triangles)
    result = without_spare_vertices(points @ SKEW.T * size + middle, faces)
    if mesh.closed and result.volume < MIN_VOLUME_SHARE * mesh.volume:
        raise _too_few(triangles)
    return result


def _collapsed(points: Array, faces: Indices, wanted: int) -> tuple[Array, Indices]:
    """Return points and faces after collapses, those that cost least first."""
    small = len(faces) <= LARGE
    for aggressiveness in GENTLE if small else FAST:
        before = len(faces) + 1
        while wanted < len(faces) < before:
            before = len(faces) if small else 0  # large meshes get one pass
            found = fast_simplification.simplify(
                points, faces.astype(np.int32), target_count=wanted, agg=aggressiveness
            )
            points, faces = np.asarray(found[0], dtype=float), np.asarray(found[1], dtype=np.int64)
    return points, faces


def _clustered(points: Array, faces: Indices, cells: int) -> tuple[Array, Indices]:
    """Return points and faces with the points of each cell of a grid made one."""
    rows, numbers = np.unique(np.round(points * cells), axis=0, return_inverse=True)
    centres = np.zeros((len(rows), 3))
    np.add.at(centres, numbers, points)
    centres /= np.bincount(numbers)[:, None]
    faces = numbers.reshape(-1)[faces]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    _, kept = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return centres, faces[np.sort(kept)]


def _too_few(triangles: int) -> InvalidInput:
    return InvalidInput(
        f"the mesh cannot be simplified to {triangles} triangles without tearing or folding; "
        "ask for more, or take its hull first"
    )
