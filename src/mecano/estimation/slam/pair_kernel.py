"""Many scans matched to one, compiled."""

from math import cos, floor, inf, sin

import numpy as np

from mecano.core.compiled import compiled
from mecano.estimation.slam.field_kernel import draw_nearest, erase
from mecano.estimation.slam.scan_matching_kernel import refine


@compiled
def match_pairs(
    points, normals, kinds, starts, poses, firsts, seconds, margin, cell, reach, sigma, gates, soft,
    corner, blur, trust, out, information, shares,
):  # fmt: skip
    """Slide clouds onto the lines of others, pair by pair.

    Args:
        points: Of all clouds [m]. Shape (n, 2).
        normals: Shape (n, 2).
        kinds: Line, corner or alone. Shape (n,), bytes.
        starts: Where each cloud begins, and where the last one ends.
        poses: Of the bases: x, y [m], yaw [rad].
        firsts: Cloud of each pair that stays; equal ones follow each other.
        seconds: Cloud of each pair that is slid.
        margin: Around the cloud that stays [m].
        cell: Side of a cell [m].
        reach: Cells that a return is looked up from.
        sigma: As in `refine`, like the next four.
        gates: [m].
        soft: [m].
        corner: Weight.
        blur: Share.
        trust: Information of the poses before, so that nothing slides along walls. Shape (3, 3).
        out: Pose of the second, seen from the first; written. Shape (pairs, 3).
        information: In the axes of the first; written. Shape (pairs, 3, 3).
        shares: Share of returns with a partner; written. Shape (pairs,).
    """
    index = np.full((1, 1), -1, dtype=np.int32)
    near = np.full((1, 1), inf, dtype=np.float32)
    box, low, high = np.zeros(3), np.zeros(2), np.zeros(2)
    start, last = np.zeros(3), -1
    for p in range(len(firsts)):
        a, b = firsts[p], seconds[p]
        known = points[starts[a] : starts[a + 1]]
        if a != last:
            if last >= 0:
                erase(index, near, points[starts[last] : starts[last + 1]], box, reach)
            last = a
            for k in range(2):
                low[k], high[k] = inf, -inf
            for i in range(len(known)):
                for k in range(2):
                    low[k], high[k] = min(low[k], known[i, k]), max(high[k], known[i, k])
            rows = floor((high[1] - low[1] + 2 * margin) / cell) + 2
            columns = floor((high[0] - low[0] + 2 * margin) / cell) + 2
            if rows > index.shape[0] or columns > index.shape[1]:
                rows, columns = max(rows, index.shape[0]), max(columns, index.shape[1])
                index = np.full((rows, columns), -1, dtype=np.int32)
                near = np.full((rows, columns), inf, dtype=np.float32)
            box[0], box[1], box[2] = low[0] - margin, low[1] - margin, cell
            draw_nearest(index, near, known, 0, box, reach)
        c, s = cos(poses[a, 2]), sin(poses[a, 2])
        dx, dy = poses[b, 0] - poses[a, 0], poses[b, 1] - poses[a, 1]
        start[0], start[1] = c * dx + s * dy, c * dy - s * dx
        start[2] = poses[b, 2] - poses[a, 2]
        field = (known, normals[starts[a] : starts[a + 1]], kinds[starts[a] : starts[a + 1]])
        part = slice(starts[b], starts[b + 1])
        seen = (points[part], normals[part], kinds[part])
        _, shares[p] = refine(
            index, box, field, seen, start, start, trust, sigma, gates, soft, corner, blur,
            information[p], out[p],
        )  # fmt: skip
