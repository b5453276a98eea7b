"""The mechanics of `adhesion`. What is done at every step of a swing is compiled, the rest is not.

Compiling is most of what a first forecast takes, so it is kept small: compiled functions work on
tables of floats, number by number, and take no memory; what is done once per forecast is numpy. All
in one file: what is kept on disk is made anew when the file of a kernel changes, not when that of a
kernel it calls does.

Everything is in the body's frame unless said otherwise. Tables have a row per leg, and their
columns have names below (the first column, of several):

    robot   geometry of the legs (what `LegSolver` has: axis, measures, signs, offsets), masses of
            coxa, thigh, shin and cup, their centres as seen along each link (along it, to its
            right, upwards)
    servos  command, fed torque, stiffness, limit, damping, drag, armature of every joint
    grasp   1 for legs that hold or else 0, their branches, their tips at first, what to add to the
            forces on the tips
    work    joint values, frames, forces on the tips: written for legs that hold, kept for others;
            and, written for all, torques that hold the weight, and joint rates
    body    a row of its own: mass and centre of the body, gravity at first, what to add to the
            wrench on the body
    motion  four rows of six: pose, twist and acceleration of the body, and the wrench on it

A pose of the body is how far it moved [m] and its rotation vector [rad], both seen from where it
was at first. A twist is the velocity of its origin and its turn rates, in the moved body. A frame
is what the angles of a leg come to: cosine and sine of heading, thigh and shin, then the tip in the
leg's plane from joint 2 and from joint 3, forward and up.
"""

from math import atan2, cos, dist, floor, inf, pi, sin, sqrt

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
SHIFT, TILT = 1e-7, 1e-6
"""Of the pose, to see how forces change [m, rad]."""
FARTHEST, WIDEST = 0.02, 0.15
"""Largest step of the search [m, rad]."""
TIME_STEP = 0.002
"""Of the swing [s]."""
SHORT, LONG = 150, 550
"""Steps of the swing: its first, largest peaks; and until it must be at rest."""
SLOW = 0.02
"""A body slower than this at the end is at rest [m/s]."""

# Columns of `robot`.
AXIS_X, AXIS_Y, BESIDE, COXA, HEIGHT, THIGH, SHIN, SIGN, OFFSET, MASS, CENTRE = (
    0, 1, 2, 3, 4, 5, 6, 7, 10, 13, 17,
)  # fmt: skip
# Of `servos`.
COMMAND, FED, STIFFNESS, LIMIT, DAMPING, DRAG, ARMATURE = 0, 3, 6, 9, 12, 15, 18
# Of `grasp`.
HOLDS, FRONT, KNEE, TIP, ADDED, GRASP_WIDTH = 0, 1, 2, 3, 6, 9
# Of `work`. The last two are passing values.
Q, COS_H, SIN_H, COS_A, SIN_A, COS_B, SIN_B, R2, W2, R3, W3 = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
FORCE, BIAS, RATE, BEND, TORQUE, WORK_WIDTH = 13, 16, 19, 22, 25, 28
# Of `body`.
GRAVITY, UNEXPLAINED = 4, 7
# Rows of `motion`.
POSE, TWIST, ACCELERATION, WRENCH = 0, 1, 2, 3


# --- one leg


@compiled
def finish_frame(robot, i, work):
    """Write where the tip is in the leg's plane, from cosines and sines."""
    thigh, shin = robot[i, THIGH], robot[i, SHIN]
    r3, w3 = shin * work[i, COS_B], shin * work[i, SIN_B]
    work[i, R3], work[i, W3] = r3, w3
    work[i, R2], work[i, W2] = thigh * work[i, COS_A] + r3, thigh * work[i, SIN_A] + w3


@compiled
def frame_of(robot, i, work):
    """Write the frame of a leg at its joint values."""
    h = robot[i, SIGN] * work[i, Q] + robot[i, OFFSET]
    a = robot[i, SIGN + 1] * work[i, Q + 1] + robot[i, OFFSET + 1]
    b = a + robot[i, SIGN + 2] * work[i, Q + 2] + robot[i, OFFSET + 2]
    work[i, COS_H], work[i, SIN_H] = cos(h), sin(h)
    work[i, COS_A], work[i, SIN_A] = cos(a), sin(a)
    work[i, COS_B], work[i, SIN_B] = cos(b), sin(b)
    finish_frame(robot, i, work)


@compiled
def reach(robot, i, grasp, x, y, z, work):
    """Write joint values (near the old ones) and frame of a leg with its tip there; False if none.

    The closed form of `LegSolver`, on one branch, with cosines and sines instead of angles.
    """
    x, y, z = x - robot[i, AXIS_X], y - robot[i, AXIS_Y], z - robot[i, HEIGHT]
    beside, thigh, shin = robot[i, BESIDE], robot[i, THIGH], robot[i, SHIN]
    far = x * x + y * y
    square = far - beside * beside
    if square <= 0.0:
        return False
    front = grasp[i, FRONT] * sqrt(square)
    out = front - robot[i, COXA]
    size = out * out + z * z
    cosine = (size - thigh * thigh - shin * shin) / (2.0 * thigh * shin)
    if abs(cosine) >= 1.0:
        return False
    sine = grasp[i, KNEE] * sqrt(1.0 - cosine * cosine)
    along, up = thigh + shin * cosine, shin * sine
    ch, sh = (x * front - y * beside) / far, (y * front + x * beside) / far
    ca, sa = (out * along + z * up) / size, (z * along - out * up) / size
    work[i, COS_H], work[i, SIN_H], work[i, COS_A], work[i, SIN_A] = ch, sh, ca, sa
    work[i, COS_B], work[i, SIN_B] = ca * cosine - sa * sine, sa * cosine + ca * sine
    finish_frame(robot, i, work)
    for j in range(3):
        if j == 0:
            angle = atan2(sh, ch)
        elif j == 1:
            angle = atan2(sa, ca)
        else:
            angle = atan2(sine, cosine)
        value = (angle - robot[i, OFFSET + j]) * robot[i, SIGN + j]
        work[i, Q + j] = value - TURN * floor((value - work[i, Q + j]) / TURN + 0.5)
    return True


@compiled
def weigh(robot, i, work, gx, gy, gz, cup, motion):
    """Add a leg's weight to the wrench about the body's origin; write the torques that hold it.

    The cup counts only if `cup` is 1: one that holds hangs on its surface.
    """
    ch, sh = work[i, COS_H], work[i, SIN_H]
    along, across = gx * ch + gy * sh, gx * sh - gy * ch
    bias_1 = bias_2 = bias_3 = 0.0
    for k in range(4):
        m = robot[i, MASS + k]
        at = CENTRE + 3 * k
        u, v, w = robot[i, at], robot[i, at + 1], robot[i, at + 2]
        if k == 3:
            m *= cup
            u += robot[i, SHIN]
        r, side, up = u, v, w
        if k > 0:
            c, s = work[i, COS_B], work[i, SIN_B]
            if k == 1:
                c, s = work[i, COS_A], work[i, SIN_A]
            r2, w2 = u * c - w * s, u * s + w * c
            if k > 1:
                bias_3 -= m * (r2 * gz - w2 * along)
                r2 += work[i, R2] - work[i, R3]
                w2 += work[i, W2] - work[i, W3]
            bias_2 -= m * (r2 * gz - w2 * along)
            r, side, up = robot[i, COXA] + r2, robot[i, BESIDE] + v, robot[i, HEIGHT] + w2
        bias_1 -= m * (side * along - r * across)
        px = robot[i, AXIS_X] + r * ch + side * sh
        py = robot[i, AXIS_Y] + r * sh - side * ch
        push_at(motion, px, py, up, m * gx, m * gy, m * gz)
    work[i, BIAS] = robot[i, SIGN] * bias_1
    work[i, BIAS + 1] = robot[i, SIGN + 1] * bias_2
    work[i, BIAS + 2] = robot[i, SIGN + 2] * bias_3


@compiled
def push_at(motion, x, y, z, fx, fy, fz):
    """Add a force at a point to the wrench."""
    motion[WRENCH, 0] += fx
    motion[WRENCH, 1] += fy
    motion[WRENCH, 2] += fz
    motion[WRENCH, 3] += y * fz - z * fy
    motion[WRENCH, 4] += z * fx - x * fz
    motion[WRENCH, 5] += x * fy - y * fx


@compiled
def rates_at(robot, i, work, x, y, z):
    """Write the joint rates that move a tip at a velocity, seen from the body: J^-1 velocity."""
    r2, w2, r3, w3 = work[i, R2], work[i, W2], work[i, R3], work[i, W3]
    ch, sh = work[i, COS_H], work[i, SIN_H]
    turn = (y * ch - x * sh) / (robot[i, COXA] + r2)
    along = x * ch + y * sh - robot[i, BESIDE] * turn
    det = r2 * w3 - w2 * r3
    work[i, RATE] = robot[i, SIGN] * turn
    work[i, RATE + 1] = robot[i, SIGN + 1] * (along * r3 + w3 * z) / det
    work[i, RATE + 2] = -robot[i, SIGN + 2] * (along * r2 + w2 * z) / det


@compiled
def torque_of(servos, i, j, work):
    """Return what the servo of a joint and its drag give at its value and rate [N m]."""
    rate = work[i, RATE + j]
    torque = servos[i, STIFFNESS + j] * (servos[i, COMMAND + j] - work[i, Q + j])
    torque += servos[i, FED + j] - servos[i, DAMPING + j] * rate
    limit = servos[i, LIMIT + j]
    if torque > limit:
        torque = limit
    elif torque < -limit:
        torque = -limit
    return torque - servos[i, DRAG + j] * rate


@compiled
def push(robot, i, work):
    """Write the force on a tip that holds joint torques: J^-T torques. False if singular."""
    r2, w2, r3, w3 = work[i, R2], work[i, W2], work[i, R3], work[i, W3]
    ch, sh = work[i, COS_H], work[i, SIN_H]
    det, front = r2 * w3 - w2 * r3, robot[i, COXA] + r2
    if abs(det) < SINGULAR or front * front < SINGULAR:
        return False
    e1 = work[i, TORQUE] * robot[i, SIGN]
    e2, e3 = work[i, TORQUE + 1] * robot[i, SIGN + 1], work[i, TORQUE + 2] * robot[i, SIGN + 2]
    along = (e2 * r3 - e3 * r2) / det
    across = (robot[i, BESIDE] * along - e1) / front
    work[i, FORCE] = along * ch + across * sh
    work[i, FORCE + 1] = along * sh - across * ch
    work[i, FORCE + 2] = (e2 * w3 - e3 * w2) / det
    return True


@compiled
def measure(robot, servos, grasp, body, work, motion):
    """Write frames, branches and tips of all legs, and forces on the cups that hold, all at rest.

    A leg is in front of its hip (1) or folded (-1), its knee down (1) or up (-1).

    Returns:
        -1, or the first leg that is singular: from there on no forces are written.
    """
    gx, gy, gz = body[GRAVITY], body[GRAVITY + 1], body[GRAVITY + 2]
    singular = -1
    for i in range(len(work)):
        frame_of(robot, i, work)
        ch, sh, beside = work[i, COS_H], work[i, SIN_H], robot[i, BESIDE]
        front = robot[i, COXA] + work[i, R2]
        knee = sin(robot[i, SIGN + 2] * work[i, Q + 2] + robot[i, OFFSET + 2])
        grasp[i, FRONT] = 1.0 if front >= 0.0 else -1.0
        grasp[i, KNEE] = -1.0 if knee <= 0.0 else 1.0
        grasp[i, TIP] = robot[i, AXIS_X] + front * ch + beside * sh
        grasp[i, TIP + 1] = robot[i, AXIS_Y] + front * sh - beside * ch
        grasp[i, TIP + 2] = robot[i, HEIGHT] + work[i, W2]
        if singular >= 0 or grasp[i, HOLDS] == 0.0:
            continue
        weigh(robot, i, work, gx, gy, gz, 0.0, motion)
        for j in range(3):
            work[i, TORQUE + j] = work[i, BIAS + j] - torque_of(servos, i, j, work)
        if push(robot, i, work):
            for j in range(3):
                work[i, FORCE + j] -= robot[i, MASS + 3] * body[GRAVITY + j]
        else:
            singular = i
    return singular


# --- the body


@compiled
def turn_to(motion, R):
    """Write the rotation matrix of the pose."""
    x, y, z = motion[POSE, 3], motion[POSE, 4], motion[POSE, 5]
    square = x * x + y * y + z * z
    angle = sqrt(square)
    if angle < 1e-4:
        a, b = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        a, b = sin(angle) / angle, (1.0 - cos(angle)) / square
    R[0, 0], R[1, 1] = 1.0 - b * (y * y + z * z), 1.0 - b * (x * x + z * z)
    R[2, 2] = 1.0 - b * (x * x + y * y)
    R[0, 1], R[1, 0] = b * x * y - a * z, b * x * y + a * z
    R[0, 2], R[2, 0] = b * x * z + a * y, b * x * z - a * y
    R[1, 2], R[2, 1] = b * y * z - a * x, b * y * z + a * x


@compiled
def imbalance(robot, servos, grasp, body, work, motion, R):
    """Write joint values, frames, forces on the tips, the rotation, and the wrench left over.

    Returns:
        -1, or the first leg that cannot keep its tip where it is.
    """
    turn_to(motion, R)
    x, y, z = body[GRAVITY], body[GRAVITY + 1], body[GRAVITY + 2]
    gx = R[0, 0] * x + R[1, 0] * y + R[2, 0] * z
    gy = R[0, 1] * x + R[1, 1] * y + R[2, 1] * z
    gz = R[0, 2] * x + R[1, 2] * y + R[2, 2] * z
    for r in range(6):
        motion[WRENCH, r] = body[UNEXPLAINED + r]
    m = body[0]
    push_at(motion, body[1], body[2], body[3], m * gx, m * gy, m * gz)
    vx, vy, vz = motion[TWIST, 0], motion[TWIST, 1], motion[TWIST, 2]
    wx, wy, wz = motion[TWIST, 3], motion[TWIST, 4], motion[TWIST, 5]
    for i in range(len(work)):
        if grasp[i, HOLDS] == 0.0:
            weigh(robot, i, work, gx, gy, gz, 1.0, motion)
            continue
        x, y = grasp[i, TIP] - motion[POSE, 0], grasp[i, TIP + 1] - motion[POSE, 1]
        z = grasp[i, TIP + 2] - motion[POSE, 2]
        tx = R[0, 0] * x + R[1, 0] * y + R[2, 0] * z
        ty = R[0, 1] * x + R[1, 1] * y + R[2, 1] * z
        tz = R[0, 2] * x + R[1, 2] * y + R[2, 2] * z
        if not reach(robot, i, grasp, tx, ty, tz, work):
            return i
        weigh(robot, i, work, gx, gy, gz, 0.0, motion)
        x, y, z = -vx - wy * tz + wz * ty, -vy - wz * tx + wx * tz, -vz - wx * ty + wy * tx
        rates_at(robot, i, work, x, y, z)
        for j in range(3):
            work[i, TORQUE + j] = work[i, BIAS + j] - torque_of(servos, i, j, work)
        if not push(robot, i, work):
            return i
        for j in range(3):
            work[i, FORCE + j] += grasp[i, ADDED + j]
        x, y, z = work[i, FORCE], work[i, FORCE + 1], work[i, FORCE + 2]
        push_at(motion, tx, ty, tz, x, y, z)
    return -1


@compiled
def stiffness_at(robot, servos, grasp, body, work, motion, R, wrench, K):
    """Write how the wrench changes with the pose (6, 6), by differences to that at the pose."""
    for c in range(6):
        move, kept = SHIFT if c < 3 else TILT, motion[POSE, c]
        motion[POSE, c] = kept + move
        lost = imbalance(robot, servos, grasp, body, work, motion, R) >= 0
        motion[POSE, c] = kept
        for r in range(6):
            K[r, c] = 0.0 if lost else (motion[WRENCH, r] - wrench[r]) / move


@compiled
def move_link(robot, i, k, work, J, E):
    """Write how joints (3, 3) and the body's twist (3, 6) move a link's centre, or the tip (4)."""
    ch, sh, c, s = work[i, COS_H], work[i, SIN_H], work[i, COS_B], work[i, SIN_B]
    u, v, w = 0.0, 0.0, 0.0
    if k < 4:
        at = CENTRE + 3 * k
        u, v, w = robot[i, at], robot[i, at + 1], robot[i, at + 2]
    if k >= 3:
        u += robot[i, SHIN]
    if k == 1:
        c, s = work[i, COS_A], work[i, SIN_A]
    for x in range(3):
        for b in range(3):
            J[x, b] = 0.0
            E[x, b], E[x, 3 + b] = 1.0 if x == b else 0.0, 0.0
    r, up = u, w
    if k > 0:
        r, up = u * c - w * s, u * s + w * c
        if k > 1:
            sign = robot[i, SIGN + 2]
            J[0, 2], J[1, 2], J[2, 2] = -sign * up * ch, -sign * up * sh, sign * r
            r += work[i, R2] - work[i, R3]
            up += work[i, W2] - work[i, W3]
        sign = robot[i, SIGN + 1]
        J[0, 1], J[1, 1], J[2, 1] = -sign * up * ch, -sign * up * sh, sign * r
        r, v, up = r + robot[i, COXA], v + robot[i, BESIDE], up + robot[i, HEIGHT]
    x, y = r * ch + v * sh, r * sh - v * ch
    J[0, 0], J[1, 0] = -robot[i, SIGN] * y, robot[i, SIGN] * x
    x, y = x + robot[i, AXIS_X], y + robot[i, AXIS_Y]
    E[0, 4], E[0, 5], E[1, 3] = up, -y, -up
    E[1, 5], E[2, 3], E[2, 4] = x, y, -x


@compiled
def turn_joints(robot, servos, i, holds, work, M, inertias, coupling, turns, E):
    """Write how the joints of a leg turn with the body's twist (3, 6); add their rotors.

    If the leg holds they turn as its tip wants it, which stays where it is. If not they stand still
    here: `swing` moves them.
    """
    for c in range(6):
        if holds:  # one that does not may be straight: then there are no rates
            rates_at(robot, i, work, E[0, c], E[1, c], E[2, c])
        for j in range(3):
            turns[j, c] = -work[i, RATE + j] if holds else 0.0
    for j in range(3):
        armature = servos[i, ARMATURE + j]
        inertias[i, j, j] += armature
        for c in range(6):
            coupling[i, j, c] += armature * turns[j, c]
            for d in range(6):
                M[c, d] += armature * turns[j, c] * turns[j, d]


@compiled
def add_link(i, mass, M, inertias, coupling, J, turns, E):
    """Add a link to the body's inertia, to its leg's own, and to how these go together."""
    for x in range(3):
        for c in range(6):
            for j in range(3):
                E[x, c] += J[x, j] * turns[j, c]
        for c in range(6):
            for d in range(6):
                M[c, d] += mass * E[x, c] * E[x, d]
            for j in range(3):
                coupling[i, j, c] += mass * J[x, j] * E[x, c]
        for j in range(3):
            for b in range(3):
                inertias[i, j, b] += mass * J[x, j] * J[x, b]


@compiled
def add_legs(robot, servos, grasp, work, M, inertias, coupling, J, turns, E):
    """Add legs to the body's inertia (6, 6), to their own, and to how they go with the body.

    The last is torques on their joints (3, 6), or forces on the tips of those that hold. The last
    three arguments are for passing values.
    """
    for i in range(len(work)):
        holds = grasp[i, HOLDS] > 0.0
        for k in range(4, -1, -1):
            move_link(robot, i, k, work, J, E)
            if k == 4:
                turn_joints(robot, servos, i, holds, work, M, inertias, coupling, turns, E)
            elif k < 3 or not holds:
                add_link(i, robot[i, MASS + k], M, inertias, coupling, J, turns, E)
        if holds:
            for c in range(6):
                for j in range(3):
                    work[i, TORQUE + j] = coupling[i, j, c]
                push(robot, i, work)
                for j in range(3):
                    coupling[i, j, c] = work[i, FORCE + j]


@compiled
def judge(grips, normals, i, x, y, z, time, worst):
    """Raise a cup's worst share, pull, shear and time to those of a force, if it needs more."""
    pull = -(x * normals[i, 0] + y * normals[i, 1] + z * normals[i, 2])
    square = x * x + y * y + z * z - pull * pull
    shear = sqrt(square) if square > 0.0 else 0.0
    used, sheared = pull / grips[i, 0] if pull > 0.0 else 0.0, shear / grips[i, 1]
    if grips[i, 2] > 0.0:
        used += sheared
    elif sheared > used:
        used = sheared
    if used > worst[i, 0]:
        worst[i, 0], worst[i, 1], worst[i, 2], worst[i, 3] = used, pull, shear, time


@compiled
def swing(
    robot, servos, grasp, body, work, motion, R, inverse, inverses, coupling, biases,
    cups, before, grips, normals, factor, steps, worst,
):  # fmt: skip
    """Follow the body after a release; write where it ends and the worst moment of each cup.

    Inertias are those at first. Legs that hang free swing on their servos; the one that lets go
    springs to where its servos want it, and pushes the body by that.

    Args:
        robot: As at the top of this file, like `servos`, `grasp`, `body`.
        servos: Those of all legs.
        grasp: Of the legs that hold on.
        body: With its load.
        work: At first; written.
        motion: Zero; written.
        R: The rotation; written.
        inverse: Inverse inertia of all, as `inertias` returns it, like `inverses`, `coupling`.
        inverses: Of free legs.
        coupling: Of legs and body.
        biases: Torques that free legs are at rest with at first, (n, 3).
        cups: Weights of the cups that hold, not in the forces on the tips.
        before: Forces on the cups at first.
        grips: Of the cups (n, 3).
        normals: Out of their surfaces (n, 3).
        factor: By how much to stretch changes of forces.
        steps: How long.
        worst: Share of the grip, pull, shear [N], time [s] per leg; raised.

    Returns:
        Whether all legs kept their tips.
    """
    n = len(work)
    for step in range(steps):
        if imbalance(robot, servos, grasp, body, work, motion, R) >= 0:
            return False
        for i in range(n):
            if grasp[i, HOLDS] > 0.0:
                continue
            for j in range(3):
                work[i, TORQUE + j] = torque_of(servos, i, j, work) - biases[i, j]
            for j in range(3):
                bend = 0.0
                for k in range(3):
                    bend += inverses[i, j, k] * work[i, TORQUE + k]
                work[i, BEND + j] = bend
                for r in range(6):
                    motion[WRENCH, r] -= coupling[i, j, r] * bend
        for r in range(6):
            motion[ACCELERATION, r] = 0.0
            for c in range(6):
                motion[ACCELERATION, r] += inverse[r, c] * motion[WRENCH, c]
        for i in range(n):
            for j in range(3):
                total = 0.0
                for c in range(6):
                    total += coupling[i, j, c] * motion[ACCELERATION, c]
                work[i, TORQUE + j] = total
            if grasp[i, HOLDS] > 0.0:
                for j in range(3):
                    work[i, FORCE + j] += work[i, TORQUE + j]
                for j in range(3):
                    value = -cups[i, j]
                    for k in range(3):
                        value += R[j, k] * work[i, FORCE + k]
                    work[i, BEND + j] = before[i, j] + factor * (value - before[i, j])
                x, y, z = work[i, BEND], work[i, BEND + 1], work[i, BEND + 2]
                judge(grips, normals, i, x, y, z, step * TIME_STEP, worst)
            else:
                for j in range(3):
                    for k in range(3):
                        work[i, BEND + j] -= inverses[i, j, k] * work[i, TORQUE + k]
                    work[i, RATE + j] += TIME_STEP * work[i, BEND + j]
                    work[i, Q + j] += TIME_STEP * work[i, RATE + j]
        for r in range(6):
            motion[TWIST, r] += TIME_STEP * motion[ACCELERATION, r]
        for r in range(3):
            for k in range(3):
                motion[POSE, r] += TIME_STEP * R[r, k] * motion[TWIST, k]
                motion[POSE, 3 + r] += TIME_STEP * R[r, k] * motion[TWIST, 3 + k]
    return True


# --- once per forecast, in numpy


def rotation_of(pose):
    """Return the rotation matrix of a pose."""
    motion, R = np.zeros((4, 6)), np.empty((3, 3))
    motion[POSE] = pose
    turn_to(motion, R)
    return R


def size_of(wrench):
    """Return the size of a wrench, with moments as forces at `ARM` [N]."""
    x, y, z, a, b, c = wrench.tolist()
    return sqrt(x * x + y * y + z * z + (a * a + b * b + c * c) / ARM**2)


def speed_of(twist):
    """Return the speed of a twist, with turn rates as speeds at `ARM` [m/s]."""
    return sqrt(twist[:3] @ twist[:3] + ARM**2 * (twist[3:] @ twist[3:]))


def is_stable(K):
    """Tell whether every small move is pushed back: minus the symmetric part is positive."""
    try:
        np.linalg.cholesky(-0.5 * (K + K.T))
    except np.linalg.LinAlgError:
        return False
    return True


def settle(robot, servos, grasp, body, pose, work):
    """Move the pose to a balance by Newton's method; True if there is a stable one.

    Steps are cut, and halved while they make things worse: torques have a corner where a servo
    comes to its limit.
    """
    motion, K = np.zeros((4, 6)), np.empty((6, 6))
    state = (robot, servos, grasp, body, work, motion, np.empty((3, 3)))
    motion[POSE] = pose
    if imbalance(*state) >= 0:
        return False
    wrench = motion[WRENCH].copy()
    size = size_of(wrench)
    for _ in range(ITERATIONS):
        stiffness_at(*state, wrench, K)
        if size < BALANCED:
            imbalance(*state)
            return is_stable(K)
        try:
            step = np.linalg.solve(K, -wrench)
        except np.linalg.LinAlgError:
            return False
        far = sqrt(step[:3] @ step[:3]) / FARTHEST
        wide = sqrt(step[3:] @ step[3:]) / WIDEST
        scale, now = 1.0 / max(1.0, far, wide), inf
        for _ in range(10):
            motion[POSE] = pose + scale * step
            if imbalance(*state) < 0:
                now = size_of(motion[WRENCH])
                if now < size:
                    break
            scale *= 0.5
        if not now < size:
            return False
        pose[:], wrench[:], size = motion[POSE], motion[WRENCH], now
    return False


def with_payload(body, inertia):
    """Return mass and centre of the body with what it seems to carry, and its inertia.

    What pulls along gravity without an explanation is taken for a mass, as high in the body as its
    centre. This only tells how fast the body moves; the weight is in the forces anyway.
    """
    mass, centre, gravity = body[0], body[1:GRAVITY], body[GRAVITY:UNEXPLAINED]
    force, moment = body[UNEXPLAINED : UNEXPLAINED + 3], body[UNEXPLAINED + 3 :]
    square = gravity @ gravity
    extra = min(force @ gravity / square, mass) if square > 0.0 else 0.0
    if extra < 1e-3:
        return mass, centre, inertia
    arm = np.cross(gravity, moment) / (extra * square)  # its place across gravity
    arm += (centre @ gravity) / square * gravity - centre
    arm *= min(1.0, ARM / max(sqrt(arm @ arm), 1e-9))
    total = mass + extra
    turning = inertia + mass * extra / total * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return total, centre + extra / total * arm, turning


def inertias(robot, inertia, servos, grasp, body, work):
    """Return the body's inverse inertia with all legs (6, 6), and for each leg what it needs.

    That is its own inverse inertia (n, 3, 3), if it does not hold, and how it goes with the body's
    acceleration (n, 3, 6): forces on its tip if it holds, torques on its joints if it does not.
    """
    n, free = len(robot), grasp[:, HOLDS] == 0.0
    inverses, coupling = np.zeros((n, 3, 3)), np.zeros((n, 3, 6))
    mass, (x, y, z), turning = with_payload(body, inertia)
    arm, M = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]), mass * np.eye(6)
    M[:3, 3:], M[3:, :3], M[3:, 3:] = mass * arm, mass * arm.T, turning + mass * arm.T @ arm
    scratch = np.empty((3, 3)), np.empty((3, 6)), np.empty((3, 6))
    add_legs(robot, servos, grasp, work.copy(), M, inverses, coupling, *scratch)
    inverses[free] = np.linalg.inv(inverses[free])
    recoil = coupling[free]
    M -= (recoil.transpose(0, 2, 1) @ inverses[free] @ recoil).sum(axis=0)
    return np.linalg.inv(M), inverses, coupling


def spread_of(points):
    """Return how far points stray from the line through the two furthest apart [m]."""
    rows = points.tolist()
    pairs = [(one, other) for i, one in enumerate(rows) for other in rows[:i]]
    first, last = max(pairs, key=lambda pair: dist(*pair), default=((0.0,), (0.0,)))
    length = dist(first, last)
    if length == 0.0:
        return 0.0
    beside = points - first
    along = (np.array(last) - first) / length
    beside -= (beside @ along)[:, None] * along
    return sqrt((beside * beside).sum(axis=1).max())


def loosen(robot, servos, leg, work, gravity):
    """Return torques that free legs are at rest with (n, 3), and `work` with one leg let go.

    A leg that hung free is at rest, whatever its servos seem to say. The one that lets go has its
    weight to hold, and comes to where its servos hold it with nothing to touch, to first order.
    """
    command, fed, stiffness = servos[:, :FED], servos[:, FED:STIFFNESS], servos[:, STIFFNESS:LIMIT]
    limit, resting = servos[:, LIMIT:DAMPING], work.copy()
    torques = stiffness * (command - work[:, Q : Q + 3]) + fed
    biases = np.minimum(np.maximum(torques, -limit), limit)
    weigh(robot, leg, resting, *gravity.tolist(), 1.0, np.zeros((4, 6)))
    biases[leg] = bias = resting[leg, BIAS : BIAS + 3]
    resting[leg, Q : Q + 3] = command[leg] + (fed[leg] - bias) / stiffness[leg]
    frame_of(robot, leg, resting)
    return biases, resting


# --- what `adhesion` calls


def begin(robot, servos, holding, q, gravity):
    """Return grasp, body and work of a robot at rest, and the first singular leg or -1.

    In place of forces on the tips those on the cups are in `work`.
    """
    legs, parts, _ = robot
    n = len(q)
    grasp, work, body = np.zeros((n, GRASP_WIDTH)), np.zeros((n, WORK_WIDTH)), np.zeros(13)
    body[:GRAVITY], body[GRAVITY:UNEXPLAINED] = parts, gravity
    grasp[:, HOLDS], work[:, :3] = holding, q
    singular = measure(legs, servos, grasp, body, work, np.zeros((4, 6)))
    return grasp, body, work, singular


def look_first(robot, servos, holding, q, gravity, left):
    """Return forces on the cups, the first singular leg or -1, and how far the cups left spread."""
    grasp, _, work, singular = begin(robot, servos, holding, q, gravity)
    return work[:, FORCE : FORCE + 3].copy(), singular, spread_of(grasp[left, TIP : TIP + 3])


def let_go(robot, servos, holding, q, gravity, before, leg, grips, normals, factor):
    """Release one leg: follow the body as it swings, and find where it comes to rest.

    Args:
        robot: Its table as at the top of this file, mass and centre of the body, its inertia.
        servos: As at the top of this file.
        holding: Which legs hold at first.
        q: Joint values at first.
        gravity: In the body's frame at first [m/s2].
        before: Forces on the cups at first. What they differ by from those of the servos, and what
            all of them together leave unexplained of the weight, stays as it is.
        leg: Which one lets go.
        grips: Of the cups (n, 3).
        normals: Out of their surfaces (n, 3).
        factor: By how much to stretch changes of forces.

    Returns:
        Whether it comes to rest, the pose and the forces on the cups there (in the body's first
        frame), and share of the grip, pull, shear [N] and time [s] of each cup's worst moment.
    """
    legs, _, inertia = robot
    grasp, body, start, _ = begin(robot, servos, holding, q, gravity)
    grasp[:, ADDED:] = before - start[:, FORCE : FORCE + 3]
    start[:, FORCE:] = 0.0
    motion, R, worst = np.zeros((4, 6)), np.empty((3, 3)), np.zeros((len(q), 4))
    imbalance(legs, servos, grasp, body, start.copy(), motion, R)
    body[UNEXPLAINED:] = -motion[WRENCH]
    grasp[leg, HOLDS] = 0.0
    left = grasp[:, HOLDS] > 0.0
    cups = np.outer(left * legs[:, MASS + 3], gravity)
    for i in np.flatnonzero(left).tolist():
        judge(grips, normals, i, *before[i].tolist(), 0.0, worst)
    biases, resting = loosen(legs, servos, leg, start, gravity)
    inverse, inverses, coupling = inertias(legs, inertia, servos, grasp, body, start)

    def follow(steps):
        """Return the speed of the body after some steps [m/s]; infinite if a leg lost its tip."""
        motion[:] = 0.0
        kept = swing(
            legs, servos, grasp, body, start.copy(), motion, R, inverse, inverses, coupling,
            biases, cups, before, grips, normals, factor, steps, worst,
        )  # fmt: skip
        return speed_of(motion[TWIST]) if kept else inf

    lost = follow(SHORT) == inf
    rests = not lost and settle(legs, servos, grasp, body, motion[POSE], resting)
    if not rests and not lost and worst[:, 0].max() < 1.0:
        slow = follow(LONG) < SLOW
        motion[TWIST] = 0.0
        rests = slow and imbalance(legs, servos, grasp, body, resting, motion, R) < 0
    pose = motion[POSE].copy()
    after = resting[:, FORCE : FORCE + 3] @ rotation_of(pose).T - cups
    for i in np.flatnonzero(left & rests).tolist():
        judge(grips, normals, i, *after[i].tolist(), inf, worst)
    return rests, pose, after, worst
