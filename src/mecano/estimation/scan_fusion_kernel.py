"""The beams of one scan drawn into the directions around a base, compiled."""

from math import atan2, ceil, cos, floor, hypot, inf, nan, pi, sin

from mecano.core.compiled import compiled


@compiled
def draw(ranges, beams, first, step, limits, mount, moves, widest, rough, x, y):
    """Lower the directions in which a scan has returns to the distances of the nearest.

    Args:
        ranges: Of all directions, from -pi on [m]; changed. Shape (bins,).
        beams: Distances of the scan [m]. Shape (n,).
        first: Direction of the first beam [rad].
        step: From one beam to the next [rad].
        limits: Nearest and furthest return of the scanner, then from the middle of the base [m].
        mount: Where the scanner is on the base, seen from above. Shape (2, 3).
        moves: Where the base was at each beam, or for all, seen from where it is at the reference
            time: x, y [m] and turn [rad]. Shape (n, 3) or (1, 3).
        widest: Returns of one surface are at most this far apart, per distance.
        rough: And this much further apart by noise [m].
        x: Where the beams ended, seen from the base [m]; written. Shape (n,).
        y: The same to the left.
    """
    count = len(beams)
    nearest, furthest, inner, outer = limits
    c, s = cos(moves[0, 2]), sin(moves[0, 2])
    for i in range(count):
        x[i] = y[i] = nan
        if not nearest <= beams[i] <= furthest:
            continue
        angle = first + i * step
        u, v = beams[i] * cos(angle), beams[i] * sin(angle)
        bx = mount[0, 0] * u + mount[0, 1] * v + mount[0, 2]
        by = mount[1, 0] * u + mount[1, 1] * v + mount[1, 2]
        k = 0
        if len(moves) > 1:
            k = i
            c, s = cos(moves[k, 2]), sin(moves[k, 2])
        px, py = c * bx - s * by + moves[k, 0], s * bx + c * by + moves[k, 1]
        if inner <= hypot(px, py) <= outer:
            x[i], y[i] = px, py
    before = False  # whether the last return is on the surface of this one
    for i in range(count):
        if x[i] != x[i]:
            before = False
            continue
        after = False
        if i + 1 < count and x[i + 1] == x[i + 1]:
            apart = hypot(x[i + 1] - x[i], y[i + 1] - y[i])
            after = apart <= min(beams[i], beams[i + 1]) * widest + rough
        if after:
            beyond = False
            if i + 2 < count and x[i + 2] == x[i + 2]:
                apart = hypot(x[i + 2] - x[i + 1], y[i + 2] - y[i + 1])
                beyond = apart <= min(beams[i + 1], beams[i + 2]) * widest + rough
            _draw_line(ranges, x[i], y[i], x[i + 1], y[i + 1], not before, not beyond)
        elif not before:
            bins = len(ranges)
            at = round((atan2(y[i], x[i]) + pi) * bins / (2.0 * pi)) % bins
            ranges[at] = min(ranges[at], hypot(x[i], y[i]))
        before = after


@compiled
def _draw_line(ranges, x, y, end_x, end_y, free_start, free_end):
    """Lower the directions that a line crosses to the distances at which it does.

    A free end reaches half a direction further, so that no return falls between two directions.
    """
    bins = len(ranges)
    per_bin = 2.0 * pi / bins
    dx, dy = end_x - x, end_y - y
    moment = x * dy - y * dx  # twice the area that the line spans with the middle of the base
    turn = atan2(moment, x * end_x + y * end_y)
    if abs(turn) >= 0.5 * pi:
        return
    start = atan2(y, x)
    if turn > 0.0:
        low, high, free_low, free_high = start, start + turn, free_start, free_end
    else:
        low, high, free_low, free_high = start + turn, start, free_end, free_start
    low = (low + pi) / per_bin - (0.5 if free_low else 0.0)
    high = (high + pi) / per_bin + (0.5 if free_high else 0.0)
    near, far = hypot(x, y), hypot(end_x, end_y)
    if near > far:
        near, far = far, near
    length = hypot(dx, dy)
    for k in range(ceil(low), floor(high) + 1):
        angle = k * per_bin - pi
        across = cos(angle) * dy - sin(angle) * dx
        if across * moment < 1e-12:  # it points at the middle, or is not met there at all
            hit = near
        else:
            hit = min(max(moment / across, near - length), far + length)
        ranges[k % bins] = min(ranges[k % bins], hit)


@compiled
def look(ranges, covered, free, beams, first, step, mount, move, far):
    """Mark the directions that a scanner has in view far out, and those in which it met nothing.

    Args:
        ranges: Directions with a return need no second look [m]. Shape (bins,).
        covered: Directions in view, from -pi on; changed. Shape (bins,).
        free: Directions along which a beam met nothing; changed. Shape (bins,).
        beams: Distances of the scan [m]. Shape (n,).
        first: Direction of the first beam [rad].
        step: From one beam to the next [rad].
        mount: Where the scanner is on the base, seen from above. Shape (2, 3).
        move: Where the base was, seen from where it is at the reference time. Shape (3,).
        far: How far out [m].
    """
    c, s = cos(move[2]), sin(move[2])
    for k in range(len(covered)):
        if ranges[k] < inf:
            covered[k] = True
            continue
        angle = k * 2.0 * pi / len(covered) - pi
        px, py = far * cos(angle) - move[0], far * sin(angle) - move[1]
        bx, by = c * px + s * py - mount[0, 2], c * py - s * px - mount[1, 2]
        u = mount[0, 0] * bx + mount[1, 0] * by  # back by the transpose, mirrored or not
        v = mount[0, 1] * bx + mount[1, 1] * by
        beam = round((atan2(v, u) - first) / step)
        if 0 <= beam < len(beams):
            covered[k] = True
            free[k] |= beams[beam] == inf
