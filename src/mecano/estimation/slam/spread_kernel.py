"""How uncertain the nodes of a graph are as seen from one of them, compiled."""

from heapq import heappop, heappush
from math import cos, inf, sin

import numpy as np

from mecano.core.compiled import compiled


@compiled
def spread(start, poses, edges, covariances, lever, out):
    """Write the covariance of every pose seen from one node, along the best way through the graph.

    Ways are compared by variance of position plus that of yaw at a lever; loops shorten them. What
    several ways together would tell is left out, so the truth is never more uncertain than this.

    Args:
        start: Number of the node.
        poses: x, y [m], yaw [rad]. Shape (n, 3).
        edges: Shape (m, 2).
        covariances: Of the edges, in the axes of `to`. Shape (m, 3, 3).
        lever: [m].
        out: Position along the axes of the map and yaw; written. Shape (n, 3, 3). Infinite where
            no way leads.
    """
    count = len(poses)
    first = np.zeros(count + 2, dtype=np.int64)
    for e in range(len(edges)):
        first[edges[e, 0] + 2] += 1
        first[edges[e, 1] + 2] += 1
    for i in range(2, count + 2):
        first[i] += first[i - 1]
    links = np.empty(2 * len(edges), dtype=np.int64)
    for e in range(len(edges)):
        for side in range(2):
            at = first[edges[e, side] + 1]
            links[at] = e
            first[edges[e, side] + 1] = at + 1
    cost, done = np.full(count, inf), np.zeros(count, dtype=np.bool_)
    out[:] = inf
    out[start] = 0.0
    cost[start] = 0.0
    trial, sum_here, heap = np.empty((3, 3)), np.empty((3, 3)), [(0.0, start)]
    while len(heap) > 0:
        _, node = heappop(heap)
        if done[node]:
            continue
        done[node] = True
        for at in range(first[node], first[node + 1]):
            e = links[at]
            other = edges[e, 1] if edges[e, 0] == node else edges[e, 0]
            if done[other]:
                continue
            by_x, by_y = poses[node, 1] - poses[other, 1], poses[other, 0] - poses[node, 0]
            if edges[e, 0] == node:  # an edge errs where it ends: after the way, or before it
                _carry(out[node], by_x, by_y, trial)
                _turn_in(covariances[e], poses[other, 2], trial)
            else:
                sum_here[:] = out[node]
                _turn_in(covariances[e], poses[node, 2], sum_here)
                _carry(sum_here, by_x, by_y, trial)
            value = trial[0, 0] + trial[1, 1] + lever * lever * trial[2, 2]
            if value < cost[other]:
                cost[other] = value
                out[other] = trial
                heappush(heap, (value, other))


@compiled
def _carry(covariance, by_x, by_y, out):
    """Write a covariance as it is at a place where a turn moves x and y by so much [m/rad]."""
    xx, xy, yy = covariance[0, 0], covariance[0, 1], covariance[1, 1]
    xt, yt, tt = covariance[0, 2], covariance[1, 2], covariance[2, 2]
    out[0, 0] = xx + 2 * by_x * xt + by_x * by_x * tt
    out[1, 1] = yy + 2 * by_y * yt + by_y * by_y * tt
    out[0, 1] = out[1, 0] = xy + by_y * xt + by_x * yt + by_x * by_y * tt
    out[0, 2] = out[2, 0] = xt + by_x * tt
    out[1, 2] = out[2, 1] = yt + by_y * tt
    out[2, 2] = tt


@compiled
def _turn_in(covariance, yaw, total):
    """Add a covariance after turning it by a yaw."""
    c, s = cos(yaw), sin(yaw)
    a, b, d = covariance[0, 0], covariance[0, 1], covariance[1, 1]
    total[0, 0] += c * c * a - 2 * c * s * b + s * s * d
    total[1, 1] += s * s * a + 2 * c * s * b + c * c * d
    off = c * s * (a - d) + (c * c - s * s) * b
    total[0, 1] += off
    total[1, 0] += off
    u = c * covariance[0, 2] - s * covariance[1, 2]
    v = s * covariance[0, 2] + c * covariance[1, 2]
    total[0, 2] += u
    total[2, 0] += u
    total[1, 2] += v
    total[2, 1] += v
    total[2, 2] += covariance[2, 2]
