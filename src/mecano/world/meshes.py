"""Parts of others as triangles: read, measured, hulled, simplified, written, made into a scene.

Files have no unit. What is read is taken as metres; a part drawn in millimetres needs
`scaled(0.001)`. Triangles go counter-clockwise seen from outside.
"""

import heapq
import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, KDTree, QhullError

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.notices import say
from mecano.world import scenes

Indices = NDArray[np.int64]
Tell = Callable[[int, int], None]
"""Is told how much is done, of how much."""

FORMATS = (".stl", ".obj")
FEWEST = 4
"""Triangles of the smallest closed mesh, a tetrahedron."""
FARTHEST = 1e9
"""Larger coordinates than this are taken as a broken file."""
FLAT = 1e-9
"""A mesh thinner than this share of its size has no inside."""
DISTANCE_AHEAD = 0.3
"""A part stands this far in front of the robot's mount in the scene written for it [m]."""
STL_HEADER, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL: 80 of text and a count, then 50 for each triangle."""


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
        return float(np.linalg.norm(_normals(self.corners), axis=1).sum() / 2.0)

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
        inward = np.einsum("mi,mi->m", _normals(points[triangles]), found.equations[:, :3]) < 0.0
        triangles[inward] = triangles[inward][:, ::-1]
        return _without_spare_vertices(self.vertices, triangles)


def _normals(corners: Array) -> Array:
    """Return normals of triangles, twice as long as the area is large."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _six_volumes(corners: Array) -> Array:
    """Return six times the volume between each triangle and the origin."""
    return np.einsum("mi,mi->m", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))


def _without_spare_vertices(vertices: Array, triangles: Indices) -> Mesh:
    used, numbers = np.unique(triangles, return_inverse=True)
    return Mesh(vertices[used], numbers.reshape(-1, 3).astype(np.int64))


# Files


def read(file: Path) -> Mesh:
    """Return what is in an STL (binary or text) or OBJ file, equal vertices joined.

    Triangles with two equal corners are left out. A closed mesh that is turned inside out is
    turned back. Both are said on stderr.

    Raises:
        InvalidInput: There is no such file, or it is cut off, empty or broken.
    """
    kind = _format(file)
    try:
        with file.open("rb") as stream:
            corners = _read_obj(stream, file) if kind == ".obj" else _read_stl(stream, file)
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
    if not len(corners):
        raise InvalidInput(f"{file} has no triangles; export the part as a mesh")
    wrong = np.argwhere(~(np.abs(corners) <= FARTHEST))  # NaN is not smaller either
    if len(wrong):
        triangle, corner = wrong[0][:2]
        values = ", ".join(f"{value:g}" for value in corners[triangle, corner])
        raise InvalidInput(
            f"{file}, triangle {triangle + 1}: a corner is at ({values}); coordinates must be "
            f"numbers up to {FARTHEST:g}; export the part again"
        )
    mesh = _joined(corners)
    same = mesh.triangles == np.roll(mesh.triangles, 1, axis=1)
    kept = mesh.triangles[~same.any(axis=1)]
    if len(kept) == 0 or not _normals(mesh.vertices[kept]).any():
        raise InvalidInput(f"{file}: none of its {len(corners)} triangles has an area")
    if len(kept) < len(corners):
        say(f"{len(corners) - len(kept)} triangles with two equal corners were left out")
        mesh = _without_spare_vertices(mesh.vertices, kept)
    if mesh.closed and mesh.volume < 0.0:
        say("the triangles were turned inside out; turned back")
        mesh = Mesh(mesh.vertices, mesh.triangles[:, ::-1].copy())
    return mesh


def write(mesh: Mesh, file: Path) -> None:
    """Write a mesh as OBJ, exactly, or as binary STL, whose numbers have seven digits."""
    kind = _format(file)
    try:
        if kind == ".obj":
            with file.open("w", encoding="ascii") as stream:
                stream.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist())
                stream.writelines(f"f {a} {b} {c}\n" for a, b, c in (mesh.triangles + 1).tolist())
        else:
            file.write_bytes(_stl_bytes(mesh))
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}") from None


def _format(file: Path) -> str:
    kind = file.suffix.lower()
    if kind not in FORMATS:
        raise InvalidInput(f"{file} is no mesh by its name; files must end in .stl or .obj")
    return kind


def _stl_bytes(mesh: Mesh) -> bytes:
    normals = _normals(mesh.corners)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    records = np.zeros(len(mesh.triangles), _STL_RECORD)
    records["normal"] = normals / np.where(lengths > 0.0, lengths, 1.0)
    records["corners"] = mesh.corners
    return bytes(80) + np.uint32(len(records)).tobytes() + records.tobytes()


_STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])


def _read_stl(stream: BinaryIO, file: Path) -> Array:
    """Return the corners in an STL; its length tells the binary form, as some begin with solid."""
    head = stream.read(STL_HEADER)
    size = stream.seek(0, 2)
    count = int.from_bytes(head[80:84], "little")
    wanted = STL_HEADER + STL_TRIANGLE * count
    stream.seek(0)
    if head.lstrip()[:5].lower() == b"solid" and size != wanted:
        return _read_text_stl(stream, file)
    if size < STL_HEADER:
        raise InvalidInput(
            f"{file} has {size} bytes, an STL has at least {STL_HEADER}; it is cut off"
        )
    if size < wanted:
        raise InvalidInput(
            f"{file} is cut off or no STL: {count} triangles need {wanted} bytes, it has {size}; "
            "export or copy it again"
        )
    stream.seek(STL_HEADER)
    records = np.frombuffer(stream.read(wanted - STL_HEADER), _STL_RECORD)
    with np.errstate(invalid="ignore"):  # what is not a number is found later
        return records["corners"].astype(np.float64)


def _read_text_stl(stream: BinaryIO, file: Path) -> Array:
    values, facets, last = array("d"), 0, b""
    for number, line in enumerate(stream, 1):
        words = line.split()
        if not words:
            continue
        last = words[0].lower()
        if last == b"vertex":
            values.extend(_three(words, file, number))
        elif last == b"endfacet":
            facets += 1
            if len(values) != 9 * facets:
                raise InvalidInput(f"{file}, line {number}: a facet needs three vertices")
    if last != b"endsolid":
        raise InvalidInput(f"{file} is cut off: 'endsolid' is missing; export or copy it again")
    return np.array(values).reshape(-1, 3, 3)


def _read_obj(stream: BinaryIO, file: Path) -> Array:
    """Return the corners in an OBJ; a face of more than three corners becomes a fan."""
    values, faces = array("d"), array("q")
    for number, line in enumerate(stream, 1):
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            values.extend(_three(words, file, number))
        elif words[0] == b"f":
            corners = list(_face(words[1:], len(values) // 3, file, number))
            for b, c in pairwise(corners[1:]):
                faces.extend((corners[0], b, c))
    return np.array(values).reshape(-1, 3)[np.array(faces, dtype=np.int64).reshape(-1, 3)]


def _three(words: list[bytes], file: Path, number: int) -> tuple[float, float, float]:
    try:
        return float(words[1]), float(words[2]), float(words[3])
    except (IndexError, ValueError):
        text = b" ".join(words)[:60].decode("ascii", "replace")
        raise InvalidInput(
            f"{file}, line {number}: '{text}' should hold three numbers; export it again"
        ) from None


def _face(words: list[bytes], count: int, file: Path, number: int) -> Iterator[int]:
    """Return the vertices of a face; OBJ counts from 1, and backwards below 0."""
    if len(words) < 3:
        raise InvalidInput(f"{file}, line {number}: a face needs three corners, has {len(words)}")
    for word in words:
        match = re.match(rb"-?\d+", word)
        index = int(match[0]) if match else 0
        if not 1 <= abs(index) <= count:
            raise InvalidInput(
                f"{file}, line {number}: corner '{word[:20].decode('ascii', 'replace')}' is none "
                f"of the {count} vertices before it; it is cut off or broken"
            )
        yield index - 1 if index > 0 else count + index


def _joined(corners: Array) -> Mesh:
    """Return a mesh in which equal points are one vertex."""
    points = corners.reshape(-1, 3) + 0.0  # -0 becomes 0
    order = np.lexsort(points.T[::-1])
    ordered = points[order]
    first = np.ones(len(points), dtype=bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    numbers = np.empty(len(points), dtype=np.int64)
    numbers[order] = np.cumsum(first) - 1
    return Mesh(ordered[first], numbers.reshape(-1, 3))


# Fewer triangles

Point = tuple[float, float, float]
Quadric = tuple[float, ...]
"""Sum of squared distances from planes: xx xy xz yy yz zz, x y z, 1 of a symmetric matrix."""
BORDER_WEIGHT = 100.0
"""How much more the border of an open mesh counts than its inside."""
SHORT_FIRST = 1e-15
"""Of edges that cost nothing the short ones go first."""
SINGULAR = 1e-10
"""Below this determinant (of planes with a mean eigenvalue of 1) the best point is not unique."""
LEAST_COSINE = 0.1
"""A triangle may not turn further than this while an edge is collapsed."""


def simplify(mesh: Mesh, triangles: int, *, tell: Tell | None = None) -> Mesh:
    """Return a mesh of at most `triangles`, by collapsing the edges that matter least.

    After Garland and Heckbert, "Surface simplification using quadric error metrics", SIGGRAPH 1997:
    every vertex knows the planes it came from, an edge becomes the point nearest to the planes of
    both ends. Collapses that would fold the surface, tear it or join two parts of it are left out,
    so a closed mesh stays closed.

    Raises:
        InvalidInput: Fewer than 4 are asked for, or there are no more edges that may go.
    """
    if triangles < FEWEST:
        raise InvalidInput(f"triangles is {triangles}, expected {FEWEST} or more")
    if triangles >= len(mesh.triangles):
        return mesh
    middle = mesh.vertices.mean(axis=0)
    size = float(np.abs(mesh.vertices - middle).max())
    work = _Collapsing((mesh.vertices - middle) / size, mesh.triangles)
    work.run(triangles, tell or (lambda done, total: None))
    left = [face for face in work.faces if face is not None]
    if len(left) > triangles:
        raise InvalidInput(
            f"the mesh cannot have fewer than {len(left)} triangles without tearing or folding, "
            f"asked for {triangles}; ask for more, or take its hull first"
        )
    vertices = np.array(work.points) * size + middle
    return _without_spare_vertices(vertices, np.array(left, dtype=np.int64))


class _Collapsing:
    """A mesh while its edges are collapsed; plain floats, as the pieces are small."""

    def __init__(self, points: Array, triangles: Indices) -> None:
        self.points: list[Point] = [(x, y, z) for x, y, z in points.tolist()]
        self.faces: list[tuple[int, int, int] | None] = [
            (a, b, c) for a, b, c in triangles.tolist()
        ]
        self.count = len(self.faces)
        self._around: list[set[int]] = [set() for _ in self.points]
        for number, face in enumerate(triangles.tolist()):
            for vertex in face:
                self._around[vertex].add(number)
        quadrics, self._border = _quadrics(points, triangles)
        self._quadrics: list[Quadric] = [tuple(row) for row in quadrics.tolist()]
        self._version = [0] * len(self.points)
        self._heap: list[tuple[float, int, int, int, int, Point]] = []

    def run(self, wanted: int, tell: Tell) -> None:
        """Collapse until `wanted` are left, or no edge may go any more."""
        total = self.count - wanted
        before = -1
        while self.count > wanted and before != self.count:
            before = self.count
            self._heap = [self._entry(a, b) for a, b in self._edges()]
            heapq.heapify(self._heap)
            while self._heap and self.count > wanted:
                _, a, b, version_a, version_b, point = heapq.heappop(self._heap)
                if (self._version[a], self._version[b]) != (version_a, version_b):
                    continue
                if self._allowed(a, b, point):
                    self._collapse(a, b, point)
                    tell(total - (self.count - wanted), total)

    def _edges(self) -> set[tuple[int, int]]:
        pairs = (pair for face in self.faces if face for pair in combinations(face, 2))
        return {(min(pair), max(pair)) for pair in pairs}

    def _neighbours(self, vertex: int) -> set[int]:
        faces = (self.faces[number] for number in self._around[vertex])
        return {other for face in faces if face for other in face} - {vertex}

    def _entry(self, a: int, b: int) -> tuple[float, int, int, int, int, Point]:
        quadric = tuple(map(float.__add__, self._quadrics[a], self._quadrics[b]))
        p, q = self.points[a], self.points[b]
        length = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2
        middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2)
        best = _lowest(quadric, middle, 4.0 * length)
        if best is None:
            best = min((p, q, middle), key=lambda point: _error(quadric, point))
        cost = _error(quadric, best) + SHORT_FIRST * length
        return cost, a, b, self._version[a], self._version[b], best

    def _allowed(self, a: int, b: int, point: Point) -> bool:
        """Return whether the surface stays one without folds when an edge becomes a point."""
        shared = self._around[a] & self._around[b]
        if not 1 <= len(shared) <= 2:
            return False
        if len(shared) == 2 and self._border[a] and self._border[b]:
            return False  # it would pinch the surface between two borders
        if len(self._neighbours(a) & self._neighbours(b)) != len(shared):
            return False  # it would close a tunnel
        rims: set[tuple[int, ...]] = set()
        for number in (self._around[a] | self._around[b]) - shared:
            face = self.faces[number]
            assert face is not None
            rim = tuple(sorted(vertex for vertex in face if vertex not in (a, b)))
            if rim in rims:
                return False  # two triangles would lie on each other
            rims.add(rim)
            old = [self.points[vertex] for vertex in face]
            new = [point if vertex in (a, b) else self.points[vertex] for vertex in face]
            if _folds(old, new):
                return False
        return True

    def _collapse(self, a: int, b: int, point: Point) -> None:
        for number in self._around[a] & self._around[b]:
            for vertex in self.faces[number] or ():
                self._around[vertex].discard(number)
            self.faces[number] = None
            self.count -= 1
        for number in self._around[b]:
            x, y, z = self.faces[number] or (b, b, b)
            self.faces[number] = (a if x == b else x, a if y == b else y, a if z == b else z)
        self._around[a] |= self._around[b]
        self._around[b] = set()
        self._border[a] = self._border[a] or self._border[b]
        self._quadrics[a] = tuple(map(float.__add__, self._quadrics[a], self._quadrics[b]))
        self.points[a] = point
        self._version[a] += 1
        self._version[b] += 1
        for other in self._neighbours(a):
            heapq.heappush(self._heap, self._entry(a, other))


def _quadrics(points: Array, triangles: Indices) -> tuple[Array, list[bool]]:
    """Return the quadric of every vertex, and which vertices are on a border."""
    corners = points[triangles]
    normals = _normals(corners)
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


def _error(quadric: Quadric, point: Point) -> float:
    xx, xy, xz, yy, yz, zz, bx, by, bz, one = quadric
    x, y, z = point
    squares = xx * x * x + yy * y * y + zz * z * z
    return squares + 2.0 * (xy * x * y + xz * x * z + yz * y * z + bx * x + by * y + bz * z) + one


def _lowest(quadric: Quadric, near: Point, reach: float) -> Point | None:
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


def _folds(old: list[Point], new: list[Point]) -> bool:
    """Return whether a triangle loses its area or turns over."""
    a, b = _normal(*old), _normal(*new)
    length_a = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    length_b = b[0] * b[0] + b[1] * b[1] + b[2] * b[2]
    if length_a < 1e-28:  # it has no side to turn; areas are shares of the squared size
        return False
    along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return length_b < 1e-28 or along <= LEAST_COSINE * (length_a * length_b) ** 0.5


def _normal(p: Point, q: Point, r: Point) -> Point:
    ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    vx, vy, vz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


# How far two meshes are apart

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


# Simple shapes around a mesh

LARGEST_FACES = 200
"""Faces of the hull that a box is laid along."""
ROUNDS = 1000
"""Steps towards the centre of the smallest ball."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """A box, cylinder or sphere that holds every vertex of a mesh."""

    kind: str
    size: tuple[float, ...]
    """As MJCF has it [m]: half edges; radius and half length; radius."""
    position: Array
    """Of its middle, in the frame of the mesh [m]."""
    axes: Array
    """Its x, y and z axis as columns. Shape (3, 3)."""

    @property
    def lowest(self) -> float:
        """The smallest z that it reaches in the frame of the mesh [m]."""
        upward = np.abs(self.axes[2])  # how much each of its axes points up or down
        if self.kind == "box":
            reach = upward @ np.array(self.size)
        elif self.kind == "cylinder":
            reach = np.hypot(upward[0], upward[1]) * self.size[0] + upward[2] * self.size[1]
        else:
            reach = self.size[0]
        return float(self.position[2] - reach)

    @property
    def volume(self) -> float:
        """[m3]."""
        if self.kind == "box":
            return 8.0 * float(np.prod(self.size))
        if self.kind == "cylinder":
            return 2.0 * np.pi * self.size[0] ** 2 * self.size[1]
        return 4.0 / 3.0 * np.pi * self.size[0] ** 3


def fit(mesh: Mesh, kind: str) -> Shape:
    """Return a small box, cylinder or sphere around a mesh; of those tried, the smallest.

    Boxes are tried along the axes, along the main axes of inertia and along faces of the hull,
    cylinders along the first two.
    """
    if kind not in FITS:
        raise UnknownName("fit", kind, FITS)
    return FITS[kind](mesh.hull())


def _sphere(hull: Mesh) -> Shape:
    centre, radius = _ball(hull.vertices)
    return Shape(kind="sphere", size=(radius,), position=centre, axes=np.eye(3))


def _cylinder(hull: Mesh) -> Shape:
    found = []
    for frame in (np.eye(3), _main_axes(hull)):
        for turn in range(3):
            axes = np.roll(frame, turn, axis=1)
            places = hull.vertices @ axes
            centre, radius = _ball(places[:, :2])
            low, high = places[:, 2].min(), places[:, 2].max()
            position = axes @ np.array([*centre, (low + high) / 2.0])
            size = (radius, float(high - low) / 2.0)
            found.append(Shape(kind="cylinder", size=size, position=position, axes=axes))
    return min(found, key=lambda shape: shape.volume)


def _box(hull: Mesh) -> Shape:
    frames = [np.eye(3), _main_axes(hull)]
    corners, normals = hull.corners, _normals(hull.corners)
    areas = np.linalg.norm(normals, axis=1)
    for face in np.argsort(-areas)[:LARGEST_FACES]:
        up = normals[face] / areas[face]
        for k in range(3):
            along = corners[face, k] - corners[face, k - 1]
            along = along / np.linalg.norm(along)
            frames.append(np.column_stack([along, np.cross(up, along), up]))
    found = []
    for axes in frames:
        places = hull.vertices @ axes
        low, high = places.min(axis=0), places.max(axis=0)
        size = tuple(((high - low) / 2.0).tolist())
        position = axes @ (low + high) / 2.0
        found.append(Shape(kind="box", size=size, position=position, axes=axes))
    smallest = min(shape.volume for shape in found)
    return next(shape for shape in found if shape.volume <= smallest * (1.0 + 1e-6))


FITS: dict[str, Callable[[Mesh], Shape]] = {"box": _box, "cylinder": _cylinder, "sphere": _sphere}


def _main_axes(hull: Mesh) -> Array:
    """Return the main axes of inertia as columns, right-handed."""
    axes = np.linalg.eigh(hull.mass_properties(1.0).inertia)[1]
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return axes


def _ball(points: Array) -> tuple[Array, float]:
    """Return centre and radius of a ball around points, in the plane or in space.

    Badoiu and Clarkson, "Smaller core-sets for balls", SODA 2003: a step towards the farthest
    point, each shorter than the one before. It begins in the middle of the box around the points,
    which is the answer for most parts that have an axis.
    """
    centre = (points.min(axis=0) + points.max(axis=0)) / 2.0
    best, radius = centre, np.inf
    for step in range(1, ROUNDS):
        gaps = np.linalg.norm(points - centre, axis=1)
        farthest = int(gaps.argmax())
        if gaps[farthest] < radius:
            best, radius = centre, float(gaps[farthest])
        centre = centre + (points[farthest] - centre) / (step + 1.0)
    return best, radius * (1.0 + 1e-12)


# A scene with the part in it


def write_scene(
    mesh: Mesh, file: Path, *, shape: Shape | None = None, mass: MassProperties | None = None
) -> tuple[Path, ...]:
    """Write an MJCF scene: a floor, a mount for a robot, and the part in front of it.

    The part is drawn as `mesh` (group 2, touches nothing) and touched as its hull, or as `shape`
    (group 3, not drawn). Meshes are written beside the file.

    Args:
        mesh: What is seen.
        file: The scene, ending in .xml.
        shape: What is touched in the place of the hull.
        mass: Of a part that moves; without it the part is fixed.

    Returns:
        The files written, the scene first.

    Raises:
        InvalidInput: A file cannot be written, or the engine does not take the part.
    """
    if file.suffix.lower() != ".xml":
        raise InvalidInput(f"{file} is no scene by its name; it must end in .xml")
    files = scene_files(file, hull=shape is None)
    name = file.stem if file.stem != "world" else "part"
    seen, hull = quoteattr(f"{name}_visual"), quoteattr(f"{name}_collision")
    text = (Path(scenes.__file__).parent / "empty.xml").read_text(encoding="utf-8")
    low, high = mesh.bounds
    lowest = low[2] if shape is None else min(low[2], shape.lowest)
    place = np.array([DISTANCE_AHEAD - low[0], -(low[1] + high[1]) / 2.0, -lowest])
    assets = f'<mesh name={seen} file={quoteattr(files[1].name)} inertia="shell"/>'
    if shape is None:
        touched = f'type="mesh" mesh={hull}'
        assets += f"\n    <mesh name={hull} file={quoteattr(files[2].name)}/>"
        write(mesh.hull(), files[2])
    else:
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(shape.axes).ravel())
        touched = (
            f'type="{shape.kind}" size="{_numbers(shape.size)}" '
            f'pos="{_numbers(shape.position)}" quat="{_numbers(quaternion)}"'
        )
    write(mesh, files[1])
    lines = [f'<body name={quoteattr(name)} pos="{_numbers(place)}">']
    if mass is not None:
        full = mass.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        lines += [
            f"  <freejoint name={quoteattr(name)}/>",
            f'  <inertial mass="{mass.mass!r}" pos="{_numbers(mass.centre)}"',
            f'            fullinertia="{_numbers(full)}"/>',
        ]
    lines += [
        f'  <geom name={seen} type="mesh" mesh={seen} group="2"',
        '        contype="0" conaffinity="0" rgba="0.62 0.66 0.70 1"/>',
        f"  <geom name={quoteattr(name)} {touched}",
        '        group="3" condim="4" friction="0.8 0.01 0.0001" solref="0.002 1"/>',
        "</body>",
    ]
    comment = f"A floor, and {escape(name).replace('--', '- -')} in front of the mount."
    text = text.replace('model="empty"', f"model={quoteattr(name)}")
    text = re.sub(r"<!--.*?-->", lambda _: f"<!-- {comment} -->", text, count=1, flags=re.DOTALL)
    text = text.replace("  </asset>", f"    {assets}\n  </asset>")
    text = text.replace("  </worldbody>", "".join(f"    {x}\n" for x in lines) + "  </worldbody>")
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {file}: {error.strerror}") from None
    try:
        scenes.load(file.absolute()).compile()
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"the engine does not take this part: {reason}") from None
    return files


def scene_files(file: Path, *, hull: bool) -> tuple[Path, ...]:
    """Return the files of a scene: itself, the mesh that is seen, and the hull if there is one."""
    kinds = ("visual", "collision") if hull else ("visual",)
    return file, *(file.with_name(f"{file.stem}_{kind}.obj") for kind in kinds)


def _numbers(values: Array | tuple[float, ...]) -> str:
    return " ".join(repr(float(value)) for value in values)
