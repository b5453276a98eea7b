"""Your own inverse kinematics in the place of ours: OpenMANIPULATOR-X, by hand.

Try it:      mecano ik open_manipulator_x 0.1 0.1 0.2 --pitch 0 --use ik=01_my_own_ik.py:solve
Judge it:    mecano check-stage ik 01_my_own_ik.py:solve
"""

from math import acos, atan2, cos, hypot, pi, sin

L1, L2, L3, L4 = 0.0595, hypot(0.024, 0.128), 0.124, 0.126  # [m]
PHI = atan2(0.128, 0.024)  # [rad]
LIMITS = [(-0.9, 0.9), (-0.57, 0.5), (-0.3, 0.44), (-0.57, 0.65)]  # times pi [rad]


def solve(x, y, z, pitch):
    """Return every joint vector that brings the tool to (x, y, z) with this pitch."""
    x, z = x - 0.012, z - 0.017  # from the base to the first joint
    solutions = []
    for front in (+1, -1):
        q1 = atan2(front * y, front * x)
        r = front * hypot(x, y) - L4 * cos(pitch)
        h = L1 - z - L4 * sin(pitch)
        distance = hypot(r, h)
        if not abs(L2 - L3) <= distance <= L2 + L3:
            continue
        corner = acos((distance**2 + L2**2 - L3**2) / (2 * L2 * distance))
        for elbow in (-1, +1):
            upper = atan2(h, r) + elbow * corner
            q2 = upper + PHI
            q3 = atan2(h - L2 * sin(upper), r - L2 * cos(upper)) - q2
            q = [wrap(angle) for angle in (q1, q2, q3, pitch - q2 - q3)]
            if all(low * pi <= q[i] <= high * pi for i, (low, high) in enumerate(LIMITS)):
                solutions.append(q)
    return solutions


def wrap(angle):
    """Return the angle between -pi and pi."""
    return (angle + pi) % (2 * pi) - pi


if __name__ == "__main__":
    for q in solve(0.1, 0.1, 0.2, 0.0):
        print([round(angle, 6) for angle in q])
