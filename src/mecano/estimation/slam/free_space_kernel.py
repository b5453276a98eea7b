"""Returns that lie where another scan saw nothing, compiled."""

from math import atan2, cos, hypot, inf, pi, sin

import numpy as np

from mecano.core.compiled import compiled


@compiled
def profile(points, far):
    """Write how far a scan saw in every direction, the nearest of what it met there and beside.

    Args:
        points: Of the returns, seen from the base. Shape (n, 2).
        far: Zero where nothing came back: what is there is not known. Written. Shape (bins,).
    """
    bins = len(far)
    near = np.full(bins, inf)
    for i in range(len(points)):
        k = _bin(points[i, 0], points[i, 1], bins)
        near[k] = min(near[k], hypot(points[i, 0], points[i, 1]))
    for k in range(bins):
        if near[k] == inf:
            far[k] = 0.0
            continue
        far[k] = min(near[k], near[k - 1], near[(k + 1) % bins])


@compiled
def in_free_space(points, pose, far, margin, margin_far):
    """Return how many returns lie nearer than what another scan saw in their direction.

    Args:
        points: Of the returns. Shape (n, 2).
        pose: Of their scan, seen from the other: x, y [m], yaw [rad].
        far: Of the other, as `profile` writes it.
        margin: By so much nearer [m].
        margin_far: And so much per distance.
    """
    c, s = cos(pose[2]), sin(pose[2])
    count = 0
    for i in range(len(points)):
        x = c * points[i, 0] - s * points[i, 1] + pose[0]
        y = s * points[i, 0] + c * points[i, 1] + pose[1]
        if hypot(x, y) * (1.0 + margin_far) + margin < far[_bin(x, y, len(far))]:
            count += 1
    return count


@compiled
def mark_seen(points, pose, far, margin, margin_far, seen):
    """Mark returns that lie where another scan saw something, or on what it met there.

    Arguments as of `in_free_space`, but returns may lie behind by the margins.

    Args:
        seen: Set where a return does. Shape (n,).
    """
    c, s = cos(pose[2]), sin(pose[2])
    for i in range(len(points)):
        x = c * points[i, 0] - s * points[i, 1] + pose[0]
        y = s * points[i, 0] + c * points[i, 1] + pose[1]
        k = _bin(x, y, len(far))
        if hypot(x, y) < max(far[k], far[k - 1]) * (1.0 + margin_far) + margin:
            seen[i] = True


@compiled
def contradictions(points, starts, poses, pairs, margin, margin_far, profiles, shares):
    """Write the share of returns of each pair of scans that lie in what the other saw free.

    Args:
        points: Of all scans, one after the other. Shape (n, 2).
        starts: Where each scan begins.
        poses: x, y [m], yaw [rad] of the scans. Shape (scans, 3).
        pairs: Shape (pairs, 2).
        margin: As `in_free_space` has it [m].
        margin_far: And this.
        profiles: Of all scans; written. Shape (scans, bins).
        shares: Written. Shape (pairs,).
    """
    for i in range(len(poses)):
        profile(points[starts[i] : starts[i + 1]], profiles[i])
    there, back = np.empty(3), np.empty(3)
    for p in range(len(pairs)):
        a, b = pairs[p]
        _relative(poses[a], poses[b], there)
        _relative(poses[b], poses[a], back)
        first, second = points[starts[a] : starts[a + 1]], points[starts[b] : starts[b + 1]]
        wrong = in_free_space(second, there, profiles[a], margin, margin_far)
        wrong += in_free_space(first, back, profiles[b], margin, margin_far)
        shares[p] = wrong / max(len(first) + len(second), 1)


@compiled
def _bin(x, y, bins):
    return min(int((atan2(y, x) / (2.0 * pi) + 0.5) * bins), bins - 1)


@compiled
def _relative(a, b, out):
    """Write b seen from a."""
    c, s = cos(a[2]), sin(a[2])
    x, y = b[0] - a[0], b[1] - a[1]
    out[0], out[1], out[2] = c * x + s * y, c * y - s * x, b[2] - a[2]
