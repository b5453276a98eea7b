"""Rays cast against straight walls, compiled."""

from math import atan2, ceil, cos, floor, inf, pi, sin

from mecano.core.compiled import compiled


@compiled
def cast(walls, is_pane, poses, first, step, beams, reach, solid, pane, slant):
    """Write the ranges of all scans.

    Each wall is looked at by the beams between its ends only, so the cost hardly grows with the
    number of beams.

    Args:
        walls: x0, y0, x1, y1 [m]. Shape (n, 4).
        is_pane: Of glass. Shape (n,).
        poses: Of the scanner: x, y [m], yaw [rad]. Shape (m, 3).
        first: Direction of the first beam [rad].
        step: To the next beam [rad], above zero.
        beams: Number of beams.
        reach: Nothing is seen from here on [m].
        solid: Distance of the nearest wall that is not glass; written. Shape (m, beams).
        pane: Distance of the nearest glass; written.
        slant: Cosine between that beam and the normal of the glass; written.
    """
    for m in range(len(poses)):
        x, y, yaw = poses[m, 0], poses[m, 1], poses[m, 2]
        for k in range(beams):
            solid[m, k] = pane[m, k] = inf
        for n in range(len(walls)):
            ax, ay = walls[n, 0] - x, walls[n, 1] - y
            bx, by = walls[n, 2] - x, walls[n, 3] - y
            ex, ey = bx - ax, by - ay
            length = (ex * ex + ey * ey) ** 0.5
            if length == 0.0:
                continue
            distance = (ax * by - ay * bx) / length  # of the wall's line, with sign
            if abs(distance) >= reach or distance == 0.0:
                continue
            a, span = atan2(ay, ax), 0.0
            span = (atan2(by, bx) - a + pi) % (2.0 * pi) - pi
            begin = a if span >= 0.0 else a + span
            span = abs(span)
            offset = (begin - yaw - first) % (2.0 * pi)
            for turn in range(2):  # beams may begin in the middle of a wall
                low = (offset - 2.0 * pi * turn) / step
                for k in range(max(0, ceil(low)), min(beams - 1, floor(low + span / step)) + 1):
                    angle = yaw + first + k * step
                    across = (cos(angle) * ey - sin(angle) * ex) / length
                    if across == 0.0:
                        continue
                    # distance along the beam to the line of the wall
                    hit = (ax * ey - ay * ex) / length / across
                    if hit <= 0.0 or hit >= reach:
                        continue
                    if is_pane[n]:
                        if hit < pane[m, k]:
                            pane[m, k] = hit
                            slant[m, k] = abs(across)
                    elif hit < solid[m, k]:
                        solid[m, k] = hit
