"""The mechanics of `adhesion`, compiled. All in one file: what is kept on disk is made anew when
the file of a kernel changes, not when that of a kernel it calls does.

Everything is in the body's frame unless said otherwise. What belongs together travels together:

    robot   geometry of the legs (what `LegSolver` has: axis, measures, signs, offsets), masses of
            coxa, thigh, shin and cup, their centres as seen along each link (along it, to its
            right, upwards), mass and centre of the body, its inertia
    servos  command, fed torque, stiffness, limit, damping, drag, armature of every joint
    grasp   which legs hold, their branches, their tips at first, gravity at first, what to add to
            the forces on the tips, what to add to the wrench on the body
    work    joint values, frames, forces on the tips: written for legs that hold, kept for others

A pose of the body is six numbers: how far it moved [m] and its rotation vector [rad], both seen
from where it was at first. A twist is the velocity of its origin and its turn rates, in the moved
body. A frame is what the angles of a leg come to: cosine and sine of heading, thigh and shin, then
the tip in the leg's plane from joint 2 and from joint 3, forward and up.
"""

from math import atan2, cos, floor, pi, sin, sqrt

import numpy as np

from mecano.core.compiled import compiled

TURN = 2.0 * pi
ARM = 0.1
"""A moment at this lever counts as a force, a turn rate as a speed [m]."""
BALANCED = 1e-8
"""Forces that are left over in balance [N]."""
SINGULAR = 1e-9
"""Of a leg's two determinants [m2], below which forces cannot be told from torques."""
ITERATIONS = 25
MOVES = np.array([1e-7, 1e-7, 1e-7, 1e-6, 1e-6, 1e-6])
"""Of the pose, to see how forces change [m, rad]."""
FARTHEST, WIDEST = 0.02, 0.15
"""Largest step of the search [m, rad]."""
STILL = np.zeros(6)
"""The twist of a body that does not move."""
TIME_STEP = 0.002
"""Of the swing [s]."""
SHORT, LONG = 150, 550
"""Steps of the swing: its first, largest peaks; and until it must be at rest."""
SLOW = 0.02
"""A body slower than this at the end is at rest [m/s]."""


# --- one leg


@compiled
def frame_of(geometry, q, frame):
    """Write the frame of a leg at joint values."""
    h = geometry[7] * q[0] + geometry[10]
    a = geometry[8] * q[1] + geometry[11]
    b = a + geometry[9] * q[2] + geometry[12]
    frame[0], frame[1], frame[2], frame[3] = cos(h), sin(h), cos(a), sin(a)
    frame[4], frame[5] = cos(b), sin(b)
    _finish_frame(geometry, frame)


@compiled
def _finish_frame(geometry, frame):
    frame[8], frame[9] = geometry[6] * frame[4], geometry[6] * frame[5]
    frame[6] = geometry[5] * frame[2] + frame[8]
    frame[7] = geometry[5] * frame[3] + frame[9]


@compiled
def branch_of(geometry, q, frame, branch):
    """Write in front of its hip (1) or folded (-1), knee down (1) or up (-1) of a leg."""
    branch[0] = 1.0 if geometry[3] + frame[6] >= 0.0 else -1.0
    branch[1] = -1.0 if sin(geometry[9] * q[2] + geometry[12]) <= 0.0 else 1.0


@compiled
def reach(geometry, branch, tip, q, frame):
    """Write joint values (near the old ones) and frame of a leg with its tip there; False if none.

    The closed form of `LegSolver`, on one branch, with cosines and sines instead of angles.
    """
    x, y, z = tip[0] - geometry[0], tip[1] - geometry[1], tip[2] - geometry[4]
    beside, thigh, shin = geometry[2], geometry[5], geometry[6]
    far = x * x + y * y
    square = far - beside * beside
    if square <= 0.0:
        return False
    front = branch[0] * sqrt(square)
    out = front - geometry[3]
    size = out * out + z * z
    cosine = (size - thigh * thigh - shin * shin) / (2.0 * thigh * shin)
    if abs(cosine) >= 1.0:
        return False
    sine = branch[1] * sqrt(1.0 - cosine * cosine)
    along, up = thigh + shin * cosine, shin * sine
    frame[0], frame[1] = (x * front - y * beside) / far, (y * front + x * beside) / far
    frame[2], frame[3] = (out * along + z * up) / size, (z * along - out * up) / size
    frame[4] = frame[2] * cosine - frame[3] * sine
    frame[5] = frame[3] * cosine + frame[2] * sine
    _finish_frame(geometry, frame)
    for j in range(3):
        if j == 0:
            angle = atan2(frame[1], frame[0])
        elif j == 1:
            angle = atan2(frame[3], frame[2])
        else:
            angle = atan2(sine, cosine)
        value = (angle - geometry[10 + j]) * geometry[7 + j]
        q[j] = value - TURN * floor((value - q[j]) / TURN + 0.5)
    return True


@compiled
def weigh(geometry, masses, centres, frame, g, cup, wrench, bias):
    """Add a leg's weight to a wrench about the body's origin; write the torques that hold it.

    The cup counts only if `cup` is 1: one that holds hangs on its surface.
    """
    ch, sh, ca, sa, cb, sb = frame[0], frame[1], frame[2], frame[3], frame[4], frame[5]
    along, across = g[0] * ch + g[1] * sh, g[0] * sh - g[1] * ch
    bias[0] = bias[1] = bias[2] = 0.0
    for k in range(4):
        m = masses[k] * cup if k == 3 else masses[k]
        u, v, w = centres[k, 0], centres[k, 1], centres[k, 2]
        if k == 0:
            r, side, up = u, v, w
        elif k == 1:
            r2, w2 = u * ca - w * sa, u * sa + w * ca
            r, side, up = geometry[3] + r2, geometry[2] + v, geometry[4] + w2
            bias[1] -= geometry[8] * m * (r2 * g[2] - w2 * along)
        else:
            if k == 3:
                u += geometry[6]
            r3, w3 = u * cb - w * sb, u * sb + w * cb
            r2, w2 = frame[6] - frame[8] + r3, frame[7] - frame[9] + w3
            r, side, up = geometry[3] + r2, geometry[2] + v, geometry[4] + w2
            bias[1] -= geometry[8] * m * (r2 * g[2] - w2 * along)
            bias[2] -= geometry[9] * m * (r3 * g[2] - w3 * along)
        bias[0] -= geometry[7] * m * (side * along - r * across)
        px = geometry[0] + r * ch + side * sh
        py = geometry[1] + r * sh - side * ch
        for x in range(3):
            wrench[x] += m * g[x]
        wrench[3] += m * (py * g[2] - up * g[1])
        wrench[4] += m * (up * g[0] - px * g[2])
        wrench[5] += m * (px * g[1] - py * g[0])


@compiled
def push(geometry, frame, torques, force):
    """Write the force on a tip that holds joint torques: J^-T torques. False if singular."""
    r2, w2, r3, w3 = frame[6], frame[7], frame[8], frame[9]
    det, front = r2 * w3 - w2 * r3, geometry[3] + r2
    if abs(det) < SINGULAR or front * front < SINGULAR:
        return False
    e1, e2, e3 = torques[0] * geometry[7], torques[1] * geometry[8], torques[2] * geometry[9]
    along = (e2 * r3 - e3 * r2) / det
    across = (geometry[2] * along - e1) / front
    force[0] = along * frame[0] + across * frame[1]
    force[1] = along * frame[1] - across * frame[0]
    force[2] = (e2 * w3 - e3 * w2) / det
    return True


@compiled
def rates_at(geometry, frame, x, y, z, rates):
    """Write the joint rates that move a tip at a velocity, seen from the body: J^-1 velocity."""
    r2, w2, r3, w3 = frame[6], frame[7], frame[8], frame[9]
    turn = (y * frame[0] - x * frame[1]) / (geometry[3] + r2)
    along = x * frame[0] + y * frame[1] - geometry[2] * turn
    det = r2 * w3 - w2 * r3
    rates[0] = geometry[7] * turn
    rates[1] = geometry[8] * (along * r3 + w3 * z) / det
    rates[2] = -geometry[9] * (along * r2 + w2 * z) / det


@compiled
def torque_of(servos, i, j, angle, rate):
    """Return what the servo of a joint and its drag give [N m]."""
    command, fed, stiffness, limit, damping, drag, _ = servos
    torque = stiffness[i, j] * (command[i, j] - angle) + fed[i, j] - damping[i, j] * rate
    return min(max(torque, -limit[i, j]), limit[i, j]) - drag[i, j] * rate


# --- the body at rest


@compiled
def rotation_of(pose):
    """Return the rotation matrix of a pose."""
    x, y, z = pose[3], pose[4], pose[5]
    square = x * x + y * y + z * z
    angle = sqrt(square)
    if angle < 1e-4:
        a, b = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        a, b = sin(angle) / angle, (1.0 - cos(angle)) / square
    R = np.empty((3, 3))
    R[0, 0], R[1, 1] = 1.0 - b * (y * y + z * z), 1.0 - b * (x * x + z * z)
    R[2, 2] = 1.0 - b * (x * x + y * y)
    R[0, 1], R[1, 0] = b * x * y - a * z, b * x * y + a * z
    R[0, 2], R[2, 0] = b * x * z + a * y, b * x * z - a * y
    R[1, 2], R[2, 1] = b * y * z - a * x, b * y * z + a * x
    return R


@compiled
def add_moment(wrench, p, f, scale):
    """Add the moment of a force at a point to a wrench."""
    wrench[3] += scale * (p[1] * f[2] - p[2] * f[1])
    wrench[4] += scale * (p[2] * f[0] - p[0] * f[2])
    wrench[5] += scale * (p[0] * f[1] - p[1] * f[0])


@compiled
def imbalance(robot, servos, grasp, pose, twist, work, wrench):
    """Write joint values, frames, forces on the tips and the wrench that is left over at a pose.

    Returns:
        -1, or the first leg that cannot keep its tip where it is.
    """
    geometry, masses, centres, body, _ = robot
    holding, branches, tips, gravity, added, unexplained = grasp
    q, frames, forces = work
    R = rotation_of(pose)
    g, tip, needed, bias, rates = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.zeros(3)
    for j in range(3):
        g[j] = R[0, j] * gravity[0] + R[1, j] * gravity[1] + R[2, j] * gravity[2]
        wrench[j], wrench[3 + j] = unexplained[j] + body[0] * g[j], unexplained[3 + j]
    add_moment(wrench, body[1:], g, body[0])
    for i in range(len(q)):
        if not holding[i]:
            weigh(geometry[i], masses[i], centres[i], frames[i], g, 1.0, wrench, bias)
            continue
        x, y, z = tips[i, 0] - pose[0], tips[i, 1] - pose[1], tips[i, 2] - pose[2]
        for j in range(3):
            tip[j] = R[0, j] * x + R[1, j] * y + R[2, j] * z
        if not reach(geometry[i], branches[i], tip, q[i], frames[i]):
            return i
        weigh(geometry[i], masses[i], centres[i], frames[i], g, 0.0, wrench, bias)
        rates_at(
            geometry[i],
            frames[i],
            -twist[0] - twist[4] * tip[2] + twist[5] * tip[1],
            -twist[1] - twist[5] * tip[0] + twist[3] * tip[2],
            -twist[2] - twist[3] * tip[1] + twist[4] * tip[0],
            rates,
        )
        for j in range(3):
            needed[j] = bias[j] - torque_of(servos, i, j, q[i, j], rates[j])
        if not push(geometry[i], frames[i], needed, forces[i]):
            return i
        for j in range(3):
            forces[i, j] += added[i, j]
            wrench[j] += forces[i, j]
        add_moment(wrench, tip, forces[i], 1.0)
    return -1


@compiled
def size_of(wrench):
    """Return the size of a wrench, with moments as forces at `ARM` [N]."""
    total = 0.0
    for j in range(3):
        total += wrench[j] ** 2 + (wrench[3 + j] / ARM) ** 2
    return sqrt(total)


@compiled
def stiffness_at(robot, servos, grasp, pose, work, wrench):
    """Return how the wrench changes with the pose (6, 6), by differences."""
    K, other, moved = np.zeros((6, 6)), np.empty(6), pose.copy()
    for c in range(6):
        moved[c] = pose[c] + MOVES[c]
        if imbalance(robot, servos, grasp, moved, STILL, work, other) < 0:
            for r in range(6):
                K[r, c] = (other[r] - wrench[r]) / MOVES[c]
        moved[c] = pose[c]
    return K


@compiled
def is_stable(K):
    """Tell whether every small move is pushed back: minus the symmetric part is positive."""
    L = np.zeros((6, 6))
    for i in range(6):
        for j in range(i + 1):
            total = -0.5 * (K[i, j] + K[j, i])
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                if total <= 0.0:
                    return False
                L[i, i] = sqrt(total)
            else:
                L[i, j] = total / L[j, j]
    return True


@compiled
def solve_six(A, b):
    """Solve six linear equations in place, the solution in `b`; False if there is none."""
    for c in range(6):
        best = c
        for r in range(c + 1, 6):
            if abs(A[r, c]) > abs(A[best, c]):
                best = r
        if abs(A[best, c]) < 1e-12:
            return False
        if best != c:
            for k in range(6):
                A[c, k], A[best, k] = A[best, k], A[c, k]
            b[c], b[best] = b[best], b[c]
        for r in range(c + 1, 6):
            ratio = A[r, c] / A[c, c]
            for k in range(c, 6):
                A[r, k] -= ratio * A[c, k]
            b[r] -= ratio * b[c]
    for c in range(5, -1, -1):
        for k in range(c + 1, 6):
            b[c] -= A[c, k] * b[k]
        b[c] /= A[c, c]
    return True


@compiled
def settle(robot, servos, grasp, pose, work):
    """Move the pose to a balance by Newton's method; True if there is a stable one.

    Steps are cut, and halved while they make things worse: torques have a corner where a servo
    comes to its limit.
    """
    wrench, tried, moved, now = np.empty(6), np.empty(6), pose.copy(), 0.0
    if imbalance(robot, servos, grasp, pose, STILL, work, wrench) >= 0:
        return False
    size = size_of(wrench)
    for _ in range(ITERATIONS):
        K = stiffness_at(robot, servos, grasp, pose, work, wrench)
        if size < BALANCED:
            stable = is_stable(K)
            imbalance(robot, servos, grasp, pose, STILL, work, wrench)
            return stable
        step = -wrench
        if not solve_six(K, step):
            return False
        far = sqrt(step[0] ** 2 + step[1] ** 2 + step[2] ** 2) / FARTHEST
        wide = sqrt(step[3] ** 2 + step[4] ** 2 + step[5] ** 2) / WIDEST
        scale = 1.0 / max(1.0, far, wide)
        better = False
        for _ in range(10):
            moved[:] = pose + scale * step
            if imbalance(robot, servos, grasp, moved, STILL, work, tried) < 0:
                now = size_of(tried)
                if now < size:
                    better = True
                    break
            scale *= 0.5
        if not better:
            return False
        pose[:], wrench[:] = moved, tried
        size = now
    return False


# --- the body as it swings


@compiled
def link_motions(geometry, centres, frame, points, columns):
    """Write the centres of a leg's links and its tip (5, 3), and how joints move them (5, 3, 3).

    The second axis of `columns` is the joint.
    """
    ch, sh, ca, sa, cb, sb = frame[0], frame[1], frame[2], frame[3], frame[4], frame[5]
    columns[:] = 0.0
    for k in range(5):
        u, v, w = 0.0, 0.0, 0.0
        if k < 4:
            u, v, w = centres[k, 0], centres[k, 1], centres[k, 2]
        if k >= 3:
            u += geometry[6]
        r, side, up = u, v, w
        r3, w3 = u * cb - w * sb, u * sb + w * cb
        if k == 1:
            r2, w2 = u * ca - w * sa, u * sa + w * ca
        else:
            r2, w2 = frame[6] - frame[8] + r3, frame[7] - frame[9] + w3
        if k >= 1:
            r, side, up = geometry[3] + r2, geometry[2] + v, geometry[4] + w2
            columns[k, 1, 0], columns[k, 1, 1] = -geometry[8] * w2 * ch, -geometry[8] * w2 * sh
            columns[k, 1, 2] = geometry[8] * r2
        if k >= 2:
            columns[k, 2, 0], columns[k, 2, 1] = -geometry[9] * w3 * ch, -geometry[9] * w3 * sh
            columns[k, 2, 2] = geometry[9] * r3
        columns[k, 0, 0] = -geometry[7] * (r * sh - side * ch)
        columns[k, 0, 1] = geometry[7] * (r * ch + side * sh)
        points[k, 0] = geometry[0] + r * ch + side * sh
        points[k, 1] = geometry[1] + r * sh - side * ch
        points[k, 2] = up


@compiled
def with_body(point, E):
    """Write how a point moves with the body's twist (3, 6)."""
    E[:] = 0.0
    E[0, 0] = E[1, 1] = E[2, 2] = 1.0
    E[0, 4], E[0, 5] = point[2], -point[1]
    E[1, 3], E[1, 5] = -point[2], point[0]
    E[2, 3], E[2, 4] = point[1], -point[0]


@compiled
def add_inertia(M, mass, E):
    """Add a point mass that moves by `E` times the twist to an inertia (6, 6)."""
    for i in range(6):
        for j in range(6):
            for k in range(3):
                M[i, j] += mass * E[k, i] * E[k, j]


@compiled
def add_holding_leg(robot, armature, i, frame, M, at_tip):
    """Add a leg that holds to the body's inertia; write what accelerations add at its tip.

    That is (3, 6): a force for each part of the body's acceleration.
    """
    geometry, masses, centres = robot[0][i], robot[1][i], robot[2][i]
    points, columns, E = np.empty((5, 3)), np.empty((5, 3, 3)), np.empty((3, 6))
    rates, turns, sums, force = np.empty(3), np.empty((3, 6)), np.empty((3, 6)), np.empty(3)
    link_motions(geometry, centres, frame, points, columns)
    with_body(points[4], E)
    for c in range(6):
        rates_at(geometry, frame, E[0, c], E[1, c], E[2, c], rates)
        for j in range(3):
            turns[j, c] = -rates[j]
    for j in range(3):
        for c in range(6):
            sums[j, c] = armature[j] * turns[j, c]
            for d in range(6):
                M[c, d] += armature[j] * turns[j, c] * turns[j, d]
    for k in range(3):
        with_body(points[k], E)
        for x in range(3):
            for c in range(6):
                for j in range(3):
                    E[x, c] += columns[k, j, x] * turns[j, c]
        add_inertia(M, masses[k], E)
        for j in range(3):
            for c in range(6):
                for x in range(3):
                    sums[j, c] += masses[k] * columns[k, j, x] * E[x, c]
    for c in range(6):
        push(geometry, frame, sums[:, c], force)
        for j in range(3):
            at_tip[j, c] = force[j]


@compiled
def add_free_leg(robot, armature, i, frame, M, inverse, recoil):
    """Add a leg that hangs on its servos to the body's inertia.

    Write its inverse inertia on a body that stands still (3, 3), and the torques on its joints by
    the body's acceleration (3, 6).
    """
    geometry, masses, centres = robot[0][i], robot[1][i], robot[2][i]
    points, columns, E = np.empty((5, 3)), np.empty((5, 3, 3)), np.empty((3, 6))
    own = np.diag(armature)
    link_motions(geometry, centres, frame, points, columns)
    recoil[:] = 0.0
    for k in range(4):
        with_body(points[k], E)
        add_inertia(M, masses[k], E)
        for i in range(3):
            for x in range(3):
                moved = masses[k] * columns[k, i, x]
                for j in range(3):
                    own[i, j] += moved * columns[k, j, x]
                for c in range(6):
                    recoil[i, c] += moved * E[x, c]
    inverse[:] = np.linalg.inv(own)
    M -= recoil.T @ inverse @ recoil


@compiled
def with_payload(body, inertia, unexplained, gravity):
    """Return mass and centre of the body with what it seems to carry, and its inertia.

    What pulls along gravity without an explanation is taken for a mass, as high in the body as its
    centre. This only tells how fast the body moves; the weight is in the forces anyway.
    """
    square = gravity @ gravity
    extra = (unexplained[:3] @ gravity) / square if square > 0.0 else 0.0
    extra = min(extra, body[0])
    loaded, turning = body.copy(), inertia.copy()
    if extra < 1e-3:
        return loaded, turning
    arm = np.empty(3)  # its place across gravity, from its moment
    arm[0] = gravity[1] * unexplained[5] - gravity[2] * unexplained[4]
    arm[1] = gravity[2] * unexplained[3] - gravity[0] * unexplained[5]
    arm[2] = gravity[0] * unexplained[4] - gravity[1] * unexplained[3]
    arm /= extra * square
    arm += (body[1:] @ gravity) / square * gravity - body[1:]
    arm *= min(1.0, ARM / max(sqrt(arm @ arm), 1e-9))
    total = body[0] + extra
    loaded[0] = total
    loaded[1:] += extra / total * arm
    for i in range(3):
        turning[i, i] += body[0] * extra / total * (arm @ arm)
        for j in range(3):
            turning[i, j] -= body[0] * extra / total * arm[i] * arm[j]
    return loaded, turning


@compiled
def inertias(robot, servos, grasp, frames):
    """Return the body's inverse inertia with all legs (6, 6), and for each leg what it needs.

    That is what accelerations add at its tip (n, 3, 6) if it holds; its own inverse inertia
    (n, 3, 3) and the torques by the body's acceleration (n, 3, 6) if it does not.
    """
    holding, n = grasp[0], len(frames)
    at_tips, inverses, recoils = np.zeros((n, 3, 6)), np.zeros((n, 3, 3)), np.zeros((n, 3, 6))
    body, inertia = with_payload(robot[3], robot[4], grasp[5], grasp[3])
    M, E = np.zeros((6, 6)), np.empty((3, 6))
    with_body(body[1:], E)
    add_inertia(M, body[0], E)
    M[3:, 3:] += inertia
    for i in range(n):
        armature = servos[6][i]
        if holding[i]:
            add_holding_leg(robot, armature, i, frames[i], M, at_tips[i])
        else:
            add_free_leg(robot, armature, i, frames[i], M, inverses[i], recoils[i])
    return np.linalg.inv(M), at_tips, inverses, recoils


@compiled
def grip_used(grip, normal, force, load):
    """Write pull and shear of a force on a cup; return the share of the grip that they need."""
    along, square = 0.0, 0.0
    for x in range(3):
        along += force[x] * normal[x]
        square += force[x] ** 2
    load[1], load[2] = -along, sqrt(max(square - along * along, 0.0))
    pulled, sheared = max(load[1], 0.0) / grip[0], load[2] / grip[1]
    return pulled + sheared if grip[2] > 0.0 else max(pulled, sheared)


@compiled
def raise_worst(judge, i, force, time, worst):
    """Raise a cup's worst share, pull, shear and time to those of a force, if it needs more."""
    load = np.empty(3)
    used = grip_used(judge[0][i], judge[1][i], force, load)
    if used > worst[0]:
        worst[0], worst[1], worst[2], worst[3] = used, load[1], load[2], time


@compiled
def look(grasp, work, at_tips, acceleration, R, cups, before, judge, time, worst):
    """Raise the worst loads of the cups (share, pull, shear, time) to those of this moment."""
    factor, forces, on_cup = judge[2], work[2], np.empty(3)
    for i in range(len(forces)):
        if not grasp[0][i]:
            continue
        for x in range(3):
            for c in range(6):
                forces[i, x] += at_tips[i, x, c] * acceleration[c]
        for x in range(3):
            value = -cups[i, x]
            for k in range(3):
                value += R[x, k] * forces[i, k]
            on_cup[x] = before[i, x] + factor * (value - before[i, x])
        raise_worst(judge, i, on_cup, time, worst[i])


@compiled
def swing(robot, servos, grasp, work, leg, cups, before, judge, steps, pose, worst):
    """Follow the body after a release; write where it ends and the worst moment of each cup.

    Inertias are those at first. Legs that hang free swing on their servos; the one that lets go
    springs to where its servos want it, and pushes the body by that.

    Args:
        robot: As at the top of this file, like `servos`, `grasp`, `work`.
        servos: Those of all legs.
        grasp: Of the legs that hold on.
        work: At first; written.
        leg: Which let go.
        cups: Weights of the cups that hold, not in the forces on the tips.
        before: Forces on the cups at first.
        judge: Grips (n, 3), outward normals (n, 3), by how much to stretch changes of forces.
        steps: How long.
        pose: Zero; written.
        worst: Share of the grip, pull, shear [N], time [s] per leg; raised.

    Returns:
        How fast the body is at the end [m/s]; infinite if a leg lost its tip.
    """
    q, frames, _ = work
    holding, n = grasp[0], len(q)
    inverse, at_tips, inverses, recoils = inertias(robot, servos, grasp, frames)
    wrench, torque, biases = np.zeros(6), np.empty(3), np.zeros((n, 3))
    for i in range(n):
        for j in range(3):  # a leg that hung free is at rest, whatever its servos seem to say
            biases[i, j] = torque_of(servos, i, j, q[i, j], 0.0)
    weigh(
        robot[0][leg], robot[1][leg], robot[2][leg], frames[leg], grasp[3], 1.0, wrench, biases[leg]
    )
    angles, rates, bends = q.copy(), np.zeros((n, 3)), np.zeros((n, 3))
    twist, acceleration = np.zeros(6), np.zeros(6)
    for step in range(steps):
        if imbalance(robot, servos, grasp, pose, twist, work, wrench) >= 0:
            return np.inf
        for i in range(n):
            if holding[i]:
                continue
            for j in range(3):
                torque[j] = torque_of(servos, i, j, angles[i, j], rates[i, j]) - biases[i, j]
            for j in range(3):
                bends[i, j] = 0.0
                for k in range(3):
                    bends[i, j] += inverses[i, j, k] * torque[k]
            for r in range(6):
                for j in range(3):
                    wrench[r] -= recoils[i, j, r] * bends[i, j]
        for r in range(6):
            acceleration[r] = 0.0
            for c in range(6):
                acceleration[r] += inverse[r, c] * wrench[c]
        R = rotation_of(pose)
        look(grasp, work, at_tips, acceleration, R, cups, before, judge, step * TIME_STEP, worst)
        for i in range(n):
            if holding[i]:
                continue
            for j in range(3):
                torque[j] = 0.0
                for c in range(6):
                    torque[j] += recoils[i, j, c] * acceleration[c]
            for j in range(3):
                for k in range(3):
                    bends[i, j] -= inverses[i, j, k] * torque[k]
                rates[i, j] += TIME_STEP * bends[i, j]
                angles[i, j] += TIME_STEP * rates[i, j]
        for r in range(6):
            twist[r] += TIME_STEP * acceleration[r]
        for r in range(3):
            for k in range(3):
                pose[r] += TIME_STEP * R[r, k] * twist[k]
                pose[3 + r] += TIME_STEP * R[r, k] * twist[3 + k]
    twist[3:] *= ARM
    return sqrt(twist @ twist)


# --- what `adhesion` calls


@compiled
def frames_at(robot, q):
    """Return the frames of all legs (n, 10), their branches (n, 2) and their tips (n, 3)."""
    geometry, n = robot[0], len(q)
    frames, branches, tips = np.empty((n, 10)), np.empty((n, 2)), np.empty((n, 3))
    for i in range(n):
        row, frame = geometry[i], frames[i]
        frame_of(row, q[i], frame)
        branch_of(row, q[i], frame, branches[i])
        front = row[3] + frame[6]
        tips[i, 0] = row[0] + front * frame[0] + row[2] * frame[1]
        tips[i, 1] = row[1] + front * frame[1] - row[2] * frame[0]
        tips[i, 2] = row[4] + frame[7]
    return frames, branches, tips


@compiled
def cup_forces(robot, servos, holding, q, gravity):
    """Return the forces on the cups (n, 3) at rest, and the first singular leg or -1."""
    geometry, masses, centres, _, _ = robot
    forces, frame = np.zeros_like(q), np.empty(10)
    needed, bias, wrench = np.empty(3), np.empty(3), np.zeros(6)
    for i in range(len(q)):
        if not holding[i]:
            continue
        frame_of(geometry[i], q[i], frame)
        weigh(geometry[i], masses[i], centres[i], frame, gravity, 0.0, wrench, bias)
        for j in range(3):
            needed[j] = bias[j] - torque_of(servos, i, j, q[i, j], 0.0)
        if not push(geometry[i], frame, needed, forces[i]):
            return forces, i
        for j in range(3):
            forces[i, j] -= masses[i, 3] * gravity[j]
    return forces, -1


@compiled
def free_posture(robot, servos, leg, frame, gravity, posture):
    """Write where the servos hold a leg that nothing touches, to first order."""
    bias, wrench = np.empty(3), np.zeros(6)
    weigh(robot[0][leg], robot[1][leg], robot[2][leg], frame, gravity, 1.0, wrench, bias)
    for j in range(3):
        posture[j] = servos[0][leg, j] + (servos[1][leg, j] - bias[j]) / servos[2][leg, j]


@compiled
def let_go(robot, servos, holding, q, gravity, before, leg, judge):
    """Release one leg: follow the body as it swings, and find where it comes to rest.

    Args:
        robot: As at the top of this file.
        servos: The same.
        holding: Which legs hold at first.
        q: Joint values at first.
        gravity: In the body's frame at first [m/s2].
        before: Forces on the cups at first. What they differ by from those of the servos, and what
            all of them together leave unexplained of the weight, stays as it is.
        leg: Which one lets go.
        judge: Grips, normals and factor, as for `swing`.

    Returns:
        Whether it comes to rest, the pose and the forces on the cups there (in the body's first
        frame), and share of the grip, pull, shear [N] and time [s] of each cup's worst moment.
    """
    n = len(q)
    frames, branches, tips = frames_at(robot, q)
    own, _ = cup_forces(robot, servos, holding, q, gravity)
    cups, added, nothing = np.zeros((n, 3)), before - own, np.zeros(6)
    unexplained, pose, worst, left = np.zeros(6), np.zeros(6), np.zeros((n, 4)), holding.copy()
    work = (q.copy(), frames.copy(), np.zeros((n, 3)))
    grasp = (holding, branches, tips, gravity, added, nothing)
    imbalance(robot, servos, grasp, pose, STILL, work, unexplained)
    left[leg] = False
    for i in range(n):
        if left[i]:
            cups[i] = robot[1][i, 3] * gravity
            raise_worst(judge, i, before[i], 0.0, worst[i])
    grasp = (left, branches, tips, gravity, added, -unexplained)
    work = (q.copy(), frames.copy(), np.zeros((n, 3)))
    speed = swing(robot, servos, grasp, work, leg, cups, before, judge, SHORT, pose, worst)
    # At rest the loose leg is where its servos want it.
    resting = (q.copy(), frames.copy(), np.zeros((n, 3)))
    free_posture(robot, servos, leg, frames[leg], gravity, resting[0][leg])
    frame_of(robot[0][leg], resting[0][leg], resting[1][leg])
    lost = speed == np.inf
    rests = not lost and settle(robot, servos, grasp, pose, resting)
    if not rests and not lost and worst[:, 0].max() < 1.0:
        work, pose = (q.copy(), frames.copy(), np.zeros((n, 3))), np.zeros(6)
        speed = swing(robot, servos, grasp, work, leg, cups, before, judge, LONG, pose, worst)
        rests = speed < SLOW and imbalance(robot, servos, grasp, pose, STILL, resting, nothing) < 0
    after = resting[2] @ rotation_of(pose).T - cups
    for i in range(n):
        if rests and left[i]:
            raise_worst(judge, i, after[i], np.inf, worst[i])
    return rests, pose, after, worst


@compiled
def spread_of(points, chosen):
    """Return how far chosen points stray from the line through the two furthest apart [m]."""
    longest, first, last = -1.0, 0, 0
    for i in range(len(points)):
        for j in range(i):
            if chosen[i] and chosen[j]:
                square = 0.0
                for x in range(3):
                    square += (points[i, x] - points[j, x]) ** 2
                if square > longest:
                    longest, first, last = square, i, j
    if longest <= 0.0:
        return 0.0
    along = (points[last] - points[first]) / sqrt(longest)
    widest = 0.0
    for i in range(len(points)):
        if chosen[i]:
            beside = points[i] - points[first]
            beside -= (beside @ along) * along
            widest = max(widest, sqrt(beside @ beside))
    return widest


@compiled
def look_first(robot, servos, holding, q, gravity, left):
    """Return forces on the cups, the first singular leg or -1, and how far the cups left spread."""
    forces, singular = cup_forces(robot, servos, holding, q, gravity)
    return forces, singular, spread_of(frames_at(robot, q)[2], left)
