"""Beams of one plane against simple shapes, compiled.

The engine's own `mj_multiRay` looks at every shape of the world for every beam; of a robot with
hands and arms nearly all are above the plane. Here only shapes that reach into the plane are met.
What is met, and how far away, is the same: a surface hides what is behind it, a beam from inside a
shape meets its inner side, and a plane is seen from its front only. Shapes of other kinds (meshes,
height fields) are left to the engine.
"""

from math import asin, atan2, pi, sqrt

import numpy as np

from mecano.core.compiled import compiled

PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 0, 2, 3, 4, 5, 6
"""Numbers of the engine (mjtGeom)."""
TINY = 1e-15
TURN = 2.0 * pi


@compiled
def meet(
    starts, beams, step, middle, normal, slack, shapes, kinds, sizes, bounds, places, turns,
    furthest, far,
):  # fmt: skip
    """Write the distance along every beam to what it meets first; -1 if there is nothing.

    Args:
        starts: Where beams begin [m]; one for each, or one for all. Shape (n, 3) or (1, 3).
        beams: Their directions, unit vectors. Shape (n, 3).
        step: Angle from each beam to the next, about the normal, if all start in the middle; 0 if
            they do not [rad].
        middle: Of the scanner [m]. Shape (3,).
        normal: Of the plane of all beams. Shape (3,).
        slack: How far starts are from the middle at most [m].
        shapes: Numbers of the shapes that can be seen. Shape (k,).
        kinds: Of all shapes of the world.
        sizes: Of all shapes. Shape (m, 3).
        bounds: Radius of a ball around each shape; 0 for planes [m]. Shape (m,).
        places: Of all shapes [m]. Shape (m, 3).
        turns: Of all shapes. Shape (m, 9).
        furthest: Beams end here [m].
        far: The distances [m]; written. Shape (n,).

    Returns:
        Whether all shapes in the plane are simple; if not, ask the engine.
    """
    far[:] = furthest
    last = len(starts) - 1
    for shape in shapes:
        bound = bounds[shape]
        px, py, pz = places[shape, 0], places[shape, 1], places[shape, 2]
        if bound > 0.0:
            x, y, z = px - middle[0], py - middle[1], pz - middle[2]
            if abs(x * normal[0] + y * normal[1] + z * normal[2]) > bound:
                continue
            reach = furthest + bound + slack
            if x * x + y * y + z * z > reach * reach:
                continue
        kind = kinds[shape]
        if kind not in (PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX):
            return False
        T = turns[shape]
        size = sizes[shape]
        windows = (0, len(far)), (0, 0)
        if step > 0.0 and bound > 0.0:
            windows = _windows(places[shape], bound, middle, normal, beams[0], step, len(far))
        for first, end in windows:
            for i in range(first, end):
                start = starts[min(i, last)]
                x, y, z = start[0] - px, start[1] - py, start[2] - pz
                u, v, w = beams[i, 0], beams[i, 1], beams[i, 2]
                if bound > 0.0:
                    along = -(x * u + y * v + z * w)
                    if along + bound < 0.0 or along - bound > far[i]:
                        continue
                    if x * x + y * y + z * z - along * along > bound * bound:
                        continue
                hit = _distance(
                    kind, size,
                    T[0] * x + T[3] * y + T[6] * z, T[1] * x + T[4] * y + T[7] * z,
                    T[2] * x + T[5] * y + T[8] * z, T[0] * u + T[3] * v + T[6] * w,
                    T[1] * u + T[4] * v + T[7] * w, T[2] * u + T[5] * v + T[8] * w,
                )  # fmt: skip
                if 0.0 <= hit < far[i]:
                    far[i] = hit
    for i in range(len(far)):
        if far[i] >= furthest:
            far[i] = -1.0
    return True


@compiled
def _windows(place, bound, middle, normal, first, step, count):
    """Return the beams that may meet a ball around a shape: from here to before there, twice.

    Seen from the middle the ball fills an angle. That is counted from the first beam on, round the
    full turn, so it may lie at the end of the fan and at its beginning.
    """
    x, y, z = place[0] - middle[0], place[1] - middle[1], place[2] - middle[2]
    height = x * normal[0] + y * normal[1] + z * normal[2]
    wide = bound * bound - height * height
    away = x * x + y * y + z * z - height * height
    if away <= 1.001 * wide:
        return (0, count), (0, 0)
    half = asin(sqrt(wide / away)) + step  # a beam more on either side, against round-off
    ahead = x * first[0] + y * first[1] + z * first[2]
    left = (
        x * (normal[1] * first[2] - normal[2] * first[1])
        + y * (normal[2] * first[0] - normal[0] * first[2])
        + z * (normal[0] * first[1] - normal[1] * first[0])
    )
    low = (atan2(left, ahead) - half) % TURN
    high = low + 2.0 * half
    begin, end = min(int(low / step), count), min(int(high / step) + 1, count)
    return (begin, end), (0, min(max(int((high - TURN) / step) + 1, 0), begin))


@compiled
def _distance(kind, size, x, y, z, u, v, w):
    """Return how far a shape is from (x, y, z) along (u, v, w), in its frame; -1 for never."""
    if kind == SPHERE:
        return _root(u * u + v * v + w * w, x * u + y * v + z * w,
                     x * x + y * y + z * z - size[0] * size[0])  # fmt: skip
    if kind == ELLIPSOID:
        x, y, z = x / size[0], y / size[1], z / size[2]
        u, v, w = u / size[0], v / size[1], w / size[2]
        return _root(u * u + v * v + w * w, x * u + y * v + z * w, x * x + y * y + z * z - 1.0)
    if kind == BOX:
        return _to_box(size, x, y, z, u, v, w)
    if kind == PLANE:
        if w > -TINY or z < 0.0:
            return -1.0
        hit = -z / w
        inside = (size[0] <= 0.0 or abs(x + hit * u) <= size[0]) and (
            size[1] <= 0.0 or abs(y + hit * v) <= size[1]
        )
        return hit if inside else -1.0
    return _to_round(kind, size, x, y, z, u, v, w)


@compiled
def _root(a, b, c):
    """Return the smaller root of a t^2 + 2 b t + c = 0 that is not negative; -1 for none."""
    inside = b * b - a * c
    if a < TINY or inside < 0.0:
        return -1.0
    wide = sqrt(inside)
    if -b - wide >= 0.0:
        return (-b - wide) / a
    return (-b + wide) / a if -b + wide >= 0.0 else -1.0


@compiled
def _to_box(size, x, y, z, u, v, w):
    """Return how far it is to a box; -1 for never."""
    enter, leave = -np.inf, np.inf
    for half, at, way in ((size[0], x, u), (size[1], y, v), (size[2], z, w)):
        if abs(way) < TINY:
            if abs(at) > half:
                return -1.0
            continue
        one, other = (-half - at) / way, (half - at) / way
        enter, leave = max(enter, min(one, other)), min(leave, max(one, other))
    if enter > leave or leave < 0.0:
        return -1.0
    return enter if enter >= 0.0 else leave


@compiled
def _to_round(kind, size, x, y, z, u, v, w):
    """Return how far it is to a cylinder or a capsule along z; -1 for never."""
    radius, half = size[0], size[1]
    best = np.inf
    a, b, c = u * u + v * v, x * u + y * v, x * x + y * y - radius * radius
    inside = b * b - a * c
    if a > TINY and inside >= 0.0:  # the side
        wide = sqrt(inside)
        for hit in ((-b - wide) / a, (-b + wide) / a):
            if 0.0 <= hit < best and abs(z + hit * w) <= half:
                best = hit
    for end in (-half, half):
        if kind == CYLINDER:
            if abs(w) > TINY:
                hit = (end - z) / w
                px, py = x + hit * u, y + hit * v
                if 0.0 <= hit < best and px * px + py * py <= radius * radius:
                    best = hit
        else:  # half a ball
            a, b = u * u + v * v + w * w, x * u + y * v + (z - end) * w
            c = x * x + y * y + (z - end) * (z - end) - radius * radius
            inside = b * b - a * c
            if inside >= 0.0:
                wide = sqrt(inside)
                for hit in ((-b - wide) / a, (-b + wide) / a):
                    beyond = (z + hit * w - end) * end >= 0.0
                    if 0.0 <= hit < best and beyond:
                        best = hit
    return best if best < np.inf else -1.0
