"""Which scans saw the same place, and many of them matched to one, compiled."""

from math import cos, floor, hypot, inf, pi, sin

import numpy as np

from mecano.core.compiled import compiled
from mecano.estimation.slam.field_kernel import draw_nearest, erase
from mecano.estimation.slam.scan_matching_kernel import refine


@compiled
def choose_partners(poses, distance, turn, visit, first, chosen):
    """Write which earlier poses each pose is matched to, the best first.

    All are compared with all: 20,000 poses take less than a second.

    Args:
        poses: x, y [m], yaw [rad], in the order of time. Shape (n, 3).
        distance: Partners are no further apart than this [m].
        turn: Metres that a difference of one radian in heading counts for.
        visit: Numbers further apart than this belong to different visits.
        first: The nearest of every visit is preferred by so many metres, and the two just before
            by twice as many.
        chosen: Written where there are partners. Shape (n, most partners).
    """
    near, rank = np.empty(len(poses), dtype=np.int64), np.empty(len(poses))
    for i in range(len(poses)):
        count, best = 0, 0
        for j in range(i):
            dx, dy = poses[j, 0] - poses[i, 0], poses[j, 1] - poses[i, 1]
            if dx * dx + dy * dy > distance * distance:
                continue
            off = abs(poses[j, 2] - poses[i, 2])
            near[count], rank[count] = j, hypot(dx, dy) + turn * min(off, 2.0 * pi - off)
            count += 1
        for k in range(1, count + 1):
            if k == count or near[k] - near[k - 1] > visit:
                rank[best] -= first
                best = k
            elif rank[k] < rank[best]:
                best = k
        for k in range(count):
            if near[k] >= i - 2:
                rank[k] -= 2.0 * first
        for place in range(min(count, chosen.shape[1])):
            best = np.argmin(rank[:count])
            chosen[i, place], rank[best] = near[best], inf


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
    indices, nears = np.full(1, -1, dtype=np.int32), np.full(1, inf, dtype=np.float32)
    index, near = indices.reshape(1, 1), nears.reshape(1, 1)
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
            size = rows * columns
            if size > len(indices):
                indices = np.full(size, -1, dtype=np.int32)
                nears = np.full(size, inf, dtype=np.float32)
            index = indices[:size].reshape(rows, columns)  # no wider than it must: near in memory
            near = nears[:size].reshape(rows, columns)
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
