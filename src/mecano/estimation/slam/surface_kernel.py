"""Which surface each return of a scan lies on, compiled."""

from math import cos, hypot, sin, sqrt

from mecano.core.compiled import compiled

ALONE, CORNER, LINE = 0, 1, 2
"""A return that tells nothing by itself, one of a small thing, and one of a straight wall. Walls
that beams graze or noise blurs leave returns alone: where along the wall they are says nothing."""


@compiled
def place_returns(ranges, first, step, nearest, furthest, mount, points):
    """Write where beams end that have a return; return how many.

    Args:
        ranges: One per beam [m]; no numbers and what is out of reach are left out.
        first: Direction of the first beam [rad].
        step: From one beam to the next [rad].
        nearest: Smallest range that counts [m].
        furthest: Largest [m].
        mount: Of the scanner: x, y [m], yaw [rad].
        points: Written, one after the other [m]. Shape (n, 2).
    """
    count = 0
    x, y, yaw = mount
    c, s = cos(yaw), sin(yaw)
    for i in range(len(ranges)):
        if nearest <= ranges[i] <= furthest:
            angle = first + step * i
            u, v = ranges[i] * cos(angle), ranges[i] * sin(angle)
            points[count, 0], points[count, 1] = c * u - s * v + x, s * u + c * v + y
            count += 1
    return count


@compiled
def fit_lines(points, viewpoint, step, options, normals, kinds):
    """Fit a line to the neighbours of every return, in the order of the beams.

    Args:
        points: Returns [m]. Shape (n, 2).
        viewpoint: Where the scanner is, in the same frame [m]. Shape (2,).
        step: From one beam to the next [rad].
        options: Neighbours reach this far [m], and at least this far per distance; the smallest
            angle between beam and surface counts as this sine; points of a line are this near to it
            [m], and so much less near per distance; a small thing is no larger than this [m].
        normals: Unit vectors towards the scanner; written. Shape (n, 2).
        kinds: `LINE`, `CORNER` or `ALONE`; written. Shape (n,), bytes.
    """
    reach, far, sine, least, more, small_thing = options
    count = len(points)
    for i in range(count):
        x, y = points[i, 0], points[i, 1]
        kinds[i] = ALONE
        normals[i, 0] = normals[i, 1] = 0.0
        away = hypot(x - viewpoint[0], y - viewpoint[1])
        gap = max(reach, away * step / sine)
        rough, wide = least + more * away, max(reach, far * away)
        total, sx, sy, sxx, sxy, syy = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for side in (-1, 1):
            j, last_x, last_y, met = i + side, x, y, 0
            while 0 <= j < count:
                px, py = points[j, 0], points[j, 1]
                u, v = px - x, py - y
                if _squared(px - last_x, py - last_y) > gap * gap:
                    break
                if met >= 2 and _squared(u, v) > wide * wide:
                    break
                total += 1.0
                sx, sy = sx + u, sy + v
                sxx, sxy, syy = sxx + u * u, sxy + u * v, syy + v * v
                last_x, last_y, met, j = px, py, met + 1, j + side
        if _is_small(points, i, gap * gap, small_thing * small_thing):
            kinds[i] = CORNER
        if total < 4.0:
            continue
        mx, my = sx / total, sy / total
        a, b, c = sxx / total - mx * mx, sxy / total - mx * my, syy / total - my * my
        root = sqrt(max(0.25 * (a - c) * (a - c) + b * b, 0.0))
        small, large = 0.5 * (a + c) - root, 0.5 * (a + c) + root
        if small > rough * rough or large < 6.0 * small or large <= 0.0:
            continue
        nx, ny = (b, small - a) if a > c else (small - c, b)
        size = hypot(nx, ny)
        if size <= 0.0:
            nx, ny, size = (0.0, 1.0, 1.0) if a > c else (1.0, 0.0, 1.0)
        if nx * (viewpoint[0] - x) + ny * (viewpoint[1] - y) < 0.0:
            size = -size
        normals[i, 0], normals[i, 1] = nx / size, ny / size
        kinds[i] = LINE


@compiled
def _is_small(points, i, gap, size):
    """Tell whether a return belongs to a thing of at least two returns that is small.

    Gap and size are squared [m^2].
    """
    first, last = i, i
    while first > 0 and _apart(points, first, first - 1) <= gap:
        first -= 1
        if _apart(points, first, i) > size:
            return False
    while last + 1 < len(points) and _apart(points, last, last + 1) <= gap:
        last += 1
        if _apart(points, first, last) > size:
            return False
    return last > first


@compiled
def _apart(points, i, j):
    """Return the squared distance between two returns [m^2]."""
    return _squared(points[i, 0] - points[j, 0], points[i, 1] - points[j, 1])


@compiled
def _squared(x, y):
    return x * x + y * y
