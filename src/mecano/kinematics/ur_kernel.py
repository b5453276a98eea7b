"""The batch form of the solver in `ur_arm`, compiled. Same steps, same order, same limits."""

from math import acos, atan2, ceil, cos, floor, nan, pi, sin, sqrt

import numpy as np

from mecano.core.compiled import compiled
from mecano.kinematics.turns import (
    LENGTH_TOLERANCE,
    LIMIT_TOLERANCE,
    MERGED,
    ROUND_UP,
    TURN,
    WRIST_LOST,
)


@compiled
def _turned(angle, wanted, low, high):
    """Return the turn of an angle that is nearest to `wanted` inside the limits, NaN if none is."""
    angle -= TURN * floor((angle - wanted) / TURN + ROUND_UP)
    if low <= angle <= high:
        return angle
    if angle < low:
        angle += TURN * ceil((low - angle - LIMIT_TOLERANCE) / TURN)
    else:
        angle -= TURN * ceil((angle - high - LIMIT_TOLERANCE) / TURN)
    if low - LIMIT_TOLERANCE <= angle <= high + LIMIT_TOLERANCE:
        return min(max(angle, low), high)
    return nan


@compiled
def _seen(R, R_base_arm, vector):
    """Return a vector of the tool in the arm's frame."""
    x = R[0, 0] * vector[0] + R[0, 1] * vector[1] + R[0, 2] * vector[2]
    y = R[1, 0] * vector[0] + R[1, 1] * vector[1] + R[1, 2] * vector[2]
    z = R[2, 0] * vector[0] + R[2, 1] * vector[1] + R[2, 2] * vector[2]
    return _in_arm(R_base_arm, x, y, z)


@compiled
def _in_arm(R_base_arm, x, y, z):
    return (
        R_base_arm[0, 0] * x + R_base_arm[1, 0] * y + R_base_arm[2, 0] * z,
        R_base_arm[0, 1] * x + R_base_arm[1, 1] * y + R_base_arm[2, 1] * z,
        R_base_arm[0, 2] * x + R_base_arm[1, 2] * y + R_base_arm[2, 2] * z,
    )


@compiled
def solve_many(positions, rotations, starts, scalars, frame, wrist_in_tool, limits):
    """Return solutions (n, 8, 6), NaN where there is none, and their number (n,)."""
    n = len(positions)
    solutions = np.full((n, 8, 6), np.nan)
    count = np.zeros(n, np.int64)
    wanted = np.empty(6)
    for i in range(n):
        for joint in range(6):
            wanted[joint] = min(max(starts[i, joint], limits[0, joint]), limits[1, joint])
        count[i] = _solve(
            positions[i], rotations[i], wanted, scalars, frame, wrist_in_tool, limits, solutions[i]
        )
    return solutions, count


@compiled
def _solve(position, R, wanted, scalars, frame, wrist_in_tool, limits, found):
    """Fill in the solutions of one pose and return their number."""
    shoulder, beside, l2, l3 = scalars[0], scalars[1], scalars[2], scalars[3]
    dir2, bent = scalars[4], scalars[5] - scalars[4]
    hand_along, hand_aside, lean, twist = scalars[6], scalars[7], scalars[8], scalars[9]
    s3, s4 = scalars[10], scalars[11]
    low, high = limits[0], limits[1]
    slack = 1.0 + LENGTH_TOLERANCE * (l2 + l3) / (l2 * l3)
    fold = LENGTH_TOLERANCE**2 if abs(l2 - l3) <= LENGTH_TOLERANCE else -1.0

    c_x, c_y, c_z = _seen(R, frame, wrist_in_tool[2])
    p_x, p_y, p_z = _in_arm(
        frame, position[0] - frame[0, 3], position[1] - frame[1, 3], position[2] - frame[2, 3]
    )
    x, y, z = p_x + c_x, p_y + c_y, p_z + c_z
    n_x, n_y, n_z = _seen(R, frame, wrist_in_tool[0])
    k_x, k_y, k_z = _seen(R, frame, wrist_in_tool[1])
    nk_x = n_y * k_z - n_z * k_y
    nk_y = n_z * k_x - n_x * k_z
    nk_z = n_x * k_y - n_y * k_x

    count = 0
    radius = sqrt(x * x + y * y)
    square = (radius - beside) * (radius + beside)
    on_axis = radius <= LENGTH_TOLERANCE
    apart = square > MERGED * radius * radius and not on_axis
    if not apart and not abs(radius - abs(beside)) <= LENGTH_TOLERANCE:
        return count
    ahead = sqrt(square) if apart else 0.0
    for side in range(2 if apart else 1):
        out = -ahead if side else ahead
        angle = wanted[0] if on_axis else atan2(y, x) - atan2(beside, out)
        q1 = _turned(angle, wanted[0], low[0], high[0])
        if q1 != q1:
            continue
        c1, s1 = cos(q1), sin(q1)
        n_out, n_across = c1 * n_x + s1 * n_y, c1 * n_y - s1 * n_x
        k_out, nk_out = c1 * k_x + s1 * k_y, c1 * nk_x + s1 * nk_y
        sine = sqrt(n_out * n_out + n_z * n_z)
        lost = sine <= WRIST_LOST
        if lost:
            c6, s6 = cos(wanted[5]), sin(wanted[5])
            cos5, sin5 = k_z * c6 - nk_z * s6, k_out * c6 - nk_out * s6
        else:
            cos5, sin5 = -n_out / sine, n_z / sine
        hand_z = hand_along * cos5 - hand_aside * sin5
        hand_x = hand_along * sin5 + hand_aside * cos5
        cos6, sin6 = sin5 * k_out + cos5 * k_z, -sin5 * nk_out - cos5 * nk_z
        for flipped in range(1 if lost else 2):
            flip = 1.0 - 2.0 * flipped
            q5 = _turned(atan2(flip * sine, n_across) - twist, wanted[4], low[4], high[4])
            q6 = _turned(atan2(flip * sin6, flip * cos6), wanted[5], low[5], high[5])
            if q5 != q5 or q6 != q6:
                continue
            to_x, to_z = out - shoulder - flip * hand_x, z - flip * hand_z
            square = to_x * to_x + to_z * to_z
            cosine = (square - l2 * l2 - l3 * l3) / (2.0 * l2 * l3)
            if not abs(cosine) <= slack:
                continue
            bends = abs(cosine) < 1.0 - MERGED
            bend = 0.0 if cosine > 0.0 else pi
            if bends:
                bend = acos(cosine)
            toward = atan2(to_x, to_z) - dir2
            inner = atan2(l3 * sin(bend), l2 + l3 * cos(bend))
            whole = atan2(flip * sin5, flip * cos5) - lean
            for mirror in range(2 if bends else 1):
                turn2 = toward + inner if mirror else toward - inner
                if square <= fold:
                    turn2 = wanted[1]
                turn3 = (-bend if mirror else bend) - bent
                q2 = _turned(turn2, wanted[1], low[1], high[1])
                q3 = _turned(s3 * turn3, wanted[2], low[2], high[2])
                q4 = _turned(s4 * (whole - turn2 - turn3), wanted[3], low[3], high[3])
                if q2 != q2 or q3 != q3 or q4 != q4:
                    continue
                row = found[count]
                row[0], row[1], row[2], row[3], row[4], row[5] = q1, q2, q3, q4, q5, q6
                count += 1
    return count
