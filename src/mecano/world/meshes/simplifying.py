"""Fewer triangles: edges are collapsed, those that matter least first."""

import heapq
from itertools import combinations

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.world.meshes.mesh import Indices, Mesh, Tell, without_spare_vertices
from mecano.world.meshes.quadrics import Point, Quadric, error_at, lowest_point, quadrics_of

FEWEST = 4
"""Triangles of the smallest closed mesh, a tetrahedron."""
SHORT_FIRST = 1e-15
"""Of edges that cost nothing the short ones go first."""
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
    return without_spare_vertices(vertices, np.array(left, dtype=np.int64))


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
        quadrics, self._border = quadrics_of(points, triangles)
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
        best = lowest_point(quadric, middle, 4.0 * length)
        if best is None:
            best = min((p, q, middle), key=lambda point: error_at(quadric, point))
        cost = error_at(quadric, best) + SHORT_FIRST * length
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
