"""Simple solids for the drawings of the robots, and how they are written as OBJ.

Millimetres while drawing. The scripts `make_meshes.py` use it.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import cos, pi, radians, sin
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

Point = tuple[float, float, float]
Span = tuple[float, float]
Outline = Sequence[tuple[float, float]]


class Solid(NamedTuple):
    """A closed surface of triangles, counter-clockwise seen from outside."""

    vertices: np.ndarray
    faces: np.ndarray


def hull(points: Iterable[Point]) -> Solid:
    """Wrap points in their convex hull."""
    cloud = np.array(list(points), float)
    found = ConvexHull(cloud)
    faces = found.simplices.copy()
    a, b, c = np.moveaxis(cloud[faces], 1, 0)
    outwards = a - cloud[found.vertices].mean(axis=0)
    inside_out = (np.cross(b - a, c - a) * outwards).sum(axis=1) < 0
    faces[inside_out] = faces[inside_out][:, [0, 2, 1]]
    used = np.unique(faces)
    return Solid(cloud[used], np.searchsorted(used, faces))


def wrap(*solids: Solid) -> Solid:
    """Draw the convex hull of solids."""
    return hull(tuple(vertex) for solid in solids for vertex in solid.vertices.tolist())


def outward(vertices: np.ndarray, faces: np.ndarray) -> Solid:
    """Return a closed surface with its triangles counter-clockwise seen from outside."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return Solid(vertices, faces[:, ::-1] if np.sum(a * np.cross(b, c)) < 0 else faces)


def join(*solids: Solid) -> Solid:
    """Put solids into one drawing; they may overlap."""
    starts = np.cumsum([0] + [len(solid.vertices) for solid in solids])
    faces = [solid.faces + start for solid, start in zip(solids, starts[:-1], strict=True)]
    return Solid(np.vstack([solid.vertices for solid in solids]), np.vstack(faces))


def moved(solid: Solid, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Solid:
    """Shift a solid."""
    return Solid(solid.vertices + np.array([x, y, z]), solid.faces)


def turned(solid: Solid, degrees: float) -> Solid:
    """Turn a solid about z."""
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return Solid(solid.vertices @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]), solid.faces)


def along_x(solid: Solid) -> Solid:
    """Lay a solid so that its z axis becomes x, and its x axis y."""
    return Solid(np.roll(solid.vertices, 1, axis=1), solid.faces)


def along_y(solid: Solid) -> Solid:
    """Lay a solid so that its z axis becomes y, and its x axis z."""
    return Solid(np.roll(solid.vertices, 2, axis=1), solid.faces)


def mirrored(solid: Solid) -> Solid:
    """Reflect a solid in the plane y = 0."""
    return Solid(solid.vertices * (1, -1, 1), solid.faces[:, ::-1])


def both_sides(solid: Solid) -> Solid:
    """Join a solid and its mirror image in y = 0."""
    return join(solid, mirrored(solid))


def box(x: Span, y: Span, z: Span) -> Solid:
    """Draw a plain box from its extents."""
    return hull((a, b, c) for a in x for b in y for c in z)


def plate(x: Span, y: Span, z: Span, *, radius: float = 2.0, bevel: float = 0.5) -> Solid:
    """Draw a box with round corners in the xy plane and bevelled faces in z."""
    points: list[Point] = []
    for height, inset in ((z[0], bevel), (z[0] + bevel, 0), (z[1] - bevel, 0), (z[1], bevel)):
        r = max(radius - inset, 0.05)
        for quarter, (cx, cy) in enumerate(
            (
                (x[1] - inset - r, y[1] - inset - r),
                (x[0] + inset + r, y[1] - inset - r),
                (x[0] + inset + r, y[0] + inset + r),
                (x[1] - inset - r, y[0] + inset + r),
            )
        ):
            for step in range(4):
                angle = (quarter + step / 3) * pi / 2
                points.append((cx + r * cos(angle), cy + r * sin(angle), height))
    return hull(points)


def prism(outline: Outline, z: Span, *, bevel: float = 0.0) -> Solid:
    """Draw a convex outline in the xy plane with thickness; a bevel shrinks both faces."""
    corners = np.array(outline, float)
    small = corners * (1 - bevel / np.linalg.norm(corners, axis=1, keepdims=True))
    layers = (
        ((corners, z[0]), (corners, z[1]))
        if not bevel
        else (
            (small, z[0]),
            (corners, z[0] + bevel),
            (corners, z[1] - bevel),
            (small, z[1]),
        )
    )
    return hull((x, y, height) for layer, height in layers for x, y in layer)


def side_plate(outline: Outline, y: Span) -> Solid:
    """Draw a convex outline in the xz plane with thickness in y."""
    return hull((x, depth, z) for x, z in outline for depth in y)


def disc(radius: float, z: Span, *, bevel: float = 0.0, sides: int = 32) -> Solid:
    """Draw a cylinder about z whose upper edge is bevelled."""
    rings = (
        ((z[0], radius), (z[1] - bevel, radius), (z[1], radius - bevel))
        if bevel
        else ((z[0], radius), (z[1], radius))
    )
    turn = 2 * pi / sides
    return hull((r * cos(k * turn), r * sin(k * turn), h) for h, r in rings for k in range(sides))


def stadium(ends: tuple[tuple[float, float], tuple[float, float]], radius: float) -> Outline:
    """Return the outline round two circles of equal radius."""
    angles = [k * pi / 12 for k in range(24)]
    return [(x + radius * cos(a), z + radius * sin(a)) for x, z in ends for a in angles]


def ring(profile: Outline, *, start: float = 0.0, end: float = 360.0, step: float = 4.0) -> Solid:
    """Turn a closed profile (radius, height) about z from one angle to another [deg]."""
    count = round((end - start) / step)
    whole = end - start >= 360.0
    angles = np.radians(np.linspace(start, end, count + 1)[: count if whole else None])
    rows, corners = len(angles), len(profile)
    vertices = np.array([(r * cos(a), r * sin(a), h) for a in angles for r, h in profile])
    faces: list[tuple[int, int, int]] = []
    for k in range(rows if whole else rows - 1):
        for j in range(corners):
            a, b = k * corners + j, k * corners + (j + 1) % corners
            c, d = (b + corners) % len(vertices), (a + corners) % len(vertices)
            faces += [(a, b, c), (a, c, d)]
    if not whole:
        last = (rows - 1) * corners
        for j in range(1, corners - 1):
            faces += [(0, j + 1, j), (last, last + j, last + j + 1)]
    return outward(vertices, np.array(faces))


def cable(*knots: Point, radius: float = 1.4) -> Solid:
    """Draw a cable through points."""
    tubes = []
    for start, end in pairwise(np.array(knots, float)):
        along = (end - start) / np.linalg.norm(end - start)
        across = np.cross(along, (0.3, 0.9, 0.2))
        across /= np.linalg.norm(across)
        up = np.cross(along, across)
        circle = [radius * (cos(k * pi / 3) * across + sin(k * pi / 3) * up) for k in range(6)]
        ends = (start - along * 0.4, end + along * 0.4)
        tubes.append(hull(tuple(at + c) for at in ends for c in circle))
    return join(*tubes)


def obj_text(solid: Solid) -> str:
    """Return a solid as OBJ, in metres, rounded to a thousandth of a millimetre."""
    metres = np.round(solid.vertices / 1000, 6) + 0.0  # no minus zero
    return _obj(solid, [" ".join(f"{c:g}" for c in vertex) for vertex in metres])


def obj_text_in_millimetres(solid: Solid) -> str:
    """Return a solid as OBJ, in millimetres with three decimals."""
    millimetres = np.round(solid.vertices, 3) + 0.0
    return _obj(
        solid,
        [" ".join(f"{c:.3f}".rstrip("0").rstrip(".") for c in vertex) for vertex in millimetres],
    )


def _obj(solid: Solid, vertices: list[str]) -> str:
    faces = [f"f {' '.join(str(i + 1) for i in face)}" for face in solid.faces]
    return "\n".join([*(f"v {vertex}" for vertex in vertices), *faces, ""])
