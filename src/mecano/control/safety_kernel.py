"""How much of a commanded twist a base may take up and still stop before obstacles, compiled."""

from math import cos, hypot, inf, sin

from mecano.core.compiled import compiled

CLOSER = 1e-4
"""A point within its margin may come this much nearer in a rollout [m]: round-off."""


@compiled
def clearance(corners, x, y):
    """Return how far a point is from a convex outline, counter-clockwise [m]; below 0 inside."""
    count = len(corners)
    inside, outside = -inf, inf
    for i in range(count):
        ax, ay = corners[i, 0], corners[i, 1]
        bx, by = corners[(i + 1) % count, 0], corners[(i + 1) % count, 1]
        ux, uy = bx - ax, by - ay
        length = hypot(ux, uy)
        if length < 1e-9:
            continue
        out = (uy * (x - ax) - ux * (y - ay)) / length
        inside = max(inside, out)
        along = min(max((ux * (x - ax) + uy * (y - ay)) / length, 0.0), length)
        outside = min(outside, hypot(x - ax - ux * along / length, y - ay - uy * along / length))
    return inside if inside <= 0.0 else outside


@compiled
def _ramp(now, wanted, faster, slower):
    """Return one speed nearer to the wanted one."""
    limit = slower if abs(wanted) < abs(now) or now * wanted < 0.0 else faster
    return wanted if abs(wanted - now) <= limit else now + (limit if wanted > now else -limit)


@compiled
def first_touched(corners, reach, points, allowed, speed, command, limits, hold, step):
    """Return the point that comes too near if a base takes up a twist, and then brakes; -1 if none.

    Args:
        corners: Outline in the frame of the base, counter-clockwise [m]. Shape (k, 2).
        reach: Circumscribed radius of the outline [m].
        points: Of obstacles, in the frame of the base [m]. Shape (n, 2).
        allowed: How near each may come to the outline [m]. Shape (n,).
        speed: Of the base now: vx, vy [m/s], wz [rad/s].
        command: Twist that it is given for `hold`.
        limits: Acceleration, braking [m/s2], and the same of turns [rad/s2].
        hold: Until it brakes [s].
        step: Of the rollout [s].
    """
    x, y, yaw = 0.0, 0.0, 0.0
    vx, vy, wz = speed
    passed = 0.0
    while passed < hold or vx != 0.0 or vy != 0.0 or wz != 0.0:
        before_x, before_y, before_w = vx, vy, wz
        cx, cy, cw = command if passed < hold else (0.0, 0.0, 0.0)
        braking = hypot(cx, cy) < hypot(vx, vy) or cx * vx + cy * vy < 0.0
        change, most = hypot(cx - vx, cy - vy), step * (limits[1] if braking else limits[0])
        share = 1.0 if change <= most else most / change
        vx, vy = vx + share * (cx - vx), vy + share * (cy - vy)
        wz = _ramp(wz, cw, step * limits[2], step * limits[3])
        yaw += 0.5 * step * (before_w + wz)
        c, s = cos(yaw), sin(yaw)
        mx, my = 0.5 * (before_x + vx), 0.5 * (before_y + vy)
        x, y = x + step * (c * mx - s * my), y + step * (s * mx + c * my)
        passed += step
        for i in range(len(points)):
            dx, dy = points[i, 0] - x, points[i, 1] - y
            if dx * dx + dy * dy > (reach + max(allowed[i], 0.0)) ** 2:
                continue
            if clearance(corners, c * dx + s * dy, c * dy - s * dx) < allowed[i] - CLOSER:
                return i
    return -1


@compiled
def allowed_share(corners, reach, points, allowed, speed, command, limits, hold, step, halvings):
    """Return the largest share of a twist that touches nothing, and the point in the way of all."""
    vx, vy, wz = command
    point = first_touched(corners, reach, points, allowed, speed, command, limits, hold, step)
    if point < 0:
        return 1.0, -1
    low, high = 0.0, 1.0
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        part = (middle * vx, middle * vy, middle * wz)
        if first_touched(corners, reach, points, allowed, speed, part, limits, hold, step) < 0:
            low = middle
        else:
            high = middle
    return low, point
