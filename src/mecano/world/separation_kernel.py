"""Which postures of a chain are free and which are not, compiled: boxes around all shapes.

Two boxes are apart if their shadows on one of 15 lines are: along the three edges of each box, and
across to one edge of both (the separating axis theorem).
"""

from math import cos, inf, sin, sqrt

from mecano.core.compiled import compiled
from mecano.world.leg_collisions import FREE, UNSURE

PARALLEL = 1e-6
"""Edges with less than this angle between them span no direction worth a look [rad]."""


@compiled
def first_hits(q, joints, boxes, pairs, gap, hits, work):
    """Write for each posture the first pair of boxes that overlap, or `FREE` or `UNSURE`.

    Args:
        q: Postures [rad]. Shape (n, k).
        joints: Axes of the joints while all are at zero (k, 3) and points on them [m] (k, 3).
        boxes: While all joints are at zero: their centres [m] (g, 3), their edges as columns
            (g, 3, 3), half the lengths of these [m] (g, 3), from centre to corner [m] (g,); then
            how many of the joints move each one (g,) and whether its shape fills it (g,).
        pairs: Numbers of two boxes that may not touch. Shape (p, 2).
        gap: Boxes nearer to touching than this are not sure [m].
        hits: The answer. Shape (n,).
        work: Copies of centres and edges, then R (k + 1, 3, 3) and p (k + 1, 3), which begin with
            the identity and zero: how each link has moved from where it is at zero.
    """
    axes, anchors = joints
    centres, edges, halves, reach, moved_by, filled = boxes
    c, E, R, p = work
    for i in range(q.shape[0]):
        for k in range(q.shape[1]):
            _turn_link(axes[k], anchors[k], q[i, k], R[k], p[k], R[k + 1], p[k + 1])
        for g in range(len(moved_by)):
            link = moved_by[g]
            if link > 0:
                _place_box(R[link], p[link], centres[g], edges[g], c[g], E[g])
        hits[i] = _first_hit(c, E, halves, reach, filled, pairs, gap)


@compiled
def _turn_link(axis, anchor, angle, R, p, R_next, p_next):
    """Write how a link has moved, from how the one before it has: turned about its own joint."""
    cosine, sine = cos(angle), sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    for i in range(3):
        a, b, c = R[i, 0], R[i, 1], R[i, 2]  # each row of R, turned by Rodrigues's formula
        along = (a * x + b * y + c * z) * (1.0 - cosine)
        R_next[i, 0] = a * cosine + (b * z - c * y) * sine + x * along
        R_next[i, 1] = b * cosine + (c * x - a * z) * sine + y * along
        R_next[i, 2] = c * cosine + (a * y - b * x) * sine + z * along
        p_next[i] = p[i]
        for j in range(3):
            p_next[i] += (R[i, j] - R_next[i, j]) * anchor[j]


@compiled
def _place_box(R, p, centre, turn, c, E):
    for i in range(3):
        c[i] = p[i] + R[i, 0] * centre[0] + R[i, 1] * centre[1] + R[i, 2] * centre[2]
        for j in range(3):
            E[i, j] = R[i, 0] * turn[0, j] + R[i, 1] * turn[1, j] + R[i, 2] * turn[2, j]


@compiled
def _first_hit(c, E, halves, reach, filled, pairs, gap):
    answer = FREE
    for pair in range(len(pairs)):
        a, b = pairs[pair, 0], pairs[pair, 1]
        x, y, z = c[b, 0] - c[a, 0], c[b, 1] - c[a, 1], c[b, 2] - c[a, 2]
        far = reach[a] + reach[b] + gap
        if x * x + y * y + z * z > far * far:
            continue
        apart = _distance(x, y, z, E[a], E[b], halves[a], halves[b], gap)
        if apart < -gap and filled[a] and filled[b]:
            return pair
        if apart <= gap:
            answer = UNSURE
    return answer


@compiled
def _distance(x, y, z, A, B, a, b, enough):
    """Return how far the shadows of two boxes are apart on the best line [m].

    Args:
        x, y, z: From the middle of box A to that of box B.
        A, B: Edges, as columns.
        a, b: Half their lengths.
        enough: A line on which they are further apart than this ends the search.
    """
    best = -inf
    for i in range(3):
        u, v, w = A[0, i], A[1, i], A[2, i]
        best = max(best, abs(u * x + v * y + w * z) - a[i] - _shadow(u, v, w, B, b))
        u, v, w = B[0, i], B[1, i], B[2, i]
        best = max(best, abs(u * x + v * y + w * z) - b[i] - _shadow(u, v, w, A, a))
        if best > enough:
            return best
    for i in range(3):
        for j in range(3):
            u = A[1, i] * B[2, j] - A[2, i] * B[1, j]
            v = A[2, i] * B[0, j] - A[0, i] * B[2, j]
            w = A[0, i] * B[1, j] - A[1, i] * B[0, j]
            length = sqrt(u * u + v * v + w * w)
            if length > PARALLEL:
                shadows = _shadow(u, v, w, A, a) + _shadow(u, v, w, B, b)
                best = max(best, (abs(u * x + v * y + w * z) - shadows) / length)
                if best > enough:
                    return best
    return best


@compiled
def _shadow(u, v, w, E, half):
    """Return half the length of a box's shadow on a line along u, v, w."""
    return (
        half[0] * abs(u * E[0, 0] + v * E[1, 0] + w * E[2, 0])
        + half[1] * abs(u * E[0, 1] + v * E[1, 1] + w * E[2, 1])
        + half[2] * abs(u * E[0, 2] + v * E[1, 2] + w * E[2, 2])
    )
