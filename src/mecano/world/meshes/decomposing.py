"""Convex pieces of a mesh by CoACD, in a process of its own.

Wei and others, "Approximate convex decomposition for 3D meshes with collision-aware concavity and
tree search", SIGGRAPH 2022. The library is compiled code that a damaged mesh can bring down, so it
runs apart, with a time limit.
"""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, MissingExtra
from mecano.world.meshes.mesh import Mesh
from mecano.world.meshes.simplifying import simplify

MAX_INPUT_TRIANGLES = 20_000
"""A finer mesh is simplified first; the pieces are coarser than that anyway."""
TIME_LIMIT = 600.0
"""For one mesh [s]."""

_WORK = """
import sys
import coacd
import numpy as np

given = np.load(sys.argv[1])
coacd.set_log_level("off")
parts = coacd.run_coacd(
    coacd.Mesh(given["vertices"], given["triangles"]), threshold=float(given["concavity"]),
    max_convex_hull=int(given["pieces"]), seed=int(given["seed"]),
)
points = {f"p{i}": part[0] for i, part in enumerate(parts)}
np.savez(sys.argv[2], **points)
"""


def decompose(
    mesh: Mesh,
    *,
    concavity: float = 0.05,
    max_pieces: int | None = None,
    seed: int = 0,
    time_limit: float = TIME_LIMIT,
) -> tuple[Mesh, ...]:
    """Return convex meshes that together have nearly the shape of a mesh.

    Args:
        mesh: Closed or not; one that is not closed is closed by the library.
        concavity: Pieces whose concavity is below this share of the mesh's size are not cut
            further; 0.01 is fine, 1 is coarse.
        max_pieces: Merge until there are at most this many; None for as many as it needs.
        seed: Same seed, same pieces.
        time_limit: Give up after this [s].

    Raises:
        MissingExtra: The library coacd is not installed.
        InvalidInput: A number is out of range, or the library fails or takes too long.
    """
    concavity = finite_number(concavity, name="concavity", lower=0.01, upper=1.0)
    if max_pieces is not None and max_pieces < 1:
        raise InvalidInput(f"max_pieces is {max_pieces}, expected 1 or more, or None")
    if importlib.util.find_spec("coacd") is None:
        raise MissingExtra("coacd", "decompose", purpose="convex decomposition")
    if len(mesh.triangles) > MAX_INPUT_TRIANGLES:
        mesh = simplify(mesh, MAX_INPUT_TRIANGLES)
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder, "given.npz"), Path(folder, "found.npz")
        np.savez(given, vertices=mesh.vertices, triangles=mesh.triangles.astype(np.int32),
                 concavity=concavity, pieces=max_pieces or -1, seed=seed)  # fmt: skip
        _run([sys.executable, "-c", _WORK, str(given), str(found)], time_limit)
        with np.load(found) as parts:
            points = [parts[f"p{i}"] for i in range(len(parts.files))]
    triangle = np.array([[0, 1, 2]])
    return tuple(Mesh(np.asarray(each, dtype=float), triangle).hull() for each in points)


def _run(command: list[str], time_limit: float) -> None:
    try:
        done = subprocess.run(command, capture_output=True, timeout=time_limit, check=False)
    except subprocess.TimeoutExpired:
        raise InvalidInput(
            f"the convex decomposition took longer than {time_limit:g} s; simplify the mesh first, "
            "or take its hull"
        ) from None
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1][:200] if lines else f"exit code {done.returncode}"
        raise InvalidInput(
            f"the convex decomposition failed: {reason}; close the mesh, or take its hull"
        )
