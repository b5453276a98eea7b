"""Rollouts of a base at constant twists (DWA) and along sampled controls (MPPI), compiled."""

from math import cos, exp, sin, sqrt

import numpy as np

from mecano.core.compiled import compiled
from mecano.planning.navigation.field_kernel import (
    VX_MAX,
    VX_MIN,
    VY_MAX,
    W_MAX,
    advance,
    braking_clearance,
    clearance_at,
    safe_clearance,
)
from mecano.planning.navigation.pursuit_kernel import nearest_ahead, progress_at

BRAKING, LEAST, END_X, END_Y, END_YAW, END_CLEARANCE = range(6)
"""Columns of what `arcs` answers."""


@compiled
def arcs(field, geometry, discs, start, twists, limits, period, sim_time, dt):
    """Drive every twist for a while from one state; columns see above.

    Args:
        field: See `field_kernel.distance_at`.
        geometry: See there.
        discs: Of the footprint.
        start: x, y [m], yaw [rad], vx, vy [m/s], w [rad/s]. Shape (6,).
        twists: Wanted vx, vy [m/s], w [rad/s]. Shape (n, 3).
        limits: See `rollouts.limits_array`.
        period: After this the base could be braked [s].
        sim_time: Of a drive [s].
        dt: Time between two clearance checks [s].
    """
    answers = np.empty((len(twists), 6))
    steps = max(1, round(sim_time / dt))
    for k in range(len(twists)):
        answers[k, BRAKING] = safe_clearance(
            field, geometry, discs, start, twists[k], period, limits, dt
        )
        state = start.copy()
        first = least = here = clearance_at(field, geometry, discs, state[0], state[1], state[2])
        for _ in range(steps):
            advance(state, twists[k, 0], twists[k, 1], twists[k, 2], limits, dt)
            here = clearance_at(field, geometry, discs, state[0], state[1], state[2])
            least = min(least, here)
            if least < min(0.0, first) - 1e-6:
                break
        answers[k, LEAST] = least
        answers[k, END_X], answers[k, END_Y], answers[k, END_YAW] = state[0], state[1], state[2]
        answers[k, END_CLEARANCE] = here
    return answers


@compiled
def path_distances(path, spacing, points):
    """Return how far points are from a path and from its end, measured along it [m].

    Args:
        path: Evenly spaced points [m]. Shape (n, 2).
        spacing: Of them [m].
        points: [m]. Shape (m, 2).

    Returns:
        Distance to the path, and what is left of the path there plus that distance. Shape (m, 2).
    """
    result = np.empty((len(points), 2))
    last = len(path) - 1
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        best, index = 1e18, 0
        for i in range(last + 1):
            far = (path[i, 0] - x) ** 2 + (path[i, 1] - y) ** 2
            if far < best:
                best, index = far, i
        along, _ = progress_at(path, index, spacing, x, y)
        dx, dy = x - path[index, 0], y - path[index, 1]
        beside = sqrt(max(dx * dx + dy * dy - (along - index * spacing) ** 2, 0.0))
        rest = last * spacing - along
        result[k, 0] = beside
        if index == last:
            result[k, 1] = sqrt(best)
        else:
            result[k, 1] = sqrt(rest * rest + beside * beside)
    return result


@compiled
def sampled(field, geometry, discs, start, path, spacing, controls, noise, weights, limits, dt):
    """Return the cost of every noisy sequence of controls (MPPI).

    Args:
        field: See `arcs`.
        geometry: See `arcs`.
        discs: Of the footprint.
        start: See `arcs`.
        path: See `path_distances`.
        spacing: See there.
        controls: The sequence that is varied: vx, vy, w. Shape (steps, 3).
        noise: Added to it. Shape (n, steps, 3).
        weights: Of path, goal, obstacle, smoothness, heading; scale of the obstacle cost [m];
            margin [m]; weight of turning.
        limits: See `arcs`.
        dt: Of a step [s].
    """
    count, steps = noise.shape[0], noise.shape[1]
    costs = np.zeros(count)
    last = len(path) - 1
    for k in range(count):
        state = start.copy()
        index, cost = 0, 0.0
        for t in range(steps):
            vx = min(max(controls[t, 0] + noise[k, t, 0], limits[VX_MIN]), limits[VX_MAX])
            vy = min(max(controls[t, 1] + noise[k, t, 1], -limits[VY_MAX]), limits[VY_MAX])
            w = min(max(controls[t, 2] + noise[k, t, 2], -limits[W_MAX]), limits[W_MAX])
            vx0, vy0, w0 = state[3], state[4], state[5]
            advance(state, vx, vy, w, limits, dt)
            room = clearance_at(field, geometry, discs, state[0], state[1], state[2])
            if room < weights[6]:
                cost += 1e4 * (1.0 + (steps - t) / steps)
                break
            cost += weights[2] * exp(-room / weights[5]) * dt
            change = abs(state[3] - vx0) + abs(state[4] - vy0) + 0.3 * abs(state[5] - w0)
            cost += weights[3] * change + weights[7] * abs(state[5]) * dt
            index = nearest_ahead(path, index, state[0], state[1])
            along, beside = progress_at(path, index, spacing, state[0], state[1])
            cost += weights[0] * beside * dt
            if weights[4] > 0.0 and index < last:
                tx = path[min(index + 4, last), 0] - state[0]
                ty = path[min(index + 4, last), 1] - state[1]
                size = sqrt(tx * tx + ty * ty) + 1e-9
                ahead = (cos(state[2]) * tx + sin(state[2]) * ty) / size
                cost += weights[4] * (1.0 - ahead) * dt
            if t == steps - 1:
                cost += weights[1] * (last * spacing - along + beside)
        else:
            state_stop = braking_clearance(field, geometry, discs, state, limits, dt)
            if state_stop < weights[6]:
                cost += 1e3
        costs[k] = cost
    return costs
