"""Clearance of a footprint in a distance field and the limits of a base's motion, compiled.

Every rollout of a local planner is made of these few steps, so that all of them agree on what
touches an obstacle and on how fast a base can change its speed.
"""

from math import cos, floor, sin

from mecano.core.compiled import compiled

VX_MAX, VX_MIN, VY_MAX, W_MAX, ACC_X, DEC_X, ACC_Y, ACC_W = range(8)
"""Places of the limits in their array, see `rollouts.limits_array`."""

FAR = 0.35
"""With more clearance than this a rough lower bound of it does [m]."""


@compiled
def distance_at(field, geometry, x, y):
    """Return the distance to the nearest obstacle at a point [m], interpolated between cells.

    Args:
        field: Distance at the centres of the cells [m]. Shape (height, width).
        geometry: x, y of the outer corner of cell (0, 0) [m] and the side of a cell [m].
        x: [m].
        y: [m]; beyond the border the nearest cell counts.
    """
    height, width = field.shape
    column = (x - geometry[0]) / geometry[2] - 0.5
    row = (y - geometry[1]) / geometry[2] - 0.5
    column = min(max(column, 0.0), width - 1.0)
    row = min(max(row, 0.0), height - 1.0)
    c, r = min(floor(column), width - 2), min(floor(row), height - 2)
    u, v = column - c, row - r
    low = field[r, c] * (1.0 - u) + field[r, c + 1] * u
    high = field[r + 1, c] * (1.0 - u) + field[r + 1, c + 1] * u
    return low * (1.0 - v) + high * v


@compiled
def clearance_at(field, geometry, discs, x, y, yaw):
    """Return how far a footprint is from the nearest obstacle [m]; below 0 it touches one.

    Args:
        field: See `distance_at`.
        geometry: See `distance_at`.
        discs: x, y, radius of the discs that cover the footprint [m]; the first holds all of it
            and is centred on the base. Shape (n, 3).
        x: Of the base [m].
        y: [m].
        yaw: [rad].
    """
    all_of_it = distance_at(field, geometry, x, y) - discs[0, 2]
    if len(discs) == 1 or all_of_it > FAR:
        return all_of_it
    c, s = cos(yaw), sin(yaw)
    least = 1e9
    for disc in range(1, len(discs)):
        px = x + c * discs[disc, 0] - s * discs[disc, 1]
        py = y + s * discs[disc, 0] + c * discs[disc, 1]
        least = min(least, distance_at(field, geometry, px, py) - discs[disc, 2])
    return least


@compiled
def ramped(now, wanted, faster, slower):
    """Return a speed one step nearer to the wanted one: `faster` and `slower` per step."""
    most = slower if abs(wanted) < abs(now) or wanted * now < 0.0 else faster
    return now + min(max(wanted - now, -most), most)


@compiled
def advance(state, vx, vy, w, limits, dt):
    """Move a base by one step, its speeds ramping towards the wanted ones.

    Args:
        state: x, y [m], yaw [rad], vx, vy [m/s], w [rad/s]; rewritten.
        vx: Wanted [m/s].
        vy: [m/s].
        w: [rad/s].
        limits: See `rollouts.limits_array`.
        dt: [s].
    """
    vx0, vy0, w0 = state[3], state[4], state[5]
    state[3] = ramped(vx0, vx, limits[ACC_X] * dt, limits[DEC_X] * dt)
    state[4] = ramped(vy0, vy, limits[ACC_Y] * dt, limits[ACC_Y] * dt)
    state[5] = ramped(w0, w, limits[ACC_W] * dt, limits[ACC_W] * dt)
    mx, my, turn = 0.5 * (vx0 + state[3]), 0.5 * (vy0 + state[4]), 0.5 * (w0 + state[5])
    middle = state[2] + 0.5 * turn * dt
    c, s = cos(middle), sin(middle)
    state[0] += (c * mx - s * my) * dt
    state[1] += (s * mx + c * my) * dt
    state[2] += turn * dt


@compiled
def braking_clearance(field, geometry, discs, state, limits, dt):
    """Return the smallest clearance while a base brakes from its state to a stop [m].

    The state is rewritten: at the end the base stands.
    """
    least = clearance_at(field, geometry, discs, state[0], state[1], state[2])
    while state[3] != 0.0 or state[4] != 0.0 or state[5] != 0.0:
        advance(state, 0.0, 0.0, 0.0, limits, dt)
        here = clearance_at(field, geometry, discs, state[0], state[1], state[2])
        least = min(least, here)
    return least


@compiled
def safe_clearance(field, geometry, discs, start, twist, period, limits, dt):
    """Return the smallest clearance if a twist is driven for a period and then braked away [m].

    A twist for which this stays positive leaves the base a way to stop at the next cycle too.
    """
    state = start.copy()
    least = clearance_at(field, geometry, discs, state[0], state[1], state[2])
    steps = max(1, round(period / dt))
    for _ in range(steps):
        advance(state, twist[0], twist[1], twist[2], limits, period / steps)
        here = clearance_at(field, geometry, discs, state[0], state[1], state[2])
        least = min(least, here)
    return min(least, braking_clearance(field, geometry, discs, state, limits, dt))
