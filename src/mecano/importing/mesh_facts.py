"""What the checks need to know of a mesh file, read once."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError

MAX_CHECKED_BYTES = 200_000_000
"""Larger mesh files are reported and not read."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshFacts:
    """Size and mass properties of a mesh at scale 1, or why there are none."""

    problem: str = ""
    """Why it could not be read; empty if it could."""
    bytes: int = 0
    triangles: int = 0
    open_edges: int = 0
    low: Array
    """Lowest coordinates [m]. Shape (3,)."""
    high: Array
    volume: float = 0.0
    """Of the mesh, or of its convex hull where it is not closed [m3]; 0 if it is flat."""
    centre: Array
    """Of that volume [m]. Shape (3,)."""
    covariance: Array
    """Second moments of that volume about its centre [m5]. Shape (3, 3)."""


def mesh_facts(file: Path) -> MeshFacts:
    """Return the facts of a mesh file; a broken one has a `problem`."""
    try:
        facts = file.stat()
    except OSError as error:
        return _nothing(f"cannot be read: {error.strerror}")
    return _facts(file, facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=2048)
def _facts(file: Path, changed: int, size: int) -> MeshFacts:
    from mecano.world.meshes import load, mass_properties

    if size > MAX_CHECKED_BYTES:
        return _nothing(
            f"has {size / 1e6:.0f} MB; meshes of at most {MAX_CHECKED_BYTES / 1e6:.0f} MB are read",
            size=size,
        )
    if size == 0:
        return _nothing("is an empty file")
    try:
        mesh = load(file).mesh
    except MecanoError as error:
        return _nothing(str(error).replace(str(file), file.name), size=size)
    low, high = mesh.bounds
    volume, centre, covariance = 0.0, 0.5 * (low + high), np.zeros((3, 3))
    try:
        solid = mass_properties(mesh)
        volume, centre = solid.mass, solid.centre
        covariance = 0.5 * np.trace(solid.inertia) * np.eye(3) - solid.inertia
    except MecanoError:  # flat: it has no inside, which `volume` 0 says
        volume = 0.0
    return MeshFacts(
        bytes=size, triangles=len(mesh.triangles), open_edges=mesh.open_edges, low=low, high=high,
        volume=volume, centre=centre, covariance=covariance,
    )  # fmt: skip


def _nothing(problem: str, *, size: int = 0) -> MeshFacts:
    zero = np.zeros(3)
    return MeshFacts(
        problem=problem, bytes=size, low=zero, high=zero, centre=zero, covariance=np.zeros((3, 3))
    )
