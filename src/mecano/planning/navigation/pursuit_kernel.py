"""Pure pursuit of a path, rolled out for many lookaheads and speeds at once, compiled."""

from math import atan2, cos, pi, sin, sqrt

import numpy as np

from mecano.core.compiled import compiled
from mecano.planning.navigation.field_kernel import (
    ACC_W,
    ACC_X,
    DEC_X,
    VX_MAX,
    VX_MIN,
    W_MAX,
    advance,
    braking_clearance,
    clearance_at,
    ramped,
)

PROGRESS, CROSS_TRACK, LEAST, MEAN_NEARNESS, VX, VY, W = range(7)
"""Columns of what a rollout answers."""
IN_PLACE = 1.2
"""With the target further to the side than this, the base turns before it drives [rad]."""


@compiled
def nearest_ahead(path, index, x, y):
    """Return the index of the path's point nearest to (x, y), searched forward from `index`."""
    best = (path[index, 0] - x) ** 2 + (path[index, 1] - y) ** 2
    for i in range(index + 1, min(index + 40, len(path))):
        far = (path[i, 0] - x) ** 2 + (path[i, 1] - y) ** 2
        if far < best:
            best, index = far, i
    return index


@compiled
def pursuit_speeds(state, path, index, spacing, lookahead, cap, clearance, law, limits, ends, dt):
    """Return the speeds (vx, w) by which pure pursuit follows a path from a state.

    Args:
        state: x, y [m], yaw [rad], vx, vy [m/s], w [rad/s].
        path: Evenly spaced points [m]. Shape (n, 2).
        index: Of the nearest point.
        spacing: Of the points [m].
        lookahead: [m].
        cap: No faster than this [m/s]; below 0 in reverse.
        clearance: Of the base here [m].
        law: Speed at no clearance [m/s], speed per clearance [1/s], sideways acceleration [m/s2].
        limits: See `rollouts.limits_array`.
        ends: Whether the path's last point is where the base must stop.
        dt: [s].
    """
    last = len(path) - 1
    target = min(index + round(lookahead / spacing), last)
    dx, dy = path[target, 0] - state[0], path[target, 1] - state[1]
    away = sqrt(dx * dx + dy * dy)
    if away < 1e-6:
        return 0.0, 0.0
    heading = state[2] if cap >= 0.0 else state[2] + pi
    bearing = atan2(dy, dx) - heading
    bearing = atan2(sin(bearing), cos(bearing))
    if abs(bearing) > IN_PLACE:
        turn = min(limits[W_MAX], sqrt(2.0 * limits[ACC_W] * abs(bearing)) * 0.8)
        return 0.0, turn if bearing > 0.0 else -turn
    curvature = 2.0 * sin(bearing) / max(away, 0.5 * lookahead)
    speed = min(abs(cap), limits[VX_MAX] if cap >= 0.0 else -limits[VX_MIN])
    speed = min(speed, law[0] + law[1] * max(clearance, 0.0))
    if abs(curvature) > 1e-9:
        speed = min(speed, 0.9 * limits[W_MAX] / abs(curvature), sqrt(law[2] / abs(curvature)))
    if ends:
        rest = (last - index) * spacing if index < last else away
        speed = min(speed, sqrt(2.0 * 0.8 * limits[DEC_X] * rest), rest / dt)
    speed = speed if cap >= 0.0 else -speed
    # The turn belongs to the speed at the end of this step, not to the wanted one.
    next_speed = ramped(state[3], speed, limits[ACC_X] * dt, limits[DEC_X] * dt)
    turn = curvature * abs(next_speed)
    return speed, min(max(turn, -limits[W_MAX]), limits[W_MAX])


@compiled
def progress_at(path, index, spacing, x, y):
    """Return how far along a path a point is [m], and how far beside it [m]."""
    after = min(index + 1, len(path) - 1)
    before = max(after - 1, 0)
    tx, ty = path[after, 0] - path[before, 0], path[after, 1] - path[before, 1]
    length = sqrt(tx * tx + ty * ty)
    dx, dy = x - path[index, 0], y - path[index, 1]
    beside = sqrt(dx * dx + dy * dy)
    if length < 1e-9:
        return index * spacing, beside
    along = (dx * tx + dy * ty) / length
    along = min(max(along, -spacing), spacing)
    return index * spacing + along, beside


@compiled
def pursue(field, geometry, discs, start, path, spacing, ends, choices, law, limits, steps, dt):
    """Roll out pure pursuit for several choices; the base brakes at the end of each.

    Args:
        field: See `field_kernel.distance_at`.
        geometry: See there.
        discs: Of the footprint.
        start: See `pursuit_speeds`. Shape (6,).
        path: See there.
        spacing: See there.
        ends: See there.
        choices: Lookahead [m] and speed cap [m/s]. Shape (n, 2).
        law: See there.
        limits: See there.
        steps: Of a rollout.
        dt: Of a step: the control period [s].

    Returns:
        One row per choice, see the column names of this file, and the poses. Shapes (n, 7) and
        (n, steps + 1, 3).
    """
    answers = np.zeros((len(choices), 7))
    poses = np.zeros((len(choices), steps + 1, 3))
    for k in range(len(choices)):
        state = start.copy()
        index = nearest_ahead(path, 0, state[0], state[1])
        here = clearance_at(field, geometry, discs, state[0], state[1], state[2])
        first = least = here
        near = 0.0
        poses[k, 0] = state[:3]
        for step in range(steps):
            vx, w = pursuit_speeds(
                state, path, index, spacing, choices[k, 0], choices[k, 1], here, law, limits,
                ends, dt,
            )  # fmt: skip
            before = state[3]
            advance(state, vx, 0.0, w, limits, dt)
            if step == 0:
                answers[k, VX], answers[k, W] = state[3], state[5]
            index = nearest_ahead(path, index, state[0], state[1])
            here = clearance_at(field, geometry, discs, state[0], state[1], state[2])
            least = min(least, here)
            near += max(0.0, 0.3 - here) * (0.5 * abs(before + state[3]) + 0.1)
            poses[k, step + 1] = state[:3]
            if here < min(0.0, first) - 1e-6:
                poses[k, step + 2 :] = state[:3]
                break
        answers[k, PROGRESS], answers[k, CROSS_TRACK] = progress_at(
            path, index, spacing, state[0], state[1]
        )
        answers[k, MEAN_NEARNESS] = near / steps
        least = min(least, braking_clearance(field, geometry, discs, state, limits, dt))
        answers[k, LEAST] = least
    return answers, poses
